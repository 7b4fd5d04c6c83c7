"""The numba type of a game: how compiled code receives rules, reads their fields and calls their methods.

Every class of rules has its own type, made from the *content* of the class, so that two games are never mistaken for
each other: neither two of the same name, nor a class and its redefinition in a notebook.
"""

from __future__ import annotations

import dataclasses
import os
import types as py
from collections.abc import Callable
from typing import Any, cast

import numba
from numba import types
from numba.core import cgutils, typing
from numba.core.imputils import lower_getattr_generic
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate, infer_getattr
from numba.extending import NativeValue, lower_builtin, models, register_model, unbox

from kibitz.compiler.compilation import compilation
from kibitz.compiler.digest import CONSTANT, function_of, rules_of
from kibitz.compiler.dispatcher import Compiled, ContentType, version_of
from kibitz.compiler.modes import is_plain
from kibitz.errors import RulesError

# Methods that return an integer.
WHOLE_NUMBERS = {"moves", "noisy_moves", "chances", "sample", "draw", "seen", "key", "urgency"}
# Methods that a Table calls, too: they are compiled for Python at once, instead of a second time later.
AT_TABLES = {"start", "moves", "chances", "draw", "play", "payoff", "normalized_payoff", "score", "redact", "seen"}


class RulesType(ContentType):
    """The numba type of one variant of a game: its name, the digest of its content, and its fields.

    Fields are compiled in as constants, which nearly doubles the speed of small games; those named in
    `@game(runtime=…)` are passed at run time instead, so that the rules are compiled once for all values.
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


class _Rules:
    """The rules behind all numba types with the same content."""

    def __init__(self, sample: Any, covered: dict[str, Any]) -> None:
        self.sample = sample  # a game with these rules
        self.covered = covered  # attributes of its class that compiled code may read, by name

    def methods(self) -> dict[py.FunctionType, str]:
        """The functions among the covered attributes, with their names: the first, if one has several."""
        attributes = reversed(self.covered.items())
        functions = {function_of(value): name for name, value in attributes if not isinstance(value, CONSTANT)}
        return cast("dict[py.FunctionType, str]", functions)


_RULES: dict[str, _Rules] = {}  # by content


def rules_behind(rules: RulesType) -> _Rules:
    """The rules that a numba type stands for."""
    return _RULES[rules.content]


def _rules_content(rules: Any) -> tuple[str, dict[str, Any]]:
    cls = type(rules)
    return cast("tuple[str, dict[str, Any]]", compilation.digest(cls, lambda: rules_of(cls, rules.examples())))


def rules_type(rules: Any, runtime: tuple[str, ...] = ()) -> RulesType:
    """The numba type of a game: equal if content and variant are equal, and only then."""
    content, covered = _rules_content(rules)
    _RULES[content] = _Rules(rules, covered)
    for name in covered.keys() - _LOWERED:
        _LOWERED.add(name)
        lower_builtin((RulesType, name), RulesType, types.VarArg(types.Any))(_lower_call(name))
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
    """The value of a field that is compiled in, or else the attribute of the class."""
    constants = dict(rules.constants)
    return constants[name] if name in constants else rules_behind(rules).covered.get(name)


def _method(rules: RulesType, name: str, inner: bool = True) -> Compiled | None:
    """The compiled method, static method or property getter of a game's class, in the current mode."""
    known = rules_behind(rules)
    function = function_of(known.covered.get(name))
    if not isinstance(function, py.FunctionType):
        return None
    if _rules_content(known.sample)[0] != rules.content:
        raise RulesError(f"The rules of {rules.label} have changed since this game was created; create it again.")
    return version_of(function, inner and name not in AT_TABLES)


def bind_method(rules: Any, name: str, *args: Any) -> Callable[..., Any]:
    """A method of a game, to be called as `bound(rules, *args)`: machine code, or in plain mode the method itself."""
    if is_plain():
        return cast("Callable[..., Any]", getattr(type(rules), name))
    method = _method(rules._numba_type_, name, inner=False)
    assert method is not None, name
    bound = method.bind(rules, *args)
    for overload in method.nopython_signatures:
        _check_return(rules._numba_type_, name, overload.return_type)
    return bound


def _check_return(rules: RulesType, name: str, kind: Any) -> None:
    """Reject a method whose return type is not the one its callers rely on."""
    returned = str(kind)
    if isinstance(kind, types.NoneType):
        returned = "nothing"
    elif isinstance(kind, types.Optional):
        returned = "nothing on one of its paths"
    elif isinstance(kind, types.Generator):
        returned = "a generator"
    if returned == "a generator" or (name in WHOLE_NUMBERS and not isinstance(kind, types.Integer)):
        code = function_of(rules_behind(rules).covered[name]).__code__
        place = f"{rules.label}.{name}, {os.path.basename(code.co_filename)} line {code.co_firstlineno}"
        wanted = "an integer" if name in WHOLE_NUMBERS else "nothing"
        raise RulesError(f"{place}: must return {wanted}, but returns {returned}.")


_LOWERED: set[str] = set()


@infer_getattr
class _RulesAttributes(AttributeTemplate):
    """Resolves `game.name` in compiled code: a field, a constant of the class, a property or a method."""

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
        if isinstance(attribute, staticmethod):
            return types.Dispatcher(method)
        context = self.context
        if isinstance(attribute, property):
            return context.resolve_function_type(types.Dispatcher(method), (rules,), {}).return_type

        class Method(AbstractTemplate):
            key = (RulesType, name)

            def generic(self, args: Any, kws: Any) -> Any:
                # Looked up here, not outside: numba keeps this template while the mode may change.
                signature = context.resolve_function_type(types.Dispatcher(_method(rules, name)), (rules, *args), kws)
                if signature is None:
                    return None
                _check_return(rules, name, signature.return_type)
                return signature.as_method()

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
    if isinstance(attribute, staticmethod):
        return context.get_dummy_value()
    if isinstance(attribute, property):
        method = _method(rules, name)
        result = context.typing_context.resolve_function_type(types.Dispatcher(method), (rules,), {}).return_type
        return _call(context, builder, method, typing.signature(result, rules), (value,))
    return context.get_constant_generic(builder, numba.typeof(attribute), attribute)
