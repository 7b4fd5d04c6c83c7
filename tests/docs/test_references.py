"""What the pages mention exists: links and their anchors, files, commands, options, and names in the code."""

import importlib
import re
import shlex
from collections import Counter
from functools import reduce
from typing import Any

import pytest
import typer
from doc_pages import COMMANDS, PAGES, ROOT, Page

import kibitz
from kibitz.cli import app as app_module
from kibitz.cli.app import app
from kibitz.players.roster import GENERIC, options_of

OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
FILE = re.compile(r"(?<![\w/.])(?:kibitz|docs|examples|tests|benchmarks)/[\w./*-]*[\w*]")
ENVIRONMENT = re.compile(r"kibitz/\w+-v0")  # by its id in Gymnasium, which looks like a file
each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.path.stem)


def options_by_command() -> dict[str, set[str]]:
    """The options of every command; those of a command in a group under both of its words."""
    found: dict[str, set[str]] = {}

    def collect(command: Any, words: tuple[str, ...]) -> None:
        for name, inner in getattr(command, "commands", {}).items():
            collect(inner, (*words, name))
        options = (option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts))
        found[" ".join(words)] = {*options, "--help"}

    collect(typer.main.get_command(app), ())
    for name in app_module.COMMANDS:  # which are loaded when they are used
        collect(app_module._load(name), (name,))
    return found


KNOWN = options_by_command()


def command_lines(page: Page) -> list[str]:
    """Everything on a page that reads like a command: lines of blocks, and code within sentences."""
    lines = [line for block in page.blocks if block.language == COMMANDS for line in block.commands]
    return [re.sub(r"^(?:[A-Z_]+=\S+ )+", "", line) for line in (*lines, *page.inline_code)]


@each_page
def test_links_lead_somewhere(page: Page) -> None:
    for link in page.links:
        file, _, anchor = link.partition("#")
        if file.startswith("http"):
            continue
        target = (page.path.parent / file).resolve() if file else page.path
        assert target.exists(), f"{page.name} links to {link}"
        if anchor:
            assert anchor in Page(target).anchors, f"{page.name} links to {link}"


@each_page
def test_files_exist(page: Page) -> None:
    texts = (*page.inline_code, *(block.text for block in page.blocks))
    for file in (found for text in texts for found in FILE.findall(text)):
        assert ENVIRONMENT.fullmatch(file) or list(ROOT.glob(file)), f"{page.name} mentions {file}"


@each_page
def test_commands_have_the_options_they_are_given(page: Page) -> None:
    for line in command_lines(page):
        words = line.split()
        if words[:1] != ["kibitz"] or len(words) == 1:
            continue
        command = " ".join(words[1:3]) if " ".join(words[1:3]) in KNOWN else words[1].partition("--")[0]
        if command == "COMMAND":
            continue
        assert command in KNOWN, f"{page.name}: {line}"
        unknown = {*OPTION.findall(line)} - KNOWN[command]
        assert not unknown, f"{page.name}: {line}"


@each_page
def test_scripts_have_the_options_they_are_given(page: Page) -> None:
    for line in command_lines(page):
        if not line.startswith("python ") or line.startswith("python -m "):
            continue
        _, script, *words = shlex.split(line, comments=True)
        text = (ROOT / script).read_text()
        for option in (word for word in words if word.startswith("--")):
            assert f'"{option}"' in text, f"{page.name}: {line}"


@each_page
def test_options_mentioned_on_their_own_belong_to_a_command(page: Page) -> None:
    everywhere = set().union(*KNOWN.values())
    for code in page.inline_code:
        if code.startswith("--"):
            assert {*OPTION.findall(code)} <= everywhere, f"{page.name}: {code}"


@each_page
def test_names_in_kibitz_exist(page: Page) -> None:
    for code in page.inline_code:
        for name in re.findall(r"(?<![\w/.@-])kibitz((?:\.[A-Za-z_]\w*)+)(?![\w/-]|\.\w)", code):
            try:
                reduce(attribute_or_module, name[1:].split("."), kibitz)
            except (AttributeError, ImportError):
                pytest.fail(f"{page.name}: kibitz{name}")


def attribute_or_module(where: Any, name: str) -> Any:
    found = getattr(where, name, None)
    return found if found is not None else importlib.import_module(f"{where.__name__}.{name}")


def test_no_two_commands_start_a_log_in_the_same_folder() -> None:
    """Somebody who types page after page in one folder never meets a log that is there already."""
    lines = [line for page in PAGES for block in page.blocks if block.language == COMMANDS for line in block.commands]
    logs = Counter(re.findall(r"kibitz arena .*--log (\S+)", "\n".join(lines)))
    assert logs and max(logs.values()) == 1, logs


def test_the_table_of_searches_lists_their_options() -> None:
    rows = re.findall(r"^\| `(\w+)` \|.*\|([^|]*)\|$", (ROOT / "docs" / "search.md").read_text(), re.MULTILINE)
    listed = {name: {*re.findall(r"`(\w+)`", options)} for name, options in reversed(rows)}  # the first table counts
    for name in GENERIC:
        game = kibitz.game("mexican_train" if name == "pimc" else "connect_four")
        assert listed[name] == set(options_of(name, game)), name


def test_every_environment_variable_is_documented() -> None:
    used = {
        name for file in (ROOT / "kibitz").rglob("*.py") for name in re.findall(r"\bKIBITZ_[A-Z]+", file.read_text())
    }
    page = (ROOT / "docs" / "python.md").read_text()
    assert used == {*re.findall(r"\bKIBITZ_[A-Z]+", page)}
