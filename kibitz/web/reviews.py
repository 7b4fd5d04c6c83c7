"""The review of a whole game: how good every move was, how accurately everyone played, and the chances over time."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from threading import Event
from typing import Any

from kibitz.analysis.grades import accuracy
from kibitz.analysis.review import Judged, judge_move
from kibitz.display.wording import loss_words
from kibitz.players.limit import Limit
from kibitz.table import View
from kibitz.web.access import Access
from kibitz.web.analysis import board_for, history_to_analyse, may_see
from kibitz.web.judges import Judges
from kibitz.web.lanes import Lane
from kibitz.web.opinions import worth
from kibitz.web.room import Room
from kibitz.web.thinking_pool import ThinkingPool

REVIEW_SECONDS = (0.04, 0.16, 0.64)  # for each move of a game, round by round
UPDATE_SECONDS = 0.2  # from one update of a review to the next

Send = Callable[[dict[str, Any]], None]


async def review(pool: ThinkingPool, client: str, room: Room, access: Access, send: Send) -> None:
    """Judge every decision of the game so far, each round with a longer search."""
    history = history_to_analyse(room, access)
    plies, analysis = len(history), object()
    board = board_for(room, access)
    views = {
        ply: history.view(ply, history.turn(ply), board)
        for ply in range(plies)
        if history.turn(ply) >= 0 and may_see(room, access, history, ply)
    }
    choices = {ply: view for ply, view in views.items() if len(view.moves) > 1}
    played = {ply: history.played(ply).move for ply in choices}
    judged: dict[int, Judged] = {}
    last_sent = time.monotonic()
    total = len(REVIEW_SECONDS) * len(choices)
    try:
        for number, seconds in enumerate(REVIEW_SECONDS):
            for place, (ply, view) in enumerate(choices.items(), 1):
                if ply in judged and judged[ply].exact:
                    continue
                work = partial(_judge, pool.judges, analysis, view, played[ply], ply, seconds)
                judged[ply] = await pool.run(work, Lane.ANALYSIS, client)
                if time.monotonic() - last_sent > UPDATE_SECONDS:
                    send(_message(room, judged, (number * len(choices) + place) / total))
                    last_sent = time.monotonic()
    finally:
        pool.judges.dismiss(analysis)
    send(_message(room, judged, 1.0))


def _judge(judges: Judges, analysis: object, view: View, move: int, ply: int, seconds: float, stop: Event) -> Judged:
    with judges.judging(analysis, view.game, stop) as judge:
        return judge_move(view, judge.look(view, Limit(seconds=seconds, stop=stop)), move, ply + 1)


def _message(room: Room, judged: dict[int, Judged], progress: float) -> dict[str, Any]:
    game, players = room.setting.game, len(room.setting.seats)
    points = _points(room, judged)
    last = points[-1]["values"] if points else []
    kept = [accuracy([move for move in judged.values() if move.player == player]) for player in range(players)]
    return {
        "type": "review",
        "points": points,
        "ends": [None if value is None else worth(game, value, 0) for value in last],
        "accuracy": [None if share is None else round(share, 3) for share in kept],
        "moves": [
            {
                "ply": move.ply,
                "seat": move.player,
                "name": move.move,
                "say": move.say,
                "best": move.best,
                "say_best": move.say_best,
                "grade": move.grade.value,
                "lost": move.regret,
                "cost": loss_words(game, move.regret, 0).replace("%", " %"),
            }
            for _, move in sorted(judged.items())
        ],
        "progress": round(progress, 3),
        "done": progress >= 1,
    }


def _points(room: Room, judged: dict[int, Judged]) -> list[dict[str, Any]]:
    """The chances of the players over time, as far as they are known."""
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
    return points
