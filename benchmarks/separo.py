"""SEPARO: what each idea in `uct-tuned` is worth, and how strong its bots are. (`kibitz bench` measures its speed.)

    python benchmarks/separo.py ideas  --ms 100 --games 400   # each idea against `uct-tuned` without it
    python benchmarks/separo.py bars   --ms 200 --games 1000  # against uct-classic, and two threads against one: hours
    python benchmarks/separo.py ladder --games 400            # all bots against each other

Games are played in pairs with colours swapped, on one worker; with two threads nothing else should run on the machine.
"""

from __future__ import annotations

import argparse

from rich.console import Console
from rich.table import Table

import kibitz
from kibitz.games.separo.bots import UCT

LADDER = ("best", "uct-tuned", "uct:sims=30000", "uct-classic", "uct:sims=1000", "naive", "greedy", "random")
# What `uct-tuned` is compared with: its options without one of its ideas, or with one that was dropped.
IDEAS = {
    "c = 0.4, not 0.7": "c=0.7",
    "c = 0.4, not 0.28": "c=0.28",
    "urgent moves in playouts": "urgent=no",
    "MAST in playouts": "habit=0",
    "playouts to the end, not cut off after 6 plies and evaluated": "playout=6",
    "playouts to the end with MAST, not cut off without": "habit=0,playout=6",
    "leaves expanded at the first visit, not the third": "expand=3",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["ideas", "bars", "ladder"])
    parser.add_argument("--games", type=int, default=400, help="games per match")
    parser.add_argument("--ms", type=int, default=100, help="milliseconds per move")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.what == "ladder":
        games = options.games * len(LADDER) * (len(LADDER) - 1) // 2
        Console().print(kibitz.arena("separo", LADDER, games=games, seed=options.seed, workers=1))
    else:
        timed = f"ms={options.ms},sims=0"
        if options.what == "ideas":
            matches = {idea: (f"uct-tuned:{timed}", f"uct-tuned:{timed},{without}") for idea, without in IDEAS.items()}
        else:
            matches = {
                "against uct-classic": (f"uct-tuned:{timed}", f"uct-classic:{timed}"),
                "two threads on one tree": (f"uct-tuned:{timed},threads=2,shared=yes", f"uct-tuned:{timed}"),
            }
        show_matches(matches, options.games, options.seed)


def show_matches(matches: dict[str, tuple[str, str]], games: int, seed: int) -> None:
    table = Table("Match", "First", "Second", "Win rate of the first", "Games", title=f"uct-tuned is {UCT}")
    for name, (first, second) in matches.items():
        result = kibitz.arena("separo", [first, second], games=games, seed=seed, workers=1)
        share = result.pair(0, 1)
        assert share is not None
        interval = f"{100 * share.share:.1f} % ({100 * share.low:.1f}–{100 * share.high:.1f})"
        table.add_row(name, first, second, interval, str(result.played))
        print(f"{name}: {interval}", flush=True)
    Console().print(table)


if __name__ == "__main__":
    main()
