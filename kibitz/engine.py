"""A game's rules as Python calls them: one compiled call each, or interpreted in plain mode."""

from __future__ import annotations

from typing import Any

import numpy as np

from kibitz.compiled import mode, numbers
from kibitz.errors import RulesError
from kibitz.game import Game
from kibitz.rng import Stream
from kibitz.rules import bind_method
from kibitz.state import State


class Engine:
    """The rules of one game with buffers of their own. Not to be shared between threads."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self._mode = mode()
        self._moves = numbers(max(game.max_moves, game.max_outcomes, 1), "i8")
        self._chances = numbers(max(game.max_outcomes, 1), "f8")
        self._shares = numbers(game.players, "f8")

    def _call(self, method: str, state: State, *args: Any) -> Any:
        s = state if self._mode == "plain" else state.record
        bound = self.game.bound.get((method, self._mode))
        if bound is None:
            bound = self.game.bound[method, self._mode] = bind_method(self.game, method, s, *args)
        return bound(self.game, s, *args)

    def start(self) -> State:
        """A new record with the opening position."""
        state = State(np.zeros(1, self.game.dtype)[0])
        self._call("start", state)
        return state

    def moves(self, state: State) -> list[int]:
        """The legal moves of the player to act."""
        count = self._count("moves", self._call("moves", state, self._moves), self.game.max_moves)
        return self._moves[:count].tolist()

    def outcomes(self, state: State) -> list[tuple[int, float]]:
        """What chance can do, with probabilities."""
        returned = self._call("chances", state, self._moves, self._chances)
        count = self._count("chances", returned, self.game.max_outcomes)
        return list(zip(self._moves[:count].tolist(), self._chances[:count].tolist(), strict=True))

    def draw(self, state: State, stream: Stream) -> int:
        """A chance outcome, drawn with its probability."""
        return self._call("draw", state, self._moves, self._chances, stream.words)

    def play(self, state: State, move: int) -> None:
        """Apply a legal move or a chance outcome. The only thing that changes a state."""
        self._call("play", state, move)

    def payoff(self, state: State) -> list[float]:
        """Each player's share of the win at the end."""
        return self._share("payoff", state)

    def score(self, state: State) -> list[float]:
        """Coins, points, regions: what the game counts; the payoff where it counts nothing."""
        return self._share("score", state)

    def evaluate(self, state: State) -> list[float]:
        """The game's own guess of each player's share of the win."""
        return self._share("evaluate", state)

    def redacted(self, state: State, player: int) -> State:
        """What a player may know, as a record in memory of its own."""
        view = state.without_scratch()  # whose work space may betray what it was used for
        self._call("redact", view, player)
        return view

    def redeal(self, state: State, player: int, stream: Stream) -> None:
        """Fill the blanks of a redacted record with a sample that fits all the player has seen."""
        self._call("redeal", state, player, stream.words)

    def seen(self, state: State, move: int, player: int) -> int:
        """A move or outcome as a player sees it; −1: not at all."""
        return self._call("seen", state, move, player)

    def possible(self, state: State, player: int) -> None:
        """Make of a redacted record one in which the others may make each move that could be theirs."""
        self._call("possible", state, player)

    def reply(self, state: State, player: int) -> bool:
        """Hand the turn to a player, as if those between had passed; whether that is possible."""
        return bool(self._call("reply", state, player))

    def _share(self, method: str, state: State) -> list[float]:
        self._call(method, state, self._shares)
        return self._shares.tolist()

    def _count(self, method: str, count: Any, limit: int) -> int:
        if not isinstance(count, int):
            raise RulesError(f"{type(self.game).__name__}.{method} must return how many it wrote, not {count!r}.")
        if not 0 <= count <= limit:
            fact = "max_moves" if method == "moves" else "max_outcomes"
            raise RulesError(f"{type(self.game).__name__}.{method} wrote {count}, but {fact} is {limit}.")
        return count
