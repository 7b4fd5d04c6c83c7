"""What networks see of the games that bring features of their own, by what they should tell about simple positions."""

import pytest

import kibitz
from kibitz.compiler import numbers
from kibitz.games.camelup import features as camelup
from kibitz.games.connect_four import features as connect_four
from kibitz.games.hexplode import features as hexplode
from kibitz.games.mexican_train import features as mexican_train
from kibitz.games.separo import features as separo
from kibitz.learn.features import list_bits
from kibitz.learn.method_features import features_for
from kibitz.learn.watched_features import WatchedFeatures


def seen(table):
    """The places that describe a table, with their amounts, for the player to act."""
    game = table.game
    features = features_for(game, "zero")
    assert not isinstance(features, WatchedFeatures)
    places, amounts = numbers(features.most(game) + 1, "i8"), numbers(features.most(game) + 1, "f8")
    with kibitz.plain():
        count = features.describe(game, table.view(table.turn).state, places, amounts)
    assert count <= features.most(game)
    return {int(places[i]): float(amounts[i]) for i in range(count)}


def table_of(spec, moves="", seed=1):
    table = kibitz.Table(kibitz.game(spec), seed=seed)
    for move in moves.split():
        table.play(move)
    return table


def test_bits_become_places():
    places = numbers(8, "i8")
    assert list_bits(0b10110, 100, places, 1) == 4
    assert [int(places[i]) for i in range(1, 4)] == [101, 102, 104]


def test_connect_four_shows_discs_and_threats_of_both_sides():
    """After 1 2 1 2 1 2, both have three in a column, and the cell on top of it is a threat."""
    first = seen(table_of("connect_four", "1 2 1 2 1 2"))
    assert {connect_four.OWN + bit for bit in range(3)} <= first.keys()
    assert {connect_four.THEIRS + 7 + bit for bit in range(3)} <= first.keys()
    assert connect_four.OWN_THREATS + 3 in first
    assert connect_four.THEIR_THREATS + 7 + 3 in first
    second = seen(table_of("connect_four", "1 2 1 2 1 2 7"))
    assert connect_four.THEIR_THREATS + 3 in second
    assert connect_four.FIRST_PLAYER in first
    assert connect_four.FIRST_PLAYER not in second


def test_hexplode_shows_stacks_from_the_side_of_the_mover():
    table = table_of("hexplode:side=3", "tile_1_1")
    tile = next(i for i in range(table.game.tiles) if table.view(1).state.stacks[i])
    middle = 1 + tile * hexplode.STACKS + hexplode.STACKS // 2
    assert middle - 1 in seen(table)  # one counter of the opponent's
    table.play(next(move for move in table.moves if move != tile))
    assert middle + 1 in seen(table)


def test_separo_shows_stones_roots_and_open_moves():
    table = table_of("separo")
    opening = seen(table)
    points, last = 81, 80
    assert {0, last, points + 8, points + 72} <= opening.keys()  # the corners: one's own, then the opponent's
    first_move = 2 * (1 + separo.DIRECTIONS) * points
    assert {first_move + move for move in table.moves} <= opening.keys()
    table.play(table.moves[0])
    assert points in seen(table)  # red's corner is the opponent's now
    assert len(seen(table).keys() - opening.keys()) > 4


@pytest.mark.parametrize("seat", [0, 1])
def test_mexican_train_shows_the_own_hand_and_nobody_elses(seat):
    table = table_of("mexican_train:players=2")
    while table.turn != seat:
        table.play(table.moves[0])
    hand = table.view(seat).state.hand[seat]
    tiles = {
        mexican_train.HAND + low * mexican_train.NUMBERS + high - low
        for low in range(13)
        for high in range(low, 13)
        if int(hand[low]) >> high & 1
    }
    assert {place for place in seen(table) if mexican_train.HAND <= place < mexican_train.LAID} == tiles


def test_camel_up_shows_the_race_and_the_own_bets():
    table = table_of("camelup:players=2")
    state = table.view(table.turn).state
    places = seen(table)
    assert {camelup.SQUARE + camel * camelup.SQUARES + state.square[camel] for camel in range(5)} <= places.keys()
    assert {camelup.DICE + die for die in range(5)} <= places.keys()
    table.play("winner c_0")
    table.play("leg c_1")
    mine = seen(table)
    assert camelup.RACE_BETS in mine
    assert camelup.CARDS not in mine
    assert camelup.OTHERS_TILES + 1 in mine
    table.play("leg c_1")
    theirs = seen(table)
    assert camelup.RACE_BETS not in theirs  # secret
    assert camelup.OWN_TILES + 1 in theirs
