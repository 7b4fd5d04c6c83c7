"""Every game as a PettingZoo environment, in which the players act one at a time (AEC):

    from kibitz.adapters import pettingzoo

    env = pettingzoo.env("ur", pieces=4)
    env.reset(seed=1)
    for agent in env.agent_iter():
        observation, reward, termination, truncation, info = env.last()
        action = None if termination else env.action_space(agent).sample(observation["action_mask"])
        env.step(action)

An observation is a dict: "observation", the features of the position as this agent sees it (`env.explained()` says what
they mean), and "action_mask", the legal actions, none when it is another agent's turn. Rewards are the payoffs at the
end of the game. An illegal action raises IllegalMove and changes nothing.

The games are played by the compiled tables of VectorEnv, which play the same games as a Table, only faster.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kibitz.adapters.rendering import FRAMES_PER_SECOND, HUMAN, RENDER_MODES, check_render_mode, render
from kibitz.adapters.spaces import Seen, action_space, observation_space
from kibitz.environments.vector_env import VectorEnv
from kibitz.errors import IllegalMove, KibitzError
from kibitz.rules.contract import OVER
from kibitz.rules.registry import GameLike, as_game, spec_of

try:
    from gymnasium.utils import EzPickle
    from pettingzoo import AECEnv
except ImportError:
    raise KibitzError('PettingZoo is not installed; install it with: pip install "kibitz[rl]"') from None


def env(game: GameLike, render_mode: str | None = None, **variant: Any) -> TableEnv:
    """A game as an environment: `env("connect_four", columns=5)`, `env("hexplode:side=3")`, `env(MyGame)`.

    Examples:
        >>> from kibitz.adapters import pettingzoo
        >>> env = pettingzoo.env("connect_four", columns=5)
        >>> env.reset(seed=1)
        >>> env.step(0)
        >>> env.agent_selection, env.observe("player_1")["action_mask"].tolist()
        ('player_1', [1, 1, 1, 1, 1])
    """
    return TableEnv(game, render_mode, **variant)


class TableEnv(AECEnv[str, Seen, int], EzPickle):
    """A table at which every player is an agent: player_0, player_1, …"""

    metadata = {"name": "kibitz", "render_modes": RENDER_MODES, "render_fps": FRAMES_PER_SECOND}  # noqa: RUF012

    def __init__(self, game: GameLike, render_mode: str | None = None, **variant: Any) -> None:
        super().__init__()
        EzPickle.__init__(self, game, render_mode, **variant)
        self.game = as_game(game, **variant)
        self.render_mode = check_render_mode(render_mode)
        self.metadata = {**TableEnv.metadata, "name": f"kibitz/{spec_of(self.game)}"}
        self.possible_agents = [f"player_{player}" for player in range(self.game.players)]
        self._players = {agent: player for player, agent in enumerate(self.possible_agents)}
        self._tables = VectorEnv(self.game, tables=1, observations=False, autoreset=False)
        self._last: int | None = None  # the last action
        self.agents: list[str] = []
        self.observation_spaces = {agent: observation_space(self._tables.observer) for agent in self.possible_agents}
        self.action_spaces = {agent: action_space(self.game) for agent in self.possible_agents}

    def observation_space(self, agent: str) -> Any:
        """What an agent's observations look like."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """The actions: the game's moves, by number."""
        return self.action_spaces[agent]

    def explained(self) -> list[str]:
        """What each place of an observation means, as lines of text."""
        return self._tables.explained()

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a new game: with a seed the first one of that seed, otherwise the next one."""
        self._tables.reset(seed)
        self._last = None
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.possible_agents[self._tables.turns[0]]
        self._skip_agent_selection = None
        self._show()

    def observe(self, agent: str) -> Seen:
        """What an agent sees now, and what it may do."""
        player = self._players[agent]
        if player == self._tables.turns[0]:
            mask = self._tables.masks[0].astype(np.int8)
        else:
            mask = np.zeros(self.game.actions, np.int8)
        return {"observation": self._tables.observe(0, player), "action_mask": mask}

    def step(self, action: Any) -> None:
        """Play the action of the agent to act; None if the game is over."""
        if not self.agents:
            raise KibitzError("The game is over, or has not begun; call reset().")
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        if not hasattr(action, "__index__"):
            raise IllegalMove(f"{action!r:.60} is not an action; actions are the numbers of moves.")
        tables = self._tables
        tables.step([action])
        self._last = int(action)
        if tables.turns[0] == OVER:
            self.rewards = dict(zip(self.agents, tables.rewards[0].tolist(), strict=True))
            self._cumulative_rewards = dict(self.rewards)
            self.terminations = dict.fromkeys(self.agents, True)
        else:
            self.agent_selection = self.possible_agents[tables.turns[0]]
        self._show()

    def render(self) -> Any:
        """The position as the agent to act sees it."""
        player = self._players[self.agent_selection] if self.agents else 0
        return render(self.game, self._tables.state(0), player, self.render_mode, self._last)

    def _show(self) -> None:
        if self.render_mode == HUMAN:
            self.render()

    def close(self) -> None:
        """Do nothing: there are no windows and no processes."""


raw_env = env
