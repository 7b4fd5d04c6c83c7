"""How strong bots that learned are, against opponents that never change.

    python benchmarks/zero.py list                                          # the bars
    python benchmarks/zero.py separo --net separo-zero.npz --games 1000     # one of them
    python benchmarks/zero.py connect_four_moves --net connect_four-zero.npz --games 1000
    python benchmarks/zero.py connect_four --net connect_four-zero.npz --options c=1.5,mix=0.3 --ms 100 --games 200
    git worktree add ../before ca99054 && python benchmarks/zero.py hexplode --checkout ../before --games 1000

The networks are those that `kibitz train --method zero` wrote. In Hexplode, the opponent is `best` as it was before its
evaluation was learned anew, so it needs a checkout of that version (other_version.py).

Both sides get the same time per move, on one core; nothing else should run on the machine. Games without chance begin
with a few random moves, drawn until a search finds neither side clearly ahead, and every opening is played from all
seats. The share of the win is given with its 95 % interval.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from other_version import OtherVersion

import kibitz
from kibitz.players.turns import take_turn
from kibitz.rules.rng import Stream
from kibitz.tournament.statistics import Share, share_of

REFEREE = "uct:sims=3000"  # decides whether an opening is undecided: if it proves nothing, and …
BALANCED = 0.15, 0.85  # … nobody's share of the win is outside these bounds
HEX, CHOMP, OTHELLO = "examples/hex.py:Hex", "examples/chomp.py:Chomp:rows=8,columns=10", "examples/othello.py:Othello"


LEARNED = "alphabeta:order=mixed,late=3,quiet=8,table=17,ms={ms}"  # by the evaluation of tune_hexplode.py
# A network says which moves to try first, and values positions instead of playouts.
ADVISED = "ismcts:prior=policy:net={net},bias=5,playout=0,value=zero:net={net},ms={ms}"
VALUED = "ismcts:playout=30,value=zero:net={net},ms={ms}"  # playouts that a network values after 30 plies


@dataclass(frozen=True)
class Bar:
    """A player, an opponent, and the share of the win that is asked for.

    {ms} is the time per move in milliseconds, {net} the file of the network.
    """

    game: str
    opponent: str
    wanted: float
    player: str = "zero:net={net},ms={ms}"
    opening: int = 0  # random moves
    seat: int | None = None  # the only seat to play from; None: all of them
    minutes: int = 15  # of training that are allowed


# The opponents are spelled out, so that they stay the same when a game recommends another bot as its best one.
BARS = {
    "connect_four": Bar("connect_four", "uct:ms={ms}", 0.75, opening=4),
    "separo": Bar("separo", "uct:c=0.4,habit=0.7,urgent=yes,ms={ms}", 0.75, opening=4),
    "ur": Bar("ur", "perfect", 0.47, "expectimax:depth=4,by=zero:net={net}"),
    "hexplode_counters": Bar("hexplode", "alphabeta:by=score,ms={ms}", 0.85, LEARNED, opening=6, minutes=60),
    "hexplode": Bar("hexplode", "alphabeta:order=history,late=3,ms={ms}", 0.75, LEARNED, opening=6, minutes=60),
    "hex": Bar(HEX, "uct:sims=20000", 0.95, seat=0),
    "chomp": Bar(CHOMP, "uct:ms={ms}", 0.6, opening=2, minutes=5),
    "othello": Bar(OTHELLO, "uct:ms={ms}", 0.6, opening=6, minutes=5),
    "mexican_train": Bar("mexican_train:players=2", "ismcts:ms={ms}", 0.5, VALUED),
    "camelup": Bar("camelup:players=2", "ismcts:ms={ms}", 0.5, ADVISED),
}
MOVES = "connect_four_moves"  # the share of moves that keep the value of a solved position
KEPT = 0.97
EARLIEST, LATEST = 16, 30  # plies of these positions


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bar", choices=["list", *BARS, MOVES])
    parser.add_argument("--net", help="a network written by `kibitz train --method zero`")
    parser.add_argument("--options", default="", help="further options of the player: c=1.5,mix=0.3")
    parser.add_argument("--checkout", metavar="FOLDER", help="the version of kibitz that the opponent plays by")
    parser.add_argument("--ms", type=int, default=20, help="milliseconds per move")
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.bar == "list":
        for name, bar in BARS.items():
            print(f"{name}: {bar.wanted:.0%} against {bar.opponent} in {bar.game}, {bar.minutes} minutes of training")
        print(f"{MOVES}: {KEPT:.0%} of the moves keep the value of positions of {EARLIEST} to {LATEST} plies")
        return
    bar = BARS.get(options.bar, BARS["connect_four"])
    if not options.net and "{net}" in bar.player:
        parser.error("--net is missing")
    player = ",".join(filter(None, [bar.player.format(net=options.net, ms=options.ms), options.options]))
    if options.bar == MOVES:
        share, wanted, what = kept_moves(player, options.games, options.seed), KEPT, "positions"
    else:
        share = match(bar, player, options.ms, options.games, options.seed, options.checkout)
        wanted, what = bar.wanted, "games"
    verdict = "reached" if share.share >= wanted else "missed"
    interval = f"{share.share:.1%} ({share.low:.1%} – {share.high:.1%})"
    print(f"{options.bar}: {interval} of {options.games} {what} at {options.ms} ms; {wanted:.0%} is {verdict}")


def match(bar: Bar, player: str, ms: int, games: int, seed: int, checkout: str | None) -> Share:
    """The share of the win of a player, from every seat of each opening."""
    game = kibitz.game(bar.game)
    opponent = bar.opponent.format(ms=ms)
    other = OtherVersion(checkout, opponent, game) if checkout else None
    seats = range(game.players) if bar.seat is None else [bar.seat]
    groups = []
    for number, opening in zip(range(-(-games // len(seats))), openings(game, bar.opening, seed), strict=False):
        group = []
        for seat in seats:
            specs = [player if place == seat else opponent for place in range(game.players)]
            bots = [other if other and place != seat else kibitz.bot(specs[place], game) for place in range(len(specs))]
            table = kibitz.Table(game, seed=seed, number=number)
            group.append(play(table, opening, bots, specs)[seat])
        groups.append(group)
        print(f"\r{sum(map(len, groups))} games: {share_of(groups).share:.1%}", end="", flush=True)
    print()
    return share_of(groups)


def play(table: kibitz.Table, opening: list[int], bots: list[Any], specs: list[str]) -> list[float]:
    """The normalized payoffs of a game."""
    for move in opening:
        table.play(move)
    while not table.over:
        take_turn(table, bots[table.turn], specs[table.turn])
    return [float(table.game.normalized(payoff)) for payoff in table.payoff()]


def openings(game: kibitz.Game, length: int, seed: int) -> Iterator[list[int]]:
    """Random opening moves after which nobody is clearly ahead, one opening after the other; none if `length` is 0."""
    for number in itertools.count():
        stream = Stream(seed, "opening", number)
        table = kibitz.Table(game, seed=seed, number=number)
        moves: list[int] = []
        while len(moves) < length and not table.over:
            moves.append(stream.choice(table.moves))
            table.play(moves[-1])
        if not length or (not table.over and is_undecided(table)):
            yield moves


def is_undecided(table: kibitz.Table) -> bool:
    """Whether a search proves nothing, and finds nobody clearly ahead."""
    report = kibitz.bot(REFEREE, table.game).analyse(table.view(table.turn))
    return not report.best.exact and BALANCED[0] <= report.value <= BALANCED[1]


def kept_moves(player: str, positions: int, seed: int) -> Share:
    """How often a player's move in Connect Four keeps the value of a random position, as solved by alphabeta."""
    game = kibitz.game("connect_four")
    kept: list[list[float]] = []
    for number in itertools.count():
        stream = Stream(seed, "position", number)
        table = kibitz.Table(game, seed=seed, number=number)
        for _ in range(stream.randint(EARLIEST, LATEST)):
            if not table.over:
                table.play(stream.choice(table.moves))
        if table.over:
            continue
        view = table.view(table.turn)
        solved = kibitz.bot(f"alphabeta:depth={game.max_plies}", game).analyse(view)
        move = kibitz.bot(player, game).choose(view)
        kept.append([float(solved.of_move(move).value == solved.value)])
        print(f"\r{len(kept)} positions: {share_of(kept).share:.1%}", end="", flush=True)
        if len(kept) == positions:
            print()
            return share_of(kept)
    raise AssertionError


if __name__ == "__main__":
    main()
