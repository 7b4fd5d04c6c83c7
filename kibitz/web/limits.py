"""How much one visitor may ask for, so that nobody takes the server away from the others.

Each limit is a value, and tests set others. What exceeds one is refused with a sentence, and over HTTP with the status
429, or 503 if the server as a whole is busy, and the number of seconds after which it makes sense to try again.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from kibitz.errors import KibitzError
from kibitz.web.recent import Recent

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
class JobLimits:
    """What the processes of the workshop may use, which compile variants."""

    at_once: int = 2
    waiting: int = 20  # jobs, those in progress included
    cpu_seconds: int = 300  # of one job
    seconds: float = 900.0  # after which a job is ended, however little CPU time it was given
    memory: int = 4 << 30  # bytes of address space


@dataclass(frozen=True)
class ThinkingLimits:
    """How many bots think at the same time, and how little they disturb others."""

    quick: int = 4  # threads for bots that answer at once …
    elsewhere: int = 8  # … for all others, which think in processes of a lower priority …
    slow: int = 8  # … and for what takes long in the server's own process, such as hints and analyses
    per_client: int = 6  # of those for other processes, and of the slow ones, for the tables of one client
    analyses: int = 2  # of the slow ones, for analyses
    judges: int = 4  # analyses that keep their search trees while they wait for their next turn
    niceness: int = 19  # of the processes, and of the threads for what takes long
    memory: int = 0  # bytes that the bots of all tables use between their moves; 0: half of the machine's memory …
    client_memory: int = 0  # … and those at the tables of one client; 0: half of that


@dataclass(frozen=True)
class Limits:
    """What one server allows."""

    tables: Rate = Rate(30, 0.2)  # that one address sets up, records included
    questions: Rate = Rate(200, 20)  # that one address asks over HTTP and that cost the server some work
    variants: Rate = Rate(20, 0.1)  # that one address asks for and that nobody has asked for before
    messages: Rate = Rate(100, 30)  # over one socket
    sockets: int = 100  # that one address has open
    opinions: int = 10  # of bots on lines of play, that one address waits for
    deserted: float = 180.0  # seconds after which a table that nobody watches is put away, with its bots
    jobs: JobLimits = field(default_factory=JobLimits)
    thinking: ThinkingLimits = field(default_factory=ThinkingLimits)
    tournaments: Rate = Rate(10, 1 / 60)  # that one address begins, resumes or has a report written of


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
        self._by_address: Recent[str, Allowance] = Recent(MOST_REMEMBERED)

    def take(self, address: str) -> None:
        """Count one more from an address; TooOften if that is too many."""
        if address not in self._by_address:
            self._by_address[address] = Allowance(self._rate, self._now)
        if (seconds := self._by_address.use(address).wait()) > 0:
            raise TooOften("You are asking for too much at once; please wait a moment.", seconds)
