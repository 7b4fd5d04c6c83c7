"""Options of bots, declared as fields: their default, their bounds, and what remote clients may choose.

    @dataclass
    class MyBot(kibitz.Bot):
        tries: int = option(1000, low=1, public=50_000)  # remote clients, such as browsers, get at most 50,000
        ms: int = option(0, low=0, limits="ms")          # how long it may search; 0: its default limit
        mood: str = option("calm", choices=("calm", "bold"))
        book: str = option("", names=FILE)               # names a file, which remote clients must never do
        by: str = option("", names=BOT)                  # the spec of another bot, to which the same rules apply

A field without `option(…)` works too, but remote clients cannot set it.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Mapping
from typing import Any

from kibitz.errors import SpecError

FILE, BOT = "file", "bot"  # what a text option can name
DECLARATION = "option"  # the key of a field's metadata


@dataclasses.dataclass(frozen=True)
class Option:
    """One option of a bot."""

    default: Any
    low: float | None = None
    high: float | None = None
    public: float | None = None  # the highest value a remote client may choose; None: no extra limit
    limits: str = ""  # the limit of a search that it sets: "sims", "nodes", "depth" or "ms"; 0 sets none
    unless: tuple[str, ...] = ()  # options that replace its default, which is that of the search's default limit
    choices: tuple[str, ...] = ()
    names: str = ""  # FILE or BOT: what its text names, if it is not one of the choices
    public_choices: tuple[str, ...] = ()  # texts that remote clients may choose although others name files
    declared: bool = True  # False: only the default is known

    @property
    def is_public(self) -> bool:
        """Whether remote clients may set it at all."""
        if not self.declared or isinstance(self.default, bool):
            return self.declared
        if isinstance(self.default, str):
            return bool(self.choices or self.public_choices or self.names == BOT)
        return self.public is not None or self.high is not None

    def complaint(self, value: Any) -> str | None:
        """What a value would have to be, such as "at least 0"; None if it is valid."""
        if self.choices and value not in self.choices and self.names != BOT:
            return " or ".join(self.choices)
        if self.low is not None and value < self.low:
            return f"at least {_amount(self.low)}" if self.high is None else self._range()
        if self.high is not None and value > self.high:
            return f"at most {_amount(self.high)}" if self.low is None else self._range()
        return None

    def _range(self) -> str:
        assert self.low is not None and self.high is not None
        return f"from {_amount(self.low)} to {_amount(self.high)}"


def _amount(number: float) -> str:
    return f"{number:,}" if isinstance(number, int) else f"{number:g}"


def option(
    default: Any,
    *,
    low: float | None = None,
    high: float | None = None,
    public: float | None = None,
    limits: str = "",
    choices: tuple[str, ...] = (),
    names: str = "",
    public_choices: tuple[str, ...] = (),
) -> Any:
    """Declare an option as a field of a bot's dataclass.

    Examples:
        >>> from dataclasses import dataclass
        >>> import kibitz
        >>> from kibitz.players.options import option
        >>> @dataclass
        ... class Edges(kibitz.Bot):
        ...     last: bool = option(False)
        ...     def choose(self, view):
        ...         return view.moves[-1] if self.last else view.moves[0]
        ...
        >>> view = kibitz.Table("connect_four").view(0)
        >>> Edges(last=True).choose(view)
        6
    """
    declared = Option(default, low, high, public, limits, (), choices, names, public_choices)
    return dataclasses.field(default=default, metadata={DECLARATION: declared})


@functools.cache
def options_in(cls: type) -> dict[str, Option]:
    """The options of a bot's class: the fields of a dataclass, or else the arguments of `__init__` with defaults."""
    if dataclasses.is_dataclass(cls):
        return {
            f.name: f.metadata.get(DECLARATION) or Option(f.default, declared=False)
            for f in dataclasses.fields(cls)
            if f.init
        }
    if not any({"__init__", "__new__"} & vars(base).keys() for base in cls.__mro__[:-1]):
        return {}  # as most bots from files; the signature of `object` takes a millisecond to find out
    parameters = inspect.signature(cls).parameters.values()
    return {p.name: Option(p.default, declared=False) for p in parameters if p.default is not p.empty}


def check_values(name: str, options: Mapping[str, Option], values: Mapping[str, Any]) -> None:
    """Raise a SpecError if a value is not valid."""
    for key, value in values.items():
        if wanted := options[key].complaint(value):
            raise SpecError(f"{name}: {key} must be {wanted}, not {value}.")
