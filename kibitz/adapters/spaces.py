"""The spaces of observations and actions, in the terms of Gymnasium, which PettingZoo shares."""

from __future__ import annotations

from typing import Any

import numpy as np

from kibitz.environments.observation import Observer
from kibitz.errors import KibitzError
from kibitz.rules.contract import Game

try:
    from gymnasium.spaces import Box, Dict, Discrete, Space
except ImportError:
    raise KibitzError('Gymnasium is not installed; install it with: pip install "kibitz[rl]"') from None

Seen = dict[str, np.ndarray]  # an observation: what an agent sees, and which actions are legal


def observation_space(observer: Observer) -> Space[Any]:
    """The space of observations with their masks."""
    low, high = (0, 1) if observer.dtype == np.uint8 else (-np.inf, np.inf)
    return Dict(
        {
            "observation": Box(low, high, (observer.size,), observer.dtype.type),
            "action_mask": Box(0, 1, (observer.game.actions,), np.int8),
        }
    )


def action_space(game: Game) -> Space[Any]:
    """The space of actions: the game's moves, by number."""
    return Discrete(game.actions)
