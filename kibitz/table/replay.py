"""Replays recorded games ply by ply and checks them against the current rules."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from kibitz.errors import KibitzError
from kibitz.rules.registry import GameLike
from kibitz.table import Table
from kibitz.table.record import Record


def steps(record: Record, game: GameLike | None = None) -> Iterator[tuple[Table, str]]:
    """Replay a recorded game: yield the table after each ply, with the ply's name in the game's notation.

    It is the same table each time, one ply further. If the rules have changed since the game was played, an error says
    where they differ: a move that is no longer legal, a different end, a different result.
    """
    if len(record.turns) != len(record.moves):
        raise KibitzError(f"This record of {record.game} is damaged: it does not name the player of every move.")
    table = opening(record, game)
    for ply, (turn, move) in enumerate(zip(record.turns, record.moves, strict=True), 1):
        if turn != table.turn:
            raise _changed(record, f"it is not the turn of {table.board.seat(turn)} at ply {ply}")
        if move not in table.moves:
            raise _changed(record, f"move {move} of {table.board.seat(turn)} at ply {ply} is illegal")
        name = table.name(move)
        table.play(move)
        yield table, name
    if table.over != record.over:
        raise _changed(record, "the game is not over after its last move" if record.over else "the game ends earlier")
    if table.over and (tuple(table.payoff()), tuple(table.score())) != (record.payoff, record.score):
        raise _changed(record, f"the game ends with payoff {table.payoff()} and score {table.score()}")


def opening(record: Record, game: GameLike | None = None) -> Table:
    """The table before the first ply; chance is not drawn, but waits for the recorded outcomes."""
    return Table.replay(dataclasses.replace(record, turns=(), moves=()), game)


def names_of(record: Record, game: GameLike | None = None) -> tuple[str, ...]:
    """The moves and chance outcomes of a recorded game in the game's notation."""
    return tuple(name for _, name in steps(record, game))


def _changed(record: Record, difference: str) -> KibitzError:
    return KibitzError(
        f"The rules of {record.game} have changed since this game was played: under the current rules, {difference}."
    )
