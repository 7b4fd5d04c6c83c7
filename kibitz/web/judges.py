"""The judges of analyses in progress. Each keeps a search tree, so that an analysis goes on where it was interrupted.

A tree takes tens of megabytes, and every socket may have an analysis open: only the judges that were used last are
kept. An analysis whose judge is gone begins anew.
"""

from __future__ import annotations

from kibitz.analysis.judge import Judge
from kibitz.rules.contract import Game
from kibitz.web.recent import Recent


class Judges:
    """A few judges, each for one analysis."""

    def __init__(self, most: int) -> None:
        self._kept: Recent[object, Judge] = Recent(most)  # by analysis

    def __len__(self) -> int:
        return len(self._kept)

    def of(self, analysis: object, game: Game, spec: str = "") -> Judge:
        """The judge of an analysis, which may be any object; without a `spec`, the strongest one."""
        if analysis not in self._kept:
            self._kept[analysis] = Judge(game, spec)
        return self._kept.use(analysis)

    def dismiss(self, analysis: object) -> None:
        """An analysis has ended."""
        self._kept.pop(analysis, None)
