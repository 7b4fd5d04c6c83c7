"""The source of rules: where something is defined, and which constructs compiled code does not support.

`place_of` finds the line of a method or fact for error messages. `unsupported` lists the constructs of a function that
may keep it from compiling, each with what to write instead; it is asked once compiling has failed. `check_functions`
finds what would compile, but not work: random numbers, clocks and generators.
"""

from __future__ import annotations

import ast
import dis
import inspect
import linecache
import os
import random
import site
import sys
import sysconfig
import traceback
import types as py
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from kibitz.compiler.digest import VERSIONED, function_of
from kibitz.errors import RulesError

_KIBITZ = Path(__file__).parent.parent
_GAMES = _KIBITZ / "games"
_LIBRARIES = [_KIBITZ, Path(sysconfig.get_path("stdlib")), *map(Path, site.getsitepackages())]


class Place(NamedTuple):
    """A line of a file."""

    file: str
    line: int
    within: str = ""  # the function, if it is known

    def __str__(self) -> str:
        return f"{os.path.basename(self.file)} line {self.line}"

    @property
    def text(self) -> str:
        """The source on that line, if it is available."""
        linecache.checkcache(self.file)
        return linecache.getline(self.file, self.line).strip()

    @property
    def quoted(self) -> str:
        """The source on that line as the second line of a message; empty if it is not available."""
        return f"\n    {self.text}" if self.text else ""


# ------------------------------------------------------------------ where things are


def place_of(owner: type, name: str) -> Place | None:
    """Where a class or one of its bases defines a method, property, constant or field."""
    for base in owner.__mro__:
        function = function_of(vars(base).get(name))
        if isinstance(function, py.FunctionType) and function.__name__ != "<lambda>":
            return Place(function.__code__.co_filename, _first_line(function))
        if name in vars(base) or name in vars(base).get("__annotations__", {}):
            return _place_in_class(base, name)
    return None


def place_of_class(owner: type) -> Place | None:
    """Where a class is defined."""
    file = _file_of(owner)
    node = _class_tree(owner, file) if file else None
    return Place(file, node.lineno) if file and node else None


def defined_in(owner: type, name: str = "") -> str:
    """Where a class or one of its attributes is defined, to be put into a sentence; empty if that is not known."""
    place = place_of(owner, name) if name else place_of_class(owner)
    return f", in {place}" if place else ""


def _place_in_class(owner: type, name: str) -> Place | None:
    file = _file_of(owner)
    node = _class_tree(owner, file) if file else None
    for statement in node.body if node else ():
        targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
        if any(isinstance(target, ast.Name) and target.id == name for target in targets):
            return Place(file or "", statement.lineno)
    return None


def _file_of(owner: type) -> str | None:
    functions = (function_of(value) for value in vars(owner).values())
    files = (f.__code__.co_filename for f in functions if isinstance(f, py.FunctionType))
    return next((file for file in files if file != "<string>"), None)  # <string>: written by dataclasses


def _class_tree(owner: type, file: str) -> ast.ClassDef | None:
    lines = [f.__code__.co_firstlineno for f in vars(owner).values() if isinstance(f, py.FunctionType)]
    for node in ast.walk(_tree(file)):
        if isinstance(node, ast.ClassDef) and node.name == owner.__name__:
            last = node.end_lineno or node.lineno
            if any(node.lineno <= line <= last for line in lines) or not lines:
                return node
    return None


def _tree(file: str) -> ast.Module:
    linecache.checkcache(file)
    try:
        return ast.parse("".join(linecache.getlines(file)))
    except SyntaxError:  # the file has changed since it was loaded
        return ast.Module([], [])


def _first_line(function: py.FunctionType) -> int:
    """The line of `def`, not that of a decorator."""
    node = function_tree(function)
    return node.lineno if node else function.__code__.co_firstlineno


def function_tree(function: py.FunctionType) -> ast.FunctionDef | None:
    """A function's syntax tree; None if its source is not available."""
    for node in ast.walk(_tree(function.__code__.co_filename)):
        if isinstance(node, ast.FunctionDef) and node.name == function.__name__:
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            if first == function.__code__.co_firstlineno:
                return node
    return None


def place_of_exception(error: BaseException) -> Place | None:
    """The innermost line of the user's own code that an exception went through."""
    codes = ((frame.f_code, line) for frame, line in traceback.walk_tb(error.__traceback__))
    own = [Place(code.co_filename, line, code.co_qualname) for code, line in codes if _is_own(code.co_filename)]
    return own[-1] if own else None


def _is_own(file: str) -> bool:
    within = Path(file).is_relative_to
    return not file.startswith("<") and (within(_GAMES) or not any(map(within, _LIBRARIES)))


# ------------------------------------------------------------------ constructs


class Construct(NamedTuple):
    """Something in the source that compiled code may not support."""

    first: int  # line
    last: int
    is_common: bool  # so that it is to blame only if nothing else on the line is
    instead: str  # what it is and what to write instead


_STANDARD = sys.stdlib_module_names - VERSIONED - {"enum"}
_LOCATED = ast.stmt | ast.expr | ast.excepthandler | ast.pattern | ast.keyword
_PATTERNS = ast.MatchSequence | ast.MatchMapping | ast.MatchClass | ast.MatchStar
NUMBERS = "rules work with numbers, not with text: give every value a number, such as RED = 0"


def unsupported(function: py.FunctionType) -> list[Construct]:
    """The constructs of a function that compiled code does not support, or only in some cases; the likeliest first."""
    tree = function_tree(function)
    nodes = list(ast.walk(tree)) if tree else []
    changed = {name for node in nodes if isinstance(node, ast.Global) for name in node.names}
    docstring = tree and ast.get_docstring(tree) is not None and tree.body[0].lineno
    found = []
    for node in nodes:
        if isinstance(node, ast.Name) and node.id in changed and isinstance(node.ctx, ast.Store):
            sentence: str | None = f"compiled code cannot change the global {node.id}; put it in a field of the state"
        else:
            sentence = _instead(node)
        if sentence and isinstance(node, _LOCATED) and node.lineno != docstring:
            body = getattr(node, "body", None)  # a compound statement counts with its first lines only
            end = max(node.lineno, body[0].lineno - 1) if isinstance(body, list) else node.end_lineno or node.lineno
            found.append(Construct(node.lineno, end, isinstance(node, ast.keyword | ast.Constant), sentence))
    for line, value in _globals_of(function):
        module = getattr(value, "__module__", None)
        if isinstance(module, str) and module.split(".")[0] in _STANDARD:
            name = getattr(value, "__name__", type(value).__name__)
            found.append(Construct(line, line, False, f"compiled code cannot call {module}.{name}; write a loop"))
    return sorted(found, key=lambda construct: (construct.is_common, construct.first))


def _instead(node: ast.AST) -> str | None:
    match node:
        case ast.Attribute(value=ast.Name(id="self"), ctx=ast.Store()):
            return f"the rules are fixed; put {node.attr}, which changes, in a field of the state"
        case ast.Nonlocal():
            return f"compiled code cannot change a variable of another function; return {', '.join(node.names)} instead"
        case ast.ExceptHandler(type=kind) if kind is not None:
            return f"compiled code cannot catch {ast.unparse(kind)}; test for it beforehand with `if`"
        case ast.Try():
            return "compiled code has no `try`; test beforehand with `if`"
        case ast.With():
            return "compiled code has no `with`; write the statements without it"
        case ast.ClassDef():
            return f"compiled code cannot define the class {node.name}; keep its values in fields of the state"
        case ast.Import() | ast.ImportFrom():
            return "move this import to the top of the file"
        case ast.GeneratorExp():
            return "compiled code has no generator expressions; write a loop"
        case ast.SetComp() | ast.Set():
            return "this set cannot be compiled; use an array of flags, or kibitz.sets"
        case ast.DictComp() | ast.Dict():
            return "this dictionary cannot be compiled; use an array or a tuple indexed by number"
        case ast.ListComp():
            return "this list cannot be compiled; write a loop that fills an array"
        case ast.NamedExpr(target=ast.Name(id=name)):
            return f"compiled code has no `:=` here; assign {name} on a line of its own"
        case ast.Delete():
            return "compiled code has no `del`; use a count of the entries that are valid"
        case ast.Lambda():
            return "this lambda cannot be compiled; write a loop, or a function of the module"
        case ast.Yield() | ast.YieldFrom():
            return "compiled code has no `yield` here; write into an array and return the number of entries"
        case ast.Await() | ast.AsyncFor() | ast.AsyncWith():
            return "rules cannot wait for anything; remove `await`"
        case ast.JoinedStr():
            return NUMBERS
        case ast.Constant(value=str()):
            return NUMBERS
        case ast.Starred():
            return "write out the arguments instead of *; only a tuple can be unpacked in compiled code"
        case ast.keyword(arg=str(name)):
            return f"compiled code cannot pass {name}= here; write a loop, or pass the argument by position"
        case _ if isinstance(node, _PATTERNS):
            return "compiled code can match only single numbers; use `if` and `elif`"
    return None


# ------------------------------------------------------------------ what compiles, but does not work

_RANDOM_MODULES = ("random", "secrets", "numpy.random")
_CLOCK_MODULES = ("time", "datetime")
_RANDOM = random.Random | np.random.RandomState | np.random.Generator
_NO_RANDOMNESS = "rules contain no random numbers; make chance a player: set s.turn = kibitz.CHANCE and define chances"
_NO_CLOCK = "rules must not read a clock; count moves in a field of the state instead"
_NO_GENERATOR = "rules have no generators; write into an array and return the number of entries"


def check_functions(owner: str, methods: Iterable[tuple[str, py.FunctionType]]) -> None:
    """Raise an error if a method, or a function that it calls, draws random numbers, reads a clock or yields."""
    seen: set[py.FunctionType] = set()
    for name, method in methods:
        for function, known in _reached(method, seen):
            if fault := _fault(function, known):
                line, sentence = fault
                where = "" if function is method else f"in {function.__name__}, "
                place = Place(function.__code__.co_filename, line)
                raise RulesError(f"{owner}.{name}, {where}{place}: {sentence}.{place.quoted}")


def _fault(function: py.FunctionType, known: list[tuple[int, Any]]) -> tuple[int, str] | None:
    if inspect.isgeneratorfunction(function):
        return _first_line(function), _NO_GENERATOR
    for line, value in known:
        module = value.__name__ if isinstance(value, py.ModuleType) else getattr(value, "__module__", None)
        if module in _RANDOM_MODULES or isinstance(getattr(value, "__self__", value), _RANDOM):
            return line, _NO_RANDOMNESS
        if module in _CLOCK_MODULES:
            return line, _NO_CLOCK
    return None


def _reached(
    function: py.FunctionType, seen: set[py.FunctionType]
) -> Iterator[tuple[py.FunctionType, list[tuple[int, Any]]]]:
    """A function and the user's functions that it calls by name, except those seen before, each with its globals."""
    seen.add(function)
    known = list(_globals_of(function))
    yield function, known
    for _, value in known:
        called = function_of(value)
        if isinstance(called, py.FunctionType) and called not in seen and not _is_library(called):
            yield from _reached(called, seen)


def _is_library(function: py.FunctionType) -> bool:
    return (function.__module__ or "").split(".")[0] in VERSIONED or function.__module__.startswith("kibitz.")


def _globals_of(function: py.FunctionType) -> Iterator[tuple[int, Any]]:
    """The globals that a function reads, `module.name` followed to its value, each with its line."""
    value: Any = None
    for instruction in dis.get_instructions(function):
        if instruction.opname == "EXTENDED_ARG":  # belongs to the instruction that follows
            continue
        if instruction.opname == "LOAD_GLOBAL":
            value = function.__globals__.get(instruction.argval)
        elif instruction.opname in ("LOAD_ATTR", "LOAD_METHOD") and isinstance(value, py.ModuleType):
            value = getattr(value, instruction.argval, None)
        else:
            value = None
        if value is not None:
            yield line_of(instruction) or function.__code__.co_firstlineno, value


def line_of(instruction: dis.Instruction) -> int | None:
    """The line of an instruction, if it is known."""
    return instruction.positions.lineno if instruction.positions else None


# ------------------------------------------------------------------ files


def sources_of(path: Path) -> list[Path]:
    """A file in Python, and the files in its folder that it imports, directly or indirectly."""
    found = [path]
    for source in found:  # which grows meanwhile
        for name in _imported_modules(source, path.parent):
            parts = name.split(".")
            for depth in range(1, len(parts) + 1):
                module = path.parent.joinpath(*parts[:depth])
                for file in (module.with_name(f"{module.name}.py"), module / "__init__.py"):
                    if file not in found and file.is_file():
                        found.append(file)
    return found


def _imported_modules(source: Path, folder: Path) -> Iterator[str]:
    """The full names of the modules that a file imports, or might: in `from a import b`, `a.b` may be one or not."""
    try:
        tree = ast.parse(source.read_bytes())
    except (SyntaxError, ValueError):  # it cannot be imported
        return
    package = source.parent.relative_to(folder).parts
    names: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) + 1 - node.level] if node.level else ()
            names += [".".join([*base, *filter(None, [node.module]), alias.name]) for alias in node.names]
    yield from (name for name in names if name.partition(".")[0] != "kibitz")  # its version counts
