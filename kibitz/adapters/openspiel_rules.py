"""Games of OpenSpiel at a table of kibitz: `openspiel:name=breakthrough,rows=6,columns=6`.

A state of OpenSpiel is an object of its own kind, not a record. So the record holds the history, the number of every
action so far, from which the state is played again; the latest states are kept, which makes that rare. The rules are
never compiled: `random`, `openspiel-mcts`, bots from files and programs can play, searches of kibitz cannot.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib.metadata
import keyword
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any, ClassVar

from kibitz.adapters.pyspiel_import import import_pyspiel
from kibitz.display.board import Board
from kibitz.errors import SpecError
from kibitz.rules.contract import CHANCE, OVER, Game
from kibitz.rules.registry import find_game, spec_of
from kibitz.rules.spec import unknown
from kibitz.rules.utilities import check_utilities
from kibitz.state import Field, State

NAME = "openspiel"  # in specs
MCTS = "openspiel-mcts"
KEPT_STATES = 256  # of a game
FACTS = {"name", "loaded", "short_name", "actions", "max_moves", "max_plies"}  # which a parameter must not replace


class OpenSpielBoard(Board):
    """Names and boards as OpenSpiel writes them."""

    def name(self, game: Any, s: State, move: int) -> str:
        state = game.state_of(s)
        return " ".join(state.action_to_string(state.current_player(), move).split())

    def text(self, game: Any, s: State, last: int | None = None) -> str:
        return str(game.state_of(s)).rstrip("\n").replace("[", r"\[")

    def columns(self, game: Any, s: State) -> dict[str, int | float | str]:
        return {"turn": s.turn, "actions": " ".join(map(str, s.actions[: s.plies].tolist()))}


class OpenSpielRules(Game):
    """The rules of a game of OpenSpiel. Each has a subclass, made by `rules_of`; its fields are the parameters."""

    uncompiled: ClassVar[str] = f"games of OpenSpiel cannot be compiled; use random or {MCTS}."
    spec_name: ClassVar[str] = NAME
    board: ClassVar[type[Board]] = OpenSpielBoard
    short_name: ClassVar[str]  # OpenSpiel's name of the game
    name: str
    loaded: Any  # OpenSpiel's game
    min_utility: Any
    max_utility: Any
    utility_sum: Any

    def __post_init__(self) -> None:
        """Load the game and take over its facts."""
        loaded = self._load()
        players, total = loaded.num_players(), loaded.utility_sum()
        low, high = loaded.min_utility(), loaded.max_utility()
        if total is not None and players > 1:  # OpenSpiel's bounds need not be tight
            low, high = max(low, total - (players - 1) * high), min(high, total - (players - 1) * low)
        facts = {
            "name": self.short_name,
            "loaded": loaded,
            "players": players,
            "actions": loaded.num_distinct_actions(),
            "max_moves": loaded.num_distinct_actions(),
            "max_outcomes": loaded.max_chance_outcomes(),
            "max_plies": loaded.max_history_length(),
            "min_utility": low,
            "max_utility": high,
            "utility_sum": total,
        }
        if min(facts["actions"], facts["max_plies"]) < 1:
            raise SpecError(f"{self.short_name} cannot be played with these parameters: its games have no moves.")
        for name, value in facts.items():
            object.__setattr__(self, name, value)
        check_utilities(self)

    def _load(self) -> Any:
        pyspiel = import_pyspiel()
        fields = dataclasses.fields(self)  # type: ignore[arg-type]
        changed = {f.name: getattr(self, f.name) for f in fields if getattr(self, f.name) != f.default}
        changed.pop("name", None)
        try:
            loaded = pyspiel.load_game(self.short_name, changed)
        except pyspiel.SpielError as error:
            reason = str(error).partition("\n")[0].rstrip(".")
            raise SpecError(f"OpenSpiel cannot load {self.short_name}: {reason}.") from None
        if why := _misfit(loaded.get_type()):  # which can depend on the parameters
            raise SpecError(f"{self.short_name} cannot be played here: {why}")
        return loaded

    def bots(self) -> Mapping[str, str]:
        """The bot that kibitz recommends."""
        return {"best": self._search(1000)}

    def levels(self) -> Mapping[str, tuple[str, str]]:
        """Opponents between the beginner and the best."""
        return {
            "casual": (self._search(30), "Looks ahead a little and misses a lot."),
            "strong": (self._search(300), "Looks well ahead; play carefully."),
        }

    def _search(self, simulations: int) -> str:
        return f"{MCTS}:sims={simulations}" if has_terminal_rewards(self.loaded) else "random"

    # ------------------------------------------------------------------ the rules

    def fields(self) -> list[Field]:
        return [
            ("plies", "i4"),  # the number of actions so far …
            ("actions", "i4", self.max_plies),  # … and each of them, chance outcomes included
            ("turn", "i1"),
        ]

    def start(self, s: State) -> None:
        s.turn = self._turn(s)

    def moves(self, s: State, out: Any) -> int:
        legal = self.state_of(s).legal_actions()
        out[: len(legal)] = legal
        return len(legal)

    def chances(self, s: State, out: Any, p: Any) -> int:
        outcomes = self.state_of(s).chance_outcomes()
        out[: len(outcomes)] = [outcome for outcome, _ in outcomes]
        p[: len(outcomes)] = [probability for _, probability in outcomes]
        return len(outcomes)

    def play(self, s: State, move: int) -> None:
        s.actions[s.plies] = move
        s.plies += 1
        s.turn = self._turn(s)

    def payoff(self, s: State, out: Any) -> None:
        out[:] = self.state_of(s).returns()

    def _turn(self, s: State) -> int:
        state = self.state_of(s)
        return OVER if state.is_terminal() else CHANCE if state.is_chance_node() else state.current_player()

    def state_of(self, s: State) -> Any:
        """The state of OpenSpiel that a record stands for; it is kept, and must not be changed."""
        return self._states.after(tuple(s.record["actions"][: s.plies].tolist()))

    # ------------------------------------------------------------------ the Python side

    @functools.cached_property
    def _states(self) -> _States:
        return _States(self.loaded)

    @property
    def content(self) -> str:
        """What the rules depend on: the version of OpenSpiel."""
        return f"{NAME} {importlib.metadata.version('open_spiel')}"

    def __reduce__(self) -> Any:
        return find_game, (spec_of(self),)


class _States:
    """The latest states of a game, by the actions that led there."""

    def __init__(self, game: Any) -> None:
        self._game = game
        self._kept: OrderedDict[tuple[int, ...], Any] = OrderedDict()

    def after(self, actions: tuple[int, ...]) -> Any:
        """The state after some actions from the opening."""
        state = self._kept.get(actions)
        if state is None:
            before = self._kept.get(actions[:-1]) if actions else None
            state = self._game.new_initial_state() if before is None else before.clone()
            for action in actions if before is None else actions[-1:]:
                state.apply_action_with_legality_check(action)
            self._kept[actions] = state
            if len(self._kept) > KEPT_STATES:
                self._kept.popitem(last=False)
        return state


# ------------------------------------------------------------------ finding games


def rules_of(options: Mapping[str, str]) -> type[Game]:
    """The class of rules for the options of a spec, which must name a game of OpenSpiel."""
    if "name" not in options:
        raise SpecError(f"{NAME} needs the name of a game, as in {NAME}:name=tic_tac_toe.")
    return _rules_called(options["name"])


@functools.cache
def _rules_called(name: str) -> type[Game]:
    kinds = {kind.short_name: kind for kind in import_pyspiel().registered_games()}
    if name not in kinds:
        raise unknown("game of OpenSpiel called", name, [name for name, kind in kinds.items() if not _misfit(kind)])
    if why := _misfit(kinds[name]):
        raise SpecError(f"{name} cannot be played here: {why}")
    parameters = dict(kinds[name].parameter_specification)
    if "players" in parameters:  # where the default of some games is −1
        parameters["players"] = import_pyspiel().load_game(name).num_players()
    return dataclasses.make_dataclass(
        "".join(word.capitalize() for word in name.split("_")),
        [("name", str, ""), *((key, type(value), value) for key, value in parameters.items() if _is_field(key, value))],
        bases=(OpenSpielRules,),
        namespace={
            "short_name": name,
            "__doc__": f"{kinds[name].long_name}: a game of OpenSpiel.",
            "__module__": __name__,
        },
        frozen=True,
        eq=False,
    )


def _is_field(key: str, value: Any) -> bool:
    """Whether a parameter can be an option in a spec: neither a game, nor called like something every game has."""
    is_free = key not in FACTS and not hasattr(OpenSpielRules, key)
    is_name = key.isidentifier() and not keyword.iskeyword(key)
    return is_free and is_name and isinstance(value, bool | int | float | str)


def _misfit(kind: Any) -> str | None:
    """Why a table of kibitz is no place for a game; None if it is one."""
    if kind.dynamics != kind.Dynamics.SEQUENTIAL:
        return "its players act simultaneously, but here they act one at a time."
    if not kind.default_loadable:
        return "it is made from another game, which a spec cannot name."
    if kind.chance_mode == kind.ChanceMode.SAMPLED_STOCHASTIC:
        return "it does not tell the probabilities of its chance outcomes."
    if kind.information == kind.Information.IMPERFECT_INFORMATION:
        return "it hides information, and OpenSpiel tells what a player sees only as text."
    return None


def has_terminal_rewards(game: Any) -> bool:
    """Whether a game of OpenSpiel pays only at its end."""
    kind = game.get_type()
    return bool(kind.reward_model == kind.RewardModel.TERMINAL)
