"""Compilation: games identified by content, code that follows redefinitions, errors that name the line, both modes."""

import enum
import json
import os
import pickle
import subprocess
import sys
import textwrap
import threading
from typing import NamedTuple

import numpy as np
import pytest
from toys import Nim

import kibitz
from kibitz import notices
from kibitz.compiler import compiled, is_plain, numbers, stats
from kibitz.compiler.rules_type import bind_method
from kibitz.errors import RulesError
from kibitz.notices import Notice
from kibitz.rules.engine import Engine

CELL = """
import kibitz
from kibitz.rules.contract import OVER

@kibitz.game
class Toy:
    size: int = 3
    players = 1
    actions = max_moves = max_plies = 1

    def fields(self):
        return [("left", "i1"), ("board", "i1", 4), ("turn", "i1")]

    def start(self, s):
        s.left = self.size

    def moves(self, s, out):
        out[0] = 0
        return 1

    def play(self, s, move):
        s.turn = OVER

    def payoff(self, s, out):
        out[0] = 1.0

    def key(self, s):
        return s.left
"""
KEY = "        return s.left\n"


def notebook(key="        return s.left\n", before=""):
    """The namespace of a notebook that defines the toy, with this body of `key`."""
    names = {"__name__": "__main__"}
    exec(before + CELL.replace(KEY, textwrap.indent(textwrap.dedent(key), " " * 8)), names)
    return names


def key(game):
    state = Engine(game).start()
    s = state if is_plain() else state.record
    return bind_method(game, "key", s)(game, s)


def key_from(game, function):
    """The key, computed by a compiled function that receives the game."""
    return function(game, Engine(game).start().record)


@compiled
def ask(game, s):
    return game.key(s)


# ------------------------------------------------------------------ which rules run


def test_a_redefined_class_runs_its_new_rules():
    first, second = notebook("return 1"), notebook("return 2")
    assert [key_from(n["Toy"](), ask) for n in (first, second, first)] == [1, 2, 1]


REDEFINITIONS = {
    "a global": ("return BASE", "BASE = 1\n", "BASE = 2"),
    "a helper": ("return base()", "def base():\n    return 1\n", "def base():\n    return 2\n"),
    "a helper's global": ("return base()", "BASE = 1\ndef base():\n    return BASE\n", "BASE = 2"),
    "a compiled helper's global": (
        "return base()",
        "from kibitz import compiled\nBASE = 1\n@compiled\ndef base():\n    return BASE\n",
        "BASE = 2",
    ),
    "the global of a helper under numba's own decorator": (
        "return base()",
        "from numba import njit\nBASE = 1\n@njit\ndef base():\n    return BASE\n",
        "BASE = 2",
    ),
    "an array's cell": ("return BASE[0]", "import numpy as np\nBASE = np.array([1])\n", "BASE[0] = 2"),
    "a method": ("return 1", "", "def key(self, s):\n    return 2\nToy.key = key"),
    "a constant of the class": ("return self.BASE", "", "Toy.BASE = 2"),
}


@pytest.mark.parametrize("what", REDEFINITIONS)
def test_a_new_game_uses_redefined_helpers_and_an_old_one_stays_unchanged(what):
    body, before, change = REDEFINITIONS[what]
    names = notebook(body, before)
    names["Toy"].BASE = 1
    old = names["Toy"]()
    assert [key(old), key_from(old, ask)] == [1, 1]
    exec(change, names)
    new = names["Toy"]()
    assert [key(new), key_from(new, ask)] == [2, 2]
    assert key_from(old, ask) == 1
    assert old != new


def test_an_old_game_is_not_compiled_with_new_rules():
    names = notebook("return BASE", "BASE = 1\n")
    old = names["Toy"]()
    old._numba_type_  # noqa: B018
    names["BASE"] = 2
    with pytest.raises(RulesError, match="The rules of Toy have changed since this game was created; create it again"):
        key(old)


def test_a_mistake_in_a_helper_can_be_fixed():
    names = notebook("return base(s.left)", "def base(x):\n    return x + BASE\n")
    with pytest.raises(RulesError, match="name 'BASE' is not defined"):
        key(names["Toy"]())
    names["BASE"] = 4
    assert key(names["Toy"]()) == 7


def test_code_compiled_after_a_change_is_cached_under_its_new_content(tmp_path, monkeypatch):
    """A function compiled for one type before a global changed, and for another type afterwards, has two keys."""
    monkeypatch.setenv("KIBITZ_CACHE", str(tmp_path))
    source = "BASE = 1\ndef base(x):\n    return x + BASE\ndef top(x):\n    return base(x)\n"
    names = {}
    exec(source, names)
    top = compiled(names["top"])
    assert top(1) == 2
    names["BASE"] = 2
    assert top(1.0) == 3.0
    fresh = {}
    exec(source, fresh)
    loaded = stats.loaded
    assert [compiled(fresh["top"])(1), compiled(fresh["top"])(1.0)] == [2, 2.0]
    assert stats.loaded == loaded + 1  # the integer code; that for floats was made with BASE = 2


def test_games_are_equal_by_content_only():
    one, same, other = (notebook(body)["Toy"] for body in ("return 1", "return 1", "return 2"))
    assert one() == same()
    assert hash(one()) == hash(same())
    assert one() != other()
    assert hash(one()) != hash(other())
    assert one() != one(size=4)


def test_a_game_is_pickled_without_what_was_compiled_for_it():
    game = Nim(heap=5)
    kibitz.Table(game).play(0)
    assert game.bound
    copy = pickle.loads(pickle.dumps(game))
    assert copy == game
    assert copy.heap == 5
    assert "bound" not in vars(copy)


# ------------------------------------------------------------------ what rules may reach


class Colour(enum.IntEnum):
    RED = 10
    BLUE = 20


class Point(NamedTuple):
    x: int
    y: int


TABLES = "import numpy as np\nfrom math import *\nfrom test_dispatcher import Colour, Point\n"
REACHABLE = {
    "an inherited method and constant": ("return self.double(self.BASE)", 14),
    "a property": ("return self.triple", 9),
    "a static method": ("return self.half(8)", 4),
    "an int enum": ("return Colour.BLUE + 1", 21),
    "a named tuple": ("return POINT.y", 2),
    "a star import": ("return floor(2.5)", 2),
    "a lambda": ("return (lambda x: x + 1)(s.left)", 4),
    "a nested function": ("def inner(x):\n    return x + BASE\nreturn inner(s.left)", 103),
    "a default": ("return scaled(2)", 20),
    "a closure": ("return closing(2)", 102),
    "a module as a value": ("module = np\nreturn int(module.floor(2.5))", 2),
    "a big array": ("return BIG[7]", 7),
}
BEFORE = TABLES + textwrap.dedent("""
    BASE = 100
    POINT = Point(1, 2)
    BIG = np.arange(200_000)

    def scaled(x, by=10):
        return x * by

    def make(base):
        return lambda x: x + base

    closing = make(100)

    class Parent:
        BASE = 7

        def double(self, x):
            return 2 * x

        @property
        def triple(self):
            return 3 * self.size

        @staticmethod
        def half(x):
            return x // 2
""")


@pytest.mark.parametrize("what", REACHABLE)
def test_rules_may_reach(what):
    body, answer = REACHABLE[what]
    names = {"__name__": "__main__"}
    body = textwrap.indent(body, " " * 8) + "\n"
    exec(BEFORE + CELL.replace(KEY, body).replace("class Toy:", "class Toy(Parent):"), names)
    game = names["Toy"]()
    assert key(game) == answer
    with kibitz.plain():
        assert game.key(Engine(game).start()) == answer


@pytest.mark.parametrize(
    "body", ["return BIG[7]", "return int(MODULE.floor(7.5))", "module = np\nreturn int(module.floor(7.5))"]
)
def test_code_that_refers_to_this_process_works_but_is_not_cached(body, tmp_path, monkeypatch):
    monkeypatch.setenv("KIBITZ_CACHE", str(tmp_path))
    before = "import numpy as np\nBIG = np.arange(200_000)\nMODULE = np\n"
    names = notebook(body, before)
    saved = len(list(tmp_path.glob("*/*")))
    assert key(names["Toy"]()) == 7
    assert key_from(names["Toy"](), ask) == 7
    kept = len(list(tmp_path.glob("*/*"))) - saved
    assert kept == {"return BIG[7]": 1, "return int(MODULE.floor(7.5))": 3}.get(body, 0)


# ------------------------------------------------------------------ mistakes

MISTAKES = {
    "an unknown field": ("s.lift = 1", "the state has no field 'lift'; its fields are left, board, turn"),
    "a field read that is not there": ("return s.lift", "the state has no field 'lift'"),
    "a type confused": ("s.left = 'three'", "'left' holds integers, not 'three'"),
    "an unknown global": ("return TABEL", "name 'TABEL' is not defined"),
    "a dict": ("return TABLE.get(3)", r"cannot read the global TABLE \(dict\); make it a number, a tuple or a NumPy"),
    "a list": ("return ROWS[0]", r"cannot read the global ROWS \(list\); make it a number, a tuple or a NumPy"),
    "a list of the class": ("return self.NAMES[0]", r"cannot read NAMES \(list\)"),
    "an unknown method": ("return self.kye(s)", "no attribute 'kye'"),
    "an unknown method of a value": ("return f'{s.left}'.shout()", "str has no attribute 'shout'"),
    "something numba does not know": ("return [3, 1].sort(key=len)", "object of type 'int' has no len"),
    "something only Python knows": ("return int('12'.title())", r"int\(str\)|title"),
    "its own class": ("return Toy.actions", "cannot use the class Toy; use self"),
    "too few arguments": ("return self.moves(s)", "missing 1 required positional argument: 'out'"),
}
TABLE = "TABLE = {1: 2}\nROWS = [1, 2]\n"


def mistaken(body):
    source = TABLE + CELL.replace(KEY, textwrap.indent(body, " " * 8) + "\n").replace(
        "    size: int = 3\n", "    size: int = 3\n    NAMES = ['a']\n"
    )
    line = next(i for i, text in enumerate(source.splitlines(), 1) if text.strip() == body)
    return source, line


@pytest.mark.parametrize("what", MISTAKES)
def test_a_mistake_is_reported_with_game_method_and_line(what, tmp_path):
    body, reason = MISTAKES[what]
    source, line = mistaken(body)
    (tmp_path / "mistaken.py").write_text(source)
    game = kibitz.game(f"{tmp_path}/mistaken.py:Toy")
    with pytest.raises(RulesError, match=rf"^Toy\.key, mistaken\.py line {line}: .*{reason}") as raised:
        key_from(game, ask)
    message = str(raised.value)
    assert message.endswith(f"\n    {body}")
    assert message.count("\n") == 1


def test_a_mistake_in_a_notebook_is_reported_with_its_line():
    source, line = mistaken("return s.lift")
    names = {"__name__": "__main__"}
    exec(compile(source, "<cell 3>", "exec"), names)
    with pytest.raises(RulesError, match=rf"^Toy\.key, <cell 3> line {line}: .*no field 'lift'"):
        key(names["Toy"]())


def test_a_mistake_two_helpers_down_is_reported_with_the_line_of_the_helper(tmp_path):
    (tmp_path / "deep_helpers.py").write_text(
        "def deep(s):\n    return s.lift\n\n\ndef middle(s):\n    return deep(s)\n"
    )
    source = "import deep_helpers\n" + CELL.replace("return s.left\n", "return deep_helpers.middle(s)\n")
    (tmp_path / "helped.py").write_text(source)
    with pytest.raises(RulesError, match=r"^Toy\.key, in deep, deep_helpers\.py line 2: .*no field 'lift'"):
        key_from(kibitz.game(f"{tmp_path}/helped.py:Toy"), ask)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("return", "must return an integer, but returns nothing"),
        ("return s.left / 2", "must return an integer, but returns float64"),
        ("if s.left > 2:\n    return 1", "must return an integer, but returns nothing on one of its paths"),
    ],
)
def test_a_method_that_returns_the_wrong_type_is_refused(body, reason):
    names = notebook(body)
    for get in (key, lambda game: key_from(game, ask)):
        with pytest.raises(RulesError, match=rf"^Toy\.key, <string> line 27: {reason}"):
            get(names["Toy"]())


@pytest.mark.parametrize(
    ("body", "before", "cycle"),
    [
        ("return self.key(s)", "", "Toy.key → Toy.key"),
        ("return up(s.left)", "def up(x):\n    return up(x - 1) if x else 0\n", "up → up"),
        (
            "return ping(s.left)",
            "def ping(x):\n    return pong(x)\ndef pong(x):\n    return ping(x)\n",
            "ping → pong → ping",
        ),
        ("return via(self, s)", "def via(game, s):\n    return game.key(s)\n", "Toy.key → via → Toy.key"),
    ],
)
def test_recursion_is_refused_with_a_sentence(body, before, cycle):
    with pytest.raises(RulesError, match=f"^{cycle} is recursive, which compiled code .*; use a loop .* line \\d+"):
        key(notebook(body, before)["Toy"]())


def test_a_mistake_in_a_compiled_function_is_reported_with_its_line():
    @compiled
    def wrong(x):
        return x.nothing

    with pytest.raises(RulesError, match=r"^wrong, test_dispatcher\.py line \d+: .*nothing.*\n    return x\.nothing$"):
        wrong(3)


def test_a_field_of_the_class_that_is_text_is_refused():
    with pytest.raises(RulesError, match=r"Toy\.size needs a default that is an int, a float or a bool"):
        exec(CELL.replace("size: int = 3", "size: str = 'big'"), {})


# ------------------------------------------------------------------ announcements, threads, modes


def test_a_function_called_from_python_is_announced_once_before_it_is_compiled(tmp_path, monkeypatch):
    monkeypatch.setenv("KIBITZ_CACHE", str(tmp_path))
    said = []
    monkeypatch.setattr(notices, "listener", lambda *notice: said.append((*notice, stats.compiled)))
    names = notebook("return base(s.left)", "def base(x):\n    return x + 4_321\n")
    before = stats.compiled
    key_from(names["Toy"](), ask)
    assert said == [
        (Notice.COMPILING, "Toy.start", before),
        (Notice.COMPILED, "", before + 1),
        (Notice.COMPILING, "ask for Toy", before + 1),
        (Notice.COMPILED, "", before + 4),
    ]
    assert stats.compiled == before + 4  # start, ask, key, base
    key_from(names["Toy"](), compiled(lambda game, s: game.key(s)))
    assert said[4][:2] == (Notice.COMPILING, "<lambda> for Toy")


def test_code_loaded_from_the_cache_is_not_announced(monkeypatch):
    key(notebook("return 77")["Toy"]())
    said = []
    monkeypatch.setattr(notices, "listener", lambda notice, name: said.append(notice))
    key(notebook("return 77")["Toy"]())
    assert set(said) == {Notice.COMPILED}


def test_threads_can_compile_at_the_same_time():
    cells = [notebook(f"return base() + {n}", f"def base():\n    return {100 * n}\n") for n in range(4)]
    found = {}

    def run(n):
        found[n] = key_from(cells[n]["Toy"](), ask)

    threads = [threading.Thread(target=run, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {n: 101 * n for n in range(4)}


def test_inside_plain_nothing_is_compiled():
    before = stats.compiled, stats.loaded
    with kibitz.plain():
        assert key(notebook("return 4321 + s.left")["Toy"]()) == 4324
    assert (stats.compiled, stats.loaded) == before


GAMES = """
import json, kibitz
from kibitz.compiler import stats

def record(seed):
    table = kibitz.Table("connect_four", seed=seed)
    bots = [kibitz.bot("random", table.game) for _ in range(2)]
    while not table.over:
        table.play(bots[table.turn].choose(table.view(table.turn)))
    return [table.record().moves, table.payoff()]

print(json.dumps([[record(seed) for seed in range(5)], stats.compiled + stats.loaded > 0]))
"""


def test_both_switches_run_everything_interpreted_and_give_the_same_games():
    def run(**switches):
        command = [sys.executable, "-c", GAMES]
        done = subprocess.run(command, env={**os.environ, **switches}, capture_output=True, text=True, check=True)
        return json.loads(done.stdout)

    games, used_machine_code = run()
    assert used_machine_code
    assert run(KIBITZ_PLAIN="1") == [games, False]
    assert run(NUMBA_DISABLE_JIT="1") == [games, False]


def test_numbers_are_arrays_for_compiled_code_and_cells_for_plain():
    assert type(numbers(3, "i8")) is np.ndarray
    with kibitz.plain():
        cells = numbers((2, 2), "i1")
        with pytest.raises(OverflowError):
            cells[0, 0] = 200
