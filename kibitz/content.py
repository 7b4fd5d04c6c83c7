"""A digest of everything a compiled function is made from.

Two functions have the same digest exactly when compiling them gives the same machine code: bytecode,
constants, defaults, closures and every global they reach, however many modules away. Comments, line
numbers, file names and module names do not count, so that a moved or re-commented file is still a hit.
What cannot be hashed raises Uncachable; the caller then compiles without a cache.
"""

from __future__ import annotations

import dis
import enum
import hashlib
import types
from collections.abc import Iterator
from typing import Any

import numpy as np

# Code from these is identified by name; their versions are part of every cache key.
VERSIONED = {"builtins", "math", "cmath", "operator", "numpy", "numba", "llvmlite"}
SIMPLE = (int, float, complex, str, bytes, bool, type(None), type(Ellipsis))
# What a compiled function may read as an attribute of a game's class.
CONSTANT = (int, float, bool, tuple, np.ndarray, np.generic)


class Uncachable(Exception):
    """Holds something whose content cannot be known."""


def digest(*things: Any) -> str:
    """A short hexadecimal digest of the content of functions, classes and values."""
    content = _Content()
    for thing in things:
        content.add(thing)
    return content.hash.hexdigest()[:24]


def rules_of(cls: type) -> dict[str, Any]:
    """The methods, properties and constants of a class that compiled code can reach, base classes included."""
    found: dict[str, Any] = {}
    for base in reversed(cls.__mro__[:-1]):
        if "never_compiled" in vars(base):
            continue
        for name, value in vars(base).items():
            if name.startswith("__"):
                continue
            if isinstance(value, (types.FunctionType, property, *CONSTANT)):
                found[name] = value
            else:
                found.pop(name, None)
    return found


class _Content:
    def __init__(self) -> None:
        self.hash = hashlib.sha256()
        self.seen: dict[int, int] = {}
        self.keep: list[Any] = []  # keeps what `seen` names by id alive

    def put(self, *words: object) -> None:
        for word in words:
            self.hash.update(repr(word).encode() + b"\0")

    def add(self, thing: Any) -> None:
        thing = _unwrapped(thing)
        if isinstance(thing, SIMPLE):
            self.put(type(thing).__name__, thing)
        elif id(thing) in self.seen:
            self.put("again", self.seen[id(thing)])
        else:
            self.seen[id(thing)] = len(self.seen)
            self.keep.append(thing)
            self._add_new(thing)

    def _add_new(self, thing: Any) -> None:
        rules_digest = getattr(thing, "rules_digest", None)
        if rules_digest is not None:
            self.put("rules", rules_digest)
        elif _is_versioned(thing):
            self.put("named", thing.__module__, getattr(thing, "__qualname__", thing.__name__))
        elif isinstance(thing, types.FunctionType):
            self._add_function(thing)
        elif isinstance(thing, enum.Enum):
            self.put("enum", type(thing).__qualname__, thing.name)
            self.add(thing.value)
        elif isinstance(thing, type):
            self._add_class(thing)
        elif isinstance(thing, np.ndarray):
            if thing.dtype.hasobject:
                raise Uncachable(f"an array of objects: {thing!r}")
            self.put("array", thing.dtype.descr, thing.shape, thing.flags.c_contiguous)
            self.hash.update(np.ascontiguousarray(thing).tobytes())
        elif isinstance(thing, np.generic):
            self.put("scalar", thing.dtype.descr, thing.tobytes())
        elif isinstance(thing, np.dtype):
            self.put("dtype", str(thing), thing.itemsize)
        elif isinstance(thing, tuple | list):
            self.put(type(thing).__qualname__, len(thing))
            for part in thing:
                self.add(part)
        elif isinstance(thing, frozenset | set):
            self.put("set", sorted(map(repr, thing)))
        else:
            raise Uncachable(f"{type(thing).__qualname__} object: {thing!r:.60}")

    def _add_function(self, function: types.FunctionType) -> None:
        self.put("function", function.__name__)
        self._add_code(function.__code__)
        self.add(function.__defaults__)
        for cell in function.__closure__ or ():
            self.add(cell.cell_contents)
        for chain in sorted(set(_global_chains(function.__code__))):
            if chain[0] in function.__globals__:
                self.put("global", chain)
                self._add_reached(function.__globals__[chain[0]], chain[1:])

    def _add_reached(self, value: Any, attributes: tuple[str, ...]) -> None:
        """Follow `module.submodule.table` to the value that the code ends up with."""
        for name in attributes:
            if not isinstance(value, types.ModuleType | type):
                break
            value = getattr(value, name, None)
        if isinstance(value, types.ModuleType):
            raise Uncachable(f"the whole module {value.__name__}")
        self.add(value)

    def _add_code(self, code: types.CodeType) -> None:
        self.put(code.co_code, code.co_names, code.co_varnames, code.co_freevars, code.co_argcount)
        for constant in code.co_consts:
            if isinstance(constant, types.CodeType):
                self._add_code(constant)
            else:
                self.add(constant)

    def _add_class(self, cls: type) -> None:
        self.put("class", cls.__qualname__, getattr(cls, "_fields", None))
        for name, value in sorted(rules_of(cls).items()):
            self.put(name)
            self.add(value)


def _unwrapped(thing: Any) -> Any:
    """The Python function behind a dispatcher, intrinsic, property or static method."""
    if isinstance(thing, property):
        return thing.fget
    if isinstance(thing, staticmethod | classmethod):
        return thing.__func__
    for name in ("py_func", "_defn"):
        function = getattr(thing, name, None)
        if isinstance(function, types.FunctionType):
            return function
    return thing


def _is_versioned(thing: Any) -> bool:
    module = getattr(thing, "__module__", None)
    named = hasattr(thing, "__qualname__") or hasattr(thing, "__name__")
    return named and isinstance(module, str) and module.split(".")[0] in VERSIONED


def _global_chains(code: types.CodeType) -> Iterator[tuple[str, ...]]:
    """Each global the code loads, with the attributes loaded from it at once: ('np', 'int64')."""
    chain: list[str] = []
    for instruction in dis.get_instructions(code):
        if instruction.opname in ("LOAD_ATTR", "LOAD_METHOD") and chain:
            chain.append(instruction.argval)
            continue
        if chain:
            yield tuple(chain)
            chain = []
        if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            chain = [instruction.argval]
    if chain:
        yield tuple(chain)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _global_chains(constant)
