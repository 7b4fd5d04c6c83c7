"""Redeals in Mexican Train: every deal that fits what was seen comes up, each as often as it should."""

import random
from collections import Counter

import pytest
from dominoes import play, position, tile, tiles_in

import kibitz
from kibitz.games.mexican_train.rules import COUNTING, DRAWING, NONE, SAUCE, MexicanTrain
from kibitz.games.mexican_train.tiles import HALVES, has_tile
from kibitz.rules.contract import CHANCE, NOBODY
from kibitz.rules.engine import Engine
from kibitz.rules.rng import Stream

GAME = MexicanTrain(players=3)


@pytest.fixture
def interpreted():
    with kibitz.plain():
        yield


# ------------------------------------------------------------------ the distribution, by enumeration


def ways(table, viewer, most=3000):
    """How many sequences of deals and draws lead to each state, of those in which the viewer would have seen the same.

    All of them are equally likely: each is as many tiles from as large a boneyard, and moves are not chosen by chance.
    None where there are too many states on the way.
    """
    engine = Engine(table.game)
    true = engine.start()
    twins = {true.public_bytes(): (true.copy(), 1)}
    for turn, move in table.history:
        seen, following = engine.seen(true, move, viewer), {}
        for twin, count in twins.values():
            if twin.turn == turn:
                options = [o for o, _ in engine.outcomes(twin)] if turn == CHANCE else engine.moves(twin)
                for option in options:
                    if engine.seen(twin, option, viewer) == seen:
                        after = twin.copy()
                        engine.play(after, option)
                        key = after.public_bytes()
                        before = following[key][1] if key in following else 0
                        following[key] = after, before + count
        twins = following
        engine.play(true, move)
        if len(twins) > most:
            return None
    return {key: count for key, (_, count) in twins.items()}


def redealt(table, viewer, deals, seed):
    """How often redealing the viewer's state leads to each state."""
    engine, view, stream = Engine(table.game), table.view(viewer).state, Stream(seed)
    found = Counter()
    for _ in range(deals):
        state = view.copy()
        engine.redeal(state, viewer, stream)
        found[state.public_bytes()] += 1
    return found


def random_table(game, seed):
    """A table some moves into a game, and a viewer."""
    choose, table = random.Random(seed), kibitz.Table(game, seed=seed)
    for _ in range(choose.randrange(4, 14)):
        if not table.over:
            table.play(choose.choice(table.moves))
    return table, choose.randrange(game.players)


def distance(found, expected):
    """The distance of observed from expected frequencies: chi-square, in standard deviations from its mean."""
    deals, total = sum(found.values()), sum(expected.values())
    square = sum((found[key] - deals * w / total) ** 2 / (deals * w / total) for key, w in expected.items())
    freedom = len(expected) - 1
    return (square - freedom) / (2 * freedom) ** 0.5


TWO = "mexican_train:players=2,highest=4,hand=3"
STRICT = f"{TWO},play_drawn=no"


@pytest.mark.parametrize(
    ("spec", "seed", "uneven"),
    [
        (TWO, 9, True),
        (TWO, 21, False),
        (TWO, 79, True),
        (TWO, 88, True),
        (TWO, 97, True),
        (STRICT, 9, True),
        (STRICT, 12, True),
        (STRICT, 17, True),
        (STRICT, 18, True),
        (STRICT, 34, True),
        (STRICT, 45, True),
    ],
)
def test_every_deal_comes_as_often_as_it_has_ways_to_come_about(spec, seed, uneven):
    table, viewer = random_table(kibitz.game(spec), seed)
    expected = ways(table, viewer)
    assert (len(set(expected.values())) > 1) == uneven
    assert_deals_like(expected, redealt(table, viewer, 8000, seed))


def test_with_three_players_every_deal_comes_as_often_as_it_should():
    table, viewer = random_table(kibitz.game("mexican_train:players=3,highest=3,hand=2"), 128)
    assert_deals_like(ways(table, viewer), redealt(table, viewer, 8000, 128))


def assert_deals_like(expected, found):
    assert found.keys() <= expected.keys()
    assert distance(found, expected) < 5  # without the exchange of tiles it is 22 or more


# ------------------------------------------------------------------ what draws and passes give away


def hands_dealt(table, viewer, player, deals=60):
    """A player's hands after redealing the viewer's state."""
    engine, stream, hands = Engine(table.game), Stream("hands"), []
    for _ in range(deals):
        state = table.view(viewer).state
        engine.redeal(state, viewer, stream)
        hands.append(tiles_in(table.game, state.hand[player]))
    return hands


def with_number(hand, number):
    return [name for name in hand if str(number) in name.split("|")]


def test_who_draws_has_no_tile_that_could_be_played(interpreted):
    table = play(position(GAME, ["0|1", "1|2 3|4", "2|2"], {SAUCE: "12 5"}, turn=1), "draw")
    table.play(tile("6|7"))
    for hand in hands_dealt(table, 2, 1):
        assert len(hand) == 3
        assert len(with_number(hand, 12)) + len(with_number(hand, 5)) <= 1  # the tile just drawn may be any


def test_who_passes_has_not_drawn_a_tile_that_could_be_played(interpreted):
    table = position(GAME, ["0|1", "1|2 3|4", "2|2"], {SAUCE: "12 5"}, turn=1)
    play(table, "draw", "deal 6|7", "pass")
    for hand in hands_dealt(table, 2, 1):
        assert not with_number(hand, 12)
        assert not with_number(hand, 5)


def test_by_the_strict_variant_a_tile_drawn_may_fit_although_its_player_passes(interpreted):
    game = MexicanTrain(players=3, play_drawn=False)
    table = position(game, ["0|1", "1|2 3|4", "2|2"], {SAUCE: "12 5"}, turn=1)
    play(table, "draw", "deal 5|7", "pass")
    fitting = [len(with_number(hand, 12)) + len(with_number(hand, 5)) for hand in hands_dealt(table, 2, 1)]
    assert max(fitting) == 1


def test_tiles_drawn_later_may_be_of_a_number_that_was_missing_before(interpreted):
    """One set of missing numbers for each player would exclude the true hand here."""
    table = position(GAME, ["5|5 0|1", "1|2 3|4", "9|12 2|2"], {SAUCE: "12 5"}, turn=1)
    play(table, "draw", "deal 6|7", "pass")  # player 1 has neither 5 nor 12
    play(table, "9|12 train 2", "5|5 sauce", "draw", "deal 0|3", "pass")
    play(table, "draw", "deal 7|12", "pass")  # and draws a 12, which does not open the gate
    assert "7|12" in tiles_in(GAME, table.state.hand[1])
    hands = hands_dealt(table, 0, 1)
    assert not any(with_number(hand, 5) for hand in hands)
    assert {len(with_number(hand, 12)) for hand in hands} == {0, 1}  # the older tiles stay excluded


def test_a_tile_laid_later_was_not_there_when_its_player_could_not_play_it(interpreted):
    table = position(GAME, ["5|5 0|1", "1|2 3|4", "9|12 2|2"], {SAUCE: "12 5"}, turn=1)
    play(table, "draw", "deal 6|7", "pass", "9|12 train 2", "5|5 sauce", "draw", "deal 0|3", "pass")
    play(table, "draw", "deal 7|12", "pass", "draw", "deal 5|9", "5|9 sauce", "draw", "deal 0|4", "pass")
    play(table, "7|12 train 1")
    assert (table.state.after[tile("7|12")], table.state.until[tile("7|12")]) == (1, 2)
    # All that player 1 has left was there when it had neither 5 nor 12.
    assert not any(with_number(hand, 5) or with_number(hand, 12) for hand in hands_dealt(table, 0, 1))


@pytest.mark.parametrize("viewer", [0, 2, NOBODY])
def test_a_deal_looks_to_its_viewer_as_the_table_does(viewer, interpreted):
    choose, table, engine = random.Random(5), kibitz.Table(GAME, seed=5), Engine(GAME)
    for _ in range(20):
        for _ in range(3):
            table.play(choose.choice(table.moves))
        state = table.view(viewer).state
        engine.redeal(state, viewer, Stream(1))
        assert engine.redacted(state, viewer) == table.view(viewer).state
        assert [len(tiles_in(GAME, state.hand[player])) for player in range(3)] == state.size.tolist()[:3]
        assert len(tiles_in(GAME, state.bones)) == state.left


@pytest.mark.parametrize("players", range(2, 9))
@pytest.mark.parametrize("options", [{}, {"play_drawn": False, "gate_opens": False}], ids=["usual", "strict"])
def test_what_was_seen_never_excludes_the_truth(players, options, interpreted):
    game = MexicanTrain(players=players, rounds=1, **options)
    choose, table, came = random.Random(players), kibitz.Table(game, seed=players, deal=False), {}
    while not table.over:
        state, move = table.state, choose.choice(table.moves)
        if state.turn == CHANCE and state.phase != COUNTING:
            came[move] = state.kept[state.served] + (state.phase == DRAWING)
        table.play(move)
        if state.turn == 0:
            assert_possible(game, table.state, came)


def assert_possible(game, s, came):
    """The place and the draw of each tile must fit all that is recorded about it."""
    for number, draw in came.items():
        player = s.by[number]
        if player != NONE and s.until[number] > s.after[number]:
            assert s.after[number] < draw <= s.until[number]
        for holder in range(game.players):
            if has_tile(s.hand[holder], number) and number != s.drawn:
                assert draw > max(s.void[holder, half] for half in HALVES[number].tolist())
