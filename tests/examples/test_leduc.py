"""Leduc hold'em: the deal, the bets, the showdown, and the numbers that everybody finds for it."""

import contextlib
from collections import Counter, defaultdict
from pathlib import Path

import pytest

import kibitz
from kibitz.rules.engine import Engine
from kibitz.testing import check_game

LEDUC = kibitz.game(f"{Path(__file__).parents[2] / 'examples' / 'leduc.py'}:Leduc")


@pytest.fixture(autouse=True)
def _plain(request):
    """The rules as plain Python, in which one position takes no compilation; only the check compares both."""
    with contextlib.nullcontext() if request.function is test_it_fulfils_the_contract else kibitz.plain():
        yield


def played(*names):
    table = kibitz.Table(LEDUC, deal=False)
    for name in names:
        table.play(table.parse(name))
    return table


def chips(*names):
    return played(*names).payoff()


# ------------------------------------------------------------------ the rules


def test_the_higher_card_wins_what_the_other_has_paid():
    assert chips("K♠", "Q♥", "check", "check", "J♠", "check", "check") == [1, -1]
    assert chips("J♠", "Q♥", "raise", "call", "K♠", "raise", "call") == [-7, 7]


def test_a_pair_beats_a_higher_card():
    assert chips("J♠", "K♥", "check", "check", "J♥", "check", "check") == [1, -1]


def test_equal_cards_split_the_pot():
    assert chips("Q♠", "Q♥", "raise", "call", "K♥", "check", "check") == [0, 0]


def test_who_folds_loses_only_what_they_have_paid():
    assert chips("K♠", "J♥", "raise", "fold") == [1, -1]
    assert chips("K♠", "J♥", "raise", "raise", "fold") == [-3, 3]
    assert chips("K♠", "J♥", "check", "check", "Q♠", "check", "raise", "fold") == [-1, 1]


def test_four_raises_cost_thirteen_chips():
    raised = ("raise", "raise", "call")
    assert chips("K♠", "Q♥", *raised, "J♠", *raised) == [13, -13]
    assert (LEDUC.min_utility, LEDUC.max_utility, LEDUC.utility_sum) == (-13, 13, 0)


def test_one_may_fold_only_after_a_raise_and_raise_twice_in_a_round():
    def legal(*names):
        table = played("K♠", "Q♥", *names)
        return [table.name(move) for move in table.view(table.turn).moves]

    assert legal() == legal("check") == ["check", "raise"]
    assert legal("raise") == ["fold", "call", "raise"]
    assert legal("raise", "raise") == legal("check", "raise", "raise") == ["fold", "call"]
    assert legal("raise", "raise", "call", "J♠") == ["check", "raise"]


def test_the_other_players_card_is_hidden_until_the_end():
    table = played("K♠", "Q♥")
    assert table.text(1).startswith("First ?   Second Q♥   Table –")
    assert table.view(0).history == ((kibitz.CHANCE, 4),)
    assert played("K♠", "Q♥", "raise", "fold").text(1).startswith("First K♠   Second Q♥")


def test_it_fulfils_the_contract():
    assert check_game(LEDUC, games=40).games == 40


# ------------------------------------------------------------------ the whole tree


def options(engine, state):
    """What can happen in a position, with its probability under uniformly random play."""
    if state.turn == kibitz.CHANCE:
        return engine.outcomes(state)
    moves = engine.moves(state)
    return [(move, 1 / len(moves)) for move in moves]


def after(engine, state, move):
    child = state.copy()
    engine.play(child, move)
    return child


def every_line(engine, state, seen=((), ()), odds=1.0):
    """All positions that can arise, each with what either player has seen and with its probability."""
    yield state, seen, odds
    if state.turn != kibitz.OVER:
        for move, part in options(engine, state):
            now = tuple((*seen[player], engine.seen(state, move, player)) for player in range(2))
            yield from every_line(engine, after(engine, state, move), now, odds * part)


def test_the_tree_is_the_one_that_others_search():
    """Two rounds of six betting positions; five sequences lead from the first, with 6 · 5 · 4 deals, to the second.

    A player tells apart 3 positions of the first round for each of 6 cards, and 5 · 3 of the second for each of 6 · 5
    pairs of cards: 936 information sets for both. The number of positions, of which 9,457 include chance and the end,
    and the value of random play, −5/64 of a chip, are those of OpenSpiel's Leduc poker.
    """
    engine = Engine(LEDUC)
    positions, turns, value, known = 0, Counter(), 0.0, set()
    for state, seen, odds in every_line(engine, engine.start()):
        positions += 1
        turns[state.turn] += 1
        if state.turn == kibitz.OVER:
            value += odds * engine.payoff(state)[0]
        elif state.turn >= 0:
            known.add((state.turn, seen[state.turn]))
    assert len(known) == 2 * (3 * 6 + 5 * 3 * 6 * 5) == 936
    assert turns[kibitz.CHANCE] == 1 + 6 + 30 * 5
    assert positions == 9457
    assert value == pytest.approx(-5 / 64)
    assert [kibitz.perft(LEDUC, plies) for plies in range(5)] == [1, 6, 30, 60, 150]


def best_reply(engine, player, group):
    """What a player can get at most against random play, summed over positions that look the same to that player."""
    turn = group[0][0].turn
    if turn == kibitz.OVER:
        return sum(odds * engine.payoff(state)[player] for state, odds in group)
    if turn == player:
        legal = engine.moves(group[0][0])
        return max(best_reply(engine, player, [(after(engine, s, move), odds) for s, odds in group]) for move in legal)
    parts = defaultdict(list)
    for state, odds in group:
        for move, part in options(engine, state):
            parts[engine.seen(state, move, player)].append((after(engine, state, move), odds * part))
    return sum(best_reply(engine, player, part) for part in parts.values())


def test_random_play_is_as_exploitable_as_in_the_literature():
    """OpenSpiel's tests give 4.747222 as its NashConv, from independent implementations."""
    engine = Engine(LEDUC)
    replies = [best_reply(engine, player, [(engine.start(), 1.0)]) for player in range(2)]
    assert sum(replies) == pytest.approx(4.747222222222222)
