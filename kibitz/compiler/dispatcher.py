"""`@compiled`: a function that runs as machine code, cached on disk by content, or as plain Python inside `plain()`.

A function is compiled for each combination of argument types it is called with, together with everything it calls.
Its machine code is cached under a digest of everything it was made from (digest.py).
"""

from __future__ import annotations

import atexit
import dataclasses
import hashlib
import importlib
import itertools
import os
import pickle
import platform
import secrets
import sys
import time
import types as py
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import llvmlite
import numba
import numpy as np
from numba import types
from numba.core import bytecode, compiler, errors, registry, sigutils
from numba.core.caching import _Cache
from numba.core.runtime import rtsys
from numba.core.serialize import dumps
from numba.core.typing.typeof import Purpose, typeof_impl

from kibitz import notices
from kibitz.compiler import disk_cache, record_copies, reference_counts
from kibitz.compiler.code_library import rebuilt_inner
from kibitz.compiler.compilation import compilation
from kibitz.compiler.digest import VERSIONED, digest, is_local
from kibitz.compiler.modes import ModeFlags, is_plain
from kibitz.errors import KibitzError, NotCompiled, RulesError

F = TypeVar("F", bound=Callable[..., Any])
FILES = "code_library", "compilation", "dispatcher", "modes", "record_copies", "reference_counts", "rules_type"
# Machine code also depends on these files, on the versions of the libraries below, and on numba's own switches.
MAKERS = (
    [hashlib.sha256(Path(__file__).with_name(f"{name}.py").read_bytes()).hexdigest() for name in FILES],
    (numba.__version__, llvmlite.__version__, np.__version__, sys.implementation.cache_tag, platform.machine()),
)
SWITCHES = ("BOUNDSCHECK", "OPT", "LOOP_VECTORIZE", "SLP_VECTORIZE", "DEBUGINFO_DEFAULT")


# ------------------------------------------------------------------ functions


@dataclasses.dataclass
class Stats:
    """What the compiler did in this process."""

    compiled: int = 0
    loaded: int = 0


stats = Stats()
# Turns a compile error into the exception to raise, given the functions being compiled, outermost first, the argument
# types of the first one, and numba's exception. Set by kibitz/rules/diagnostics.py; None: raise numba's exception.
explain_failure: Callable[[tuple[Any, ...], tuple[Any, ...], Exception], Exception] | None = None


class Compiled(registry.CPUDispatcher):
    """A function that runs as machine code, cached by content; in plain mode, the original Python function runs.

    If `inner`, only compiled code can call it: without the wrapper for calls from Python, it compiles faster.
    Where the version that Python calls is compiled already, compiled code calls that one.
    """

    def __init__(self, function: py.FunctionType, checked: bool = False, inner: bool = False) -> None:
        options: dict[str, Any] = {"nopython": True, "nogil": True, "no_cfunc_wrapper": True}
        if checked:
            options["boundscheck"] = True
        if inner:
            options["no_cpython_wrapper"] = True
        super().__init__(function, targetoptions=options, pipeline_class=reference_counts.Pipeline)
        self.checked = checked
        self.inner = inner
        self.contents: set[str] = set()  # digests of the function, each time it was compiled
        self.plain_func: Callable[..., Any] = function  # what plain mode calls
        self._takes_literals = False  # whether it has to know the value of an integer in order to be compiled
        self._cache = _ContentCache(self)
        self._compiler._get_implementation = self._without_module

    def __call__(self, *args: Any) -> Any:
        if ModeFlags.plain:
            return self.plain_func(*args)
        return super(Compiled, self.in_mode()).__call__(*args)

    def in_mode(self) -> Compiled:
        """This function, or inside `bounds_checked()` its version with bounds checks, which calls only such ones."""
        return version_of(self.py_func, inner=False) if ModeFlags.checked else self

    @property
    def _numba_type_(self) -> types.Dispatcher:
        """What other compiled code calls: the version of this function for the current values of its globals."""
        return types.Dispatcher(version_of(self.py_func))

    def content(self) -> str:
        """The digest of the function as it would be compiled now."""
        return _content(self.py_func)

    def _without_module(self, args: Any, kws: Any) -> py.FunctionType:
        """The function as if defined here: numba imports its module to load it, and that module may be gone by then."""
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
        """Always False: recursive functions crash when numba loads them from a cache, so `compile` rejects them."""
        return False

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """How compiled code calls this function: with 64-bit integers, so that it is compiled once for all kinds."""
        _, folded = self.fold_argument_types(args, kws)
        return super().get_call_template(folded if self._takes_literals else tuple(map(_widened, folded)), {})

    def compile(self, sig: Any) -> Any:
        args, _ = sigutils.normalize_signature(sig)
        if tuple(args) in self.overloads:
            return super().compile(sig)
        if self.inner and (known := self._known_to_python(tuple(args))):
            self.overloads[tuple(args)] = known
            return known.entry_point
        stack = compilation.stack
        functions = [outer.py_func for outer in stack]
        if self.py_func in functions:
            cycle = " → ".join(map(_name, [*functions[functions.index(self.py_func) :], self.py_func]))
            code = self.py_func.__code__
            raise RulesError(
                f"{cycle} is recursive, which compiled code does not support; use a loop with an explicit stack "
                f"({os.path.basename(code.co_filename)} line {code.co_firstlineno}, called by {_name(functions[0])})."
            )
        stack.append(self)
        began = time.perf_counter()
        try:
            self.contents.add(self.content())
            code = super().compile(sig)
            if compilation.failure and compilation.failure[0][-1] is self:
                compilation.failure = None  # numba tries literal types first; these types work
            return code
        except errors.ForceLiteralArg:
            self._takes_literals = True
            raise
        except KibitzError:
            raise
        except Exception as error:  # mostly NumbaError, but numba's internals can raise anything
            compilation.failure = compilation.failure or (tuple(stack), error)
            if len(stack) > 1:
                raise
            path, innermost = compilation.failure
            raise (explain_failure(path, tuple(args), innermost) if explain_failure else innermost) from error
        finally:
            stack.pop()
            if not stack:
                compilation.seconds += time.perf_counter() - began
                notices.tell_compiled()
                compilation.digests.clear()
                compilation.failure = None

    def _known_to_python(self, args: tuple[Any, ...]) -> Any:
        """What was compiled of the version that Python calls, if it still is the same function."""
        twin = _COMPILED.get((self.py_func, self.checked, False))
        return twin.overloads.get(args) if twin is not None and twin.contents == {self.content()} else None

    def bind(self, *args: Any) -> Callable[..., Any]:
        """The machine code for arguments of these types, which skips the dispatch on types at every call."""
        if is_plain():
            return self.plain_func
        function = self.in_mode()
        signature = tuple(numba.typeof(arg) for arg in args)
        function.compile(signature)
        return cast("Callable[..., Any]", function.overloads[signature].entry_point)


# By function, whether it checks bounds, and whether only compiled code calls it.
_COMPILED: dict[tuple[py.FunctionType, bool, bool], Compiled] = {}


def compiled(function: F) -> F:
    """Compile a function the first time it is called. It may call other functions, compiled or plain.

    Examples:
        >>> import kibitz
        >>> @kibitz.compiled
        ... def doubled(number):
        ...     return 2 * number
        ...
        >>> doubled(21)
        42
    """
    key = cast(py.FunctionType, function), False, False
    if key not in _COMPILED:
        _COMPILED[key] = Compiled(*key)
    return cast(F, _COMPILED[key])


def version_of(function: py.FunctionType, inner: bool = True) -> Compiled:
    """A function for the current mode, by default for compiled callers; a new one if a global it reads has changed."""
    key = function, ModeFlags.checked, inner
    if key not in _COMPILED or _COMPILED[key].contents - {_content(function)}:
        _COMPILED[key] = Compiled(*key)
    return _COMPILED[key]


def _widened(kind: Any) -> Any:
    """The type of an argument; for constants and small integers the 64-bit integer that arithmetic turns them into."""
    if isinstance(kind, types.IntegerLiteral):
        kind = kind.literal_type
    return types.int64 if isinstance(kind, types.Integer) and kind.signed else kind


def _content(function: py.FunctionType) -> str:
    return cast(str, compilation.digest(function, lambda: digest(function)))


@typeof_impl.register(py.FunctionType)
def _typeof_function(function: py.FunctionType, context: Any) -> Any:
    """Let compiled code call undecorated helpers, which are compiled along with it."""
    outside = (function.__module__ or "").split(".")[0] in VERSIONED
    if context.purpose is not Purpose.constant or outside or not compilation.is_running:
        return None
    return types.Dispatcher(version_of(function))


@typeof_impl.register(registry.CPUDispatcher)
def _typeof_dispatcher(function: registry.CPUDispatcher, context: Any) -> Any:
    """Compile functions under numba's own `@njit` like all others; they would keep outdated globals otherwise."""
    special = {name for name, value in function.targetoptions.items() if value} - {"nopython", "nogil", "cache"}
    if compilation.is_running and not special and not isinstance(function, Compiled):
        return types.Dispatcher(version_of(function.py_func))
    return function._numba_type_


# ------------------------------------------------------------------ cache


class ContentType(types.Type):
    """A numba type named by its content: the name has the same meaning in every process."""

    label: str  # for messages


class _ContentCache(_Cache):
    """numba's cache interface on top of `kibitz.compiler.disk_cache`, addressed by content."""

    def __init__(self, function: Compiled) -> None:
        self._function = function
        self._key: str | None = None  # of the overload being compiled

    @property
    def cache_path(self) -> str:
        return str(disk_cache.folder())

    def enable(self) -> None:
        pass

    def disable(self) -> None:
        pass

    def flush(self) -> None:
        pass

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        args, result = sigutils.normalize_signature(sig)
        # The key is computed before the function is compiled, not after: it must describe the input.
        self._key = self._key_for(args, result, target_context.codegen())
        payload = disk_cache.load(self._key) if self._key else None
        if payload is not None:
            # Of everything numba sets up in order to compile, cached machine code needs only the symbols of its
            # allocator and the secrets of Python's hashes. The rest would take longer than starting kibitz.
            rtsys.initialize(target_context)
            importlib.import_module("numba.cpython.hashing")
            try:
                rebuild = rebuilt_inner if self._function.inner else compiler.CompileResult._rebuild
                found = rebuild(target_context, *pickle.loads(payload))
            except Exception:  # for example, it refers to a class that is gone: compile again
                found = None
            if found is not None and tuple(found.signature.args) == tuple(args):
                stats.loaded += 1
                return found
        if compilation.only_loads:
            raise NotCompiled(f"{_title(self._function.py_func, args)} is not compiled yet.")
        target_context.refresh()
        if len(compilation.stack) <= 1:  # only for the function that Python called, not for its callees
            notices.tell_compiling(_title(self._function.py_func, args))
        return None

    def save_overload(self, sig: Any, result: Any) -> None:
        if not stats.compiled:
            atexit.register(disk_cache.prune)
        stats.compiled += 1
        # Code that contains an address of this process, such as that of a global array above 1 MB, is not cached.
        if self._key and not result.library.has_dynamic_globals and not result.lifted:
            disk_cache.save(self._key, dumps(result._reduce()))

    def _key_for(self, args: Any, result: Any, codegen: Any) -> str | None:
        """The key of an entry, from everything its machine code depends on; None if it cannot be cached."""
        content = self._function.content()
        spelled = [_spelled(kind) for kind in (*args, result)]
        if is_local(content) or None in spelled:
            return None
        switches = [reference_counts.is_elided(), *(getattr(numba.config, name) for name in SWITCHES)]
        what = MAKERS, content, self._function.checked, self._function.inner, spelled, codegen.magic_tuple(), switches
        return hashlib.sha256(repr(what).encode()).hexdigest()[:40]


def _spelled(kind: Any) -> str | None:
    """A type as text with the same meaning in every process; None if there is no such text."""
    if kind is None:
        return ""
    if isinstance(kind, types.BaseTuple):
        of = ""
        if isinstance(kind, types.BaseNamedTuple):  # numba's own text names neither its fields nor its module
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
    """A readable name for what is being compiled."""
    name = _name(function)
    games = {arg.label for arg in args if isinstance(arg, ContentType)} - {name.partition(".")[0]}
    return f"{name} for {', '.join(sorted(games))}" if games else name


def _number_functions() -> None:
    """Start numba's function numbers, which become part of symbol names, at a number no other process uses.

    numba counts from 1 in every process. Machine code from two processes, loaded from the cache into a third,
    would then define different functions under the same symbol, and the linker would mix them up.
    """
    bytecode.FunctionIdentity._unique_ids = itertools.count(secrets.randbits(62))


record_copies.install()
_number_functions()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_number_functions)
