"""Self-play: batches depend on nothing but their arguments, and examples say what the search found."""

import numpy as np
import pytest
from nets import blank_network, random_network
from toys import DiceRace, HighCard, Nim

import kibitz
from kibitz.games.connect_four.rules import ConnectFour
from kibitz.learn.method_features import features_for
from kibitz.learn.zero.self_play import Manner, Stopped, play_batch
from kibitz.rules.contract import OVER, game

QUICK = Manner(simulations=12, quick=4, thorough=0.6, opening=1)


def batch(rules, number=0, games=4, network=random_network, manner=QUICK, **options):
    return play_batch(rules, features_for(rules, "zero"), network(rules), manner, 5, number, games, **options)


def same(first, second):
    return all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))


@pytest.mark.parametrize("game", [Nim(heap=12), DiceRace(), HighCard()], ids=["open", "chance", "hidden"])
def test_a_batch_depends_on_its_arguments_alone(game):
    assert same(batch(game), batch(game))
    assert not same(batch(game), batch(game, number=1))


@pytest.mark.parametrize("game", [Nim(heap=12), DiceRace(), HighCard()], ids=["open", "chance", "hidden"])
def test_examples_keep_within_bounds(game):
    examples, features = batch(game, games=8), features_for(game, "zero")
    assert examples.size > 5
    assert 0 <= examples.places.min() <= examples.places.max() < features.size(game)
    assert 0 <= examples.moves.min() <= examples.moves.max() < game.actions
    totals = np.add.reduceat(examples.policy, examples.move_starts[:-1])
    assert totals == pytest.approx(np.ones(examples.size), abs=1e-5)
    assert examples.values.min() >= 0
    assert examples.values.sum(axis=1) == pytest.approx(np.ones(examples.size), abs=1e-5)


def test_positions_without_a_choice_are_learned_from_as_well():
    """Searches ask the network about them, too."""
    choices = np.diff(batch(Nim(heap=12), games=20).move_starts)  # the last counter must be taken
    assert choices.min() == 1
    assert choices.max() > 1


def test_the_search_finds_what_the_network_does_not_know():
    """In Nim with five left, only taking one wins."""
    examples = batch(Nim(heap=5), games=60, network=blank_network, manner=Manner(64, 64, 1.0, opening=0))
    place = examples.place_starts[:-1]
    same_heap = examples.places[place + 1] == examples.places[1]
    opening = np.flatnonzero(same_heap & (examples.places[place] == 0) & (np.diff(examples.move_starts) == 3))
    assert len(opening) >= 60
    starts = examples.move_starts[opening]
    taking_one = [start + list(examples.moves[start : start + 3]).index(0) for start in starts]
    assert examples.policy[taking_one].mean() > 0.8
    assert examples.values[opening, 0].mean() > 0.8


def test_mirrored_games_teach_mirrored_policies():
    game = ConnectFour(columns=4, rows=4)
    examples = batch(game, games=1, manner=Manner(12, 4, 1.0, opening=0))
    half = examples.size // 2
    own, mirrored = examples.cut(half), examples.cut(examples.size, half)
    assert np.array_equal(mirrored.moves, 3 - own.moves)
    assert np.array_equal(mirrored.policy, own.policy)
    assert np.array_equal(mirrored.values, own.values)
    assert not np.array_equal(mirrored.places, own.places)


@game
class Minefield:
    """All moves but the first lose at once; after six moves, the second player wins."""

    players = 2
    actions = 24
    max_moves = 24
    max_plies = 6

    def fields(self):
        return [("plies", "i1"), ("loser", "i1"), ("turn", "i1")]

    def start(self, s):
        s.plies = 0

    def moves(self, s, out):
        for move in range(24):
            out[move] = move
        return 24

    def play(self, s, move):
        s.plies += 1
        s.loser = s.turn if move > 0 else 0
        s.turn = OVER if move > 0 or s.plies == 6 else 1 - s.turn

    def payoff(self, s, out):
        out[s.loser] = 0.0
        out[1 - s.loser] = 1.0


def test_positions_with_proven_moves_are_searched_as_well():
    """The tree is kept from move to move, so that moves may be proven before the search begins."""
    examples = batch(Minefield(), games=60, network=blank_network, manner=Manner(60, 60, 1.0, opening=0))
    assert np.isfinite(examples.values).all()
    assert examples.values.sum(axis=1) == pytest.approx(np.ones(examples.size), abs=1e-5)


def test_a_batch_can_be_given_up():
    with pytest.raises(Stopped):
        batch(Nim(heap=12), is_stopped=lambda: True)


def test_the_true_deal_is_never_seen():
    """The hands of the others are unknown in every position that is learned from."""
    game = HighCard()
    features = features_for(game, "zero")
    where = next(field for field in features.fields if field.name == "where")
    with kibitz.plain():
        row = next(iter(features_for(game, "zero").rows))
    first, count = int(row[11]), where.elements * where.count
    examples = batch(game, games=20)
    hands = set()
    for i in range(examples.size):
        places = examples.places[examples.place_starts[i] : examples.place_starts[i + 1]]
        mover = int(places[0])
        block = first + mover * count * (where.whose == "for each player to act")
        values = {(int(place) - block) % where.count + where.low for place in places if block <= place < block + count}
        hands |= {(mover, value) for value in values if value in (0, 1, 2)}
    assert hands
    assert all(mover == holder for mover, holder in hands)
