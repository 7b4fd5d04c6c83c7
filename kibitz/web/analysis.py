"""Analysis at a table: all legal moves of a position, ranked, and hints. reviews.py judges a whole game.

The analysis gets better as long as somebody looks at it: every round searches longer than the one before.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import aclosing
from functools import partial
from threading import Event
from typing import Any

from kibitz.analysis.judge import Judge
from kibitz.display.board import Board, board_of
from kibitz.display.wording import capital
from kibitz.errors import KibitzError
from kibitz.players.bot import Report
from kibitz.players.limit import Limit
from kibitz.rules.contract import CHANCE, OVER
from kibitz.table import View
from kibitz.web.access import Access
from kibitz.web.history import GameHistory
from kibitz.web.lanes import Lane
from kibitz.web.opinions import NOTHING, opinions, outlook
from kibitz.web.results import spoken_board
from kibitz.web.room import Room
from kibitz.web.thinking_pool import ThinkingPool

HINT_SECONDS = 1.0

Send = Callable[[dict[str, Any]], None]


async def analyse(pool: ThinkingPool, client: str, room: Room, access: Access, ply: int | None, send: Send) -> None:
    """Rank the moves of a position, each round with a longer search, until nothing can change any more."""
    history = history_to_analyse(room, access)
    ply = len(history) if ply is None else min(ply, len(history))
    player = history.turn(ply)
    about = {"type": "analysis", "ply": ply, "player": player}
    if player in (CHANCE, OVER) or not may_see(room, access, history, ply):
        send({**about, **NOTHING, "done": True})
        return
    async with aclosing(opinions(pool, client, history.view(ply, player, board_for(room, access)))) as rounds:
        async for found in rounds:
            send({**about, **found})


def history_to_analyse(room: Room, access: Access) -> GameHistory:
    """The history of a game, if somebody may analyse it now."""
    if not room.rights(access).may_analyse or room.history is None:
        raise KibitzError("This game can be analysed when it is over.")
    return room.history


def board_for(room: Room, access: Access) -> Board:
    """The Board that speaks to whoever asks."""
    return spoken_board(room.setting, access, board_of(room.setting.game))


def may_see(room: Room, access: Access, history: GameHistory, ply: int) -> bool:
    """Whether somebody may see a position from the point of view of the player to move."""
    return room.over or not room.setting.game.has_hidden_information or history.turn(ply) in access.seats


async def hint(pool: ThinkingPool, client: str, room: Room, access: Access) -> dict[str, Any]:
    """A good move, and the chance to win with it, or the utility to expect."""
    if not room.rights(access).may_hint or room.history is None:
        raise KibitzError("You can ask for a hint when it is your turn, if you play alone against bots.")
    version, view = room.version, room.history.view(len(room.history), room.turn, board_for(room, access))
    report, is_chance = await pool.run(partial(_consider, view), Lane.SLOW, client)
    move, board = report.best.move, view.board
    exactly = " (exact)" if report.best.exact else ""
    words = f"{capital(view.say(move))}: {outlook(view.game, report.value, is_chance)}{exactly}"
    clicks = board.clicks(view.game, view.state, move)
    said = {"move": move, "name": view.name(move), "say": view.say(move)}
    return {"type": "hint", "version": version, **said, "clicks": clicks, "words": words}


def _consider(view: View, stop: Event) -> tuple[Report, bool]:
    judge = Judge(view.game)
    return judge.look(view, Limit(seconds=HINT_SECONDS, stop=stop)), judge.knows_chances
