"""One game between bots, and what becomes of bots that misbehave."""

import pytest
from toys import DiceRace, HighCard

import kibitz
from kibitz.arena.match import play_game, take_turn
from kibitz.arena.schedule import Seating
from kibitz.errors import BotFault, RulesError

BOTS = """
class Raises:
    def choose(self, view):
        raise ZeroDivisionError("by design")

class Cheats:
    def choose(self, view):
        return 99

class Mumbles:
    def choose(self, view):
        return "4"

class Keeps:
    moves = 0
    def __init__(self):
        self.moves = 0
    def choose(self, view):
        self.moves += 1
        assert self.moves <= 21, "this bot has played before"
        return view.moves[0]
"""


@pytest.fixture
def bot_file(tmp_path):
    path = tmp_path / "strange_bots.py"
    path.write_text(BOTS)
    return path


def test_a_game_says_who_won_and_how_many_decisions_it_took():
    played = play_game(kibitz.game("connect_four"), ["random", "random"], 5, Seating(0, 3, (0, 1)))
    table = kibitz.Table("connect_four", seed=5, number=3)
    random = kibitz.bot("random", table.game)
    while not table.over:
        table.play(random.choose(table.view(table.turn)))
    assert played.payoff == tuple(table.payoff())
    assert played.decisions == len(table.history)
    assert played.fault is None


def test_chance_is_no_decision():
    rules = DiceRace()
    played = play_game(rules, ["random"], 1, Seating(0, 0, (0, 0)))
    table = kibitz.Table(rules, seed=1)
    random = kibitz.bot("random", rules)
    while not table.over:
        table.play(random.choose(table.view(table.turn)))
    assert played.decisions < len(table.history)
    assert played.score == tuple(table.score())


@pytest.mark.parametrize(
    ("name", "kind", "reason"),
    [
        ("Raises", "exception", "raised ZeroDivisionError: by design"),
        ("Cheats", "illegal move", "answered 99"),
        ("Mumbles", "illegal move", "answered '4'"),
    ],
)
def test_a_bot_that_misbehaves_loses_the_game(bot_file, name, kind, reason):
    specs = ["random", f"{bot_file}:{name}"]
    played = play_game(kibitz.game("connect_four"), specs, 1, Seating(0, 0, (0, 1)))
    assert played.payoff == (1.0, 0.0)
    assert played.score is None
    assert (played.fault.seat, played.fault.kind) == (1, kind)
    assert reason in played.fault.message


def test_the_others_share_the_win_when_one_of_three_misbehaves(bot_file):
    played = play_game(HighCard(), ["random", f"{bot_file}:Raises"], 1, Seating(0, 0, (0, 1, 0)))
    assert played.payoff == (0.5, 0.0, 0.5)


def test_every_game_has_fresh_bots(bot_file):
    rules, specs = kibitz.game("connect_four"), [f"{bot_file}:Keeps"]
    assert [play_game(rules, specs, 1, Seating(i, i, (0, 0))).fault for i in range(3)] == [None] * 3


def test_a_fault_leaves_the_table_as_it_was():
    class Cheat:
        def choose(self, view):
            return -1

    table = kibitz.Table("connect_four")
    with pytest.raises(BotFault, match="cheat answered -1"):
        take_turn(table, Cheat(), "cheat")
    assert table.history == ()


def test_a_mistake_in_the_rules_is_not_the_fault_of_the_bot():
    class Honest:
        def choose(self, view):
            raise RulesError("The rules are wrong.")

    with pytest.raises(RulesError):
        take_turn(kibitz.Table("connect_four"), Honest(), "honest")
