"""The ladders of the page: the bots that ship with kibitz, game by game.

`.venv/bin/python benchmarks/ladders.py [GAME …]` runs one command per game, `kibitz arena … --json`, and keeps the
result, with the command, in kibitz/web/ladders. All of them take about a quarter of an hour on one core. Bots are left
out that need a file or another library, that learn from game to game, or that are others under a second name.
"""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
import sys
import time
from dataclasses import dataclass
from math import comb
from pathlib import Path

import kibitz
from kibitz.players.roster import bots_for
from kibitz.rules.registry import find_game
from kibitz.rules.spec import parse_spec
from kibitz.version import VERSION

FOLDER = Path(kibitz.__file__).parent / "web" / "ladders"
MONTE_CARLO = "mc:sims=1000 uct:sims=1000 ismcts:sims=1000"
HIDDEN = "mc:sims=1000 ismcts:sims=1000 pimc:sims=1000"  # for games with hidden information
LOOKING_AHEAD = "maxn:nodes=5000 paranoid:nodes=5000"


@dataclass(frozen=True)
class LadderRun:
    """A tournament of all bots of a game, for two players."""

    game: str
    bots: str  # their specs
    meetings: int  # of each pair, in both seats
    opening: int = 0  # random moves at the start: where nothing is left to chance, some bots would repeat a game

    @property
    def command(self) -> list[str]:
        """What plays it."""
        bots = self.bots.split()
        games = 2 * self.meetings * comb(len(bots), 2)
        opening = ["--opening", str(self.opening)] if self.opening else []
        return ["kibitz", "arena", self.game, *bots, "--games", str(games), *opening, "--seed", "1", "--workers", "1"]


RUNS = [
    LadderRun(
        "connect_four",
        f"random greedy policy {MONTE_CARLO} {LOOKING_AHEAD} brs:nodes=5000 expectimax:depth=2 alphabeta:depth=6 "
        "alphabeta:nodes=100000 zero:sims=400 uct:sims=60 best",
        meetings=7,
        opening=2,
    ),
    LadderRun(
        "hexplode",
        f"random greedy hugger sentry minimax3 {MONTE_CARLO} {LOOKING_AHEAD} brs:nodes=5000 expectimax:depth=2 "
        "alphabeta:nodes=100000 best",
        meetings=2,
        opening=2,
    ),
    LadderRun(
        "separo",
        f"random greedy policy naive {MONTE_CARLO} {LOOKING_AHEAD} brs:nodes=5000 alphabeta:nodes=100000 zero:sims=400 "
        "uct:sims=60 uct-classic uct-tuned best",
        meetings=2,
        opening=2,
    ),
    LadderRun(
        "ur",
        f"random greedy first last learned {MONTE_CARLO} {LOOKING_AHEAD} brs:nodes=5000 expectimax:depth=2 perfect",
        meetings=20,
    ),
    LadderRun(
        "camelup:players=2",
        f"random roll leader quick ev ev-race ev-full {HIDDEN} {LOOKING_AHEAD} best",
        meetings=3,
    ),
    LadderRun(
        "mexican_train:players=2",
        "random greedy ai2 shed keen mc:sims=300 ismcts:sims=300 pimc:sims=300 maxn:nodes=2000 paranoid:nodes=2000 "
        "brs:nodes=2000 best",
        meetings=1,
    ),
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = [parse_spec(run.game).name for run in RUNS]
    parser.add_argument("games", nargs="*", metavar="GAME", help=f"all if none is given: {', '.join(names)}")
    chosen = parser.parse_args().games or names
    if unknown := [name for name in chosen if name not in names]:
        parser.error(f"there is no ladder of {', '.join(unknown)}; there are those of {', '.join(names)}")
    FOLDER.mkdir(exist_ok=True)
    for name, run in zip(names, RUNS, strict=True):
        if name in chosen:
            begun = time.perf_counter()
            play(run)
            print(f"{run.game}: {time.perf_counter() - begun:.0f} s", flush=True)


def play(run: LadderRun) -> None:
    """Run the command and keep what it prints, as far as the page shows it."""
    command = [sys.executable, "-m", *run.command, "--json"]
    result = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    words = bots_for(find_game(run.game))
    ladder = {
        "game": run.game,
        "command": shlex.join(run.command),
        "version": VERSION,
        "games": result["games"],
        "seconds": round(result["seconds"]),
        "standings": [
            {
                "bot": standing["bot"],
                "words": words[parse_spec(standing["bot"]).name],
                "games": standing["games"],
                "share": standing["share"],
                "rating": standing["rating"]["rating"],
                "low": standing["rating"]["low"],
                "high": standing["rating"]["high"],
                "move_ms": standing["move_ms"],
            }
            for standing in result["standings"]
        ],
    }
    name = run.game.partition(":")[0]
    (FOLDER / f"{name}.json").write_text(json.dumps(ladder, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
