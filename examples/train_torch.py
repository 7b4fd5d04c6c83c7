"""A small network learns the Royal Game of Ur by playing itself, with PyTorch: PPO at 1,024 tables at once.

    pip install "kibitz[torch]"
    python examples/train_torch.py                        # learn for three minutes, then play in the arena
    python examples/train_torch.py --seconds 20 --games 200

Every step, the player to act at each table moves; with the next turn, the network sees the table from the other side.
"Proximal policy optimization algorithms", Schulman et al., 2017.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np
import torch
from torch import nn

import kibitz
from kibitz.environments import Observer

TABLES, STEPS = 1024, 32  # in a rollout
EPOCHS, PARTS = 2, 8  # of learning from it
CLIP, TRACE, ENTROPY = 0.2, 0.9, 0.01


class PolicyNet(nn.Module):
    """Observations → logits of the actions, and the share of the win that the player to act expects."""

    def __init__(self, size: int, actions: int, width: int = 128) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(size, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())
        self.policy, self.value = nn.Linear(width, actions), nn.Linear(width, 1)

    def forward(self, seen: torch.Tensor, masks: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        hidden = self.body(seen.float())
        logits = self.policy(hidden).masked_fill(~masks, -1e9)
        return logits, torch.sigmoid(self.value(hidden)).squeeze(-1)

    @torch.inference_mode()
    def evaluate(self, observations: np.ndarray, masks: np.ndarray, turns: np.ndarray) -> tuple[Any, Any]:
        """The same for kibitz.ModelSearch, which hands over NumPy arrays."""
        return self(torch.from_numpy(observations), torch.from_numpy(masks))


class TorchPolicy(kibitz.Bot):
    """Plays the most probable move, without search."""

    def __init__(self, game: Any, net: PolicyNet) -> None:
        self.observer, self.net = Observer(game), net

    def __deepcopy__(self, memo: Any) -> TorchPolicy:
        return self  # every game may have the same one, as it remembers nothing

    def choose(self, view: kibitz.View) -> int:
        seen = torch.from_numpy(self.observer.see(view.state, view.player))
        with torch.inference_mode():
            logits = self.net.policy(self.net.body(seen.float()))
        return max(view.moves, key=lambda move: logits[move].item())


def rollout(env: kibitz.VectorEnv, net: PolicyNet) -> dict[str, torch.Tensor]:
    """Play on for some steps, and judge every move by what came of it."""
    shown = []
    for _ in range(STEPS):
        seen, masks = torch.from_numpy(env.observations.copy()), torch.from_numpy(env.masks.copy())
        turns = torch.from_numpy(env.turns.copy())
        with torch.inference_mode():
            logits, values = net(seen, masks)
        odds = torch.distributions.Categorical(logits=logits)
        actions = odds.sample()
        env.step(actions.numpy())
        rewards = torch.from_numpy(env.rewards.copy()).float().gather(1, turns[:, None]).squeeze(1)
        done = torch.from_numpy(env.done.copy())
        shown.append((seen, masks, actions, odds.log_prob(actions), values, turns, rewards, done))
    seen, masks, actions, chosen, values, turns, rewards, done = (
        torch.stack(part) for part in zip(*shown, strict=True)
    )
    with torch.inference_mode():
        after = net(torch.from_numpy(env.observations), torch.from_numpy(env.masks))[1]
    next_turns = torch.cat([turns[1:], torch.from_numpy(env.turns.copy())[None]])
    next_values = torch.cat([values[1:], after[None]])
    gains, gain = torch.zeros_like(values), torch.zeros(env.tables)
    for step in reversed(range(STEPS)):  # generalised advantages: what one player gains, the other loses
        same = turns[step] == next_turns[step]
        expected = torch.where(same, next_values[step], 1 - next_values[step])
        surprise = torch.where(done[step], rewards[step], expected) - values[step]
        gains[step] = gain = surprise + torch.where(done[step], 0.0, TRACE * torch.where(same, gain, -gain))
    parts = {
        "seen": seen,
        "masks": masks,
        "actions": actions,
        "chosen": chosen,
        "gains": gains,
        "goals": gains + values,
    }
    return {name: part.flatten(0, 1) for name, part in parts.items()}


def learn(net: PolicyNet, optimizer: torch.optim.Optimizer, played: dict[str, torch.Tensor]) -> None:
    """Make moves that turned out well more likely, and values more accurate."""
    gains = played["gains"]
    played["gains"] = (gains - gains.mean()) / (gains.std() + 1e-6)
    for _ in range(EPOCHS):
        for rows in torch.randperm(len(gains)).chunk(PARTS):
            part = {name: column[rows] for name, column in played.items()}
            logits, values = net(part["seen"], part["masks"])
            odds = torch.distributions.Categorical(logits=logits)
            ratio = (odds.log_prob(part["actions"]) - part["chosen"]).exp()
            gain = torch.minimum(ratio * part["gains"], ratio.clamp(1 - CLIP, 1 + CLIP) * part["gains"])
            loss = -gain.mean() + nn.functional.mse_loss(values, part["goals"]) - ENTROPY * odds.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 0.5)
            optimizer.step()


def train(game: Any, seconds: float, seed: int = 1, most: int | None = None) -> PolicyNet:
    """Train a network by self-play for some time, and at most so many rollouts."""
    torch.manual_seed(seed)
    env = kibitz.VectorEnv(game, tables=TABLES, seed=seed)
    net = PolicyNet(env.observations.shape[1], env.game.actions)
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    end, rollouts = time.monotonic() + seconds, 0
    while time.monotonic() < end and rollouts != most:
        learn(net, optimizer, rollout(env, net))
        rollouts += 1
    print(f"{rollouts * STEPS * TABLES:,} moves in {rollouts} rollouts")
    return net


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=180)
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--threads", type=int, default=1, help="of PyTorch")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    game = kibitz.game("ur")
    net = train(game, options.seconds)
    policy, search = TorchPolicy(game, net), kibitz.ModelSearch(evaluate=net.evaluate, sims=64, batch=8)
    for bots in ([policy, "random"], [policy, "greedy"], [policy, "uct:sims=100"], [search, policy]):
        print(kibitz.arena(game, bots, games=options.games, seed=1))


if __name__ == "__main__":
    main()
