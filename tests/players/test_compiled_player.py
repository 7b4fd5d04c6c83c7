"""Compiled players are bots like any other."""

from dataclasses import dataclass

import pytest
from toys import HighCard, Nim

import kibitz
from kibitz.compiler import numbers, stats
from kibitz.players.compiled_player import CompiledPlayer


@dataclass(frozen=True)
class Counting(CompiledPlayer):
    """Plays the move at a fixed index and counts in its memory, which must be zeroed at first."""

    place: int = 0

    def memory(self, game):
        return (numbers(1, "i8"),)

    def pick(self, game, s, moves, count, player, memory, rng):
        memory[0][0] += 1
        return moves[(self.place + memory[0][0] - 1) % count]


def moves_by_place():
    view = kibitz.Table(Nim(heap=9)).view(0)
    return [Counting(place).choose(view) for place in (0, 1, 2, 3)]


def test_a_compiled_player_answers_a_view():
    assert moves_by_place() == [0, 1, 2, 0]


def test_in_plain_mode_it_answers_the_same():
    with kibitz.plain():
        assert moves_by_place() == [0, 1, 2, 0]


def test_a_player_is_compiled_once_for_all_options():
    moves_by_place()
    compiled = stats.compiled
    view = kibitz.Table(Nim(heap=9)).view(0)
    assert Counting(7).choose(view) == 1
    assert stats.compiled == compiled


def test_it_receives_only_what_the_player_may_know():
    seen = []

    @dataclass(frozen=True)
    class Spy(CompiledPlayer):
        def pick(self, game, s, moves, count, player, memory, rng):
            seen.append(s.copy())
            return moves[0]

    with kibitz.plain():
        table = kibitz.Table(HighCard(), seed=1)
        view = table.view(table.turn)
        Spy().choose(view)
    assert seen == [view.state]
    assert seen != [table.state]


def test_players_of_two_classes_with_the_same_name_are_not_mixed_up():
    def first():
        @dataclass(frozen=True)
        class Player(CompiledPlayer):
            def pick(self, game, s, moves, count, player, memory, rng):
                return moves[0]

        return Player()

    def last():
        @dataclass(frozen=True)
        class Player(CompiledPlayer):
            def pick(self, game, s, moves, count, player, memory, rng):
                return moves[count - 1]

        return Player()

    view = kibitz.Table(Nim(heap=9)).view(0)
    assert [first().choose(view), last().choose(view)] == [0, 2]


@pytest.mark.parametrize("spec", ["random", "greedy"])
def test_the_code_of_a_shipped_player_can_be_cached_on_disk(spec):
    assert "local" not in str(kibitz.bot(spec, kibitz.game("connect_four"))._numba_type_)
