"""`kibitz arena`: play a tournament."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from kibitz.cli.completion import complete_bot
from kibitz.cli.screen import (
    INTERRUPTED,
    AddressOption,
    JsonOption,
    LimitOption,
    OptionalGame,
    SandboxOption,
    notes,
    print_json,
    screen,
    words,
)
from kibitz.cli.trust import TrustOption, trusted_log
from kibitz.errors import KibitzError
from kibitz.players.seating import BOT_MEMORY, MOVE_SECONDS
from kibitz.sandbox.levels import AUTO
from kibitz.tournament.executors import LOCAL
from kibitz.tournament.result import ArenaResult
from kibitz.tournament.schedule import ROUND_ROBIN
from kibitz.tournament.sprt import Sprt
from kibitz.tournament.standings import number
from kibitz.tournament.tournament import arena as play_tournament

Bots = Annotated[
    list[str] | None,
    typer.Argument(metavar="SPEC…", help="The bots that play each other.", autocompletion=complete_bot),
]
Games = Annotated[int | None, typer.Option(min=1, help="The total number of games.", show_default="100")]
Seed = Annotated[int | None, typer.Option(help="The same seed gives the same tournament.", show_default="random")]
Secret = Annotated[
    str | None,
    typer.Option(
        metavar="HEX",
        help="The secret of a finished tournament, to reproduce it together with its seed.",
        show_default="random, if a bot does not ship with kibitz",
    ),
]
Format = Annotated[
    str | None, typer.Option(help="round-robin, or gauntlet: the first bot against the rest.", show_default=ROUND_ROBIN)
]
Paired = Annotated[
    bool | None,
    typer.Option(
        "--paired/--no-paired", help="Play all rotations of the seats with the same luck.", show_default="yes"
    ),
]
Opening = Annotated[
    int | None,
    typer.Option(
        min=0,
        help="The number of random moves at the start of every game, the same in all rotations of the seats.",
        show_default="0",
    ),
]
Workers = Annotated[
    int | None, typer.Option(min=1, help="The number of cores to use.", show_default="all cores, if that is faster")
]
Engine = Annotated[
    str, typer.Option(help="serial, threads, processes, or local: the fastest of them; or ray: a cluster.")
]
MoveTime = Annotated[
    float | None,
    typer.Option(
        help="The time limit per move, in seconds, for bots that do not ship with kibitz.",
        show_default=f"{MOVE_SECONDS:g}",
    ),
]
BotMemory = Annotated[
    float | None,
    typer.Option(
        metavar="GB",
        help="The memory limit of each bot that does not ship with kibitz.",
        show_default=f"{BOT_MEMORY:g}",
    ),
]
Test = Annotated[
    str | None, typer.Option(metavar="elo0=…,elo1=…", help="Stop as soon as a sequential test (SPRT) is decided.")
]
NewLog = Annotated[Path | None, typer.Option(metavar="DIR", help="Log every game to a new folder.")]
KeepMoves = Annotated[
    bool | None,
    typer.Option("--moves/--no-moves", help="Log the moves of the games, to replay them.", show_default="yes"),
]
OldLog = Annotated[Path | None, typer.Option(metavar="DIR", help="Resume the tournament with this log.")]


def arena(
    game: OptionalGame = None,
    specs: Bots = None,
    games: Games = None,
    seed: Seed = None,
    secret: Secret = None,
    format: Format = None,
    paired: Paired = None,
    opening: Opening = None,
    workers: Workers = None,
    engine: Engine = LOCAL,
    address: AddressOption = None,
    move_time: MoveTime = None,
    bot_memory: BotMemory = None,
    sandbox: SandboxOption = AUTO,
    limit: LimitOption = None,
    sprt: Test = None,
    log: NewLog = None,
    keep_moves: KeepMoves = None,
    resume: OldLog = None,
    json: JsonOption = False,
    trust: TrustOption = False,
) -> None:
    """Play a tournament and estimate how strong each bot is.

    Seats rotate, and every rotation has the same luck. In games for two, all pairs of bots meet; in games for more
    players, all combinations do, and if there are too few bots, each takes several seats. Ctrl-C ends the tournament
    early and shows the result so far. With `--log`, every finished game survives even a crash; `--resume DIR` alone
    continues from there.

    Examples: `kibitz arena connect_four uct:sims=1000 uct:sims=100 random --games 600`,
    `kibitz arena connect_four uct:c=0.8 uct:c=1.4 --games 20000 --sprt elo0=0,elo1=20`
    """
    if log is not None and resume is not None:
        raise KibitzError("Use --log to start a tournament or --resume to continue one, not both.")
    given: dict[str, Any] = {
        "game": game,
        "bots": specs or None,
        "games": games,
        "seed": seed,
        "secret": secret,
        "format": format,
        "paired": paired,
        "opening": opening,
        "move_time": move_time,
        "bot_memory": bot_memory,
        "sandbox": None if sandbox == AUTO else sandbox,
        "limit": limit,
        "sprt": Sprt.parse(sprt) if sprt is not None else None,
        "keep_moves": keep_moves,
    }
    what = {name: value for name, value in given.items() if value is not None}
    if resume is not None:
        what = {
            name: value for name, value in _logged(resume, trust or game is not None).items() if name in given
        } | what
    if "game" not in what or "bots" not in what:
        raise KibitzError("A tournament needs a game and bots (kibitz arena GAME SPEC…) or a log (--resume DIR).")
    with _live_standings() as show:
        result = play_tournament(
            **what,
            workers=workers,
            engine=engine,
            address=address,
            log=log or resume,
            resume=resume is not None,
            progress=show,
        )
    if json:
        print_json(result.summary())
    else:
        screen.print(result)
        if result.interrupted and (folder := log or resume):
            screen.print(words(f"To play the rest: kibitz arena --resume {folder}"), soft_wrap=True)
    if result.interrupted:
        raise typer.Exit(INTERRUPTED)


def _logged(folder: Path, trust: bool) -> dict[str, Any]:
    """The tournament of a log. If the command line contradicts it, opening the log fails."""
    what = trusted_log(folder, trust).tournament
    return what | {"sprt": Sprt(**what["sprt"]) if what.get("sprt") else None}


@contextlib.contextmanager
def _live_standings() -> Iterator[Callable[[ArenaResult], None] | None]:
    """Live standings above a progress bar on stderr; silent if stderr is not a terminal."""
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
    task = bar.add_task("", total=None, rate="")
    with Live(bar, console=notes, transient=True, refresh_per_second=4) as live:

        def show(result: ArenaResult) -> None:
            rate = f"{number(result.rate)} games/s"
            bar.update(task, completed=result.played, total=result.schedule.games, rate=rate)
            live.update(Group(result, "", bar))

        yield show
