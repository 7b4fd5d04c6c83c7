"""What a training run keeps on disk beside the network it wrote, so that it can go on after a crash: `FILE.training`.

It holds the latest network, what Adam remembers, the examples in the window and the history: arrays and numbers only.
It is replaced in one step, so that a run that is killed loses what it did since the last checkpoint, and nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from kibitz.errors import KibitzError
from kibitz.learn.zero.examples import Examples
from kibitz.learn.zero.network import Network
from kibitz.learn.zero.network_file import read_arrays
from kibitz.records.files import written_aside

SUFFIX = ".training"
MOST_BYTES = 4 << 30
ABOUT = "about"
PARTS: Mapping[str, Any] = {"network": Network, "means": Network, "squares": Network, "window": Examples}


@dataclass
class Progress:
    """How far a training run has come."""

    game: str  # its spec
    digest: str  # of random games under its rules
    seed: int
    workers: int
    mix: float = 0.0  # the weight of playouts in self-play
    teacher: str = ""  # the bot whose games it learned from first
    batches: int = 0  # played and learned from
    games: int = 0
    positions: int = 0  # examples seen, mirrors included
    steps: int = 0  # of Adam
    seconds: float = 0.0
    gates: int = 0  # matches played for the place of the best network
    policy_loss: float = 0.0
    value_loss: float = 0.0
    history: list[dict[str, Any]] = field(default_factory=list)  # a row for each gate


@dataclass(frozen=True)
class Checkpoint:
    """Everything a training run needs to go on."""

    progress: Progress
    network: Network
    means: Network
    squares: Network
    window: Examples

    def write(self, path: Path) -> None:
        """Replace the file in one step."""
        arrays: dict[str, Any] = {ABOUT: np.frombuffer(json.dumps(vars(self.progress)).encode(), "u1")}
        for part in PARTS:
            arrays |= {f"{part}.{name}": array for name, array in getattr(self, part)._asdict().items()}
        try:
            with written_aside(path) as file:
                np.savez(file, **arrays)
        except OSError as error:
            raise KibitzError(f"The state of the training cannot be written to {path}: {error.strerror}.") from None

    @classmethod
    def read(cls, path: Path) -> Checkpoint:
        """Read the state of a training run."""
        try:
            arrays = read_arrays(path, MOST_BYTES)
            progress = Progress(**json.loads(bytes(arrays.pop(ABOUT))))
            parts = {part: _part(kind, arrays, part) for part, kind in PARTS.items()}
        except OSError as error:
            raise KibitzError(f"The state of the training {path} cannot be read: {error.strerror}.") from None
        except (KeyError, TypeError, ValueError):
            raise KibitzError(f"{path} is not the state of a training run, or it is damaged.") from None
        return cls(progress, **parts)


def _part(kind: Any, arrays: dict[str, np.ndarray], part: str) -> Any:
    return kind(**{name: arrays[f"{part}.{name}"] for name in kind._fields})
