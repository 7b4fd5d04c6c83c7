"""Perft compared with obvious counts, and with a table of counts that would take too long to repeat."""

import json
from pathlib import Path

import pytest
from toys import DiceRace, Nim

import kibitz
from kibitz.games.connect_four.rules import ConnectFour
from kibitz.rules.contract import CHANCE, OVER
from kibitz.rules.engine import Engine
from kibitz.rules.perft import perft

REFERENCE = json.loads((Path(__file__).parent.parent / "reference" / "connect_four_perft.json").read_text())


def makes_four(board, x):
    """Whether the top disc of column x is part of four in a row."""
    y = len(board[x]) - 1
    for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
        length = 1
        for sign in (1, -1):
            i, j = x + sign * dx, y + sign * dy
            while 0 <= i < len(board) and 0 <= j < len(board[i]) and board[i][j] == board[x][y]:
                length += 1
                i, j = i + sign * dx, j + sign * dy
        if length >= 4:
            return True
    return False


def slow_count(board, rows, depth, player=0):
    """Games of Connect Four on a list of columns, each a list of discs."""
    if depth == 0:
        return 1
    total = 0
    for x, column in enumerate(board):
        if len(column) < rows:
            column.append(player)
            if depth == 1:
                total += 1
            elif not makes_four(board, x):
                total += slow_count(board, rows, depth - 1, 1 - player)
            column.pop()
    return total


def count_by_engine(game, depth, state=None):
    engine = Engine(game)
    state = state or engine.start()
    if depth == 0 or state.turn == OVER:
        return int(depth == 0)
    chance = state.turn == CHANCE
    total = 0
    for move in [outcome for outcome, _ in engine.outcomes(state)] if chance else engine.moves(state):
        after = state.copy()
        engine.play(after, move)
        total += count_by_engine(game, depth - 1, after)
    return total


@pytest.mark.parametrize(("depth", "count"), REFERENCE["counts"])
def test_connect_four_has_the_games_of_the_reference(depth, count):
    assert perft(ConnectFour(), depth) == count


@pytest.mark.parametrize("depth", range(7))
def test_the_reference_agrees_with_a_slow_count(depth):
    assert [depth, slow_count([[] for _ in range(7)], 6, depth)] in REFERENCE["counts"]


@pytest.mark.parametrize("depth", [4, 9, 12])
def test_finished_games_and_full_columns_have_no_moves(depth):
    assert perft(ConnectFour(columns=4, rows=3), depth) == slow_count([[] for _ in range(4)], 3, depth)


@pytest.mark.parametrize("depth", range(6))
def test_chance_outcomes_count_as_moves(depth):
    game = DiceRace(goal=5)
    assert perft(game, depth) == count_by_engine(game, depth)


def test_the_empty_sequence_is_the_only_one_without_moves():
    assert perft(Nim(), 0) == 1


def test_no_game_is_longer_than_the_longest():
    assert perft(Nim(heap=6), 6) == 1
    assert perft(Nim(heap=6), 7) == 0


def test_the_count_in_plain_mode_is_the_same():
    with kibitz.plain():
        assert perft(ConnectFour(), 4) == 2401
        assert perft(DiceRace(goal=5), 4) == count_by_engine(DiceRace(goal=5), 4)


def test_a_count_longer_than_one_slice_is_complete(monkeypatch):
    whole = perft(ConnectFour(), 6)
    monkeypatch.setattr("kibitz.rules.perft.SLICE", 7)
    assert perft(ConnectFour(), 6) == whole


def test_a_negative_depth_is_refused():
    with pytest.raises(kibitz.KibitzError, match="at least 0"):
        perft(Nim(), -1)
