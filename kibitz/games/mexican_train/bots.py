"""Mexican Train's own bots."""

from __future__ import annotations

from typing import Any

from kibitz.games.mexican_train.best import MexicanTrainBest
from kibitz.games.mexican_train.policies import Ai2, Keen, Shed

BOTS: dict[str, Any] = {"ai2": Ai2, "shed": Shed, "keen": Keen, "best": MexicanTrainBest}
LEVELS = {
    "casual": ("ai2:gates=no", "Plans the longest sequence in its hand, and lays it."),
    "strong": ("shed", "Gets rid of what its sequence does not need, and keeps the sequence for later."),
}
