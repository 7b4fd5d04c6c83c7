"""Every likely mistake, in rules or on the command line, gets a message that says where it is and what to do."""

import ast
import re
import textwrap
from pathlib import Path

import pytest
from mistakes_in_commands import COMMANDS
from mistakes_in_rules import COMPILED, RULES, Mistake
from processes import apart_from_waiting
from typer.main import get_command

import kibitz
from kibitz.cli.app import app
from kibitz.rules.contract import PARAMETERS

TINY = Path(__file__).with_name("tiny.py").read_text()
MARK = "# <-"
INSIDE = re.compile(
    r"numba|nopython|typingerror|untyped|unicode_type|reflected|jit|llvm|lowering|dispatcher|traceback", re.IGNORECASE
)


def source_of(mistake):
    """The text of tiny.py with a mistake, and the number of the line to blame."""
    text = TINY.replace(*mistake.replace, 1)
    assert (text != TINY) == (mistake.replace[0] != mistake.replace[1])
    if mistake.body:
        lines = text.splitlines(keepends=True)
        classes = (node for node in ast.parse(text).body if isinstance(node, ast.ClassDef))
        owner = next(node for node in classes if node.name == mistake.cls)
        method = next(node for node in owner.body if getattr(node, "name", "") == mistake.method)
        lines[method.body[0].lineno - 1 : method.end_lineno] = textwrap.indent(mistake.body, 8 * " ") + "\n"
        text = "".join(lines)
    if mistake.before:
        text = text.replace("@kibitz.game", f"{mistake.before}\n\n\n@kibitz.game", 1)
    marks = (MARK, f"def {mistake.method.removeprefix('board.')}(", f"class {mistake.cls}")
    mark = next(mark for mark in marks if mark in text)
    return text, text[: text.index(mark)].count("\n") + 1


def assert_is_message(outcome, *words):
    """A command failed with one message, which contains all the words and none that only the compiler understands."""
    message = apart_from_waiting(outcome.err)
    assert outcome.code == 2
    assert message.startswith("kibitz: ")
    assert message.count("\n") <= 4, "a sentence, the source, the position and the moves"
    for word in words:
        assert word in message
    assert not INSIDE.search(message), message


def write(mistake, folder):
    text, line = source_of(mistake)
    path = folder / "mistaken.py"
    path.write_text(text)
    return f"{path}:{mistake.cls}", () if mistake.is_lineless else (f"mistaken.py line {line}",)


@pytest.mark.parametrize("mistake", RULES + COMPILED, ids=str)
def test_kibitz_check_finds_a_mistake(mistake, run, tmp_path):
    spec, place = write(mistake, tmp_path)
    assert_is_message(
        run(*mistake.command.split()[:1], spec, *mistake.command.split()[1:]), mistake.method, *place, mistake.says
    )


@pytest.mark.parametrize("mistake", [m for m in RULES + COMPILED if m.at_the_table], ids=str)
def test_a_mistake_is_explained_to_those_who_just_play(mistake, run, tmp_path):
    spec, place = write(mistake, tmp_path)
    assert_is_message(run("watch", spec, "random", "random"), mistake.method, *place, mistake.says)


def test_a_table_in_python_says_the_same(tmp_path):
    spec, place = write(Mistake("", "start", "", "s.deelt = 1  # <-"), tmp_path)
    with pytest.raises(kibitz.RulesError, match=f"Tiny.start, {place[0]}: the state has no field 'deelt'"):
        kibitz.Table(spec)


def test_an_exception_of_the_rules_is_not_blamed_on_the_bot_that_searches(run, tmp_path):
    mistake = Mistake("", "evaluate", "", "out[0] = 1 / (s.dealt - 2)")
    spec, _ = write(mistake, tmp_path)
    with kibitz.plain():
        outcome = run("watch", spec, "greedy", "greedy")
    assert_is_message(outcome, "The rules of", "ZeroDivisionError", f"run `kibitz check {spec}` to find the line")


@pytest.mark.parametrize("mistake", COMMANDS, ids=" ".join)
def test_a_mistake_on_the_command_line_is_explained(mistake, run):
    command, says = mistake
    assert_is_message(run(command), says)


def test_every_method_fact_and_command_has_two_mistakes():
    blamed = [mistake.method for mistake in RULES + COMPILED]
    facts = ("players", "actions", "max_moves", "max_plies", "max_outcomes")
    for name in (*PARAMETERS, "__post_init__", "runtime", "board.name"):
        assert blamed.count(name) >= 2, name
    named = " ".join(mistake.title for mistake in RULES)
    for fact in facts:
        assert named.count(fact) >= 2, fact
    commands = [command.split()[0] for command, _ in COMMANDS]
    for command in get_command(app).commands:
        assert commands.count(command) >= 2, command
