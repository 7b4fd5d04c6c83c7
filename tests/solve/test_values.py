"""Looking up the values of positions and moves."""

import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from toys import DiceRace

import kibitz
from kibitz.games.ur.rules import Ur
from kibitz.rules.contract import CHANCE, OVER
from kibitz.rules.engine import Engine
from kibitz.solve import solve

TWO = Ur(pieces=2)


@pytest.fixture(scope="module", params=[TWO, DiceRace()], ids=["ur", "race"])
def values(request):
    return solve(request.param, tolerance=1e-12).values


def played(game, seed):
    """Every state of a random game, including those before chance outcomes."""
    table = kibitz.Table(game, seed=seed, deal=False)
    stream = kibitz.rules.rng.Stream(seed, "moves")
    yield table.state
    while not table.over:
        table.play(stream.choice(table.moves))
        yield table.state


@pytest.mark.parametrize("seed", range(3))
def test_a_position_is_worth_the_average_of_its_outcomes_or_the_best_of_its_moves(values, seed):
    engine = Engine(values.game)
    for state in played(values.game, seed):
        if state.turn == OVER:
            assert values.value(state) == engine.payoff(state)[0]
            continue
        options = engine.outcomes(state) if state.turn == CHANCE else [(move, 1.0) for move in engine.moves(state)]
        after = []
        for option, odds in options:
            child = state.copy()
            engine.play(child, option)
            after.append((values.value(child, max(state.turn, 0)), odds))
        if state.turn == CHANCE:
            assert values.value(state) == pytest.approx(sum(value * odds for value, odds in after), abs=1e-9)
        else:
            assert values.value(state, state.turn) == pytest.approx(max(value for value, _ in after), abs=1e-9)


def test_two_players_share_the_win(values):
    for state in played(values.game, 5):
        assert values.value(state, 0) + values.value(state, 1) == pytest.approx(1.0)


def test_moves_are_ranked_best_first(values):
    for state in played(values.game, 7):
        if state.turn >= 0:
            ranked = values.ranked(state)
            assert sorted(valued.move for valued in ranked) == Engine(values.game).moves(state)
            assert [v.value for v in ranked] == sorted((v.value for v in ranked), reverse=True)


def test_moves_have_values_only_where_a_player_is_to_act(values):
    finished = list(played(values.game, 1))[-1]
    with pytest.raises(kibitz.KibitzError, match="no player is to act"):
        values.ranked(finished)


def test_impossible_positions_are_rejected(values):
    state = Engine(values.game).start()
    if isinstance(values.game, Ur):
        state.hand[0] = 9
    else:
        state.at[0] = 99
    with pytest.raises(kibitz.KibitzError, match="cannot occur"):
        values.value(state)


def test_threads_may_share_the_values(values):
    positions = [state for state in played(values.game, 3) if state.turn >= 0]
    alone = [values.ranked(state) for state in positions]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)  # so that the threads take turns within a call
    try:
        with ThreadPoolExecutor(4) as threads:
            found = list(threads.map(values.ranked, 200 * positions))
    finally:
        sys.setswitchinterval(interval)
    assert found == 200 * alone
