"""Every kibitz game as a game of OpenSpiel, for its algorithms. Importing this module registers them:

    import kibitz.adapters.openspiel
    import pyspiel

    game = pyspiel.load_game("kibitz_ur(pieces=7)")  # variants are parameters

`pyspiel_game` wraps any other game: by its spec, its class, or itself. Both libraries mean nearly the same by a game:

- Moves have the same numbers. A chance outcome is numbered by its place in the list that the rules write, because
  OpenSpiel wants numbers below the maximum number of outcomes, while rules choose theirs as they like.
- A player's information state is every ply as that player saw it (`View.history`). An observation is the position as
  that player sees it now: as a string, the redacted record; as a tensor, what learning sees of it.
- Payoffs are returns. Shares of the win sum to 1, which OpenSpiel calls constant-sum.

Like an Engine, a game must not be used by several threads at once.
"""

from __future__ import annotations

import contextlib
import dataclasses
import enum
import functools
import itertools
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from kibitz.adapters.pyspiel_import import MISSING
from kibitz.compiler import compiled, native, numbers, running_in
from kibitz.display.board import Board, board_of, illegal_move
from kibitz.display.wording import title_of, without_markup
from kibitz.errors import KibitzError
from kibitz.learn.method_features import ZERO, features_for
from kibitz.rules.contract import CHANCE, NOBODY, OVER, Game
from kibitz.rules.engine import Engine
from kibitz.rules.registry import GameLike, as_game, game_names, spec_of
from kibitz.state import State

try:
    import pyspiel
except ImportError:
    raise KibitzError(MISSING) from None

PREFIX = "kibitz_"  # of the names of registered games
MOST_PLAYERS = 16  # up to which a game is asked whether it can be played


class GameRules(NamedTuple):
    """What all positions of a game share."""

    engine: Engine
    board: Board
    hides_moves: bool

    @property
    def game(self) -> Game:
        return self.engine.game


class Position:
    """A position and the ply that led to it. It never changes, so all copies of a state share it."""

    __slots__ = ("_moves", "_outcomes", "_seen", "move", "parent", "rules", "state", "turn")

    def __init__(self, rules: GameRules, state: State, parent: Position | None = None, move: int = -1) -> None:
        self.rules = rules
        self.state = state
        self.parent = parent
        self.move = move  # of the last ply
        self.turn = int(state.record["turn"])
        self._moves: list[int] | None = None
        self._outcomes: list[tuple[int, float]] | None = None
        self._seen: dict[int, int] = {}  # the last ply, by who saw it

    @property
    def moves(self) -> list[int]:
        """The legal moves in ascending order."""
        if self._moves is None:
            self._moves = sorted(self.rules.engine.moves(self.state))
        return self._moves

    @property
    def outcomes(self) -> list[tuple[int, float]]:
        """The chance outcomes and their probabilities, in the order of the rules."""
        if self._outcomes is None:
            self._outcomes = self.rules.engine.outcomes(self.state)
        return self._outcomes

    def after(self, move: int) -> Position:
        """The position after a legal move or a chance outcome."""
        state = self.state.copy()
        self.rules.engine.play(state, move)
        return Position(self.rules, state, self, move)

    def line(self) -> list[Position]:
        """All positions after the opening, up to this one."""
        line, at = [], self
        while at.parent is not None:
            line.append(at)
            at = at.parent
        return line[::-1]

    def seen(self, viewer: int) -> list[tuple[int, int]]:
        """All plies as a player saw them: who acted, and what they did."""
        plies = ((at.parent.turn, at._seen_by(viewer)) for at in self.line() if at.parent is not None)
        return [(turn, move) for turn, move in plies if move >= 0]

    def _seen_by(self, viewer: int) -> int:
        """The last ply as a player saw it; −1 if not at all."""
        if self.parent is None or not self.rules.hides_moves:
            return self.move
        if viewer not in self._seen:
            self._seen[viewer] = self.rules.engine.seen(self.parent.state, self.move, viewer)
        return self._seen[viewer]

    def __deepcopy__(self, memo: Any) -> Position:
        return self

    def __reduce__(self) -> Any:
        """Pickle the moves alone, as a list; `KibitzState.position` plays them again."""
        return list, ([at.move for at in self.line()],)


class KibitzState(pyspiel.State):
    """A position of a kibitz game, as OpenSpiel sees it."""

    def __init__(self, game: KibitzGame) -> None:
        super().__init__(game)
        self.position = game.opening

    # OpenSpiel copies and pickles whatever is in __dict__, and then assigns it to the attributes of a new state.
    @property
    def position(self) -> Position:
        return self.__dict__["position"]

    @position.setter
    def position(self, value: Position | list[int]) -> None:
        if isinstance(value, list):
            value = functools.reduce(Position.after, value, self.position)
        self.__dict__["position"] = value

    def current_player(self) -> int:
        """Who acts: a player, or OpenSpiel's number for chance or for a finished game."""
        turn = self.position.turn
        return pyspiel.PlayerId.TERMINAL if turn == OVER else pyspiel.PlayerId.CHANCE if turn == CHANCE else turn

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.position.turn == OVER

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The possible chance outcomes, by their places in the list of the rules, and their probabilities."""
        return [(place, p) for place, (_, p) in enumerate(self.position.outcomes) if p > 0]

    def returns(self) -> list[float]:
        """The payoffs; nothing before the game is over."""
        position = self.position
        engine = position.rules.engine
        return engine.payoff(position.state) if position.turn == OVER else [0.0] * engine.game.players

    def _legal_actions(self, player: int) -> list[int]:
        return self.position.moves

    def _apply_action(self, action: int) -> None:
        self.position = self.position.after(self._move(action))

    def _action_to_string(self, player: int, action: int) -> str:
        position = self.position
        return position.rules.board.name(position.rules.game, position.state, self._move(action))

    def _move(self, action: int) -> int:
        """The move or outcome that OpenSpiel calls by a number. Compiled rules must not be given any other."""
        position = self.position
        if position.turn == CHANCE and 0 <= action < len(position.outcomes):
            return position.outcomes[action][0]
        if position.turn >= 0 and action in position.moves:
            return action
        names = [self._action_to_string(position.turn, move) for move in self.legal_actions()]
        raise illegal_move(action, names)

    def __str__(self) -> str:
        """The board, and the record, by which OpenSpiel tells positions apart."""
        position = self.position
        board = without_markup(position.rules.board.text(position.rules.game, position.state))
        return f"{board}\n{position.state.to_text()}"


class KibitzGame(pyspiel.Game):
    """A kibitz game, as OpenSpiel sees it: a subclass for each class of rules, registered under a short name."""

    rules: type[Game]
    short_name: str

    def __init__(self, parameters: Mapping[str, Any] | None = None) -> None:
        self.game = game = as_game(self.rules, **(parameters or {}))
        info = pyspiel.GameInfo(
            num_distinct_actions=game.actions,
            max_chance_outcomes=game.max_outcomes,
            num_players=game.players,
            min_utility=game.min_utility,
            max_utility=game.max_utility,
            utility_sum=game.utility_sum,
            max_game_length=game.max_plies,
        )
        usual = _parameters(as_game(self.rules))
        chosen = {name: value for name, value in _parameters(game).items() if value != usual[name]}
        super().__init__(_game_type(game, self.short_name), info, chosen)
        engine = Engine(game)
        self.opening = Position(GameRules(engine, board_of(game), type(game).defines("seen")), engine.start())

    def new_initial_state(self) -> KibitzState:
        """The opening position."""
        return KibitzState(self)

    def max_chance_nodes_in_history(self) -> int:
        """The maximum number of chance outcomes in a game; kibitz counts them together with the moves."""
        return self.game.max_plies if self.game.has_chance else 0

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> KibitzObserver:
        """What OpenSpiel asks for strings and tensors."""
        if params:
            raise KibitzError(f"Observations of kibitz games have no parameters, unlike {params!r:.60}.")
        return KibitzObserver(self.opening.rules, iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False))


class KibitzObserver:
    """Tells what a player sees of a game, in the form that OpenSpiel expects."""

    def __init__(self, rules: GameRules, kind: Any) -> None:
        if not kind.public_info or kind.private_info == pyspiel.PrivateInfoType.ALL_PLAYERS:
            raise KibitzError("A kibitz game is observed by a player, or by a spectator, who sees what is public.")
        self._rules = rules
        self._recalls = kind.perfect_recall
        self._by_spectator = kind.private_info == pyspiel.PrivateInfoType.NONE
        self.dict: dict[str, np.ndarray] = {}
        self.tensor: np.ndarray | None = None
        if not self._recalls:
            with running_in(rules.engine.mode):
                self._features = features_for(rules.game, ZERO)
                most = self._features.most(rules.game)
                self._places, self._amounts = numbers(most, "i8"), numbers(most, "f8")
            players = rules.game.players
            self.tensor = np.zeros(players + self._features.size(rules.game), np.float32)
            self.dict = {"player": self.tensor[:players], "features": self.tensor[players:]}

    def set_from(self, state: KibitzState, player: int) -> None:
        """Write the tensor: which player it is for, and the features of the position as that player sees it."""
        if self.tensor is None:
            return
        self.tensor[:] = 0
        self.dict["player"][player] = not self._by_spectator
        with running_in(self._rules.engine.mode):
            known = native(self._known(state, player))
            count = described(self._rules.game, self._features, known, self._places, self._amounts)
        for place, amount in zip(self._places[:count], self._amounts[:count], strict=True):
            self.dict["features"][place] += amount

    def string_from(self, state: KibitzState, player: int) -> str:
        """What a player knows: every ply that the player saw, or the position as the player sees it now."""
        viewer = self._viewer(player)
        who = "spectator" if viewer == NOBODY else f"player {player}"
        if not self._recalls:
            return f"{who}: {self._known(state, player).to_text()}"
        plies = (f"{'chance' if turn == CHANCE else turn}:{move}" for turn, move in state.position.seen(viewer))
        return f"{who}: {' '.join(plies)}"

    def _viewer(self, player: int) -> int:
        return NOBODY if self._by_spectator else player

    def _known(self, state: KibitzState, player: int) -> State:
        return self._rules.engine.redacted(state.position.state, self._viewer(player))


@compiled
def described(game: Any, features: Any, s: Any, places: Any, amounts: Any) -> int:
    """Write the places and amounts that describe a position; return how many."""
    return features.describe(game, s, places, amounts)


# ------------------------------------------------------------------ registering


_REGISTERED: dict[str, type[KibitzGame]] = {}  # by short name


def pyspiel_game(game: GameLike, **options: Any) -> Any:
    """A kibitz game as a game of OpenSpiel, which can then also load it, and its variants, by name.

    Examples:
        >>> from kibitz.adapters.openspiel import pyspiel_game
        >>> pyspiel_game("connect_four", columns=5).new_initial_state().legal_actions()
        [0, 1, 2, 3, 4]
    """
    found: Any = as_game(game, **options)
    return found.loaded if found.uncompiled else _registered(type(found))(_parameters(found))


def _registered(rules: type[Game]) -> type[KibitzGame]:
    """The class by which OpenSpiel knows a class of rules. If a file has changed, its class is replaced."""
    wanted = _wanted_name(rules)
    names = itertools.chain([wanted], (f"{wanted}_{number}" for number in itertools.count(2)))
    name = next(name for name in names if name not in _REGISTERED or _origin(_REGISTERED[name].rules) == _origin(rules))
    if name not in _REGISTERED or _REGISTERED[name].rules is not rules:
        # A class, not a function: OpenSpiel lets go of it after Python has ended, when nothing can be freed any more.
        _REGISTERED[name] = type(rules.__name__, (KibitzGame,), {"rules": rules, "short_name": name})
        pyspiel.register_game(_game_type(as_game(rules), name), _REGISTERED[name])
    return _REGISTERED[name]


def _wanted_name(rules: type[Game]) -> str:
    spec = spec_of(as_game(rules))
    return PREFIX + (spec if spec in game_names() else re.sub(r"(?<=[a-z])(?=[A-Z])", "_", rules.__name__).lower())


def _origin(rules: type[Game]) -> str:
    return str(getattr(rules, "spec_name", f"{rules.__module__}:{rules.__qualname__}"))


def _game_type(game: Game, short_name: str) -> Any:
    kind = pyspiel.GameType
    utility = kind.Utility.GENERAL_SUM if game.utility_sum is None else kind.Utility.CONSTANT_SUM
    players = _player_counts(game)
    return kind(
        short_name=short_name,
        long_name=title_of(game)[0],
        dynamics=kind.Dynamics.SEQUENTIAL,
        chance_mode=kind.ChanceMode.EXPLICIT_STOCHASTIC if game.has_chance else kind.ChanceMode.DETERMINISTIC,
        information=kind.Information.IMPERFECT_INFORMATION
        if game.has_hidden_information
        else kind.Information.PERFECT_INFORMATION,
        utility=kind.Utility.ZERO_SUM if game.utility_sum == 0 else utility,
        reward_model=kind.RewardModel.TERMINAL,
        max_num_players=max(players),
        min_num_players=min(players),
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=_parameters(as_game(type(game))),
    )


def _parameters(game: Game) -> dict[str, bool | int | float | str]:
    """The fields of a game as parameters of OpenSpiel, which has no enumerations, but texts."""
    values = {field.name: getattr(game, field.name) for field in dataclasses.fields(game)}  # type: ignore[arg-type]
    return {name: str(value) if isinstance(value, enum.Enum) else value for name, value in values.items()}


def _player_counts(game: Game) -> list[int]:
    """The numbers of players that can play a game."""
    if "players" not in {field.name for field in dataclasses.fields(game)}:  # type: ignore[arg-type]
        return [game.players]
    return [count for count in range(1, MOST_PLAYERS + 1) if _is_playable(game, count)]


def _is_playable(game: Game, players: int) -> bool:
    with contextlib.suppress(KibitzError):
        return bool(as_game(game, players=players))
    return False


for _name in game_names():
    _registered(type(as_game(_name)))
