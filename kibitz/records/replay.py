"""Recorded games, played again ply by ply and checked against today's rules."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from kibitz.errors import KibitzError
from kibitz.game import Game
from kibitz.records.record import Record
from kibitz.table import Table


def steps(record: Record, game: Game | None = None) -> Iterator[tuple[Table, str]]:
    """The table of a recorded game after each ply, with the ply's name in the game's notation.

    It is the same table every time, one ply further. An error says where the rules have become others than those the
    game was played by: a move that is not legal any more, another end, another result.
    """
    if len(record.turns) != len(record.moves):
        raise KibitzError(f"This record of {record.game} is damaged: it does not say of every move whose it was.")
    table = opening(record, game)
    for ply, (turn, move) in enumerate(zip(record.turns, record.moves, strict=True), 1):
        if turn != table.turn:
            raise _changed(record, f"ply {ply} is not the turn of {table.board.seat(turn)}")
        if move not in table.moves():
            raise _changed(record, f"ply {ply}, move {move} of {table.board.seat(turn)}, is not legal")
        name = table.name(move)
        table.play(move)
        yield table, name
    if table.over != record.over:
        raise _changed(record, "it does not end there" if record.over else "it ends earlier")
    if table.over and (tuple(table.payoff()), tuple(table.score())) != (record.payoff, record.score):
        raise _changed(record, f"it ends with the payoff {table.payoff()}, score {table.score()}")


def opening(record: Record, game: Game | None = None) -> Table:
    """The table before the first ply; chance waits for its recorded outcomes."""
    return Table.replay(dataclasses.replace(record, turns=(), moves=()), game)


def names_of(record: Record, game: Game | None = None) -> tuple[str, ...]:
    """The moves and chance outcomes of a recorded game in the game's notation."""
    return tuple(name for _, name in steps(record, game))


def _changed(record: Record, difference: str) -> KibitzError:
    return KibitzError(f"The rules of {record.game} are not those this game was played by: by today's, {difference}.")
