"""Positions that somebody types: what can be, and what cannot, is told apart before compiled rules see it."""

import json

import pytest

import kibitz
from kibitz.errors import KibitzError
from kibitz.rules.rng import Stream
from kibitz.web.variations import checked_position

GAMES = [
    "connect_four",
    "connect_four:columns=5,rows=4",
    "hexplode:side=3",
    "hexplode:side=2,damage=0.3",
    "separo:size=5",
    "separo:size=8",
    "ur",
    "ur:coins=3",
]


@pytest.mark.parametrize("spec", GAMES)
def test_whatever_is_reached_by_moves_can_be_typed(spec):
    game, luck = kibitz.game(spec), Stream("typed", 1)
    for number in range(4):
        table = kibitz.Table(game, seed=number)
        while not table.over:
            assert checked_position(game, table.state.to_text()) == table.state
            table.play(luck.choice(table.moves))


OPENING = [256, 0, 0, 0, 512, *[0] * 15, 512, 0, 0, 0, 256]  # SEPARO's points on a board of 5 × 5
WRONG = [
    ("connect_four", {"discs": [1 << 60, 0]}, "beside the board"),
    ("connect_four", {"discs": [1, 1]}, "same cell"),
    ("connect_four", {"discs": [2, 0], "plies": 1, "turn": 1}, "in the air"),
    ("connect_four", {"discs": [0, 1], "plies": 1}, "Red begins"),
    ("connect_four", {"plies": 7}, "plies"),
    ("connect_four", {"turn": 1}, "turn is 0"),
    ("connect_four", {"turn": 5}, "turn is 0"),
    ("connect_four", {"discs": [15, 7 << 7], "plies": 7, "turn": 1}, "turn is -2"),
    ("hexplode:side=2", {"stacks": [9, 0, 0, 0, 0, 0, 0]}, "hexplodes with 3"),
    ("hexplode:side=2", {"stacks": [2, 2, 0, 0, 0, 0, 0]}, "no counters left"),
    ("hexplode:side=2", {"stacks": [1, -1, 0, 0, 0, 0, 0]}, "'counters' does not belong"),
    ("hexplode:side=2", {"kinds": [99] * 8}, "'kinds' does not belong"),
    ("hexplode:side=2", {"turn": 7}, "turn is that of"),
    ("separo:size=5", {"points": [256, 0, 0, 0, 512, *[0] * 5, 768, *[0] * 9, 512, 0, 0, 0, 256]}, "neither one stone"),
    ("separo:size=5", {"points": [0] * 25}, "first stones"),
    ("separo:size=5", {"points": [256 | 1 << 5, *OPENING[1:]]}, "leaves the board"),
    ("separo:size=5", {"points": [256 | 1 << 1, *OPENING[1:]]}, "join two stones"),
    ("separo:size=5", {"points": [256 | 3, 256 | 16, *OPENING[2:6], 256 | 32, *OPENING[7:]]}, "sharp angle"),
    ("separo:size=5", {"points": [*OPENING[:12], 256, *OPENING[13:]]}, "not connected"),
    ("separo:size=5", {"points": [256 | 2, *OPENING[1:6], 256 | 32, *OPENING[7:]]}, "more moves open"),
    ("separo:size=5", {"faces": [2, 1]}, "'faces' does not belong"),
    ("separo:size=5", {"diagonals": [[[1, 0, 0, 0], [0] * 4], [[0] * 4, [0] * 4]]}, "'diagonals' does not belong"),
    ("separo:size=5", {"options": [3, 4]}, "of which there are 4"),
    ("separo:size=5", {"grown": 1}, "'grown' does not belong"),
    ("separo:size=5", {"turn": -2}, "turn is that of"),
    ("ur", {"at": [1 << 20, 0]}, "beside the path"),
    ("ur", {"hand": [9, 4]}, "more than 4"),
    ("ur", {"at": [1 << 6, 1 << 6], "hand": [3, 3]}, "same square"),
    ("ur", {"mover": 7}, "mover is"),
    ("ur", {"turn": 1, "mover": 1, "roll": 100}, "from 0 to 4"),
    ("ur", {"hand": [0, 0]}, "Only one player"),
    ("ur", {"nonsense": 1}, "exactly the fields"),
]


@pytest.mark.parametrize(("spec", "change", "words"), WRONG)
def test_what_cannot_be_is_refused_with_a_reason(spec, change, words):
    game = kibitz.game(spec)
    position = {**json.loads(kibitz.Table(game, deal=False).state.to_text()), **change}
    with pytest.raises(KibitzError, match=words):
        checked_position(game, json.dumps(position))


@pytest.mark.parametrize("text", ["", "nonsense", "[" * 7000, "[]", "{}"])
def test_nonsense_is_no_position(text):
    with pytest.raises(KibitzError):
        checked_position(kibitz.game("ur"), text)
