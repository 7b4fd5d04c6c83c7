"""`kibitz puzzles`: find puzzles in games between bots, or in games that were recorded."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from kibitz.analysis.puzzles import Finder, Puzzle, searcher, write_puzzles
from kibitz.cli.screen import GameArgument, progress_bar, screen
from kibitz.display.wording import counted, loss_words
from kibitz.errors import KibitzError
from kibitz.players.levels import levels_of
from kibitz.records.log import Log
from kibitz.rules.contract import Game
from kibitz.rules.registry import find_game, spec_of
from kibitz.rules.rng import Stream

SPEC = "SPEC"


def puzzles(
    game: GameArgument,
    out: Annotated[Path, typer.Option(metavar="FILE", help="The file to write them to, as JSON.")],
    games: Annotated[int, typer.Option(min=1, help="The number of games to look at.")] = 100,
    most: Annotated[int, typer.Option("--most", min=1, help="Stop after this many puzzles.")] = 24,
    seed: Annotated[int, typer.Option(help="The same seed gives the same games and puzzles.")] = 1,
    log: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Look at the games of this log instead of playing some.")
    ] = None,
    players: Annotated[
        list[str] | None,
        typer.Option("--player", metavar=SPEC, help="A bot that plays; repeat it for more.", show_default="levels"),
    ] = None,
    scan: Annotated[str, typer.Option(metavar=SPEC, help="The quick search that looks for mistakes.")] = "best",
    check: Annotated[str, typer.Option(metavar=SPEC, help="The far stronger search that checks them.")] = "best",
    gap: Annotated[
        float, typer.Option(min=0.01, max=1.0, help="By how much of the win the best move exceeds all others.")
    ] = 0.15,
) -> None:
    """Find puzzles: positions in which one move is clearly best, and the player missed it.

    One search looks at every decision of a game; where it sees a mistake, a stronger one checks the position. At most
    one puzzle is taken from each game.

    Example: `kibitz puzzles connect_four --check alphabeta:nodes=5000000 --out puzzles.json`
    """
    rules = find_game(game)
    seats = tuple(players or [level.spec for level in levels_of(rules) if level.key in ("casual", "strong")])
    finder = Finder(rules, seats, scan, check, gap)
    for spec in (scan, check):
        searcher(spec, rules)  # fail before the first game
    with progress_bar("Looking for puzzles") as step:
        if log is None:
            found = finder.find(games, seed, most, lambda _, done: step(done, games))
        else:
            found = _in_log(finder, log, seed, games, most)
    if not found:
        raise KibitzError("There is no puzzle in these games; look at more --games, or ask for a smaller --gap.")
    write_puzzles(out, rules, _command(rules, seats, scan, check, gap, games, most, seed, log), found)
    screen.print(f"{counted(len(found), 'puzzle')} written to [bold]{escape(str(out))}[/]. {_summary(rules, found)}")


def _in_log(finder: Finder, path: Path, seed: int, games: int, most: int) -> list[Puzzle]:
    """Puzzles from the first games of a log."""
    log = Log(path)
    if log.tournament["game"] != spec_of(finder.game):
        raise KibitzError(f"{path} is a log of {log.tournament['game']}, not of {spec_of(finder.game)}.")
    log.is_trusted = True  # the game has been named
    found: list[Puzzle] = []
    for number in log.span()[1][:games]:
        if len(found) < most:
            found += finder.in_game(log.record(number), Stream("puzzles", seed, number), found)
    return found


def _summary(game: Game, found: list[Puzzle]) -> str:
    exact = sum(candidate.exact for puzzle in found for candidate in puzzle.candidates[:1])
    narrowest = min(puzzle.best.value - puzzle.candidates[1].value for puzzle in found)
    return f"The best move is ahead by at least {loss_words(game, narrowest)}; in {exact} of them, its value is proven."


def _command(
    game: Game,
    players: tuple[str, ...],
    scan: str,
    check: str,
    gap: float,
    games: int,
    most: int,
    seed: int,
    log: Path | None,
) -> str:
    """The command that finds the same puzzles, apart from where it writes them."""
    source = [f"--log={log}"] if log else [word for spec in players for word in ("--player", spec)]
    words = ["kibitz", "puzzles", spec_of(game), *source, "--scan", scan, "--check", check]
    return shlex.join([*words, "--gap", f"{gap:g}", "--games", str(games), "--most", str(most), "--seed", str(seed)])
