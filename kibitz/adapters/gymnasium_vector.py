"""Many tables as one Gymnasium environment, stepped in compiled code:

    import gymnasium
    import kibitz.adapters.gymnasium

    envs = gymnasium.make_vec("kibitz/Ur-v0", num_envs=1024, opponents=["greedy"])

The opponents must be compiled players, such as random, greedy and learned; `vectorization_mode="sync"` takes any bots,
at the speed of Python. A table whose game has ended begins the next one with the next step, whatever the action.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from kibitz.adapters.gymnasium import FORFEIT, RAISE, check_illegal
from kibitz.adapters.spaces import Seen, action_space, observation_space
from kibitz.environments import NEW_GAME, WAIT, VectorEnv
from kibitz.environments.vector_env import as_actions
from kibitz.errors import KibitzError
from kibitz.players.roster import BotLike
from kibitz.rules.registry import GameLike, as_game

try:
    import gymnasium.vector
    from gymnasium.vector.utils import batch_space
except ImportError:
    raise KibitzError('Gymnasium is not installed; install it with: pip install "kibitz[rl]"') from None


class SeatVectorEnv(gymnasium.vector.VectorEnv[Seen, np.ndarray, np.ndarray]):
    """A seat at each of many tables, with compiled players in all others."""

    metadata = {"autoreset_mode": gymnasium.vector.AutoresetMode.NEXT_STEP}  # noqa: RUF012

    def __init__(
        self,
        game: GameLike,
        num_envs: int = 1,
        opponents: BotLike | Sequence[BotLike] = "random",
        seat: int | None = 0,
        illegal: str = FORFEIT,
        threads: int = 1,
        **variant: Any,
    ) -> None:
        """See SeatEnv; `threads` says how many step the tables."""
        self.tables = VectorEnv(
            as_game(game, **variant), num_envs, threads=threads, autoreset=False, opponents=opponents, seat=seat
        )
        self.num_envs = num_envs
        self._illegal = check_illegal(illegal)
        self._ended = np.zeros(num_envs, bool)
        self._rows = np.arange(num_envs)
        self.single_observation_space = observation_space(self.tables.observer)
        self.single_action_space = action_space(self.tables.game)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def reset(
        self, *, seed: int | list[int] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Seen, dict[str, Any]]:
        """Begin a new game at every table, or at those of options["reset_mask"]; a list has a seed for each table."""
        super().reset(seed=seed if isinstance(seed, int) else None)
        chosen = (options or {}).get("reset_mask")
        self.tables.reset(seed, chosen)
        self._ended[slice(None) if chosen is None else chosen] = False
        return self._seen(), {}

    def step(self, actions: Any) -> tuple[Seen, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Play the learner's actions, and the others' until it is the learner's turn again."""
        tables, wanted = self.tables, as_actions(actions, self.num_envs).copy()
        wanted[self._ended] = NEW_GAME
        illegal = np.zeros(self.num_envs, bool)
        if self._illegal != RAISE:
            known = np.clip(wanted, 0, tables.game.actions - 1)
            illegal = ~self._ended & ((wanted != known) | ~tables.masks[self._rows, known])
            wanted[illegal] = WAIT
        tables.step_or_restart(wanted)
        self._ended = tables.done | illegal
        rewards = tables.rewards[self._rows, tables.seats]
        infos: dict[str, Any] = {}
        if illegal.any():
            rewards[illegal] = [tables.game.forfeit_by(seat)[seat] for seat in tables.seats[illegal]]
            infos = {"illegal": illegal, "_illegal": illegal.copy()}
        return self._seen(), rewards, self._ended.copy(), np.zeros(self.num_envs, bool), infos

    def _seen(self) -> Seen:
        masks = self.tables.masks.astype(np.int8)
        return {"observation": self.tables.observations.copy(), "action_mask": masks}

    def explained(self) -> list[str]:
        """What each place of an observation means, as lines of text."""
        return self.tables.explained()

    def close_extras(self, **kwargs: Any) -> None:
        """End the threads."""
        self.tables.close()
