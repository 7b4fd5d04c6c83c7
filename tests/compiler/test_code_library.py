"""Libraries of code: inner functions leave no machine code behind, and are compiled once for all kinds of integers."""

import os
import subprocess
import sys

import numpy as np
import pytest

from kibitz.compiler import compiled
from kibitz.compiler.code_library import InnerLibrary, OuterLibrary
from kibitz.compiler.dispatcher import version_of

pytestmark = pytest.mark.usefixtures("empty_cache")


def double(x):
    return 2 * x


@compiled
def double_of_all_kinds(narrow, wide):
    return double(3) + double(narrow[0]) + double(wide[0])


def refuse(x):
    raise ValueError("not", x)


@compiled
def refuse_twice_as_much(x):
    return refuse(double(x))


def only_overload(function):
    (overload,) = function.overloads.values()
    return overload


def test_only_the_function_that_python_calls_has_machine_code():
    assert double_of_all_kinds(np.array([5], "i1"), np.array([7])) == 30
    inner, outer = only_overload(version_of(double)).library, only_overload(double_of_all_kinds).library
    assert isinstance(inner, InnerLibrary)
    assert isinstance(outer, OuterLibrary) and not isinstance(outer, InnerLibrary)
    assert "define" in inner.get_llvm_str()  # callers can inline it
    assert inner.get_pointer_to_function("anything") == 0


def test_a_function_is_compiled_once_for_constants_and_integers_of_all_widths():
    double_of_all_kinds(np.array([5], "i1"), np.array([7]))
    assert [str(kind) for kind in only_overload(version_of(double)).signature.args] == ["int64"]


def test_an_unsigned_or_floating_argument_keeps_its_type():
    @compiled
    def half(x):
        return double(x) / 4

    assert half(np.uint64(6)) == 3.0
    assert half(0.5) == 0.25
    assert {str(kinds[0]) for kinds in version_of(double).overloads} == {"int64", "uint64", "float64"}


def test_an_exception_of_an_inner_function_keeps_its_arguments():
    """Machine code finds them through an environment of the inner function, which its caller has to set up."""
    with pytest.raises(ValueError, match=r"\('not', 42\)"):
        refuse_twice_as_much(21)


PROGRAM = """
import sys
from kibitz.compiler import compiled, stats

def inner(x):
    if x < 0:
        raise ValueError("below", x)
    return 5 * x

@compiled
def first(x):
    return inner(x) + 1

@compiled
def second(x):
    return inner(x) + 2

print(first(3) if sys.argv[1] == "first" else second(3), stats.loaded)
try:
    second(-4)
except ValueError as error:
    print(error.args)
"""


def test_an_inner_function_is_taken_from_the_cache_by_another_caller(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    environment = {**os.environ, "KIBITZ_CACHE": str(tmp_path / "cache")}

    def run(which):
        command = [sys.executable, program, which]
        return subprocess.run(command, capture_output=True, text=True, env=environment, check=True).stdout.splitlines()

    assert run("first") == ["16 0", "('below', -4)"]
    assert run("second") == ["17 1", "('below', -4)"]  # second itself, by the first run
    (tmp_path / "program.py").write_text(PROGRAM.replace("+ 2", "+ 3"))
    assert run("second") == ["18 1", "('below', -4)"]  # inner
