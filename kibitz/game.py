"""What a game is: the contract between rules and everything that plays, searches or shows them.

A game is a class of rules over a record of state, decorated with `@game`:

    @game
    class Nim:
        heap: int = 21                            # fields of the class are the variants (int, float or bool)

        players = 2                               # facts, as constants or properties:
        actions = 3                               #   move numbers are 0 … actions − 1
        max_moves = 3                             #   at most so many moves are legal at once
        max_plies = 21                            #   no game has more moves and chance outcomes together
        max_outcomes = 0                          #   at most so many outcomes has a chance event (default 0)
        chance_first = False                      #   whether chance only acts before the first move (default False)

        def fields(self):                         # the record: (name, kind) or (name, kind, shape)
            return [("left", "i1"), ("turn", "i1")]

        def start(self, s): ...                   # write the opening position into a zeroed record
        def moves(self, s, out): ...              # write the legal moves of s.turn; return how many (≥ 1)
        def play(self, s, move): ...              # apply a legal move, or a chance outcome; deterministic
        def payoff(self, s, out): ...             # when s.turn == OVER: each player's share of the win, sum 1

`s.turn` says who acts: a player from 0 to players − 1, CHANCE, or OVER. A game with chance adds
`chances(s, out, p)`: write the outcomes and their probabilities, return how many; and, where listing them is slow,
`sample(s, rng)`: draw one. A game with hidden information adds `redact(s, player)`: blank what `player` (or NOBODY, a
spectator) must not know; `redeal(s, player, rng)`: fill the blanks with a sample consistent with all that player has
seen; and where moves themselves are hidden `seen(s, move, player)`: the move as that player sees it, −1 if not at
all, with s before the move. Views and moves as seen must agree: to a player who has seen the same of two games, they
look the same until they are over. What a move lays open beyond itself (hands counted at the end of a round) is
therefore a move or a chance outcome of its own, with probability 1, that all see.

Further options: `evaluate(s, out)`: a guess, before the end, of each player's share of the win, in [0, 1];
`score(s, out)`: coins, points, regions (`score_lower_wins = True` when fewer is better); `key(s)`: an integer equal for
positions of equal worth to the same player to act, for transposition tables; `urgency(s, move)`: a whole number that
says how promising a legal move looks at a glance, the higher the better, for playouts that prefer such moves.

Of use to searches for many players: `reply(s, player)`: hand the turn to `player`, as if all between s.turn and that
player had passed, and return True; or leave s as it is and return False where they could not pass. And where something
is hidden, `possible(s, player)`: make of a record redacted for `player` one in which every other player may make each
move that, for all that `player` knows, could be theirs.

The methods must stay within what numba compiles. They may call other methods, module functions, and read global
constants and arrays; no recursion. How a game is shown is not here but in its Board (kibitz/board.py).
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from kibitz.errors import RulesError
from kibitz.rng import pick
from kibitz.rules import RulesType, rules_type
from kibitz.state import Field, layout, public_words

CHANCE = -1
OVER = -2
NOBODY = -3  # as a viewer: a spectator, who knows what all know

PARAMETERS = {
    "fields": ("self",),
    "start": ("self", "s"),
    "moves": ("self", "s", "out"),
    "chances": ("self", "s", "out", "p"),
    "sample": ("self", "s", "rng"),
    "play": ("self", "s", "move"),
    "payoff": ("self", "s", "out"),
    "redact": ("self", "s", "player"),
    "redeal": ("self", "s", "player", "rng"),
    "seen": ("self", "s", "move", "player"),
    "possible": ("self", "s", "player"),
    "reply": ("self", "s", "player"),
    "evaluate": ("self", "s", "out"),
    "score": ("self", "s", "out"),
    "urgency": ("self", "s", "move"),
    "key": ("self", "s"),
}
REQUIRED = ("fields", "start", "moves", "play", "payoff")
REQUIRED_FACTS = ("players", "actions", "max_moves", "max_plies")


class Face:
    """What Python sees of a game beside its rules."""

    never_compiled = True
    runtime: ClassVar[tuple[str, ...]] = ()  # the fields that are not compiled in as constants
    board: ClassVar[Any] = None  # a kibitz.Board class; by default the one in board.py beside the rules
    bots: ClassVar[Any] = None  # the game's own bots by name; by default BOTS in bots.py beside the rules
    players: int
    actions: int
    max_moves: int
    max_plies: int
    max_outcomes: int
    chance_first: bool

    @classmethod
    def defines(cls, method: str) -> bool:
        """Whether the rules themselves have a method, rather than its default."""
        return getattr(cls, method, None) is not getattr(Game, method, None)

    @property
    def has_chance(self) -> bool:
        return self.max_outcomes > 0

    @property
    def has_chance_in_play(self) -> bool:
        """Whether chance acts after the first move, so that who looks ahead must reckon with it."""
        return self.has_chance and not self.chance_first

    @property
    def has_hidden_information(self) -> bool:
        return type(self).defines("redact")

    @functools.cached_property
    def dtype(self) -> np.dtype:
        """The record of a state."""
        fields: list[Field] = self.fields()  # type: ignore[attr-defined]  # every class of rules has it
        return layout(fields, type(self).__name__)

    @property
    def public_words(self) -> int:
        return public_words(self.dtype)

    @functools.cached_property
    def _numba_type_(self) -> RulesType:
        return rules_type(self, self.runtime)

    @functools.cached_property
    def bound(self) -> dict[tuple[Any, str], Any]:
        """What is bound already for calls from Python: methods by name and mode (see kibitz.engine), and the `pick` of
        compiled players by class and mode."""
        return {}

    def examples(self) -> dict[str, tuple[Any, ...]]:
        """Arguments of the right types for each method of the rules, to compile them one by one."""
        values = {
            "s": np.zeros(1, self.dtype)[0],
            "out": np.zeros(1, "i8"),
            "p": np.zeros(1),
            "rng": np.zeros(2, "u8"),
            "move": 0,
            "player": 0,
        }
        shares = np.zeros(1)
        found = {}
        for name, parameters in PARAMETERS.items():
            if name != "fields" and type(self).defines(name):
                in_floats = name in ("payoff", "evaluate", "score")
                found[name] = tuple(shares if p == "out" and in_floats else values[p] for p in parameters[1:])
        return found

    def __reduce__(self) -> Any:
        """Pickle what makes the game, not what was compiled for it."""
        return type(self), dataclasses.astuple(self)  # type: ignore[call-overload]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Game):
            return NotImplemented
        return self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    def _identity(self) -> tuple[Any, ...]:
        return self._numba_type_.content, dataclasses.astuple(self)  # type: ignore[call-overload]


class Game(Face):
    """What `@game` adds to a class of rules: defaults for what it leaves out."""

    max_outcomes = 0
    chance_first = False
    score_lower_wins = False

    def chances(self, s: Any, out: Any, p: Any) -> int:
        return 0

    def draw(self, s: Any, out: Any, p: Any, rng: Any) -> int:
        """A chance outcome drawn with its probability: by `sample` where the game has it."""
        count = self.chances(s, out, p)
        return out[pick(rng, p, count)]

    def redact(self, s: Any, player: int) -> None:
        pass

    def redeal(self, s: Any, player: int, rng: Any) -> None:
        pass

    def seen(self, s: Any, move: int, player: int) -> int:
        return move

    def score(self, s: Any, out: Any) -> None:
        self.payoff(s, out)  # type: ignore[attr-defined]  # every class of rules has it


def game(cls: type | None = None, *, runtime: Sequence[str] = ()) -> Any:
    """Make a game of a class of rules: a frozen dataclass that numba can compile and kibitz can play.

    Each variant is compiled with its fields as constants. Fields named in `runtime` are left variable: rules
    that depend little on them (the number of players, a target score) are then compiled once for all values.
    """
    if cls is None:
        return functools.partial(game, runtime=runtime)
    if isinstance(runtime, str):
        raise RulesError(f'{cls.__name__}: runtime is a list of fields: @kibitz.game(runtime=["{runtime}"]).')
    _check_contract(cls)
    namespace = {k: v for k, v in vars(cls).items() if k not in ("__dict__", "__weakref__")}
    namespace["runtime"] = tuple(runtime)
    if hasattr(cls, "sample"):
        namespace["draw"] = _draw_by_sample
    bases = (*(b for b in cls.__bases__ if b is not object), Game)
    rules: Any = dataclasses.dataclass(frozen=True, eq=False)(type(cls.__name__, bases, namespace))
    fields = {f.name: f.default for f in dataclasses.fields(rules)}
    for name, default in fields.items():
        if not isinstance(default, int | float):
            raise RulesError(f"{cls.__name__}.{name} needs a default that is an int, a float or a bool.")
    if unknown := set(runtime) - set(fields):
        raise RulesError(f"{cls.__name__} has no field {', '.join(sorted(unknown))}, named as runtime.")
    return rules


def _check_contract(cls: type) -> None:
    name = cls.__name__
    for method in REQUIRED:
        if not callable(getattr(cls, method, None)):
            raise RulesError(f"{name} has no method {method}({', '.join(PARAMETERS[method])}).")
    for fact in REQUIRED_FACTS:
        if not hasattr(cls, fact) and fact not in inspect.get_annotations(cls):
            raise RulesError(f"{name} does not say its {fact} (a constant, a field or a property).")
    for method, parameters in PARAMETERS.items():
        function = getattr(cls, method, None)
        if function is not None and len(inspect.signature(function).parameters) != len(parameters):
            raise RulesError(f"{name}.{method} must take ({', '.join(parameters)}).")
    if hasattr(cls, "redact") != hasattr(cls, "redeal"):
        raise RulesError(f"{name} must have both redact and redeal, or neither.")


def _draw_by_sample(self: Any, s: Any, out: Any, p: Any, rng: Any) -> int:
    return self.sample(s, rng)
