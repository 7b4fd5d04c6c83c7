"""Bots for CamelAI, the Python simulator of Camel Up: `camelai:path/bots.py:RandomBot`.

Such a file has classes with a static method; they are never instantiated:

    from camelup import get_valid_moves
    from playerinterface import PlayerInterface

    class FirstBot(PlayerInterface):
        @staticmethod
        def move(active_player, game_state):
            return get_valid_moves(game_state, active_player)[0]

The modules it may import (`camelup`, `actionids`, `playerinterface`), the state it is given and the tuples it returns
are those of camelai_simulator.py. The state is made anew for every move and may be changed freely; of the others' race
cards it shows only the number. What a bot draws from `random` depends on the seed of its game.
"""

from __future__ import annotations

import contextlib
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar

from kibitz.adapters import camelai_simulator as simulator
from kibitz.adapters.camelai_simulator import Bet, GameState
from kibitz.errors import SpecError
from kibitz.games.camelup.rules import FREE_TURNS, LOSER, ROLL, UNKNOWN, WINNER, CamelUp
from kibitz.players.bot import Bot
from kibitz.rules.contract import CHANCE, OVER, Game
from kibitz.rules.spec import load_class

if TYPE_CHECKING:
    from kibitz.table import View

PILES = {WINNER: "win", LOSER: "lose"}


@dataclass
class CamelaiBot(Bot):
    """A bot written for the simulator CamelAI, by its file and its class."""

    path: str = ""
    which: str = ""

    move_seconds: ClassVar[float] = 10.0

    def __post_init__(self) -> None:
        with _simulator_importable():
            self._class = load_class(Path(self.path), self.which)
        if not callable(getattr(self._class, "move", None)):
            raise SpecError(f"{self.path}:{self.which} needs a static method move(active_player, game_state).")

    @classmethod
    def misfit(cls, game: Game) -> str | None:
        fits = isinstance(game, CamelUp) and game.is_camelai
        return None if fits else "bots for CamelAI only play camelup:rules=camelai."

    def choose(self, view: View) -> Any:
        with _simulator_importable(), _seeded_by(view):
            reply = self._class.move(view.player, state_of(view))
        if isinstance(reply, tuple):
            for move in view.moves:
                if reply == action_of(view.game, move):
                    return move
        return repr(reply)  # a number would be taken for a move


def action_of(game: Any, move: int) -> tuple[Any, ...]:
    """A move as a tuple of CamelAI."""
    if move == ROLL:
        return (simulator.MOVE_CAMEL_ACTION_ID,)
    if move < game.first_mirage:
        return simulator.MOVE_TRAP_ACTION_ID, 1, move
    if move < game.first_leg_bet:
        return simulator.MOVE_TRAP_ACTION_ID, -1, move - game.first_mirage + 1
    if move < game.first_race_bet:
        return simulator.ROUND_BET_ACTION_ID, f"c_{move - game.first_leg_bet}"
    pile, camel = divmod(move - game.first_race_bet, game.camels)
    return simulator.GAME_BET_ACTION_ID, PILES[pile], f"c_{camel}"


def state_of(view: View) -> GameState:
    """A player's view as a state of CamelAI."""
    game: Any = view.game
    s = view.state
    g = GameState(num_camels=game.camels, num_players=game.players, board_size=game.squares)
    g.camel_track = [[] for _ in g.camel_track]
    for camel in sorted(range(game.camels), key=lambda camel: s.height[camel]):
        g.camel_track[s.square[camel]].append(g.CAMELS[camel])
    for player in range(game.players):
        if tile := s.tile[player]:
            g.trap_track[abs(tile)] = [1 if tile > 0 else -1, player]
    g.round_bets = _leg_bets(view)
    g.game_winner_bets, g.game_loser_bets = ([_bet(s, pile, i) for i in range(s.pile[pile])] for pile in PILES)
    g.player_money_values = [s.coins[player] for player in range(game.players)]
    g.camel_yet_to_move = [bool(s.dice >> camel & 1) for camel in range(game.camels)]
    g.must_roll = s.turns >= FREE_TURNS
    if s.turn == OVER:
        g.active_game = False
        most = max(g.player_money_values)
        g.game_winner = [player for player, coins in enumerate(g.player_money_values) if coins == most]
    return g


def _bet(s: Any, pile: int, place: int) -> Bet:
    camel, owner = s.pile_camel[pile, place], s.pile_owner[pile, place]
    return [None, None] if camel == UNKNOWN else [f"c_{camel}", owner]


def _leg_bets(view: View) -> list[Bet]:
    """The leg tiles taken in this leg, in order."""
    game: Any = view.game
    s = view.state
    held = [[f"c_{camel}", s.holder[camel, i]] for camel in range(game.camels) for i in range(s.taken[camel])]
    bets = [
        [f"c_{ply.move - game.first_leg_bet}", ply.turn]
        for ply in view.history
        if ply.turn != CHANCE and game.first_leg_bet <= ply.move < game.first_race_bet
    ]
    in_order = bets[len(bets) - min(len(held), len(bets)) :]  # the last ones are those of this leg
    for bet in in_order:
        held.remove(bet)
    return held + in_order  # if play began in the middle of a leg, some are older than the history


@contextlib.contextmanager
def _seeded_by(view: View) -> Iterator[None]:
    """Seed `random` from the seat's own stream, and restore it afterwards."""
    before = random.getstate()
    random.seed(view.rng.getrandbits(64))
    try:
        yield
    finally:
        random.setstate(before)


@contextlib.contextmanager
def _simulator_importable() -> Iterator[None]:
    """Make the simulator's modules importable under their names, within this context only."""
    before = {name: sys.modules.get(name) for name in _MODULES}
    sys.modules.update(_MODULES)
    try:
        yield
    finally:
        for name, module in before.items():
            del sys.modules[name]
            if module is not None:
                sys.modules[name] = module


def _modules() -> dict[str, ModuleType]:
    """The modules that bots import, by name."""
    actionids, playerinterface = ModuleType("actionids"), ModuleType("playerinterface")
    for name in dir(simulator):
        if name.endswith("_ACTION_ID"):
            setattr(actionids, name, getattr(simulator, name))
    playerinterface.PlayerInterface = simulator.PlayerInterface  # type: ignore[attr-defined]
    return {"camelup": simulator, "actionids": actionids, "playerinterface": playerinterface}


_MODULES = _modules()
