"""Camel Up's own bots: each keeps to its idea and has its known strength."""

from collections import Counter

import numpy as np
import pytest

import kibitz
from kibitz.compiler import native, numbers
from kibitz.games.camelup.bots import Leader
from kibitz.games.camelup.ev import value_moves
from kibitz.games.camelup.rules import FREE_TURNS, CamelUp
from kibitz.players.roster import bots_for, resolve_all
from kibitz.rules.engine import Engine
from kibitz.tournament.compiled_match import CompiledMatch

GAME = CamelUp(rules="camelai")
LINE_UP = ["random", "roll", "leader", "ev"]
NAMES = ["random", "roll", "leader", "ev", "ev-race", "ev-full"]
AT_THE_END = {15: [4], 14: [3], 9: [2], 8: [1], 2: [0]}
AHEAD = {13: [2], 5: [0, 1, 3, 4]}


def position(track, dice=range(5), tiles=(), turns=0, game=GAME):
    with kibitz.plain():
        state = Engine(game).start()
    for square, stack in track.items():
        for height, camel in enumerate(stack):
            state.square[camel], state.height[camel] = square, height
    for player, tile in enumerate(tiles):
        state.tile[player] = tile
    state.leg, state.dice, state.turns, state.turn = 1, sum(1 << camel for camel in dice), turns, turns % game.players
    return kibitz.Table(game, deal=False, position=state)


def choice(spec, table):
    return table.name(kibitz.bot(spec, table.game).choose(table.view(table.turn)))


def worths(table):
    """The value of every move to `ev-full`, by name."""
    bot, view = kibitz.bot("ev-full", table.game), table.view(table.turn)
    memory = bot.memory(table.game)
    count, moves = len(view.moves), numbers(len(view.moves), "i8")
    moves[:] = view.moves
    value_moves(table.game, native(view.state), memory, moves, count, view.player)
    return {view.name(move): memory[2][i] for i, move in enumerate(view.moves)}


@pytest.fixture(scope="module")
def match():
    """One line-up for all measurements, so that it is compiled once."""
    return CompiledMatch(GAME, resolve_all(LINE_UP, GAME), 1)


def played(match, seats, games):
    """Games in which these bots take the seats, which rotate if they are not all the same."""
    count, bots = np.arange(games), [LINE_UP.index(name) for name in seats]
    rotated = [bots[shift:] + bots[:shift] for shift in range(4)] if len(set(seats)) > 1 else [bots]
    return match.play(count, count, np.array(rotated * (games // len(rotated)), "i2"), False)


def test_random_draws_the_kind_of_action_first():
    table, bot = position({0: [0, 1, 2, 3, 4]}), kibitz.bot("random", GAME)
    drawn = Counter(table.name(bot.choose(table.view(0))).split()[0] for _ in range(4000))
    kinds = drawn["roll"], drawn["oasis"] + drawn["mirage"], drawn["leg"], drawn["winner"] + drawn["loser"]
    assert np.allclose(kinds, 1000, atol=130)
    assert drawn["oasis"] == pytest.approx(500, abs=100)


def test_random_passes_over_kinds_that_are_not_legal():
    table = position(AT_THE_END)
    for camel in range(5):
        for player in range(4):
            table.play(table.parse(f"leg c_{camel}" if player < 3 else f"winner c_{camel}"))
    table.play(0)
    table.play(table.parse("c_0 moves 1"))
    table.play(0)
    table.play(table.parse("c_1 moves 1"))
    table.play(0)
    table.play(table.parse("c_2 moves 1"))
    bot = kibitz.bot("random", GAME)
    drawn = Counter(table.name(bot.choose(table.view(3))).split()[0] for _ in range(1000))
    assert set(drawn) == {"roll", "oasis", "mirage"}
    assert drawn["roll"] == pytest.approx(500, abs=80)


def test_leader_takes_the_leaders_tiles_then_rolls():
    table = position(AT_THE_END)
    for wanted in ("leg c_4", "leg c_4", "leg c_4", "roll"):
        assert choice("leader", table) == wanted
        table.play(table.parse(wanted))


def test_ev_takes_the_tile_of_a_sure_winner_before_it_rolls():
    assert choice("ev", position(AHEAD, dice=[0])) == "leg c_2"


def test_ev_rolls_when_no_tile_pays_more():
    table = position(AHEAD, dice=[0])
    for _ in range(3):
        table.play(table.parse("leg c_2"))
    assert choice("ev", table) == "roll"


def test_ev_race_lays_a_card_when_that_pays_most():
    table = position(AHEAD, dice=[0])
    assert choice("ev-race", table) == "winner c_2"
    for _ in range(4):
        table.play(table.parse("winner c_2"))
    assert choice("ev-race", table) == "leg c_2"


def test_a_leg_tile_is_worth_what_it_pays_on_average():
    table = position({8: [0], 7: [1], 6: [2], 2: [3], 1: [4]}, dice=[2])
    # c_2 lands behind c_0, on c_0, or ahead of it.
    assert worths(table)["leg c_0"] == pytest.approx((5 + 1 + 1) / 3)
    assert worths(table)["leg c_2"] == pytest.approx((1 + 5 + 5) / 3)
    assert worths(table)["leg c_1"] == pytest.approx(-1)
    table.play(table.parse("leg c_0"))
    assert worths(table)["leg c_0"] == pytest.approx((3 + 1 + 1) / 3)


def test_a_race_card_is_worth_less_on_cards_of_others():
    table = position({15: [4], 3: [2, 1, 3], 1: [0]}, dice=[4])
    for pay in (8, 5, 3, 1):
        assert worths(table)["winner c_4"] == pytest.approx(pay)
        table.play(table.parse("winner c_4"))
    assert worths(table)["winner c_2"] == pytest.approx(-1)


def test_a_desert_tile_is_worth_its_income_and_what_it_does_for_the_leg_tiles_held():
    table = position({8: [0], 7: [1], 3: [2], 2: [3], 1: [4]}, dice=[1])
    for camel in (0, 1, 1, 1):
        table.play(table.parse(f"leg c_{camel}"))
    # c_1 passes c_0 whatever it rolls, unless a mirage on 9 leads it back beneath c_0 once in three times.
    assert worths(table)["mirage 9"] == pytest.approx((1 + 5 - 1) / 3)
    assert worths(table)["oasis 9"] == pytest.approx(1 / 3)
    assert worths(table)["oasis 14"] == 0


def test_moving_a_tile_costs_what_it_would_have_earned():
    table = position({8: [0], 7: [1], 3: [2], 2: [3], 1: [4]}, dice=[1], tiles=[10])
    assert worths(table)["oasis 9"] == pytest.approx(0)
    assert worths(table)["oasis 14"] == pytest.approx(-1 / 3)


@pytest.mark.parametrize("name", NAMES)
def test_after_very_many_turns_every_bot_rolls(name):
    assert choice(name, position(AT_THE_END, turns=FREE_TURNS)) == "roll"


def test_ev_knows_that_a_crazy_camel_can_carry_the_leader_back():
    """One die of two will be rolled. The white camel carries c_2 onto c_0, or behind it; c_1 catches nobody."""
    game = CamelUp(rules="second")
    white, black, grey = 5, 6, 5
    track = {9: [white, 2], 8: [0], 3: [1, 3, 4], 15: [black]}
    assert worths(position(track, dice=[grey, 1], game=game))["leg c_2"] == pytest.approx(5 / 2 + (5 + 1 + 1) / 3 / 2)
    assert worths(position(track, dice=[3, 1], game=game))["leg c_2"] == pytest.approx(5)


def test_bots_that_know_the_odds_refuse_crazy_camels_beside_six_others():
    six = CamelUp(rules="second", camels=6)
    with pytest.raises(kibitz.SpecError, match="the odds cover five camels beside the crazy ones, not 6"):
        kibitz.bot("ev", six)
    assert "ev" not in bots_for(six)
    assert isinstance(kibitz.bot("best", six), Leader)


@pytest.mark.parametrize("name", ["random", "leader", "ev"])
def test_plain_mode_plays_the_same(name):
    game = CamelUp(players=2, camels=3, squares=7)

    def moves():
        table = kibitz.Table(game, seed=3)
        while not table.over:
            table.play(kibitz.bot(name, game).choose(table.view(table.turn)))
        return table.history_names

    compiled = moves()
    with kibitz.plain():
        assert moves() == compiled


def test_four_random_bots_match_the_known_length_and_win_rates(match):
    games = played(match, ["random"] * 4, 20_000)
    assert games.choices.sum(axis=1).mean() == pytest.approx(77.0, abs=0.6)
    assert 100 * games.payoff.mean(axis=0) == pytest.approx([26.6, 25.5, 24.5, 23.5], abs=1.0)


@pytest.mark.parametrize(
    ("one", "known", "games"), [("roll", 0.426, 20_000), ("leader", 0.810, 20_000), ("ev", 0.953, 800)]
)
def test_bots_match_their_known_strength_against_three_random_ones(match, one, known, games):
    rows = played(match, [one, "random", "random", "random"], games)
    won = rows.payoff[rows.bots == LINE_UP.index(one)].mean()
    assert won == pytest.approx(known, abs=0.01 if games > 10_000 else 0.025)
