"""Analysis on the page: all legal moves of a position, ranked, and the moves that decided a game.

The analysis gets better as long as somebody looks at it: every round searches longer than the one before.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from threading import Event
from typing import Any

from kibitz.analysis.judge import Judge
from kibitz.analysis.review import Judged, judge_move, worst_moves
from kibitz.display.board import Board, board_of
from kibitz.display.wording import capital, loss_words, probability_words, value_words
from kibitz.errors import KibitzError
from kibitz.players.bot import Report
from kibitz.players.limit import Limit
from kibitz.rules.contract import CHANCE, OVER, Game
from kibitz.table import View
from kibitz.web.access import Access
from kibitz.web.history import GameHistory
from kibitz.web.lanes import Lane
from kibitz.web.results import spoken_board
from kibitz.web.room import Room
from kibitz.web.thinking_pool import ThinkingPool

POSITION_SECONDS = tuple(0.1 * 2**doubling for doubling in range(8))  # for each round
REVIEW_SECONDS = (0.04, 0.16, 0.64)  # for each move of a game, round by round
HINT_SECONDS = 1.0
LONGEST_LINE = 10
MOST_BLUNDERS = 10
UPDATE_SECONDS = 0.2  # from one update of a review to the next

Send = Callable[[dict[str, Any]], None]


# ------------------------------------------------------------------ one position


async def analyse(pool: ThinkingPool, client: str, room: Room, access: Access, ply: int | None, send: Send) -> None:
    """Rank the moves of a position, each round with a longer search, until nothing can change any more."""
    history = _history(room, access)
    ply = len(history) if ply is None else min(ply, len(history))
    player = history.turn(ply)
    about = {"type": "analysis", "ply": ply, "player": player, "work": "", "exact": False}
    nothing: dict[str, Any] = {"value": None, "outlook": "", "moves": []}
    if player in (CHANCE, OVER) or not _may_see(room, access, history, ply):
        send({**about, **nothing, "done": True})
        return
    view, work, analysis = history.view(ply, player, _board(room, access)), 0, object()
    try:
        for number, seconds in enumerate(POSITION_SECONDS, 1):
            judge = pool.judges.of(analysis, view.game)
            report, moves = await pool.run(partial(_look, judge, view, seconds), Lane.ANALYSIS, client)
            work += report.work
            settled = not report.work or all(move["exact"] for move in moves)
            done = settled or number == len(POSITION_SECONDS)
            amount = _amount(work, report.unit)
            found = {"work": amount, "exact": report.best.exact, "value": report.value, "moves": moves}
            send({**about, **found, "outlook": _outlook(view.game, report.value), "done": done})
            if done:
                return
    finally:
        pool.judges.dismiss(analysis)


def _look(judge: Judge, view: View, seconds: float, stop: Event) -> tuple[Report, list[dict[str, Any]]]:
    report, network = judge.look(view, Limit(seconds=seconds, stop=stop)), judge.opinion(view)
    moves = [
        {
            "move": ranked.move,
            "name": view.name(ranked.move),
            "say": view.say(ranked.move),
            "clicks": view.board.clicks(view.game, view.state, ranked.move),
            "value": ranked.value,
            "words": _worth(view.game, ranked.value),
            "visits": ranked.visits,
            "exact": ranked.exact,
            "network": _opinion(network.get(ranked.move, ranked.prior)),
            "line": view.line_names(ranked.line[:LONGEST_LINE]),
            "say_line": view.say_line(ranked.line[:LONGEST_LINE]),
        }
        for ranked in report.moves
    ]
    return report, moves


def _opinion(probability: float | None) -> dict[str, Any] | None:
    """What a network thinks of a move; None if there is no network."""
    if probability is None:
        return None
    return {"value": probability, "words": probability_words(probability).replace("%", " %")}


def _history(room: Room, access: Access) -> GameHistory:
    if not room.rights(access).may_analyse or room.history is None:
        raise KibitzError("This game can be analysed when it is over.")
    return room.history


def _board(room: Room, access: Access) -> Board:
    """The Board that speaks to whoever asks."""
    return spoken_board(room.setting, access, board_of(room.setting.game))


def _may_see(room: Room, access: Access, history: GameHistory, ply: int) -> bool:
    """Whether somebody may see a position from the point of view of the player to move."""
    return room.over or not room.setting.game.has_hidden_information or history.turn(ply) in access.seats


def _amount(work: int, unit: str) -> str:
    return f"{work:,} {unit}"


async def hint(pool: ThinkingPool, client: str, room: Room, access: Access) -> dict[str, Any]:
    """A good move, and the chance to win with it, or the utility to expect."""
    if not room.rights(access).may_hint or room.history is None:
        raise KibitzError("You can ask for a hint when it is your turn, if you play alone against bots.")
    version, view = room.version, room.history.view(len(room.history), room.turn, _board(room, access))
    report = await pool.run(partial(_consider, view), Lane.SLOW, client)
    move, board = report.best.move, view.board
    exactly = " (exact)" if report.best.exact else ""
    words = f"{capital(view.say(move))}: {_outlook(view.game, report.value)}{exactly}"
    clicks = board.clicks(view.game, view.state, move)
    said = {"move": move, "name": view.name(move), "say": view.say(move)}
    return {"type": "hint", "version": version, **said, "clicks": clicks, "words": words}


def _consider(view: View, stop: Event) -> Report:
    return Judge(view.game).look(view, Limit(seconds=HINT_SECONDS, stop=stop))


def _outlook(game: Game, value: float) -> str:
    """What the player to move can expect."""
    return f"expected utility {_worth(game, value)}" if game.has_utilities else f"{_worth(game, value, 0)} to win"


def _worth(game: Game, value: float, decimals: int = 1) -> str:
    return value_words(game, value, decimals).replace("%", " %")


# ------------------------------------------------------------------ a whole game


async def review(pool: ThinkingPool, client: str, room: Room, access: Access, send: Send) -> None:
    """Judge every decision of the game so far, each round with a longer search."""
    history = _history(room, access)
    plies, analysis = len(history), object()
    board = _board(room, access)
    views = {
        ply: history.view(ply, history.turn(ply), board)
        for ply in range(plies)
        if history.turn(ply) >= 0 and _may_see(room, access, history, ply)
    }
    choices = {ply: view for ply, view in views.items() if len(view.moves) > 1}
    played = {ply: history.played(ply).move for ply in choices}
    judged: dict[int, Judged] = {}
    last_sent = time.monotonic()
    try:
        for seconds in REVIEW_SECONDS:
            for ply, view in choices.items():
                if ply in judged and judged[ply].exact:
                    continue
                work = partial(_judge, pool.judges.of(analysis, view.game), view, played[ply], ply, seconds)
                judged[ply] = await pool.run(work, Lane.ANALYSIS, client)
                if time.monotonic() - last_sent > UPDATE_SECONDS:
                    send(_review(room, judged, done=False))
                    last_sent = time.monotonic()
    finally:
        pool.judges.dismiss(analysis)
    send(_review(room, judged, done=True))


def _judge(judge: Judge, view: View, move: int, ply: int, seconds: float, stop: Event) -> Judged:
    return judge_move(view, judge.look(view, Limit(seconds=seconds, stop=stop)), move, ply + 1)


def _review(room: Room, judged: dict[int, Judged], done: bool) -> dict[str, Any]:
    game, players = room.setting.game, len(room.setting.seats)
    points: list[dict[str, Any]] = []
    for ply, move in sorted(judged.items()):
        values: list[float | None] = [None] * players  # only the mover's chance is known …
        if players == 2 and game.is_constant_sum:  # … unless the other's follows from it
            values = [1 - move.chance] * 2
        values[move.player] = move.chance
        points.append({"ply": ply, "values": values})
    payoff = room.payoff()
    if payoff and room.history:
        points.append({"ply": len(room.history), "values": [game.normalized(paid) for paid in payoff]})
    blunders = [
        {
            "ply": move.ply,
            "seat": move.player,
            "name": move.move,
            "say": move.say,
            "best": move.best,
            "say_best": move.say_best,
            "lost": move.regret,
            "cost": loss_words(game, move.regret, 0).replace("%", " %"),
        }
        for move in worst_moves(list(judged.values()), MOST_BLUNDERS)
    ]
    last = points[-1]["values"] if points else []
    ends = [None if value is None else _worth(game, value, 0) for value in last]
    return {"type": "review", "points": points, "ends": ends, "blunders": blunders, "done": done}
