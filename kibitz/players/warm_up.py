"""Warm-ups: games that do not count, played so that everything is compiled before any clock starts.

`rehearse` plays a game of random moves, which compiles the rules. `try_out` asks a bot for its first moves; a search is
given a moment for each. After both, a game compiles nothing and loads nothing.
"""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable

from kibitz.errors import BotFault
from kibitz.players.bot import Player
from kibitz.players.limit import Limit
from kibitz.players.turns import ask, view_for
from kibitz.rules.contract import NOBODY, Game
from kibitz.table import Table, View

SEED = "rehearsal"
LONGEST = 3000  # plies; a game of random moves ends long before
TRIAL_MOVES = 2  # some code runs only from a search's second move on
TRIAL_SECONDS = 0.005  # for a move


def rehearse(game: Game, between: Callable[[], None] = lambda: None) -> View:
    """Play a game of random moves, so that all of its rules are compiled; a spectator's view from the middle of it.

    `between` is called before every move.
    """
    table, dice = Table(game, SEED), random.Random(0)
    seen = [table.view(NOBODY)]
    while not table.over and len(table.history) < LONGEST:
        between()
        table.play(dice.choice(table.view(table.turn).moves))
        seen.append(table.view(NOBODY))
    if table.over:
        table.payoff()
        table.score()
    return seen[len(seen) // 2]


def try_out(game: Game, player: Player, seconds: float = TRIAL_SECONDS) -> None:
    """Ask a bot for the first moves at which it has a choice, in a game that does not count.

    `seconds` is the time that it is told to think for a move. If it fails, that will be seen in a game that counts.
    """
    table, dice = Table(game, SEED), random.Random(0)
    seat, asked = None, 0
    with contextlib.suppress(BotFault):
        while not table.over and asked < TRIAL_MOVES and len(table.history) < LONGEST:
            view = view_for(player, table, table.turn, seconds)
            move = dice.choice(view.moves)
            if len(view.moves) > 1 and seat in (None, table.turn):
                seat, asked = table.turn, asked + 1
                move = ask(view, player, "", Limit(seconds=seconds))
            table.play(move)
