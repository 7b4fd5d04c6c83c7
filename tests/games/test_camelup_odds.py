"""Exact odds against brute force: every order of the dice, every distance, with the camels as lists."""

import itertools
import random

import numpy as np
import pytest

import kibitz
from kibitz.compiler import native
from kibitz.games.camelup.forecast import forecast
from kibitz.games.camelup.leg_odds import foresee, new_odds
from kibitz.games.camelup.race_odds import all_values, leg_starts, number_of, start_ranks
from kibitz.games.camelup.rules import CamelUp
from kibitz.rules.engine import Engine

FIVE = CamelUp(rules="camelai")
CRAZY = CamelUp(rules="second")
SMALL = CamelUp(players=2, camels=3, squares=7)
SMALL_CRAZY = CamelUp(players=2, camels=3, squares=7, rules="second")
GREY = "grey"


def lists(game, state):
    """The track as stacks by square, bottom first, with room at both ends."""
    track = {square: [] for square in range(-4, game.squares + 5)}
    for camel in sorted(range(game.animals), key=lambda camel: state.height[camel]):
        track[state.square[camel]].append(camel)
    return track


def step(game, track, tiles, camel, distance):
    """A track after a roll, and the square on which the camels landed."""
    track = {square: list(stack) for square, stack in track.items()}
    origin = next(square for square, stack in track.items() if camel in stack)
    stack = track[origin]
    group = stack[stack.index(camel) :]
    del stack[stack.index(camel) :]
    way = 1 if camel < game.camels else -1
    landed = origin + way * distance
    effect = tiles.get(landed, 0)
    target = landed + way * effect
    track[target] = group + track[target] if effect < 0 else track[target] + group
    return track, landed


def is_over(game, track):
    return any(stack for square, stack in track.items() if not 0 <= square < game.squares)


def ranking(game, track):
    """The camels in the race, first to last."""
    stacks = [track[square] for square in sorted(track, reverse=True)]
    return [camel for stack in stacks for camel in reversed(stack) if camel < game.camels]


def movers(game, track, die):
    """The camels that a die may move, all equally likely: one, or two for the two colours of the grey die."""
    if die != GREY:
        return [die]
    crazy = [game.camels, game.camels + 1]
    for stack in track.values():
        for lower, upper in itertools.pairwise(stack):
            if lower in crazy and upper in crazy:
                return [upper]
    laden = [
        camel
        for stack in track.values()
        for place, camel in enumerate(stack)
        if camel in crazy and any(rider < game.camels for rider in stack[place + 1 :])
    ]
    return laden if len(laden) == 1 else crazy


def falls(game, track, tiles, dice, weight=1.0, landings=()):
    """Every way in which a leg can go: the track, its probability, the landings."""
    if is_over(game, track) or len(dice) == (1 if game.is_second else 0):
        yield track, weight, landings
        return
    for die in dice:
        left = [other for other in dice if other != die]
        who = movers(game, track, die)
        for camel, distance in itertools.product(who, (1, 2, 3)):
            now, landed = step(game, track, tiles, camel, distance)
            share = weight / (3 * len(who) * len(dice))
            yield from falls(game, now, tiles, left, share, (*landings, landed))


def dice_of(game, state):
    dice = [camel for camel in range(game.camels) if state.dice >> camel & 1]
    return [*dice, GREY] if state.dice >> game.camels & 1 else dice


def brute_force(game, state):
    """The odds of a leg, from all ways in which it can go."""
    tiles = {abs(tile): 1 if tile > 0 else -1 for tile in state.tile.tolist() if tile}
    found = {name: np.zeros(game.camels) for name in ("first", "second", "last")}
    landed, over = np.zeros(game.squares), 0.0
    for track, weight, landings in falls(game, lists(game, state), tiles, dice_of(game, state)):
        order = ranking(game, track)
        for name, camel in (("first", order[0]), ("second", order[1]), ("last", order[-1])):
            found[name][camel] += weight
        for square in landings:
            if 0 <= square < game.squares:
                landed[square] += weight
        over += weight * is_over(game, track)
    return {**found, "landings": landed, "over": over}


def positions(game, count, moves, seed=0):
    """Positions from games of random moves, every other one a roll."""
    chance, found = random.Random(seed), []
    with kibitz.plain():
        while len(found) < count:
            table = kibitz.Table(game, seed=chance.randrange(1 << 30))
            for _ in range(chance.randrange(moves)):
                if not table.over:
                    options = table.moves
                    table.play(chance.choice([options[0], chance.choice(options)]))
            if not table.over:
                found.append(table.state)
    return found


def fresh(track, tiles, game=FIVE):
    """The start of a leg with these stacks and desert tiles."""
    with kibitz.plain():
        state = Engine(game).start()
    state.dice = game.leg_dice
    for square, stack in track.items():
        for height, camel in enumerate(stack):
            state.square[camel], state.height[camel] = square, height
    state.leg, state.turn, state.tile[: len(tiles)] = 1, 0, tiles
    return state


def check(game, state, odds):
    foresee(game, native(state), odds)
    expected = brute_force(game, state)
    for name, wanted in expected.items():
        assert np.asarray(getattr(odds, name)) == pytest.approx(wanted, abs=1e-10), name
    assert np.asarray(odds.pairs).sum(axis=1) == pytest.approx(expected["first"])
    assert np.asarray(odds.pairs).sum(axis=0) == pytest.approx(expected["second"])


def test_leg_odds_are_those_of_brute_force_wherever_a_game_leads():
    odds = new_odds(FIVE, race=False)
    states = [state for state in positions(FIVE, 120, 60) if state.dice != 0b11111]
    assert len({state.dice for state in states}) > 15
    for state in states:
        check(FIVE, state, odds)


@pytest.mark.parametrize(
    ("track", "tiles"),
    [
        ({0: [4, 2], 1: [0], 2: [3, 1]}, [3, -5, 7, -9]),
        ({3: [0, 1, 2, 3, 4]}, [4, 6, -8, 10]),
        ({11: [0], 12: [1, 4], 14: [3], 9: [2]}, [-13, 15, 10, 0]),
        ({5: [0, 3], 7: [1, 2], 8: [4]}, [0, 0, 0, 0]),
    ],
)
def test_a_fresh_leg_falls_in_29160_ways(track, tiles):
    check(FIVE, fresh(track, tiles), new_odds(FIVE, race=False))


def test_odds_with_crazy_camels_are_those_of_brute_force_wherever_a_game_leads():
    odds = new_odds(CRAZY, race=False)
    states = [state for state in positions(CRAZY, 90, 60) if state.dice.bit_count() < 5]
    assert sum(state.dice >> CRAZY.camels & 1 for state in states) > 10
    for state in states:
        check(CRAZY, state, odds)


WHITE, BLACK = CRAZY.camels, CRAZY.camels + 1


@pytest.mark.parametrize(
    ("track", "tiles"),
    [
        ({6: [0, WHITE, 1], 8: [BLACK], 9: [2], 5: [3], 4: [4]}, [7, 0, 0, 0]),  # only white carries camels
        ({6: [WHITE, 0], 7: [BLACK, 1], 9: [2], 5: [3], 4: [4]}, [-10, 8, 0, 0]),  # both do
        ({6: [0, BLACK, WHITE, 1], 9: [2], 5: [3], 4: [4]}, [-7, 10, 0, 0]),  # white sits on black
        ({6: [BLACK, 0, WHITE, 1], 9: [2], 5: [3], 4: [4]}, [7, -3, 0, 0]),  # a camel sits between them
        ({1: [WHITE, 0, 1], 0: [BLACK], 9: [2], 5: [3], 4: [4]}, [-3, 0, 0, 0]),  # near the start
        ({15: [WHITE, 0, 1], 14: [BLACK, 4], 13: [2], 12: [3]}, [0, 0, 0, 0]),  # near the end
    ],
)
@pytest.mark.parametrize("rolled", [0b00011, 0b01001])
def test_crazy_camels_move_as_brute_force_moves_them(track, tiles, rolled):
    state = fresh(track, tiles, CRAZY)
    state.dice ^= rolled
    check(CRAZY, state, new_odds(CRAZY, race=False))


@pytest.mark.slow
def test_a_fresh_leg_with_crazy_camels_falls_in_up_to_320760_ways():
    state = fresh({2: [0, 3], 3: [1], 5: [WHITE, 2], 6: [4], 7: [BLACK]}, [8, -10, 4, 0], CRAZY)
    check(CRAZY, state, new_odds(CRAZY, race=False))


@pytest.mark.parametrize("game", [FIVE, CRAZY], ids=str)
def test_odds_are_those_of_simulated_legs(game):
    """Within four standard errors; `benchmarks/camelup.py legs` does the same with millions of legs."""
    legs = 40_000
    for state in positions(game, 6, 40):
        found = forecast(game, state, legs)
        for name, sampled in found.sampled_leg.items():
            exact = np.array(getattr(found, name))
            error = np.sqrt(np.maximum(exact * (1 - exact), 0) / legs)
            assert (np.abs(exact - sampled) <= 4 * error + 1e-9).all(), name


@pytest.mark.parametrize("game", [SMALL, SMALL_CRAZY])
def test_plain_mode_gives_the_same_odds(game):
    for state in positions(game, 8, 30):
        compiled = new_odds(game, race=True)
        foresee(game, native(state), compiled)
        with kibitz.plain():
            odds = new_odds(game, race=True)
            foresee(game, native(state), odds)
        for name in ("first", "second", "last", "wins", "loses", "landings"):
            assert getattr(odds, name).tolist() == pytest.approx(getattr(compiled, name).tolist())


def test_the_oracle_of_the_crate_camel_up_says_the_same():
    """Red is three squares behind yellow; both dice are left. Red wins only if it rolls a three first."""
    game = CamelUp(players=2, camels=2)
    odds = new_odds(game, race=False)
    foresee(game, native(fresh({0: [0], 3: [1]}, [0], game)), odds)
    assert odds.first.tolist() == pytest.approx([1 / 6, 5 / 6])


def test_the_odds_are_certain_when_the_race_is_over():
    state = fresh({16: [3, 1], 12: [0], 11: [2, 4]}, [0])
    odds = new_odds(FIVE, race=True)
    foresee(FIVE, native(state), odds)
    assert odds.wins.tolist() == odds.first.tolist() == [0, 1, 0, 0, 0]
    assert odds.loses.tolist() == [0, 0, 1, 0, 0]


# ------------------------------------------------------------------ the race


def race_by_recursion(game):
    """The values of a race without tiles, by the definition: from a position and the dice left, to the end."""
    known = {}

    def value(track, dice):
        key = tuple(map(tuple, track.values())), dice
        if key not in known:
            total = np.zeros((2, game.camels))
            for camel in dice:
                for distance in (1, 2, 3):
                    now, _ = step(game, track, {}, camel, distance)
                    left = tuple(other for other in dice if other != camel) or tuple(range(game.camels))
                    if is_over(game, now):
                        order = ranking(game, now)
                        total[0, order[0]] += 1
                        total[1, order[-1]] += 1
                    else:
                        total += value(now, left)
            known[key] = total / (3 * len(dice))
        return known[key]

    return value


def test_race_odds_are_those_of_the_definition():
    value, odds = race_by_recursion(SMALL), new_odds(SMALL, race=True)
    for state in positions(SMALL, 60, 30):
        state.tile[:] = 0
        foresee(SMALL, native(state), odds)
        dice = tuple(camel for camel in range(SMALL.camels) if state.dice >> camel & 1)
        wins, loses = value(lists(SMALL, state), dice)
        assert odds.wins.tolist() == pytest.approx(wins.tolist())
        assert odds.loses.tolist() == pytest.approx(loses.tolist())


def test_the_table_of_all_dice_left_holds_the_odds_of_legs_without_tiles():
    values, odds = all_values(SMALL), new_odds(SMALL, race=True)
    for state in positions(SMALL, 40, 30):
        state.tile[:] = 0
        foresee(SMALL, native(state), odds)
        order = sorted(range(3), key=lambda camel: (state.square[camel], state.height[camel]))
        dice = sum((state.dice >> camel & 1) << rank for rank, camel in enumerate(order))
        row = values[number_of(state.square[camel] for camel in order), dice]
        expected = [share[camel] for share in (odds.wins, odds.loses) for camel in order]
        assert row[:6] == pytest.approx(expected)
        assert row[8:] == pytest.approx([share[camel] for share in (odds.first, odds.second) for camel in order])


def test_positions_are_numbered_without_gaps():
    every = itertools.combinations_with_replacement(range(SMALL.squares), SMALL.camels)
    assert sorted(map(number_of, every)) == list(range(len(leg_starts(SMALL))))
    assert len(leg_starts(FIVE)) == 15_504


def test_a_place_at_the_start_is_worth_what_five_million_races_found():
    ranks = start_ranks(FIVE)
    assert (100 * ranks[4::-1]).tolist() == pytest.approx([21.6, 20.9, 20.4, 19.6, 17.5], abs=0.06)
    assert (100 * ranks[9:4:-1]).tolist() == pytest.approx([15.7, 17.3, 18.5, 20.5, 28.0], abs=0.06)
    assert ranks[10] == pytest.approx(21.3, abs=0.05)  # dice
    assert 1 + ranks[11] == pytest.approx(4.72, abs=0.005)  # legs


def test_the_odds_of_crazy_camels_beside_six_others_are_refused():
    with pytest.raises(kibitz.KibitzError, match="The odds cover five camels beside the crazy ones, not 6"):
        new_odds(CamelUp(camels=6, rules="second"), race=False)


def test_a_race_too_long_for_memory_is_refused():
    with pytest.raises(kibitz.KibitzError, match="too much memory"):
        leg_starts(CamelUp(camels=6, squares=28))
