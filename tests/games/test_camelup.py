"""Camel Up's rules, one by one, on positions made by hand."""

import pytest

import kibitz
from kibitz.games.camelup.rules import FREE_TURNS, UNKNOWN, CamelUp, RuleSet
from kibitz.rules.contract import CHANCE, NOBODY, OVER
from kibitz.rules.engine import Engine
from kibitz.rules.rng import Stream
from kibitz.testing import check_game

OFFICIAL, CAMELAI, SECOND = (CamelUp(rules=rules) for rules in RuleSet)
BOTH = pytest.mark.parametrize("game", [OFFICIAL, CAMELAI], ids=["official", "camelai"])
SPREAD = {0: [0], 1: [1], 2: [2], 3: [3], 4: [4]}  # a camel on each square


@pytest.fixture(autouse=True)
def interpreted(request):
    if "compiled" in request.node.name:
        yield
    else:
        with kibitz.plain():
            yield


def position(game, track, dice=None, tiles=None, turns=0, coins=None):
    """A table with these stacks (bottom first), dice left and desert tiles; chance waits for its outcome."""
    state = Engine(game).start()
    for square, stack in track.items():
        for height, camel in enumerate(stack):
            state.square[camel], state.height[camel] = square, height
    state.leg = 1
    state.dice = sum(1 << camel for camel in (range(game.camels) if dice is None else dice))
    for player, tile in (tiles or {}).items():
        state.tile[player] = tile
    for player, owned in enumerate(coins or ()):
        state.coins[player] = owned
    state.turns, state.turn = turns, turns % game.players
    return kibitz.Table(game, deal=False, position=state)


def play(table, *names):
    for name in names:
        table.play(table.parse(name))
    return table


def track(table):
    """The stacks by square, bottom first."""
    state, stacks = table.state, {}
    for camel in sorted(range(table.game.animals), key=lambda camel: state.height[camel]):
        stacks.setdefault(state.square[camel], []).append(camel)
    return stacks


def coins(table):
    return table.state.coins.tolist()[: table.game.players]


def names(table):
    return [table.name(move) for move in table.moves]


def tiles(table, side="oasis"):
    return [int(name.split()[1]) for name in names(table) if name.startswith(side)]


# ------------------------------------------------------------------ the start


def test_players_begin_with_three_coins_and_in_camelai_with_two():
    assert coins(kibitz.Table(OFFICIAL)) == [3, 3, 3, 3]
    assert coins(kibitz.Table(CAMELAI)) == [2, 2, 2, 2]


def test_camels_line_up_on_three_squares_later_ones_on_top():
    table = play(kibitz.Table(OFFICIAL, deal=False), "c_3 starts on 1", "c_0 starts on 1", "c_4 starts on 0")
    play(table, "c_1 starts on 1", "c_2 starts on 2")
    assert track(table) == {1: [3, 0, 1], 0: [4], 2: [2]}
    assert table.turn == 0


def test_at_the_start_every_camel_left_and_every_square_is_as_likely():
    table = play(kibitz.Table(OFFICIAL, deal=False), "c_3 starts on 1")
    outcomes = Engine(OFFICIAL).outcomes(table.state)
    assert {table.name(outcome): p for outcome, p in outcomes} == {
        f"c_{camel} starts on {square}": pytest.approx(1 / 12) for camel in (0, 1, 2, 4) for square in range(3)
    }


# ------------------------------------------------------------------ rolling


def test_a_camel_carries_those_above_it_and_lands_on_top():
    table = play(position(OFFICIAL, {3: [0, 1, 2], 5: [3, 4]}), "roll", "c_1 moves 2")
    assert track(table) == {3: [0], 5: [3, 4, 1, 2]}


def test_only_camels_that_have_not_moved_in_this_leg_are_rolled():
    table = play(position(OFFICIAL, SPREAD, dice=[1, 4]), "roll", "c_4 moves 1", "roll")
    assert names(table) == ["c_1 moves 1", "c_1 moves 2", "c_1 moves 3"]
    play(table, "c_1 moves 1", "roll")
    assert len(names(table)) == 15


def test_every_camel_left_and_every_distance_is_as_likely():
    table = play(position(OFFICIAL, SPREAD, dice=[1, 4]), "roll")
    assert [p for _, p in Engine(OFFICIAL).outcomes(table.state)] == [pytest.approx(1 / 6)] * 6


def test_the_seats_take_turns_from_the_first():
    table = play(position(OFFICIAL, SPREAD), "roll")
    assert table.turn == CHANCE
    play(table, "c_0 moves 1", "leg c_0", "winner c_0", "oasis 9")
    assert table.turn == 0


def test_a_roll_pays_at_the_end_of_the_leg_and_in_camelai_at_once():
    for game, paid in ((OFFICIAL, [3, 3, 3, 3]), (CAMELAI, [2, 3, 2, 2])):
        table = play(position(game, SPREAD, dice=[0, 1], turns=1), "roll", "c_0 moves 1")
        assert coins(table) == paid
        play(table, "roll", "c_1 moves 1")
        assert coins(table) == [paid[0], (not game.is_camelai) + paid[1], 1 + paid[2], paid[3]]


# ------------------------------------------------------------------ desert tiles


@BOTH
def test_an_oasis_leads_one_square_on_and_on_top(game):
    table = position(game, {3: [0, 1], 6: [2], 0: [3, 4]}, tiles={2: 5})
    before = coins(table)
    play(table, "roll", "c_0 moves 2")
    assert track(table) == {6: [2, 0, 1], 0: [3, 4]}
    assert coins(table)[2] == before[2] + 1


@BOTH
def test_a_mirage_leads_one_square_back_and_underneath_in_the_same_order(game):
    table = position(game, {3: [0, 1], 4: [2], 0: [3, 4]}, tiles={3: -5})
    before = coins(table)
    play(table, "roll", "c_0 moves 2")
    assert track(table) == {4: [0, 1, 2], 0: [3, 4]}
    assert coins(table)[3] == before[3] + 1


def test_a_mirage_can_lead_back_beneath_those_one_came_from():
    table = play(position(OFFICIAL, {3: [0, 1, 2, 3], 0: [4]}, tiles={3: -4}), "roll", "c_2 moves 1")
    assert track(table) == {3: [2, 3, 0, 1], 0: [4]}


def test_a_whole_stack_that_comes_back_stays_as_it_was():
    table = play(position(OFFICIAL, {3: [0, 1, 2], 0: [3, 4]}, tiles={3: -4}), "roll", "c_0 moves 1")
    assert track(table) == {3: [0, 1, 2], 0: [3, 4]}


def test_a_desert_tile_that_is_passed_does_nothing():
    table = play(position(OFFICIAL, SPREAD, tiles={3: -6, 2: 8}), "roll", "c_4 moves 3")
    assert table.state.square[4] == 7
    assert coins(table) == [3, 3, 3, 3]


def test_tiles_go_on_empty_squares_but_the_first():
    table = position(OFFICIAL, {3: [0, 1], 4: [2], 7: [3, 4]})
    free = [1, 2, 5, 6, 8, 9, 10, 11, 12, 13, 14, 15]
    assert tiles(table, "oasis") == free
    assert tiles(table, "mirage") == free


def test_tiles_keep_off_other_tiles_and_the_squares_beside_those_of_others():
    table = position(OFFICIAL, {0: [0, 1, 2, 3, 4]}, tiles={0: 5, 1: -9, 2: 15})
    assert tiles(table) == [1, 2, 3, 4, 6, 7, 11, 12, 13]


def test_a_tile_is_moved_to_a_different_square():
    table = play(position(OFFICIAL, {0: [0, 1, 2, 3, 4]}, tiles={0: 5}), "mirage 6")
    assert table.state.tile[0] == -6


@BOTH
def test_tiles_return_at_the_end_of_a_leg_but_stay_in_camelai(game):
    table = play(position(game, SPREAD, dice=[0], tiles={1: 9, 2: -12}), "roll", "c_0 moves 1")
    assert table.state.tile.tolist()[:4] == ([0, 9, -12, 0] if game.is_camelai else [0, 0, 0, 0])


# ------------------------------------------------------------------ leg bets


def test_leg_tiles_are_taken_until_there_are_none():
    table = play(position(OFFICIAL, SPREAD), "leg c_2", "leg c_2")
    assert "leg c_2" in names(table)
    play(table, "leg c_2")
    assert "leg c_2" not in names(table)
    assert table.state.holder[2].tolist()[:3] == [0, 1, 2]


def test_a_player_may_take_several_leg_tiles_of_a_camel():
    table = play(position(kibitz.game("camelup:players=2"), SPREAD), "leg c_2", "roll", "c_0 moves 1", "leg c_2")
    assert table.state.holder[2].tolist()[:2] == [0, 0]


@BOTH
def test_leg_tiles_pay_for_the_first_and_the_second_and_cost_for_all_others(game):
    table = position(game, {4: [0, 1], 2: [2, 3, 4]}, dice=[2])
    start, rolled = coins(table), [1, 0, 0, 0]
    play(table, "leg c_1", "leg c_1", "leg c_1", "leg c_0", "leg c_0", "leg c_3", "leg c_4", "leg c_2")
    play(table, "roll", "c_2 moves 1")
    bets = [5 + 1, 3 - 1, 2 - 1, 1 - 1]
    assert coins(table) == [sum(paid) for paid in zip(start, rolled, bets, strict=True)]


@BOTH
def test_leg_tiles_come_back_for_the_next_leg(game):
    table = play(position(game, SPREAD, dice=[0]), "leg c_1", "roll", "c_0 moves 1")
    assert table.state.taken.tolist() == [0, 0, 0, 0, 0]
    assert table.state.leg == 2
    play(table, "roll", "c_0 moves 1")
    assert table.state.dice == 0b11110


def test_the_higher_camel_on_a_square_is_ahead():
    table = position(OFFICIAL, {4: [3, 0], 3: [1, 2], 2: [4]}, dice=[4])
    play(table, "leg c_0", "leg c_3", "leg c_2", "roll", "c_4 moves 1")
    assert coins(table) == [3 + 5, 3 + 1, 3 - 1, 3 + 1]


def test_a_leg_is_netted_before_debts_are_forgiven():
    table = position(OFFICIAL, SPREAD, dice=[0], coins=[0, 0, 0, 0])
    play(table, "leg c_0", "leg c_1", "leg c_2", "leg c_3", "leg c_4", "roll", "c_0 moves 1")
    assert coins(table) == [4, 0, 0, 1]


def test_in_camelai_debts_count():
    table = position(CAMELAI, SPREAD, dice=[0], coins=[0, 0, 0, 0])
    play(table, "leg c_0", "leg c_1", "leg c_2", "leg c_3", "leg c_4", "roll", "c_0 moves 1")
    assert coins(table) == [4, 0, -1, 1]


# ------------------------------------------------------------------ race bets and the end


def test_a_race_card_is_laid_once_on_either_pile():
    table = play(position(OFFICIAL, SPREAD), "winner c_1", "roll", "c_0 moves 1", "roll", "c_1 moves 1")
    play(table, "roll", "c_2 moves 1")
    assert not {"winner c_1", "loser c_1"} & set(names(table))
    assert {"winner c_0", "loser c_0"} <= set(names(table))


def near_the_end(game, **options):
    return position(game, {15: [4], 14: [3], 9: [2], 8: [1], 2: [0]}, **options)


@pytest.mark.parametrize(("game", "pays"), [(OFFICIAL, [8, 5, 3, 2, 1, 1]), (CAMELAI, [8, 5, 3, 1, 1, 1])])
def test_correct_race_cards_pay_in_the_order_of_the_pile_to_the_last(game, pays):
    game = CamelUp(players=6, rules=game.rules)
    for pile, camel in (("winner", 4), ("loser", 0)):
        table = near_the_end(game, coins=[10] * 6)
        play(table, *[f"{pile} c_{camel}"] * 6, "roll", "c_4 moves 3")
        assert table.over
        assert coins(table) == [10 + pay + (seat == 0) for seat, pay in enumerate(pays)]


def test_wrong_race_cards_cost_a_coin_and_do_not_count_as_places():
    table = near_the_end(OFFICIAL, coins=[10] * 4)
    play(table, "winner c_0", "winner c_4", "loser c_4", "winner c_4", "roll", "c_4 moves 1")
    assert coins(table) == [10 - 1 + 1, 10 + 8, 10 - 1, 10 + 5]


def test_a_loser_bet_is_on_the_last_camel_not_on_the_first():
    table = play(near_the_end(CAMELAI), "loser c_0", "loser c_4", "roll", "c_4 moves 1")
    assert coins(table) == [2 + 8, 2 - 1, 2 + 1, 2]


def test_the_leg_is_settled_first_then_both_piles_together():
    table = near_the_end(OFFICIAL, coins=[0] * 4)
    play(table, "leg c_0", "leg c_4", "loser c_4", "roll", "c_0 moves 1")  # player 0 will owe a coin for the leg
    play(table, "winner c_4", "loser c_0", "winner c_0", "leg c_0", "loser c_3", "roll", "c_4 moves 1")
    # Player 0: the leg costs 1, which is forgiven, then 8 − 1. Player 2: 1 − 1 for the race.
    assert coins(table) == [0 + 8 - 1, 5 + 8 + 1, 0, 0]


@pytest.mark.parametrize("distance", [1, 2, 3])
def test_the_race_ends_wherever_beyond_the_last_square_a_camel_lands(distance):
    table = play(near_the_end(OFFICIAL), "roll", f"c_4 moves {distance}")
    assert table.over
    assert table.state.square[4] == 15 + distance


def test_the_top_of_the_stack_that_passes_the_last_square_wins():
    table = position(CAMELAI, {14: [0, 1], 15: [2], 3: [3, 4]})
    play(table, "winner c_1", "winner c_2", "winner c_0", "roll", "c_0 moves 2")
    assert coins(table) == [2 + 8, 2 - 1, 2 - 1, 2 + 1]


def test_an_oasis_on_the_last_square_leads_over_the_line():
    table = play(position(OFFICIAL, {14: [0], 3: [1, 2, 3, 4]}, tiles={1: 15}), "roll", "c_0 moves 1")
    assert table.over


def test_a_mirage_on_the_last_square_leads_back():
    table = play(position(OFFICIAL, {14: [0], 3: [1, 2, 3, 4]}, tiles={1: -15}), "roll", "c_0 moves 1")
    assert track(table)[14] == [0]


def test_a_race_that_ends_within_a_leg_scores_the_leg():
    table = play(near_the_end(OFFICIAL), "leg c_4", "leg c_3", "leg c_2", "roll", "c_4 moves 1")
    assert coins(table) == [3 + 5, 3 + 1, 3 - 1, 3 + 1]


def test_most_coins_win_and_ties_share():
    table = play(near_the_end(OFFICIAL, coins=[5, 7, 2, 0]), "roll", "c_4 moves 1")
    assert (table.payoff(), table.score()) == ([0, 1, 0, 0], [6, 7, 2, 0])
    table = play(near_the_end(OFFICIAL, coins=[6, 7, 2, 7]), "roll", "c_4 moves 1")
    assert table.payoff() == [pytest.approx(1 / 3), pytest.approx(1 / 3), 0, pytest.approx(1 / 3)]


def test_after_very_many_turns_all_must_roll():
    assert names(position(OFFICIAL, SPREAD, turns=FREE_TURNS)) == ["roll"]
    assert len(names(position(OFFICIAL, SPREAD, turns=FREE_TURNS - 1))) > 1


# ------------------------------------------------------------------ what others know


@BOTH
def test_others_see_the_pile_and_the_order_of_race_cards_but_not_the_camels(game):
    table = play(position(game, SPREAD), "winner c_1", "loser c_2", "winner c_3")
    view = table.view(1)
    assert view.state.pile.tolist() == [2, 1]
    assert view.state.pile_camel[0].tolist()[:2] == [UNKNOWN, UNKNOWN]
    assert view.state.pile_camel[1].tolist()[:1] == [2]
    assert [view.name(ply.move) for ply in view.history] == ["winner ?", "loser c_2", "winner ?"]


def test_owners_of_race_cards_are_public_but_in_camelai_only_ones_own():
    seen = {}
    for game in (OFFICIAL, CAMELAI):
        state = play(position(game, SPREAD), "winner c_1", "winner c_2", "winner c_3").view(1).state
        seen[game.rules] = state.pile_owner[0].tolist()[:3]
    assert seen == {RuleSet.OFFICIAL: [0, 1, 2], RuleSet.CAMELAI: [UNKNOWN, 1, UNKNOWN]}


@BOTH
def test_the_cards_left_reveal_nothing(game):
    table = play(position(game, SPREAD), "winner c_1", "loser c_2")
    assert table.view(1).state.cards.tolist()[:4] == [UNKNOWN, 0b11011, UNKNOWN, UNKNOWN]
    assert set(table.view(NOBODY).state.cards.tolist()[:4]) == {UNKNOWN}


@BOTH
def test_redealt_cards_are_different_camels_of_their_owners(game):
    table = position(game, SPREAD)
    for camel in range(5):
        play(table, f"winner c_{camel}", f"loser c_{camel}", f"winner c_{4 - camel}")
        play(table, "roll", f"c_{camel} moves 1")
    engine, view = Engine(game), table.view(1).state
    dealt = set()
    for number in range(20):
        state = view.copy()
        engine.redeal(state, 1, Stream(number))
        owners, camels = state.pile_owner[0].tolist()[:10], state.pile_camel[0].tolist()[:10]
        assert owners == [0, 2] * 5
        assert state.pile_camel[1].tolist()[:5] == [0, 1, 2, 3, 4]
        assert sorted(camels[::2]) == sorted(camels[1::2]) == [0, 1, 2, 3, 4]
        dealt.add(tuple(camels))
    assert len(dealt) > 15


def test_a_redealt_player_may_still_have_any_other_card():
    table = play(position(OFFICIAL, SPREAD), "winner c_1", "loser c_2")
    found = set()
    for number in range(60):
        state = table.view(1).state
        Engine(OFFICIAL).redeal(state, 1, Stream(number))
        assert state.cards[0] == 0b11111 ^ 1 << state.pile_camel[0, 0]
        found.add(state.pile_camel[0, 0])
    assert found == {0, 1, 2, 3, 4}


def test_at_the_end_the_piles_are_turned_over():
    table = play(near_the_end(CAMELAI), "winner c_1", "loser c_2", "roll", "c_4 moves 1")
    state = table.view(3).state
    assert (state.turn, state.pile_camel[0, 0], state.pile_owner[0, 0]) == (OVER, 1, 0)


# ------------------------------------------------------------------ the second edition

WHITE, BLACK = 5, 6


def crazy(track, **options):
    return position(SECOND, track, **{"dice": range(6), **options})


def test_crazy_camels_line_up_on_the_last_squares():
    table = kibitz.Table(SECOND, deal=False)
    play(table, *(f"c_{camel} starts on 0" for camel in range(5)), "black starts on 14", "white starts on 14")
    assert track(table) == {0: [0, 1, 2, 3, 4], 14: [BLACK, WHITE]}
    assert table.turn == 0


def test_the_grey_die_shows_either_crazy_camel():
    table = play(crazy({0: [0, 1, 2, 3, 4], 14: [WHITE], 13: [BLACK]}, dice=[2, 5]), "roll")
    odds = {table.name(outcome): p for outcome, p in Engine(SECOND).outcomes(table.state)}
    assert odds == {
        **{f"c_2 moves {distance}": pytest.approx(1 / 6) for distance in (1, 2, 3)},
        **{f"{name} rolls {distance}": pytest.approx(1 / 12) for name in ("white", "black") for distance in (1, 2, 3)},
    }


def test_a_crazy_camel_runs_backward_with_all_above_it():
    table = play(crazy({8: [0, WHITE, 1], 6: [2], 0: [3, 4], 14: [BLACK]}), "roll", "white rolls 2")
    assert track(table) == {8: [0], 6: [2, WHITE, 1], 0: [3, 4], 14: [BLACK]}


def test_the_only_crazy_camel_that_carries_one_of_the_race_moves_whatever_the_colour():
    table = play(crazy({8: [WHITE, 1], 6: [2], 0: [0, 3, 4], 14: [BLACK]}), "roll", "black rolls 1")
    assert track(table)[7] == [WHITE, 1]
    assert track(table)[14] == [BLACK]


def test_of_two_crazy_camels_one_directly_on_the_other_the_upper_moves():
    table = play(crazy({8: [WHITE, BLACK, 1], 0: [0, 2, 3, 4]}), "roll", "white rolls 1")
    assert track(table) == {8: [WHITE], 7: [BLACK, 1], 0: [0, 2, 3, 4]}


def test_for_crazy_camels_tiles_lead_on_and_back_in_their_direction():
    start = {9: [WHITE, 1], 6: [2], 8: [3], 0: [0, 4], 14: [BLACK]}
    table = play(crazy(start, tiles={3: 7}), "roll", "white rolls 2")
    assert (track(table)[6], coins(table)) == ([2, WHITE, 1], [3, 3, 3, 4])
    table = play(crazy(start, tiles={3: -7}), "roll", "white rolls 2")
    assert (track(table)[8], coins(table)) == ([WHITE, 1, 3], [3, 3, 3, 4])


def test_a_camel_carried_back_over_the_start_is_last_and_ends_the_race():
    table = crazy({1: [WHITE, 1, 2], 0: [0], 4: [3, 4], 14: [BLACK]})
    play(table, "loser c_1", "loser c_0", "roll", "white rolls 2")
    assert table.over
    assert coins(table) == [3 + 8, 3 - 1, 3 + 1, 3]


def test_a_crazy_camel_that_crosses_the_start_alone_ends_the_race():
    table = play(crazy({1: [WHITE], 0: [0, 1, 2], 4: [3, 4], 14: [BLACK]}), "loser c_0", "roll", "white rolls 2")
    assert table.over
    assert coins(table)[0] == 3 + 8


def test_crazy_camels_do_not_count_in_the_race():
    table = crazy({9: [1, 2, WHITE], 3: [0, 3, 4], 14: [BLACK]}, dice=[0, 5])
    play(table, "leg c_2", "leg c_1", "roll", "c_0 moves 1")
    assert coins(table) == [3 + 5, 3 + 1, 3 + 1, 3]


def test_a_leg_ends_with_one_die_left_in_the_pyramid():
    table = play(crazy({0: [0, 1, 2, 3, 4], 14: [WHITE], 13: [BLACK]}, dice=[2, 4, 5]), "roll", "c_2 moves 1")
    assert table.state.leg == 1
    play(table, "roll", "white rolls 1")
    assert (table.state.leg, table.state.dice) == (2, 0b111111)


def test_every_camel_has_a_fourth_leg_tile():
    table = play(crazy({0: [0, 1, 2, 3, 4], 14: [WHITE], 13: [BLACK]}), *["leg c_4"] * 4)
    assert "leg c_4" not in names(table)
    play(table, *["roll", "white rolls 1"])
    assert "leg c_3" in names(table)


def test_desert_tiles_keep_off_crazy_camels():
    assert 14 not in tiles(crazy({0: [0, 1, 2, 3, 4], 14: [WHITE], 13: [BLACK]}))


# ------------------------------------------------------------------ variants, and all of it together


@pytest.mark.parametrize(
    "spec", ["players=1", "players=9", "camels=1", "camels=7", "squares=3", "squares=29", "rules=third"]
)
def test_impossible_variants_are_refused(spec):
    with pytest.raises(kibitz.SpecError, match="Camel Up"):
        kibitz.game(f"camelup:{spec}")


def test_rules_are_named_in_specs():
    game = kibitz.game("camelup:rules=camelai,players=3")
    assert (game.rules, kibitz.rules.registry.spec_of(game)) == (RuleSet.CAMELAI, "camelup:players=3,rules=camelai")
    assert kibitz.game("camelup", rules="camelai") == CAMELAI


@pytest.mark.slow
@pytest.mark.parametrize("rules", list(RuleSet))
def test_compiled_rules_keep_the_contract_and_agree_with_plain_ones(rules):
    check_game(CamelUp(players=3, rules=rules, camels=3, squares=7), games=5)  # few moves: games are shorter


def test_compiled_rules_of_the_usual_game_keep_it_too():
    check_game(OFFICIAL, games=1)
