"""Ur: how strong its bots and learners are. (benchmarks/solve_ur.py measures the solver, `kibitz bench` the speed.)

python benchmarks/ur.py ladder --games 20000              # all bots against each other, with known win rates
python benchmarks/ur.py learn --seeds 10                  # the tree of brains: ten training runs of 10,000 games each
python benchmarks/ur.py learn --seeds 5 --method td       # temporal differences
python benchmarks/ur.py learn --seeds 10 --raw            # the brain of the tree chosen by its raw win rate
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from pathlib import Path

from rich.console import Console
from rich.table import Table

import kibitz
from kibitz.learn import train

ROSETTES, POW2 = "greedy:values=rosettes", "greedy:values=pow2"
LADDER = ("perfect", "learned", ROSETTES, POW2, "last", "random", "first")
# Win rates in per cent, measured by others in 40,000 games each, within ±0.25.
KNOWN = {
    ("perfect", "random"): 95.8,
    ("perfect", POW2): 87.6,
    ("perfect", "learned"): 72.2,
    ("learned", "random"): 92.0,
    ("learned", POW2): 75.6,
    ("learned", ROSETTES): 71.3,
    (ROSETTES, "random"): 79.3,
    (ROSETTES, POW2): 54.0,
    ("perfect", ROSETTES): 85.5,
    (POW2, "random"): 75.2,
    ("last", "random"): 73.7,
    (POW2, "last"): 50.5,
    ("learned", "last"): 76.2,
    ("perfect", "last"): 87.8,
    ("random", "first"): 80.7,
    (POW2, "first"): 94.2,
    ("learned", "first"): 98.6,
    ("perfect", "first"): 98.6,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["ladder", "learn"])
    parser.add_argument("--games", type=int, default=20_000, help="games per pair of bots")
    parser.add_argument("--seed", type=int, default=1, help="seed of the games between bots")
    parser.add_argument("--method", default="tree", help="tree or td")
    parser.add_argument("--seeds", type=int, default=10, help="training runs, with seeds from 0")
    parser.add_argument("--lessons", type=int, default=10_000, help="games per training run")
    parser.add_argument("--opponent", default="self")
    parser.add_argument("--raw", action="store_true")
    options = parser.parse_args()
    Console(width=130).print(ladder(options) if options.what == "ladder" else learn(options))


def share(first: str, second: str, games: int, seed: int) -> float:
    """The first bot's share of the win in per cent."""
    result = kibitz.arena("ur", [first, second], games=games, seed=seed)
    took = result.pair(0, 1)
    assert took is not None
    return 100 * took.share


def ladder(options: argparse.Namespace) -> Table:
    table = Table(
        "Row against column", *LADDER[1:], title=f"Ur, {options.games:,} games per pair; known win rates in brackets"
    )
    for place, first in enumerate(LADDER[:-1]):
        cells = []
        for second in LADDER[1:]:
            if LADDER.index(second) <= place:
                cells.append("")
                continue
            took = share(first, second, options.games, options.seed)
            known = KNOWN.get((first, second))
            cells.append(f"{took:.1f}" + (f" ({known})" if known else ""))
        table.add_row(first, *cells)
    return table


def learn(options: argparse.Namespace) -> Table:
    opponents = ("random", ROSETTES, "learned", "perfect")
    title = f"Learned by {options.method} from {options.lessons:,} games; then {options.games:,} against each"
    table = Table("Seed", "seconds", *opponents, title=title)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "brain.json"
        for seed in range(options.seeds):
            training = train(
                "ur", options.lessons, seed, method=options.method, opponent=options.opponent, raw=options.raw
            )
            training.brain.write(path)
            shares = [share(f"learned:file={path}", other, options.games, options.seed) for other in opponents]
            rows.append([training.seconds, *shares])
            table.add_row(str(seed), f"{training.seconds:.2f}", *(f"{took:.1f}" for took in shares))
            print(f"seed {seed}: {training.seconds:.2f} s, " + ", ".join(f"{took:.1f}" for took in shares), flush=True)
    columns = list(zip(*rows, strict=True))
    table.add_section()
    means = [statistics.fmean(column) for column in columns]
    table.add_row("mean", f"{means[0]:.2f}", *(f"{mean:.1f}" for mean in means[1:]))
    table.add_row("lowest", f"{min(columns[0]):.2f}", *(f"{min(column):.1f}" for column in columns[1:]))
    table.add_row("highest", f"{max(columns[0]):.2f}", *(f"{max(column):.1f}" for column in columns[1:]))
    return table


if __name__ == "__main__":
    main()
