"""What maxn, paranoid and brs, the searches for many players, share: they look ever deeper, into one or more worlds.

A world is a position with nothing hidden. Where something is, the root's moves are valued in several: deals of the
hidden part that fit all the player has seen (`worlds=redeal`), or the position in which the others may do all that they
perhaps can (`worlds=possible`). Each world is searched one ply deep, then each two, and so on; what counts is the
average over the worlds, each with its last completed depth.

Where chance acts, all outcomes are searched with their odds, if they are few and all players see which it is. Otherwise
one is drawn: no search branches on deals that nobody has seen. The luck of a world is settled beforehand, so that the
first draw on every line, the second and so on fall alike however deep the search, and luck does not decide between
moves.

At the horizon the game's evaluation is asked, made to sum to 1; a game without one counts as even. (Expectimax stands
on the same stack, with one world and one depth.)
"""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np

from kibitz.bots import Ranked, Report, Searcher
from kibitz.compiled import compiled, is_plain, mode, native, numbers, records
from kibitz.engine import Engine
from kibitz.errors import SpecError
from kibitz.game import CHANCE, NOBODY, OVER, Game
from kibitz.rng import start_stream
from kibitz.search.budget import allowance, spend
from kibitz.state import Cells, State
from kibitz.table import View

DEFAULT_NODES = 5000  # when no budget is given
DEEPEST = 100  # plies
ROWS = 4 * DEEPEST  # of a stack: the plies of a line and the chance events among them
SEATS = 8  # there is room for so many players, so that one compilation serves most numbers of them
FEW = 36  # outcomes of chance that are all searched: two dice
REDEAL, POSSIBLE = "redeal", "possible"


class Stack(NamedTuple):
    """All that a search works on. Row i of states and frames is the position i steps from the root."""

    states: Any  # with one more row, to try something out
    frames: Any
    evaluated: Any  # None when the game has no evaluation
    shares: Any
    moves: Any
    odds: Any
    most: int  # outcomes of chance to be searched; where there can be more, one is drawn
    secret: Any  # None when everybody sees all that happens
    luck: Any  # the key of the streams that chance draws from, one for each world and event
    rng: Any
    found: Any  # what each move of the root is worth to who is to move there; −1: no better than others
    effort: Any  # the nodes that it took
    certain: Any  # whether it did without guesses and draws
    place: Any


# What is in `place`: the current row; who is to move at the root, the number of the world and two conditions; the nodes
# so far, the positions guessed at and the chance events drawn; what the nodes, and the guesses and draws together, were
# when the current move of the root began.
ROW, HERO, WORLD, RANKING, DONE, NODES, GUESSES, DRAWS, NODES_BEFORE, DOUBTS_BEFORE, PLACES = range(11)


def new_stack(game: Game, frames: np.ndarray, most: int) -> Stack:
    """A stack for the lines of a game."""
    widest = max(game.max_moves, game.max_outcomes)
    return Stack(
        states=records(len(frames) + 1, game.dtype),
        frames=Cells(frames) if is_plain() else frames,
        evaluated=True if type(game).defines("evaluate") else None,
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
def draw_unseen(game: Any, s: Any, stack: Stack, events: int) -> int:
    """Let chance act wherever its outcomes are not searched; return how many times it has, with those before."""
    place = stack.place
    while s.turn == CHANCE and events < game.max_plies and not is_searched(game, s, stack, stack.secret):
        start_stream(stack.luck, place[WORLD], events, stack.rng)
        game.play(s, game.draw(s, stack.moves, stack.odds, stack.rng))
        events += 1
        place[DRAWS] += 1
    return events


@compiled
def is_searched(game: Any, s: Any, stack: Stack, secret: Any) -> bool:
    """Whether to search all outcomes where chance acts: they are few, and all players see which it is."""
    if game.max_outcomes > stack.most:
        return False
    unseen = 0
    if secret is not None:
        for i in range(game.chances(s, stack.moves, stack.odds)):
            unseen += game.seen(s, stack.moves[i], NOBODY) != stack.moves[i]
    return unseen == 0


@compiled
def value_leaf(game: Any, s: Any, stack: Stack) -> None:
    """Write each player's share: what the end of the game pays, before it what the evaluation thinks."""
    if s.turn == OVER:
        game.payoff(s, stack.shares)
    else:
        stack.place[GUESSES] += 1
        guess(game, s, stack.shares, stack.evaluated)


@compiled
def guess(game: Any, s: Any, shares: Any, evaluated: Any) -> None:
    """Write the game's evaluation so that it sums to 1. `evaluated` is None where there is none: all shares alike."""
    total = 0.0
    if evaluated is not None:
        game.evaluate(s, shares)
        for share in shares:
            total += share
    if total != 1.0:
        for player in range(len(shares)):
            shares[player] = shares[player] / total if total > 0.0 else 1.0 / len(shares)


@compiled
def note(stack: Stack, at: int, value: float) -> None:
    """Keep what a move of the root was found to be worth."""
    place = stack.place
    doubts = place[GUESSES] + place[DRAWS]
    stack.found[at] = value
    stack.effort[at] += place[NODES] - place[NODES_BEFORE]
    stack.certain[at] = doubts == place[DOUBTS_BEFORE]
    place[NODES_BEFORE] = place[NODES]
    place[DOUBTS_BEFORE] = doubts


class Kernel(NamedTuple):
    """How a search looks at one world to one depth."""

    frame: np.dtype  # the record of a position on the way to the one being looked at
    root: dict[str, float]  # the values of its fields at the root, where they are not 0
    work: Any  # (game, stack, style, limit): look at up to `limit` positions, return at how many
    style: Any


@dataclass
class World:
    """A position with nothing hidden, and what the last completed depth found of its moves, which are best first."""

    number: int
    state: State
    moves: list[int]
    depth: int = 0
    worth: dict[int, float] = field(default_factory=dict)
    certain: dict[int, bool] = field(default_factory=dict)  # whether nothing was guessed at and drawn
    solved: bool = False  # nothing was guessed at: to look deeper would find nothing else


class Search:
    """The work space of a search: it looks into one world after the other."""

    def __init__(self, game: Game, kernel: Kernel, most_outcomes: int) -> None:
        self.game = game
        self.mode = mode()
        self.kernel = kernel
        self.frames = np.zeros(min(game.max_plies, ROWS) + 2, kernel.frame)
        self.stack = new_stack(game, self.frames, most_outcomes)
        self.work = kernel.work.bind(game, self.stack, kernel.style, 1)
        self.left = 0  # nodes it may still look at before it yields
        self.effort: dict[int, int] = {}

    def fits(self, view: View) -> bool:
        return self.game is view.game and self.mode == mode()

    def begin(self, view: View) -> None:
        """Forget what was searched before."""
        self.player = view.player
        self.frames["killer"] = -1
        for i in range(2):
            self.stack.luck[i] = view.rng.getrandbits(64)
        self.effort = dict.fromkeys(view.moves, 0)

    def deepen(self, worlds: Sequence[World], deepest: int, ranking: bool) -> Generator[None]:
        """Search the worlds ever deeper."""
        for depth in range(1, deepest + 1):
            for world in worlds:
                if not world.solved:
                    yield from self.look(world, depth, ranking)
            if all(world.solved for world in worlds):
                return

    def look(self, world: World, depth: int, ranking: bool) -> Generator[None]:
        """Search one world to one depth: every move for itself when ranking, else just for the best.

        Yields when `left` nodes are used up; it is to be filled up before it goes on.
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

    def runner(self, looking: Generator[None]) -> Callable[[int], int]:
        """A function that goes on with a search for so many nodes, and returns how many it took."""

        def run(count: int) -> int:
            self.left = count
            next(looking, None)
            return count - self.left

        return run

    def ranked(self, worlds: Sequence[World], moves: Sequence[int]) -> tuple[Ranked, ...]:
        """The moves by their average over the worlds that were searched."""
        open_to_all = not self.game.has_hidden_information
        found = []
        for move in moves:
            value = sum(world.worth[move] for world in worlds) / len(worlds)
            exact = open_to_all and all(world.certain[move] for world in worlds)
            found.append(Ranked(move, value, self.effort[move], exact, line=(move,)))
        return tuple(sorted(found, key=lambda ranked: -ranked.value))


@dataclass
class Lookahead(Searcher):
    """The base of the searches for many players: their budget and their worlds."""

    name: ClassVar[str]

    nodes: int = 0  # positions a move; 5000 when neither nodes, ms nor depth is given
    ms: int = 0  # milliseconds a move
    depth: int = 0  # moves to look ahead; chance does not count
    worlds: str = REDEAL  # what stands for the hidden part: deals of it; or possible: the others may do all they can
    deals: int = 10  # how many, where something is hidden or chance has to be drawn

    def __post_init__(self) -> None:
        if min(self.nodes, self.ms, self.depth) < 0 or self.deals < 1:
            raise SpecError(f"{self.name} needs nodes, ms and depth of at least 0, and deals of at least 1.")
        if self.worlds not in (REDEAL, POSSIBLE):
            raise SpecError(f"{self.name} needs worlds={REDEAL} or worlds={POSSIBLE}, not {self.worlds!r}.")
        self._search: Search | None = None

    def unfit(self, game: Game) -> str | None:
        if self.worlds == POSSIBLE and game.has_hidden_information and not type(game).defines("possible"):
            return f"its rules have no possible(s, player); leave out worlds={POSSIBLE}."
        return None

    @abstractmethod
    def _kernel(self, game: Game) -> Kernel:
        """How this search looks at one world."""

    def best(self, view: View) -> Report:
        """The best move alone: in a single world the others are only shown to be no better, which is faster."""
        return self._report(view, ranking=False)

    def analyse(self, view: View) -> Report:
        return self._report(view, ranking=True)

    def _report(self, view: View, ranking: bool) -> Report:
        start = time.perf_counter()
        search = self._search
        if search is None or not search.fits(view):
            search = self._search = Search(view.game, self._kernel(view.game), FEW)
        search.begin(view)
        worlds = self._worlds(view)
        ranking = ranking or len(worlds) > 1  # bounds have no average
        nodes, ms = allowance(self.nodes, self.ms, view.time, usual=0 if self.depth else DEFAULT_NODES)
        deepest = min(self.depth or DEEPEST, DEEPEST, view.game.max_plies)
        run = search.runner(search.deepen(worlds, deepest, ranking))
        work = spend(run, nodes, ms)
        while not worlds[0].depth:  # one ply is always completed, so that there is an answer
            work += run(1)
        searched = [world for world in worlds if world.depth]
        moves = search.ranked(searched, view.moves if ranking else worlds[0].moves[:1])
        depth = min(world.depth for world in searched)
        return Report(moves, work, "nodes", depth, time.perf_counter() - start)

    def _worlds(self, view: View) -> list[World]:
        """The worlds to search: one where all is known."""
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
