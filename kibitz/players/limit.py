"""Limits of a search: each call receives a Limit, and a Clock measures the time of one search.

Compiled code cannot be interrupted, so searches run in slices of a few milliseconds; between slices, Ctrl-C, clocks and
cancellation take effect. Slicing never changes the result of a search.
"""

from __future__ import annotations

import dataclasses
import math
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from kibitz.compiler import running_time
from kibitz.errors import KibitzError, SpecError
from kibitz.rules.spec import converted, parse_options

SLICE_SECONDS = 0.02
FIRST_SLICE = 200
BUDGETS = ("simulations", "nodes", "depth", "seconds")
WORDS = {"sims": "simulations", "nodes": "nodes", "depth": "depth", "ms": "seconds"}  # their names in specs


@dataclass(frozen=True)
class Limit:
    """The limits of a search, which ends as soon as one of them is reached. None means no limit of that kind.

    Every search obeys `seconds` and `stop`. Which of the others it obeys depends on the search: `uct` counts
    simulations, `alphabeta` nodes and depth.

    Examples:
        >>> import kibitz
        >>> limit = kibitz.Limit(simulations=10_000, seconds=2)
        >>> str(limit), limit.words(), limit.is_empty
        ('sims=10000,ms=2000', {'sims': 10000, 'ms': 2000}, False)
        >>> kibitz.Limit.parse("sims=10000,ms=2000") == limit == kibitz.Limit.of(sims=10_000, ms=2000)
        True
        >>> limit.capped(0.5).seconds
        0.5
        >>> table = kibitz.Table("connect_four")
        >>> kibitz.bot("uct", table.game).analyse(table.view(0), kibitz.Limit(simulations=50)).work
        50
    """

    simulations: int | None = None
    nodes: int | None = None
    depth: int | None = None
    seconds: float | None = None
    stop: threading.Event | None = dataclasses.field(default=None, compare=False)  # once set, the search ends

    def __post_init__(self) -> None:
        for budget in BUDGETS:
            value = getattr(self, budget)
            if value is not None and (not hasattr(value, "__float__") or not 0 < value < math.inf):
                raise KibitzError(f"A limit needs {budget} greater than 0, not {value!r}.")

    @classmethod
    def of(cls, *, sims: int = 0, nodes: int = 0, depth: int = 0, ms: float = 0) -> Limit:
        """The limit set by a bot's options; 0 means no limit."""
        return cls(sims or None, nodes or None, depth or None, ms / 1000 if ms else None)

    @classmethod
    def parse(cls, text: str) -> Limit:
        """Parse a limit as given on the command line: `sims=1000`, `ms=50`, `depth=6,ms=1000`."""
        if "=" not in text:
            raise SpecError(f"A limit is written as sims=1000, nodes=…, depth=… or ms=50, not {text!r}.")
        values = converted(parse_options(text, text), {"sims": 0, "nodes": 0, "depth": 0, "ms": 0.0}, "A limit")
        for key, value in values.items():
            if value <= 0:
                raise SpecError(f"A limit needs {key} greater than 0, not {value:g}.")
        return cls.of(**values)

    @property
    def is_empty(self) -> bool:
        """Whether nothing is limited; `stop` can still end a search."""
        return all(getattr(self, budget) is None for budget in BUDGETS)

    def capped(self, seconds: float | None) -> Limit:
        """The same limit with at most `seconds` seconds; unchanged if None."""
        if seconds is None or (self.seconds is not None and self.seconds <= seconds):
            return self
        return dataclasses.replace(self, seconds=seconds)

    def words(self) -> dict[str, float]:
        """What is limited, by its names in specs: {"sims": 1000}."""
        values = {word: getattr(self, budget) for word, budget in WORDS.items()}
        if self.seconds is not None:
            values["ms"] = 1000 * self.seconds
        return {word: value for word, value in values.items() if value is not None}

    def __str__(self) -> str:
        """The limit as given on the command line."""
        return ",".join(
            f"{word}={value:.12g}" if word == "ms" else f"{word}={value}" for word, value in self.words().items()
        )


LimitLike: TypeAlias = Limit | str  # a limit, or its text: "ms=50"


def as_limit(given: LimitLike | None) -> Limit | None:
    """The limit that is meant; None if none is given."""
    if isinstance(given, str):
        return Limit.parse(given)
    if given is None or isinstance(given, Limit):
        return given
    raise KibitzError(f"A limit is a kibitz.Limit, or a text such as 'ms=50', not {given!r:.60}.")


class Clock:
    """The deadline and the stop event of one search; time runs from when the clock is created.

    Examples:
        >>> from kibitz import Limit
        >>> from kibitz.players.limit import Clock
        >>> Clock(Limit(simulations=10)).left(), Clock(Limit(seconds=60)).part(2).left() <= 30
        (inf, True)
    """

    def __init__(self, limit: Limit) -> None:
        self._end = math.inf if limit.seconds is None else running_time() + limit.seconds
        self._stop = limit.stop

    def left(self) -> float:
        """The remaining seconds; infinite without a limit, 0 once the search has been stopped."""
        if self._stop is not None and self._stop.is_set():
            return 0.0
        return max(0.0, self._end - running_time())

    def part(self, parts: int) -> Clock:
        """A clock for the next of `parts` equal parts of the remaining time."""
        share = Clock(Limit(stop=self._stop))
        if self._end < math.inf:
            share._end = running_time() + self.left() / parts
        return share


def spend(run: Callable[[int], int], units: int | None, clock: Clock) -> int:
    """Call `run(n)` until `units` units are done (None: no limit) or the time is up; return the number done.

    `run(n)` does up to n units of work and returns how many it did; fewer than n means that nothing is left to do. One
    unit is done even if the time is up before it begins, so that every search has an answer.

    Examples:
        >>> from kibitz import Limit
        >>> from kibitz.players.limit import Clock, spend
        >>> spend(lambda count: count, 5000, Clock(Limit(seconds=60)))
        5000
    """
    now, left = running_time(), clock.left()
    done, size = 0, FIRST_SLICE if left > 0 else 1
    while (units is None or done < units) and (left > 0 or not done):
        asked = size if units is None else min(size, units - done)
        worked = run(asked)
        done += worked
        if worked < asked:
            break
        before, now = now, running_time()
        left = clock.left()
        rate = worked / max(now - before, 1e-9)
        size = max(1, int(min(rate * min(SLICE_SECONDS, max(left, 0.0005)), 2.0 * size)))
    return done
