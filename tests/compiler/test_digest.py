"""Digests: equal if and only if the content is equal, the same in every process, local for unknown content."""

import enum
import os
import subprocess
import sys
import types
from collections import namedtuple

import numba
import numpy as np
import pytest

from kibitz.compiler import compiled
from kibitz.compiler.digest import digest, is_local, rules_of


def defined(source, name="f", **names):
    """The thing called `name` after running some source."""
    exec(source, names)
    return names[name]


def module(**names):
    made = types.ModuleType("tables")
    vars(made).update(names)
    return made


RED = {n: enum.IntEnum("Colour", {"RED": n}) for n in (1, 2)}
POINTS = [namedtuple("Point", "x y"), namedtuple("Point", "y x")]
FACTORY = "def make(a):\n    def f(x):\n        return x + a\n    return f\n"
READ = "def f(x):\n    return x + A\n"

DIFFERENT = {
    "code": (defined("def f(x):\n    return x + 1"), defined("def f(x):\n    return x - 1")),
    "constants": (defined("def f(x):\n    return x + 1"), defined("def f(x):\n    return x + 2")),
    "a constant's type": (defined("def f(x):\n    return x + 1"), defined("def f(x):\n    return x + 1.0")),
    "True and 1": (defined("def f():\n    return 1"), defined("def f():\n    return True")),
    "minus zero": (defined("def f():\n    return 0.0"), defined("def f():\n    return -0.0")),
    "defaults": (defined("def f(x=1):\n    return x"), defined("def f(x=2):\n    return x")),
    "keyword defaults": (defined("def f(*, x=1):\n    return x"), defined("def f(*, x=2):\n    return x")),
    "the order of parameters": (defined("def f(a, b):\n    return a"), defined("def f(b, a):\n    return a")),
    "closures": (defined(FACTORY, "make")(1), defined(FACTORY, "make")(2)),
    "globals": (defined(READ, A=1), defined(READ, A=2)),
    "a global's type": (defined(READ, A=1), defined(READ, A=np.int8(1))),
    "arrays": (defined(READ, A=np.array([1, 2])), defined(READ, A=np.array([1, 3]))),
    "shapes": (defined(READ, A=np.ones((2, 3))), defined(READ, A=np.ones((3, 2)))),
    "dtypes": (defined(READ, A=np.zeros(2, "i4")), defined(READ, A=np.zeros(1, "i8"))),
    "field names": (defined(READ, A=np.zeros(1, [("a", "i8")])), defined(READ, A=np.zeros(1, [("b", "i8")]))),
    "memory layouts": (defined(READ, A=np.ones((2, 2))), defined(READ, A=np.ones((2, 2), order="F"))),
    "enums": (defined(READ, A=RED[1].RED), defined(READ, A=RED[2].RED)),
    "enum classes": (defined(READ, A=RED[1]), defined(READ, A=RED[2])),
    "enum attributes": tuple(defined("def f():\n    return C.RED", C=RED[n]) for n in (1, 2)),
    "named tuples": tuple(defined("def f():\n    return P.x", P=point(1, 2)) for point in POINTS),
    "named tuple classes": tuple(defined("def f():\n    return P(1, 2).x", P=point) for point in POINTS),
    "helpers": tuple(defined("def g():\n    return A\ndef f():\n    return g()", A=n) for n in (1, 2)),
    "compiled helpers": tuple(
        defined("def f():\n    return g()", g=compiled(defined("def f():\n    return A", A=n))) for n in (1, 2)
    ),
    "options of a helper": tuple(
        defined("def f(x):\n    return g(x)", g=numba.njit(fastmath=fast)(defined("def f(x):\n    return x")))
        for fast in (False, True)
    ),
    "modules": tuple(defined("def f():\n    return m.A", m=module(A=n)) for n in (1, 2)),
    "modules of modules": tuple(defined("def f():\n    return m.t.A", m=module(t=module(A=n))) for n in (1, 2)),
    "nested functions": tuple(defined("def f():\n    def g():\n        return A\n    return g()", A=n) for n in (1, 2)),
    "lambdas": tuple(defined("def f():\n    return (lambda: A)()", A=n) for n in (1, 2)),
    "comprehensions": tuple(defined("def f():\n    return [A for _ in range(3)]", A=n) for n in (1, 2)),
    "a builtin shadowed": (
        defined("def f():\n    return min(1, 2)"),
        defined("def f():\n    return min(1, 2)", min=max),
    ),
    "what is caught": (
        defined("def f():\n    try:\n        a()\n        b()\n    except Exception:\n        pass"),
        defined("def f():\n    a()\n    try:\n        b()\n    except Exception:\n        pass"),
    ),
}


@pytest.mark.parametrize("what", DIFFERENT)
def test_a_digest_distinguishes(what):
    one, other = DIFFERENT[what]
    assert digest(one) != digest(other)
    assert not is_local(digest(one)) and not is_local(digest(other))


@pytest.mark.parametrize(
    "source",
    ["# why\ndef f(x):\n\n    return x + A  # because", "def f(x: int) -> int:\n    return x + A", "B = 3\n" + READ],
)
def test_comments_lines_annotations_and_other_globals_do_not_count(source):
    assert digest(defined(source, A=1)) == digest(defined(READ, A=1, __name__="elsewhere"))


def test_decoration_does_not_count():
    function = defined(READ, A=1)
    assert digest(defined("def f():\n    return g()", g=function)) != digest(function)
    static = defined("class C:\n    @staticmethod\n    def f():\n        return 1\n", "C")
    assert digest(vars(static)["f"]) == digest(static.f)


def test_it_does_not_matter_whether_equal_constants_are_one_object():
    """Whether they are depends on how a module was loaded: compiled just now, or read from its .pyc."""
    pair = tuple(range(3)), tuple(range(3))
    assert pair[0] is not pair[1]
    both = "def f():\n    return A, B"
    assert digest(defined(both, A=pair[0], B=pair[0])) == digest(defined(both, A=pair[0], B=pair[1]))


@pytest.mark.parametrize(
    "thing", [{}, [1], {1}, object(), types.ModuleType("m"), np.array([None]), numba.typed.List([1]), range(3)]
)
def test_unknown_content_makes_a_digest_local(thing):
    one, same, other = defined(READ, A=thing), defined(READ, A=thing), defined(READ, A=type(thing).__new__)
    assert is_local(digest(one))
    assert digest(one) == digest(same) != digest(other)


def test_an_empty_cell_makes_a_digest_local():
    early = defined("def make():\n    def f():\n        return late\n    yield f\n    late = 1\n", "make")()
    assert is_local(digest(next(early)))


def test_functions_that_call_each_other_have_a_digest():
    cycle = "def f(x):\n    return g(x)\ndef g(x):\n    return f(x) + {}\n"
    assert digest(defined(cycle.format(1))) == digest(defined(cycle.format(1)))
    assert digest(defined(cycle.format(1))) != digest(defined(cycle.format(2)))


RULES = """
class Base:
    SIZE = 1
    def helper(self):
        return self.SIZE
class Rules(Base):
    def play(self):
        return self.helper()
    def describe(self):
        return PHRASES["won"] + {}
"""


def test_rules_cover_what_is_inherited():
    edited = RULES.replace("SIZE = 1", "SIZE = 2")
    digests = {rules_of(defined(text.format(1), "Rules"), ["play"])[0] for text in (RULES, edited)}
    assert len(digests) == 2


def test_a_method_that_only_python_can_run_does_not_prevent_caching():
    content, covered = rules_of(defined(RULES.format(1), "Rules", PHRASES={}), ["play"])
    assert not is_local(content)
    assert set(covered) == {"play", "helper", "SIZE"}
    assert content == rules_of(defined(RULES.format(2), "Rules", PHRASES={}), ["play"])[0]


def test_everything_reachable_from_the_roots_is_covered_even_if_its_content_is_unknown():
    content, covered = rules_of(defined(RULES.format(1), "Rules", PHRASES={}), ["describe"])
    assert is_local(content)
    assert "describe" in covered


def test_digests_are_the_same_in_every_process():
    source = "from kibitz.games.connect_four.rules import ConnectFour as C; print(C()._numba_type_, hash(C()) and '')"
    runs = {
        subprocess.run(
            [sys.executable, "-c", source],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(runs) == 1
