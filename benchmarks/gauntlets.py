"""One bot against tables full of another, in matches that can be stopped, continued, and split by seed.

    python benchmarks/gauntlets.py FOLDER GAME … --bots BOT … --against BOT … [--games 1000] [--seeds 1 …]

In each game, each of the --bots plays --games games per seed against each of the bots --against, in all seats with the
same luck. Every match is logged in a folder of its own in FOLDER. So the same command continues where it was stopped,
and other seeds can be played elsewhere: copy their folders into FOLDER, and name all seeds. A bot against itself is
left out. The table pools the seeds. Sample sizes are part of the command: fix them before you look.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

import kibitz
from kibitz.records.games import Games
from kibitz.records.log import Log
from kibitz.tournament.statistics import Share, share_of

ONE = 0  # the number in a log of the bot that plays alone

console = Console()


def match_folder(folder: Path, game: str, one: str, others: str, seed: int) -> Path:
    """Where the games of a match are logged."""
    plain = (re.sub(r"\W+", "-", name) for name in (game, f"{one} against {others}"))
    return folder.joinpath(*plain, f"seed-{seed}")


def play(folder: Path, game: str, one: str, others: str, games: int, seed: int, workers: int) -> Games:
    """Play a match, or what is missing of it; return all its games."""
    log = match_folder(folder, game, one, others, seed)
    kibitz.arena(
        game, [one, others], games, seed, format="gauntlet", workers=workers, log=log, resume=True, keep_moves=False
    )
    return Log(log).games()


def payoffs_by_group(games: Games) -> list[list[float]]:
    """What the bot that plays alone got in each group of games with the same luck."""
    groups: dict[int, list[float]] = {}
    alone = games.payoff[games.bots == ONE]
    for group, payoff in zip(games.group.tolist(), alone.tolist(), strict=True):
        groups.setdefault(group, []).append(payoff)
    return list(groups.values())


def pooled(matches: Sequence[Games]) -> Share:
    return share_of([group for games in matches for group in payoffs_by_group(games)])


def milliseconds(matches: Sequence[Games]) -> float:
    """The thinking time per move of the bot that plays alone."""
    seconds = sum(games.seconds[games.bots == ONE].sum() for games in matches)
    return float(1000 * seconds / sum(games.choices[games.bots == ONE].sum() for games in matches))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("game", nargs="+")
    parser.add_argument("--bots", nargs="+", required=True)
    parser.add_argument("--against", nargs="+", required=True)
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--seeds", nargs="+", type=int, default=[1])
    parser.add_argument("--workers", type=int, default=1)
    options = parser.parse_args()
    table = Table("game", "bot", "against", "games", "win share", "95 % interval", "ms per move")
    for game in options.game:
        for others in options.against:
            for one in options.bots:
                if one == others:
                    continue
                matches = [
                    play(options.folder, game, one, others, options.games, seed, options.workers)
                    for seed in options.seeds
                ]
                share, games = pooled(matches), sum(map(len, matches))
                row = (
                    f"{games:,}",
                    f"{100 * share.share:.1f} %",
                    f"{100 * share.low:.1f}–{100 * share.high:.1f}",
                    f"{milliseconds(matches):.1f}",
                )
                table.add_row(game, one, others, *row)
                console.print(f"[dim]{game}: {one} against {others}: {' | '.join(row)}[/]")
    console.print(table)


if __name__ == "__main__":
    main()
