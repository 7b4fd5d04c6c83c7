"""`kibitz arena`: a tournament."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from kibitz.arena import ArenaResult
from kibitz.arena import arena as play_tournament
from kibitz.arena.isolation import MOVE_SECONDS
from kibitz.arena.schedule import ROUND_ROBIN
from kibitz.arena.sprt import Sprt
from kibitz.cli.screen import GameArgument, JsonOption, notes, print_json, screen
from kibitz.errors import KibitzError

Workers = Annotated[
    int | None, typer.Option(min=1, help="How many cores play.", show_default="all cores, when that is faster")
]


def arena(
    game: GameArgument,
    specs: Annotated[list[str], typer.Argument(metavar="SPEC…", help="The bots that play each other.")],
    games: Annotated[int, typer.Option(min=1, help="How many games in total.")] = 100,
    seed: Annotated[int, typer.Option(help="The same seed gives the same tournament.")] = 0,
    format: Annotated[str, typer.Option(help="round-robin, or gauntlet: the first bot against all.")] = ROUND_ROBIN,
    paired: Annotated[bool, typer.Option(help="Play all rotations of the seats with the same luck.")] = True,
    workers: Workers = None,
    engine: Annotated[str, typer.Option(help="Where to play: local.")] = "local",
    move_time: Annotated[float, typer.Option(help="Seconds a move for bots from outside kibitz.")] = MOVE_SECONDS,
    sprt: Annotated[
        str | None, typer.Option(metavar="elo0=…,elo1=…", help="Stop as soon as the better hypothesis is known.")
    ] = None,
    log: Annotated[Path | None, typer.Option(metavar="DIR", help="Keep every game in a new folder.")] = None,
    resume: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Go on with the tournament whose log is here.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Play a tournament and estimate how strong each bot is.

    Seats rotate, and every rotation has the same luck. Where two play, all pairs of bots meet; at a larger table
    too few bots take several seats each. Ctrl-C ends the tournament early with what is finished; with `--log` nothing
    is lost even when the power fails, and `--resume` goes on from there.

    Examples: `kibitz arena connect_four uct:sims=1000 uct:sims=100 random --games 600`,
    `kibitz arena connect_four uct:c=0.8 uct:c=1.4 --games 20000 --sprt elo0=0,elo1=20`
    """
    if engine != "local":
        raise KibitzError(f"There is no engine {engine!r}; there is local.")
    if log is not None and resume is not None:
        raise KibitzError("Give --log to begin a tournament or --resume to go on with one, not both.")
    with _live_standings(games) as show:
        result = play_tournament(
            game,
            specs,
            games=games,
            seed=seed,
            format=format,
            paired=paired,
            workers=workers,
            move_time=move_time,
            sprt=Sprt.parse(sprt) if sprt is not None else None,
            log=log or resume,
            resume=resume is not None,
            progress=show,
        )
    if json:
        print_json(result.summary())
    else:
        screen.print(result)
    if result.interrupted:
        raise typer.Exit(130)


@contextlib.contextmanager
def _live_standings(games: int) -> Iterator[Callable[[ArenaResult], None] | None]:
    """The standings so far above a bar, on stderr; nothing where that is not a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    bar = Progress(
        TextColumn("Playing"),
        BarColumn(bar_width=30),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(compact=True),
        console=notes,
    )
    task = bar.add_task("", total=games, rate="")
    with Live(bar, console=notes, transient=True, refresh_per_second=4) as live:

        def show(result: ArenaResult) -> None:
            rate = result.games / result.seconds
            bar.update(task, completed=result.games, rate=f"{rate:,.0f} games/s".replace(",", " "))
            live.update(Group(result, bar))

        yield show
