"""The history of a training run, which its network carries along: how strong it was when, and what was tried.

A run of so many games writes nothing that depends on the clock, so that the same seed gives the same file.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kibitz.errors import KibitzError
from kibitz.learn.zero.checkpoint import Progress
from kibitz.learn.zero.network_file import TrainedNetwork
from kibitz.tournament.statistics import Share

MOST_GATES = 200  # that are kept, the latest ones


@dataclass(frozen=True)
class Gate:
    """The matches of a network that was trained so far."""

    games: int  # of training
    seconds: float | None
    policy_loss: float
    value_loss: float
    against_best: Share | None  # None: there was no earlier network
    promoted: bool  # whether it became the best one so far
    strength: Share  # against the opponent
    opponent: str


@dataclass(frozen=True)
class History:
    """A training run."""

    gates: tuple[Gate, ...]
    workers: int
    mix: float  # the weight of playouts in self-play
    teacher: str  # the bot whose games it learned from first; none if empty
    minutes: float | None  # how long it was to take …
    games: int | None  # … or how many games


def keep_history(path: Path, progress: Progress, seconds: float | None, games: int | None) -> None:
    """Write what a training run has shown so far into its network's file."""
    rows = [{**row, "seconds": row["seconds"] if seconds else None} for row in progress.history[-MOST_GATES:]]
    minutes = seconds / 60 if seconds else None
    training = {
        "workers": progress.workers,
        "mix": progress.mix,
        "teacher": progress.teacher,
        "minutes": minutes,
        "games": games,
        "gates": rows,
    }
    dataclasses.replace(TrainedNetwork.read(path), training=training).write(path)


def history_of(trained: TrainedNetwork, path: Path) -> History:
    """The history of a network that was read from a file; an error if it has none."""
    if not trained.training or not trained.training.get("gates"):
        raise KibitzError(f"{path} has no history: its training ended before the first match, or its kibitz was older.")
    try:
        gates = tuple(_gate(row) for row in trained.training["gates"])
        minutes, games = trained.training["minutes"], trained.training["games"]
        return History(
            gates,
            int(trained.training["workers"]),
            float(trained.training.get("mix", 0.0)),
            str(trained.training.get("teacher", "")),
            None if minutes is None else float(minutes),
            None if games is None else int(games),
        )
    except (AttributeError, KeyError, TypeError, ValueError):
        raise KibitzError(f"The history in {path} is damaged.") from None


def _gate(row: dict[str, Any]) -> Gate:
    return Gate(
        games=int(row["games"]),
        seconds=None if row["seconds"] is None else float(row["seconds"]),
        policy_loss=float(row["policy_loss"]),
        value_loss=float(row["value_loss"]),
        against_best=_share(row["gate"]) if row["gate"] else None,
        promoted=bool(row["promoted"]),
        strength=_share(row["strength"]),
        opponent=str(row["opponent"]),
    )


def _share(values: dict[str, Any]) -> Share:
    return Share(*(float(values[name]) for name in ("share", "low", "high")))
