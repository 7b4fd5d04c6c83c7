"""The strongest player: it tries the moves that pay most in whole games, and plays for the win rather than for coins.

The exact odds say what every move pays on average, desert tiles and all (ev.py). The best few of them are then played
on to the end, thousands of times, by a player that looks the odds up (quick.py): who is ahead and who can afford a risk
shows in who wins these games. What the odds say counts as much as some hundreds of games.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from kibitz.bots import Report, Searcher
from kibitz.compiled import native, numbers
from kibitz.errors import SpecError
from kibitz.game import Game
from kibitz.games.camelup.ev import EvFull, value_moves
from kibitz.search.mc import FlatMonteCarlo
from kibitz.table import View


@dataclass
class Best(Searcher):
    """Plays the moves that pay most on to the end, thousands of times, and takes the one that wins most."""

    sims: int = 2000  # games played on for a move
    ms: int = 0  # milliseconds for them, instead
    moves: int = 6  # so many of those that pay most are tried
    trust: int = 300  # the games that what a move pays counts for
    coin: float = 0.04  # what a coin more is worth in shares of the win

    def __post_init__(self) -> None:
        if min(self.sims, self.ms, self.trust) < 0 or self.moves < 1:
            raise SpecError("best needs sims, ms and trust of at least 0 and moves of at least 1.")

    @classmethod
    def misfit(cls, game: Game) -> str | None:
        return EvFull.misfit(game)

    def best(self, view: View) -> Report:
        return self._judged(view, self.moves)

    def analyse(self, view: View) -> Report:
        return self._judged(view, len(view.moves))

    def _judged(self, view: View, most: int) -> Report:
        """Try at most so many moves."""
        start = time.perf_counter()
        game, count = view.game, len(view.moves)
        legal = numbers(count, "i8")
        legal[:] = view.moves
        memory = EvFull().memory(game)
        value_moves(game, native(view.state), memory, legal, count, view.player)
        worth = dict(zip(view.moves, memory[2][:count].tolist(), strict=True))
        tried = sorted(view.moves, key=lambda move: -worth[move])[:most]
        search = FlatMonteCarlo(sims=0 if self.ms else self.sims, ms=self.ms, by="quick", halve=True)
        report = search.analyse_moves(view, tried)
        most = worth[tried[0]]

        def judged(value: float, visits: int, move: int) -> float:
            expected = report.best.value - self.coin * (most - worth[move])
            return (visits * value + self.trust * expected) / (visits + self.trust)

        ranked = [replace(r, value=judged(r.value, r.visits, r.move)) for r in report.moves]
        ranked.sort(key=lambda r: -r.value)
        return replace(report, moves=tuple(ranked), seconds=time.perf_counter() - start)
