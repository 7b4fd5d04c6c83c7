"""`kibitz train --method zero`: train a network by self-play, with progress."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

from kibitz.cli.screen import INTERRUPTED, notes, print_json, screen, words
from kibitz.rules.registry import spec_of

if TYPE_CHECKING:
    from kibitz.learn.zero.checkpoint import Progress as TrainingProgress
    from kibitz.learn.zero.training import ZeroTraining
    from kibitz.rules.contract import Game

MINUTES = 15.0


def train_network(
    game: Game,
    out: Path | None,
    minutes: float | None,
    games: int | None,
    *,
    seed: int,
    workers: int,
    width: int,
    mix: float,
    teacher: str,
    resume: bool,
    engine: str,
    address: str | None,
    json: bool,
) -> None:
    """Train a network and say how it went."""
    from kibitz.learn.method_features import ZERO, features_for
    from kibitz.learn.watched_features import WatchedFeatures
    from kibitz.learn.zero.network_file import default_file
    from kibitz.learn.zero.self_play import Manner
    from kibitz.learn.zero.training import train_zero

    path = out or Path(default_file(spec_of(game)))
    features = features_for(game, ZERO)
    if isinstance(features, WatchedFeatures) and not json:
        notes.print("What the network sees, found by watching random games:")
        for line in features.explained():
            notes.print(words(f"  {line}", "dim"), soft_wrap=True)
    if minutes is None and games is None:
        minutes = MINUTES
    with _shown() as show:
        training = train_zero(
            game,
            path,
            minutes=minutes,
            games=games,
            seed=seed,
            workers=workers,
            width=width,
            resume=resume,
            manner=Manner(mix=mix),
            teacher=teacher,
            engine=engine,
            address=address,
            progress=show,
        )
    if json:
        print_json(_document(training, path))
    else:
        _tell(training, path)
    if training.interrupted:
        raise typer.Exit(INTERRUPTED)


@contextmanager
def _shown() -> Iterator[Callable[[TrainingProgress, float], None]]:
    """A bar with the games, positions and losses so far, and a line above it for each match."""
    columns = (BarColumn(), TaskProgressColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=notes, transient=True, disable=not notes.is_terminal) as bar:
        task = bar.add_task("", total=1.0)
        told = 0

        def show(now: TrainingProgress, part: float) -> None:
            nonlocal told
            losses = f"losses {now.policy_loss:.3f} (policy) {now.value_loss:.3f} (value)"
            bar.update(task, completed=part, description=f"{now.games:,} games, {now.positions:,} positions, {losses}")
            for row in now.history[told:]:
                notes.print(_match(row), soft_wrap=True)
            told = len(now.history)

        yield show


def _match(row: dict[str, Any]) -> str:
    """A sentence about the matches of a gate."""
    gate = f"{_share(row['gate'])} against the best so far, " if row["gate"] else ""
    kept = "which it replaces; " if row["gate"] and row["promoted"] else "which stays; " if row["gate"] else ""
    return f"After {row['games']:,} games: {gate}{kept}{_share(row['strength'])} against {escape(row['opponent'])}"


def _share(share: dict[str, float]) -> str:
    return f"{share['share']:.1%} ({share['low']:.1%} – {share['high']:.1%})"


def _tell(training: ZeroTraining, path: Path) -> None:
    now = training.progress
    if training.interrupted:
        screen.print("Interrupted; what was learned is kept, and --resume continues.")
    screen.print(
        f"Learned {escape(now.game)} from [bold]{now.games:,}[/] games and {now.positions:,} positions "
        f"in {now.seconds:.1f} s; losses {now.policy_loss:.3f} (policy) and {now.value_loss:.3f} (value)."
    )
    if now.history:
        screen.print(_match(now.history[-1]), soft_wrap=True)
    screen.print(words(f"Wrote {path}. Play against it with zero:net={path}"), soft_wrap=True)
    if now.history:
        screen.print(words(f"See how it learned: {shlex.join(['kibitz', 'report', str(path)])}"), soft_wrap=True)


def _document(training: ZeroTraining, path: Path) -> dict[str, object]:
    return {**asdict(training.progress), "interrupted": training.interrupted, "file": str(path)}
