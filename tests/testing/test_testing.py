"""A sound game passes a check; what goes wrong is reported with the way to it."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from faults import fault
from toys import DiceRace, HighCard, Middle, Nim, RandomTree, SampledDiceRace

import kibitz
from kibitz import testing
from kibitz.compiler import bounds_checked, compiled, mode
from kibitz.errors import RulesError
from kibitz.rules.contract import game
from kibitz.state import State
from kibitz.testing import check_game

# ------------------------------------------------------------------ games that keep the contract


@pytest.mark.parametrize(
    "rules",
    [Nim(), DiceRace(), SampledDiceRace(), HighCard(), Middle(), RandomTree(dice=True), kibitz.game("connect_four")],
    ids=repr,
)
def test_a_sound_game_passes_and_is_counted(rules):
    checked = check_game(rules, games=60)
    assert checked.games == 60
    assert 0 < checked.longest <= rules.max_plies
    assert checked.plies == checked.choices + checked.chances
    assert 1 <= checked.branching <= checked.most_moves <= rules.max_moves
    assert bool(checked.chances) == rules.has_chance
    assert bool(checked.views) == rules.has_hidden_information
    assert checked.compared > 100


def test_fewer_games_are_interpreted_if_they_are_long(monkeypatch):
    short = check_game(DiceRace(), games=10)
    monkeypatch.setattr(testing, "PLAIN_CALLS", 1)
    long = check_game(DiceRace(), games=10)
    assert 0 < long.compared < short.compared
    assert (long.games, long.plies) == (short.games, short.plies)


def test_a_check_is_reproducible_and_takes_a_spec():
    with kibitz.plain():
        first = check_game("connect_four:columns=4,rows=3", games=5, seed=3)
        assert first == check_game(kibitz.game("connect_four", columns=4, rows=3), games=5, seed=3)
        assert first != check_game(kibitz.game("connect_four", columns=4, rows=3), games=5, seed=4)
    assert first.game == "connect_four:columns=4,rows=3"


def test_progress_counts_up_to_the_total():
    steps = []
    with kibitz.plain():
        check_game(Nim(), games=4, progress=lambda done, total: steps.append((done, total)))
    assert steps == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_an_error_leads_back_to_the_position():
    @game
    class Stuck(Nim):
        def moves(self, s, out):
            return 0 if s.left == 1 else Nim.moves(self, s, out)

    error = fault(Stuck(heap=9), "moves", "wrote 0")
    table = kibitz.Table(Nim(heap=9))
    for move in error.moves:
        table.play(move)
    assert table.state == State.from_text(error.position, table.game.dtype)
    assert error.position in str(error)


# ------------------------------------------------------------------ compiled and plain


def test_rules_that_behave_differently_compiled_are_caught():
    @game
    class Wrapping(Nim):
        def start(self, s):
            big = 3037000500 + self.heap  # its square fits into a Python int, but not into a machine word
            s.left = 10 if big * big > 0 else 20

    fault(Wrapping(), "start", " compiled, but ", "in plain mode")


def test_a_mistake_that_only_the_compiler_sees_is_reported_with_method_and_line():
    @game
    class Untyped(Nim):
        def start(self, s):
            s.left = sorted({self.heap: None}, reverse=True, key=lambda heap: str(heap))[0]

    with pytest.raises(RulesError, match=r"Untyped.start, test_testing.py line \d+"):
        check_game(Untyped())


@compiled
def beyond(numbers):
    return numbers[len(numbers)]


def test_compiled_code_with_bounds_checks_raises_an_index_error():
    with bounds_checked(), pytest.raises(IndexError):
        beyond(np.zeros(3, "i8"))


CHECKED_AFTER_UNCHECKED = """
import numpy as np
from kibitz.compiler import bounds_checked, compiled, mode

def peek(cells, i):
    return cells[i]

@compiled
def read(cells, i):
    return peek(cells, i)

cells = np.zeros(3, "i8")
read(cells, 3)
with bounds_checked():
    assert mode() == "checked"
    try:
        read(cells, 3)
    except IndexError:
        print("caught")
assert mode() == "compiled"
read(cells, 3)
"""


def test_bounds_checks_reach_functions_that_were_compiled_without_them():
    environment = {k: v for k, v in os.environ.items() if k != "NUMBA_BOUNDSCHECK"}
    ran = subprocess.run(
        [sys.executable, "-c", CHECKED_AFTER_UNCHECKED], env=environment, capture_output=True, text=True
    )
    assert ran.stdout == "caught\n", ran.stderr


def test_with_numbas_own_switch_all_code_is_already_checked():
    with bounds_checked():
        assert mode() == "compiled"
    assert Path(os.environ["KIBITZ_CACHE"]).is_dir()


@pytest.mark.parametrize("games", [0, "many", 2.5])
def test_a_check_needs_a_number_of_games(games):
    with pytest.raises(kibitz.KibitzError, match="The number of games must be a whole number of at least 1, not "):
        check_game(Nim(), games=games)
