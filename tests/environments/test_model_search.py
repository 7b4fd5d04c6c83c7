"""ModelSearch: a tree search that asks a model in Python about many positions at once."""

import copy
from dataclasses import dataclass

import numpy as np
import pytest
from toys import Centipede, DiceRace, HighCard, Nim, ThreePurses

import kibitz
from kibitz.compiler import numbers
from kibitz.environments import Observer, leaf_batch
from kibitz.errors import BotFault
from kibitz.learn.method_features import features_for
from kibitz.learn.zero.evaluator import new_evaluator, share_out
from kibitz.learn.zero.network import new_network, seat_values, think
from kibitz.learn.zero.network_file import trained_network
from kibitz.rules.engine import Engine
from kibitz.rules.rng import Stream
from kibitz.search.tree_arrays import ROOT, children_of
from kibitz.state import State


@dataclass
class Uniform:
    """A model that knows nothing, and remembers what it was asked."""

    players: int = 2

    def __post_init__(self):
        self.sizes, self.asked = [], []

    def __call__(self, observations, masks, turns):
        self.sizes.append(len(turns))
        self.asked.append((observations.tobytes(), masks.tobytes(), turns.tobytes()))
        return np.zeros(masks.shape), np.full((len(turns), self.players), 1 / self.players)


def search(game, evaluate=None, seed=1, **options):
    table = kibitz.Table(game, seed=seed)
    bot = kibitz.ModelSearch(evaluate=evaluate or Uniform(game.players), **options)
    return bot, bot.analyse(table.view(table.turn))


def found(report):
    return [(ranked.move, ranked.visits, ranked.value, ranked.exact, ranked.prior) for ranked in report.moves]


# ------------------------------------------------------------------ the search


def network_model(game, network):
    """A network of kibitz as a model: its values of positions. All moves are equally likely."""
    by = new_evaluator(game, features_for(game, "zero"), network)

    def evaluate(observations, masks, turns):
        values = np.zeros((len(turns), game.players))
        for row, (seen, turn) in enumerate(zip(observations, turns, strict=True)):
            facts = np.flatnonzero(seen)
            places, amounts = numbers(len(facts) + 1, "i8"), numbers(len(facts) + 1, "f8")
            places[: len(facts)], amounts[: len(facts)] = facts, 1.0
            think(by.network, by.layers, places, amounts, len(facts))
            seat_values(by.network, by.layers, int(turn), values[row])
            share_out(values[row], by.total)
        return np.zeros(masks.shape), values

    return evaluate


@pytest.mark.parametrize("game", [Nim(heap=21), DiceRace(goal=9)])
def test_in_batches_of_one_it_is_the_search_of_zero(game, tmp_path):
    features = features_for(game, "zero")
    network = new_network(features.size(game), game.actions, game.players, seed=3)
    rough = np.round(network.features * 256) / 256  # sums of the first layer are exact, in whatever order
    random = np.random.default_rng(3)
    network = network._replace(
        features=rough.astype("f4"),
        first_bias=np.zeros_like(network.first_bias),
        moves=np.zeros_like(network.moves),
        values=random.normal(size=network.values.shape).astype("f4"),
    )
    trained_network(game, features, network, games=0, seed=0).write(tmp_path / "net.npz")
    table = kibitz.Table(game, seed=1)
    zero = kibitz.bot(f"zero:net={tmp_path / 'net.npz'},sims=500", game).analyse(table.view(table.turn))
    _, report = search(game, network_model(game, network), sims=500, batch=1)
    assert found(report) == found(zero)
    assert len({ranked.value for ranked in report.moves}) > 1


@pytest.mark.parametrize("batch", [1, 8, 64])
def test_it_proves_what_is_won(batch):
    _, report = search(Nim(heap=7), sims=5000, batch=batch)
    assert (report.best.move, report.best.exact, report.value) == (2, True, 1.0)  # which leaves four
    assert report.work < 5000  # the root was proven before


def test_it_is_the_same_search_in_plain_python():
    game = DiceRace(goal=6)
    with kibitz.plain():
        _, plain = search(game, sims=60, batch=8)
    _, compiled = search(game, sims=60, batch=8)
    assert found(plain) == found(compiled)


def test_a_perfect_model_is_followed_at_once():
    game = Nim(heap=14)
    observer, state, heaps = Observer(game), Engine(game).start(), {}
    for turn in range(2):
        for state.left in range(1, 15):
            state.turn = turn
            heaps[observer.see(state, turn).tobytes()] = state.left
    assert len(heaps) == 28

    def perfect(observations, masks, turns):
        left = np.array([heaps[seen.tobytes()] for seen in observations])
        policy = np.eye(game.actions)[np.where(left % 4, left % 4 - 1, 0)]
        return policy, (left % 4 > 0).astype(float)

    _, report = search(game, perfect, sims=20, batch=4, policy="probabilities")
    assert report.best.move == 1  # which leaves twelve
    assert report.value == pytest.approx(1.0)
    assert report.best.visits == 19  # all but the one at the root
    assert [ranked.prior for ranked in report.moves] == [1.0, 0.0, 0.0]


def test_a_deep_search_does_not_need_a_model():
    game = DiceRace(goal=5)
    _, report = search(game, sims=20_000, batch=32)
    known = kibitz.bot("uct:sims=20000", game).analyse(kibitz.Table(game, seed=1).view(0))
    assert report.best.move == known.best.move
    assert report.value == pytest.approx(known.value, abs=0.03)


def test_more_than_two_players_each_look_after_themselves():
    game = ThreePurses()
    evaluate = Uniform(3)
    even = game.utility(game.normalized_sum / 3)
    _, report = search(game, lambda *seen: (evaluate(*seen)[0], np.full((len(seen[2]), 3), even)), sims=3000, batch=16)
    table = kibitz.Table(game, seed=1)
    known = kibitz.bot("uct:sims=3000", game).analyse(table.view(table.turn))
    assert report.value == pytest.approx(known.value, abs=0.05)


def test_batches_are_full_and_no_larger():
    model = Uniform()
    _, report = search(Nim(heap=60), model, sims=1000, batch=16)
    assert max(model.sizes) == 16
    assert np.mean(model.sizes) > 12
    assert report.work == 1000 >= sum(model.sizes)


def test_the_tree_is_kept_between_moves():
    game = Nim(heap=41)
    table, model = kibitz.Table(game), Uniform()
    bot = kibitz.ModelSearch(evaluate=model, sims=300, batch=8)
    table.play(bot.choose(table.view(0)))
    table.play(0)
    model.sizes.clear()
    report = bot.best(table.view(0))
    assert sum(ranked.visits for ranked in report.moves) > 300


def test_a_full_tree_goes_on_without_growing():
    for game in (Nim(heap=41), DiceRace(goal=9), HighCard()):
        bot, report = search(game, sims=200, batch=8, nodes=20)
        assert report.work == 200
        assert bot._inquiry.root.tree.used[0] <= len(bot._inquiry.root.tree.nodes)


def test_time_can_limit_it():
    bot = kibitz.ModelSearch(evaluate=Uniform(), ms=1)
    report = bot.best(kibitz.Table(Nim(heap=41)).view(0))
    assert report.work >= 1
    assert not bot.is_reproducible()


# ------------------------------------------------------------------ virtual losses


@pytest.mark.parametrize("batch", [1, 7, 64])
@pytest.mark.parametrize("game", [Nim(heap=41), DiceRace(goal=12)])
def test_no_virtual_loss_is_left(game, batch):
    """A node has as many visits as its children, and one more if the model was asked about it."""
    bot, report = search(game, sims=700, batch=batch)
    tree, expanded = bot._inquiry.root.tree, 0
    assert State(tree.nodes[ROOT]).visits == report.work == 700
    for index in range(int(tree.used[0])):
        node = State(tree.nodes[index])
        children = [State(tree.nodes[child]) for child in children_of(node.block)]
        if children and not node.proven:
            expanded += 1
            is_chance = all(child.prior == 0 for child in children)
            assert node.visits == sum(child.visits for child in children) + (not is_chance)
        assert 0.0 <= node.worth <= node.visits
    assert expanded > 10


def test_no_virtual_loss_is_left_over_information_sets():
    game = HighCard()
    bot, report = search(game, sims=400, batch=32)
    nodes = bot._inquiry.root.tree.nodes
    assert State(nodes[ROOT]).visits == report.work == 400

    def check(index):
        node, visits, child = State(nodes[index]), 0, State(nodes[index]).child
        while child:
            branch = State(nodes[child])
            assert branch.visits <= branch.open <= node.visits
            visits += branch.visits
            check(child)
            child = branch.sibling
        assert visits <= node.visits
        assert 0.0 <= node.worth <= node.visits

    check(ROOT)


def test_a_model_that_fails_leaves_nothing_behind():
    game, calls = Nim(heap=41), []

    def fails_once(observations, masks, turns):
        calls.append(len(turns))
        if len(calls) == 3:
            raise ZeroDivisionError("no idea")
        return Uniform()(observations, masks, turns)

    view = kibitz.Table(game, seed=1).view(0)
    bot = kibitz.ModelSearch(evaluate=fails_once, sims=200, batch=8)
    with pytest.raises(BotFault, match=r"^evaluate raised ZeroDivisionError: no idea$"):
        bot.best(view)
    assert found(bot.best(view)) == found(search(game, sims=200, batch=8)[1])


# ------------------------------------------------------------------ hidden information


def test_the_model_sees_no_more_than_the_player_to_act(monkeypatch):
    """Redealing what that player cannot know changes nothing in what the model is handed."""
    game, stream, differed, viewers = HighCard(), Stream(7), [], set()
    show = leaf_batch.observe
    with kibitz.plain():
        observer, engine = Observer(game), Engine(game)

        def observe(rules, eyes, s, viewer, out):
            show(rules, eyes, s, viewer, out)
            state = State(s.record if hasattr(s, "record") else s).copy()
            assert viewer == state.turn
            other = engine.redacted(state, viewer)
            engine.redeal(other, viewer, stream)
            differed.append(other != state)
            viewers.add(viewer)
            np.testing.assert_array_equal(np.asarray([out[i] for i in range(len(out))]), observer.see(other, viewer))

        monkeypatch.setattr(leaf_batch, "observe", observe)
        search(game, sims=60, batch=8)
    assert sum(differed) > 20
    assert viewers == {0, 1, 2}


def test_what_is_hidden_changes_nothing_that_the_model_is_asked():
    game = HighCard()
    tables = [kibitz.Table(game, seed=seed) for seed in range(40)]
    asked = {}
    for table in tables:
        model, view = Uniform(3), table.view(0)
        view = copy.copy(view)
        object.__setattr__(view, "rng", Stream(5, "same"))
        kibitz.ModelSearch(evaluate=model, sims=50, batch=8).best(view)
        asked.setdefault(view.state.public_bytes(), []).append(model.asked)
    same = [transcripts for transcripts in asked.values() if len(transcripts) > 1]
    assert same  # several deals look the same to player 0
    assert all(transcript == transcripts[0] for transcripts in same for transcript in transcripts)
    assert len({repr(transcripts[0]) for transcripts in asked.values()}) > 1


# ------------------------------------------------------------------ as a bot


def test_the_same_seed_gives_the_same_search():
    one, other = Uniform(), Uniform()
    reports = [search(DiceRace(goal=12), model, sims=500, batch=16)[1] for model in (one, other)]
    assert found(reports[0]) == found(reports[1])
    assert one.asked == other.asked


def test_it_plays_in_the_arena():
    bot = kibitz.ModelSearch(evaluate=Uniform(), sims=60, batch=8)
    results = [kibitz.arena(Nim(heap=13), [bot, "random"], games=20, seed=1) for _ in range(2)]
    assert "ModelSearch(sims=60, batch=8)" in str(results[0])
    assert results[0].pair(0, 1) == results[1].pair(0, 1)
    assert results[0].pair(0, 1).share > 0.8


def test_copies_share_the_model_but_not_the_tree():
    bot, _ = search(Nim(heap=13), sims=20)
    other = copy.deepcopy(bot)
    assert other.evaluate is bot.evaluate
    assert other._inquiry is None


# ------------------------------------------------------------------ bad answers

VALUES = "values are expected payoffs, from 0 to 1; a value v from −1 to 1 is the share (v + 1) / 2."
BAD = {
    "nothing": (lambda n: None, "evaluate must return two arrays, policy and values, not None."),
    "one array": (
        lambda n: np.zeros((n, 3)),
        "evaluate must return two arrays, policy and values, not array([[0., 0., 0.]]).",
    ),
    "policy too narrow": (
        lambda n: (np.zeros((n, 2)), np.full(n, 0.5)),
        "evaluate returned a policy of the shape (1, 2) for 1 positions; it must be (1, 3).",
    ),
    "too many values": (
        lambda n: (np.zeros((n, 3)), np.full((n, 3), 0.5)),
        "evaluate returned values of the shape (1, 3) for 1 positions; it must be (1, 2), or (1,) for the player to "
        "act alone.",
    ),
    "NaN in the policy": (
        lambda n: (np.full((n, 3), np.nan), np.full(n, 0.5)),
        "evaluate returned a policy with NaN in it.",
    ),
    "NaN in the values": (
        lambda n: (np.zeros((n, 3)), np.full(n, np.nan)),
        "evaluate returned a value with NaN in it.",
    ),
    "infinite logits": (
        lambda n: (np.full((n, 3), np.inf), np.full(n, 0.5)),
        "evaluate returned a policy with infinity in it.",
    ),
    "text": (
        lambda n: (np.full((n, 3), "a"), np.full(n, 0.5)),
        "evaluate returned a policy of dtype <U1; it must be floating-point numbers.",
    ),
    "complex numbers": (
        lambda n: (np.zeros((n, 3)), np.full(n, 0.5j)),
        "evaluate returned a value of dtype complex128; it must be floating-point numbers.",
    ),
    "a ragged list": (
        lambda n: ([[0.0], [0.0, 1.0]], np.full(n, 0.5)),
        "evaluate returned a policy that is not an array: ",
    ),
    "values from −1 to 1": (
        lambda n: (np.zeros((n, 3)), np.full(n, -0.25)),
        f"evaluate returned the value -0.25; {VALUES}",
    ),
    "an infinite value": (
        lambda n: (np.zeros((n, 3)), np.full(n, np.inf)),
        f"evaluate returned the value inf; {VALUES}",
    ),
}


@pytest.mark.parametrize("answer", BAD)
def test_a_bad_answer_is_one_sentence(answer):
    give, sentence = BAD[answer]
    bot = kibitz.ModelSearch(evaluate=lambda observations, masks, turns: give(len(turns)), sims=20)
    with pytest.raises(BotFault) as caught:
        bot.best(kibitz.Table(Nim(heap=13)).view(0))
    assert str(caught.value).startswith(sentence)
    assert str(caught.value).count("\n") == 0


def test_negative_probabilities_are_refused():
    bot = kibitz.ModelSearch(
        evaluate=lambda o, m, t: (np.full(m.shape, -1.0), np.full(len(t), 0.5)), policy="probabilities"
    )
    with pytest.raises(BotFault, match=r"negative probability; if these are logits, say policy='logits'\.$"):
        bot.best(kibitz.Table(Nim(heap=13)).view(0))


def test_the_movers_value_alone_is_refused_where_it_does_not_say_the_others():
    for game in (Centipede(), HighCard()):
        with pytest.raises(BotFault, match=rf"must be \(1, {game.players}\)\.$"):
            search(game, lambda o, m, t: (np.zeros(m.shape), np.full(len(t), 0.5)), sims=10)


def test_a_model_that_gives_no_legal_move_any_probability_leaves_it_open():
    for policy, worth in (("probabilities", 0.0), ("logits", -np.inf)):
        _, report = search(
            Nim(heap=13), lambda o, m, t, worth=worth: (np.full(m.shape, worth), np.full(len(t), 0.5)), policy=policy
        )
        assert [ranked.prior for ranked in report.moves] == pytest.approx([1 / 3] * 3)


def test_what_the_model_writes_to_its_arrays_does_not_matter():
    def scribbles(observations, masks, turns):
        observations[:], masks[:], turns[:] = 77, True, 1_000_000
        return np.zeros(masks.shape), np.full((len(turns), 2), 0.5)

    assert found(search(Nim(heap=41), scribbles, sims=100)[1]) == found(search(Nim(heap=41), sims=100)[1])


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"evaluate": "best"}, "ModelSearch: evaluate must be a function, not 'best'."),
        ({"batch": 0}, "The size of a batch must be a whole number of at least 1, not 0."),
        ({"batch": 2.5}, "The size of a batch must be a whole number of at least 1, not 2.5."),
        ({"policy": "odds"}, "ModelSearch: policy must be logits or probabilities, not odds."),
        ({"sims": -1}, "ModelSearch: sims must be at least 0, not -1."),
    ],
)
def test_bad_options_are_refused(options, sentence):
    with pytest.raises(kibitz.KibitzError) as caught:
        kibitz.ModelSearch(**{"evaluate": Uniform(), **options})
    assert str(caught.value) == sentence
