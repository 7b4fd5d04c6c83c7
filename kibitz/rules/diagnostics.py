"""Compile errors in a line or two: the game, the method, the file and line, and what is wrong there.

numba reports an error in every function that led to it. The useful one is the innermost, which `Compiled.compile`
keeps; and if the rules also fail on that line in plain Python, Python's own message is better still.
"""

from __future__ import annotations

import dis
import linecache
import os
import re
import traceback
import types as py
from typing import Any

from kibitz.compiler import dispatcher, numbers, plain
from kibitz.compiler.dispatcher import Compiled
from kibitz.compiler.rules_type import RulesType, rules_behind
from kibitz.errors import RulesError
from kibitz.rules.contract import PARAMETERS
from kibitz.rules.engine import Engine
from kibitz.rules.rng import Stream

FLOATS = ("payoff", "evaluate", "score")  # methods whose `out` holds floats

_PLACE = re.compile(r'File "[^"]+", line (\d+)|\bat [^\n]+ \((\d+)\)|Raised from [^\n]+ \((\d+)\)')
_COLOUR = re.compile(r"\x1b\[\d*m")
_UNTYPED = r"Untyped global name '(\w+)': Cannot "
_MAKE_IT = "make it a number, a tuple or a NumPy array"
_SHORTER = (
    (re.compile(r"Record\(\[.*?\], \d+, \w+\)"), "the state"),
    (re.compile(r"\b(\w+)\.(?:local)?[0-9a-f]{24}\([^()]*\)"), r"\1"),
    (re.compile(r"Literal\[\w+\]\(([^()]*)\)"), r"\1"),
    (re.compile(r"\bunicode_type\b"), "str"),
    (
        re.compile(_UNTYPED + r"determine Numba type of <class 'type'>"),
        r"compiled code cannot use the class \1; use self",
    ),
    (
        re.compile(_UNTYPED + r"determine Numba type of <class '([\w.]+)'>"),
        rf"compiled code cannot read the global \1 (\2); {_MAKE_IT}",
    ),
    (
        re.compile(r"The use of a (?:reflected )?(\w+)\(.*type, assigned to variable '(\w+)' in globals.*"),
        rf"compiled code cannot read the global \2 (\1); {_MAKE_IT}",
    ),
    (re.compile(_UNTYPED + "type empty list"), rf"compiled code cannot read the global \1 (an empty list); {_MAKE_IT}"),
)


def explained(path: tuple[Compiled, ...], args: tuple[Any, ...], error: Exception) -> RulesError:
    """Explain why the last function of `path` does not compile. `args` are the argument types of the first."""
    function: py.FunctionType = path[-1].py_func
    kinds = [arg for arg in args if isinstance(arg, RulesType)]
    methods = {f: (kind, name) for kind in kinds for f, name in rules_behind(kind).methods().items()}
    called = [methods[f.py_func] for f in path if f.py_func in methods]
    line, reason = _read(error, function, [rules_behind(kind).sample for kind in kinds])
    in_plain = _plain_error(called)
    if in_plain is not None:
        lines = [at for frame, at in traceback.walk_tb(in_plain.__traceback__) if frame.f_code is function.__code__]
        if lines and line in (None, lines[-1]):
            line, reason = lines[-1], f"{type(in_plain).__name__}: {in_plain}"
    name = f"{called[-1][0].label}.{called[-1][1]}" if called else function.__qualname__.rpartition("<locals>.")[2]
    where = f"in {function.__name__}, " if called and function not in methods else ""
    return RulesError(f"{name}, {where}{_at(function, line)}: {reason}{_source(function, line)}")


def _read(error: Exception, function: py.FunctionType, given: list[Any]) -> tuple[int | None, str]:
    """The line of numba's error and a short reason. `given` are the games that were passed in."""
    text = _COLOUR.sub("", str(error))
    places = [int(next(filter(None, found))) for found in _PLACE.findall(text)]
    line = places[-1] if places else None
    text = text.rpartition("nopython mode pipeline")[2].partition("\n")[2] or text
    lines = [part.strip() for part in text.splitlines()]
    reason = next((part for part in lines if part and not part.startswith(("-", "During", "File"))), text)
    call = next((part.removeprefix(">>> ") for part in lines if part.startswith(">>> ")), None)
    if call and reason.startswith("No implementation of function"):
        reason = f"compiled code does not support {call}"
    name = getattr(error, "name", None) or next(iter(re.findall(r"name '(\w+)' is not defined", text)), None)
    if type(error) is KeyError:  # numba raises it for a record without that field
        name = str(error.args[0])
        fields = next((", ".join(game.dtype.names) for game in given if hasattr(game, "dtype")), "others")
        reason = f"the state has no field '{name}'; its fields are {fields}"
    unknown = re.match(r"Unknown attribute '(\w+)' of type", reason)
    owner = next((game for game in given if unknown and hasattr(game, unknown[1])), None)
    if unknown and owner is not None:
        kind = type(getattr(owner, unknown[1])).__name__
        reason = f"compiled code cannot read {unknown[1]} ({kind}); {_MAKE_IT}"
    if line is None and name:
        line = next((at for at, names in _names_by_line(function) if name in names), None)
    return line, _shorter(reason.partition(". Raised from")[0])


def _plain_error(called: list[tuple[RulesType, str]]) -> Exception | None:
    """The exception that the last contract method in `called` raises in plain Python on the opening position."""
    contract = [(rules_behind(kind).sample, name) for kind, name in called if name in PARAMETERS]
    if not contract:
        return None
    game, method = contract[-1]
    try:
        with plain():
            engine = Engine(game)
            state = engine.start()
            legal = engine.moves(state) if method != "moves" and state.turn >= 0 else [0]
            integers = numbers(max(game.max_moves, game.max_outcomes), "i8")
            floats = numbers(max(game.players, game.max_outcomes), "f8")
            out = floats if method in FLOATS else integers
            values = {"s": state, "out": out, "p": floats, "move": legal[0], "player": 0, "rng": Stream(0).words}
            getattr(game, method)(*(values[name] for name in PARAMETERS[method][1:]))
    except Exception as error:
        return error
    return None


def _shorter(reason: str) -> str:
    for pattern, words in _SHORTER:
        reason = pattern.sub(words, reason)
    return reason.rstrip(" .:")


def _names_by_line(function: py.FunctionType) -> list[tuple[int, set[str]]]:
    found: list[tuple[int, set[str]]] = []
    for instruction in dis.get_instructions(function):
        if instruction.starts_line or not found:
            found.append((instruction.starts_line or function.__code__.co_firstlineno, set()))
        found[-1][1].add(str(instruction.argval))
    return found


def _at(function: py.FunctionType, line: int | None = None) -> str:
    code = function.__code__
    return f"{os.path.basename(code.co_filename)} line {line or code.co_firstlineno}"


def _source(function: py.FunctionType, line: int | None) -> str:
    source = linecache.getline(function.__code__.co_filename, line).strip() if line else ""
    return f"\n    {source}" if source else ""


def install() -> None:
    """Make the compiler, which does not depend on this module, raise these errors."""
    dispatcher.explain_failure = explained
