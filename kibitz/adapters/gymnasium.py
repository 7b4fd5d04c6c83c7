"""Every game as a Gymnasium environment: one seat for the learner, bots in all others.

    import gymnasium
    import kibitz.adapters.gymnasium  # registers the games

    env = gymnasium.make("kibitz/Ur-v0", pieces=4, opponents=["best"])
    observation, info = env.reset(seed=1)
    action = env.action_space.sample(observation["action_mask"])
    observation, reward, terminated, truncated, info = env.step(action)

An observation is a dict: "observation", the features of the position as the learner sees it, and "action_mask", the
legal actions. The reward is the payoff of the learner at the end of the game. For many tables that are stepped in
compiled code, there is `gymnasium.make_vec`: gymnasium_vector.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from kibitz.adapters.rendering import FRAMES_PER_SECOND, HUMAN, RENDER_MODES, check_render_mode, render
from kibitz.adapters.spaces import Seen, action_space, observation_space
from kibitz.environments.compiled_tables import MOST_WITHOUT_CHOICE
from kibitz.environments.observation import Observer
from kibitz.environments.opponents import resolve_opponents
from kibitz.errors import IllegalMove, KibitzError, RulesError
from kibitz.players.bot import Player
from kibitz.players.roster import BotLike
from kibitz.players.turns import take_turn, tell_end
from kibitz.rules.registry import GameLike, as_game, game_names, spec_of
from kibitz.rules.rng import as_seed
from kibitz.rules.spec import whole_number
from kibitz.table import Table

try:
    import gymnasium
except ImportError:
    raise KibitzError('Gymnasium is not installed; install it with: pip install "kibitz[rl]"') from None

FORFEIT, RAISE = "forfeit", "raise"  # what an illegal action does


def check_illegal(illegal: str) -> str:
    """What an illegal action does; an error if there is no such thing."""
    if illegal not in (FORFEIT, RAISE):
        raise KibitzError(f"An illegal action can {FORFEIT} the game or {RAISE} an error, not {illegal!r}.")
    return illegal


class SeatEnv(gymnasium.Env[Seen, int]):
    """A seat at a table, with bots in all others.

    Examples:
        >>> import gymnasium
        >>> import kibitz.adapters.gymnasium
        >>> env = gymnasium.make("kibitz/ConnectFour-v0", opponents=["greedy"], render_mode="ansi")
        >>> seen, info = env.reset(seed=1)
        >>> seen["action_mask"].tolist()
        [1, 1, 1, 1, 1, 1, 1]
        >>> seen, reward, terminated, truncated, info = env.step(3)
        >>> reward, terminated
        (0.0, False)
        >>> env.render().count("●"), env.unwrapped.explained()[-1][:5]
        (1, '0–249')
        >>> env.close()
    """

    metadata = {"render_modes": RENDER_MODES, "render_fps": FRAMES_PER_SECOND}  # noqa: RUF012

    def __init__(
        self,
        game: GameLike,
        opponents: BotLike | Sequence[BotLike] = "random",
        seat: int | None = 0,
        illegal: str = FORFEIT,
        render_mode: str | None = None,
        **variant: Any,
    ) -> None:
        """`opponents` are specs of bots that ship with kibitz, or classes or instances of your own: one for each seat
        after the learner's, or a single one for all. `seat` is the learner's; None: another one in every game. An
        `illegal` action forfeits the game, or raises IllegalMove and changes nothing.
        """
        self.game = as_game(game, **variant)
        self.render_mode = check_render_mode(render_mode)
        self.observer = Observer(self.game)
        self.observation_space = observation_space(self.observer)
        self.action_space = action_space(self.game)
        self.seat = 0 if seat is None else whole_number(seat, "The seat", 0, self.game.players - 1)
        self._rotates = seat is None
        self._illegal = check_illegal(illegal)
        self._entrants = resolve_opponents(self.game, opponents)
        self._seed = as_seed(None)
        self._begun = 0  # games of that seed
        self._table: Table | None = None
        self._players: dict[int, Player] = {}  # the bots by seat, …
        self._specs: dict[int, str] = {}  # … and what they are called
        self._last: int | None = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Seen, dict[str, Any]]:
        """Begin a new game: with a seed the first one of that seed, otherwise the next one."""
        super().reset(seed=seed)
        if seed is not None:
            self._seed, self._begun = seed, 0
        for _ in range(MOST_WITHOUT_CHOICE):
            table = self._next_table()
            if not table.over:
                self._show()
                return self._seen(table), {}
        raise RulesError(f"In {spec_of(self.game)}, the learner never has a turn: every game is over before.")

    def _next_table(self) -> Table:
        """Begin the next game, and let the others play until it is the learner's turn, or it is over."""
        table = self._table = Table(self.game, self._seed, number=self._begun)
        if self._rotates:
            self.seat = self._begun % self.game.players
        self._begun += 1
        self._last = None
        seats = [(self.seat + 1 + k) % self.game.players for k in range(len(self._entrants))]
        self._specs = dict(zip(seats, (entrant.spec for entrant in self._entrants), strict=True))
        self._players = dict(zip(seats, (entrant.make() for entrant in self._entrants), strict=True))
        self._play_on(table)
        return table

    def _play_on(self, table: Table) -> None:
        while not table.over and table.turn != self.seat:
            self._last = take_turn(table, self._players[table.turn], self._specs[table.turn])
        if table.over:
            tell_end(table, self._players, table.payoff())

    def step(self, action: Any) -> tuple[Seen, float, bool, bool, dict[str, Any]]:
        """Play the learner's action, then the others' until it is the learner's turn again, or the game is over."""
        table = self._table
        if table is None or table.turn != self.seat:
            raise KibitzError("The game is over, or has not begun; call reset().")
        try:
            move = table.parse(action) if isinstance(action, str) else action
            table.play(move, self.seat)
        except IllegalMove as error:
            if self._illegal == RAISE:
                raise
            payoff = self.game.forfeit_by(self.seat)
            tell_end(table, self._players, payoff)
            self._table = None
            return self._seen(table), payoff[self.seat], True, False, {"illegal": str(error)}
        self._last = int(move)
        self._play_on(table)
        self._show()
        reward = table.payoff()[self.seat] if table.over else 0.0
        return self._seen(table), reward, table.over, False, {}

    def _seen(self, table: Table) -> Seen:
        mask = np.zeros(self.game.actions, np.int8)
        if table.turn == self.seat:
            mask[table.moves] = 1
        return {"observation": self.observer.see(table.state, self.seat), "action_mask": mask}

    def explained(self) -> list[str]:
        """What each place of an observation means, as lines of text."""
        return self.observer.explained()

    def render(self) -> Any:
        """The position as the learner sees it."""
        if self._table is None:
            raise KibitzError("There is nothing to draw before reset().")
        return render(self.game, self._table.state, self.seat, self.render_mode, self._last)

    def _show(self) -> None:
        if self.render_mode == HUMAN:
            self.render()


def register_games() -> list[str]:
    """Register every game that ships with kibitz, such as "kibitz/ConnectFour-v0"; return the ids."""
    ids = []
    for name in game_names():
        ids.append(f"kibitz/{name.title().replace('_', '')}-v0")
        if ids[-1] not in gymnasium.registry:
            gymnasium.register(
                ids[-1],
                entry_point="kibitz.adapters.gymnasium:SeatEnv",
                vector_entry_point="kibitz.adapters.gymnasium_vector:SeatVectorEnv",
                kwargs={"game": name},
            )
    return ids


GAMES = register_games()
