"""A small network learns the Royal Game of Ur against a bot, with MaskablePPO of sb3-contrib, through Gymnasium.

pip install "kibitz[sb3]"
python examples/train_sb3.py                          # a million moves, then play in the arena
python examples/train_sb3.py --moves 20000 --games 200
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import gymnasium
import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env import DummyVecEnv

import kibitz
import kibitz.adapters.gymnasium
from kibitz.environments import Observer

ENVIRONMENTS = 16


class MaskedEnv(gymnasium.ObservationWrapper):
    """Observations without the mask of legal actions, which MaskablePPO asks for by a method."""

    def __init__(self, env: gymnasium.Env) -> None:
        super().__init__(env)
        self.observation_space = env.observation_space["observation"]  # type: ignore[index]
        self._mask = np.zeros(0, bool)

    def observation(self, observation: Any) -> Any:
        self._mask = observation["action_mask"].astype(bool)
        return observation["observation"].astype(np.float32)

    def action_masks(self) -> np.ndarray:
        return self._mask


class MaskablePolicy(kibitz.Bot):
    """Plays the most probable move of a model of MaskablePPO."""

    def __init__(self, game: Any, model: MaskablePPO) -> None:
        self.observer, self.model = Observer(game), model

    def __deepcopy__(self, memo: Any) -> MaskablePolicy:
        return self  # every game may have the same one, as it remembers nothing

    def choose(self, view: kibitz.View) -> int:
        seen = self.observer.see(view.state, view.player)
        mask = np.isin(np.arange(view.game.actions), view.moves)
        action, _ = self.model.predict(seen, action_masks=mask, deterministic=True)
        return int(action)


def train(game: str, opponent: str, moves: int, seed: int = 1) -> MaskablePPO:
    """Train a model against a bot, in another seat in every game."""

    def new_env() -> gymnasium.Env:
        return MaskedEnv(gymnasium.make(game, opponents=[opponent], seat=None))

    envs = DummyVecEnv([new_env] * ENVIRONMENTS)
    model = MaskablePPO("MlpPolicy", envs, n_steps=256, batch_size=512, gamma=1.0, learning_rate=1e-3, seed=seed)
    return model.learn(moves)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--opponent", default="greedy", help="whom to learn against")
    parser.add_argument("--moves", type=int, default=1_000_000)
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--threads", type=int, default=1, help="of PyTorch")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    began = time.monotonic()
    model = train("kibitz/Ur-v0", options.opponent, options.moves)
    print(f"{options.moves:,} moves in {time.monotonic() - began:.0f} s")
    game = kibitz.game("ur")
    for opponent in ("random", "greedy", "uct:sims=100"):
        print(kibitz.arena(game, [MaskablePolicy(game, model), opponent], games=options.games, seed=1))


if __name__ == "__main__":
    main()
