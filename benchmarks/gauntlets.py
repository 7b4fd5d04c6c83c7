"""One bot against tables full of another, in matches that can be stopped, continued, and split by seed.

    python benchmarks/gauntlets.py FOLDER GAME … --bots BOT … --against BOT … [--games 1000] [--seeds 1 …]

In each game, each of the --bots plays --games games per seed against each of the bots --against, in all seats with the
same luck. Every match is logged in a folder of its own in FOLDER. So the same command continues where it was stopped,
and other seeds can be played elsewhere: copy their folders into FOLDER, and name all seeds. A bot against itself is
left out. The table pools the seeds, and compares each bot with the first one in the games with the same luck, with a
95 % interval. Sample sizes are part of the command: fix them before you look.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from pathlib import Path
from statistics import mean, stdev

from rich.console import Console
from rich.table import Table

import kibitz
from kibitz.records.games import Games
from kibitz.records.log import Log
from kibitz.tournament.statistics import Share, Z, share_of

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


def payoffs_by_group(matches: Sequence[Games]) -> dict[tuple[int, int], list[float]]:
    """What the bot that plays alone got in each group of games with the same luck: by match and group."""
    groups: dict[tuple[int, int], list[float]] = {}
    for number, games in enumerate(matches):
        alone = games.payoff[games.bots == ONE]
        for group, payoff in zip(games.group.tolist(), alone.tolist(), strict=True):
            groups.setdefault((number, group), []).append(payoff)
    return groups


def pooled(matches: Sequence[Games]) -> Share:
    return share_of(list(payoffs_by_group(matches).values()))


def compared(matches: Sequence[Games], others: Sequence[Games]) -> str:
    """By how many points the share of one bot exceeds that of another with the same luck."""
    ours, theirs = payoffs_by_group(matches), payoffs_by_group(others)
    differences = [100 * (mean(ours[group]) - mean(theirs[group])) for group in sorted(ours.keys() & theirs.keys())]
    if len(differences) < 2:
        return "–"
    return f"{mean(differences):+.1f} ± {Z * stdev(differences) / len(differences) ** 0.5:.1f}"


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
    table = Table("game", "bot", "against", "games", "win share", "95 % interval", "points more", "ms per move")
    for game in options.game:
        for others in options.against:
            first: list[Games] = []
            for one in options.bots:
                if one == others:
                    continue
                matches = [
                    play(options.folder, game, one, others, options.games, seed, options.workers)
                    for seed in options.seeds
                ]
                first = first or matches
                share, games = pooled(matches), sum(map(len, matches))
                row = (
                    f"{games:,}",
                    f"{100 * share.share:.1f} %",
                    f"{100 * share.low:.1f}–{100 * share.high:.1f}",
                    compared(matches, first) if matches is not first else "",
                    f"{milliseconds(matches):.1f}",
                )
                table.add_row(game, one, others, *row)
                console.print(f"[dim]{game}: {one} against {others}: {' | '.join(row)}[/]")
    console.print(table)


if __name__ == "__main__":
    main()
