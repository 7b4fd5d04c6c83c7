"""How numba is made to compile rules and searches. The only file that knows.

- `@compiled` makes a function that runs as machine code, or as plain Python inside `plain()`.
- A game (or a compiled player) is passed to compiled code as a value of a numba type of its own, made from
  the *content* of its class, so that two games are never mistaken for each other.
- Machine code is cached on disk under a digest of everything it was made from.
- What compiled code writes to is allocated here, in Python, and passed in.

It leans on private interfaces of numba, which is therefore pinned.
"""

from __future__ import annotations

import atexit
import contextlib
import dataclasses
import hashlib
import itertools
import linecache
import os
import pickle
import platform
import re
import sys
import threading
import types as py
from collections.abc import Callable, Iterator
from typing import Any, TypeVar, cast

import llvmlite
import numba
import numpy as np
from numba import types
from numba.core import cgutils, compiler, errors, registry, sigutils, typing
from numba.core.caching import _Cache
from numba.core.imputils import lower_getattr_generic
from numba.core.serialize import dumps
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate, infer_getattr
from numba.core.typing.typeof import Purpose, typeof_impl
from numba.extending import NativeValue, lower_builtin, models, register_model, unbox

from kibitz import cache
from kibitz.content import CONSTANT, VERSIONED, Uncachable, digest, rules_of
from kibitz.errors import RulesError
from kibitz.state import Cells

F = TypeVar("F", bound=Callable[..., Any])
VERSIONS = (numba.__version__, llvmlite.__version__, np.__version__, sys.implementation.cache_tag, platform.machine())


# ------------------------------------------------------------------ plain or compiled


class _Mode:
    plain = os.environ.get("KIBITZ_PLAIN", "0") not in ("", "0") or bool(numba.config.DISABLE_JIT)


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


def records(count: int, dtype: np.dtype) -> Any:
    """An array of zeroed records for compiled code to work on (its plain-Python face in plain mode)."""
    return numbers(count, dtype)


def numbers(shape: int | tuple[int, ...], kind: Any) -> Any:
    """A zeroed array for compiled code to work on (its plain-Python face in plain mode)."""
    array = np.zeros(shape, kind)
    return Cells(array) if is_plain() else array


# ------------------------------------------------------------------ functions


@dataclasses.dataclass
class Stats:
    """What the compiler did in this process."""

    compiled: int = 0
    loaded: int = 0


stats = Stats()
# Called with (what, for whom) when a function has to be compiled, before it is.
announce: Callable[[str], None] | None = None


class Compiled(registry.CPUDispatcher):
    """A function that runs as machine code, cached by content; its Python original in plain mode."""

    _being_compiled = threading.local()

    def __init__(self, function: py.FunctionType) -> None:
        super().__init__(function, targetoptions={"nopython": True, "nogil": True})
        self._cache = _ContentCache(function)
        self._compiler._get_implementation = self._named_by_content

    def __call__(self, *args: Any) -> Any:
        if _Mode.plain:
            return self.py_func(*args)
        return super().__call__(*args)

    def _named_by_content(self, args: Any, kws: Any) -> py.FunctionType:
        """The function under a name that holds its digest: symbols of different code never collide in the linker."""
        original = self.py_func
        named = py.FunctionType(
            original.__code__, original.__globals__, original.__name__, original.__defaults__, original.__closure__
        )
        named.__kwdefaults__ = original.__kwdefaults__
        named.__module__ = original.__module__
        named.__qualname__ = f"{original.__qualname__}.{self._cache.content()}"
        return named

    @property
    def is_compiling(self) -> bool:
        """Always False: numba's own support for recursion crashes when loaded from a cache, `compile` refuses it."""
        return False

    def compile(self, sig: Any) -> Any:
        args, _ = sigutils.normalize_signature(sig)
        if tuple(args) in self.overloads:
            return super().compile(sig)
        stack: list[Compiled] = self._being_compiled.__dict__.setdefault("stack", [])
        if self in stack:
            cycle = " → ".join(f.py_func.__qualname__ for f in [*stack[stack.index(self) :], self])
            raise RulesError(
                f"{cycle} is recursive, which compiled code cannot be; use a loop with a stack of its own."
            )
        stack.append(self)
        try:
            return super().compile(sig)
        except errors.NumbaError as error:
            if len(stack) > 1:
                raise
            raise _explained(self, tuple(args), error) from error
        finally:
            stack.pop()

    def bind(self, *args: Any) -> Callable[..., Any]:
        """The machine code for arguments of these types, without the look-up by type at every call."""
        if is_plain():
            return cast("Callable[..., Any]", self.py_func)
        signature = tuple(numba.typeof(arg) for arg in args)
        self.compile(signature)
        return cast("Callable[..., Any]", self.overloads[signature].entry_point)


_COMPILED: dict[py.FunctionType, Compiled] = {}


def compiled(function: F) -> F:
    """Compile a function the first time it is called. It may call other functions, compiled or plain."""
    plain_function = cast(py.FunctionType, function)
    if plain_function not in _COMPILED:
        _COMPILED[plain_function] = Compiled(plain_function)
    return cast(F, _COMPILED[plain_function])


@typeof_impl.register(py.FunctionType)
def _typeof_function(function: py.FunctionType, context: Any) -> Any:
    """Compiled code may call undecorated helpers: they are compiled on the way."""
    outside = (function.__module__ or "").split(".")[0] in VERSIONED
    if context.purpose is not Purpose.constant or outside:
        return None
    return types.Dispatcher(compiled(function))


# ------------------------------------------------------------------ cache


class _ContentCache(_Cache):
    """numba's cache interface over `kibitz.cache`, addressed by content."""

    def __init__(self, function: py.FunctionType) -> None:
        self._function = function
        self._content: str | None = None
        self._cachable = True

    def content(self) -> str:
        """The digest of the function; unique to this process when it reaches something that cannot be hashed."""
        if self._content is None:
            try:
                self._content = digest(self._function)
            except Uncachable:
                self._content, self._cachable = _unique(), False
        return self._content

    @property
    def cache_path(self) -> str:
        return str(cache.folder())

    def enable(self) -> None:
        pass

    def disable(self) -> None:
        pass

    def flush(self) -> None:
        pass

    def _key(self, sig: Any, codegen: Any) -> str | None:
        args, result = sigutils.normalize_signature(sig)
        content = self.content()
        if not self._cachable or any(UNCACHABLE in str(arg) for arg in args):
            return None
        what = (
            VERSIONS,
            content,
            [str(a) for a in args],
            str(result),
            codegen.magic_tuple(),
            numba.config.BOUNDSCHECK,
            numba.config.OPT,
        )
        return hashlib.sha256(repr(what).encode()).hexdigest()[:40]

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        target_context.refresh()
        key = self._key(sig, target_context.codegen())
        payload = cache.load(key) if key else None
        if payload is not None:
            try:
                result = compiler.CompileResult._rebuild(target_context, *pickle.loads(payload))
            except Exception:  # written by something we do not understand: compile again
                result = None
            if result is not None:
                stats.loaded += 1
                return result
        if announce and len(Compiled._being_compiled.stack) == 1:
            announce(self._function.__qualname__)
        return None

    def save_overload(self, sig: Any, result: Any) -> None:
        if not stats.compiled:
            atexit.register(cache.prune)
        stats.compiled += 1
        key = self._key(sig, result.codegen)
        library = result.library
        if key is None or library.has_dynamic_globals or result.lifted:
            return
        cache.save(key, dumps(result._reduce()))


UNCACHABLE = "uncachable"
_counter = itertools.count()


def _unique() -> str:
    return f"{UNCACHABLE}{os.getpid()}_{next(_counter)}"


# ------------------------------------------------------------------ the type of a game


class RulesType(types.Type):
    """The numba type of one variant of a game: its name, the digest of its content, and its fields.

    Fields are compiled in as constants, which nearly doubles the speed of small games; those named in
    `@game(runtime=…)` are passed at run time instead, so that one compilation serves all their values.
    """

    def __init__(
        self, label: str, content: str, constants: tuple[tuple[str, Any], ...], fields: tuple[tuple[str, Any], ...]
    ) -> None:
        self.label = label
        self.content = content
        self.constants = constants
        self.fields = fields
        variant = [f"{name}={value!r}" for name, value in constants] + [f"{name}:{kind}" for name, kind in fields]
        super().__init__(f"{label}.{content}({', '.join(variant)})")


_CLASSES: dict[str, type] = {}  # content → class
_SAMPLES: dict[str, Any] = {}  # content → one instance, to explain errors with
_METHODS: dict[tuple[str, str], Compiled] = {}


def rules_digest(cls: type) -> str:
    """The digest of everything a class's rules are made from."""
    try:
        return digest(cls.__name__, *itertools.chain.from_iterable(sorted(rules_of(cls).items())))
    except Uncachable:
        return _unique()


def rules_type(rules: Any, runtime: tuple[str, ...] = ()) -> RulesType:
    """The numba type of a game: equal for equal content and variant, never for different rules."""
    content = rules_digest(type(rules))
    _CLASSES[content] = type(rules)
    _SAMPLES[content] = rules
    values = [(f.name, getattr(rules, f.name)) for f in dataclasses.fields(rules)]
    constants = tuple((name, value) for name, value in values if name not in runtime)
    fields = tuple((name, numba.typeof(value)) for name, value in values if name in runtime)
    return RulesType(type(rules).__name__, content, constants, fields)


@register_model(RulesType)
class _RulesModel(models.StructModel):
    def __init__(self, manager: Any, rules: RulesType) -> None:
        super().__init__(manager, rules, list(rules.fields))


@unbox(RulesType)
def _unbox_rules(rules: RulesType, value: Any, c: Any) -> Any:
    struct = cgutils.create_struct_proxy(rules)(c.context, c.builder)
    for name, kind in rules.fields:
        attribute = c.pyapi.object_getattr_string(value, name)
        setattr(struct, name, c.unbox(kind, attribute).value)
        c.pyapi.decref(attribute)
    return NativeValue(struct._getvalue())


def _attribute(rules: RulesType, name: str) -> Any:
    """A field compiled in, or what the class has under a name."""
    constants = dict(rules.constants)
    return constants[name] if name in constants else getattr(_CLASSES[rules.content], name, None)


def _method(rules: RulesType, name: str) -> Compiled | None:
    """The compiled method or property getter of a game's class."""
    key = rules.content, name
    if key not in _METHODS:
        attribute = _attribute(rules, name)
        function = attribute.fget if isinstance(attribute, property) else attribute
        if not isinstance(function, py.FunctionType):
            return None
        _METHODS[key] = Compiled(function)
    return _METHODS[key]


def bind_method(rules: Any, name: str, *args: Any) -> Callable[..., Any]:
    """A method of a game, called as `bound(rules, *args)`: machine code, or the method itself in plain mode."""
    if is_plain():
        return cast("Callable[..., Any]", getattr(type(rules), name))
    method = _method(rules._numba_type_, name)
    assert method is not None, name
    return method.bind(rules, *args)


_LOWERED: set[str] = set()


@infer_getattr
class _RulesAttributes(AttributeTemplate):
    """What `game.name` is in compiled code: a field, a constant of the class, a property or a method."""

    key = RulesType

    def generic_resolve(self, rules: RulesType, name: str) -> Any:
        for field, kind in rules.fields:
            if field == name:
                return kind
        attribute = _attribute(rules, name)
        if isinstance(attribute, CONSTANT):
            return numba.typeof(attribute)
        method = _method(rules, name)
        if method is None:
            return None
        context, function = self.context, types.Dispatcher(method)
        if isinstance(attribute, property):
            return context.resolve_function_type(function, (rules,), {}).return_type
        if name not in _LOWERED:
            _LOWERED.add(name)
            lower_builtin((RulesType, name), RulesType, types.VarArg(types.Any))(_lower_call(name))

        class Method(AbstractTemplate):
            key = (RulesType, name)

            def generic(self, args: Any, kws: Any) -> Any:
                signature = context.resolve_function_type(function, (rules, *args), kws)
                return signature and signature.as_method()

        return types.BoundFunction(Method, rules)


def _lower_call(name: str) -> Callable[..., Any]:
    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _call(context, builder, _method(sig.args[0], name), sig, args)

    return lower


def _call(context: Any, builder: Any, method: Compiled | None, sig: Any, args: Any) -> Any:
    call = context.get_function(types.Dispatcher(method), typing.signature(sig.return_type, *sig.args))
    context.add_linking_libs(getattr(call, "libs", ()))
    return call(builder, args)


@lower_getattr_generic(RulesType)
def _lower_getattr(context: Any, builder: Any, rules: RulesType, value: Any, name: str) -> Any:
    if name in dict(rules.fields):
        return getattr(cgutils.create_struct_proxy(rules)(context, builder, value=value), name)
    attribute = _attribute(rules, name)
    if isinstance(attribute, property):
        method = _method(rules, name)
        result = context.typing_context.resolve_function_type(types.Dispatcher(method), (rules,), {}).return_type
        return _call(context, builder, method, typing.signature(result, rules), (value,))
    return context.get_constant_generic(builder, numba.typeof(attribute), attribute)


# ------------------------------------------------------------------ errors
_PLACE = re.compile(r'File "(?P<file>[^"]+)", line (?P<line>\d+)')
_STATE = re.compile(r"Record\(.*\)")
_GAME = re.compile(r"\b(\w+)\.(?:[0-9a-f]{24}|" + UNCACHABLE + r"\w+)(?:\([^()]*\))?")


def _explained(function: Compiled, args: tuple[Any, ...], error: Exception) -> RulesError:
    """The error of a compilation in one sentence that names the game, the method and the line."""
    for rules in args:
        if not isinstance(rules, RulesType):
            continue
        for name, examples in _SAMPLES[rules.content].examples().items():
            method = _method(rules, name)
            if method is None or method is function:
                continue
            try:
                method.compile((rules, *(numba.typeof(example) for example in examples)))
            except RulesError as found:
                return found
            except errors.NumbaError as found:
                return _sentence(f"{rules.label}.{name}", method, found)
    owner = args[0].label + "." if args and isinstance(args[0], RulesType) else ""
    return _sentence(owner + function.py_func.__name__, function, error)


def _sentence(name: str, function: Compiled, error: Exception) -> RulesError:
    text = errors.strip_ansi(str(error)) if hasattr(errors, "strip_ansi") else re.sub(r"\x1b\[\d*m", "", str(error))
    places = [(m["file"], int(m["line"])) for m in _PLACE.finditer(text)]
    code = function.py_func.__code__
    file, line = places[-1] if places else (code.co_filename, code.co_firstlineno)
    lines = [part.strip() for part in text.rpartition("nopython mode pipeline")[2].splitlines()[1:]]
    reason = next((part for part in lines if part and not part.startswith(("-", "During", "File"))), str(error))
    reason = _GAME.sub(r"\1", _STATE.sub("the state", reason))
    source = linecache.getline(file, line).strip()
    return RulesError(f"{name}, {os.path.basename(file)} line {line}: {reason}" + (f"\n    {source}" if source else ""))
