"""The value of a move to `keen`: a sum of what speaks for and against it, with weights learned from games.

The weights are those that best predict what `best` chose after a long search (benchmarks/mexican_train_weights.py). The
unit is a pip laid on a train other than one's own.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from kibitz.compiler import compiled
from kibitz.games.mexican_train.rules import SAUCE, TRAINS
from kibitz.games.mexican_train.sequences import Planner
from kibitz.games.mexican_train.tiles import FIRST, HALVES, PIPS, SIZE, is_double, other_half


class Weights(NamedTuple):
    """How much each feature of a move counts. "Unseen" tiles are those that the others or the boneyard have."""

    pips: float  # of a tile laid away from one's own train
    last_pips: float  # of any tile, when an opponent has a single tile
    # The next tile of the sequence, on one's own train:
    plan: float
    plan_pips: float
    plan_length: float  # each tile of the sequence
    plan_hand: float  # each tile in hand beyond eight
    plan_only: float  # the hand is nothing but the sequence
    # Any other tile on one's own train:
    astray: float
    astray_pips: float
    astray_follower: float  # each tile in hand that can follow
    # A tile of the sequence, laid elsewhere:
    broken: float
    broken_length: float  # each tile of the sequence from there on
    # One's own tiles:
    closing: float  # one's own train, when it is open
    followed_double: float  # a double whose gate one can open oneself
    lone_double: float
    double_hand: float  # a double, for each tile in hand beyond eight
    rival: float  # each tile that fits the end now covered, away from one's own train
    stuck: float  # no tile fits any end afterwards
    ready: float  # each tile that fits some end afterwards
    ready_share: float  # the same as a share of the hand
    # What the others can lay:
    theirs: float  # each unseen tile that fits an end open to all afterwards
    theirs_late: float  # the same when an opponent has three tiles or fewer
    covered_sauce: float  # each unseen tile that fits the end now covered, on the sauce,
    covered_other: float  # on another's train
    covered_own: float  # and on one's own
    offered_sauce: float  # each unseen tile that fits the new end
    offered_other: float
    # Opponents known to have no tile of a number, away from one's own train:
    void_covered: float  # each of them, at the end now covered
    void_offered: float  # and at the new end
    next_void: float  # the next player, at the end now covered


LEARNED = Weights(
    pips=1.0,
    last_pips=1.62,
    plan=-23.11,
    plan_pips=0.73,
    plan_length=-1.55,
    plan_hand=1.26,
    plan_only=9.23,
    astray=-66.21,
    astray_pips=1.2,
    astray_follower=6.63,
    broken=-22.45,
    broken_length=-9.89,
    closing=17.87,
    followed_double=31.22,
    lone_double=17.9,
    double_hand=2.41,
    rival=-3.21,
    stuck=-8.93,
    ready=-2.89,
    ready_share=19.8,
    theirs=-1.72,
    theirs_late=-1.25,
    covered_sauce=0.78,
    covered_other=1.86,
    covered_own=1.61,
    offered_sauce=0.87,
    offered_other=-0.38,
    void_covered=-7.56,
    void_offered=3.07,
    next_void=-5.72,
)


@compiled
def worth_of(game: Any, s: Any, move: int, player: int, planner: Planner, w: Weights) -> float:
    """The value of laying a tile, to a player whose sequence is up to date."""
    tile, train = move // TRAINS, move % TRAINS
    hand, size, begin = s.hand[player], s.size[player], planner.begin[player]
    covered = s.end[train]
    offered = other_half(tile, covered)
    pips, length = PIPS[tile], planner.length[player] - begin
    fewest = fewest_tiles(game, s, player)
    worth = w.last_pips * pips if fewest < 2 else 0.0
    if train == player:
        if length > 0 and planner.tiles[player, begin] == tile:
            worth += w.plan + w.plan_pips * pips + w.plan_length * length + w.plan_hand * (size - 8)
            worth += w.plan_only if size == length else 0.0
        else:
            worth += w.astray + w.astray_pips * pips + w.astray_follower * (SIZE[hand[offered]] - 1)
        worth += w.closing if s.open >> player & 1 else 0.0
        worth += w.covered_own * count_unseen(game, s, player, covered)
    else:
        worth += w.pips * pips + w.rival * (SIZE[hand[covered]] - 1)
        for place in range(begin, planner.length[player]):
            if planner.tiles[player, place] == tile:
                worth += w.broken + w.broken_length * (planner.length[player] - place)
        on_sauce = train == SAUCE
        worth += (w.covered_sauce if on_sauce else w.covered_other) * count_unseen(game, s, player, covered)
        worth += (w.offered_sauce if on_sauce else w.offered_other) * count_unseen(game, s, player, offered)
        worth += w.void_covered * count_voids(game, s, player, covered)
        worth += w.void_offered * count_voids(game, s, player, offered)
        worth += w.next_void if is_void(s, (player + 1) % game.players, covered) else 0.0
    if is_double(tile):
        worth += w.double_hand * (size - 8)
        if size > 1:
            worth += w.lone_double if SIZE[hand[covered]] == 1 else w.followed_double
    others = s.open & ~(1 << train)  # the other trains open to all
    own = (others | 1 << player) & ~(1 << train)
    ready = count_ready(hand, tile, ends_of(s, own) | 1 << offered)
    worth += w.ready * ready + w.ready_share * ready / max(size - 1, 1)
    worth += w.stuck if ready == 0 and size > 1 else 0.0
    theirs = count_theirs(game, s, player, ends_of(s, others) | (1 << offered if train != player else 0))
    return worth + w.theirs * theirs + (w.theirs_late * theirs if fewest < 4 else 0.0)


@compiled
def fewest_tiles(game: Any, s: Any, player: int) -> int:
    """The number of tiles of the opponent with the fewest."""
    fewest = game.tiles
    for other in range(game.players):
        if other != player:
            fewest = min(fewest, s.size[other])
    return fewest


@compiled
def unseen_of(game: Any, s: Any, player: int, number: int) -> int:
    """The tiles of a number that a player has not seen, as a row."""
    engine = 1 << game.highest if number == game.highest else 0
    return ((1 << game.highest + 1) - 1) & ~(s.laid[number] | s.hand[player, number] | engine)


@compiled
def count_unseen(game: Any, s: Any, player: int, number: int) -> int:
    """How many tiles of a number a player has not seen."""
    return SIZE[unseen_of(game, s, player, number)]


@compiled
def is_void(s: Any, player: int, number: int) -> bool:
    """Whether a player is known to have no tile of a number: none was kept since that was shown."""
    return s.void[player, number] == s.kept[player]


@compiled
def count_voids(game: Any, s: Any, player: int, number: int) -> int:
    """How many opponents are known to have no tile of a number."""
    count = 0
    for other in range(game.players):
        count += other != player and is_void(s, other, number)
    return count


@compiled
def ends_of(s: Any, trains: int) -> int:
    """The numbers at the ends of some trains; both as bits."""
    ends = 0
    while trains:
        ends |= 1 << s.end[FIRST[trains]]
        trains &= trains - 1
    return ends


@compiled
def count_ready(hand: Any, tile: int, ends: int) -> int:
    """How many tiles of a hand fit one of the ends, not counting the one being laid."""
    count, left = 0, ends
    while left:
        number = FIRST[left]
        left &= left - 1
        count += new_at(hand[number], number, ends)
    return count - (ends >> HALVES[tile, 0] & 1 or ends >> HALVES[tile, 1] & 1)


@compiled
def count_theirs(game: Any, s: Any, player: int, ends: int) -> int:
    """How many tiles that a player has not seen fit one of the ends."""
    count, left = 0, ends
    while left:
        number = FIRST[left]
        left &= left - 1
        count += new_at(unseen_of(game, s, player, number), number, ends)
    return count


@compiled
def new_at(row: int, number: int, ends: int) -> int:
    """How many tiles of a number's row fit none of the smaller ends: each counts at the smallest end it fits."""
    return SIZE[row & ~(ends & (1 << number) - 1)]
