"""Plays all games in this thread, one after another."""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Iterator

from kibitz.tournament.plan import Contest, Take, Task


class Serial:
    """Plays in this thread, in order."""

    def play(self, contest: Contest, tasks: Iterator[Task], take: Take) -> Generator[None]:
        with contextlib.closing(contest.match()) as match:
            for task in tasks:
                take([(task[0], contest.play(match, task))])
                yield
