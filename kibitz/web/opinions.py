"""What a search thinks of a position, for the page: every legal move ranked, better from round to round."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from functools import partial
from threading import Event
from typing import Any

from kibitz.display.wording import probability_words, value_words
from kibitz.players.bot import Report
from kibitz.players.limit import Limit
from kibitz.rules.contract import Game
from kibitz.table import View
from kibitz.web.judges import Judges
from kibitz.web.lanes import Lane
from kibitz.web.thinking_pool import ThinkingPool

POSITION_SECONDS = tuple(0.1 * 2**doubling for doubling in range(8))  # for each round
LONGEST_LINE = 10
NOTHING: dict[str, Any] = {"work": "", "exact": False, "value": None, "chances": True, "outlook": "", "moves": []}


async def opinions(pool: ThinkingPool, client: str, view: View, spec: str = "") -> AsyncGenerator[dict[str, Any], None]:
    """Rank the moves of a position, each round with a longer search, until nothing can change any more.

    Without a `spec`, the judge of the game does so.
    """
    work, analysis = 0, object()
    try:
        for number, seconds in enumerate(POSITION_SECONDS, 1):
            look = partial(_look, pool.judges, analysis, spec, view, seconds)
            report, moves, is_chance = await pool.run(look, Lane.ANALYSIS, client)
            work += report.work
            settled = not report.work or all(move["exact"] for move in moves)
            done = settled or number == len(POSITION_SECONDS)
            yield {
                "work": f"{work:,} {report.unit}",
                "exact": report.best.exact,
                "value": report.value,
                "chances": is_chance,
                "outlook": outlook(view.game, report.value, is_chance),
                "moves": moves,
                "done": done,
            }
            if done:
                return
    finally:
        pool.judges.dismiss(analysis)


def _look(
    judges: Judges, analysis: object, spec: str, view: View, seconds: float, stop: Event
) -> tuple[Report, list[dict[str, Any]], bool]:
    """What a judge reports of a position, its moves for the page, and whether its values are chances to win."""
    with judges.judging(analysis, view.game, stop, spec) as judge:
        report, network = judge.look(view, Limit(seconds=seconds, stop=stop)), judge.opinion(view)
        is_chance = judge.knows_chances
    moves: list[dict[str, Any]] = []
    for ranked in report.moves:
        line = view.line_names(ranked.line[:LONGEST_LINE])
        moves.append(
            {
                "move": ranked.move,
                "name": view.name(ranked.move),
                "say": view.say(ranked.move),
                "clicks": view.board.clicks(view.game, view.state, ranked.move),
                "landing": [piece.document() for piece in view.board.landing(view.game, view.state, ranked.move)],
                "value": ranked.value,
                "words": worth(view.game, ranked.value),
                "visits": ranked.visits,
                "exact": ranked.exact,
                "network": _probability(network.get(ranked.move, ranked.prior)),
                "line": line,
                "say_line": view.say_line(ranked.line[:LONGEST_LINE]),
                "line_moves": list(ranked.line[: len(line)]),
            }
        )
    return report, moves, is_chance


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
