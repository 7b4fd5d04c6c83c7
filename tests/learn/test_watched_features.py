"""Features found by watching random games."""

import numpy as np
import pytest
from toys import HighCard, Menagerie, Nim

import kibitz
from kibitz.compiler import numbers
from kibitz.learn.watched_features import (
    BITS,
    LEFT_OUT,
    ONE_HOT,
    OWNED,
    SIGNED,
    THERMOMETER,
    restored_features,
    watched_features,
)


def described(rules, features, state):
    places, amounts = numbers(features.most(rules), "i8"), numbers(features.most(rules), "f8")
    count = features.describe(rules, state, places, amounts)
    return sorted(places[:count].tolist())


def seen(features):
    return {field.name: field for field in features.fields}


def test_each_field_is_described_by_what_its_numbers_do():
    fields = seen(watched_features(Menagerie()))
    assert {name: field.how for name, field in fields.items()} == {
        "colour": ONE_HOT,
        "pieces": BITS,
        "count": THERMOMETER,
        "hash": LEFT_OUT,
        "heat": LEFT_OUT,
        "still": LEFT_OUT,
    }
    assert fields["colour"].whose == SIGNED
    assert fields["pieces"].whose == OWNED


def test_positions_are_told_from_the_side_of_the_mover():
    rules = kibitz.game("connect_four")
    features = watched_features(rules)
    with kibitz.plain():
        features = watched_features(rules)
        table, mirrored = kibitz.Table(rules), kibitz.Table(rules)
        for move in (3, 3, 2, 4):  # with the colours swapped, the other player would be to move
            table.play(move)
        for move in (3, 3, 4, 2, 6):
            mirrored.play(move)
        own, other = table.state.copy(), table.state.copy()
        other.discs[0], other.discs[1], other.turn = own.discs[1], own.discs[0], 1
        of_first, of_second = described(rules, features, own), described(rules, features, other)
    discs = range(3, 3 + 2 * 48)
    assert [place for place in of_first if place in discs] == [place for place in of_second if place in discs]
    assert (of_first[0], of_second[0]) == (0, 1)  # who acts is the first fact


def test_compiled_and_plain_descriptions_are_the_same():
    rules = Menagerie()
    table = kibitz.Table(rules, seed=1)
    for move in (1, 5, 5, 2, 7, 0, 1):
        table.play(move)
    compiled = watched_features(rules)
    places, amounts = np.zeros(compiled.most(rules), "i8"), np.zeros(compiled.most(rules))

    @kibitz.compiler.compiled
    def describe(features, rules, s, places, amounts):
        return features.describe(rules, s, places, amounts)

    count = describe(compiled, rules, table.state.record, places, amounts)
    with kibitz.plain():
        plain = described(rules, watched_features(rules), table.state)
    assert sorted(places[:count].tolist()) == plain
    assert amounts[:count].tolist() == [1.0] * count


def test_values_that_were_never_seen_count_as_the_nearest_and_bits_are_ignored():
    rules = Menagerie()
    with kibitz.plain():
        features = watched_features(rules)
        state, extreme = kibitz.Table(rules).state.copy(), kibitz.Table(rules).state.copy()
        state.colour[0], state.count = 2, 59
        extreme.colour[0], extreme.count, extreme.pieces[0] = 100, 30_000, 1
        assert described(rules, features, extreme) == described(rules, features, state)


def test_places_stay_within_the_size():
    for rules in (Menagerie(), HighCard(), kibitz.game("ur")):
        with kibitz.plain():
            features = watched_features(rules)
            table = kibitz.Table(rules, seed=2)
            while not table.over:
                view = table.view(table.turn)
                places = described(rules, features, view.state)
                assert len(places) <= features.most(rules)
                assert len(set(places)) == len(places)
                assert 0 <= places[0] <= places[-1] < features.size(rules)
                table.play(view.moves[len(view.history) % len(view.moves)])


def test_nothing_hidden_is_described():
    """Two deals that look the same to the player to act are described alike, as the learner sees only a view."""
    rules = HighCard()
    with kibitz.plain():
        features = watched_features(rules)
        views = [kibitz.Table(rules, seed=seed).view(0) for seed in range(60)]
        by_hand = {}
        for view in views:
            by_hand.setdefault(str(view.state), []).append(described(rules, features, view.state))
    assert any(len(alike) > 1 for alike in by_hand.values())
    assert all(places == alike[0] for alike in by_hand.values() for places in alike)


def test_stored_features_are_the_same_when_restored():
    rules = Menagerie()
    with kibitz.plain():
        features = watched_features(rules)
        again = restored_features(rules, features.stored(), "it")
        state = kibitz.Table(rules).state
        assert described(rules, again, state) == described(rules, features, state)
    assert again.explained() == features.explained()


def test_features_of_changed_rules_are_refused():
    with kibitz.plain():
        stored = watched_features(Nim(heap=9)).stored()
        with pytest.raises(kibitz.KibitzError, match="was learned from other rules than those of Nim:heap=10 today"):
            restored_features(Nim(heap=10), stored, "it")


@pytest.mark.parametrize(
    "damage",
    [
        {"name": "nothing"},
        {"how": "magic"},
        {"elements": 10**9},
        {"count": -1},
        {"count": 2.5},
        {"mask": 1 << 70},
        {"thresholds": None},
        {"surprise": 1},
    ],
)
def test_damaged_features_are_refused(damage):
    with kibitz.plain():
        stored = watched_features(Nim(heap=9)).stored()
        stored["fields"][0].update(damage)
        with pytest.raises(kibitz.KibitzError, match="is damaged"):
            restored_features(Nim(heap=9), stored, "it")


def test_they_explain_themselves():
    lines = watched_features(kibitz.game("connect_four")).explained()
    assert lines[0] == "discs: 2 × 48 facts, bits, by owner"
    assert lines[2] == "winner: left out (1 value)"
    assert lines[-1] == "together 123 facts, of which at most 97 hold at a time"
