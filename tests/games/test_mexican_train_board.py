"""Mexican Train in the terminal."""

import pytest

import kibitz
from kibitz.display.board import board_of
from kibitz.games.mexican_train.lessons import TRAINS as PICTURED
from kibitz.games.mexican_train.lessons import table as pictured
from kibitz.games.mexican_train.rules import COUNTING, DRAWING, SAUCE, MexicanTrain
from kibitz.games.mexican_train.tiles import TILE
from kibitz.rules.contract import CHANCE
from kibitz.rules.engine import Engine

GAME = MexicanTrain(players=3)
BOARD = board_of(GAME)


@pytest.fixture(autouse=True)
def interpreted():
    with kibitz.plain():
        yield


def shown(state, last=None):
    return kibitz.Table(GAME, position=state, deal=False).text() if last is None else BOARD.text(GAME, state, last)


def test_the_board_is_legible_without_colour():
    state = pictured(GAME, opened=(1,))
    state.points[:3] = [12, 0, 31]
    assert shown(state).splitlines() == [
        " round 1, to 100 points · engine 12|12 · boneyard 58",
        "",
        "            train    tiles points        end",
        "  Mexican   sauce                  open    0  12|5 5|9 9|0",
        " ▸player 1  train 0      6     12          1  12|6 6|1",
        "  player 2  train 1      8      0  open    4  12|3 3|11 11|4",
        "  player 3  train 2      9     31          8  12|8",
        "",
        "  player 1  sequence  1|7 7|10 10|2",
        "            others    9|9 3|8 0|4",
    ]


def test_the_gate_is_marked():
    state = pictured(GAME, {**PICTURED, SAUCE: [*PICTURED[SAUCE], (0, 0)]}, gate=SAUCE)
    assert shown(state).splitlines()[3] == "  Mexican   sauce                  GATE    0  12|5 5|9 9|0 0|0"


def test_of_a_long_train_the_last_tiles_are_shown():
    state = pictured(GAME, {0: [(12, 0), *((number, number + 1) for number in range(10))]})
    line = shown(state).splitlines()[4]
    assert line.endswith("  … 2|3 3|4 4|5 5|6 6|7 7|8 8|9 9|10")
    assert len(line) <= 80


def test_a_large_hand_takes_several_rows():
    state = pictured(GAME)
    state.hand[0] = [(1 << 13) - 1 if number < 3 else 7 for number in range(13)]
    lines = shown(state).splitlines()
    assert len(lines[8:]) == 3
    assert max(map(len, lines)) <= 80


def test_the_tile_laid_last_stands_out():
    state = pictured(GAME)
    assert shown(state, 9 * int(TILE[8, 12]) + 2) != shown(state, GAME.draw_move)


def test_every_tile_has_a_name_with_the_smaller_half_first():
    state = pictured(GAME)
    assert BOARD.name(GAME, state, 9 * int(TILE[12, 3]) + 8) == "3|12 sauce"
    assert BOARD.name(GAME, state, 9 * int(TILE[12, 3])) == "3|12 train 0"
    assert BOARD.name(GAME, state, GAME.draw_move) == "draw"
    assert BOARD.name(GAME, state, GAME.pass_move) == "pass"
    names = {BOARD.name(GAME, state, move) for move in range(GAME.actions)}
    assert len(names) == GAME.actions


def test_chance_deals_tiles_and_counts_pips():
    state = Engine(GAME).start()
    assert BOARD.name(GAME, state, int(TILE[3, 12])) == "deal 3|12"
    state.phase = DRAWING
    assert BOARD.name(GAME, state, int(TILE[3, 12])) == "deal 3|12"
    state.phase = COUNTING
    assert BOARD.name(GAME, state, 47) == "counts 47"


def test_people_call_trains_by_their_owners():
    state = pictured(GAME)
    board = BOARD.with_players(["Ann", "Ben", "Cleo"], you=0)

    def said(number, train):
        return board.say(GAME, state, 9 * int(TILE[number, 12]) + train)

    assert said(3, SAUCE) == "3|12 on the Mexican train"
    assert said(3, 0) == "3|12 on your train"
    assert said(3, 1) == "3|12 on Ben's train"
    assert board.say(GAME, state, GAME.draw_move) == "draw a tile"
    state.turn, state.phase, state.served = CHANCE, COUNTING, 0
    assert [board.say(GAME, state, pips) for pips in (1, 47)] == [
        "You are left with 1 pip",
        "You are left with 47 pips",
    ]


def test_who_draws_is_still_marked_while_the_tile_comes():
    state = pictured(GAME)
    state.turn, state.phase, state.served = CHANCE, DRAWING, 1
    assert [line[1] for line in shown(state).splitlines()[3:7]] == [" ", " ", "▸", " "]


def test_exported_columns_say_what_is_in_hand_and_which_trains_are_open():
    columns = BOARD.columns(GAME, pictured(GAME, opened=(1,)))
    assert columns["hand_0"].split() == sorted(columns["hand_0"].split(), key=lambda name: int(name.split("|")[1]))
    assert set(columns["hand_0"].split()) == {"1|7", "7|10", "2|10", "0|4", "9|9", "3|8"}
    assert (columns["open_0"], columns["open_1"], columns["end_1"], columns["end_sauce"]) == (0, 1, 4, 0)
    assert (columns["tiles_1"], columns["points_1"], columns["gate"]) == (8, 0, "")
    assert BOARD.columns(GAME, pictured(GAME, gate=2))["gate"] == "train 2"
