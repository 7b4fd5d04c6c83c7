"""The contract of a game: what its rules provide to everything that plays, searches or shows it.

A game is a class of rules that operate on a record of state, decorated with `@game`:

    @game
    class Nim:
        heap: int = 21                            # fields of the class define the variants (int, float or bool)

        players = 2                               # facts, as constants or properties:
        actions = 3                               #   moves are numbered 0 … actions − 1
        max_moves = 3                             #   the maximum number of legal moves in a position
        max_plies = 21                            #   the maximum length of a game: moves plus chance outcomes
        max_outcomes = 0                          #   the maximum number of outcomes of a chance event (default 0)
        chance_first = False                      #   whether chance acts only before the first move (default False)

        def fields(self):                         # the record: (name, kind) or (name, kind, shape)
            return [("left", "i1"), ("turn", "i1")]

        def start(self, s): ...                   # write the opening position into a zeroed record
        def moves(self, s, out): ...              # write the legal moves of s.turn; return their number (≥ 1)
        def play(self, s, move): ...              # apply a legal move or a chance outcome; deterministic
        def payoff(self, s, out): ...             # when s.turn == OVER: write each player's share of the win, sum 1

`s.turn` says who acts: a player from 0 to players − 1, CHANCE, or OVER.

Where a result is more than a share of the win (chips, points, a win that counts double), `payoff` writes each player's
utility instead, and the game declares three more facts:

        min_utility = -13                         #   the least that a player can get (default 0)
        max_utility = 13                          #   the most that a player can get (default 1)
        utility_sum = 0                           #   what all players together get in every game (default 1);
                                                  #   None if that is not always the same

A game that declares a bound must declare the sum. The bounds hold for all players and should be as tight as possible,
because searches, intervals and ratings use the normalized utility, (u − min_utility) / (max_utility − min_utility):
0 is the worst possible result and 1 the best. With a constant sum, nobody can get more than it leaves when the others
get the minimum; for two players, max_utility must be utility_sum − min_utility. Tables, records and logs keep utilities
as `payoff` writes them.

A game with chance adds `chances(s, out, p)`, which writes the outcomes and their probabilities and returns their
number; and, if listing them is slow, `sample(s, rng)`, which draws one.

A game with hidden information adds `redact(s, player)`, which blanks everything that `player` (or NOBODY, a spectator)
must not know, and `redeal(s, player, rng)`, which fills the blanks with a sample consistent with everything that player
has seen. If moves themselves are hidden, it adds `seen(s, move, player)`: the move as that player sees it, −1 if not at
all; `s` is the state before the move. Views and seen moves must agree: two games in which a player has seen the same
moves look the same to that player until they are over. If a move reveals more than itself (say, hands counted at the
end of a round), the reveal must therefore be a separate move, or a chance outcome with probability 1, that all see.

Optional methods: `evaluate(s, out)`, an estimate, before the end, of each player's share of the win, in [0, 1], or of
the normalized utility; `score(s, out)`, the coins, points or regions (`score_lower_wins = True` if fewer is better);
`key(s)`, an integer for transposition tables, equal for positions with the same player to act and the same value;
`urgency(s, move)`, an integer that says how promising a legal move looks at a glance (higher is better), for playouts
that prefer such moves; `noisy_moves(s, out)`, which writes those legal moves that may change an evaluation at a stroke,
such as captures, and returns their number, which may be 0: quiescence search looks at them beyond its horizon.

For multi-player searches: `reply(s, player)` passes the turn to `player`, as if everyone between s.turn and that player
had passed, and returns True; if they could not pass, it leaves s unchanged and returns False. With hidden information,
`possible(s, player)` changes a record redacted for `player` so that every other player can make each move that, as far
as `player` knows, could be theirs.

The methods must stay within the subset of Python that numba compiles. They may call other methods and module functions,
and read global constants and arrays; recursion is not supported. Presentation and everything else that a game can
provide are not defined here but as extras (kibitz/rules/extras.py).
"""

from __future__ import annotations

import dataclasses
import difflib
import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from kibitz.compiler.rules_type import RulesType, rules_type
from kibitz.errors import RulesError, SpecError
from kibitz.rules.extras import EXTRAS, find_extra, find_mapping
from kibitz.rules.remedies import explained_exception
from kibitz.rules.rng import pick
from kibitz.rules.source import check_functions, defined_in, place_of, place_of_exception
from kibitz.rules.utilities import SHARES, Payoffs, check_utilities
from kibitz.state import Field, layout, public_words

CHANCE = -1
OVER = -2
NOBODY = -3  # as a viewer: a spectator, who sees only public information

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
    "noisy_moves": ("self", "s", "out"),
    "key": ("self", "s"),
}
FLOATS = ("payoff", "evaluate", "score")  # methods whose `out` holds floats; elsewhere, it holds integers
REQUIRED = ("fields", "start", "moves", "play", "payoff")
REQUIRED_FACTS = ("players", "actions", "max_moves", "max_plies")

_CHECKED: set[str] = set()  # the contents of rules whose functions are known to be sound


class PythonSide(Payoffs):
    """The Python-only side of a game; never compiled."""

    never_compiled = True
    python_only: ClassVar[frozenset[str]] = frozenset(EXTRAS)  # attributes that compiled code cannot read
    uncompiled: ClassVar[str] = ""  # if the rules are another library's, why they are never compiled
    runtime: ClassVar[tuple[str, ...]] = ()  # fields that are not compiled in as constants
    players: int
    actions: int
    max_moves: int
    max_plies: int
    max_outcomes: int
    chance_first: bool

    @classmethod
    def defines(cls, method: str) -> bool:
        """Whether the rules define a method themselves instead of using its default."""
        return getattr(cls, method, None) is not getattr(Game, method, None)

    def extra(self, name: str) -> Any:
        """The game's extra of that name (see EXTRAS); None if it has none."""
        return find_extra(self, name)

    def extra_mapping(self, name: str) -> Mapping[str, Any]:
        """An extra that is a mapping, in whatever form it is given; empty if the game has none."""
        return find_mapping(self, name)

    @property
    def has_chance(self) -> bool:
        return self.max_outcomes > 0

    @property
    def has_chance_in_play(self) -> bool:
        """Whether chance acts after the first move, so that a search has to take it into account."""
        return self.has_chance and not self.chance_first

    @property
    def has_hidden_information(self) -> bool:
        return type(self).defines("redact")

    @functools.cached_property
    def dtype(self) -> np.dtype:
        """The dtype of a state's record."""
        name = f"{type(self).__name__}.fields"
        try:
            fields: list[Field] = self.fields()  # type: ignore[attr-defined]  # every class of rules has it
            return layout(fields, type(self).__name__)
        except RulesError as error:
            place = place_of(type(self), "fields")
            raise RulesError(str(error).replace(f"{name}:", f"{name}, {place}:", 1) if place else str(error)) from None
        except Exception as error:
            place = place_of_exception(error) or place_of(type(self), "fields")
            raise RulesError(f"{name}, {place}: {explained_exception(error, self)}") from error

    @property
    def public_words(self) -> int:
        return public_words(self.dtype)

    @functools.cached_property
    def _numba_type_(self) -> RulesType:
        if self.uncompiled:
            raise RulesError(f"{type(self).__name__}: {self.uncompiled}")
        kind = rules_type(self, self.runtime)
        if kind.content not in _CHECKED:
            self.check_functions()
            _CHECKED.add(kind.content)
        return kind

    @property
    def content(self) -> str:
        """A digest of the code of the rules."""
        return self._numba_type_.content

    def check_functions(self) -> None:
        """Raise an error if the rules draw random numbers, read a clock or yield, which would compile."""
        methods = ((name, getattr(type(self), name, None)) for name in PARAMETERS)
        check_functions(type(self).__name__, ((name, method) for name, method in methods if inspect.isfunction(method)))

    @functools.cached_property
    def bound(self) -> dict[tuple[Any, str], Any]:
        """Functions already bound for calls from Python, by mode: the game's methods (see kibitz.rules.engine) and the
        `pick` of compiled players."""
        return {}

    def examples(self) -> dict[str, tuple[Any, ...]]:
        """Arguments of the right types for each method of the rules, to compile the methods one by one."""
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
                found[name] = tuple(shares if p == "out" and name in FLOATS else values[p] for p in parameters[1:])
        return found

    def __reduce__(self) -> Any:
        """Pickle what defines the game, not what was compiled for it."""
        return type(self), dataclasses.astuple(self)  # type: ignore[call-overload]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Game):
            return NotImplemented
        return self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    def _identity(self) -> tuple[Any, ...]:
        return self.content, dataclasses.astuple(self)  # type: ignore[call-overload]


class Game(PythonSide):
    """The base class that `@game` adds to a class of rules: defaults for everything it omits.

    Examples:
        >>> import kibitz
        >>> @kibitz.game
        ... class Guess:
        ...     players, actions, max_moves, max_plies, max_outcomes = 2, 2, 2, 2, 2
        ...     def fields(self):
        ...         return [("coin", "i1"), ("right", "i1"), ("turn", "i1")]
        ...     def start(self, s):
        ...         s.turn = kibitz.CHANCE
        ...     def chances(self, s, out, p):  # by which Game.draw tosses the coin
        ...         out[0], out[1], p[0], p[1] = 0, 1, 0.5, 0.5
        ...         return 2
        ...     def moves(self, s, out):
        ...         out[0], out[1] = 0, 1
        ...         return 2
        ...     def play(self, s, move):
        ...         if s.turn == kibitz.CHANCE:
        ...             s.coin, s.turn = move, 1
        ...         else:
        ...             s.right, s.turn = move == s.coin, kibitz.OVER
        ...     def payoff(self, s, out):
        ...         out[0], out[1] = 1 - s.right, s.right
        ...     def score(self, s, out):
        ...         out[0], out[1] = 0, 10 * s.right
        ...     def redact(self, s, player):
        ...         if player != 0 and s.turn != kibitz.OVER:
        ...             s.coin = -1
        ...     def redeal(self, s, player, rng):
        ...         if s.coin == -1:
        ...             s.coin = kibitz.rng.below(rng, 2)
        ...     def seen(self, s, move, player):
        ...         return -1 if s.turn == kibitz.CHANCE and player != 0 else move
        ...
        >>> game = Guess()
        >>> game.players, game.has_chance, game.has_hidden_information, game.normalized(0.5)
        (2, True, True, 0.5)
        >>> with kibitz.plain():
        ...     table = kibitz.Table(game, seed=1)
        ...     print(table.view(0).state.coin, table.view(1).state.coin, table.view(1).history)
        ...
        0 -1 ()
    """

    max_outcomes = 0
    chance_first = False
    score_lower_wins = False
    min_utility = SHARES["min_utility"]
    max_utility = SHARES["max_utility"]
    utility_sum = SHARES["utility_sum"]

    def normalized(self, utility: Any) -> Any:
        """A utility on the scale from 0, the worst possible result, to 1, the best; shares of the win are on it."""
        return (utility - self.min_utility) / (self.max_utility - self.min_utility)

    def chances(self, s: Any, out: Any, p: Any) -> int:
        """Write the outcomes of a chance event and their probabilities; return their number."""
        return 0

    def draw(self, s: Any, out: Any, p: Any, rng: Any) -> int:
        """Draw a chance outcome according to its probability, using `sample` if the game has it."""
        count = self.chances(s, out, p)
        return out[pick(rng, p, count)]

    def redact(self, s: Any, player: int) -> None:
        """Blank everything that a player, or NOBODY, must not know."""
        pass

    def redeal(self, s: Any, player: int, rng: Any) -> None:
        """Fill the blanks of a redacted record with a sample that fits what the player has seen."""
        pass

    def seen(self, s: Any, move: int, player: int) -> int:
        """A move as a player sees it; −1 if not at all."""
        return move

    def score(self, s: Any, out: Any) -> None:
        """Write what the game counts: coins, points, regions; by default the payoff."""
        self.payoff(s, out)


def game(cls: type | None = None, *, runtime: Sequence[str] = ()) -> Any:
    """Turn a class of rules into a game: a frozen dataclass that numba can compile and kibitz can play.

    Each variant is compiled with its fields as constants. Fields named in `runtime` stay variable: rules that
    depend little on them (the number of players, a target score) are then compiled once for all values.
    """
    if cls is None:
        return functools.partial(game, runtime=runtime)
    if isinstance(runtime, str):
        raise RulesError(
            f'{cls.__name__}: runtime must be a list of fields: @kibitz.game(runtime=["{runtime}"]){defined_in(cls)}.'
        )
    _check_contract(cls)
    namespace = {k: v for k, v in vars(cls).items() if k not in ("__dict__", "__weakref__")}
    namespace["runtime"] = tuple(runtime)
    if hasattr(cls, "sample"):
        namespace["draw"] = _draw_by_sample
    namespace["__post_init__"] = _checked_init(getattr(cls, "__post_init__", None))
    bases = (*(b for b in cls.__bases__ if b is not object), Game)
    rules: Any = dataclasses.dataclass(frozen=True, eq=False)(type(cls.__name__, bases, namespace))
    fields = {f.name: f.default for f in dataclasses.fields(rules)}
    for name, default in fields.items():
        if not isinstance(default, int | float):
            raise RulesError(
                f"{cls.__name__}.{name} needs a default that is an int, a float or a bool{defined_in(cls, name)}."
            )
    if unknown := set(runtime) - set(fields):
        names = ", ".join(sorted(unknown))
        raise RulesError(
            f"{cls.__name__} has no field {names}, which is listed in runtime{defined_in(cls)}; declare it."
        )
    return rules


def _check_contract(cls: type) -> None:
    name = cls.__name__
    for method in REQUIRED:
        if not callable(getattr(cls, method, None)):
            raise RulesError(
                f"{name} has no method {method}({', '.join(PARAMETERS[method])}){defined_in(cls)}; add it."
            )
    for fact in REQUIRED_FACTS:
        if not _has_fact(cls, fact):
            raise RulesError(
                f"{name} does not define {fact} (a constant, a field or a property){defined_in(cls)}; add it."
            )
    if _has_fact(cls, "min_utility", "max_utility") and not _has_fact(cls, "utility_sum"):
        raise RulesError(
            f"{name} does not define utility_sum, which goes with its min_utility and max_utility: what all players "
            f"together get (0 in a zero-sum game), or None if that is not always the same{defined_in(cls)}."
        )
    for method, parameters in PARAMETERS.items():
        function = getattr(cls, method, None)
        if function is None:
            continue
        if not callable(function):
            raise RulesError(
                f"{name}.{method} must be a method: def {method}({', '.join(parameters)}){defined_in(cls, method)}."
            )
        if len(inspect.signature(function).parameters) != len(parameters):
            raise RulesError(f"{name}.{method} must take ({', '.join(parameters)}){defined_in(cls, method)}.")
        if inspect.isgeneratorfunction(function):
            instead = "write to out and return the number of entries" if "out" in parameters else "leave out `yield`"
            raise RulesError(f"{name}.{method} must not be a generator{defined_in(cls, method)}; {instead}.")
    for method in vars(cls).keys() - PARAMETERS.keys():
        _check_spelling(cls, method)
    own = [method for method in ("redact", "redeal") if getattr(cls, method, None) not in (None, getattr(Game, method))]
    if len(own) == 1:
        raise RulesError(f"{name} must have both redact and redeal, or neither{defined_in(cls, own[0])}.")


def _check_spelling(cls: type, method: str) -> None:
    """Reject a method that looks like a misspelled one of the contract, which would be ignored."""
    function = vars(cls)[method]
    meant = difflib.get_close_matches(method, [known for known in PARAMETERS if not hasattr(cls, known)], 1, 0.85)
    if meant and inspect.isfunction(function) and tuple(inspect.signature(function).parameters) == PARAMETERS[meant[0]]:
        raise RulesError(
            f"{cls.__name__}.{method} looks like {meant[0]}, misspelled; rename it{defined_in(cls, method)}."
        )


def _has_fact(cls: type, *facts: str) -> bool:
    return any(hasattr(cls, fact) or fact in inspect.get_annotations(cls) for fact in facts)


# What a field of each type must be, and the method that such values have.
_KINDS = {
    bool: ("True or False", "__bool__"),
    int: ("a whole number", "__index__"),
    float: ("a number", "__float__"),
}


def _checked_init(own: Callable[[Any], None] | None) -> Callable[[Any], None]:
    """The `__post_init__` of a game: its fields have the types of their defaults; then that of its class; then the
    check that its facts agree."""

    def post_init(self: Any) -> None:
        for field in dataclasses.fields(self):
            value = _as_kind(type(field.default), getattr(self, field.name), f"{type(self).__name__}: {field.name}")
            object.__setattr__(self, field.name, value)
        if own is not None:
            own(self)
        check_utilities(self)

    return post_init


def _as_kind(kind: type, value: Any, name: str) -> Any:
    """A value as a bool, an int or a float; NumPy's numbers will do. `name` begins the error's sentence."""
    if kind not in _KINDS:  # an enumeration, which its class converts
        return value
    wanted, method = _KINDS[kind]
    if isinstance(value, bool | np.bool_) != (kind is bool) or not hasattr(value, method):
        raise SpecError(f"{name} must be {wanted}, not {value!r:.60}.")
    return kind(value)


def _draw_by_sample(self: Any, s: Any, out: Any, p: Any, rng: Any) -> int:
    return self.sample(s, rng)
