"""What maxn, paranoid and brs, the searches for many players, share: iterative deepening over one or more worlds.

A world is a position with nothing hidden. Where information is hidden, the root moves are valued in several worlds:
determinizations consistent with all the player has seen (`worlds=redeal`), or a single position in which the others may
make every move that could be theirs (`worlds=possible`). All worlds are searched one ply deep, then two, and so on; the
value of a move is its average over the worlds, each at its last completed depth.

At a chance node all outcomes are searched with their odds, if they are few and all players see which one occurs.
Otherwise one is drawn: no search branches on deals that nobody has seen. The draws of a world are fixed beforehand: the
first on every line, the second and so on are the same at any depth, so that luck does not decide between moves.

Values are normalized payoffs: shares of the win, or utilities on the scale from 0 to 1. At the horizon the game's
evaluation is used, scaled to the sum of the payoffs if that is constant; without one, all players get the same.
(Expectimax uses the same stack, with a single world.)
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np

from kibitz.compiler import as_buffer, compiled, mode, native, numbers, records, running_time
from kibitz.players.bot import Ranked, Report, Searcher
from kibitz.players.limit import Clock, Limit, spend
from kibitz.players.options import option
from kibitz.rules.contract import CHANCE, NOBODY, OVER, Game
from kibitz.rules.engine import Engine
from kibitz.rules.rng import start_stream
from kibitz.search.leaf_values import LeafValues
from kibitz.search.option_bounds import MOST_DEALS, PUBLIC_DEALS, PUBLIC_DEPTH, PUBLIC_MS, PUBLIC_NODES
from kibitz.state import State
from kibitz.table import View

DEEPEST = 100  # plies
ROWS = 4 * DEEPEST  # of a stack: the plies and chance events of a line
SEATS = 8  # room for this many players, so that one compilation serves most games
FEW = 36  # the most outcomes that are all searched: those of two dice
REDEAL, POSSIBLE = "redeal", "possible"


class LineStack(NamedTuple):
    """The memory of a search. Row i of states and frames is the position i steps from the root."""

    states: Any  # with a spare row at the end
    frames: Any
    evaluated: Any  # None if the game has no evaluation
    leaf_values: Any  # the LeafValues of a bot, which replace the evaluation; None if there are none …
    memory: Any  # … and what they work on
    total: Any  # what the shares of all players sum to; None if that varies
    shares: Any
    moves: Any
    odds: Any
    most: int  # outcomes to search; in games that can have more, one is drawn
    secret: Any  # None if everybody sees everything that happens
    luck: Any  # the key of the streams that chance draws from, one for each world and event
    rng: Any
    found: Any  # the value of each root move to the root player; −1: no better than another
    effort: Any  # nodes spent on it
    certain: Any  # whether its value rests on no evaluation and no draw
    place: Any


# Indices into `place`: the current row; the root player, the number of the world and two flags; the nodes, evaluations
# and draws so far; the nodes, and the evaluations and draws together, when the current root move began.
ROW, HERO, WORLD, RANKING, DONE, NODES, GUESSES, DRAWS, NODES_BEFORE, DOUBTS_BEFORE, PLACES = range(11)


def new_stack(
    game: Game, frames: np.ndarray, most: int, leaf_values: LeafValues | None = None, memory: Any = None
) -> LineStack:
    """A stack for the lines of a game."""
    widest = max(game.max_moves, game.max_outcomes)
    return LineStack(
        states=records(len(frames) + 1, game.dtype),
        frames=as_buffer(frames),
        evaluated=True if type(game).defines("evaluate") else None,
        leaf_values=leaf_values,
        memory=memory,
        total=game.normalized_sum,
        shares=numbers(game.players, "f8"),
        moves=numbers(widest, "i8"),
        odds=numbers(max(game.max_outcomes, 1), "f8"),
        most=most,
        secret=True if type(game).defines("seen") else None,
        luck=numbers(2, "u8"),
        rng=numbers(2, "u8"),
        found=numbers(game.max_moves, "f8"),
        effort=numbers(game.max_moves, "i8"),
        certain=numbers(game.max_moves, "i8"),
        place=numbers(PLACES, "i8"),
    )


@compiled
def draw_unseen(game: Any, s: Any, stack: LineStack, events: int) -> int:
    """Draw the chance outcomes that are not searched; return the number of draws on the path."""
    place = stack.place
    while s.turn == CHANCE and events < game.max_plies and not is_searched(game, s, stack, stack.secret):
        start_stream(stack.luck, place[WORLD], events, stack.rng)
        game.play(s, game.draw(s, stack.moves, stack.odds, stack.rng))
        events += 1
        place[DRAWS] += 1
    return events


@compiled
def is_searched(game: Any, s: Any, stack: LineStack, secret: Any) -> bool:
    """Whether to search all outcomes: they are few, and all players see which one occurs."""
    if game.max_outcomes > stack.most:
        return False
    unseen = 0
    if secret is not None:
        for i in range(game.chances(s, stack.moves, stack.odds)):
            unseen += game.seen(s, stack.moves[i], NOBODY) != stack.moves[i]
    return unseen == 0


@compiled
def value_leaf(game: Any, s: Any, stack: LineStack) -> None:
    """Write each player's share: the payoff if the game is over, else the leaf value or the evaluation."""
    if s.turn == OVER:
        game.normalized_payoff(s, stack.shares)
    else:
        stack.place[GUESSES] += 1
        judge_leaf(game, s, stack.shares, stack.evaluated, stack.total, stack.leaf_values, stack.memory)


@compiled
def judge_leaf(game: Any, s: Any, shares: Any, evaluated: Any, total: Any, leaf_values: Any, memory: Any) -> None:
    """Write what the leaf values say or, if they are None, the evaluation."""
    if leaf_values is not None:
        leaf_values.evaluate(game, s, memory, shares)
    else:
        guess(game, s, shares, evaluated, total)


@compiled
def guess(game: Any, s: Any, shares: Any, evaluated: Any, total: Any) -> None:
    """Write the evaluation, scaled to a total that is not None; equal shares if `evaluated` is None."""
    found = 0.0
    if evaluated is not None:
        game.evaluate(s, shares)
        for share in shares:
            found += share
    if total is None:
        if evaluated is None:
            shares[:] = 0.5
    elif found != total:
        for player in range(len(shares)):
            shares[player] = min(shares[player] / found * total, 1.0) if found > 0.0 else total / len(shares)


@compiled
def note(stack: LineStack, at: int, value: float) -> None:
    """Record the value of a root move."""
    place = stack.place
    doubts = place[GUESSES] + place[DRAWS]
    stack.found[at] = value
    stack.effort[at] += place[NODES] - place[NODES_BEFORE]
    stack.certain[at] = doubts == place[DOUBTS_BEFORE]
    place[NODES_BEFORE] = place[NODES]
    place[DOUBTS_BEFORE] = doubts


class SearchKernel(NamedTuple):
    """The algorithm that searches one world to one depth."""

    frame: np.dtype  # the record of a position on the current path
    root: dict[str, float]  # the values of its fields at the root, if not 0
    work: Any  # (game, stack, style, limit): search up to `limit` nodes, return how many
    style: Any


@dataclass
class World:
    """A position with nothing hidden, and its moves, best first, with their values at the last completed depth."""

    number: int
    state: State
    moves: list[int]
    depth: int = 0
    worth: dict[int, float] = field(default_factory=dict)
    certain: dict[int, bool] = field(default_factory=dict)  # whether a value rests on no evaluation and no draw
    solved: bool = False  # nothing was evaluated: searching deeper would change nothing


class WorldSearch:
    """The memory of a search, which goes through one world after another."""

    def __init__(
        self,
        game: Game,
        kernel: SearchKernel,
        most_outcomes: int,
        leaf_values: LeafValues | None = None,
        memory: Any = None,
    ) -> None:
        self.game = game
        self.mode = mode()
        self.kernel = kernel
        self.frames = np.zeros(min(game.max_plies, ROWS) + 2, kernel.frame)
        self.stack = new_stack(game, self.frames, most_outcomes, leaf_values, memory)
        self.work = kernel.work.bind(game, self.stack, kernel.style, 1)
        self.left = 0  # nodes left in the current slice
        self.effort: dict[int, int] = {}

    def fits(self, view: View) -> bool:
        return self.game is view.game and self.mode == mode()

    def begin(self, view: View) -> None:
        """Start a new search; nothing is kept from the last one."""
        self.player = view.player
        self.frames["killer"] = -1
        for i in range(2):
            self.stack.luck[i] = view.rng.getrandbits(64)
        self.effort = dict.fromkeys(view.moves, 0)

    def deepen(self, worlds: Sequence[World], deepest: int, ranking: bool) -> Generator[None]:
        """Search all worlds to depth 1, then to depth 2, and so on."""
        for depth in range(1, deepest + 1):
            for world in worlds:
                if not world.solved:
                    yield from self.look(world, depth, ranking)
            if all(world.solved for world in worlds):
                return

    def look(self, world: World, depth: int, ranking: bool) -> Generator[None]:
        """Search one world to one depth: with `ranking` every move gets its own value, else only the best.

        Yields whenever `left` is used up; the caller refills it before resuming.
        """
        stack, count = self.stack, len(world.moves)
        root, place = self.frames[0], stack.place
        for name in root.dtype.names:
            root[name] = self.kernel.root.get(name, 0)
        root["count"], root["depth"] = count, depth
        root["moves"][:count] = world.moves
        stack.states[0] = native(world.state)
        stack.found[:] = -1.0
        stack.effort[:] = 0
        stack.certain[:] = 0
        place[:] = 0
        place[HERO], place[WORLD], place[RANKING] = self.player, world.number, ranking
        while not place[DONE]:
            if self.left <= 0:
                yield
            self.left -= self.work(self.game, stack, self.kernel.style, self.left)
        for i, move in enumerate(world.moves):
            world.worth[move] = float(stack.found[i])
            world.certain[move] = bool(stack.certain[i])
            self.effort[move] += int(stack.effort[i])
        world.moves.sort(key=lambda move: -world.worth[move])
        world.depth = depth
        world.solved = not place[GUESSES]

    def runner(self, steps: Generator[None]) -> Callable[[int], int]:
        """A function that continues a search for up to `count` nodes and returns how many it used."""

        def run(count: int) -> int:
            self.left = count
            next(steps, None)
            return count - self.left

        return run

    def ranked(self, worlds: Sequence[World], moves: Sequence[int]) -> tuple[Ranked, ...]:
        """The moves ranked by their average over the worlds."""
        all_visible = not self.game.has_hidden_information
        found = []
        for move in moves:
            value = sum(world.worth[move] for world in worlds) / len(worlds)
            exact = all_visible and all(world.certain[move] for world in worlds)
            found.append(Ranked(move, value, self.effort[move], exact, line=(move,)))
        return tuple(sorted(found, key=lambda ranked: -ranked.value))


@dataclass
class MultiplayerSearch(Searcher):
    """Base class of the searches for many players: their budget and their worlds."""

    counts: ClassVar[tuple[str, ...]] = ("nodes", "depth")
    default_limit: ClassVar[Limit] = Limit(nodes=5000)
    by_evaluation: ClassVar[bool] = True

    nodes: int = option(0, low=0, limits="nodes", public=PUBLIC_NODES)  # per move
    ms: int = option(0, low=0, limits="ms", public=PUBLIC_MS)  # milliseconds per move
    depth: int = option(0, low=0, limits="depth", public=PUBLIC_DEPTH)  # in moves; chance events do not count
    worlds: str = option(REDEAL, choices=(REDEAL, POSSIBLE))  # determinizations, or all that others may do
    deals: int = option(10, low=1, high=MOST_DEALS, public=PUBLIC_DEALS)  # worlds, if anything is hidden or drawn

    def __post_init__(self) -> None:
        super().__post_init__()
        self._search: WorldSearch | None = None

    def option_misfit(self, game: Game) -> str | None:
        if self.worlds == POSSIBLE and game.has_hidden_information and not type(game).defines("possible"):
            return f"its rules have no possible(s, player); leave out worlds={POSSIBLE}."
        return None

    @abstractmethod
    def _kernel(self, game: Game) -> SearchKernel:
        """The algorithm that searches one world."""

    def search(self, view: View, limit: Limit, ranking: bool) -> Report:
        """Search all worlds. In a single one, the other moves need only be shown to be no better than the best."""
        start = running_time()
        search = self._search
        if search is None or not search.fits(view):
            search = self._search = WorldSearch(view.game, self._kernel(view.game), FEW)
        search.begin(view)
        worlds = self._worlds(view)
        ranking = ranking or len(worlds) > 1  # bounds cannot be averaged
        deepest = min(limit.depth or DEEPEST, DEEPEST, view.game.max_plies)
        run = search.runner(search.deepen(worlds, deepest, ranking))
        work = spend(run, limit.nodes, Clock(limit))
        while not worlds[0].depth:  # depth 1 is always completed, so that there is a move to play
            work += run(1)
        searched = [world for world in worlds if world.depth]
        moves = search.ranked(searched, view.moves if ranking else worlds[0].moves[:1])
        depth = min(world.depth for world in searched)
        return Report(moves, work, "nodes", depth, running_time() - start)

    def _worlds(self, view: View) -> list[World]:
        """The worlds to search: only one if everything is known."""
        game, engine = view.game, Engine(view.game)
        hidden = game.has_hidden_information
        drawn = game.has_chance_in_play and (hidden or game.max_outcomes > FEW)
        several = drawn or (hidden and self.worlds == REDEAL)
        worlds = []
        for number in range(self.deals if several else 1):
            state = view.state.copy()
            if hidden and self.worlds == POSSIBLE:
                engine.possible(state, view.player)
            elif hidden:
                engine.redeal(state, view.player, view.rng)
            worlds.append(World(number, state, list(view.moves)))
        return worlds
