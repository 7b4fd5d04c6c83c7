"""Mexican Train's simple players: each of their preferences, on hand-made positions."""

from collections import Counter

import pytest
from dominoes import play, position

import kibitz
from kibitz.games.mexican_train.rules import SAUCE, MexicanTrain

GAME = MexicanTrain(players=3)
SMALL = MexicanTrain(players=3, highest=4, hand=3)


@pytest.fixture(autouse=True)
def interpreted():
    with kibitz.plain():
        yield


def choice(spec, table):
    return table.name(kibitz.bot(spec, table.game).choose(table.view(table.turn)))


# ------------------------------------------------------------------ ai2


def test_ai2_lays_the_first_tile_of_its_best_sequence_on_its_own_train():
    table = position(GAME, ["11|12 3|12 3|4 4|7 10|11", "0|0 0|1", "1|1 0|2"])
    assert choice("ai2", table) == "3|12 train 0"


def test_ai2_blocks_another_train_with_a_tile_that_nobody_can_follow():
    trains = {SAUCE: "4 1 1 2 3", 1: "4 3", 2: "4 2 0 1"}  # all tiles with a 1 are laid but 1|3
    table = position(SMALL, ["1|3 0|4 0|0", "0|3 2|2", "3|3"], trains, opened=[1])
    assert choice("ai2", table) == "1|3 train 1"


def test_ai2_stops_no_train_on_which_an_unseen_tile_fits():
    trains = {SAUCE: "4 1 1 2 3", 1: "4 3", 2: "4 2 0"}  # 0|1 is still hidden
    table = position(SMALL, ["1|3 0|4 0|0", "0|3 2|2", "3|3"], trains, opened=[1])
    assert choice("ai2", table) == "0|4 train 0"


def test_ai2_stops_no_train_with_a_tile_of_its_sequence():
    trains = {SAUCE: "4 1 1 2 3", 1: "4 3", 2: "4 2 0 1", 0: "4 0 3"}
    table = position(SMALL, ["1|3 0|0", "2|2 2|4", "3|3"], trains, opened=[1])
    assert choice("ai2", table) == "1|3 train 0"


def test_ai2_does_not_stop_the_sauce():
    trains = {SAUCE: "4 1 1 2 3", 1: "4 3", 2: "4 2 0 1"}
    table = position(SMALL, ["1|3 0|4 0|0", "0|3 2|2", "3|3"], trains)
    assert choice("ai2", table) == "0|4 train 0"


def test_ai2_without_a_sequence_lays_the_highest_tile_on_the_sauce_before_other_trains():
    table = position(GAME, ["5|6 5|7 9|11", "0|0 0|1", "1|1 0|2"], {0: "12 8", SAUCE: "12 5", 1: "12 9"}, opened=[1])
    assert choice("ai2", table) == "5|7 sauce"
    table = position(GAME, ["2|9 9|11 0|7", "0|0 0|1", "1|1 0|2"], {0: "12 8", SAUCE: "12 5", 1: "12 9"}, opened=[1])
    assert choice("ai2", table) == "9|11 train 1"


# ------------------------------------------------------------------ shed


SEQUENCE = "1|12 1|2 2|3"  # for a train that ends with 12


def test_shed_lays_its_sequence_first_when_its_train_is_open():
    table = position(GAME, [f"{SEQUENCE} 5|11", "0|0 0|1", "1|1 0|2"], {SAUCE: "12 5"}, opened=[0])
    assert choice("shed", table) == "1|12 train 0"


def test_shed_gets_rid_of_the_highest_tile_off_its_sequence_while_its_train_is_closed():
    trains = {SAUCE: "12 5", 1: "12 9"}
    table = position(GAME, [f"{SEQUENCE} 5|11 5|6 9|10", "0|0 0|1", "1|1 0|2"], trains, opened=[1])
    assert choice("shed", table) == "9|10 train 1"
    table = position(GAME, [f"{SEQUENCE} 5|11 5|6 9|10", "0|0 0|1", "1|1 0|2"], trains)
    assert choice("shed", table) == "5|11 sauce"


def test_shed_lays_a_double_that_it_cannot_open_as_if_it_had_twelve_pips_less():
    trains = {SAUCE: "12 5", 1: "12 9"}
    table = position(GAME, [f"{SEQUENCE} 5|6 9|9", "0|0 0|1", "1|1 0|2"], trains, opened=[1])
    assert choice("shed", table) == "5|6 sauce"
    table = position(GAME, [f"{SEQUENCE} 5|6 9|9 4|9", "0|0 0|1", "1|1 0|2"], trains, opened=[1])
    assert choice("shed", table) == "9|9 train 1"


def test_shed_lays_the_first_of_its_sequence_if_that_is_worth_more_and_someone_has_one_tile_left():
    trains, hand = {SAUCE: "12 5"}, f"{SEQUENCE} 5|6"
    assert choice("shed", position(GAME, [hand, "0|0 0|1", "1|1 0|2"], trains)) == "5|6 sauce"
    assert choice("shed", position(GAME, [hand, "0|0", "1|1 0|2"], trains)) == "1|12 train 0"
    assert choice("shed", position(GAME, [f"{hand} 5|11", "0|0", "1|1 0|2"], trains)) == "5|11 sauce"


def test_shed_lays_its_sequence_when_there_is_nothing_to_get_rid_of():
    table = position(GAME, [f"{SEQUENCE} 7|11", "0|0 0|1", "1|1 0|2"], {SAUCE: "12 5"})
    assert choice("shed", table) == "1|12 train 0"


def test_shed_without_a_sequence_lays_the_highest_tile_anywhere():
    table = position(GAME, ["5|6 5|7 9|11", "0|0 0|1", "1|1 0|2"], {0: "12 8", SAUCE: "12 5", 1: "12 9"}, opened=[1])
    assert choice("shed", table) == "9|11 train 1"


# ------------------------------------------------------------------ keen


def test_keen_lays_what_is_worth_most():
    hands = ["5|5 5|6 0|1", "0|0 0|2", "1|1 1|2"]
    assert choice("keen", position(GAME, hands, {SAUCE: "12 5", 0: "12 8"})) == "5|5 sauce"  # which it can open itself
    hands = ["5|12 9|12 3|9 2|3", "0|0 0|2", "1|1 1|2"]
    assert choice("keen", position(GAME, hands)) == "5|12 sauce"  # rather than the first tile of its sequence there


# ------------------------------------------------------------------ gates


@pytest.mark.parametrize("spec", ["ai2", "shed"])
def test_a_gate_on_the_own_train_is_opened_with_the_sequence(spec):
    table = position(GAME, ["5|5 0|5 0|2 2|3 5|11 10|10", "0|0 0|1", "1|1 1|2"], {0: "12 5"})
    play(table, "5|5 train 0")
    assert choice(spec, table) == "0|5 train 0"


@pytest.mark.parametrize("spec", ["ai2", "shed"])
def test_a_gate_elsewhere_is_opened_with_the_highest_tile_off_the_sequence(spec):
    hand = "5|5 5|12 5|9 5|7 9|10 8|12 0|8"  # the sequence needs 5|12, 5|9 and 9|10
    table = play(position(GAME, [hand, "0|0 0|1", "1|1 0|2"], {SAUCE: "12 3 5"}), "5|5 sauce")
    assert choice(spec, table) == "5|7 sauce"


@pytest.mark.parametrize("spec", ["ai2", "shed"])
def test_a_gate_that_only_the_sequence_opens_is_opened_with_its_highest_tile(spec):
    table = play(position(GAME, ["5|5 5|12 5|9 9|10", "0|0 0|1", "1|1 0|2"], {SAUCE: "12 3 5"}), "5|5 sauce")
    assert choice(spec, table) == "5|12 sauce"


def test_ai2_can_open_gates_at_random():
    hand = "5|5 5|12 5|9 5|7 9|10"
    table = play(position(GAME, [hand, "0|0 0|1", "1|1 0|2"], {SAUCE: "12 3 5"}), "5|5 sauce")
    bot = kibitz.bot("ai2:gates=no", GAME)
    drawn = Counter(table.name(bot.choose(table.view(0))) for _ in range(600))
    assert set(drawn) == {"5|7 sauce", "5|9 sauce", "5|12 sauce"}
    assert min(drawn.values()) > 140


# ------------------------------------------------------------------ searches that are not made for this game


@pytest.mark.parametrize("players", [2, 5, 8])
@pytest.mark.parametrize(
    "spec",
    [
        "maxn:nodes=30,deals=2",
        "maxn:nodes=30,worlds=possible,speculative=yes",
        "maxn:nodes=30,deals=2,deep=yes",
        "paranoid:nodes=30,deals=2",
        "brs:nodes=30,deals=2",
        "pimc:sims=4,deals=2,by=shed",
        "ismcts:sims=4,by=shed",
        "mc:sims=1,by=ai2",
    ],
)
def test_searches_for_many_players_play_it(spec, players):
    game = MexicanTrain(players=players, highest=6, hand=27 // players - 1, rounds=1)
    table = kibitz.Table(game, seed=4)
    while len(table.moves) < 2:
        table.play(table.moves[0])
    assert choice(spec, table) in [table.name(move) for move in table.moves]
