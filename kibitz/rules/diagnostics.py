"""Compile errors in a line or two: the game, the method, the file and line, what is wrong there and what to write.

numba reports an error in every function that led to it. The useful one is the innermost, which `Compiled.compile`
keeps. It is explained, in this order, by what plain Python says about the same line, by what numba's message says, and
by the constructs on that line that compiled code does not support (kibitz/rules/source.py). numba's own words, which
speak of its insides, are not shown.
"""

from __future__ import annotations

import ast
import builtins
import dis
import inspect
import re
import sys
import types as py
from collections.abc import Iterator
from typing import Any

from kibitz.compiler import dispatcher, numbers, plain
from kibitz.compiler.digest import function_of
from kibitz.compiler.dispatcher import Compiled
from kibitz.compiler.rules_type import RulesType, rules_behind
from kibitz.errors import RulesError
from kibitz.rules.contract import FLOATS, PARAMETERS
from kibitz.rules.engine import Engine
from kibitz.rules.remedies import as_sentence, explained_exception, suggestion
from kibitz.rules.rng import Stream
from kibitz.rules.source import Place, function_tree, line_of, place_of_exception, unsupported

_PLACE = re.compile(r'File "[^"]+", line (\d+)|\bat [^\n]+ \((\d+)\)|Raised from [^\n]+ \((\d+)\)')
_COLOUR = re.compile(r"\x1b\[\d*m")
_SCALARS = ("int", "float", "bool")
_MAKE_IT = "make it a number, a tuple or a NumPy array"
_NOT_SUPPORTED = "compiled code does not support this; docs/add-a-game.md lists what to write instead"
_INSIDE = re.compile(r"numba|nopython|typing|untyped|reflected|jit|llvm|lower|dispatch|opcode|\$|0x|%\"", re.IGNORECASE)
# numba's names of types, innermost first, as Python would call them.
_KINDS = (
    (re.compile(r"Record\(\[.*?\], \d+, \w+\)|Record\([^;]*(?:;[^;]*)*?;\d+;\w+\)"), "the state"),
    (re.compile(r"\b(\w+)\.(?:local)?[0-9a-f]{24}\([^()]*\)"), r"\1"),
    (re.compile(r"Literal\[str\]\(([^()]*)\)"), "str"),
    (re.compile(r"Literal\[\w+\]\(([^()]*)\)"), r"\1"),
    (re.compile(r"nestedarray\(\w+, \([^()]*\)\)|(readonly )?array\([^()]*\)"), "array"),
    (re.compile(r"type\(Compiled\(<.*?>\)\)"), "function"),
    (re.compile(r"class\((\w+)\)"), r"\1"),
    (re.compile(r"slice<[ab:]*>"), "slice"),
    (re.compile(r"\bunicode_type\b"), "str"),
    (re.compile(r"\bu?int\d+\b"), "int"),
    (re.compile(r"\bfloat\d+\b"), "float"),
    (re.compile(r"\b(?:bool_|boolean)\b"), "bool"),
    (re.compile(r"\bnone\b"), "None"),
)
_NESTED = re.compile(r"(?:reflected )?\b(Uni)?(Tuple|list|set|DictType)[([]([^()[\]]*)[)\]](?:<iv=[^>]*>)?")


def explained(path: tuple[Compiled, ...], args: tuple[Any, ...], error: Exception) -> RulesError:
    """Explain why the last function of `path` does not compile. `args` are the argument types of the first."""
    function: py.FunctionType = path[-1].py_func
    kinds = [arg for arg in args if isinstance(arg, RulesType)]
    methods = {f: (kind, name) for kind in kinds for f, name in rules_behind(kind).methods().items()}
    called = [methods[f.py_func] for f in path if f.py_func in methods]
    line, why = _Failure(error, function, [rules_behind(kind).sample for kind in kinds]).read()
    reason = as_sentence(why)
    in_plain = _plain_error(called)
    place = place_of_exception(in_plain) if in_plain else None
    own = place and place.file == function.__code__.co_filename and place.line in _lines_of(function.__code__)
    if in_plain and place and own and line in (None, place.line):
        line, reason = place.line, explained_exception(in_plain, rules_behind(called[-1][0]).sample)
    name = f"{called[-1][0].label}.{called[-1][1]}" if called else function.__qualname__.rpartition("<locals>.")[2]
    where = f"in {function.__name__}, " if called and function not in methods else ""
    at = Place(function.__code__.co_filename, line or function.__code__.co_firstlineno)
    return RulesError(f"{name}, {where}{at}: {reason}{at.quoted if line else ''}")


class _Failure:
    """numba's error about one function, and what it means."""

    def __init__(self, error: Exception, function: py.FunctionType, games: list[Any]) -> None:
        """`games` are those that were passed in."""
        self.error = error
        self.function = function
        self.games = games
        # What follows is the way back to the callers.
        self.text = _COLOUR.sub("", str(error)).partition("During: resolving callee type: type(Compiled(")[0]
        lines = [part.strip() for part in self._message().splitlines()]
        self.call = next((part.removeprefix(">>> ") for part in lines if part.startswith(">>> ")), "")
        reasons = (part for part in lines if part and not part.startswith(("-", "During", "File")))
        self.reason = next(reasons, "").partition(". Raised from")[0]
        places = (int(next(filter(None, found))) for found in _PLACE.findall(self.text))
        self.places = [place for place in places if place in _lines_of(function.__code__)]
        self.line = self.places[-1] if self.places else None

    def _message(self) -> str:
        return self.text.rpartition("nopython mode pipeline")[2].partition("\n")[2] or self.text

    def read(self) -> tuple[int | None, str]:
        """The line and what is wrong with it, without a full stop."""
        if reason := self._precisely():
            return self.line, reason
        constructs = unsupported(self.function)
        here = [found for found in constructs if self.line and found.first <= self.line <= found.last]
        if here:
            return self.line, here[0].instead
        if constructs and (self.line is None or not self.reason):
            return constructs[0].first, constructs[0].instead
        return self.line, self._roughly()

    def _precisely(self) -> str | None:
        """What is wrong, if numba's error says it."""
        for explain in (
            self._unknown_field,
            self._unknown_name,
            self._unassigned_variable,
            self._unusable_global,
            self._unknown_attribute,
            self._unknown_in_module,
            self._state_as_a_value,
            self._wrong_index,
            self._wrong_arguments,
            self._written_constant,
            self._two_types,
            self._empty_list,
            self._array_as_a_whole,
            self._wrong_value,
            self._mixed_tuple,
            self._mixed_list,
            self._unsupported_numpy,
        ):
            if reason := explain():
                return reason
        return None

    def _roughly(self) -> str:
        """numba's reason in Python's words, where it has such; otherwise that this is not supported."""
        rough = in_python(self.reason)
        if self.call and self.reason.startswith(("No implementation of function", "Invalid use of")):
            rough = f"compiled code does not support {in_python(self.call)}"
        return _NOT_SUPPORTED if not rough or _INSIDE.search(rough) else rough.rstrip(" .:")

    def _unknown_field(self) -> str | None:
        name = str(self.error.args[0]) if type(self.error) is KeyError else ""  # a record has no such field
        if not name.isidentifier():
            return None
        self.line = self.line or self._line_with(name)
        fields = next((", ".join(game.dtype.names) for game in self.games if hasattr(game, "dtype")), "others")
        return f"the state has no field {name!r}; its fields are {fields}"

    def _unknown_name(self) -> str | None:
        found = re.search(r"name '(\w+)' is not defined", self.text)
        if not found:
            return None
        name = found[1]
        self.line = self.line or self._line_with(name)
        if any(hasattr(game, name) for game in self.games):
            return f"name {name!r} is not defined; write self.{name}"
        known = {*self.function.__globals__, *self.function.__code__.co_varnames, *vars(builtins)}
        return f"name {name!r} is not defined{suggestion(name, known)}"

    def _unassigned_variable(self) -> str | None:
        found = re.search(r"Variable '(\w+)' is not defined", self.reason)
        return found and f"{found[1]} is used before it is assigned; give it a value first"

    def _unusable_global(self) -> str | None:
        found = re.search(r"Untyped global name '(\w+)'|assigned to variable '(\w+)' in globals", self.text)
        if not found:
            return None
        name = found[1] or found[2]
        value = self.function.__globals__.get(name, getattr(builtins, name, None))
        if isinstance(value, type):
            own = any(isinstance(game, value) for game in self.games)
            use = "use self" if own else "use a NamedTuple, or fields of the state"
            return f"compiled code cannot use the class {name}; {use}"
        if callable(value):
            decorated = isinstance(getattr(value, "__wrapped__", None), py.FunctionType)
            remedy = "remove its decorator" if decorated else "write out what it does"
            return f"compiled code cannot call {name}; {remedy}"
        kind = "an empty list" if value == [] else type(value).__name__
        return f"compiled code cannot read the global {name} ({kind}); {_MAKE_IT}"

    def _unknown_attribute(self) -> str | None:
        found = re.match(r"Unknown attribute '(\w+)' of type (.*)", self.reason)
        if not found:
            return None
        name, kind = found[1], re.sub(r"^-?\d+$", "int", in_python(found[2].strip()))
        for game in self.games:
            if hasattr(game, name):
                return f"compiled code cannot read {name} ({type(getattr(game, name)).__name__}); {_MAKE_IT}"
            if type(game).__name__ == kind:
                return f"{kind} has no attribute {name!r}{suggestion(name, dir(game)).replace(', or import it', '')}"
        if module := re.match(r"Module\(<module '([\w.]+)'", found[2]):
            return f"compiled code cannot call {module[1]}.{name}; write a loop, or a function of your own"
        if kind in (*_SCALARS, "array", "list"):
            return f"compiled code has no {name} for {_article(kind)}; write a loop, or a function of your own"
        return None

    def _unknown_in_module(self) -> str | None:
        found = re.match(r"module '(\w+)' has no attribute '(\w+)'", self.reason)
        if not found:
            return None
        self.line = self.line or self._line_with(found[2])
        return f"{found[1]} has no {found[2]}{suggestion(found[2], dir(sys.modules[found[1]]))}"

    def _state_as_a_value(self) -> str | None:
        operands = in_python(self.call or self.reason)
        used = re.match(r"\w+\(the state\b|Invalid use of getiter with parameters \(the state", operands)
        return "s is a record, not a number or a list; use its fields, such as s.turn" if used else None

    def _wrong_index(self) -> str | None:
        found = re.match(r"(?:static_)?[gs]etitem\(([\w ]+), (.*)\)$", in_python(self.call))
        if found and found[1] == "array" and found[2].startswith("float"):
            return "a float is used as an index; divide with // instead of /"
        if found and found[1] == "array" and found[2].startswith("tuple of"):
            return "this array is indexed with more numbers than it has dimensions; leave out some"
        return f"{_article(found[1])} has no cells; leave out the index" if found and found[1] in _SCALARS else None

    def _wrong_arguments(self) -> str | None:
        found = re.match(r"Cannot bind 'args=.*' to signature '(\(.*\))' due to", self.reason)
        if found:
            wanted, calls = found[1], [node for node in self._nodes() if isinstance(node, ast.Call)]
            for call in calls:
                function = function_of(self.function.__globals__.get(ast.unparse(call.func)))
                if isinstance(function, py.FunctionType) and str(inspect.signature(function)) == wanted:
                    self.line = self.line or call.lineno
            return f"this function takes {wanted.replace('(self, ', '(')}; call it with these arguments"
        called = re.match(r"Invalid use of (\w+) with parameters", in_python(self.reason))
        return (
            f"this is {_article(called[1])}, not a function; leave out the ()"
            if called and called[1] in _SCALARS
            else None
        )

    def _wrong_value(self) -> str | None:
        found = re.match(r"Cannot cast (.+) to (\w+):", in_python(self.reason))
        if found and found[1] == "None":
            return f"None is assigned where {_article(found[2])} is needed; use a number for nothing, such as −1"
        return found and f"{_article(found[1])} is assigned where {_article(found[2])} is needed; convert it"

    def _written_constant(self) -> str | None:
        if "Cannot modify readonly array" not in self.text:
            return None
        names = self.function.__globals__
        name = next((name for name in self._names_here() if name in names), None)
        what = f"{name} is" if name else "a module-level array is"
        return f"{what} a constant in compiled code; put it in a field of the state"

    def _two_types(self) -> str | None:
        if found := re.search(r"Cannot unify (.+) and (.+) for '([\w$.]+)', defined at", self.text):
            one, other, name = in_python(found[1]), in_python(found[2]), found[3].partition(".")[0]
            what = "this" if name.startswith("$") else name
            return (
                f"{what} is {_article(one)} on one path and {_article(other)} on another; "
                "give it one type, or use two variables"
            )
        if found := re.search(r"Can't unify return type from the following types: (.+)", self.text):
            kinds = sorted({_article(kind) for kind in _split(in_python(found[1]))})
            self.line = max(self.places, default=None)  # numba lists the returns in any order
            return f"returns {' on one path and '.join(kinds[:2])} on another; return one type everywhere"
        return None

    def _empty_list(self) -> str | None:
        found = re.match(r"Cannot infer the type of variable '(\w+)[.\d]*', have imprecise type: (\w+)", self.reason)
        return found and f"nothing is ever put into {found[1]}; use an array of a fixed size and a count instead"

    def _array_as_a_whole(self) -> str | None:
        if not re.match(r"Cannot cast .* to nestedarray", self.reason):
            return None
        target = next(
            (n for n in self._nodes_here() if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store)), None
        )
        name = ast.unparse(target) if target else "this"
        return f"{name} is an array; write into it: {name}[:] = …"

    def _mixed_tuple(self) -> str | None:
        looped = re.match(r"Invalid use of getiter with parameters \(Tuple", self.reason)
        indexed = re.match(r"(static_)?getitem\(Tuple", self.call)
        if not looped and not indexed:
            return None
        return "the members of this tuple differ in type or length; make them alike, or use a NumPy array"

    def _mixed_list(self) -> str | None:
        if not re.match(r"Invalid use of BoundFunction\(list\.(append|insert|extend)", self.reason):
            return None
        return "a list holds values of one type; use one list for each type, or a NumPy array"

    def _unsupported_numpy(self) -> str | None:
        found = re.match(r"Use of unsupported NumPy function 'numpy\.([\w.]+)'", self.reason)
        return found and f"compiled code does not support this use of np.{found[1]}; write a loop"

    def _nodes(self) -> Iterator[ast.AST]:
        tree = function_tree(self.function)
        return ast.walk(tree) if tree else iter(())

    def _nodes_here(self) -> Iterator[ast.AST]:
        return (node for node in self._nodes() if getattr(node, "lineno", 0) == self.line)

    def _names_here(self) -> list[str]:
        return [node.id for node in self._nodes_here() if isinstance(node, ast.Name)]

    def _line_with(self, name: str) -> int | None:
        code = dis.get_instructions(self.function)
        return next((line_of(instruction) for instruction in code if instruction.argval == name), None)


def in_python(text: str) -> str:
    """A text of numba's with the types named as in Python."""
    for pattern, words in _KINDS:
        text = pattern.sub(words, text)
    while _NESTED.search(text):
        text = _NESTED.sub(_nested, text)
    return text


def _nested(found: re.Match[str]) -> str:
    uniform, kind, members = found[1], found[2], found[3]
    if kind != "Tuple":
        return {"DictType": "dict"}.get(kind, kind)
    count = members.rpartition(" x ")[2] if uniform else str(len(_split(members)))
    return f"tuple of {count}"


def _split(members: str) -> list[str]:
    return [member.strip() for member in members.split(",") if member.strip()]


def _article(kind: str) -> str:
    kind = "int" if re.fullmatch(r"-?\d+", kind) else kind
    return kind if kind in ("None", "the state") else f"an {kind}" if kind[:1] in "aeiou" else f"a {kind}"


def _lines_of(code: py.CodeType) -> set[int]:
    lines = {line for _, _, line in code.co_lines() if line} - {code.co_firstlineno}
    for constant in code.co_consts:
        if isinstance(constant, py.CodeType):
            lines |= _lines_of(constant) | {constant.co_firstlineno}
    return lines


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
        return error.__cause__ if isinstance(error, RulesError) and isinstance(error.__cause__, Exception) else error
    return None


def install() -> None:
    """Make the compiler, which does not depend on this module, raise these errors."""
    dispatcher.explain_failure = explained
