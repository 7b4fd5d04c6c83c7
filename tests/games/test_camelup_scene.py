"""Camel Up as a scene, and the sentences about a roll."""

import itertools
import math
import random

import pytest

import kibitz
from kibitz.games.camelup.rules import CamelUp
from kibitz.games.camelup.scene import LENGTH, along, place
from kibitz.rules.contract import CHANCE, NOBODY
from kibitz.rules.engine import Engine

GAME = CamelUp(players=3)
CAMELAI = CamelUp(players=3, rules="camelai")
SECOND = CamelUp(players=3, rules="second")
STACKS = {4: [0, 3], 5: [1], 7: [4, 2]}


@pytest.fixture(autouse=True)
def interpreted():
    with kibitz.plain():
        yield


def table_at(game=GAME, stacks=STACKS, dice=0b11111, tiles=(0, 0, 0), leg=2):
    s = Engine(game).start()
    for square, stack in stacks.items():
        for height, camel in enumerate(stack):
            s.square[camel], s.height[camel] = square, height
    for player, tile in enumerate(tiles):
        s.tile[player] = tile
    s.leg, s.dice, s.turn = leg, dice, 0
    return kibitz.Table(game, deal=False, position=s)


def play(table, *names):
    for name in names:
        table.play(table.parse(name))
    return table


def pieces_of(table, viewer=NOBODY):
    last = next((ply.move for ply in reversed(table.view(viewer).history) if ply.turn != CHANCE), None)
    scene = table.board.scene(table.game, table.view(viewer).state, viewer, last)
    return {piece.name: piece for piece in scene.pieces}


def marked(table, viewer=NOBODY):
    return [name for name, piece in pieces_of(table, viewer).items() if piece.marked]


def effects_of(table, *names):
    """The effects of the last of some moves and outcomes."""
    *first, last = names
    play(table, *first)
    before, move = table.state, table.parse(last)
    table.play(move)
    return table.board.effects(table.game, before, move, table.state)


def clicks(table, name):
    return table.board.clicks(table.game, table.state, table.parse(name))


def test_the_track_is_a_closed_loop():
    points = [along(LENGTH * i / 200) for i in range(201)]
    for (x, y, _), (u, v, _) in itertools.pairwise(points):
        assert math.hypot(u - x, v - y) == pytest.approx(LENGTH / 200, rel=0.01)
    assert points[0] == pytest.approx(points[-1])


def test_camels_run_to_the_right_above_and_to_the_left_below():
    above, below = place(16, 3), place(16, 12)
    assert above[1] < below[1]
    assert (above[2], below[2]) == (False, True)


def test_riders_stand_above_those_that_carry_them_and_are_drawn_after():
    pieces = pieces_of(table_at())
    assert pieces["camel-3"].x == pieces["camel-0"].x
    assert pieces["camel-3"].y < pieces["camel-0"].y
    names = list(pieces)
    assert names.index("camel-0") < names.index("camel-3")


def test_camels_wait_beside_the_track_before_they_line_up():
    pieces = pieces_of(kibitz.Table(GAME, deal=False))
    places = [(pieces[f"camel-{camel}"].x, pieces[f"camel-{camel}"].y) for camel in range(5)]
    assert len(set(places)) == 5
    assert pieces["camel-0"].label == "blue behind the start"


def test_a_camel_past_the_finish_is_shown_on_the_line():
    table = table_at(stacks={14: [0, 3], 5: [1], 7: [4, 2]})
    pieces = pieces_of(play(table, "roll", "c_0 moves 3"))
    assert pieces["camel-3"].label == "yellow past the finish"
    assert pieces["camel-3"].x == pytest.approx(along(0.0)[0])


def test_dice_come_out_of_the_pyramid():
    table = table_at()
    before = pieces_of(table)["die-1"]
    after = pieces_of(play(table, "roll", "c_1 moves 2"))
    assert after["die-1"].y > before.y
    assert after["die-1"].label == "the green die, rolled"
    assert after["pyramid"].label == "the pyramid with 4 dice: roll"


def test_the_crazy_camels_share_a_die():
    table = kibitz.Table(SECOND, 1)
    pieces = pieces_of(table)
    assert pieces["die-5"].label == "the grey die, in the pyramid"
    assert "die-6" not in pieces
    assert pieces["camel-5"].label.startswith("the white camel on square")


def test_no_camel_in_the_race_is_white_where_a_crazy_one_is():
    fills = {
        name: piece.shapes[0].fill for name, piece in pieces_of(kibitz.Table(SECOND, 1)).items() if "camel-" in name
    }
    assert len(set(fills.values())) == 7
    assert "camel-4" not in fills.values()


def test_leg_tiles_go_to_those_who_take_them_and_come_back():
    table = table_at(dice=0b00001)
    lying = pieces_of(table)["leg-2-0"]
    play(table, "leg c_2")
    taken = pieces_of(table)["leg-2-0"]
    assert taken.y > lying.y
    assert taken.size < lying.size
    assert taken.label == "Player 1's orange leg tile"
    assert marked(table) == ["leg-2-0"]
    play(table, "roll", "c_0 moves 1")
    assert pieces_of(table)["leg-2-0"] == lying


def test_a_desert_tile_goes_onto_its_square():
    table = table_at()
    assert pieces_of(table)["tile-0"].y > 9
    play(table, "mirage 9")
    pieces = pieces_of(table)
    assert (pieces["tile-0"].x, pieces["tile-0"].y) == (pieces["square-9"].x, pieces["square-9"].y)
    assert pieces["tile-0"].label == "Player 1's mirage on square 9"
    assert marked(table) == ["tile-0"]


def test_race_cards_of_others_show_their_backs():
    table = play(table_at(), "winner c_2", "loser c_3")
    assert pieces_of(table, 0)["race-winner-0"].label == "Player 1's race card for orange"
    assert pieces_of(table, 1)["race-winner-0"].label == "Player 1's race card"
    assert pieces_of(table)["race-loser-0"].label == "Player 2's race card"
    assert pieces_of(table)["race-winner-0"].shapes != pieces_of(table, 0)["race-winner-0"].shapes
    assert marked(table, 0) == marked(table, 1) == ["race-loser-0"]


def test_camelai_does_not_show_whose_cards_they_are():
    table = play(table_at(CAMELAI), "winner c_2")
    assert pieces_of(table, 1)["race-winner-0"].label == "a race card"


def test_a_scene_does_not_reveal_hidden_cards():
    """Two tables that differ only in what is hidden look the same."""
    one = play(table_at(), "winner c_2", "loser c_3", "loser c_1")
    other = play(table_at(), "winner c_4", "loser c_0", "loser c_1")
    assert pieces_of(one) == pieces_of(other)
    assert pieces_of(one, 2) == pieces_of(other, 2)
    assert pieces_of(one, 0) != pieces_of(other, 0)


def test_only_players_have_a_hand():
    table = play(table_at(), "winner c_2")
    assert {"card-0", "oasis", "mirage"} <= pieces_of(table, 0).keys()
    assert "card-2" not in pieces_of(table, 0)
    assert "card-2" in pieces_of(table, 1)
    assert not {"card-0", "oasis", "mirage"} & pieces_of(table).keys()


def test_moves_are_made_by_clicks():
    table = table_at()
    assert clicks(table, "roll") == ("pyramid",)
    assert clicks(table, "oasis 9") == ("oasis", "square-9")
    assert clicks(table, "mirage 15") == ("mirage", "square-15")
    assert clicks(table, "leg c_2") == ("leg-2-0",)
    assert clicks(table, "winner c_2") == ("card-2", "winner-pile")
    assert clicks(table, "loser c_0") == ("card-0", "loser-pile")
    assert clicks(play(table, "leg c_2"), "leg c_2") == ("leg-2-1",)


def test_a_roll_marks_the_camels_that_have_moved_and_their_die():
    table = table_at()
    before = table.board.scene(GAME, table.state, NOBODY)
    play(table, "roll", "c_0 moves 2")
    assert marked(table) == []
    after = table.board.scene(GAME, table.state, NOBODY, last=0).since(before)
    assert {piece.name for piece in after.pieces if piece.marked} == {"camel-0", "camel-3", "die-0"}


def test_rolls_that_are_not_paid_yet_are_shown():
    pieces = pieces_of(play(table_at(), "roll", "c_0 moves 2"))
    assert pieces["box-0"].label == "Player 1: 3 coins, 1 unpaid roll"
    assert "rolls-0" in pieces
    assert "rolls-1" not in pieces


def test_landings_on_desert_tiles_are_announced():
    assert effects_of(table_at(tiles=(0, 8, 0)), "roll", "c_1 moves 3") == [
        "Green lands on an oasis: Player 2 gets 1 coin."
    ]
    assert effects_of(table_at(tiles=(0, 0, -8)), "roll", "c_1 moves 3") == [
        "Green lands on a mirage: Player 3 gets 1 coin."
    ]
    assert effects_of(table_at(), "roll", "c_1 moves 2") == []
    assert effects_of(table_at(), "leg c_1") == []


def test_the_end_of_a_leg_is_announced_with_its_payments():
    table = table_at(dice=0b00001)
    assert effects_of(table, "leg c_2", "leg c_1", "leg c_4", "roll", "c_0 moves 1") == [
        "Leg 2 ends: orange leads, white is second.",
        "The leg pays: Player 1 +6, Player 2 −1, Player 3 +1.",
    ]


def test_forgiven_debts_are_not_announced():
    table = table_at(dice=0b00001)
    state = table.state
    state.coins[1] = 0
    table = kibitz.Table(GAME, deal=False, position=state)
    assert effects_of(table, "leg c_2", "leg c_1", "leg c_4", "roll", "c_0 moves 1")[-1] == (
        "The leg pays: Player 1 +6, Player 3 +1."
    )


def test_the_end_of_the_race_is_announced():
    table = table_at(stacks={15: [0, 3], 5: [1], 7: [4, 2]})
    assert effects_of(table, "winner c_3", "loser c_1", "winner c_0", "roll", "c_0 moves 1") == [
        "Leg 2 ends: yellow leads, blue is second.",
        "The leg pays: Player 1 +1.",
        "The race is over: yellow wins, green is last.",
        "The race pays: Player 1 +8, Player 2 +8, Player 3 −1.",
    ]


def test_a_crazy_camel_that_moves_instead_of_the_other_is_announced():
    table = table_at(SECOND, {4: [0, 3], 7: [4, 2], 12: [5], 14: [6, 1]}, dice=0b111111)
    assert effects_of(table, "roll", "white rolls 2") == ["The black camel moves instead."]


def test_the_start_is_announced():
    table = kibitz.Table(GAME, deal=False)
    names = [f"c_{camel} starts on 0" for camel in range(5)]
    assert effects_of(table, *names[:4]) == []
    assert effects_of(table, names[4]) == ["The race begins."]


@pytest.mark.parametrize("game", [GAME, CAMELAI, SECOND])
def test_announced_payments_add_up(game):
    """The payments in the sentences add up to the coins at the end."""
    for seed in range(3):
        table, choose = kibitz.Table(game, seed, deal=False), random.Random(seed)
        engine, state = Engine(game), Engine(game).start()
        coins = state.coins.tolist()[:3]
        while not table.over:
            move = choose.choice(table.moves)
            before = state.copy()
            engine.play(state, move)
            table.play(move)
            if game.is_camelai and before.turn == CHANCE and before.leg:
                coins[before.turns % 3] += 1
            for sentence in table.board.effects(game, before, move, state):
                if " gets 1 coin." in sentence:
                    coins[int(sentence.split("Player ")[1][0]) - 1] += 1
                if " pays: " in sentence:
                    for payment in sentence.rstrip(".").split(" pays: ")[1].split(", "):
                        _, player, gain = payment.split()
                        coins[int(player) - 1] += int(gain.replace("−", "-"))
        assert coins == state.coins.tolist()[:3]


def test_coins_are_counted():
    table = table_at()
    assert table.board.counters(GAME, table.state, 1) == {"coins": 3}


def test_texts_call_the_players_by_their_names():
    table = play(table_at(tiles=(0, 8, 0)), "leg c_2")
    board = table.board.with_players(["Ann", "Ben", "Cleo"], you=1)
    labels = [piece.label for piece in board.scene(GAME, table.view(1).state, 1).pieces]
    assert {"Ann's orange leg tile", "your oasis on square 8", "You: 3 coins"} <= set(labels)
    play(table, "roll")
    before, move = table.state, table.parse("c_1 moves 3")
    table.play(move)
    assert board.effects(GAME, before, move, table.state) == ["Green lands on an oasis: You get 1 coin."]
