"""`openspiel-mcts`: OpenSpiel's own Monte Carlo tree search, in C++, as a bot.

In games of OpenSpiel it is C++ throughout. Games of kibitz it plays as kibitz/adapters/openspiel.py shows them to
OpenSpiel, in Python, hundreds of times slower than `uct`: good for comparisons, and as a check of either search.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from kibitz.adapters.openspiel_rules import OpenSpielRules, has_terminal_rewards
from kibitz.adapters.pyspiel_import import MISSING, import_pyspiel, is_installed
from kibitz.compiler import running_time
from kibitz.players.bot import WOULD_PEEK, Ranked, Report, Searcher
from kibitz.players.limit import Limit, LimitLike
from kibitz.players.options import option
from kibitz.rules.contract import CHANCE, Game
from kibitz.table import View

MOST_SIMULATIONS = 2**31 - 1
FEWEST_SIMULATIONS = 2  # the first one only evaluates the root
MEMORY = 1000  # megabytes for a tree
UNPROVEN = 0.5  # how good an unproven move is, compared with proven ones; as OpenSpiel has it, from −1 to 1: 0


@dataclass
class OpenSpielMCTS(Searcher):
    """OpenSpiel's Monte Carlo tree search: fast in games of OpenSpiel, slow in games of kibitz."""

    name: ClassVar[str] = "openspiel-mcts"
    counts: ClassVar[tuple[str, ...]] = ("simulations",)
    compiles_rules: ClassVar[bool] = False
    default_limit: ClassVar[Limit] = Limit(simulations=1000)

    sims: int = option(0, low=0, high=MOST_SIMULATIONS, public=2000, limits="sims")
    ms: int = option(0, low=0, public=5000, limits="ms")
    c: float = option(2.0, low=0.0, public=100.0)  # exploration constant, for utilities from −1 to 1
    solve: bool = option(True)  # whether won, lost and drawn ends are proven backwards

    def __post_init__(self) -> None:
        super().__post_init__()
        self._wrapped: tuple[Game, Any] | None = None  # a game of kibitz, and the same as OpenSpiel sees it

    @classmethod
    def misfit(cls, game: Game) -> str | None:
        if not is_installed():
            return MISSING
        if game.has_hidden_information:
            return WOULD_PEEK
        if isinstance(game, OpenSpielRules) and not has_terminal_rewards(game.loaded):
            return "it only searches games that pay at their end; use random."
        return None

    def choose(self, view: View, limit: LimitLike | None = None) -> int:
        """Choose a legal move. In a game that is C++ throughout, other threads can run meanwhile."""
        state, obeyed = self._state_of(view), self.limit_for(view, limit)
        if len(view.moves) == 1 or obeyed.seconds is not None or not _is_native(state.get_game()):
            return super().choose(view, limit)
        return int(self._bot(state, view, obeyed).step(state))

    def search(self, view: View, limit: Limit, ranking: bool) -> Report:
        start, state = running_time(), self._state_of(view)
        # Not `step`, which lets go of Python's lock and crashes as soon as the game is one in Python.
        root = self._bot(state, view, limit).mcts_search(state)
        if not root.children:  # the time was too short
            root = self._bot(state, view, Limit(simulations=FEWEST_SIMULATIONS)).mcts_search(state)
        visited = [child for child in root.children if child.explore_count or child.outcome]
        ranked = sorted((_ranked(child, view.game) for child in visited), key=_merit, reverse=True)
        depth = len(ranked[0].line)
        return Report(tuple(ranked), root.explore_count, "simulations", depth, running_time() - start)

    def _state_of(self, view: View) -> Any:
        """The position as a state of OpenSpiel."""
        game = view.game
        if isinstance(game, OpenSpielRules):
            return game.state_of(view.state)
        from kibitz.adapters.openspiel import Position, pyspiel_game  # not without OpenSpiel

        if self._wrapped is None or self._wrapped[0] is not game:
            self._wrapped = game, pyspiel_game(game)
        state = self._wrapped[1].new_initial_state()
        state.position = Position(state.position.rules, view.state.copy())
        return state

    def _bot(self, state: Any, view: View, limit: Limit) -> Any:
        """OpenSpiel's bot for one search."""
        pyspiel = import_pyspiel()
        seeds = [view.rng.getrandbits(31) for _ in range(2)]
        return pyspiel.MCTSBot(
            game=state.get_game(),
            evaluator=pyspiel.RandomRolloutEvaluator(1, seeds[0]),
            uct_c=self.c * (view.game.max_utility - view.game.min_utility) / 2,
            max_simulations=max(limit.simulations or MOST_SIMULATIONS, FEWEST_SIMULATIONS),
            max_memory_mb=MEMORY,
            solve=self.solve,
            seed=seeds[1],
            verbose=False,
            max_wall_clock_time=-1.0 if limit.seconds is None else limit.seconds,
        )


def _is_native(game: Any) -> bool:
    """Whether a game of OpenSpiel is written in C++."""
    return type(game).__module__ == import_pyspiel().__name__


def _ranked(child: Any, game: Game) -> Ranked:
    value = child.outcome[child.player] if child.outcome else child.total_reward / child.explore_count
    return Ranked(child.action, float(game.normalized(value)), child.explore_count, bool(child.outcome), _line(child))


def _merit(ranked: Ranked) -> tuple[float, int, float]:
    """What OpenSpiel prefers: a proven result that is good, then the most visits, then the best value."""
    return ranked.value if ranked.exact else UNPROVEN, ranked.visits, ranked.value


def _line(child: Any) -> tuple[int, ...]:
    """The expected continuation, as far as chance does not act: OpenSpiel has other numbers for its outcomes."""
    line = [child.action]
    while child.children:
        child = max(child.children, key=lambda node: node.explore_count)
        if child.player == CHANCE or not child.explore_count:
            break
        line.append(child.action)
    return tuple(line)
