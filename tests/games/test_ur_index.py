"""The numbers of Ur's positions: dense, the same both ways, and layered."""

import random

import pytest

import kibitz
from kibitz.games.ur.index import position_index
from kibitz.games.ur.rules import Ur
from kibitz.rules.contract import OVER
from kibitz.rules.engine import Engine
from kibitz.rules.rng import Stream
from kibitz.solve.positions import new_buffers

POSITIONS = (217, 12_869, 263_121, 2_602_822, 14_669_769, 53_188_365, 137_870_097)  # of 1 … 7 pieces


@pytest.fixture(autouse=True)
def interpreted():
    with kibitz.plain():
        yield


@pytest.mark.parametrize("pieces", range(1, 8))
def test_there_are_as_many_numbers_as_positions(pieces):
    assert position_index(Ur(pieces=pieces)).size == POSITIONS[pieces - 1]


@pytest.mark.parametrize("rosettes", [13, 14, 16])
@pytest.mark.parametrize("pieces", [1, 3, 8, 13, 17, 20])
def test_the_number_of_positions_is_that_of_all_layers(pieces, rosettes):
    index = position_index(Ur(pieces=pieces, rosettes=rosettes))
    assert index.size == sum(layer.size for layer in index.layers())


@pytest.mark.parametrize(
    "game", [Ur(pieces=1), Ur(pieces=1, rosettes=16), Ur(pieces=7), Ur(pieces=3, rosettes=16)], ids=str
)
def test_every_number_leads_to_a_position_with_that_number(game):
    index, step = position_index(game), new_buffers(game)
    tables = index.tables()
    every = range(index.size)
    for number in every if len(every) < 1000 else random.Random(1).sample(every, 1000):
        index.write(game, number, step, tables)
        assert index.number(game, step, 0, tables) == 2 * number
        assert index.holds(kibitz.State(step.states[0]))


@pytest.mark.parametrize("game", [Ur(), Ur(pieces=3, rosettes=16)], ids=str)
def test_the_other_players_view_has_the_number_of_the_exchanged_position(game):
    index, step, engine = position_index(game), new_buffers(game), Engine(game)
    tables, stream, state = index.tables(), Stream(1), engine.start()
    while state.turn != OVER:
        mirrored = state.copy()
        for player in range(2):
            mirrored.at[player] = state.at[1 - player]
            mirrored.hand[player] = state.hand[1 - player]
        mirrored.mover = 1 - state.mover
        step.states[0], step.states[1] = state, mirrored
        assert index.number(game, step, 0, tables) ^ 1 == index.number(game, step, 1, tables)
        engine.play(state, engine.draw(state, stream))
        engine.play(state, stream.choice(engine.moves(state)))


@pytest.mark.parametrize("game", [Ur(pieces=2), Ur(pieces=2, rosettes=14), Ur(pieces=2, rosettes=16, coins=3)], ids=str)
def test_moves_lead_only_to_the_same_layer_or_one_that_it_needs(game):
    index, step, engine = position_index(game), new_buffers(game), Engine(game)
    tables, layers = index.tables(), index.layers()
    layer_of = {n: place for place, layer in enumerate(layers) for first, end in layer.spans for n in range(first, end)}
    assert sorted(layer_of) == list(range(index.size))
    for number in random.Random(1).sample(range(index.size), 400):
        index.write(game, number, step, tables)
        position = kibitz.State(step.states[0]).copy()
        here = layer_of[number]
        for roll, _ in engine.outcomes(position):
            thrown = position.copy()
            engine.play(thrown, roll)
            for move in engine.moves(thrown):
                after = thrown.copy()
                engine.play(after, move)
                if after.turn != OVER:
                    step.states[2] = after
                    there = layer_of[index.number(game, step, 2, tables) >> 1]
                    assert there == here or (there in layers[here].needs and there < here)


def test_a_twin_is_the_same_position_with_the_other_player_to_throw():
    game = Ur(pieces=2)
    index, step = position_index(game), new_buffers(game)
    tables = index.tables()
    for number in random.Random(2).sample(range(index.size), 300):
        twin = index.twin(game, number, step, tables)
        assert index.twin(game, twin, step, tables) == number
        index.write(game, number, step, tables)
        position = kibitz.State(step.states[0]).copy()
        index.write(game, twin, step, tables)
        exchanged = kibitz.State(step.states[0])
        assert position.at.tolist() == exchanged.at.tolist()[::-1]
        assert position.hand.tolist() == exchanged.hand.tolist()[::-1]


def test_more_pieces_do_not_change_the_numbers():
    few, many, step = Ur(pieces=2), Ur(pieces=3), new_buffers(Ur(pieces=3))
    tables = position_index(few).tables(), position_index(many).tables()
    for number in random.Random(3).sample(range(position_index(few).size), 200):
        position_index(few).write(few, number, step, tables[0])
        assert position_index(many).number(many, step, 0, tables[1]) == 2 * number


@pytest.mark.parametrize(
    "text",
    [
        '{"at":[0,0],"hand":[5,4],"roll":1,"mover":0,"turn":0}',
        '{"at":[65536,0],"hand":[1,4],"roll":1,"mover":0,"turn":0}',
        '{"at":[64,64],"hand":[1,1],"roll":1,"mover":0,"turn":0}',
        '{"at":[0,0],"hand":[-1,1],"roll":1,"mover":0,"turn":0}',
        '{"at":[0,0],"hand":[1,1],"roll":1,"mover":7,"turn":0}',
    ],
)
def test_impossible_positions_have_no_number(text):
    assert not position_index(Ur()).holds(kibitz.State.from_text(text, Ur().dtype))
