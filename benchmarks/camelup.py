"""Camel Up: how fast it is, how strong its bots are, and how exact its odds.

    python benchmarks/camelup.py speed     random games per second, and the time for exact odds, on one core
    python benchmarks/camelup.py seats     length of the game and win rate of each seat with four random bots
    python benchmarks/camelup.py ladder    each bot against three of another
    python benchmarks/camelup.py start     what a place at the start is worth: exact, and by simulation
    python benchmarks/camelup.py legs      the exact odds of 12 legs against simulated ones; fails if they differ
    python benchmarks/camelup.py later     the error of race odds that ignore tiles and crazy camels after the leg

--rules selects the rule set, --games the number of games (or of simulated races).
"""

from __future__ import annotations

import argparse
import random
import time
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import kibitz
from kibitz.compiler import compiled, native, numbers, records
from kibitz.games.camelup.forecast import forecast
from kibitz.games.camelup.leg_odds import foresee, new_odds
from kibitz.games.camelup.race_odds import leg_starts, start_ranks
from kibitz.games.camelup.rules import CamelUp
from kibitz.games.camelup.start_odds import exact_leaders, exact_odds
from kibitz.games.camelup.track import FACES
from kibitz.players.roster import resolve_all
from kibitz.rules.engine import Engine
from kibitz.rules.rng import Stream
from kibitz.tournament.compiled_match import CompiledMatch

MATCHES = [  # one of the first against three of the second
    ("roll", "random"),
    ("leader", "random"),
    ("ev", "random"),
    ("ev-race", "random"),
    ("ev-full", "random"),
    ("ev", "leader"),
    ("ev-race", "leader"),
    ("ev-race", "ev"),
    ("ev-full", "ev-race"),
    ("best", "random"),
    ("best", "ev-race"),
    ("best", "ev-full"),
]
FRESH = {  # legs with five dice and four tiles: stacks by square, bottom first, and the tiles
    "a start": ({0: [4, 2], 1: [0], 2: [3, 1]}, [3, -5, 7, -9]),
    "one stack": ({3: [0, 1, 2, 3, 4]}, [4, 6, -8, 10]),
    "in a row": ({5: [0], 6: [3], 7: [1], 8: [2], 9: [4]}, [11, -13, 15, 3]),
}
CRAZY = {14: [5], 12: [6]}  # and in the second edition

console = Console()


def speed(rules: CamelUp, games: int) -> None:
    table = Table("", "", title=f"Camel Up, {rules.rules} rules, one core")
    match, count = CompiledMatch(rules, resolve_all(["random"] * 4, rules), 1), np.arange(games)
    seats = np.tile(np.arange(4, dtype="i2"), (games, 1))
    for keep_moves in (False, True):
        match.play(count[:100], count[:100], seats[:100], keep_moves)
        started = time.process_time()
        match.play(count, count, seats, keep_moves)
        name = "games of four random bots" + (", keeping their moves" if keep_moves else "")
        table.add_row(name, f"{games / (time.process_time() - started):,.0f} per second")
    for name, (track, tiles) in FRESH.items():
        state = Engine(rules).start()
        state.leg, state.dice = 1, rules.leg_dice
        for square, stack in {**track, **CRAZY}.items() if rules.is_second else track.items():
            for height, camel in enumerate(stack):
                state.square[camel], state.height[camel] = square, height
        state.tile[: len(tiles)] = tiles
        odds = new_odds(rules, race=True)
        foresee(rules, native(state), odds)
        started = time.process_time()
        for _ in range(200):
            foresee(rules, native(state), odds)
        milliseconds = 1000 * (time.process_time() - started) / 200
        table.add_row(f"exact odds of a fresh leg with four tiles: {name}", f"{milliseconds:.2f} ms")
    console.print(table)


def seats(rules: CamelUp, games: int) -> None:
    match, count = CompiledMatch(rules, resolve_all(["random"] * 4, rules), 1), np.arange(games)
    played = match.play(count, count, np.tile(np.arange(4, dtype="i2"), (games, 1)), False)
    shares = " / ".join(f"{100 * share:.1f}" for share in played.payoff.mean(axis=0))
    console.print(f"{games:,} games of four random bots, {rules.rules} rules:")
    console.print(f"{played.choices.sum(axis=1).mean():.2f} turns per game; the seats win {shares} %")


def ladder(rules: CamelUp, games: int) -> None:
    """The win rate of one bot against three of another, for each match."""
    title = f"Camel Up, {rules.rules} rules"
    table = Table("bot", "against three", "win rate", "95 % interval", "games", title=title)
    for one, three in MATCHES:
        result = kibitz.arena(rules, [one, three], games, 1, format="gauntlet")
        share = result.ranking[0].share if result.ranking[0].bot == one else result.ranking[1].share
        between = f"{100 * share.low:.1f} to {100 * share.high:.1f}"
        table.add_row(one, three, f"{100 * share.share:.1f} %", between, f"{games:,}")
        console.print(f"[dim]{one} against three {three}: {share.share:.1%}[/]")
    console.print(table)


@compiled
def roll_races(game: Any, states: Any, races: int, rng: Any, counts: Any) -> None:
    """Count wins and last places by place at the start, in races from states[0] in which everyone only rolls."""
    for _ in range(races):
        states[1] = states[0]
        s = states[1]
        while s.leg == 0:
            game.play(s, game.sample(s, rng))
        states[2] = states[1]
        while s.turn != kibitz.OVER:
            roll = game.sample(s, rng)
            game.roll(s, roll // FACES, roll % FACES + 1)
        counts[0, place_at(game, states[2], game.leader(s))] += 1
        counts[1, place_at(game, states[2], game.last(s))] += 1


@compiled
def place_at(game: Any, s: Any, camel: int) -> int:
    """The number of camels ahead of a camel."""
    ahead = 0
    for other in range(game.camels):
        ahead += game.place(s, other) > game.place(s, camel)
    return ahead


def start(rules: CamelUp, games: int) -> None:
    """How often each place before the first roll, 1 being the lead, wins or comes last without tiles."""
    states, counts = records(3, rules.dtype), numbers((2, rules.camels), "i8")
    states[0] = native(Engine(rules).start())
    roll_races(rules, states, games, Stream("start").words, counts)
    exact, leads = exact_odds(rules), exact_leaders(rules)
    titles = ["place at the start", "leads after leg 1, exact", f"wins in {games:,} races", "last"]
    table = Table(*titles, *(["wins, exact", "last, exact"] if exact else []))
    for rank in range(rules.camels):
        shares = [leads[rank], *(counts[:, rank] / games)]
        shares += [exact[place][rank] for place in (0, rules.camels - 1)] if exact else []
        table.add_row(str(rank + 1), *(f"{100 * share:.2f} %" for share in shares))
    console.print(table)
    if exact:
        ranks = start_ranks(rules)
        positions = len(leg_starts(rules))
        console.print(f"A race takes {ranks[-2]:.2f} dice and {1 + ranks[-1]:.2f} legs; {positions:,} positions.")


def positions(rules: CamelUp, count: int) -> list[Any]:
    """Positions from random games, most of them with tiles on the track."""
    chance, found = random.Random(1), []
    player = kibitz.bot("random", rules)
    for seed in range(count):
        table = kibitz.Table(rules, seed=seed)
        for _ in range(chance.randrange(8, 60)):
            if not table.over:
                table.play(player.choose(table.view(table.turn)))
        found.append(table.state)
    return found


def legs(rules: CamelUp, games: int) -> None:
    """Compare the odds of legs with simulated ones: all must be within four standard errors."""
    worst = 0.0
    for state in [state for state in positions(rules, 40) if state.turn >= 0][:12]:
        found = forecast(rules, state, games)
        for name, sampled in found.sampled_leg.items():
            exact = np.array(getattr(found, name))
            error = np.sqrt(np.maximum(exact * (1 - exact), 1e-12) / games)
            worst = max(worst, float((np.abs(exact - sampled) / error).max()))
    console.print(f"{rules.rules} rules, 12 positions from random games, {games:,} simulated legs each:")
    console.print(f"the odds of being first, second and last differ by {worst:.1f} standard errors at most.")
    if worst > 4.0:
        raise SystemExit("That is more than four: the odds are wrong.")


def later(rules: CamelUp, games: int) -> None:
    """Compare the odds of the race with simulated races, with the tiles that stay and crazy camels."""
    wins, loses = [], []
    for state in positions(rules, 60):
        found = forecast(rules, state, games)
        wins.append(100 * np.abs(np.subtract(found.wins, found.sampled_race["wins"])))
        loses.append(100 * np.abs(np.subtract(found.loses, found.sampled_race["loses"])))
    console.print(f"{rules.rules} rules, 60 positions from random games, {games:,} simulated races each:")
    for what, points in (("winning", np.array(wins)), ("coming last", np.array(loses))):
        console.print(f"the odds of {what} differ by {points.mean():.2f} points on average, {points.max():.1f} at most")
    console.print(f"(sampling error alone: {100 * np.sqrt(0.2 * 0.8 / games) * 0.8:.2f} on average).")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["speed", "seats", "ladder", "start", "legs", "later"])
    parser.add_argument("--rules", default="camelai")
    parser.add_argument("--games", type=int, default=20_000)
    options = parser.parse_args()
    globals()[options.what](CamelUp(rules=options.rules), options.games)


if __name__ == "__main__":
    main()
