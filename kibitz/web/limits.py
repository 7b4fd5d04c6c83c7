"""How much one visitor may ask for, so that nobody takes the server away from the others.

Each limit is a value, and tests set others. What exceeds one is refused with a sentence, and over HTTP with the status
429, or 503 if the server as a whole is busy, and the number of seconds after which it makes sense to try again.
"""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from kibitz.errors import KibitzError

MOST_REMEMBERED = 10_000  # addresses


class Busy(KibitzError):
    """The server has no room for this now."""

    def __init__(self, words: str, retry_after: float = 30.0) -> None:
        super().__init__(words)
        self.retry_after = math.ceil(retry_after)


class TooOften(Busy):
    """Somebody asks for too much at once."""


@dataclass(frozen=True)
class Rate:
    """So many at once, and then so many per second."""

    burst: int
    per_second: float


@dataclass(frozen=True)
class Limits:
    """What one server allows."""

    tables: Rate = Rate(30, 0.2)  # that one address sets up, records included
    questions: Rate = Rate(200, 20)  # that one address asks over HTTP and that cost the server some work
    messages: Rate = Rate(100, 30)  # over one socket
    sockets: int = 100  # that one address has open


class Allowance:
    """What is left of a rate: a bucket that fills up again."""

    def __init__(self, rate: Rate, now: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._now = now
        self._left = float(rate.burst)
        self._since = now()

    def wait(self) -> float:
        """Take one out. If there is none, nothing is taken; the seconds until there will be one."""
        now = self._now()
        self._left = min(self._rate.burst, self._left + (now - self._since) * self._rate.per_second)
        self._since = now
        if self._left < 1:
            return (1 - self._left) / self._rate.per_second
        self._left -= 1
        return 0.0


class Allowances:
    """The allowance of every address. Those that were used longest ago are forgotten: by then they are full again."""

    def __init__(self, rate: Rate, now: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._now = now
        self._by_address: OrderedDict[str, Allowance] = OrderedDict()

    def take(self, address: str) -> None:
        """Count one more from an address; TooOften if that is too many."""
        if address not in self._by_address:
            self._by_address[address] = Allowance(self._rate, self._now)
            if len(self._by_address) > MOST_REMEMBERED:
                self._by_address.popitem(last=False)
        self._by_address.move_to_end(address)
        if (seconds := self._by_address[address].wait()) > 0:
            raise TooOften("You are asking for too much at once; please wait a moment.", seconds)
