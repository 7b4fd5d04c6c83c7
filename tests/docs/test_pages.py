"""Every code block of README.md and docs/ runs as it is printed, and prints what the page says."""

import contextlib
import difflib
import io
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import pytest
from doc_pages import COMMANDS, OUTPUT, PAGES, PYTHON, ROOT, Block, Page, matches

from kibitz.cli import main

SOAK = bool(os.environ.get("KIBITZ_SOAK"))  # set by `make soak`
LONG = set() if SOAK else {"camelup", "learn", "mexican_train", "rl", "separo", "ur"}  # those that compile most
LEAVE = "quit\n" * 3  # what is typed where a command asks


@dataclass
class Reader:
    """Somebody who reads a page in an empty folder beside examples/ and types everything on it."""

    page: Page
    module: ModuleType = field(default_factory=lambda: ModuleType("page"))
    output: str = ""  # of the last block

    def read(self, block: Block) -> None:
        if block.excerpt:
            self._compare_with_file(block)
        elif block.untested or (block.soak and not SOAK):
            return
        elif block.language == OUTPUT:
            self._compare_with_output(block)
        else:
            run = {COMMANDS: self._type_commands, PYTHON: self._run_python}[block.language]
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                run(block)
            self.output = printed.getvalue()

    def _type_commands(self, block: Block) -> None:
        for line in block.commands:
            if line.startswith("kibitz "):
                self._type_kibitz(block, line)
            else:
                print(subprocess.run(line, shell=True, check=True, stdout=subprocess.PIPE, text=True).stdout)

    def _type_kibitz(self, block: Block, line: str) -> None:
        sys.stdin = io.StringIO(LEAVE)
        errors = io.StringIO()
        with contextlib.redirect_stderr(errors), pytest.raises(SystemExit) as end:
            main(shlex.split(line, comments=True)[1:])
        assert not end.value.code, f"{self._place(block)}: {line}\n{errors.getvalue()}"

    def _run_python(self, block: Block) -> None:
        # Line numbers and file are those of the page, so that a traceback shows its lines.
        code = compile("\n" * (block.line - 1) + block.text, self.page.path, "exec")
        exec(code, self.module.__dict__)

    def _compare_with_output(self, block: Block) -> None:
        if not matches(block.text, self.output):
            difference = difflib.unified_diff(block.text.splitlines(), self.output.splitlines(), "page", "output", n=99)
            pytest.fail(f"{self._place(block)}:\n" + "\n".join(line.rstrip() for line in difference))

    def _compare_with_file(self, block: Block) -> None:
        text = (ROOT / block.excerpt).read_text(encoding="utf-8")
        for part in re.split(r"^ *\.\.\.\n", block.text, flags=re.MULTILINE):
            assert part.strip("\n") in text, f"{self._place(block)} is not in {block.excerpt}:\n{part}"

    def _place(self, block: Block) -> str:
        return f"{self.page.name}, line {block.line}"


@pytest.fixture
def type_page(tmp_path: Any, monkeypatch: Any) -> Callable[[Page], None]:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.StringIO())

    def type_page(page: Page) -> None:
        reader = Reader(page)
        monkeypatch.setitem(sys.modules, reader.module.__name__, reader.module)
        for block in page.blocks:
            reader.read(block)

    return type_page


@pytest.mark.slow
@pytest.mark.parametrize(
    "page", [page for page in PAGES if page.path.stem not in LONG], ids=lambda page: page.path.stem
)
def test_a_page_can_be_typed_as_it_is(page: Page, type_page: Any) -> None:
    type_page(page)


@pytest.mark.skipif(not SOAK, reason="every page once more: see make soak")
def test_all_pages_can_be_typed_one_after_another_in_one_folder(type_page: Any) -> None:
    for page in PAGES:
        type_page(page)


@pytest.mark.parametrize(
    ("expected", "output"),
    [
        ("one\n…\nthree", "one\ntwo\nand a half\nthree\n"),
        ("one\n…\nthree", "one\nthree\n"),
        ("took 0.5 s.", "took 12 s.  \n"),
        ("1 of … games", "1 of 300 games\n"),
    ],
)
def test_an_output_may_vary_where_the_page_says_so(expected: str, output: str) -> None:
    assert matches(expected, output)


@pytest.mark.parametrize(
    ("expected", "output"), [("one", "two"), ("one\n…", "zero\none\n"), ("one", "one\ntwo\n"), ("0.5 s", "0.5 games\n")]
)
def test_other_outputs_do_not_match(expected: str, output: str) -> None:
    assert not matches(expected, output)
