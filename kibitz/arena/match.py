"""One game between bots. A bot that raises or answers with an illegal move loses it, and the fault is kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kibitz.arena.schedule import Seating
from kibitz.bots import Player, bot
from kibitz.errors import BotFault, IllegalMove, RulesError
from kibitz.game import CHANCE, Game
from kibitz.table import Table


@dataclass(frozen=True)
class Fault:
    """What a bot did wrong."""

    seat: int
    kind: str
    message: str


@dataclass(frozen=True)
class Played:
    """One game of a tournament after it was played."""

    seating: Seating
    payoff: tuple[float, ...]  # by seat
    score: tuple[float, ...] | None  # by seat; None when a fault ended the game
    decisions: int  # moves of players; chance is not counted
    fault: Fault | None = None


def play_game(game: Game, specs: Sequence[str], seed: int | str, seating: Seating) -> Played:
    """Play one game with fresh bots: it depends on the seed, the group and the seats alone."""
    names = [specs[i] for i in seating.bots]
    table = Table(game, seed, number=seating.group, seats=names)
    players = [bot(name, game) for name in names]
    fault = None
    try:
        while not table.over:
            take_turn(table, players[table.turn], names[table.turn])
    except BotFault as error:
        fault = Fault(table.turn, error.kind, str(error))
    return Played(
        seating,
        payoff=tuple(table.payoff()) if fault is None else _forfeit(fault.seat, game.players),
        score=tuple(table.score()) if fault is None else None,
        decisions=sum(ply.turn != CHANCE for ply in table.history),
        fault=fault,
    )


def take_turn(table: Table, player: Player, name: str) -> int:
    """Let a bot make its move; BotFault, with the table unchanged, when it cannot."""
    view = table.view(table.turn)
    try:
        move = player.choose(view)
    except RulesError:
        raise  # the game's mistake, not the bot's
    except Exception as error:
        raise BotFault(f"{name} raised {type(error).__name__}: {error}", kind="exception") from error
    try:
        table.play(move, view.player)
    except IllegalMove:
        raise BotFault(f"{name} answered {move!r:.60}, which is no legal move.", kind="illegal move") from None
    return int(move)


def _forfeit(seat: int, players: int) -> tuple[float, ...]:
    """The payoff of a game that one seat lost by a fault: the others share the win."""
    return tuple(0.0 if player == seat else 1 / max(players - 1, 1) for player in range(players))
