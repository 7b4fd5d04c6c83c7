"""Mexican Train: whether every game ends, how fast it is, and how strong its bots are.

    python benchmarks/mexican_train.py ends      length and blocked rounds of games with 2 to 8 players
    python benchmarks/mexican_train.py speed     random games per second, and the time for a large hand, on one core
    python benchmarks/mexican_train.py figures   ai2 and shed, compared with figures from elsewhere
    python benchmarks/mexican_train.py maxn      maxn with more nodes, pruned and not, in both kinds of worlds
    python benchmarks/mexican_train.py cost      milliseconds per move of every bot, with 2 to 8 players

--games is the number of games in each row, --workers the number of processes. The ladder of all bots, and what each
idea of `best` gains, are matches of gauntlets.py.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import kibitz
from kibitz.compiler import compiled, native, numbers, records
from kibitz.games.mexican_train.rules import COUNTING, MexicanTrain
from kibitz.players.compiled_player import CompiledPlayer
from kibitz.players.roster import resolve_all
from kibitz.rules.contract import CHANCE, OVER
from kibitz.rules.engine import Engine
from kibitz.rules.rng import Stream
from kibitz.table.compiled_games import choose
from kibitz.tournament.compiled_match import CompiledMatch
from kibitz.tournament.statistics import Share

COUNTS = range(2, 9)  # of players
MIXED = ("ai2", "random", "shed")
BOTS = (
    "random",
    "ai2",
    "keen",
    "maxn",
    "paranoid",
    "brs",
    "pimc:sims=200",
    "ismcts:sims=200,by=shed",
    "best:deals=400",
)
FIGURES = [  # a bot, its opponents, their number, the win rate claimed, and that measured elsewhere
    ("ai2:gates=no", "random", 1, "70", "79.2"),
    ("ai2:gates=no", "random", 2, "47", "55.0"),
    ("ai2:gates=no", "random", 3, "32", "42.5"),
    ("ai2:gates=no", "random", 5, "20", "30.7"),
    ("shed", "random", 3, "", "62.8"),
    ("shed", "ai2:gates=no", 3, "", "37.4"),
    ("ai2", "random", 3, "", ""),
    ("shed", "ai2", 3, "", ""),
]
NODES = (300, 3000, 30_000)
EQUAL = 5000  # nodes, for comparisons
PRUNED = (
    "maxn:nodes={}",
    "maxn:nodes={},speculative=yes",
    "maxn:nodes={},deep=yes",
    "paranoid:nodes={}",
    "brs:nodes={}",
)
LARGE_HAND = 34

console = Console()


# ---------------------------------------------------------------------- do all games end?

PLIES, LONGEST, ROUNDS, BLOCKED, DECISIONS, CHOICES, OPTIONS, LARGEST = range(8)


@compiled
def play_through(game: Any, line_up: Any, states: Any, moves: Any, games: int, rng: Any, counts: Any) -> None:
    """Play games in which the line-up rotates through the seats, and count what happens."""
    for number in range(games):
        states[1] = states[0]
        s = states[1]
        plies = 0
        while s.turn != OVER and plies < game.max_plies:
            if s.turn == CHANCE:
                move = game.sample(s, rng)
            else:
                available = game.moves(s, moves)
                counts[DECISIONS] += 1
                counts[CHOICES] += available > 1
                counts[OPTIONS] += available if available > 1 else 0
                counts[LARGEST] = max(counts[LARGEST], s.size[s.turn])
                move = choose(game, line_up, (number + s.turn) % len(line_up), s, moves, available, s.turn, rng)
            was_counting = s.phase == COUNTING
            game.play(s, move)
            plies += 1
            if s.phase == COUNTING and not was_counting:
                counts[ROUNDS] += 1
                counts[BLOCKED] += s.stuck == game.players
        counts[PLIES] += plies
        counts[LONGEST] = max(counts[LONGEST], plies)


def ends(options: argparse.Namespace) -> None:
    """Check that every game ends before max_plies; show how long games are and how many rounds are blocked."""
    titles = (
        "players",
        "bots",
        "rounds per game",
        "moves per round",
        "options per choice",
        "blocked",
        "most plies",
        "largest hand",
    )
    table = Table(*titles, title=f"{options.games:,} games each, all of which ended")
    for players in COUNTS:
        for specs in (("random",), MIXED):
            rules = MexicanTrain(players=players)
            counts = count_games(rules, specs, options.games)
            if counts[LONGEST] >= rules.max_plies:
                raise SystemExit(f"A game of {players} players did not end.")
            table.add_row(
                str(players),
                "random" if len(specs) == 1 else "mixed",
                f"{counts[ROUNDS] / options.games:.2f}",
                f"{counts[DECISIONS] / counts[ROUNDS]:.1f}",
                f"{counts[OPTIONS] / counts[CHOICES]:.2f}",
                f"{100 * counts[BLOCKED] / counts[ROUNDS]:.1f} %",
                f"{counts[LONGEST]:,}",
                str(counts[LARGEST]),
            )
    console.print(table)


def count_games(rules: MexicanTrain, specs: Sequence[str], games: int) -> Any:
    players: list[CompiledPlayer] = [kibitz.bot(spec, rules) for spec in specs]
    line_up = tuple((player, player.memory(rules)) for player in players)
    states, counts = records(2, rules.dtype), numbers(8, "i8")
    states[0] = native(Engine(rules).start())
    play_through(rules, line_up, states, numbers(rules.max_moves, "i8"), games, Stream("ends").words, counts)
    return counts


# ---------------------------------------------------------------------- speed


def speed(options: argparse.Namespace) -> None:
    table = Table("", "", title="Mexican Train, one core")
    for players in (2, 4, 8):
        rules, count = MexicanTrain(players=players), np.arange(options.games)
        match = CompiledMatch(rules, resolve_all(["random"], rules), 1)
        seats = np.zeros((options.games, players), "i2")
        match.play(count[:100], count[:100], seats[:100], False)
        started = time.process_time()
        match.play(count, count, seats, False)
        rate = options.games / (time.process_time() - started)
        table.add_row(f"games of {players} random bots", f"{rate:,.0f} per second")
    for bot in ("ai2", "shed"):
        mean, most = thinking(bot, 300)
        table.add_row(f"{bot} with a hand of {LARGE_HAND} tiles", f"{mean:.2f} ms per move, {most:.2f} at most")
    console.print(table)


def thinking(spec: str, positions: int) -> tuple[float, float]:
    """Milliseconds for the first move with a large hand, whose best sequence is searched for: mean and maximum."""
    rules, spent = MexicanTrain(players=2, hand=LARGE_HAND), []
    for seed in range(positions):
        table, player = kibitz.Table(rules, seed=seed), kibitz.bot(spec, rules)
        view = table.view(table.turn)
        if len(view.moves) > 1:
            started = time.process_time()
            player.choose(view)
            spent.append(1000 * (time.process_time() - started))
    return float(np.mean(spent[1:])), float(np.max(spent[1:]))  # the first one loads the code


# ---------------------------------------------------------------------- strength


def shown(share: Share) -> str:
    return f"{100 * share.share:.1f} % ({100 * share.low:.1f}–{100 * share.high:.1f})"


def share_against(one: str, others: str, opponents: int, options: argparse.Namespace) -> Share:
    """The win rate of one bot against several of another, in all seats and with the same tiles in each."""
    rules = MexicanTrain(players=opponents + 1)
    result = kibitz.arena(rules, [one, others], options.games, options.seed, format="gauntlet", workers=options.workers)
    return next(standing.share for standing in result.ranking if standing.bot == one)


def figures(options: argparse.Namespace) -> None:
    table = Table("bot", "against", "fair", "claimed", "elsewhere", "here", title=f"{options.games:,} games each")
    for one, other, opponents, claimed, elsewhere in FIGURES:
        share = share_against(one, other, opponents, options)
        fair = f"{100 / (opponents + 1):.1f}"
        table.add_row(one, f"{opponents} {other}", fair, claimed, elsewhere, shown(share))
        console.print(f"[dim]{one} against {opponents} {other}: {shown(share)}[/]")
    console.print(table)


def maxn(options: argparse.Namespace) -> None:
    """Does more search help, does pruning hurt, and which worlds are better? At tables of three players."""
    rows = [(f"maxn:nodes={nodes},worlds={worlds}", "random") for worlds in ("redeal", "possible") for nodes in NODES]
    plain = PRUNED[0].format(EQUAL)
    for spec in PRUNED:
        rows.append((spec.format(EQUAL), "random"))
    rows += [(spec.format(EQUAL), plain) for spec in PRUNED[1:]]
    rows += [(f"{plain},worlds=possible", plain)]
    table = Table("bot", "against two", "win rate (33.3 % is fair)", title=f"{options.games:,} games each, 3 players")
    for one, other in rows:
        share = share_against(one, other, 2, options)
        table.add_row(one, other, shown(share))
        console.print(f"[dim]{one} against two {other}: {shown(share)}[/]")
    console.print(table)


def cost(options: argparse.Namespace) -> None:
    """Milliseconds per move where there is a choice, in positions of random games."""
    table = Table("bot", *map(str, COUNTS), title="ms per move, by number of players")
    for spec in options.bots:
        table.add_row(spec, *(f"{milliseconds(spec, players):.1f}" for players in COUNTS))
    console.print(table)


def milliseconds(spec: str, players: int, decisions: int = 20) -> float:
    rules, chance = MexicanTrain(players=players), random.Random(1)
    table, bot, spent = kibitz.Table(rules, seed=1), kibitz.bot(spec, rules), []
    while len(spent) <= decisions:
        if table.over:
            table = kibitz.Table(rules, seed=len(spent))
        view = table.view(table.turn)
        if len(view.moves) > 1:
            started = time.process_time()
            bot.choose(view)
            spent.append(1000 * (time.process_time() - started))
        table.play(chance.choice(view.moves))
    return float(np.mean(spent[1:]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    tasks = {task.__name__: task for task in (ends, speed, figures, maxn, cost)}
    parser.add_argument("what", choices=tasks)
    parser.add_argument("--games", type=int, default=20_000)
    parser.add_argument("--bots", nargs="+", default=BOTS)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1)
    options = parser.parse_args()
    tasks[options.what](options)


if __name__ == "__main__":
    main()
