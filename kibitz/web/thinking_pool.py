"""Threads for everything that takes long: bots' moves, hints and analyses. The event loop only waits for them.

Work is done in lanes (lanes.py). Quick work, such as the moves of bots that answer at once, has threads of its own, so
that no slow bot ever delays it. So have bots in processes of their own, for which a thread only waits: with a low
priority it would be kept waiting by those processes, now and then while it holds the lock of the Python interpreter,
and the event loop with it. Everything else has threads of a low priority, so that the event loop and quick bots come
first on a busy machine. In each lane the clients take turns: who asks for much waits for themselves, not others for
them. Nobody gets all threads of a lane, and analyses come last.

All work is handed an event, which is set when nobody waits for the result any more. A search then ends after its
current slice, and its result is dropped.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
from collections import Counter, OrderedDict, deque
from collections.abc import Callable
from typing import Any, Generic, NamedTuple, TypeVar

from kibitz.web.bot_memory import BotMemory
from kibitz.web.judges import Judges
from kibitz.web.lanes import Lane, ThoughtTimes
from kibitz.web.limits import ThinkingLimits

T = TypeVar("T")
Work = Callable[[threading.Event], T]  # it should return soon after the event is set


class Job(Generic[T]):
    """A piece of work for a thread, and its result for the event loop that asked for it."""

    def __init__(self, work: Work[T], client: str) -> None:
        self.client = client
        self._work: Work[T] | None = work
        self._loop = asyncio.get_running_loop()
        self._stopped = threading.Event()
        self._is_needed = True
        self.result: asyncio.Future[T] = self._loop.create_future()

    def stop(self) -> None:
        """Ask the work to end soon, because nobody needs its result. `ended` waits until it has."""
        self._is_needed = False
        self._stopped.set()

    def hurry(self) -> None:
        """Ask the work to end soon with the best result that it has; `ThinkingPool.hurry` also lets it begin."""
        self._stopped.set()

    async def ended(self) -> None:
        """Wait until no thread works on it any more, whatever its result."""
        with contextlib.suppress(Exception):
            await asyncio.shield(self.result)

    def run(self) -> None:
        """Do the work, if it is still needed; called in a thread."""
        result: Any = None
        failure: BaseException | None = None
        work, self._work = self._work, None  # what it holds, such as a bot with its tree, is not kept any longer
        try:
            if self._is_needed and work is not None:
                result = work(self._stopped)
        except StopIteration as error:  # a future cannot hold one
            failure = RuntimeError(f"StopIteration: {error}")
        except BaseException as error:  # raised again where the result is awaited
            failure = error
        del work
        with contextlib.suppress(RuntimeError):  # the event loop is closed
            self._loop.call_soon_threadsafe(self._settle, result, failure)

    def _settle(self, result: T, failure: BaseException | None) -> None:
        if self.result.cancelled():
            return
        if failure is None:
            self.result.set_result(result)
            return
        self.result.set_exception(failure)
        self.result.exception()  # marks it as retrieved, because nobody may be waiting any more


class FairQueue:
    """Jobs that wait, by client: the clients take turns, and each has at most so many in progress."""

    def __init__(self, per_client: int) -> None:
        self._per_client = per_client
        self._waiting: OrderedDict[str, deque[Job[Any]]] = OrderedDict()  # whose turn it is comes first
        self._running: Counter[str] = Counter()

    def __len__(self) -> int:
        return sum(map(len, self._waiting.values()))

    def add(self, job: Job[Any]) -> None:
        self._waiting.setdefault(job.client, deque()).append(job)

    def next(self) -> Job[Any] | None:
        """Take out the next job that may begin; None if there is none."""
        for client, jobs in self._waiting.items():
            if self._running[client] < self._per_client:
                job = jobs.popleft()
                self._running[client] += 1
                if jobs:
                    self._waiting.move_to_end(client)
                else:
                    del self._waiting[client]
                return job
        return None

    def take_out(self, job: Job[Any]) -> bool:
        """Take out a certain job; whether it was waiting."""
        jobs = self._waiting.get(job.client, deque())
        if job not in jobs:
            return False
        jobs.remove(job)
        if not jobs:
            del self._waiting[job.client]
        return True

    def ended(self, job: Job[Any]) -> None:
        """A job that was taken out is done."""
        self._running[job.client] -= 1
        if not self._running[job.client]:
            del self._running[job.client]


class ThinkingCrew(NamedTuple):
    """Threads that do the same kinds of work."""

    name: str
    threads: int
    lanes: tuple[Lane, ...]  # whose work they do, that of the first one first
    has_low_priority: bool = False


class ThinkingPool:
    """The threads of a server. They are daemons: they end with the process, whatever they are doing."""

    def __init__(self, limits: ThinkingLimits | None = None) -> None:
        limits = limits or ThinkingLimits()
        self.niceness = limits.niceness
        self.times = ThoughtTimes()
        self.memory = BotMemory(limits)
        self.judges = Judges(limits.judges)
        self._queues = {
            Lane.QUICK: FairQueue(max(1, limits.quick - 1)),
            Lane.ELSEWHERE: FairQueue(limits.per_client),
            Lane.SLOW: FairQueue(limits.per_client),
            Lane.ANALYSIS: FairQueue(limits.analyses),
        }
        self._analysing, self._most_analysing = 0, limits.analyses
        self._lock = threading.Lock()
        crews = (
            ThinkingCrew("quick", limits.quick, (Lane.QUICK,)),
            ThinkingCrew("elsewhere", limits.elsewhere, (Lane.ELSEWHERE,)),
            ThinkingCrew("slow", limits.slow, (Lane.SLOW, Lane.ANALYSIS), has_low_priority=True),
        )
        self._wakes: dict[Lane, threading.Condition] = {}  # those of the same crew have the same
        self._open = True
        for crew in crews:
            self._wakes |= dict.fromkeys(crew.lanes, threading.Condition(self._lock))
            for number in range(crew.threads):
                threading.Thread(target=self._work, args=(crew,), name=f"{crew.name}-{number}", daemon=True).start()

    def start(self, work: Work[T], lane: Lane = Lane.SLOW, client: str = "") -> Job[T]:
        """Start some work in a thread, for a client: whoever is behind it, such as an address."""
        job = Job(work, client)
        with self._lock:
            self._queues[lane].add(job)
            self._wakes[lane].notify()
        return job

    async def run(self, work: Work[T], lane: Lane = Lane.SLOW, client: str = "") -> T:
        """The result of some work. If the wait is cancelled, the work is stopped."""
        job = self.start(work, lane, client)
        try:
            return await asyncio.shield(job.result)
        finally:
            self.stop(job)

    def stop(self, job: Job[Any]) -> None:
        """Have some work end soon, because nobody needs its result. If it has not begun, it never will, and what it
        holds is freed at once."""
        job.stop()
        with self._lock:
            is_waiting = any(queue.take_out(job) for queue in self._queues.values())
        if is_waiting:
            job.run()  # which only says that it has ended

    def hurry(self, job: Job[Any]) -> None:
        """Have some work end soon with the best result that it has. If it has not begun, it is quick work now."""
        job.hurry()
        with self._lock:
            if any(queue.take_out(job) for queue in self._queues.values()):
                self._queues[Lane.QUICK].add(job)
                self._wakes[Lane.QUICK].notify()

    def waiting(self, lane: Lane | None = None) -> int:
        """How many jobs of a lane, or of all, have not begun."""
        with self._lock:
            return sum(len(queue) for of, queue in self._queues.items() if lane in (None, of))

    def _work(self, crew: ThinkingCrew) -> None:
        """Do one job of a crew after another, until the pool is closed; called in each of its threads."""
        if crew.has_low_priority:
            with contextlib.suppress(AttributeError, OSError):  # not every system has priorities for threads
                os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), self.niceness)
        while (found := self._next(crew.lanes)) is not None:
            job, lane = found
            job.run()
            with self._lock:
                self._queues[lane].ended(job)
                self._analysing -= lane is Lane.ANALYSIS

    def _next(self, lanes: tuple[Lane, ...]) -> tuple[Job[Any], Lane] | None:
        """The next job in some lanes, and its lane; None: the pool is closed."""
        with self._lock:
            while self._open:
                for lane in lanes:
                    if lane is Lane.ANALYSIS and self._analysing >= self._most_analysing:
                        continue
                    if (job := self._queues[lane].next()) is not None:
                        self._analysing += lane is Lane.ANALYSIS
                        return job, lane
                self._wakes[lanes[0]].wait()
        return None

    def close(self) -> None:
        """Start no more jobs."""
        with self._lock:
            self._open = False
            for wake in self._wakes.values():
                wake.notify_all()
