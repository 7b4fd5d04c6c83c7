"""`kibitz warm`: compile games and bots ahead of time."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from typing import Annotated

import typer
from rich.markup import escape

from kibitz.cli.completion import complete_game
from kibitz.cli.screen import progress_bar, screen
from kibitz.cluster import available_cores
from kibitz.compiler import is_plain, stats
from kibitz.display.wording import counted
from kibitz.errors import KibitzError
from kibitz.players.levels import levels_of
from kibitz.players.roster import resolve
from kibitz.players.warm_up import rehearse, try_out
from kibitz.rules.registry import find_game, game_names


def warm(
    games: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="GAME…",
            help="The games to compile.",
            show_default="all games that ship with kibitz",
            autocompletion=complete_game,
        ),
    ] = None,
    bots: Annotated[
        list[str] | None,
        typer.Option(
            "--bot", metavar="SPEC", help="A bot to compile; repeat it for more.", show_default="the game's levels"
        ),
    ] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, help="The number of cores to use.", show_default="all cores")
    ] = None,
) -> None:
    """Compile games and their bots ahead of time.

    Whatever is not compiled yet is compiled when it is first needed, which takes seconds. The machine code is kept in
    the cache until the rules change, so this is worth doing once, for example after an update.

    Examples: `kibitz warm`, `kibitz warm connect_four --bot uct --bot alphabeta`, `kibitz warm path/file.py:MyGame`
    """
    if is_plain():
        raise KibitzError("In plain mode nothing is compiled; unset KIBITZ_PLAIN.")
    jobs = {name: _specs(name, bots) for name in dict.fromkeys(games or game_names())}
    cores = min(workers or available_cores(), len(jobs))
    with progress_bar("Compiling") as step:
        step(0, len(jobs))
        for done, warmed in enumerate(_here(jobs) if cores == 1 else _in_processes(jobs, cores), 1):
            step(done, len(jobs))
            work = f"{counted(warmed.compiled, 'function')} compiled" if warmed.compiled else "already compiled"
            screen.print(f"[bold]{escape(warmed.game)}[/] with {counted(warmed.bots, 'bot')}: {work}.")


@dataclass(frozen=True)
class Warmed:
    """What has been done for one game."""

    game: str
    bots: int
    compiled: int  # the number of functions that did not come from the cache


def _specs(name: str, bots: Sequence[str] | None) -> list[str]:
    """The bots to compile for a game; an error if one of them cannot play it."""
    game = find_game(name)
    specs = bots or [level.spec for level in levels_of(game)]
    entrants = [resolve(spec, game) for spec in dict.fromkeys(specs)]
    for entrant in entrants:
        if entrant.is_stranger:
            raise KibitzError(f"{entrant.spec} does not ship with kibitz: what it compiles is not kept.")
    return [entrant.spec for entrant in entrants]


def _here(jobs: Mapping[str, Sequence[str]]) -> Iterator[Warmed]:
    for name, specs in jobs.items():
        yield _warm(name, specs)


def _in_processes(jobs: Mapping[str, Sequence[str]], count: int) -> Iterator[Warmed]:
    """Each game in one process: within a process, only one function is compiled at a time."""
    pool = ProcessPoolExecutor(count, mp_context=multiprocessing.get_context("spawn"))
    try:
        for job in as_completed([pool.submit(_warm, name, specs) for name, specs in jobs.items()]):
            yield job.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _warm(name: str, specs: Sequence[str]) -> Warmed:
    before, game = stats.compiled, find_game(name)
    rehearse(game)
    for spec in specs:
        try_out(game, resolve(spec, game).make())
    return Warmed(name, len(specs), stats.compiled - before)
