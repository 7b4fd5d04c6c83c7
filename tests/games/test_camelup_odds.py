"""Exact odds against brute force: every order of the dice, every distance, with the camels as lists."""

import itertools
import random

import numpy as np
import pytest

import kibitz
from kibitz.compiler import native
from kibitz.games.camelup.leg_odds import foresee, new_odds
from kibitz.games.camelup.race_odds import all_values, leg_starts, number_of, start_ranks
from kibitz.games.camelup.rules import CamelUp
from kibitz.rules.engine import Engine

FIVE = CamelUp(rules="camelai")
SMALL = CamelUp(players=2, camels=3, squares=7)


def lists(game, state):
    """The track as a list of stacks, bottom first, with room behind the last square."""
    track = [[] for _ in range(game.squares + 4)]
    for camel in sorted(range(game.camels), key=lambda camel: state.height[camel]):
        track[state.square[camel]].append(camel)
    return track


def step(track, tiles, camel, distance):
    """A track after a roll, and the square on which the camels landed."""
    track = [list(stack) for stack in track]
    origin = next(square for square, stack in enumerate(track) if camel in stack)
    stack = track[origin]
    group = stack[stack.index(camel) :]
    del stack[stack.index(camel) :]
    landed = origin + distance
    effect = tiles.get(landed, 0)
    target = landed + effect
    track[target] = group + track[target] if effect < 0 else track[target] + group
    return track, landed


def ranking(track):
    """The camels, first to last."""
    return [camel for stack in reversed(track) for camel in reversed(stack)]


def falls(game, track, tiles, dice):
    """Every way in which a leg can go: the track, whether the race is over, the landings."""
    for order in itertools.permutations(dice):
        for distances in itertools.product((1, 2, 3), repeat=len(dice)):
            now, landings = track, []
            for camel, distance in zip(order, distances, strict=True):
                now, landed = step(now, tiles, camel, distance)
                landings.append(landed)
                if any(now[game.squares :]):
                    break
            yield now, any(now[game.squares :]), landings


def brute_force(game, state):
    """The odds of a leg by counting all ways in which it can fall, a race that ends early in all its continuations."""
    tiles = {abs(tile): 1 if tile > 0 else -1 for tile in state.tile.tolist() if tile}
    dice = [camel for camel in range(game.camels) if state.dice >> camel & 1]
    found = {name: np.zeros(game.camels) for name in ("first", "second", "last")}
    landed, ways, over = np.zeros(game.squares + 4), 0, 0
    for track, is_over, landings in falls(game, lists(game, state), tiles, dice):
        order = ranking(track)
        for name, camel in (("first", order[0]), ("second", order[1]), ("last", order[-1])):
            found[name][camel] += 1
        for square in landings:
            landed[square] += 1
        over += is_over
        ways += 1
    return {**{name: counted / ways for name, counted in found.items()}, "landings": landed / ways, "over": over / ways}


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
    for square, stack in track.items():
        for height, camel in enumerate(stack):
            state.square[camel], state.height[camel] = square, height
    state.leg, state.turn, state.tile[: len(tiles)] = 1, 0, tiles
    return state


def check(game, state, odds):
    foresee(game, native(state), odds)
    expected = brute_force(game, state)
    for name, wanted in expected.items():
        assert np.asarray(getattr(odds, name)) == pytest.approx(wanted, abs=1e-12), name
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


def test_plain_mode_gives_the_same_odds():
    for state in positions(SMALL, 8, 30):
        compiled = new_odds(SMALL, race=True)
        foresee(SMALL, native(state), compiled)
        with kibitz.plain():
            odds = new_odds(SMALL, race=True)
            foresee(SMALL, native(state), odds)
        for name in ("first", "second", "last", "wins", "loses", "landings"):
            assert getattr(odds, name).tolist() == pytest.approx(getattr(compiled, name).tolist())


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
        key = tuple(map(tuple, track)), dice
        if key not in known:
            total = np.zeros((2, game.camels))
            for camel in dice:
                for distance in (1, 2, 3):
                    now, _ = step(track, {}, camel, distance)
                    left = tuple(other for other in dice if other != camel) or tuple(range(game.camels))
                    if any(now[game.squares :]):
                        order = ranking(now)
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


def test_a_race_too_long_for_memory_is_refused():
    with pytest.raises(kibitz.KibitzError, match="too much memory"):
        leg_starts(CamelUp(camels=6, squares=28))
