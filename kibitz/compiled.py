"""How numba is made to compile rules and searches; with rules.py, copying.py and lending.py, the only file that knows.

- `@compiled` makes a function that runs as machine code, or as plain Python inside `plain()`.
- Machine code is cached on disk under a digest of everything it was made from.
- What compiled code writes to is allocated here, in Python, and passed in.

It leans on private interfaces of numba, which is therefore pinned.
"""

from __future__ import annotations

import atexit
import contextlib
import dataclasses
import hashlib
import importlib
import itertools
import os
import pickle
import platform
import secrets
import sys
import threading
import types as py
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar, cast

import llvmlite
import numba
import numpy as np
from numba import literal_unroll, types
from numba.core import bytecode, compiler, errors, registry, sigutils
from numba.core.caching import _Cache
from numba.core.runtime import rtsys
from numba.core.serialize import dumps
from numba.core.typing.typeof import Purpose, typeof_impl

from kibitz import cache, copying, lending  # noqa: F401  (to import copying teaches numba to copy records)
from kibitz.content import VERSIONED, digest, is_local
from kibitz.errors import KibitzError, RulesError
from kibitz.state import Cells, State

F = TypeVar("F", bound=Callable[..., Any])
FILES = "compiled", "copying", "lending", "rules"
# What makes machine code beside the functions themselves: these files, what they stand on, and numba's own switches.
MAKERS = (
    [hashlib.sha256(Path(__file__).with_name(f"{name}.py").read_bytes()).hexdigest() for name in FILES],
    (numba.__version__, llvmlite.__version__, np.__version__, sys.implementation.cache_tag, platform.machine()),
)
SWITCHES = ("BOUNDSCHECK", "OPT", "LOOP_VECTORIZE", "SLP_VECTORIZE", "DEBUGINFO_DEFAULT")


# ------------------------------------------------------------------ plain or compiled


class _Mode:
    plain = os.environ.get("KIBITZ_PLAIN", "0") not in ("", "0") or bool(numba.config.DISABLE_JIT)
    checked = False


def is_plain() -> bool:
    """Whether everything runs interpreted: KIBITZ_PLAIN=1, NUMBA_DISABLE_JIT=1, or inside `plain()`."""
    return _Mode.plain


@contextlib.contextmanager
def plain() -> Iterator[None]:
    """Run rules and searches as plain Python: for debugging, and to check that both agree."""
    before, _Mode.plain = _Mode.plain, True
    try:
        yield
    finally:
        _Mode.plain = before


@contextlib.contextmanager
def bounds_checked() -> Iterator[None]:
    """Run compiled code that raises IndexError where it would otherwise read or write what lies beside an array."""
    before, _Mode.checked = _Mode.checked, not numba.config.BOUNDSCHECK  # with NUMBA_BOUNDSCHECK=1 all code is
    try:
        yield
    finally:
        _Mode.checked = before


def mode() -> str:
    """How rules and searches run now: "plain", "checked" or "compiled"."""
    return "plain" if _Mode.plain else "checked" if _Mode.checked else "compiled"


def records(count: int, dtype: np.dtype) -> Any:
    """An array of zeroed records for compiled code to work on (its plain-Python face in plain mode)."""
    return numbers(count, dtype)


def native(state: State) -> Any:
    """A state as compiled code takes it: the record itself (its plain-Python face in plain mode)."""
    return state if is_plain() else state.record


def numbers(shape: int | tuple[int, ...], kind: Any) -> Any:
    """A zeroed array for compiled code to work on (its plain-Python face in plain mode)."""
    array = np.zeros(shape, kind)
    return Cells(array) if is_plain() else array


# A loop over a tuple whose members differ in type, one copy of its body for each.
unrolled = literal_unroll


# ------------------------------------------------------------------ functions


@dataclasses.dataclass
class Stats:
    """What the compiler did in this process."""

    compiled: int = 0
    loaded: int = 0


stats = Stats()
# Called with a name ("ConnectFour.play", "playouts for ConnectFour") before a function that Python calls has to be
# compiled: once, with all that it calls in turn. Never when the machine code comes from the cache, nor in plain mode.
announce: Callable[[str], None] | None = None


class _Compilation(threading.local):
    """What this thread compiles: the functions, outermost first, and the digests taken since the outermost began."""

    def __init__(self) -> None:
        self.stack: list[Compiled] = []
        self.digests: dict[Any, Any] = {}
        self.failure: tuple[tuple[Compiled, ...], Exception] | None = None  # the innermost, and how it was reached

    def digest(self, thing: Any, take: Callable[[], Any]) -> Any:
        """A digest that stays the same until the outermost function is compiled, so that all its parts agree."""
        if not self.stack:
            return take()
        if thing not in self.digests:
            self.digests[thing] = take()
        return self.digests[thing]


compilation = _Compilation()


class Compiled(registry.CPUDispatcher):
    """A function that runs as machine code, cached by content; its Python original in plain mode."""

    def __init__(self, function: py.FunctionType, checked: bool = False) -> None:
        options = {"nopython": True, "nogil": True} | ({"boundscheck": True} if checked else {})
        super().__init__(function, targetoptions=options, pipeline_class=lending.Pipeline)
        self.checked = checked
        self.contents: set[str] = set()  # digests of the function at the times it was compiled
        self.plain_func: Callable[..., Any] = function  # what plain mode calls
        self._cache = _ContentCache(self)
        self._compiler._get_implementation = self._without_module

    def __call__(self, *args: Any) -> Any:
        if _Mode.plain:
            return self.plain_func(*args)
        return super(Compiled, self.in_mode()).__call__(*args)

    def in_mode(self) -> Compiled:
        """This function, or inside `bounds_checked()` its twin with bounds checks, which calls only such twins."""
        return _COMPILED.get((self.py_func, True)) or version_of(self.py_func) if _Mode.checked else self

    @property
    def _numba_type_(self) -> types.Dispatcher:
        """What other compiled code calls: the version of this function that its globals make now."""
        return types.Dispatcher(version_of(self.py_func))

    def content(self) -> str:
        """The digest of the function as it would be compiled now."""
        return _content(self.py_func)

    def _without_module(self, args: Any, kws: Any) -> py.FunctionType:
        """The function as if defined here: numba imports a function's module to load it, which may be gone by then."""
        original = self.py_func
        named = py.FunctionType(
            original.__code__, original.__globals__, original.__name__, original.__defaults__, original.__closure__
        )
        named.__kwdefaults__ = original.__kwdefaults__
        named.__qualname__ = original.__qualname__
        named.__module__ = __name__
        return named

    @property
    def is_compiling(self) -> bool:
        """Always False: numba's own support for recursion crashes when loaded from a cache, `compile` refuses it."""
        return False

    def compile(self, sig: Any) -> Any:
        args, _ = sigutils.normalize_signature(sig)
        if tuple(args) in self.overloads:
            return super().compile(sig)
        stack = compilation.stack
        if self in stack:
            cycle = " → ".join(_name(f.py_func) for f in [*stack[stack.index(self) :], self])
            raise RulesError(
                f"{cycle} is recursive, which compiled code cannot be; use a loop with a stack of its own."
            )
        stack.append(self)
        try:
            self.contents.add(self.content())
            code = super().compile(sig)
            if compilation.failure and compilation.failure[0][-1] is self:
                compilation.failure = None  # numba tries literal types first: now it found types that do
            return code
        except (KibitzError, errors.ForceLiteralArg):
            raise
        except Exception as error:  # mostly NumbaError, but its depths raise anything
            compilation.failure = compilation.failure or (tuple(stack), error)
            if len(stack) > 1:
                raise
            from kibitz.explain import explained  # which knows this file

            path, innermost = compilation.failure
            raise explained(path, tuple(args), innermost) from error
        finally:
            stack.pop()
            if not stack:
                compilation.digests.clear()
                compilation.failure = None

    def bind(self, *args: Any) -> Callable[..., Any]:
        """The machine code for arguments of these types, without the look-up by type at every call."""
        if is_plain():
            return self.plain_func
        function = self.in_mode()
        signature = tuple(numba.typeof(arg) for arg in args)
        function.compile(signature)
        return cast("Callable[..., Any]", function.overloads[signature].entry_point)


_COMPILED: dict[tuple[py.FunctionType, bool], Compiled] = {}  # by function, and whether with bounds checks


def compiled(function: F) -> F:
    """Compile a function the first time it is called. It may call other functions, compiled or plain."""
    key = cast(py.FunctionType, function), False
    if key not in _COMPILED:
        _COMPILED[key] = Compiled(*key)
    return cast(F, _COMPILED[key])


def version_of(function: py.FunctionType) -> Compiled:
    """A function for other compiled code to call, in the mode of now: made anew when a global it reads has changed."""
    key = function, _Mode.checked
    if key not in _COMPILED or _COMPILED[key].contents - {_content(function)}:
        _COMPILED[key] = Compiled(*key)
    return _COMPILED[key]


def _content(function: py.FunctionType) -> str:
    return cast(str, compilation.digest(function, lambda: digest(function)))


@typeof_impl.register(py.FunctionType)
def _typeof_function(function: py.FunctionType, context: Any) -> Any:
    """Compiled code may call undecorated helpers: they are compiled on the way."""
    outside = (function.__module__ or "").split(".")[0] in VERSIONED
    if context.purpose is not Purpose.constant or outside:
        return None
    return types.Dispatcher(version_of(function))


@typeof_impl.register(registry.CPUDispatcher)
def _typeof_dispatcher(function: registry.CPUDispatcher, context: Any) -> Any:
    """Functions under numba's own `@njit` are compiled like the rest, lest they keep globals that have changed."""
    special = {name for name, value in function.targetoptions.items() if value} - {"nopython", "nogil", "cache"}
    if compilation.stack and not special and not isinstance(function, Compiled):
        return types.Dispatcher(version_of(function.py_func))
    return function._numba_type_


# ------------------------------------------------------------------ cache


class ContentType(types.Type):
    """A numba type made from content: its name means the same in every process."""

    label: str  # for people


class _ContentCache(_Cache):
    """numba's cache interface over `kibitz.cache`, addressed by content."""

    def __init__(self, function: Compiled) -> None:
        self._function = function
        self._key: str | None = None  # of what is being compiled now

    @property
    def cache_path(self) -> str:
        return str(cache.folder())

    def enable(self) -> None:
        pass

    def disable(self) -> None:
        pass

    def flush(self) -> None:
        pass

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        args, result = sigutils.normalize_signature(sig)
        # The key is taken before the function is compiled, not after: it must tell what went in.
        self._key = self._key_for(args, result, target_context.codegen())
        payload = cache.load(self._key) if self._key else None
        if payload is not None:
            # Of what numba sets up to compile, machine code needs only the symbols that these two bring along: its
            # allocator's and the secrets of Python's hashes. The rest takes longer than all of kibitz's own start.
            rtsys.initialize(target_context)
            importlib.import_module("numba.cpython.hashing")
            try:
                found = compiler.CompileResult._rebuild(target_context, *pickle.loads(payload))
            except Exception:  # it names a class that is gone, say: compile again
                found = None
            if found is not None and tuple(found.signature.args) == tuple(args):
                stats.loaded += 1
                return found
        target_context.refresh()
        if announce and len(compilation.stack) <= 1:
            announce(_title(self._function.py_func, args))
        return None

    def save_overload(self, sig: Any, result: Any) -> None:
        if not stats.compiled:
            atexit.register(cache.prune)
        stats.compiled += 1
        # Code with the address of something in this process, such as a global array above 1 MB, is not kept.
        if self._key and not result.library.has_dynamic_globals and not result.lifted:
            cache.save(self._key, dumps(result._reduce()))

    def _key_for(self, args: Any, result: Any, codegen: Any) -> str | None:
        """The name of an entry: all that its machine code follows from. None for what cannot be cached."""
        content = self._function.content()
        spelled = [_spelled(kind) for kind in (*args, result)]
        if is_local(content) or None in spelled:
            return None
        switches = [getattr(numba.config, name) for name in SWITCHES]
        what = MAKERS, content, self._function.checked, spelled, codegen.magic_tuple(), switches
        return hashlib.sha256(repr(what).encode()).hexdigest()[:40]


def _spelled(kind: Any) -> str | None:
    """A type in words that mean the same in every process; None when there are none."""
    if kind is None:
        return ""
    if isinstance(kind, types.BaseTuple):
        of = ""
        if isinstance(kind, types.BaseNamedTuple):  # numba's own spelling names neither its fields nor its module
            of = f"{kind.instance_class.__module__} {digest(kind.instance_class)}"
        parts = [_spelled(part) for part in kind]
        return None if None in parts else f"{kind.__class__.__name__} {of} ({', '.join(map(str, parts))})"
    if isinstance(kind, types.Dispatcher):
        content = digest(kind.dispatcher)
        return None if is_local(content) else content
    plain_kinds = types.Number | types.Boolean | types.NoneType | types.UnicodeType | types.Array | types.Record
    if isinstance(kind, plain_kinds | types.Literal | types.Optional | ContentType) and not is_local(str(kind)):
        return str(kind)
    return None


def _name(function: py.FunctionType) -> str:
    return function.__qualname__.rpartition("<locals>.")[2]


def _title(function: py.FunctionType, args: Any) -> str:
    """What is being compiled, in words for people."""
    name = _name(function)
    games = {arg.label for arg in args if isinstance(arg, ContentType)} - {name.partition(".")[0]}
    return f"{name} for {', '.join(sorted(games))}" if games else name


def _number_functions() -> None:
    """Start numba's numbers for functions, which symbols are made of, where no other process will.

    numba counts from 1 in every process. Machine code of two processes, loaded from the cache into a third,
    would then hold different functions under one symbol, and the linker would mix them up.
    """
    bytecode.FunctionIdentity._unique_ids = itertools.count(secrets.randbits(62))


_number_functions()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_number_functions)
