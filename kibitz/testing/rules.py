"""Watched rules: checks what each call may return and touch, and whether both modes agree."""

from __future__ import annotations

import contextlib
import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kibitz.compiler import is_plain, native, numbers
from kibitz.compiler.rules_type import bind_method
from kibitz.display.board import board_of
from kibitz.errors import ContractError, RulesError
from kibitz.rules.contract import CHANCE, NOBODY, OVER, Game
from kibitz.rules.remedies import explained_exception
from kibitz.rules.rng import Stream
from kibitz.rules.source import Place, place_of, place_of_exception
from kibitz.state import State, is_scratch

TOLERANCE = 1e-9
GUARD = 0xA5  # the bytes around a record, which no rule may touch
WRITERS = ("start", "play", "redact", "redeal", "reply", "possible")  # all other methods must not change the state


@dataclass(frozen=True)
class Call:
    """The result of calling a method."""

    method: str
    result: Any
    after: State | None  # of a method that may change the state


class WatchedRules:
    """The rules of a game in the current mode; every call is checked, and compared with that of an earlier run.

    Inside `unwatched()`, calls work directly on the state they are given: for the many calls that only repeat what has
    been checked before. What they return is still checked.
    """

    def __init__(self, game: Game, expected: Sequence[Call] = ()) -> None:
        self.game = game
        self.board = board_of(game)
        self.path: list[int] = []
        self.moved = False  # whether a player has moved in this game
        self.calls: list[Call] = []
        self._expected = iter(expected)
        self._bound: dict[str, Callable[..., Any]] = {}
        self.is_watching = True
        self.watched_calls = 0
        self._size = game.dtype.itemsize
        self._guard = bytes([GUARD]) * self._size
        memory = np.full(3 * self._size, GUARD, "u1")
        self._bytes = memory.data
        self._guarded = State(memory.view(game.dtype)[1])  # the record between two guards
        self._moves = numbers(game.max_moves, "i8")
        self._outcomes = numbers(max(game.max_outcomes, 1), "i8")
        self._odds = numbers(max(game.max_outcomes, 1), "f8")
        self.has_scratch = any(is_scratch(name) for name in game.dtype.names or ())

    def broken(self, method: str, rule: str, state: State | None = None, place: Place | None = None) -> ContractError:
        """The error for a broken rule; `place` is the line to blame, by default where the method is defined."""
        position = "" if state is None else state.to_text()
        return contract_error(self.game, method, rule, position, tuple(self.path), place)

    def failed(self, method: str, error: Exception, state: State) -> ContractError:
        """The error for a method that raised an exception."""
        place = place_of_exception(error)
        rule = explained_exception(error, self.game)
        fact = {"moves": "max_moves", "chances": "max_outcomes"}.get(method)
        most = getattr(self.game, fact) if fact else 0
        is_output = place is not None and place.text.startswith(("out[", "p["))
        if is_output and f"index {most} is out of bounds for axis 0 with size {most}" in str(error):
            rule = f"writes more entries than {fact} = {most} allows; raise it, or write fewer."
        return self.broken(method, rule, state, place)

    def defines(self, method: str) -> bool:
        """Whether the rules have an optional method."""
        return type(self.game).defines(method)

    @contextlib.contextmanager
    def unwatched(self) -> Iterator[None]:
        """A context for many quick calls."""
        before, self.is_watching = self.is_watching, False
        try:
            yield
        finally:
            self.is_watching = before

    def call(self, method: str, state: State, *args: Any, result: Callable[[Any], Any] = lambda value: value) -> Any:
        """Call a method; `result` converts what it returned to what is compared and returned."""
        return self.calls_of(method, state, *args, result=result)[0]

    def calls_of(
        self, method: str, state: State, *args: Any, times: int = 1, result: Callable[[Any], Any] = lambda value: value
    ) -> list[Any]:
        """Call a method `times` times, on a record between two guards."""
        if not self.is_watching:
            return self._run(method, state, args, times, result, state)
        self.watched_calls += 1
        size, before = self._size, state.record.tobytes()
        self._bytes[size : 2 * size] = before
        returned = self._run(method, self._guarded, args, times, result, state)
        memory = self._bytes.tobytes()
        if memory[:size] != self._guard or memory[2 * size :] != self._guard:
            raise self.broken(method, "writes beyond the record it is given.", state)
        after = None
        if memory[size : 2 * size] != before:
            after = self._guarded.copy()
            if method in WRITERS:
                state.record.setfield(after.record, self.game.dtype)
            elif after != state:
                raise self.broken(method, f"changes the state to {after.to_text()}.", state)
        self._compare(Call(method, returned, (after or state.copy()) if method in WRITERS else None), state)
        return returned

    def _run(
        self, method: str, given: State, args: Sequence[Any], times: int, result: Callable[[Any], Any], state: State
    ) -> list[Any]:
        s: Any = native(given)
        try:
            if method not in self._bound:
                self._bound[method] = bind_method(self.game, method, s, *args)
            bound = self._bound[method]
            return [result(bound(self.game, s, *args)) for _ in range(times)]
        except RulesError:
            raise
        except Exception as error:
            raise self.failed(method, error, state) from error

    def _compare(self, call: Call, state: State) -> None:
        if is_plain():
            self.calls.append(call)
            return
        wanted = next(self._expected, None)
        if wanted is None:
            return
        if wanted.method != call.method or not _alike(wanted.result, call.result):
            rule = f"gives {call.result} compiled, but {wanted.result} in plain mode."
            raise self.broken(call.method, rule, state)
        if wanted.after and call.after and not _alike_states(wanted.after, call.after):
            rule = f"makes {call.after.to_text()} compiled, but {wanted.after.to_text()} in plain mode."
            raise self.broken(call.method, rule, state)

    def start(self) -> State:
        self.path.clear()
        self.moved = False
        state = State(np.zeros(1, self.game.dtype)[0])
        self.call("start", state)
        return state

    def options(self, state: State) -> list[tuple[int, float]]:
        """The chance outcomes with their probabilities, or the legal moves, each with 0."""
        return self.outcomes(state) if state.turn == CHANCE else [(move, 0.0) for move in self.moves(state)]

    def moves(self, state: State) -> list[int]:
        out = self._moves
        out[:] = -1
        found = self.call("moves", state, out, result=lambda count: self._listed("moves", count, out, state))
        for move in found:
            if not 0 <= move < self.game.actions:
                raise self.broken("moves", f"{move} is not a move number from 0 to {self.game.actions - 1}.", state)
        return found

    def noisy_moves(self, state: State, legal: Sequence[int]) -> None:
        """Check that noisy moves are legal ones."""
        out = self._moves
        out[:] = -1

        def listed(count: Any) -> list[int]:
            return self._listed("noisy_moves", count, out, state, fewest=0)

        for move in self.call("noisy_moves", state, out, result=listed):
            if move not in legal:
                raise self.broken("noisy_moves", f"{move} is not one of the legal moves {list(legal)}.", state)

    def outcomes(self, state: State) -> list[tuple[int, float]]:
        out, p = self._outcomes, self._odds
        out[:] = -1
        p[:] = math.nan
        found, odds = self.call(
            "chances",
            state,
            out,
            p,
            result=lambda count: [self._listed("chances", count, out, state), p[:count].tolist()],
        )
        if min(found) < 0:
            raise self.broken("chances", f"{min(found)} is not an outcome; they are numbered from 0.", state)
        if not all(chance > 0 for chance in odds) or abs(sum(odds) - 1) > TOLERANCE:
            raise self.broken("chances", f"the probabilities {odds} must be positive and sum to 1.", state)
        return list(zip(found, odds, strict=True))

    def _listed(self, method: str, count: Any, out: Any, state: State, fewest: int = 1) -> list[int]:
        """What a method wrote to `out`, after it returned the number of entries."""
        if not isinstance(count, int):
            raise self.broken(method, f"must return the number of entries it wrote, not {count!r}.", state)
        if not fewest <= count <= len(out):
            rule = f"wrote {count} entries; the number must be from {fewest} to {len(out)}."
            raise self.broken(method, rule, state)
        found: list[int] = out[:count].tolist()
        if len(set(found)) < count:
            twice = [value for value, times in Counter(found).items() if times > 1]
            raise self.broken(method, f"{twice[0]} is listed twice in {found}.", state)
        return found

    def shares(self, method: str, state: State, low: float = 0.0, high: float = 1.0) -> list[float]:
        """What payoff, score or evaluate wrote for each player."""
        out = numbers(self.game.players, "f8")
        out[:] = math.nan
        found: list[float] = self.call(method, state, out, result=lambda _: out[:].tolist())
        if not all(math.isfinite(share) and low <= share <= high for share in found):
            within = f"a number from {low:g} to {high:g}" if math.isfinite(high) else "a finite number"
            rule = f"{found} is not {within} for each player; write one to out[player]."
            raise self.broken(method, rule, state)
        return found

    def payoff(self, state: State) -> list[float]:
        """The payoff at the end of the game."""
        return self.shares("payoff", state, self.game.min_utility, self.game.max_utility)

    def play(self, state: State, move: int) -> None:
        mover = state.turn
        again = state.without_scratch() if self.is_watching else None
        self.call("play", state, move)
        if again:
            before = again.copy()
            self.call("play", again, move)
            if again != state:
                rule = f"{move} gives {state.to_text()}, then {again.to_text()}"
                raise self.broken("play", f"{rule}: it depends on chance or on scratch fields.", before)
        self.path.append(move)
        self.moved |= mover != CHANCE
        self.check_turn("play", state)

    def after(self, state: State, move: int) -> State:
        """The state after a move that is not one of the game being played."""
        following = state.copy()
        self.call("play", following, move)
        self.check_turn("play", following)
        return following

    @contextlib.contextmanager
    def aside(self, path: Sequence[int] = ()) -> Iterator[None]:
        """A context for moves after `path` that are not those of the game being played."""
        true_path, moved = self.path, self.moved
        self.path = list(path)
        try:
            yield
        finally:
            self.path, self.moved = true_path, moved

    def check_turn(self, method: str, state: State) -> None:
        turn = state.turn
        if 0 <= turn < self.game.players or turn == OVER:
            return
        if turn != CHANCE:
            raise self.broken(method, f"s.turn is {turn}: neither a player nor CHANCE nor OVER.", state)
        if not self.defines("chances"):
            rule = "s.turn is CHANCE, but the rules have no method chances(self, s, out, p)."
            raise self.broken(method, rule, state)
        if not self.game.has_chance:
            rule = "s.turn is CHANCE, but max_outcomes is 0; it must be the most outcomes that `chances` can write."
            raise self.broken(method, rule, state)

    def redacted(self, state: State, viewer: int) -> State:
        view = state.without_scratch()
        self.call("redact", view, viewer)
        return view

    def redealt(self, view: State, viewer: int, stream: Stream) -> State:
        state = view.copy()
        self.call("redeal", state, viewer, stream.words)
        return state

    def seen(self, state: State, move: int, viewer: int) -> int:
        seen = self.call("seen", state, move, viewer)
        limit = math.inf if state.turn == CHANCE else self.game.actions
        if not isinstance(seen, int) or not -1 <= seen < limit:
            raise self.broken("seen", f"gives {seen!r} for {move}; it must be −1 or a move number.", state)
        return seen

    def urgency(self, state: State, move: int) -> int:
        urgency = self.call("urgency", state, move)
        if not isinstance(urgency, int):
            raise self.broken("urgency", f"must return an integer, not {urgency!r}.", state)
        return urgency

    def key(self, state: State) -> int:
        key = self.call("key", state)
        if not isinstance(key, int):
            raise self.broken("key", f"must return an integer, not {key!r}.", state)
        return key


def fewer_if_plain(count: int) -> int:
    """A tenth of a count in plain mode, which is slow."""
    return count // 10 if is_plain() else count


def viewer_name(viewer: int) -> str:
    """Who is looking, in messages."""
    return "a spectator" if viewer == NOBODY else f"player {viewer}"


def _alike(a: Any, b: Any) -> bool:
    """Equal, except for the last digits of floats, which machine code may round differently."""
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(_alike, a, b))
    if isinstance(a, float) or isinstance(b, float):
        return isinstance(a, float | int) and isinstance(b, float | int) and math.isclose(a, b, abs_tol=TOLERANCE)
    return bool(a == b)


def _alike_states(a: State, b: State) -> bool:
    if a == b:
        return True
    names = a.record.dtype.names or ()
    return all(
        _alike(a.record[name].ravel().tolist(), b.record[name].ravel().tolist())
        for name in names
        if not is_scratch(name)
    )


def contract_error(
    game: Game, method: str, rule: str, position: str = "", path: tuple[int, ...] = (), place: Place | None = None
) -> ContractError:
    """The error for a broken rule, with the line of the method, or of the fact or the Board's method."""
    on_board = method.startswith("board.")
    owner = type(board_of(game)) if on_board else type(game)
    place = place or place_of(owner, method.removeprefix("board.").partition(" ")[0])
    line = f"{place}: {place.text}" if place else ""
    return ContractError(type(game).__name__, method, rule, position, path, line)
