"""Replays of recorded games, under rules that may have changed since."""

import dataclasses

import pytest
from logged_games import HIGH_CARD, play, tournament

import kibitz
from kibitz import KibitzError
from kibitz.rules.registry import find_game
from kibitz.table.replay import names_of, steps


@pytest.fixture(scope="module")
def record():
    """Red stacks four discs in the first column."""
    table = kibitz.Table("connect_four:columns=4,rows=4")
    for move in (0, 1, 0, 1, 0, 1, 0):
        table.play(move)
    return table.record()


def test_every_step_is_the_table_one_ply_further():
    (table,) = play(tournament(HIGH_CARD, games=1))
    record = table.record()
    lengths, names = [], []
    for position, name in steps(record):
        lengths.append(len(position.history))
        names.append(name)
    assert lengths == list(range(1, len(record.moves) + 1))
    assert tuple(names) == names_of(record) == record.names
    assert position.state == table.state


def test_a_game_from_a_position_begins_there():
    rules = find_game(tournament()["game"])
    table = kibitz.Table(rules)
    table.play(0)
    later = kibitz.Table(rules, position=table.state)
    later.play(1)
    ((position, _),) = list(steps(later.record()))
    assert position.state == later.state


@pytest.mark.parametrize(
    ("change", "difference"),
    [
        ({"game": "connect_four:columns=4,rows=3"}, "move 0 of Red at ply 7 is illegal."),
        ({"turns": (0, 0), "moves": (0, 0)}, "it is not the turn of Red at ply 2."),
        ({"turns": (0,), "moves": (0,)}, "the game is not over after its last move."),
        ({"over": False}, "the game ends earlier."),
        ({"payoff": (0.5, 0.5)}, "the game ends with payoff [1.0, 0.0] and score [1.0, 0.0]."),
    ],
)
def test_changed_rules_are_detected(record, change, difference):
    with pytest.raises(KibitzError) as error:
        names_of(dataclasses.replace(record, **change))
    assert str(error.value).endswith(f"have changed since this game was played: under the current rules, {difference}")


def test_a_record_with_an_extra_move_is_damaged(record):
    with pytest.raises(KibitzError, match="is damaged"):
        names_of(dataclasses.replace(record, moves=(*record.moves, 0)))
