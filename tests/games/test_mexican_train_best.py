"""Mexican Train's strongest player, and what it makes of the others' moves."""

import contextlib
from collections import Counter

import numpy as np
import pytest
from dominoes import position

import kibitz
from kibitz.compiler import native, numbers
from kibitz.games.mexican_train import best, inference
from kibitz.games.mexican_train.best import (
    CLEARLY,
    FUTURES,
    LAP,
    chance_to_win,
    drop_clearly_worse,
    new_race,
    round_results,
)
from kibitz.games.mexican_train.inference import (
    POLICIES,
    STRAY,
    begin_chain,
    change_places,
    draw_policies,
    expect_alike,
    new_past,
    recall,
    weigh,
)
from kibitz.games.mexican_train.policies import AI2, KEEN, RANDOM, SHED
from kibitz.games.mexican_train.redeal import BONEYARD, NONE, fits_place
from kibitz.games.mexican_train.rules import COUNTING, SAUCE, MexicanTrain
from kibitz.games.mexican_train.tiles import has_tile
from kibitz.rules.contract import CHANCE
from kibitz.rules.rng import Stream

GAME = MexicanTrain(players=3, highest=6, hand=5)
ROUND = MexicanTrain(players=3, highest=6, hand=5, rounds=1)


@pytest.fixture(autouse=True)
def interpreted(request, monkeypatch):
    monkeypatch.setattr(best, "RESULTS", 40)  # enough to tell points apart, and quick to play
    monkeypatch.setattr(best, "BURN_IN", 100)  # quick without compilation
    best._round_results.cache_clear()
    with contextlib.nullcontext() if "compiled" in request.node.name else kibitz.plain():
        yield
    best._round_results.cache_clear()


def games_of(spec, seeds, viewer=0):
    """Tables at each decision of the viewer, in games in which everybody plays by one policy and sees everything."""
    bot = kibitz.bot(spec, GAME)
    for seed in seeds:
        table = kibitz.Table(GAME, seed=seed)
        while not table.over:
            if table.turn == viewer and len(table.moves) > 1:
                yield table
            table.play(bot.choose(table.view(table.turn)))


def remembered(table, viewer=0, rounds=0):
    """The view, and the others' decisions in it."""
    view, past = table.view(viewer), new_past(GAME)
    turns, moves = (numbers(len(view.history), "i8") for _ in range(2))
    for i, ply in enumerate(view.history):
        turns[i], moves[i] = ply
    recall(GAME, past, native(view.state), turns, moves, viewer, rounds, Stream("earlier rounds").words)
    return view.state, past


def true_decisions(table, viewer=0):
    """The others' decisions in this round and their hands, from the full states."""
    replayed, found = kibitz.Table(GAME, deal=False), []
    for turn, move in table.history:
        before = replayed.state
        replayed.play(move)
        if replayed.state.round > before.round:
            found = []
        elif turn not in (viewer, CHANCE) and move < GAME.draw_move and before.drawn == NONE:
            found.append((turn, move, before.hand[turn].tolist()))
    return found


def place_truth(table, s, viewer=0):
    """Write the true draw of every hidden tile into the places of s; return the number of places, of others and all."""
    draws, kept, drawn, replayed = {}, {}, None, kibitz.Table(GAME, deal=False)
    for turn, move in table.history:
        before = replayed.state
        replayed.play(move)
        if replayed.state.round > before.round:
            draws, kept, drawn = {}, {}, None
        elif turn == CHANCE and before.left < GAME.tiles - GAME.players * GAME.hand_size + 1:
            drawn = before.served, move
        elif turn == CHANCE:
            draws[move] = before.served, 0
        elif drawn and move == GAME.pass_move:
            kept[drawn[0]] = kept.get(drawn[0], 0) + 1
            draws[drawn[1]] = drawn[0], kept[drawn[0]]
            drawn = None
        elif move != GAME.draw_move:
            drawn = None
    places = 0
    for tile, (owner, draw) in draws.items():
        if owner != viewer and (s.by[tile] == NONE or s.until[tile] > 0):
            s._tile[places], s._owner[places], s._draw[places] = tile, owner, draw
            places += 1
    held = places
    for tile in range(GAME.tiles):
        if has_tile(table.state.bones, tile):
            s._tile[places], s._owner[places], s._draw[places] = tile, BONEYARD, 0
            places += 1
    return held, places


@pytest.mark.slow
def test_the_others_decisions_are_recalled_with_the_hands_they_had():
    compared = 0
    for table in games_of("shed", range(2)):
        s, past = remembered(table)
        held, _ = place_truth(table, s)
        decisions = true_decisions(table)
        assert [past.moves[i] for i in range(past.count[0])] == [move for _, move, _ in decisions]
        for player in (1, 2):
            weigh(GAME, s, past, player, held, past.tried)
        for i, (player, _, hand) in enumerate(decisions):
            assert past.states[i].turn == player
            assert past.states[i].hand[player].tolist() == hand
            compared += 1
    assert compared > 50


@pytest.mark.parametrize(("spec", "habit"), [("shed", SHED), ("ai2", AI2)])
def test_the_truth_explains_every_move_of_a_player_by_habit(spec, habit):
    for table in games_of(spec, range(2)):
        s, past = remembered(table)
        held, _ = place_truth(table, s)
        for player in (1, 2):
            weigh(GAME, s, past, player, held, past.tried)
            decisions = sum(past.states[i].turn == player for i in range(past.count[0]))
            assert past.tried[player, habit] > past.habits[player, habit] * (1 - STRAY) ** decisions * 0.999


def test_deals_of_the_chain_fit_what_was_seen_and_keep_their_likelihood():
    rng = Stream("chain").words
    for number, table in enumerate(games_of("shed", [3])):
        s, past = remembered(table)
        held, places = begin_chain(GAME, s, past, 0, rng)
        change_places(GAME, s, past, held, places, 40, rng)
        assert all(fits_place(s, s._tile[place], place) for place in range(places))
        assert len({s._tile[place] for place in range(places)}) == places
        for player in (1, 2):
            assert past.evidence[player] == pytest.approx(weigh(GAME, s, past, player, held, past.tried))
        if number == 12:
            break


@pytest.mark.parametrize(("spec", "habit"), [("shed", SHED), ("ai2", AI2), ("random", RANDOM), ("keen", KEEN)])
def test_habits_are_found_out_from_moves(spec, habit):
    rng, drawn, habits = Stream("habits").words, [], numbers(8, "i8")
    for table in games_of(spec, range(20)):
        s, past = remembered(table)
        if past.count[0] >= 10:
            held, places = begin_chain(GAME, s, past, 0, rng)
            change_places(GAME, s, past, held, places, 60, rng)
            draw_policies(GAME, past, 0, habits, rng)
            drawn += [habits[1], habits[2]]
    assert len(drawn) >= 10
    assert Counter(drawn).most_common(1)[0][0] == habit


def second_rounds(spec, seeds):
    """Tables at the viewer's first decision of the second round."""
    for seed in seeds:
        yield next(table for table in games_of(spec, [seed]) if table.state.round == 1)


def test_an_earlier_round_is_recalled_to_its_end():
    table = next(second_rounds("random", [1]))
    view, past = table.view(0), new_past(GAME)
    turns, moves = np.array(view.history, "i8").T
    end = inference.end_of_round_before(turns, inference.begin_of_round(turns, len(turns)))
    begin = inference.begin_of_round(turns, end)
    assert inference.replay_round(GAME, past, 0, turns, moves, begin, end, 0)
    replayed, plies = kibitz.Table(GAME, deal=False), iter(table.history)
    while replayed.state.phase != COUNTING:
        replayed.play(next(plies)[1])
    truth, recalled = replayed.state, past.states[past.count[0]]
    for field in ("laid", "end", "size", "by", "nth", "after", "until", "kept", "void"):
        assert getattr(recalled, field).tolist() == getattr(truth, field).tolist(), field
    assert recalled.hand[0].tolist() == truth.hand[0].tolist()


@pytest.mark.parametrize(("spec", "habit"), [("shed", SHED), ("ai2", AI2), ("random", RANDOM), ("keen", KEEN)])
def test_habits_are_kept_in_the_next_round(spec, habit, monkeypatch):
    monkeypatch.setattr(inference, "SETTLE", 20)  # quick without compilation
    monkeypatch.setattr(inference, "SAMPLES", 5)
    habits = np.array([remembered(table, rounds=1)[1].habits[1:3] for table in second_rounds(spec, range(6))])
    assert habits.sum(axis=2) == pytest.approx(1.0)
    assert habits.mean(axis=(0, 1)).argmax() == habit


def expected(shown):
    """What is expected of the opponents of player 0, each of whom has shown to play by some policies so often."""
    past, rng = new_past(GAME), Stream("alike").words
    past.habits[:] = shown
    s = kibitz.Table(GAME, seed=1).view(0).state
    expect_alike(GAME, past, s, 0, rng)
    habits = np.asarray(past.habits[1:3])
    return habits / habits.sum(axis=1, keepdims=True)


def test_players_are_expected_to_be_like_the_others_at_the_table():
    unknown, shed = np.full(POLICIES, 1 / POLICIES), np.eye(POLICIES)[SHED]
    habits = expected(np.array([unknown, unknown, shed] + [unknown] * 5))
    assert habits[0].argmax() == SHED
    assert habits[1].argmax() == SHED


def test_one_is_not_expected_to_be_like_the_others_against_the_evidence():
    likely_ai2, shed = np.array([0.02, 0.94, 0.02, 0.02]), np.eye(POLICIES)[SHED]
    habits = expected(np.array([shed, likely_ai2, shed] + [shed] * 5))
    assert habits[0].argmax() == AI2


def test_opponents_of_whom_nothing_is_known_are_expected_to_play_by_any_policy():
    assert expected(np.full((8, POLICIES), 1 / POLICIES)) == pytest.approx(1 / POLICIES)


def test_nothing_is_recalled_of_a_game_that_began_in_the_middle():
    table = position(GAME, ["0|6 1|2", "0|1 1|5", "2|3 3|3"], {SAUCE: "6 4"}, turn=1)
    table.play(table.parse("draw"))
    table.play(table.moves[0])
    while table.turn != 0:
        table.play(table.moves[0])
    _, past = remembered(table)
    assert past.count[0] == 0


# ------------------------------------------------------------------ what a round is worth


def worth(game, hands, points, player=0, future=0, match=True):
    table = position(game, hands, points=points)
    race = new_race(game, round_results(game, SHED))
    race.policy[:] = SHED
    return chance_to_win(game, native(table.state), race, player, future, match)


def test_a_round_that_ends_the_match_is_worth_a_share_of_the_win():
    hands = ["1|1", "6|5", "2|2"]
    assert worth(GAME, hands, (20, 95, 30)) == 1.0
    assert worth(GAME, hands, (32, 95, 30)) == 0.5
    assert worth(GAME, hands, (40, 95, 30)) == 0.0


def test_the_better_the_points_the_more_matches_are_won():
    hands = ["1|1", "6|5", "2|2"]
    ahead, level, behind = (worth(GAME, hands, (own, 40, 40)) for own in (10, 40, 70))
    assert 1.0 >= ahead > level > behind >= 0.0


def test_the_shares_of_all_players_add_up():
    results = np.asarray(round_results(GAME, SHED))[SHED]
    race = new_race(GAME, np.broadcast_to(results[:1], (3, 3, *results.shape[1:])))  # the same rounds for every seat
    state = native(position(GAME, ["1|1", "6|5", "2|2"], points=(30, 40, 20)).state)
    assert sum(chance_to_win(GAME, state, race, player, 5, True) for player in range(3)) == pytest.approx(1.0)


def test_the_weaker_the_others_the_more_likely_is_a_match_to_be_won():
    race, won = new_race(GAME, round_results(GAME, SHED)), {}
    state = native(position(GAME, ["1|1", "2|0", "0|2"], points=(20, 20, 20)).state)
    for others in (SHED, RANDOM):
        race.policy[:] = others
        won[others] = np.mean([chance_to_win(GAME, state, race, 0, future, True) for future in range(8)])
    assert won[RANDOM] > won[SHED] + 0.1


def test_rounds_are_played_by_each_policy_in_each_seat():
    results = np.asarray(round_results(GAME, SHED))
    assert (results.min(axis=(2, 3)) == 0).all()  # most rounds end because somebody has no tiles left
    own = np.array([[results[policy, seat, :, seat].mean() for seat in range(3)] for policy in (SHED, RANDOM)])
    rest = results[[SHED, RANDOM]].sum(axis=3).mean(axis=2) - own
    assert abs(2 * own[0] / rest[0] - 1).max() < 0.5  # all play alike
    assert (2 * own[1] < rest[1]).all()


def test_without_the_match_only_the_round_counts():
    assert worth(GAME, ["1|1", "6|5", "2|2"], (90, 0, 0), match=False) == 1.0
    assert worth(ROUND, ["1|1", "6|5", "2|2"], (0, 0, 0)) == 1.0


def test_several_futures_are_played():
    assert len({worth(GAME, ["1|1", "2|2", "0|4"], (30, 30, 30), future=f) for f in range(8)}) > 1
    assert FUTURES > 1


# ------------------------------------------------------------------ its moves


@pytest.mark.parametrize("seed", range(20))
def test_moves_leave_the_race_that_the_same_deals_show_to_be_worse(seed):
    chance, deals = np.random.default_rng(seed), 50
    luck = chance.normal(0.5, 0.3, (deals, 1))  # the same for all moves: only what differs counts
    shares = luck + chance.normal([0.0, 0.01, -0.1, -0.5, 0.0, 0.0], [0.1, 0.1, 0.1, 0.1, 0.1, 0.0], (deals, 6))
    race = new_race(GAME, None)._replace(
        legal=np.arange(6),
        worth=shares.sum(axis=0),
        visits=np.full(6, deals),
        products=shares.T @ shares,
        alive=np.array([6]),
    )
    drop_clearly_worse(race)
    behind = shares[:, [shares.sum(axis=0).argmax()]] - shares
    worse = behind.mean(axis=0) >= CLEARLY * behind.std(axis=0) / deals**0.5
    best, left = shares.sum(axis=0).argmax(), int(race.alive[0])
    assert race.legal[0] == best
    assert set(race.legal[1:left]) == set(np.flatnonzero(~worse)) - {best}
    assert 3 not in race.legal[:left]
    kept = shares[:, race.legal]
    assert np.allclose(race.products, kept.T @ kept)
    assert np.allclose(race.worth, kept.sum(axis=0))


def test_it_stops_when_only_one_move_is_left_in_the_race():
    table = position(GAME, ["5|6", "0|0 0|2", "1|1 1|2"], opened=[1])  # on any of three trains it goes out
    report = kibitz.bot("best:deals=400", GAME).analyse(table.view(0))
    assert report.work == LAP * len(report.moves)


def test_it_goes_out_when_it_can():
    table = position(ROUND, ["3|6 3|3", "0|1 1|5 4|4", "2|5 5|5 1|1"], {SAUCE: "6 2"})
    report = kibitz.bot("best:deals=20", ROUND).analyse(table.view(0))
    assert table.name(report.best.move) == "3|6 train 0"


def test_it_ranks_every_legal_move_and_says_how_many_playouts_it_made():
    table = next(games_of("shed", [2]))
    report = kibitz.bot("best:deals=12", GAME).analyse(table.view(0))
    assert sorted(ranked.move for ranked in report.moves) == sorted(table.moves)
    assert report.work == sum(ranked.visits for ranked in report.moves) > 0
    assert all(0.0 <= ranked.value <= 1.0 for ranked in report.moves)


def test_one_seed_gives_one_move_with_and_without_inference():
    table = next(games_of("shed", [4]))
    for spec in ("best:deals=10", "best:deals=10,infer=no", "best:deals=10,keen=no,match=no"):
        first, second = (kibitz.bot(spec, GAME).analyse(kibitz.Table.replay(table.record()).view(0)) for _ in range(2))
        assert first.moves == second.moves


@pytest.mark.slow
def test_compiled_and_plain_it_ranks_alike():
    table = next(games_of("shed", [4]))
    compiled = kibitz.bot("best:deals=3", ROUND).analyse(kibitz.Table.replay(table.record()).view(0))
    with kibitz.plain():
        plain = kibitz.bot("best:deals=3", ROUND).analyse(kibitz.Table.replay(table.record()).view(0))
    assert compiled.moves == plain.moves


def test_a_negative_budget_is_refused():
    with pytest.raises(kibitz.KibitzError, match=r"^best: deals must be at least 0, not -1\.$"):
        kibitz.bot("best:deals=-1", GAME)
