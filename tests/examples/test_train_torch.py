"""A policy trained with PyTorch, where it is installed."""

import sys
from pathlib import Path

import pytest

import kibitz

torch = pytest.importorskip("torch")


@pytest.fixture
def example(monkeypatch):
    monkeypatch.syspath_prepend(Path(__file__).parents[2] / "examples")
    monkeypatch.delitem(sys.modules, "train_torch", raising=False)
    import train_torch

    return train_torch


def test_a_few_rollouts_beat_random_play(example):
    game = kibitz.game("ur:pieces=2")
    torch.set_num_threads(1)
    net = example.train(game, seconds=float("inf"), most=25)
    bots = [example.TorchPolicy(game, net), kibitz.ModelSearch(evaluate=net.evaluate, sims=30, batch=8)]
    for bot in bots:
        assert kibitz.arena(game, [bot, "random"], games=100, seed=1).pair(0, 1).low > 0.5


def test_what_one_player_gains_the_other_loses(example):
    """By a blank network, which expects half a win of every position: only the ends of games are surprises."""
    env = kibitz.VectorEnv("ur:pieces=2", tables=64, seed=1)
    net = example.PolicyNet(env.observations.shape[1], env.game.actions)
    for weight in net.parameters():
        torch.nn.init.zeros_(weight)
    played = example.rollout(env, net)
    assert torch.allclose(played["goals"], played["gains"] + 0.5)
    gains, seen = (played[name].unflatten(0, (example.STEPS, env.tables)) for name in ("gains", "seen"))
    ends = gains.abs() == 0.5
    assert ends.any()
    same = seen[:-1, :, 0] == seen[1:, :, 0]  # the first fact says whether it is the first player's turn
    later = example.TRACE * torch.where(same, gains[1:], -gains[1:])
    assert torch.allclose(gains[:-1][~ends[:-1]], later[~ends[:-1]])
