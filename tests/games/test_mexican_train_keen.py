"""The features of a move that `keen` weighs, compared with the same features computed from sets of tiles."""

import random
from itertools import combinations_with_replacement

import pytest

import kibitz
from kibitz.games.mexican_train.keen_weights import LEARNED, Weights, worth_of
from kibitz.games.mexican_train.rules import PLAYING, SAUCE, TRAINS, MexicanTrain
from kibitz.games.mexican_train.sequences import new_planner, plan
from kibitz.games.mexican_train.tiles import HALVES

UNITS = {name: Weights(*(1.0 if other == name else 0.0 for other in Weights._fields)) for name in Weights._fields}


@pytest.fixture(autouse=True)
def interpreted():
    with kibitz.plain():
        yield


def tiles_of(rows):
    return {(a, b) for a in range(len(rows)) for b in range(a, len(rows)) if rows[a] >> b & 1}


def described(game, s, move, player, sequence):
    """The features that are not zero."""
    tile, train = tuple(int(half) for half in HALVES[move // TRAINS]), move % TRAINS
    covered = int(s.end[train])
    offered = sum(tile) - covered
    hand = tiles_of(s.hand[player])
    rest = hand - {tile}
    every = set(combinations_with_replacement(range(game.highest + 1), 2)) - {(game.highest, game.highest)}
    unseen = every - tiles_of(s.laid) - hand
    others = [other for other in range(game.players) if other != player]
    fewest = min(int(s.size[other]) for other in others)
    open_ends = {int(s.end[t]) for t in range(TRAINS) if s.open >> t & 1 and t != train}
    my_ends = open_ends | {offered} | ({int(s.end[player])} if train != player else set())
    ready = sum(bool(set(t) & my_ends) for t in rest)
    theirs = sum(bool(set(t) & (open_ends | ({offered} if train != player else set()))) for t in unseen)
    said = {"ready": ready, "ready_share": ready / max(len(rest), 1), "stuck": bool(rest) and not ready}
    said |= {"theirs": theirs, "theirs_late": theirs * (fewest <= 3), "last_pips": sum(tile) * (fewest <= 1)}
    if tile[0] == tile[1]:
        said["double_hand"] = len(hand) - 8
        if rest:
            said["followed_double" if any(covered in t for t in rest) else "lone_double"] = 1
    if train == player:
        said["closing"] = s.open >> player & 1
        said["covered_own"] = sum(covered in t for t in unseen)
        if sequence[:1] == [move // TRAINS]:
            said |= {"plan": 1, "plan_pips": sum(tile), "plan_length": len(sequence), "plan_hand": len(hand) - 8}
            said["plan_only"] = len(sequence) == len(hand)
        else:
            followers = sum(offered in t for t in hand) - 1
            said |= {"astray": 1, "astray_pips": sum(tile), "astray_follower": followers}
    else:
        where = "sauce" if train == SAUCE else "other"
        void = [other for other in others if s.void[other, covered] == s.kept[other]]
        said |= {"pips": sum(tile), "rival": sum(covered in t for t in rest)}
        said[f"covered_{where}"] = sum(covered in t for t in unseen)
        said[f"offered_{where}"] = sum(offered in t for t in unseen)
        said |= {"void_covered": len(void), "next_void": (player + 1) % game.players in void}
        said["void_offered"] = sum(s.void[other, offered] == s.kept[other] for other in others)
        if move // TRAINS in sequence:
            said |= {"broken": 1, "broken_length": len(sequence) - sequence.index(move // TRAINS)}
    return {name: float(value) for name, value in said.items() if value}


@pytest.mark.parametrize("players", [2, 3, 8])
def test_all_that_counts_is_what_it_says(players):
    game, chance = MexicanTrain(players=players), random.Random(players)
    table, planner, seen = kibitz.Table(game, seed=players), new_planner(), set()
    for _ in range(150):
        while table.over or len(table.moves) == 1:
            if table.over:
                table = kibitz.Table(game, seed=chance.randrange(1000))
            table.play(table.moves[0])
        player = table.turn
        s = table.view(player).state
        assert s.phase == PLAYING
        plan(planner, player, s.hand[player], s.end[player], 1000)
        sequence = [int(t) for t in planner.tiles[player, planner.begin[player] : planner.length[player]]]
        for move in table.moves:
            said = described(game, s, move, player, sequence)
            for name, unit in UNITS.items():
                assert worth_of(game, s, move, player, planner, unit) == said.get(name, 0.0), name
            whole = sum(getattr(LEARNED, name) * value for name, value in said.items())
            assert worth_of(game, s, move, player, planner, LEARNED) == pytest.approx(whole)
            seen |= said.keys()
        table.play(chance.choice(table.moves))
    if players == 3:
        assert seen == set(Weights._fields)
