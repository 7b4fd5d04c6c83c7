"""Plays games in several threads: sufficient for compiled code, which releases the GIL."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor

from kibitz.tournament.plan import Contest, Take, Task


class Threads:
    """Plays in threads, each at its own table. The calling thread plays, too, instead of waiting.

    Each thread passes on the games that it played itself, because they are still in its core's cache: another thread
    would read them at half the speed.
    """

    def __init__(self, count: int) -> None:
        self._count = count

    def play(self, contest: Contest, tasks: Iterator[Task], take: Take) -> Generator[None]:
        asking = threading.Lock()
        ended = threading.Event()

        def next_task() -> Task | None:
            with asking:
                return next(tasks, None)

        with contextlib.ExitStack() as stack:
            own, *others = (stack.enter_context(contextlib.closing(contest.match())) for _ in range(self._count))

            def help_out(match: object) -> None:
                while not ended.is_set() and (task := next_task()):
                    take([(task[0], contest.play(match, task))])  # type: ignore[arg-type]

            with ThreadPoolExecutor(self._count) as pool:
                helpers = [pool.submit(help_out, match) for match in others]
                try:
                    while task := next_task():
                        take([(task[0], contest.play(own, task))])
                        for helper in helpers:
                            if helper.done():
                                helper.result()
                        yield
                    for helper in helpers:
                        helper.result()
                finally:
                    ended.set()
