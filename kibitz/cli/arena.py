"""`kibitz arena`: a tournament."""

from __future__ import annotations

from typing import Annotated

import typer

from kibitz.arena import arena as play_tournament
from kibitz.cli.screen import GameArgument, JsonOption, print_json, progress_bar, screen


def arena(
    game: GameArgument,
    specs: Annotated[list[str], typer.Argument(metavar="SPEC…", help="The bots that play each other.")],
    games: Annotated[int, typer.Option(min=1, help="How many games in total.")] = 100,
    seed: Annotated[int, typer.Option(help="The same seed gives the same tournament.")] = 0,
    workers: Annotated[
        int | None, typer.Option(min=1, help="How many processes play.", show_default="all cores, when that is faster")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Play a tournament and estimate how strong each bot is.

    Seats rotate, and every rotation has the same luck. Where two play, all pairs of bots meet; at a larger table
    too few bots take several seats each. Ctrl-C ends the tournament early with what is finished.

    Example: `kibitz arena connect_four uct:sims=1000 uct:sims=100 random --games 600`
    """
    with progress_bar("Playing") as step:
        result = play_tournament(game, specs, games=games, seed=seed, workers=workers, progress=step)
    if json:
        print_json(result.summary())
    else:
        screen.print(result)
    if result.interrupted:
        raise typer.Exit(130)
