"""A policy trained with MaskablePPO, where sb3-contrib is installed."""

import sys
from pathlib import Path

import pytest

import kibitz

pytest.importorskip("sb3_contrib")


def test_a_model_learns_and_plays_in_the_arena(monkeypatch):
    monkeypatch.syspath_prepend(Path(__file__).parents[2] / "examples")
    monkeypatch.delitem(sys.modules, "train_sb3", raising=False)
    import train_sb3

    model = train_sb3.train("kibitz/Ur-v0", "random", moves=2000)
    bot = train_sb3.MaskablePolicy("ur", model)
    result = kibitz.arena("ur", [bot, "random"], games=10, seed=1)
    assert "MaskablePolicy" in str(result)
    assert result.pair(0, 1).high > 0.3
