"""The judges of analyses in progress. Each keeps a search tree, so that an analysis goes on where it was interrupted.

A tree takes tens of megabytes, and every socket may have an analysis open: only the judges that were used last are
kept, beside those that search now. An analysis whose judge is gone begins anew.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from kibitz.analysis.judge import Judge
from kibitz.rules.contract import Game
from kibitz.web.recent import Recent


class Judges:
    """A few judges, each for one analysis."""

    def __init__(self, most: int) -> None:
        self._kept: Recent[object, Judge] = Recent(most)  # by analysis
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._kept)

    @contextmanager
    def judging(self, analysis: object, game: Game, stop: threading.Event, spec: str = "") -> Iterator[Judge]:
        """The judge of an analysis, which may be any object; without a `spec`, the strongest one.

        Only the thread that searches holds it, and nobody who waits for a thread. After `stop`, the analysis has ended.
        """
        with self._lock:
            judge = self._kept.use(analysis) if analysis in self._kept else None
        if judge is None:
            judge = Judge(game, spec)
            with self._lock:
                self._kept[analysis] = judge
        yield judge
        if stop.is_set():
            self.dismiss(analysis)

    def dismiss(self, analysis: object) -> None:
        """An analysis has ended."""
        with self._lock:
            self._kept.pop(analysis, None)
