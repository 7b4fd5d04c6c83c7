"""A digest of everything a compiled function is made from.

Two functions have the same digest only if they compile to the same machine code: it covers bytecode, constants,
defaults, closures and every global they reach, however many modules away. Comments, line numbers, file names and
module names do not count, so moving a file or editing its comments does not invalidate the cache. A function that
reaches something whose content cannot be known has a local digest: unique within this process, and never cached.
"""

from __future__ import annotations

import dis
import enum
import functools
import hashlib
import types
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numba import types as numba_types

# Code from these modules is identified by name; their versions are part of every cache key.
VERSIONED = {"builtins", "math", "cmath", "operator", "_operator", "numpy", "numba", "llvmlite"}
SIMPLE = {int, float, complex, str, bytes, bool, type(None), type(Ellipsis)}
# Types that a compiled function can read as an attribute of a game's class.
CONSTANT = (int, float, bool, tuple, np.ndarray, np.generic)

_LOCAL = "local"
_kept: dict[int, Any] = {}  # objects that local digests identify by id, kept alive so that no id is reused


def digest(*things: Any) -> str:
    """A short digest of the content of functions, classes and values."""
    content = _Content()
    for thing in things:
        content.add(thing)
    return content.digest()


def is_local(text: str) -> bool:
    """Whether a digest, or a name that contains one, is valid in this process only."""
    return _LOCAL in text


def rules_of(cls: type, roots: Iterable[str]) -> tuple[str, dict[str, Any]]:
    """The digest of a class of rules, and the attributes it covers: all that compiled code may read, by name.

    It covers everything reachable from the methods named in `roots` (from all methods if `roots` is empty). Of the
    rest, which perhaps only Python calls, attributes with a local digest are left out, so that they do not prevent the
    rules from being cached.
    """
    attributes = _attributes(cls)
    content = _Content()
    content.put(cls.__name__)
    covered: dict[str, Any] = {}
    content.names.update(roots or attributes)
    while reached := sorted(content.names & (attributes.keys() - covered.keys())):
        for name in reached:
            covered[name] = attributes[name]
            content.put("attribute", name, type(attributes[name]).__name__)
            content.add(attributes[name])
    for name in sorted(attributes.keys() - covered.keys()):
        own = digest(attributes[name])
        if not is_local(own):
            covered[name] = attributes[name]
            content.put("attribute", name, type(attributes[name]).__name__, own)
    return content.digest(), covered


def _attributes(cls: type) -> dict[str, Any]:
    """The methods, properties and constants of a class that compiled code can use, base classes included."""
    found: dict[str, Any] = {}
    python_only: frozenset[str] = getattr(cls, "python_only", frozenset())
    for base in reversed(cls.__mro__[:-1]):
        if "never_compiled" in vars(base):
            continue
        for name, value in vars(base).items():
            if name.startswith("__") or name in python_only:
                continue
            is_function = isinstance(function_of(value), types.FunctionType) and not isinstance(value, classmethod)
            if is_function or isinstance(value, CONSTANT):
                found[name] = value
            else:
                found.pop(name, None)
    return found


class _Content:
    def __init__(self) -> None:
        self.names: set[str] = set()  # every name used by the code added so far: globals, attributes, methods
        self._hash = hashlib.sha256()
        self._is_local = False
        self._seen: dict[int, int] = {}  # functions and classes in the order they were added; breaks cycles

    def digest(self) -> str:
        return (_LOCAL if self._is_local else "") + self._hash.hexdigest()[:24]

    def put(self, *words: object) -> None:
        for word in words:
            self._hash.update(repr(word).encode() + b"\0")

    def add(self, thing: Any) -> None:
        if hasattr(thing, "targetoptions"):  # one of numba's dispatchers
            self.put("options", sorted(map(repr, thing.targetoptions.items())))
        thing = function_of(thing)
        if type(thing) in SIMPLE:
            self.put(type(thing).__name__, thing)
        elif _is_versioned(thing):
            self.put("named", thing.__module__, getattr(thing, "__qualname__", thing.__name__))
        elif isinstance(thing, types.FunctionType | type):
            # Only these can form cycles. Values are never distinguished by identity: whether two equal constants
            # are one object depends on whether a module was compiled just now or read from its .pyc.
            if id(thing) in self._seen:
                self.put("again", self._seen[id(thing)])
            else:
                self._seen[id(thing)] = len(self._seen)
                self._add_class(thing) if isinstance(thing, type) else self._add_function(thing)
        else:
            self._add_value(thing)

    def _add_value(self, value: Any) -> None:
        if isinstance(value, enum.Enum):
            self.put("enum", type(value).__qualname__, value.name)
            self.add(value.value)
        elif type(value) is np.ndarray and not value.dtype.hasobject:
            flags = value.flags
            self.put("array", value.shape, flags.c_contiguous, flags.f_contiguous, flags.writeable, flags.aligned)
            self.add(value.dtype)
            self._hash.update(np.ascontiguousarray(value).tobytes())
        elif isinstance(value, np.generic) and not value.dtype.hasobject:
            self.put("scalar")
            self.add(value.dtype)
            self.put(value.tobytes())
        elif isinstance(value, np.dtype) and not value.hasobject:
            self.put("dtype", str(value), value.itemsize, value.isalignedstruct)
        elif type(value) is tuple or hasattr(value, "_fields"):
            self.put(type(value).__qualname__, getattr(value, "_fields", None), len(value))
            for part in value:
                self.add(part)
        elif type(value) is frozenset and all(type(part) in SIMPLE for part in value):
            self.put("set", sorted((type(part).__name__, repr(part)) for part in value))
        elif isinstance(value, numba_types.Number | numba_types.Boolean | numba_types.NoneType):
            self.put("type", str(value))
        else:
            self._add_unknown(value)

    def _add_unknown(self, thing: Any) -> None:
        self._is_local = True
        _kept[id(thing)] = thing
        self.put("this very", id(thing))

    def _add_function(self, function: types.FunctionType) -> None:
        self.put("function", function.__name__)
        self._add_code(function.__code__)
        self.add(function.__defaults__)
        for name, default in sorted((function.__kwdefaults__ or {}).items()):
            self.put("default", name)
            self.add(default)
        for cell in function.__closure__ or ():
            try:
                self.add(cell.cell_contents)
            except ValueError:  # still empty
                self._add_unknown(cell)
        for chain in _sorted_chains(function.__code__):
            if chain[0] in function.__globals__:
                self.put("global", chain)
                self._add_reached(function.__globals__[chain[0]], chain[1:])

    def _add_reached(self, value: Any, attributes: tuple[str, ...]) -> None:
        """Follow `module.submodule.table` to the value that the code reads."""
        for name in attributes:
            if not isinstance(value, types.ModuleType | type):
                break
            value = getattr(value, name, None)
        self.add(value)

    def _add_code(self, code: types.CodeType) -> None:
        self.names.update(code.co_names)
        self.put(code.co_code, code.co_exceptiontable, code.co_flags)
        self.put(code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount)
        self.put(code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
        for constant in code.co_consts:
            if isinstance(constant, types.CodeType):
                self.put("code", constant.co_name)
                self._add_code(constant)
            else:
                self.add(constant)

    def _add_class(self, cls: type) -> None:
        self.put("class", cls.__qualname__)
        if issubclass(cls, enum.Enum):
            for name, member in cls.__members__.items():
                self.put(name)
                self.add(member.value)
        elif hasattr(cls, "_fields"):  # a named tuple: numba sees only its fields and defaults
            self.put(cls._fields)
            for name, default in sorted(getattr(cls, "_field_defaults", {}).items()):
                self.put(name)
                self.add(default)
        else:
            for name, value in sorted(_attributes(cls).items()):
                self.put(name, type(value).__name__)
                self.add(value)


def function_of(thing: Any) -> Any:
    """The Python function behind a dispatcher, intrinsic, property or static method; anything else unchanged."""
    if isinstance(thing, property):
        return thing.fget
    if isinstance(thing, staticmethod | classmethod):
        return function_of(thing.__func__)
    for name in ("py_func", "_defn"):
        function = getattr(thing, name, None)
        if isinstance(function, types.FunctionType):
            return function
    return thing


def _is_versioned(thing: Any) -> bool:
    module = getattr(thing, "__module__", None)
    named = hasattr(thing, "__qualname__") or hasattr(thing, "__name__")
    return named and isinstance(module, str) and module.split(".")[0] in VERSIONED


@functools.cache
def _sorted_chains(code: types.CodeType) -> tuple[tuple[str, ...], ...]:
    return tuple(sorted(set(_global_chains(code))))


def _global_chains(code: types.CodeType) -> Iterator[tuple[str, ...]]:
    """Each global that the code loads, with the attributes loaded from it directly: ('np', 'int64')."""
    chain: list[str] = []
    for instruction in dis.get_instructions(code):
        if instruction.opname == "EXTENDED_ARG":  # belongs to the instruction that follows
            continue
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
