"""Whole games in compiled code are the same as at a Table."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from logged_games import equal
from toys import DiceRace, HighCard, Nim

import kibitz
from kibitz.errors import RulesError
from kibitz.players.compiled_player import CompiledPlayer
from kibitz.players.roster import resolve_all
from kibitz.players.seating import Terms
from kibitz.records.games import Outcome
from kibitz.rules.registry import spec_of
from kibitz.tournament import compiled_match
from kibitz.tournament.compiled_match import CompiledMatch
from kibitz.tournament.match import Match
from kibitz.tournament.plan import Plan
from kibitz.tournament.schedule import Schedule

GAMES = 30


def both(rules, specs, seed=4):
    """The same games in compiled code and at Tables, ignoring the time they took."""
    schedule = Schedule(rules.players, len(specs), GAMES)
    numbers = np.arange(7, 7 + GAMES)  # a resumed tournament can begin anywhere
    for match in (
        CompiledMatch(rules, resolve_all(specs, rules), seed),
        Match(rules, resolve_all(specs, rules), seed, Terms()),
    ):
        games = match.play(numbers, schedule.group(numbers), schedule.seats(numbers), keep_moves=True)
        games.seconds[:] = 0
        yield games


@pytest.mark.parametrize(
    ("rules", "specs"),
    [
        (kibitz.game("connect_four"), ["random", "greedy"]),
        (kibitz.game("connect_four:columns=4,rows=4"), ["random", "random"]),
        (DiceRace(), ["random", "random"]),
        (HighCard(), ["random", "random"]),
    ],
    ids=["greedy", "random", "chance", "hidden"],
)
def test_every_move_is_the_same_as_at_a_table(rules, specs):
    compiled, at_tables = both(rules, specs)
    assert equal(compiled, at_tables)


def test_moves_are_kept_of_a_few_games_at_a_time(monkeypatch):
    monkeypatch.setattr(compiled_match, "KEPT_PLIES", 4 * kibitz.game("connect_four").max_plies + 1)
    compiled, at_tables = both(kibitz.game("connect_four"), ["random", "greedy"])
    assert equal(compiled, at_tables)
    monkeypatch.setattr(compiled_match, "KEPT_PLIES", 1)
    assert equal(next(both(kibitz.game("connect_four"), ["random", "greedy"])), at_tables)


def test_luck_belongs_to_the_group_and_the_bots_randomness_to_the_game():
    games = next(both(DiceRace(faces=6), ["random", "random"]))
    for row in range(GAMES):
        table = kibitz.Table(DiceRace(faces=6), 4, number=int(games.game[row]), luck=int(games.group[row]))
        for turn, move in zip(games.turns[row].tolist(), games.moves[row].tolist(), strict=True):
            if turn >= 0:
                table.play(move)
        assert [ply.move for ply in table.history] == games.moves[row].tolist()
        assert table.over


def test_without_moves_the_results_are_the_same():
    rules = HighCard()
    match, schedule, numbers = CompiledMatch(rules, resolve_all(["random"], rules), 1), Schedule(3, 1, 9), np.arange(9)
    where = numbers, schedule.group(numbers), schedule.seats(numbers)
    kept, dropped = (match.play(*where, keep_moves) for keep_moves in (True, False))
    assert (kept.payoff == dropped.payoff).all()
    assert (kept.choices == dropped.choices).all()
    assert not any(map(len, dropped.moves))


@dataclass(frozen=True)
class Rash(CompiledPlayer):
    """Always plays the first column, even when it is full."""

    def pick(self, game, s, moves, count, player, memory, rng):
        return 0


def test_an_illegal_move_is_the_players_fault():
    @kibitz.game
    class Columns(type(kibitz.game("connect_four"))):
        bots: ClassVar = {"rash": Rash}

    rules = Columns(columns=4, rows=4)
    games = CompiledMatch(rules, resolve_all(["random", "rash"], rules), 1).play(
        np.arange(20), np.arange(20), np.array([[0, 1]] * 20), keep_moves=True
    )
    at_fault = games.fault_seat == 1
    assert at_fault.any()
    assert (games.outcome[at_fault] == Outcome.ILLEGAL).all()
    assert (games.payoff[at_fault] == [1.0, 0.0]).all()
    assert np.isnan(games.score[at_fault]).all()
    for row in np.flatnonzero(at_fault):
        assert games.fault[row] == "rash played an illegal move."
        table = kibitz.Table(rules, 1)
        for move in games.moves[row].tolist():
            table.play(move)
        assert 0 not in table.moves
        assert games.choices[row].sum() == len(games.moves[row]) + 1


def test_a_game_that_does_not_end_when_promised_names_its_seed_and_number():
    class Lasting(Nim):
        max_plies = 3

    rules = kibitz.game(Lasting)(heap=20)
    with kibitz.plain():
        match = CompiledMatch(rules, resolve_all(["random"], rules), 7)
        with pytest.raises(
            RulesError, match=r"max_plies = 3 plies .*seed 7, game 4; raise max_plies if .* kibitz.OVER"
        ):
            match.play(np.array([4]), np.array([4]), np.array([[0, 0]]), keep_moves=False)


def contest(game, *specs, plain=False):
    return Plan(spec_of(game), specs, 1, Schedule(2, len(specs), 2), keep_moves=False, plain=plain).contest(game)


def test_only_compiled_players_that_ship_with_kibitz_play_in_compiled_code(tmp_path):
    rules = kibitz.game("connect_four")
    file = tmp_path / "own.py"
    file.write_text("from kibitz.search.playout import Random\nclass Own(Random): pass\n")
    assert contest(rules, "random", "greedy").is_compiled
    assert not contest(rules, "random", "uct:sims=10").is_compiled
    assert not contest(rules, "random", f"{file}:Own").is_compiled
    with kibitz.plain():
        assert not contest(rules, "random", plain=True).is_compiled
