"""Mexican Train's own bots."""

from __future__ import annotations

from typing import Any

from kibitz.games.mexican_train.best import Best
from kibitz.games.mexican_train.habits import Ai2, Shed

BOTS: dict[str, Any] = {"ai2": Ai2, "shed": Shed, "best": Best}
