"""A person at the keyboard, scripted."""

from pathlib import Path

import pytest

import kibitz
from kibitz.cli.play import seating
from kibitz.errors import KibitzError
from kibitz.rules.registry import find_game

TOYS = Path(__file__).parent.parent / "toys.py"
GIVES_WAY = """
class GivesWay:
    def choose(self, view):
        return view.moves[-1]
"""


@pytest.fixture
def pushover(tmp_path):
    """A bot that always plays in the last column."""
    path = tmp_path / "pushover.py"
    path.write_text(GIVES_WAY)
    return f"{path}:GivesWay"


def test_a_person_can_win(run, pushover):
    outcome = run("play connect_four --vs", pushover, typed="1\n1\n1\n1\n")
    assert outcome.code == 0
    assert "You win." in outcome.out
    assert "★" in outcome.out
    assert "Yellow: column 7" in outcome.out


def test_the_bot_can_move_first(run, pushover):
    outcome = run("play connect_four --seat 2 --vs", pushover, typed="1\nquit\n")
    assert outcome.out.index("Red: column 7") < outcome.out.index("Yellow to move: 1")


def test_a_seat_can_be_chosen_by_name(run, pushover):
    assert "Yellow: you" in run("play connect_four --seat yellow --vs", pushover).out


def test_how_to_move_is_explained_at_the_start(run):
    out = run("play connect_four --vs random").out
    assert "Type the number of a column." in out
    assert "undo, hint, moves" in out


def test_invalid_input_is_explained_and_asked_for_again(run, pushover):
    outcome = run("play connect_four --vs", pushover, typed="castle\n8\n-1\n[red]\n\n4\nq\n")
    assert outcome.code == 0
    for text in ("castle", "8", "-1", "[red]"):
        assert f"'{text}' is not a legal move; legal moves: column 1, column 2, " in outcome.out
    assert outcome.out.count("Yellow: column") == 1


def test_a_move_is_typed_in_notation_in_words_or_by_enough_of_its_words(run):
    typed = "oasis 9\nroll\nBET ON ORANGE TO WIN THE LEG\nblue last\nblue\nquit\n"
    out = run("play camelup:players=2 --vs human --seed 1", typed=typed).out
    assert out.count("is not a legal move") == 1
    assert "'blue' is not a legal move; legal moves: roll, oasis on square" in " ".join(out.split())


def test_undo_takes_back_the_move_and_the_answer(run, pushover):
    out = run("play connect_four --vs", pushover, typed="4\nundo\nposition\nquit\n").out
    assert '{"discs":[0,0],"plies":0,"turn":0,"winner":-1}' in out


def test_undo_before_the_first_move_says_so(run, pushover):
    assert "You have not moved yet." in run("play connect_four --vs", pushover, typed="undo\n").out
    assert "You have not moved yet." in run("play connect_four --seat 2 --vs", pushover, typed="undo\n").out


def test_after_an_undo_chance_outcomes_stay_the_same(run, pushover):
    typed = "roll\nundo\nroll\nquit\n"
    out = run("play", f"{TOYS}:DiceRace:goal=40", "--vs", pushover, "--seed", "4", typed=typed).out
    first, second = out.split("Taken back.")
    announced = [line for line in first.splitlines() if line.startswith("Chance: ")]
    assert announced
    assert [line for line in second.splitlines() if line.startswith("Chance: ")] == announced


def test_a_hint_names_move_value_and_line(run):
    out = run("play connect_four --vs random --hint uct:sims=300", typed="hint\nquit\n").out
    assert "uct:sims=300 would play" in out
    assert "% of the win, after 300 simulations" in out
    assert "expected line:" in out


def test_a_bot_that_is_not_a_search_can_still_give_a_hint(run):
    assert "random would play" in run("play connect_four --vs random --hint random", typed="h\n").out


def test_moves_and_help_are_listed(run):
    out = run("play connect_four --vs random", typed="moves\n?\n").out
    assert "column 1  column 2  column 3" in out.split("to move: moves")[1]
    assert "take back your last move" in out


def test_the_end_of_input_ends_the_game_politely(run):
    outcome = run("play connect_four --vs random", typed="4\n")
    assert outcome.code == 0
    assert "Goodbye." in outcome.out


def test_ctrl_c_ends_the_game_politely(run, monkeypatch):
    def interrupted():
        raise KeyboardInterrupt

    monkeypatch.setattr("builtins.input", interrupted)
    outcome = run("play connect_four --vs random")
    assert outcome.code == 130
    assert "Goodbye." in outcome.out
    assert outcome.err == ""


def test_two_people_can_play(run):
    out = run("play connect_four --vs human", typed="1\n2\n1\n2\n1\n2\n1\n").out
    assert "Yellow to move: 2" in out
    assert "Red wins." in out


def test_a_bot_that_fails_is_named(run, tmp_path):
    path = tmp_path / "broken.py"
    path.write_text("class Broken:\n    def choose(self, view):\n        return 1 / 0\n")
    outcome = run("play connect_four --vs", f"{path}:Broken", typed="4\n")
    assert outcome.code == 2
    assert "Broken raised ZeroDivisionError" in outcome.err


def test_people_see_only_their_own_hand(run):
    out = run("play", f"{TOYS}:HighCard", "--vs", "random", "--seed", "1").out
    assert len([line for line in out.splitlines() if line.startswith("where = ")]) == 1
    where = next(line for line in out.splitlines() if line.startswith("where = "))
    assert where.count("0") == 2  # the player's own cards
    assert where.count("5") == 5  # all others are unknown
    assert out.count("deal") == 2


def test_hidden_moves_of_others_are_not_shown(run):
    out = run("play", f"{TOYS}:HighCard", "--vs", "random", "--seed", "1", typed="bid none\n").out
    assert "player 1 to move: bid none" in out
    assert ": bid" not in out.partition("to move: ")[2].removeprefix("bid none")


def test_with_hidden_information_people_hand_over_the_keyboard(run):
    out = run("play", f"{TOYS}:HighCard", "--vs", "human", "--seed", "1", typed="bid none\n\n").out
    assert "Hand the keyboard to player 2" in out


def test_each_opponent_fills_the_next_seat_and_the_last_one_repeats():
    rules = find_game(f"{TOYS}:HighCard")
    assert seating(rules, ["2"], ["mc", "random"]) == ["mc", "human", "random"]
    assert seating(rules, ["1"], ["mc"]) == ["human", "mc", "mc"]
    assert seating(rules, ["1", "3"], ["mc"]) == ["human", "mc", "human"]
    assert seating(rules, ["1", "2", "3"], ["best"]) == ["human"] * 3
    with pytest.raises(KibitzError, match="too many"):
        seating(rules, ["1", "2"], ["mc", "random"])


def test_in_a_game_with_utilities_hints_and_the_end_name_these(run):
    with kibitz.plain():
        out = run(f"play {TOYS}:Centipede --vs random --hint maxn:depth=9", typed="hint\n0\n").out
    assert "maxn:depth=9 would play 0: expected utility +2.00, proven" in out
    assert "You win.  Utility: player 1 +2, player 2 0." in out


def test_against_a_bot_from_a_file_the_secret_is_told_at_the_end(run, pushover):
    secret = "12" * 16
    out = run("play connect_four --seed 3 --secret", secret, "--vs", pushover, typed="1\n1\n1\n1\n").out
    assert out.rstrip().endswith(f"(seed 3, secret {secret})")
    assert out.count(secret) == 1
    assert "(seed 3, secret 0000" in run("play connect_four --seed 3 --vs", pushover, typed="quit\n").out
    assert "secret" not in run("play connect_four --seed 3 --vs random", typed="quit\n").out
