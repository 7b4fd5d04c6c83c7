"""The state of a game: one NumPy record, its layout, and its interface for plain Python.

A game's `fields` become a structured dtype: public fields first, scratch fields (`_name`) last, padded to
8 bytes, so that equality, hashes and logs see a prefix of whole words. Compiled code reads the record
directly. Plain Python reads it through `State` and `Cells`, which return Python ints and raise on overflow and on
unknown fields, where NumPy would wrap around or return one of its own methods.
"""

from __future__ import annotations

import functools
import json
import keyword
import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from kibitz.errors import KibitzError, RulesError

Field = tuple[str, str] | tuple[str, str, Any]
SHOWN = 500  # characters of a position in its repr
KINDS = {"i1", "i2", "i4", "i8", "f8", "u8"}


def layout(fields: Sequence[Field], owner: str = "game") -> np.dtype:
    """Build the dtype of a game's record from the list that its `fields` method returns."""
    if not isinstance(fields, Sequence):
        raise RulesError(f'{owner}.fields: must return a list such as [("turn", "i1")], not {fields!r}.')
    names: list[str] = []
    formats: list[np.dtype] = []
    for field in fields:
        if not isinstance(field, tuple | list) or len(field) not in (2, 3):
            raise RulesError(f'{owner}.fields: {field!r} must have a name and a type, as in ("board", "i1", 9).')
        name, kind, shape = (*field, ())[:3]
        if not _can_be_field(name):
            raise RulesError(f"{owner}.fields: {name!r} is not a valid field name.")
        if name in names:
            raise RulesError(f"{owner}.fields: the field {name!r} is defined twice.")
        if kind not in KINDS:
            kinds = ", ".join(sorted(KINDS))
            raise RulesError(f"{owner}.fields: {name!r} has the type {kind!r}; it must be one of {kinds}.")
        names.append(name)
        try:
            formats.append(np.dtype((kind, shape)))
        except (TypeError, ValueError):
            raise RulesError(f"{owner}.fields: {name!r} cannot have the shape {shape!r}.") from None
    if "turn" not in names or formats[names.index("turn")] != np.dtype("i1"):
        raise RulesError(f'{owner}.fields: a field ("turn", "i1") is required; it says who acts.')
    ordered, offsets, size = [], [], 0
    for scratch in (False, True):
        group = [i for i, name in enumerate(names) if is_scratch(name) == scratch]
        # Widest alignment first: every field is aligned without gaps. numba expects the names in memory order.
        for i in sorted(group, key=lambda i: -formats[i].alignment):
            ordered.append(i)
            offsets.append(size)
            size += formats[i].itemsize
        size += -size % 8
    spec = {
        "names": [names[i] for i in ordered],
        "formats": [formats[i] for i in ordered],
        "offsets": offsets,
        "itemsize": size,
    }
    return np.dtype(spec, align=True)  # type: ignore[call-overload]


def _can_be_field(name: Any) -> bool:
    # In plain mode, a field could not be read if State had an attribute of the same name (`copy`, `record` …).
    word = isinstance(name, str) and name.isidentifier() and not keyword.iskeyword(name)
    return word and not name.startswith("__") and not hasattr(State, name)


def is_scratch(name: str) -> bool:
    """Whether a field is scratch space, which equality, hashes, logs and redaction ignore."""
    return name.startswith("_")


@functools.cache
def public_words(dtype: np.dtype) -> int:
    """The number of 8-byte words at the start of a record that hold its public fields."""
    public = (
        (kind.itemsize, offset) for name, (kind, offset, *_) in (dtype.fields or {}).items() if not is_scratch(name)
    )
    return -(-max(size + offset for size, offset in public) // 8)


def _arithmetic(operation: Callable[[Any, Any], Any]) -> tuple[Any, Any, Any]:
    """The three methods of an operator on Cells: `a + b`, the same with Cells on the right only, and `a += b`."""

    def forward(self: Cells, other: Any) -> Cells:
        return _computed(operation, self._array, _operand(other, self._name), self._name)

    def reflected(self: Cells, other: Any) -> Cells:
        return _computed(operation, _operand(other, self._name), self._array, self._name)

    def in_place(self: Cells, other: Any) -> Cells:
        self[...] = forward(self, other)
        return self

    return forward, reflected, in_place


def _elementwise(operation: Callable[[Any, Any], Any]) -> Any:
    """A comparison on Cells, cell by cell."""

    def compare(self: Cells, other: Any) -> Cells:
        return Cells(operation(self._array, _operand(other, self._name)), self._name)

    return compare


def _method(name: str) -> Any:
    """A method of NumPy's arrays, with Python numbers as its results."""

    def call(self: Cells, *args: Any, **options: Any) -> Any:
        return self._plain(getattr(self._array, name)(*args, **options))

    return call


def _attribute(name: str) -> Any:
    return property(lambda self: self._plain(getattr(self._array, name)))


class Cells:
    """An array as rules see it in plain mode: a NumPy array with Python numbers in and out; overflow raises.

    Operators and methods work as in compiled code, where an integer that is not from an array counts as an i8.
    """

    __slots__ = ("_array", "_name")
    __array_priority__ = 1000  # so that NumPy arrays leave `array + cells` to Cells

    def __init__(self, array: np.ndarray, name: str = "array") -> None:
        self._array = array
        self._name = name

    def __getitem__(self, index: Any) -> Any:
        value = self._array[index]
        if isinstance(value, np.ndarray):
            return Cells(value, self._name)
        return State(value) if isinstance(value, np.void) else value.item()

    def __setitem__(self, index: Any, value: Any) -> None:
        if self._array.dtype.names:
            self._array[index] = value.record
        else:
            self._array[index] = _checked(value, self._array.dtype, self._name)

    # Each by its name: a `__getattr__` for all of them would slow down every access to a cell.
    all = _method("all")
    any = _method("any")
    argmax = _method("argmax")
    argmin = _method("argmin")
    argsort = _method("argsort")
    astype = _method("astype")
    copy = _method("copy")
    cumprod = _method("cumprod")
    cumsum = _method("cumsum")
    flatten = _method("flatten")
    max = _method("max")
    mean = _method("mean")
    min = _method("min")
    nonzero = _method("nonzero")
    prod = _method("prod")
    ravel = _method("ravel")
    reshape = _method("reshape")
    sort = _method("sort")
    std = _method("std")
    sum = _method("sum")
    tolist = _method("tolist")
    var = _method("var")
    T = _attribute("T")
    dtype = _attribute("dtype")
    ndim = _attribute("ndim")
    shape = _attribute("shape")
    size = _attribute("size")

    def _plain(self, value: Any) -> Any:
        """A result of NumPy's as rules see it."""
        if isinstance(value, np.ndarray):
            return Cells(value, self._name)
        if isinstance(value, tuple):
            return tuple(map(self._plain, value))
        return value.item() if isinstance(value, np.generic) else value

    def fill(self, value: Any) -> None:
        """Write the same value into every cell."""
        self[...] = value

    __eq__ = _elementwise(operator.eq)
    __ne__ = _elementwise(operator.ne)
    __lt__ = _elementwise(operator.lt)
    __le__ = _elementwise(operator.le)
    __gt__ = _elementwise(operator.gt)
    __ge__ = _elementwise(operator.ge)
    __add__, __radd__, __iadd__ = _arithmetic(operator.add)
    __sub__, __rsub__, __isub__ = _arithmetic(operator.sub)
    __mul__, __rmul__, __imul__ = _arithmetic(operator.mul)
    __truediv__, __rtruediv__, __itruediv__ = _arithmetic(operator.truediv)
    __floordiv__, __rfloordiv__, __ifloordiv__ = _arithmetic(operator.floordiv)
    __mod__, __rmod__, __imod__ = _arithmetic(operator.mod)
    __pow__, __rpow__, __ipow__ = _arithmetic(operator.pow)
    __lshift__, __rlshift__, __ilshift__ = _arithmetic(operator.lshift)
    __rshift__, __rrshift__, __irshift__ = _arithmetic(operator.rshift)
    __and__, __rand__, __iand__ = _arithmetic(operator.and_)
    __or__, __ror__, __ior__ = _arithmetic(operator.or_)
    __xor__, __rxor__, __ixor__ = _arithmetic(operator.xor)
    __hash__ = None  # type: ignore[assignment]

    def __neg__(self) -> Cells:
        if self._array.dtype.kind == "f":
            return Cells(-self._array, self._name)
        return _computed(operator.sub, np.zeros((), self._array.dtype), self._array, self._name)

    def __invert__(self) -> Cells:
        return Cells(~self._array, self._name)

    def __bool__(self) -> bool:
        raise ValueError(f"{self._name!r} is an array, neither true nor false as a whole; use .any() or .all()")

    def __contains__(self, value: Any) -> bool:
        return (self == value).any()

    def __len__(self) -> int:
        return len(self._array)

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self._array)))

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return np.array(self._array, dtype=dtype)

    def __repr__(self) -> str:
        return repr(self._array.tolist())


def _operand(value: Any, name: str) -> Any:
    """The other side of an operator, with the type that it has in compiled code."""
    if isinstance(value, Cells):
        return value._array
    if isinstance(value, np.ndarray | np.generic):
        return value
    if isinstance(value, bool | float):
        return np.asarray(value)
    if isinstance(value, int):
        return np.asarray(value, "i8" if value < 1 << 63 else "u8")
    raise TypeError(f"{name!r} is an array, which goes with a number or another array, not with {value!r}")


def _computed(operation: Callable[[Any, Any], Any], left: Any, right: Any, name: str) -> Cells:
    """The result of an operator. Narrow integers are computed as wide ones, to raise where they would wrap around."""
    dtype = np.result_type(left, right)
    if dtype.kind != "i" or dtype.itemsize == 8:
        return Cells(operation(left, right), name)
    result = operation(left.astype("i8"), right.astype("i8"))
    return Cells(_checked(result, dtype, name).astype(dtype) if result.dtype.kind == "i" else result, name)


class State:
    """A record as plain Python sees it: `s.turn`, `s.board[3]`; Python ints, and errors instead of wrap-around.

    Examples:
        >>> import kibitz
        >>> state = kibitz.Table("connect_four").state
        >>> state.turn, state.plies
        (0, 0)
        >>> copy = state.copy()
        >>> copy.turn = 1
        >>> copy == state
        False
        >>> again = kibitz.State.from_text(state.to_text(), state.record.dtype)
        >>> again == state, again.public_bytes() == state.without_scratch().public_bytes()
        (True, True)
    """

    __slots__ = ("record",)
    record: np.void

    def __init__(self, record: np.void | State) -> None:
        object.__setattr__(self, "record", record.record if isinstance(record, State) else record)

    def __getattr__(self, name: str) -> Any:
        try:
            value = self.record[name]
        except ValueError:
            raise AttributeError(self._unknown(name)) from None
        return Cells(value, name) if isinstance(value, np.ndarray) else value.item()

    def __setattr__(self, name: str, value: Any) -> None:
        fields = self.record.dtype.fields
        if fields is None or name not in fields:
            raise AttributeError(self._unknown(name))
        dtype = fields[name][0].base
        self.record[name] = _checked(value, dtype, name)

    def _unknown(self, name: str) -> str:
        return f"the state has no field {name!r}; its fields are {', '.join(self.record.dtype.names or ())}"

    def copy(self) -> State:
        """An independent copy."""
        fresh = np.zeros(1, self.record.dtype)
        fresh[0] = self.record
        return State(fresh[0])

    def without_scratch(self) -> State:
        """A copy with all scratch fields set to zero: just the position."""
        fresh = np.zeros(1, self.record.dtype)
        words = public_words(self.record.dtype)
        fresh.view("u8")[:words] = np.frombuffer(self.public_bytes(), "u8")
        return State(fresh[0])

    def public_bytes(self) -> bytes:
        """The public fields as bytes, equal if and only if the positions are equal."""
        return self.record.tobytes()[: 8 * public_words(self.record.dtype)]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, State) or other.record.dtype != self.record.dtype:
            return NotImplemented
        return self.public_bytes() == other.public_bytes()

    __hash__ = None  # type: ignore[assignment]  # states are mutable

    def to_text(self) -> str:
        """The position as one line of text that `from_text` reads back."""
        return json.dumps(public_values(self), separators=(",", ":"))

    @classmethod
    def from_text(cls, text: str, dtype: np.dtype) -> State:
        """Read a position that `to_text` wrote; scratch fields are zero."""
        state = cls(np.zeros(1, dtype)[0])
        names = {n for n in dtype.names or () if not is_scratch(n)}
        try:
            values = json.loads(text)
        except json.JSONDecodeError as error:
            raise KibitzError(
                f"This is not a valid position ({error}); `position` in `kibitz play` and State.to_text() write one."
            ) from None
        if not isinstance(values, dict) or set(values) != names:
            raise KibitzError(f"A position of this game must have exactly the fields {', '.join(sorted(names))}.")
        for name, value in values.items():
            try:
                array = np.array(value)
                if array.shape != state.record[name].shape:
                    raise ValueError
                setattr(state, name, value if array.shape == () else array)
            except (TypeError, ValueError, OverflowError):
                raise KibitzError(f"The field {name!r} of this position does not fit the game.") from None
        return state

    def __reduce__(self) -> Any:
        return _unpickled, (self.record.dtype, self.record.tobytes())

    def __repr__(self) -> str:
        text = self.to_text()
        return f"State({text if len(text) <= SHOWN else text[:SHOWN] + '…'})"


def public_values(state: State) -> dict[str, Any]:
    """The public fields of a position by name, as Python numbers and lists."""
    record = state.record
    return {name: record[name].tolist() for name in record.dtype.names or () if not is_scratch(name)}


def _unpickled(dtype: np.dtype, content: bytes) -> State:
    return State(np.frombuffer(bytearray(content), dtype)[0])


def _checked(value: Any, dtype: np.dtype, name: str) -> Any:
    """The value to store, or an OverflowError or TypeError that names the field."""
    if isinstance(value, Cells):
        value = value._array
    if dtype.kind in "fb":
        return value
    if isinstance(value, np.ndarray | list | tuple):
        array = np.asarray(value)
        if array.dtype.kind not in "iub":
            raise TypeError(f"{name!r} holds integers, not {array.dtype}")
        if array.size:
            _check_range(int(array.min()), dtype, name)
            _check_range(int(array.max()), dtype, name)
        return array
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name!r} holds integers, not {value!r}") from None
    _check_range(number, dtype, name)
    return number


def _check_range(number: int, dtype: np.dtype, name: str) -> None:
    limits = np.iinfo(dtype)
    if not limits.min <= number <= limits.max:
        raise OverflowError(f"{number} does not fit in the field {name!r} ({dtype.str[1:]})")
