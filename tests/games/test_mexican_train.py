"""Mexican Train's rules, one by one, on hand-made positions; then invariants of whole games."""

import hypothesis.strategies as st
import numpy as np
import pytest
from dominoes import name_of, names, open_trains, play, points, position, tile, tiles_in
from hypothesis import given, settings

import kibitz
from kibitz.games.mexican_train.redeal import NONE
from kibitz.games.mexican_train.rules import COMMON_HANDS, COUNTING, SAUCE, UNKNOWN, MexicanTrain
from kibitz.games.mexican_train.tiles import HALVES, PIPS, TILE, add_tile, count_pips, list_tiles, nth_tile
from kibitz.players.roster import resolve_all
from kibitz.records.games import Outcome
from kibitz.rules.contract import CHANCE, NOBODY
from kibitz.rules.engine import Engine
from kibitz.rules.rng import Stream
from kibitz.testing import check_game
from kibitz.tournament.compiled_match import CompiledMatch

GAME = MexicanTrain(players=3)
STRICT = MexicanTrain(players=3, play_drawn=False)
LENIENT = MexicanTrain(players=3, gate_opens=False)


@pytest.fixture(autouse=True)
def interpreted(request):
    if "compiled" in request.node.name:
        yield
    else:
        with kibitz.plain():
            yield


# ------------------------------------------------------------------ tiles


def test_the_tiles_are_all_pairs_of_numbers_by_the_larger_half():
    assert [name_of(number) for number in range(6)] == ["0|0", "0|1", "1|1", "0|2", "1|2", "2|2"]
    assert name_of(GAME.tiles) == "12|12"
    assert all(TILE[low, high] == TILE[high, low] == number for number, (low, high) in enumerate(HALVES.tolist()))


@given(st.sets(st.integers(0, 90)))
def test_a_set_of_tiles_knows_its_pips_and_its_order(tiles):
    rows, out = [0] * 13, [0] * 92
    for number in tiles:
        add_tile(rows, number)
    assert count_pips(rows) == sum(int(PIPS[number]) for number in tiles)
    assert list_tiles(rows, out) == len(tiles)
    assert out[: len(tiles)] == sorted(tiles)
    assert [nth_tile(rows, n) for n in range(len(tiles))] == sorted(tiles)


# ------------------------------------------------------------------ the deal


def test_the_engine_is_none_of_the_ninety_tiles():
    state = Engine(GAME).start()
    assert (state.left, len(tiles_in(GAME, state.bones)), count_pips(state.bones)) == (90, 90, 1068)
    assert not state.bones[12] >> 12 & 1
    assert (GAME.tiles, GAME.pips) == (90, 1068)


@pytest.mark.parametrize("players", range(2, 9))
def test_each_is_dealt_eleven_tiles_and_eight_players_ten(players):
    state = kibitz.Table(MexicanTrain(players=players)).state
    dealt = 10 if players == 8 else 11
    assert state.size.tolist() == [dealt] * players + [0] * (8 - players)
    assert [len(tiles_in(GAME, state.hand[player])) for player in range(players)] == [dealt] * players
    assert state.left == 90 - dealt * players


@pytest.mark.parametrize(("players", "dealt"), [(2, 15), (3, 15), (4, 15), (5, 12), (6, 12), (7, 10), (8, 10)])
def test_the_common_hands_are_those_of_most_rule_books(players, dealt):
    assert MexicanTrain(players=players, common=True).hand_size == dealt == COMMON_HANDS[players]


def test_a_hand_that_is_asked_for_is_dealt_to_any_number_of_players():
    assert MexicanTrain(players=8, hand=11).hand_size == 11
    assert MexicanTrain(players=2, hand=45, common=True).hand_size == 45


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("mexican_train:players=1", "Mexican Train needs 2 to 8 players, not 1."),
        ("mexican_train:players=9", "Mexican Train needs 2 to 8 players, not 9."),
        (
            "mexican_train:players=8,hand=12",
            "Mexican Train cannot deal 12 tiles to each of 8 players: there are only 90; use hand=1 to hand=11.",
        ),
        (
            "mexican_train:highest=6",
            "Mexican Train cannot deal 11 tiles to each of 4 players: there are only 27; use hand=1 to hand=6.",
        ),
        ("mexican_train:hand=-1", "Mexican Train needs a hand of 0 (the usual size) or more tiles, not -1."),
        ("mexican_train:highest=13", "Mexican Train needs a highest double from 1 to 12, not 13."),
        ("mexican_train:target=0", "Mexican Train needs a target from 1 to 500, not 0."),
        ("mexican_train:target=501", "Mexican Train needs a target from 1 to 500, not 501."),
        ("mexican_train:rounds=101", "Mexican Train needs 0 to 100 rounds, not 101."),
    ],
)
def test_what_cannot_be_played_is_refused_in_a_sentence(spec, sentence):
    with pytest.raises(kibitz.SpecError) as refusal:
        kibitz.game(spec)
    assert str(refusal.value) == sentence


def test_every_tile_of_the_boneyard_is_as_likely():
    outcomes = Engine(GAME).outcomes(Engine(GAME).start())
    assert [outcome for outcome, _ in outcomes] == list(range(90))
    assert [p for _, p in outcomes] == [pytest.approx(1 / 90)] * 90


# ------------------------------------------------------------------ a turn


def test_all_trains_begin_with_the_engine_and_only_the_sauce_is_open_to_all():
    table = position(GAME, ["3|12 4|12 5|6", "1|1", "2|2"])
    assert names(table) == ["3|12 train 0", "4|12 train 0", "3|12 sauce", "4|12 sauce"]


def test_a_tile_turns_its_other_half_to_the_end():
    table = play(position(GAME, ["3|12 4|5", "3|7 2|2", "1|1"]), "3|12 sauce")
    assert table.state.end[SAUCE] == 3
    assert table.turn == 1
    play(table, "3|7 sauce")
    assert table.state.end[SAUCE] == 7


def test_one_may_play_on_trains_that_are_open_but_not_on_closed_ones():
    table = position(GAME, ["3|5 5|6", "1|1", "2|2"], {1: "12 5", 2: "12 3"}, opened=[1])
    assert names(table) == ["3|5 train 1", "5|6 train 1"]


def test_who_can_play_may_neither_draw_nor_pass():
    assert names(position(GAME, ["0|12 1|2", "1|1", "2|2"])) == ["0|12 train 0", "0|12 sauce"]


def test_who_cannot_play_draws():
    table = position(GAME, ["1|2", "1|1", "2|2"])
    assert names(table) == ["draw"]
    play(table, "draw")
    assert table.turn == CHANCE
    assert len(names(table)) == 87


def test_a_drawn_tile_that_fits_must_be_played_at_once_wherever_it_fits():
    table = play(position(GAME, ["1|2", "1|1", "2|2"], {1: "12 5", 2: "12 6 5", SAUCE: "12 9"}, opened=[1]), "draw")
    play(table, "deal 5|9")
    assert names(table) == ["5|9 train 1", "5|9 sauce"]
    play(table, "5|9 sauce")
    assert (table.turn, open_trains(table), table.state.size[0]) == (1, [1], 1)


def test_a_drawn_tile_that_does_not_fit_opens_ones_train_and_the_turn_passes():
    table = play(position(GAME, ["1|2", "1|1", "2|2"]), "draw", "deal 3|4")
    assert names(table) == ["pass"]
    play(table, "pass")
    assert (table.turn, open_trains(table)) == (1, [0])
    assert tiles_in(GAME, table.state.hand[0]) == ["1|2", "3|4"]


def test_by_the_strict_variant_a_drawn_tile_is_not_played_at_once():
    table = play(position(STRICT, ["1|2", "1|1", "2|2"]), "draw", "deal 5|12")
    assert names(table) == ["pass"]
    play(table, "pass")
    assert (table.turn, open_trains(table)) == (1, [0])


def test_a_tile_on_ones_own_open_train_closes_it():
    table = play(position(GAME, ["3|12 1|2", "1|1", "2|2"], opened=[0, 1]), "3|12 train 0")
    assert open_trains(table) == [1]


def test_a_tile_elsewhere_closes_nothing():
    hand = "3|12 1|2"
    for where in ("sauce", "train 1"):
        table = play(position(GAME, [hand, "1|1", "2|2"], opened=[0, 1]), f"3|12 {where}")
        assert open_trains(table) == [0, 1]


def test_others_can_go_on_where_one_has_laid():
    table = position(GAME, ["3|12 1|2", "3|7 1|1", "7|9 2|2"], opened=[0])
    play(table, "3|12 sauce", "3|7 sauce")
    assert names(table) == ["7|9 sauce"]
    table = position(GAME, ["0|0 1|2", "3|12 1|1", "3|9 2|2"], opened=[0], turn=1)
    play(table, "3|12 train 0")
    assert names(table) == ["3|9 train 0"]


def test_without_a_boneyard_one_passes_and_the_train_opens():
    table = position(GAME, ["1|2", "1|1", "2|2"], boneyard="")
    assert names(table) == ["pass"]
    play(table, "pass")
    assert (table.turn, open_trains(table)) == (1, [0])


# ------------------------------------------------------------------ the gate


def test_a_double_freezes_the_game_and_its_player_tries_first():
    table = position(GAME, ["5|5 3|5 5|9 9|12", "1|1", "2|2"], {0: "12 5"})
    play(table, "5|5 train 0")
    assert (table.turn, table.state.gate) == (0, 0)
    assert names(table) == ["3|5 train 0", "5|9 train 0"]  # not 9|12, though the sauce is open


def test_which_tile_opens_the_gate_is_a_choice_and_the_next_player_goes_on():
    table = play(position(GAME, ["5|5 3|5 5|9", "1|1", "2|2"], {0: "12 5"}), "5|5 train 0", "5|9 train 0")
    assert (table.turn, table.state.gate, table.state.end[0]) == (1, NONE, 9)


def test_a_gate_goes_round_until_someone_opens_it_and_play_goes_on_to_their_left():
    table = position(GAME, ["5|5 1|2", "1|3 9|12", "5|7 2|2"], {SAUCE: "12 5"})
    play(table, "5|5 sauce", "draw", "deal 3|4")
    assert names(table) == ["pass"]
    play(table, "pass")
    assert (table.turn, open_trains(table), names(table)) == (1, [0], ["draw"])
    play(table, "draw", "deal 4|4", "pass")
    assert (table.turn, open_trains(table), names(table)) == (2, [0, 1], ["5|7 sauce"])
    play(table, "5|7 sauce")
    assert (table.turn, table.state.gate) == (0, NONE)


def test_a_gate_can_come_back_to_who_laid_the_double():
    table = position(GAME, ["5|5 1|2", "1|3", "2|2"], {SAUCE: "12 5"})
    play(table, "5|5 sauce", "draw", "deal 3|4", "pass", "draw", "deal 4|4", "pass", "draw", "deal 0|4", "pass")
    assert (table.turn, table.state.gate, open_trains(table)) == (0, SAUCE, [0, 1, 2])


def test_a_drawn_tile_that_fits_the_gate_opens_it_at_once():
    table = play(position(GAME, ["5|5 1|2", "1|3", "2|2"], {SAUCE: "12 5"}), "5|5 sauce", "draw", "deal 4|5")
    assert names(table) == ["4|5 sauce"]
    play(table, "4|5 sauce")
    assert (table.turn, table.state.gate, open_trains(table)) == (1, NONE, [])


def test_a_drawn_tile_that_only_fits_elsewhere_stays_in_the_hand_while_the_gate_is_shut():
    table = play(position(GAME, ["5|5 1|2", "1|3", "2|2"], {SAUCE: "12 5"}), "5|5 sauce", "draw", "deal 4|12")
    assert names(table) == ["pass"]


def test_a_double_that_was_just_drawn_has_to_be_opened_with_another_tile():
    table = position(GAME, ["1|2", "1|3", "2|2"], {SAUCE: "12 5", 0: "12 4"})
    play(table, "draw", "deal 5|5", "5|5 sauce")
    assert (table.turn, names(table)) == (0, ["draw"])


def test_by_the_lenient_variant_failing_at_a_gate_opens_nothing():
    table = position(LENIENT, ["5|5 1|2", "1|3 9|12", "5|7 2|2"], {SAUCE: "12 5"})
    play(table, "5|5 sauce", "draw", "deal 3|4", "pass", "draw", "deal 4|4", "pass")
    assert open_trains(table) == []
    table = play(position(LENIENT, ["1|2", "1|3", "2|2"]), "draw", "deal 3|4", "pass")
    assert open_trains(table) == [0]


def test_by_the_strict_variant_a_drawn_tile_does_not_open_the_gate():
    table = play(position(STRICT, ["5|5 1|2", "1|3", "2|2"], {SAUCE: "12 5"}), "5|5 sauce", "draw", "deal 4|5")
    assert names(table) == ["pass"]


# ------------------------------------------------------------------ the end of a round


def test_a_round_ends_with_the_last_tile_and_all_score_their_pips():
    table = play(position(GAME, ["5|12", "1|3 9|12", "2|2 0|1"], points=[7, 8, 9]), "5|12 sauce")
    assert (table.turn, table.state.phase) == (CHANCE, COUNTING)
    play(table, "counts 0", "counts 25", "counts 5")
    assert points(table) == [7, 33, 14]


def test_a_round_ends_also_when_the_last_tile_is_a_double():
    table = play(position(GAME, ["5|5", "1|3", "2|2"], {SAUCE: "12 5"}), "5|5 sauce", "counts 0", "counts 4")
    play(table, "counts 4")
    assert (table.state.round, points(table)) == (1, [0, 4, 4])


def test_a_blocked_round_ends_when_nobody_can_play_and_is_scored_once():
    table = position(GAME, ["1|2", "1|1 3|4", "2|2"], boneyard="", points=[10, 20, 30])
    play(table, "pass", "pass")
    assert table.turn == 2
    play(table, "pass")
    assert names(table) == ["counts 3"]
    play(table, "counts 3", "counts 9", "counts 4")
    assert (points(table), table.state.round) == ([13, 29, 34], 1)


def test_a_gate_that_nobody_can_open_blocks_the_round():
    table = position(GAME, ["5|5 0|12", "1|12", "2|12"], {SAUCE: "12 5"}, boneyard="")
    play(table, "5|5 sauce", "pass", "pass", "pass")
    assert (table.state.phase, names(table)) == (COUNTING, ["counts 12"])


def test_only_turns_that_began_without_a_boneyard_count_for_a_blocked_round():
    table = position(GAME, ["1|2", "1|1", "2|2"], boneyard="3|4")
    play(table, "draw", "deal 3|4", "pass", "pass", "pass")
    assert (table.turn, names(table)) == (0, ["pass"])
    play(table, "pass")
    assert table.state.phase == COUNTING


def test_a_tile_laid_begins_the_count_of_those_who_cannot_play_anew():
    table = position(GAME, ["1|2", "5|12 1|1", "2|2"], boneyard="")
    play(table, "pass", "5|12 train 1", "pass", "pass")
    assert (table.turn, table.state.stuck) == (1, 2)
    play(table, "pass")
    assert table.state.phase == COUNTING


# ------------------------------------------------------------------ the end of the game


def end_of_round(game, owned, *left):
    """A table on which player 0 has just laid the last tile; the others are left with these tiles."""
    table = play(position(game, ["5|12", *left], points=owned), "5|12 sauce")
    while table.state.phase == COUNTING and not table.over:
        play(table, *names(table))
    return table


def test_the_next_round_is_dealt_anew_and_begun_by_the_next_seat():
    table = end_of_round(GAME, [0, 0, 0], "1|3", "2|2")
    state = table.state
    assert (table.turn, state.round, state.left, state.count, state.open) == (CHANCE, 1, 90, 0, 1 << SAUCE)
    assert set(state.end.tolist()) == {12}
    for _ in range(33):
        table.play(table.moves[0])
    assert (table.turn, points(table)) == (1, [0, 4, 4])


def test_the_game_ends_when_someone_has_the_target_and_the_fewest_points_win():
    table = end_of_round(GAME, [60, 96, 59], "1|3", "2|2")
    assert table.over
    assert (table.score(), table.payoff()) == ([60, 100, 63], [1, 0, 0])


def test_the_game_goes_on_below_the_target():
    assert not end_of_round(GAME, [60, 95, 59], "1|3", "2|2").over
    assert end_of_round(MexicanTrain(players=3, target=99), [60, 95, 59], "1|3", "2|2").over


def test_ties_share_the_win():
    table = end_of_round(GAME, [63, 96, 59], "1|3", "2|2")
    assert table.payoff() == [0.5, 0, 0.5]


def test_a_game_may_have_a_single_round():
    table = end_of_round(MexicanTrain(players=3, rounds=1), [0, 0, 0], "1|3", "2|2")
    assert table.over
    assert table.payoff() == [1, 0, 0]


def test_a_game_ends_even_if_nobody_ever_gets_points():
    assert GAME.most_rounds == 40
    table = play(position(GAME, ["5|12", "0|0", "1|1"], round=39), "5|12 sauce", "counts 0", "counts 0", "counts 2")
    assert table.over


# ------------------------------------------------------------------ what others know


def test_hands_and_the_boneyard_are_hidden_but_not_their_sizes():
    table = position(GAME, ["1|2 3|4", "1|1", "2|2"])
    state = table.view(1).state
    assert [tiles_in(GAME, state.hand[player]) for player in range(3)] == [[], ["1|1"], []]
    assert tiles_in(GAME, state.bones) == []
    assert (state.size.tolist()[:3], state.left) == ([2, 1, 1], 86)
    assert not any(map(any, table.view(NOBODY).state.hand.tolist()))


def test_a_tile_drawn_is_seen_by_its_player_only():
    table = play(position(GAME, ["1|2", "1|1", "2|2"]), "draw", "deal 3|4")
    assert [table.view(player).state.drawn for player in range(3)] == [tile("3|4"), UNKNOWN, UNKNOWN]
    assert len(table.view(0).history) == 2
    assert [ply.move for ply in table.view(1).history] == [GAME.draw_move]


def test_pips_that_are_counted_are_seen_by_all():
    table = play(position(GAME, ["5|12", "1|3", "2|2"]), "5|12 sauce", "counts 0", "counts 4")
    assert [ply.move for ply in table.view(2).history][1:] == [0, 4]


# ------------------------------------------------------------------ for searches


def test_the_evaluation_likes_few_tiles():
    table = position(GAME, ["1|2 3|4 5|6", "1|1", "2|2 3|3"])
    shares = Engine(GAME).evaluate(table.state)
    assert shares[1] > shares[2] > shares[0]
    assert sum(shares) == pytest.approx(1)


def test_opponents_may_hold_every_tile_that_one_has_not_seen():
    state = position(GAME, ["1|2", "1|1", "2|2"], {SAUCE: "12 5 7"}).view(0).state
    Engine(GAME).possible(state, 0)
    unseen = {name_of(number) for number in range(90)} - {"1|2", "5|12", "5|7"}
    assert set(tiles_in(GAME, state.hand[1])) == set(tiles_in(GAME, state.hand[2])) == unseen
    assert tiles_in(GAME, state.hand[0]) == ["1|2"]


def test_a_hand_that_may_be_anything_counts_as_many_tiles_as_it_has():
    state = position(GAME, ["5|12", "1|1 2|3", "2|2"]).view(0).state
    engine = Engine(GAME)
    engine.possible(state, 0)
    engine.play(state, tile("5|12") * 9)
    counted = []
    while state.phase == COUNTING:
        ((pips, p),) = engine.outcomes(state)
        assert p == 1
        counted.append(pips)
        engine.play(state, pips)
    average = (1068 - 17) / 89
    assert counted == [0, int(2 * average), int(average)]


def test_a_tile_that_another_has_just_drawn_may_be_any():
    table = play(position(GAME, ["1|2", "1|1", "2|2"]), "draw", "deal 3|12")
    state, engine = table.view(1).state, Engine(GAME)
    engine.possible(state, 1)
    assert set(table.moves) < set(engine.moves(state))


def test_others_can_pass_unless_there_is_a_gate_or_a_tile_just_drawn():
    engine = Engine(GAME)
    table = position(GAME, ["5|5 1|2", "1|1", "2|2"], {SAUCE: "12 5"}, turn=1)
    state = table.state
    assert engine.reply(state, 0)
    assert state.turn == 0
    drawn = play(table, "draw", "deal 3|4").state
    assert not engine.reply(drawn, 0)
    gate = play(position(GAME, ["5|5 1|2", "1|1", "2|2"], {SAUCE: "12 5"}), "5|5 sauce").state
    assert not engine.reply(gate, 2)


# ------------------------------------------------------------------ whole games


def assert_sound(game, s):
    """All tiles are somewhere, all counts are right, and every train fits number to number."""
    hands = [tiles_in(game, s.hand[player]) for player in range(game.players)]
    bones, laid = tiles_in(game, s.bones), tiles_in(game, s.laid)
    everywhere = [*bones, *laid, *(name for hand in hands for name in hand)]
    assert sorted(everywhere, key=tile) == [name_of(number) for number in range(game.tiles)]
    assert sum(count_pips(rows) for rows in (s.bones, s.laid, *s.hand)) == game.pips
    assert s.size.tolist()[: game.players] == [len(hand) for hand in hands]
    assert (s.left, s.count) == (len(bones), len(laid))
    order = sorted((s.nth[number], number) for number in range(game.tiles) if s.nth[number])
    assert [nth for nth, _ in order] == list(range(1, len(laid) + 1))
    ends = [game.highest] * 9
    for _, number in order:
        assert ends[s.train[number]] in HALVES[number]
        ends[s.train[number]] = int(PIPS[number]) - ends[s.train[number]]
    assert s.end.tolist() == ends
    newest = order[-1][1] if order else None
    is_shut = newest is not None and HALVES[newest, 0] == HALVES[newest, 1]
    assert s.gate == (s.train[newest] if is_shut else NONE)
    assert s.open & 1 << SAUCE


variants = st.sampled_from(
    [
        MexicanTrain(players=2),
        MexicanTrain(players=3, highest=6, hand=5),
        MexicanTrain(players=4, highest=6, hand=4, play_drawn=False),
        MexicanTrain(players=5, highest=9, hand=6, gate_opens=False),
        MexicanTrain(players=8),
        MexicanTrain(players=2, highest=3, hand=2),
    ]
)


@settings(max_examples=30)
@given(variants, st.integers(0, 2**32))
def test_no_tile_is_lost_and_every_train_fits(game, seed):
    table, stream = kibitz.Table(game, seed), Stream(seed)
    for ply in range(120):
        if table.over:
            break
        if ply % 5 == 0:
            assert_sound(game, table.state)
        moves = table.moves
        table.play(moves[stream.randrange(len(moves))])


@settings(max_examples=15)
@given(st.integers(0, 2**32))
def test_points_are_the_pips_of_the_hands_left(seed):
    game = MexicanTrain(players=3, highest=6, hand=4, target=60)
    table, stream, expected = kibitz.Table(game, seed, deal=False), Stream(seed), [0, 0, 0]
    while not table.over:
        before, moves = table.state, table.moves
        table.play(moves[stream.randrange(len(moves))])
        if before.phase != COUNTING and table.state.phase == COUNTING:
            hands = table.state.hand
            expected = [owned + count_pips(hands[player]) for player, owned in enumerate(expected)]
    assert points(table) == expected
    assert max(expected) >= 60 or table.state.round == game.most_rounds


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spec", "games"),
    [
        ("mexican_train:players=3,highest=4,hand=2,rounds=1", 5),
        ("mexican_train:players=2,highest=4,hand=3,rounds=1,play_drawn=no,gate_opens=no", 5),
    ],
)
def test_the_rules_keep_the_contract_compiled_and_interpreted(spec, games):
    check_game(kibitz.game(spec), games=games)


@pytest.mark.slow
@pytest.mark.parametrize("players", range(2, 9))
def test_thousands_of_compiled_games_of_any_number_of_players_end(players):
    line_up = ["random", "ai2", "shed"]
    rules, number = MexicanTrain(players=players), np.arange(1500)
    match = CompiledMatch(rules, resolve_all(line_up, rules), 1)
    for seated in ([0], [1, 2], [0, 1, 2]):
        bots = np.array([[seated[(game + seat) % len(seated)] for seat in range(players)] for game in number], "i2")
        games = match.play(number, number, bots, keep_moves=False)  # raises when a game does not end
        assert (games.outcome == Outcome.BOARD).all()
        assert games.payoff.sum(axis=1) == pytest.approx(1)
        assert (games.score.max(axis=1) >= 100).all()
