"""What a search thinks of a position, for the page: every legal move ranked, better from round to round."""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import partial
from threading import Event
from typing import Any

from kibitz.analysis.judge import Judge
from kibitz.display.wording import probability_words, value_words
from kibitz.players.bot import Report
from kibitz.players.limit import Limit
from kibitz.rules.contract import Game
from kibitz.table import View
from kibitz.web.lanes import Lane
from kibitz.web.thinking_pool import ThinkingPool

POSITION_SECONDS = tuple(0.1 * 2**doubling for doubling in range(8))  # for each round
LONGEST_LINE = 10
NOTHING: dict[str, Any] = {"work": "", "exact": False, "value": None, "chances": True, "outlook": "", "moves": []}


async def opinions(pool: ThinkingPool, client: str, view: View, spec: str = "") -> AsyncIterator[dict[str, Any]]:
    """Rank the moves of a position, each round with a longer search, until nothing can change any more.

    Without a `spec`, the judge of the game does so.
    """
    work, analysis = 0, object()
    try:
        for number, seconds in enumerate(POSITION_SECONDS, 1):
            judge = pool.judges.of(analysis, view.game, spec)
            report, moves = await pool.run(partial(_look, judge, view, seconds), Lane.ANALYSIS, client)
            work += report.work
            settled = not report.work or all(move["exact"] for move in moves)
            done = settled or number == len(POSITION_SECONDS)
            yield {
                "work": f"{work:,} {report.unit}",
                "exact": report.best.exact,
                "value": report.value,
                "chances": judge.knows_chances,
                "outlook": outlook(view.game, report.value, judge.knows_chances),
                "moves": moves,
                "done": done,
            }
            if done:
                return
    finally:
        pool.judges.dismiss(analysis)


def _look(judge: Judge, view: View, seconds: float, stop: Event) -> tuple[Report, list[dict[str, Any]]]:
    report, network = judge.look(view, Limit(seconds=seconds, stop=stop)), judge.opinion(view)
    moves: list[dict[str, Any]] = []
    for ranked in report.moves:
        line = view.line_names(ranked.line[:LONGEST_LINE])
        moves.append(
            {
                "move": ranked.move,
                "name": view.name(ranked.move),
                "clicks": view.board.clicks(view.game, view.state, ranked.move),
                "landing": [piece.document() for piece in view.board.landing(view.game, view.state, ranked.move)],
                "value": ranked.value,
                "words": worth(view.game, ranked.value),
                "visits": ranked.visits,
                "exact": ranked.exact,
                "network": _probability(network.get(ranked.move, ranked.prior)),
                "line": line,
                "line_moves": list(ranked.line[: len(line)]),
            }
        )
    return report, moves


def _probability(probability: float | None) -> dict[str, Any] | None:
    """What a network thinks of a move; None if there is no network."""
    if probability is None:
        return None
    return {"value": probability, "words": probability_words(probability).replace("%", " %")}


def outlook(game: Game, value: float, is_chance: bool) -> str:
    """What the player to move can expect."""
    if game.has_utilities:
        return f"expected utility {worth(game, value)}"
    return f"{worth(game, value, 0)} to win" if is_chance else f"evaluation {worth(game, value, 0)}"


def worth(game: Game, value: float, decimals: int = 1) -> str:
    """A value in words."""
    return value_words(game, value, decimals).replace("%", " %")
