"""What a learner sees of a position."""

import numpy as np
import pytest
from toys import HighCard, Menagerie

import kibitz
from kibitz.environments import Observer
from kibitz.rules.engine import Engine
from kibitz.rules.rng import Stream


def described(observer, state):
    """The observation of the player to act by the features' own description, in plain Python."""
    features, rules = observer.features, observer.game
    seen, places, amounts = np.zeros(observer.size), [0] * features.most(rules), [0.0] * features.most(rules)
    view = Engine(rules).redacted(state, state.turn)
    with kibitz.plain():
        count = features.describe(rules, view, places, amounts)
    np.add.at(seen, places[:count], amounts[:count])
    return seen


def positions(rules, seed=1):
    """The positions of a random game in which a player is to act."""
    table, stream = kibitz.Table(rules, seed=seed), Stream(seed)
    while not table.over:
        yield table.state
        table.play(stream.choice(table.moves))


@pytest.mark.parametrize("rules", [Menagerie(), HighCard()])
def test_an_observation_has_the_facts_that_learning_sees(rules):
    observer = Observer(rules)
    for state in positions(rules):
        seen = observer.see(state, state.turn)
        assert seen.dtype == np.uint8
        np.testing.assert_array_equal(seen, described(observer, state))


def test_a_games_own_features_are_floats():
    observer = Observer("ur:pieces=2", "tree")
    for state in positions("ur:pieces=2"):
        seen = observer.see(state, state.turn)
        assert seen.dtype == np.float32
        np.testing.assert_array_equal(seen, described(observer, state))
    assert observer.explained() == [
        "0–15: Steps, float32: One's own pieces on each step, from the hand to home, minus the opponent's."
    ]


def test_plain_and_compiled_observations_are_the_same():
    with kibitz.plain():
        plain = Observer(Menagerie())
    compiled = Observer(Menagerie())
    for state in positions(Menagerie()):
        np.testing.assert_array_equal(plain.see(state, 1), compiled.see(state, 1))


def test_everyone_sees_the_table_from_their_own_seat():
    """Also when it is not their turn: the same as if it were."""
    observer = Observer(Menagerie())
    for state in positions(Menagerie()):
        turned = state.copy()
        turned.turn = 1 - state.turn
        np.testing.assert_array_equal(observer.see(state, 1 - state.turn), described(observer, turned))


def test_what_a_player_must_not_know_changes_nothing():
    rules, stream = HighCard(), Stream(5)
    observer, engine = Observer(rules), Engine(rules)
    differed = 0
    for state in positions(rules):
        for player in range(rules.players):
            other = engine.redacted(state, player)
            engine.redeal(other, player, stream)
            differed += other != state
            np.testing.assert_array_equal(observer.see(state, player), observer.see(other, player))
    assert differed > 5


def test_the_layout_is_explained():
    lines = Observer(Menagerie()).explained()
    assert lines[0] == "0–2: the seat of the player who sees it (of 2; the last is never set)"
    fields = {line.split(": ")[1]: line for line in lines[1:] if line[0].isdigit()}
    assert fields.keys() == {"colour", "pieces", "count"}
    spans = [tuple(map(int, line.split(":")[0].split("–"))) for line in lines if line[0].isdigit()]
    assert [begin for begin, _ in spans[1:]] == [end + 1 for _, end in spans[:-1]]
    assert spans[-1][1] == Observer(Menagerie()).size - 1
