"""Asks bots for their moves and tells them how the game ended. Any misbehaviour of a bot becomes a BotFault."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from typing import Any

from kibitz.errors import BotFault, IllegalMove, NotCompiled, RulesError
from kibitz.players.bot import Player, Searcher
from kibitz.players.limit import Limit
from kibitz.players.process_bot import ProcessBot
from kibitz.rules.registry import is_shipped, spec_of
from kibitz.rules.source import place_of_exception
from kibitz.table import Table, View


def view_for(player: Player, table: Table, seat: int, time: float | None = None) -> View:
    """What a bot is shown; for a program that does not know the rules, the history in the game's notation, too."""
    return table.view(seat, time, named=isinstance(player, ProcessBot) and player.needs_names)


def ask(view: View, player: Player, name: str, limit: Limit | None = None) -> int:
    """Ask a bot for a legal move, which it can also name; BotFault if it fails. Only Searchers receive the limit."""
    legal = frozenset(view.moves)
    try:
        move = player.choose(view, limit) if isinstance(player, Searcher) else player.choose(view)
        number = _number(view, move)
    except (BotFault, NotCompiled, RulesError):
        raise  # a mistake in the rules is not the bot's fault
    except Exception as error:
        if isinstance(error, ArithmeticError | IndexError) and is_shipped(type(player)):  # searches run the rules
            raise RulesError(
                f"The rules of {spec_of(view.game)} raised {type(error).__name__} ({error}) while {name} searched; "
                f"run `kibitz check {spec_of(view.game)}` to find the line."
            ) from error
        place = place_of_exception(error)
        where = f" in {place}" if place else ""
        raise BotFault(f"{name} raised {type(error).__name__}{where}: {error}", kind="exception") from error
    if number not in legal:
        raise BotFault(f"{name} played an illegal move: {move!r:.60}.", kind="illegal move")
    return number


def _number(view: View, move: Any) -> int | None:
    """The number of a move; None if it is neither an integer nor the name of a legal move."""
    if isinstance(move, str):
        with contextlib.suppress(IllegalMove):
            return view.parse(move)
        return None
    return None if isinstance(move, bool) or not hasattr(move, "__index__") else int(move)


def take_turn(table: Table, player: Player, name: str, limit: Limit | None = None) -> int:
    """Let a bot make its move; if it fails, raise BotFault and leave the table unchanged."""
    move = ask(view_for(player, table, table.turn), player, name, limit)
    table.play(move)
    return move


def tell_end(table: Table, players: Mapping[int, Player], payoff: Sequence[float]) -> None:
    """Tell the bots that have a method `game_over(view, payoff)` how the game ended."""
    for seat, player in players.items():
        with contextlib.suppress(Exception):  # the game is over; a failing bot changes nothing
            if isinstance(player, ProcessBot):
                score = table.score() if table.over else None
                player.game_ended(view_for(player, table, seat), payoff, score, table.seats)
            elif hasattr(player, "game_over"):
                player.game_over(table.view(seat), payoff)
