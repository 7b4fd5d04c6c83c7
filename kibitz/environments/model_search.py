"""ModelSearch: a tree search guided by a model in Python, which is asked about many positions at once.

    def evaluate(observations, masks, turns):
        return np.zeros(masks.shape), np.full(len(turns), 0.5)  # logits of moves, values to the player to act

    bot = kibitz.ModelSearch(evaluate=evaluate, sims=400, batch=16)
    kibitz.arena("connect_four", [bot, "uct:sims=400"])

The tree, the rules, chance and finished games are compiled; only `evaluate` is Python. It is PUCT, as in `zero`; with
hidden information, PUCT over information sets, where every simulation redeals what the player cannot know. Whoever is
to act in a position, the model sees no more of it than that player would. leaf_batch.py says how batches are made.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from kibitz.compiler import as_buffer, mode, native, running_in, running_time
from kibitz.environments.leaf_batch import DESCENTS, WAITING, Leaves, gather, new_batch, new_leaves, take_answers
from kibitz.environments.observation import Observer
from kibitz.errors import BotFault, SpecError
from kibitz.learn.method_features import ZERO
from kibitz.learn.zero.guided_search import forget
from kibitz.learn.zero.information_sets import SET_NODE, new_sets
from kibitz.learn.zero.puct import GUIDED_NODE, new_descent
from kibitz.learn.zero.ranking import ranked_branches, ranked_children
from kibitz.players.bot import Ranked, Report
from kibitz.players.limit import Clock, Limit
from kibitz.players.options import option
from kibitz.rules.contract import Game
from kibitz.rules.rng import Stream
from kibitz.rules.spec import whole_number
from kibitz.search.monte_carlo import MonteCarloSearch
from kibitz.search.option_bounds import MOST_NODES
from kibitz.search.search_tree import RootedTree
from kibitz.search.tree_arrays import Tree, new_tree
from kibitz.table import View

LOGITS, PROBABILITIES = "logits", "probabilities"  # what the model gives moves
ROUNDING = 1e-5  # of values, which a model computes in float32
MOST_LEAVES = 1 << 16  # in a batch
MANY = 1 << 40  # more simulations than anybody waits for

# (observations, masks, turns) → (policy, values)
Evaluate = Callable[[np.ndarray, np.ndarray, np.ndarray], tuple[Any, Any]]


class GuidedRoot(RootedTree):
    """A tree of PUCT whose root follows the game."""

    kind = GUIDED_NODE
    is_open, sets = True, None

    def begin(self, view: View) -> None:
        """Make a position the root."""
        self.set_root(view.state, view.since)

    def ranked(self, view: View, with_lines: bool) -> tuple[Ranked, ...]:
        """The moves, best first."""
        return ranked_children(self, view.player, with_lines)


class GuidedSetRoot:
    """A tree over information sets, which is planted anew for every move."""

    def __init__(self, game: Game, limit: int) -> None:
        self.is_open, self.sets = None, new_sets(game)
        self.tree: Tree = new_tree(max(limit, 2 * game.max_moves + 2), game.players, kind=SET_NODE)
        self.root: Any = None  # [the position of the root]

    def make_room(self, count: int) -> None:
        """There is room for all that there may be."""

    def begin(self, view: View) -> None:
        """Make a position the root."""
        forget(self.tree, None, self.sets)
        self.root = [native(view.state)]

    def ranked(self, view: View, with_lines: bool) -> tuple[Ranked, ...]:
        """The moves, best first."""
        return ranked_branches(self.tree)


class Inquiry:
    """A tree in one game, and the batches of leaves that a model is asked about."""

    def __init__(self, game: Game, size: int, nodes: int, features: str) -> None:
        self.game = game
        observer = Observer(game, features)
        hidden = game.has_hidden_information
        self.root: GuidedRoot | GuidedSetRoot = GuidedSetRoot(game, nodes) if hidden else GuidedRoot(game, nodes)
        self._leaves = new_leaves(game, observer, size)
        self._batch = new_batch(game, self._leaves)
        self._descent = new_descent(game)
        self._eyes = observer.new_eyes()
        self._mode = mode()
        self._gather: Any = None
        self._take: Any = None

    def begin(self, view: View) -> None:
        """Make a position the root."""
        self.root.begin(view)
        self._descent.states[0] = self.root.root[0]

    def ask(self, rng: Any, c: float, most: int) -> tuple[int, Leaves]:
        """Gather leaves, in up to `most` simulations; return how many ended without the model, and the leaves."""
        self.root.make_room(DESCENTS * len(self._leaves.turns))
        with running_in(self._mode):
            root, descent = self.root, self._descent
            arguments = self.game, root.tree, root.is_open, root.sets, descent, self._eyes, self._batch, c, rng, most
            if self._gather is None:
                self._gather = gather.bind(*arguments)  # type: ignore[attr-defined]
            ended = self._gather(*arguments)
        waiting = int(self._batch.tally[WAITING])
        return ended, Leaves(*(array[:waiting] for array in self._leaves))

    def answer(self, policy: np.ndarray, has_logits: bool, values: np.ndarray) -> None:
        """Take what the model says about the leaves."""
        with running_in(self._mode):
            root, payoff = self.root, self._descent.payoff
            given = as_buffer(policy), has_logits, as_buffer(values)
            arguments = root.tree, root.is_open, root.sets, self._batch, *given, payoff
            if self._take is None:
                self._take = take_answers.bind(*arguments)  # type: ignore[attr-defined]
            self._take(*arguments)


@dataclass
class ModelSearch(MonteCarloSearch):
    """Tree search guided by a model in Python, which is asked about many positions at once.

    `evaluate(observations, masks, turns)` is handed up to `batch` positions, as arrays with a row for each: what the
    player to act sees (as in VectorEnv), whether each action is legal, and who acts. It returns logits (or
    probabilities) of the actions, n × actions; and the expected payoffs of the players, n × players, or of the player
    to act alone if there are two players. What it is handed is overwritten by the next call.

    Examples:
        >>> import kibitz
        >>> import numpy as np
        >>> def evaluate(observations, masks, turns):
        ...     return np.zeros(masks.shape), np.full(len(turns), 0.5)
        >>> bot = kibitz.ModelSearch(evaluate=evaluate, sims=200)
        >>> view = kibitz.Table("connect_four").view(0)
        >>> report = bot.search(view, kibitz.Limit(simulations=200), ranking=True)
        >>> len(report.moves), report.work
        (7, 200)
    """

    name: ClassVar[str] = "ModelSearch"
    default_limit: ClassVar[Limit] = Limit(simulations=400)

    evaluate: Evaluate = dataclasses.field(kw_only=True)
    batch: int = option(16, low=1, high=MOST_LEAVES)  # positions that the model is asked about at a time, at most
    policy: str = option(LOGITS, choices=(LOGITS, PROBABILITIES))  # what the model gives moves
    c: float = option(1.0, low=0.0)  # exploration constant
    features: str = ZERO  # the way of learning whose features are observed
    # The capacity of the tree; when full, it stops growing.
    nodes: int = option(4_000_000, low=1, high=MOST_NODES)

    def __post_init__(self) -> None:
        self.batch = whole_number(self.batch, "The size of a batch", 1, MOST_LEAVES)
        if not callable(self.evaluate):
            raise SpecError(f"ModelSearch: evaluate must be a function, not {self.evaluate!r:.60}.")
        super().__post_init__()
        self._inquiry: Inquiry | None = None

    def __deepcopy__(self, memo: Any) -> ModelSearch:
        """A bot with the same model and a tree of its own, as every game of a tournament needs one."""
        return dataclasses.replace(self)

    def search(self, view: View, limit: Limit, ranking: bool) -> Report:
        """Search batch by batch until the limit is reached; an error in one sentence if the model answers badly."""
        start = running_time()
        inquiry, self._inquiry = self._inquiry, None  # if the model fails, nothing of this search is kept
        if inquiry is None or inquiry.game is not view.game:
            inquiry = Inquiry(view.game, self.batch, self.nodes, self.features)
        inquiry.begin(view)
        rng = Stream(view.rng.getrandbits(64), "zero").words  # the stream of `zero`: alike, they search alike
        inquiry.ask(rng, self.c, 0)  # compile or load the code before the clock starts
        work, clock = 0, Clock(limit)
        most = MANY if limit.simulations is None else limit.simulations
        while work < most and (clock.left() > 0 or not work):
            ended, leaves = inquiry.ask(rng, self.c, most - work)
            if len(leaves.turns):
                inquiry.answer(*self._asked(view.game, leaves))
            elif not ended:
                break  # the root is proven
            work += ended + len(leaves.turns)
        self._inquiry = inquiry
        moves = inquiry.root.ranked(view, with_lines=ranking)
        return Report(moves, work, "simulations", len(moves[0].line), running_time() - start)

    def _asked(self, game: Game, leaves: Leaves) -> tuple[np.ndarray, bool, np.ndarray]:
        """What the model says: the policy, whether it is logits, and the normalized values of all players."""
        try:
            turns = leaves.turns.copy()  # the model may write to all that it is handed
            answer = self.evaluate(leaves.observations, leaves.masks, turns)
        except Exception as error:
            raise BotFault(f"evaluate raised {type(error).__name__}: {error}", kind="exception") from error
        if not isinstance(answer, tuple | list) or len(answer) != 2:
            raise _fault(f"must return two arrays, policy and values, not {answer!r:.60}")
        policy = _policy(answer[0], leaves.masks.shape, self.policy)
        return policy, self.policy == LOGITS, _values(answer[1], game, leaves.turns)


def _fault(what: str) -> BotFault:
    return BotFault(f"evaluate {what}.", kind="exception")


def _array(given: Any, name: str) -> np.ndarray:
    """An array of numbers, in double precision."""
    try:
        array = np.asarray(given)
    except Exception as error:  # whatever another library raises
        raise _fault(f"returned a {name} that is not an array: {error}".rstrip(".")) from error
    if array.dtype.kind not in "fiu":
        raise _fault(f"returned a {name} of dtype {array.dtype}; it must be floating-point numbers")
    if np.isnan(array).any():
        raise _fault(f"returned a {name} with NaN in it")
    return np.ascontiguousarray(array, np.float64)


def _policy(given: Any, shape: tuple[int, ...], kind: str) -> np.ndarray:
    policy = _array(given, "policy")
    if policy.shape != shape:
        raise _fault(f"returned a policy of the shape {policy.shape} for {shape[0]} positions; it must be {shape}")
    if (policy == np.inf).any():
        raise _fault("returned a policy with infinity in it")
    if kind == PROBABILITIES and (policy < 0).any():
        raise _fault(f"returned a negative probability; if these are logits, say policy={LOGITS!r}")
    return policy


def _values(given: Any, game: Game, turns: np.ndarray) -> np.ndarray:
    """Normalized payoffs, one for each player."""
    values, count = _array(given, "value"), len(turns)
    per_player = (count, game.players)
    of_mover = game.players == 2 and game.is_constant_sum
    if values.shape != per_player and not (of_mover and values.shape in ((count,), (count, 1))):
        alone = f", or ({count},) for the player to act alone" if of_mover else ""
        raise _fault(
            f"returned values of the shape {values.shape} for {count} positions; it must be {per_player}{alone}"
        )
    normalized = game.normalized(values)
    if normalized.min() < -ROUNDING or normalized.max() > 1.0 + ROUNDING:
        worst = values.flat[np.abs(normalized - 0.5).argmax()]
        hint = "" if game.has_utilities else "; a value v from −1 to 1 is the share (v + 1) / 2"
        raise _fault(
            f"returned the value {worst:.4g}; values are expected payoffs, from {game.min_utility:g} to "
            f"{game.max_utility:g}{hint}"
        )
    normalized = normalized.clip(0.0, 1.0)
    if values.shape == per_player:
        return np.ascontiguousarray(normalized)
    both = np.empty(per_player)
    rows = np.arange(count)
    both[rows, turns] = normalized.reshape(count)
    both[rows, 1 - turns] = 1.0 - both[rows, turns]  # two normalized payoffs of a constant sum have the sum 1
    return both
