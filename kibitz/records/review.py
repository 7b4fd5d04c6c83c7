"""A recorded game looked at again: what each move was worth to a bot that can say, and what it gave away."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kibitz.bots import Searcher
from kibitz.game import Game
from kibitz.records.record import Record
from kibitz.records.replay import names_of, opening


@dataclass(frozen=True)
class Judged:
    """A move that was chosen among several, as the judge sees it."""

    ply: int  # from 1, chance counted
    player: int
    move: str
    best: str  # the judge's own choice
    chance: float  # the mover's share of the win with the best move …
    regret: float  # … and how much less it is with the one that was played
    exact: bool


def review(
    record: Record, judge: Searcher, game: Game | None = None, progress: Callable[[int, int], None] = lambda a, b: None
) -> list[Judged]:
    """Judge every choice of a recorded game."""
    names = names_of(record, game)  # what cannot be replayed is refused before anything is searched
    table, found = opening(record, game), []
    for ply, (turn, move) in enumerate(zip(record.turns, record.moves, strict=True)):
        if turn >= 0 and len(table.moves()) > 1:
            view = table.view(turn)
            report = judge.analyse(view)
            played = next(ranked for ranked in report.moves if ranked.move == move)
            best = report.best
            # Of moves that are worth the same, the one that was played is as good as any.
            name = names[ply] if played.value == best.value else view.name(best.move)
            regret = max(0.0, best.value - played.value)
            found.append(Judged(ply + 1, turn, names[ply], name, best.value, regret, best.exact and played.exact))
        table.play(move)
        progress(ply + 1, len(record.moves))
    return found
