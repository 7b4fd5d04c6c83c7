"""Games between bots at a Table, and what happens to bots that misbehave."""

import contextlib

import numpy as np
import pytest
from processes import LONG
from toys import DiceRace, HighCard

import kibitz
from kibitz.errors import BotFault, RulesError
from kibitz.players.roster import resolve_all
from kibitz.players.seating import Terms
from kibitz.players.turns import take_turn
from kibitz.records.games import Outcome
from kibitz.tournament.match import Match

STRANGE_BOTS = """
import os, time

class Raises:
    def choose(self, view):
        raise ZeroDivisionError("by design")

class Cheats:
    def choose(self, view):
        return 99

class Mumbles:
    def choose(self, view):
        return "four"

class Sleeps:
    def choose(self, view):
        time.sleep(60)

class Dies:
    def choose(self, view):
        os._exit(3)

class Third:
    def choose(self, view):
        if len(view.history) == 2:
            raise ValueError("not a third")
        return view.moves[0]
"""


@pytest.fixture
def bot_file(tmp_path):
    path = tmp_path / "strange_bots.py"
    path.write_text(STRANGE_BOTS)
    return path


def play(game, specs, bots, *, seed=5, number=3, luck=1, move_time=10.0, times=1):
    """A game played `times` times, with these bots (by index in the specs) in the seats."""
    with contextlib.closing(Match(game, resolve_all(specs, game), seed, Terms(move_time))) as match:
        return match.play(np.full(times, number), np.full(times, luck), np.array([bots] * times), keep_moves=True)


def played_at_a_table(game, seed, number, luck):
    table = kibitz.Table(game, seed, number=number, luck=luck)
    random = kibitz.bot("random", table.game)
    while not table.over:
        table.play(random.choose(table.view(table.turn)))
    return table


@pytest.mark.parametrize("rules", [kibitz.game("connect_four"), DiceRace(), HighCard()], ids=lambda g: type(g).__name__)
def test_a_game_is_the_same_as_at_a_table_with_its_number_and_luck(rules):
    games = play(rules, ["random"], [0] * rules.players)
    table = played_at_a_table(rules, seed=5, number=3, luck=1)
    assert games.turns[0].tolist() == [ply.turn for ply in table.history]
    assert games.moves[0].tolist() == [ply.move for ply in table.history]
    assert games.payoff[0].tolist() == table.payoff()
    assert games.score[0].tolist() == table.score()
    assert (games.outcome[0], games.fault_seat[0], games.fault[0]) == (Outcome.BOARD, -1, "")
    decisions = [sum(ply.turn == seat for ply in table.history) for seat in range(rules.players)]
    assert games.choices[0].tolist() == decisions  # chance outcomes are not decisions
    assert (games.seconds[0] > 0).all()


@pytest.mark.parametrize(
    ("name", "outcome", "words"),
    [
        ("Raises", Outcome.EXCEPTION, "raised ZeroDivisionError in line 6: by design"),
        ("Cheats", Outcome.ILLEGAL, "played an illegal move: 99"),
        ("Mumbles", Outcome.ILLEGAL, "played an illegal move: 'four'"),
        ("Sleeps", Outcome.TIMEOUT, "took more than 0.2 s"),
        ("Dies", Outcome.CRASH, "exited with code 3"),
    ],
)
def test_a_fault_ends_one_game_and_is_named(bot_file, name, outcome, words):
    spec = f"{bot_file}:{name}"
    move_time = 0.2 if outcome is Outcome.TIMEOUT else LONG
    games = play(kibitz.game("connect_four"), ["random", spec], [0, 1], move_time=move_time, times=2)
    for row in range(2):  # the next game is not affected
        assert games.outcome[row] == outcome
        assert words in games.fault[row]
        assert spec in games.fault[row]
        assert games.fault_seat[row] == 1
        assert games.payoff[row].tolist() == [1.0, 0.0]
        assert np.isnan(games.score[row]).all()
        assert len(games.moves[row]) == 1


def test_what_was_played_before_a_fault_is_kept(bot_file):
    games = play(kibitz.game("connect_four"), ["random", f"{bot_file}:Third"], [1, 0])
    assert games.turns[0].tolist() == [0, 1]
    assert games.choices[0].tolist() == [2, 1]


def test_the_others_share_the_win_of_a_game_lost_by_a_fault():
    class Stuck:
        def choose(self, view):
            raise RuntimeError

    match = Match(HighCard(), resolve_all(["mc", "random"], HighCard()), 1, Terms())
    match._players = Seats({"mc": Stuck(), "random": kibitz.bot("random", HighCard())})
    games = match.play(np.array([0]), np.array([0]), np.array([[1, 0, 1]]), keep_moves=False)
    assert games.payoff[0].tolist() == [0.5, 0.0, 0.5]
    assert games.moves[0].size == 0


class Seats:
    """Players by their names, in this process."""

    def __init__(self, players):
        self.players = players

    def seat(self, entrants):
        return [self.players[entrant.spec] for entrant in entrants]


def test_a_mistake_in_the_rules_is_not_the_bots_fault():
    @kibitz.game
    class Broken(DiceRace):
        def moves(self, s, out):
            out[0] = 0
            return 5

    with pytest.raises(RulesError, match="max_moves"):
        play(Broken(), ["random"], [0, 0])


def test_a_fault_leaves_the_table_unchanged():
    class Cheat:
        def choose(self, view):
            view.moves.append(6 * 7)
            return 6 * 7

    table = kibitz.Table("connect_four")
    with pytest.raises(BotFault, match="cheat played an illegal move: 42") as fault:
        take_turn(table, Cheat(), "cheat")
    assert fault.value.kind == "illegal move"
    assert table.history == ()
