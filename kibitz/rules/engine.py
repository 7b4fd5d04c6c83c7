"""Calls a game's rules from Python: one compiled call each, or interpreted in plain mode."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from kibitz.compiler import as_buffer, mode, numbers, plain, running_in
from kibitz.compiler.rules_type import bind_method
from kibitz.errors import KibitzError, RulesError
from kibitz.rules.registry import GameLike, as_game, spec_of
from kibitz.rules.remedies import explained_exception
from kibitz.rules.rng import Stream
from kibitz.rules.source import defined_in, place_of, place_of_exception
from kibitz.state import State


class Engine:
    """The rules of one game, with their own buffers, in the mode in which it was created. Not thread-safe.

    Examples:
        >>> from kibitz.rules.engine import Engine
        >>> from kibitz.rules.rng import Stream
        >>> engine = Engine("ur")
        >>> state = engine.start()
        >>> engine.outcomes(state)[0]
        (0, 0.0625)
        >>> engine.play(state, engine.draw(state, Stream(1)))
        >>> engine.moves(state), engine.score(state), round(sum(engine.evaluate(state)))
        ([0], [0.0, 0.0], 1)
        >>> engine.redacted(state, player=0) == state, engine.seen(state, move=0, player=1)
        (True, 0)
        >>> dominoes = Engine("mexican_train")
        >>> deal = dominoes.start()
        >>> while deal.turn < 0:
        ...     dominoes.play(deal, dominoes.draw(deal, Stream(1)))
        ...
        >>> view = dominoes.redacted(deal, player=0)
        >>> dominoes.redeal(view, 0, Stream(2))
        >>> dominoes.possible(view, 0)
        >>> dominoes.reply(deal, 2), deal.turn
        (True, 2)
        >>> discs = Engine("connect_four")
        >>> end = discs.start()
        >>> for column in (0, 1, 0, 1, 0, 1, 0):
        ...     discs.play(end, column)
        ...
        >>> discs.payoff(end), discs.normalized_payoff(end)
        ([1.0, 0.0], [1.0, 0.0])
    """

    def __init__(self, game: GameLike) -> None:
        self.game = game = as_game(game)
        self.mode = mode()
        self._moves = numbers(max(game.max_moves, game.max_outcomes, 1), "i8")
        self._chances = numbers(max(game.max_outcomes, 1), "f8")
        self._shares = numbers(game.players, "f8")

    def _call(self, method: str, state: State, *args: Any) -> Any:
        is_plain = self.mode == "plain"
        s = state if is_plain or self.game.uncompiled else state.record
        bound = self.game.bound.get((method, self.mode))
        if bound is None:
            bound = self.game.bound[method, self.mode] = self._bind(method, s, *args)
        try:
            if is_plain:
                with plain():
                    return bound(self.game, s, *args)
            return bound(self.game, s, *args)
        except KibitzError:
            raise
        except Exception as error:
            raise rules_error(error, self.game, method, state, args) from error

    def _bind(self, method: str, s: Any, *args: Any) -> Any:
        if self.game.uncompiled:
            return getattr(type(self.game), method)
        with running_in(self.mode):
            return bind_method(self.game, method, s, *args)

    def _words(self, stream: Stream) -> Any:
        if mode() == self.mode:
            return stream.words
        with running_in(self.mode):
            return stream.words

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
        """The possible chance outcomes and their probabilities."""
        returned = self._call("chances", state, self._moves, self._chances)
        count = self._count("chances", returned, self.game.max_outcomes)
        return list(zip(self._moves[:count].tolist(), self._chances[:count].tolist(), strict=True))

    def draw(self, state: State, stream: Stream) -> int:
        """Draw a chance outcome according to its probability."""
        return int(self._call("draw", state, self._moves, self._chances, self._words(stream)))

    def play(self, state: State, move: int) -> None:
        """Apply a legal move or a chance outcome. Nothing else changes the state of a game."""
        self._call("play", state, move)

    def payoff(self, state: State) -> list[float]:
        """Each player's share of the win, or utility, at the end of the game."""
        return self._share("payoff", state)

    def normalized_payoff(self, state: State) -> list[float]:
        """The payoff on the scale of searches, from 0 to 1; shares of the win are on it already."""
        return self._share("normalized_payoff", state)

    def score(self, state: State) -> list[float]:
        """Each player's score: coins, points, regions; the payoff if the game keeps no score."""
        return self._share("score", state)

    def evaluate(self, state: State) -> list[float]:
        """The game's own estimate of each player's share of the win."""
        return self._share("evaluate", state)

    def redacted(self, state: State, player: int) -> State:
        """An independent copy of the state with everything hidden that the player must not know."""
        view = state.without_scratch()  # scratch fields may leak hidden information
        if self.game.has_hidden_information:
            self._call("redact", view, player)
        return view

    def redeal(self, state: State, player: int, stream: Stream) -> None:
        """Fill the blanks of a redacted record with a sample consistent with everything the player has seen."""
        self._call("redeal", state, player, self._words(stream))

    def seen(self, state: State, move: int, player: int) -> int:
        """A move or outcome as a player sees it; −1 if not at all."""
        return self._call("seen", state, move, player)

    def possible(self, state: State, player: int) -> None:
        """Change a redacted record so that the other players can make each move that could be theirs."""
        self._call("possible", state, player)

    def reply(self, state: State, player: int) -> bool:
        """Pass the turn to a player, as if everyone in between had passed; return whether that is possible."""
        return bool(self._call("reply", state, player))

    def _share(self, method: str, state: State) -> list[float]:
        self._call(method, state, self._shares)
        return self._shares.tolist()

    def _count(self, method: str, count: Any, limit: int) -> int:
        if isinstance(count, int) and 0 <= count <= limit:
            return count
        name, where = f"{type(self.game).__name__}.{method}", defined_in(type(self.game), method)
        if not isinstance(count, int):
            raise RulesError(f"{name} must return the number of entries written, not {count!r}{where}.")
        fact = "max_moves" if method == "moves" else "max_outcomes"
        raise RulesError(f"{name} returned {count}, but {fact} is {limit}{where}.")


RAISE_MAX_PLIES = (
    "raise max_plies if a game can take that long; otherwise let the rules end it, with s.turn = kibitz.OVER"
)


def endless(game: Any, seed: int | str, number: int = 0, secret: str | None = None) -> RulesError:
    """The error for a game that is not over after max_plies plies; `number` is its place in the series of the seed."""
    which = f"seed {seed}" + (f", secret {secret}" if secret else "") + (f", game {number}" if number else "")
    place = place_of(type(game), "max_plies")
    where = f" ({place})" if place else ""
    return RulesError(
        f"{spec_of(game)} did not end within max_plies = {game.max_plies} plies{where} with {which}; {RAISE_MAX_PLIES}."
    )


def rules_error(error: Exception, game: Any, method: str, state: State, args: Sequence[Any]) -> RulesError:
    """The error to raise for an exception that a method of the rules raised.

    Compiled code does not know its lines, so the call is repeated in plain Python.
    """
    place = place_of_exception(error)
    if place is None:
        with plain():
            try:
                getattr(game, method)(state.copy(), *(as_buffer(a) if isinstance(a, np.ndarray) else a for a in args))
            except Exception as again:
                error, place = again, place_of_exception(again)
    where = f", {place}" if place else ""
    source = place.quoted if place else ""
    check = "" if place else f" Run `kibitz check {spec_of(game)}` to find the line."
    return RulesError(f"{type(game).__name__}.{method}{where}: {explained_exception(error, game)}{check}{source}")
