"""Checks of redeals as a whole: what they deal over many games, compared with what the games deal.

A view fits a true position and a redealt one. If redeal is right, only chance tells which is which, so whatever can be
counted (where a card is, how often a value occurs in a field) must be so about equally often in both. That holds
exactly as long as only chance has acted. After moves, redeals may be more even than the positions that random games
lead to; but what is common in redeals should happen in games at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from kibitz.rules.contract import CHANCE, NOBODY, OVER
from kibitz.rules.rng import Stream
from kibitz.state import State, is_scratch
from kibitz.testing.chi_square import is_lopsided
from kibitz.testing.positions import Finding, pick_one
from kibitz.testing.rules import WatchedRules, fewer_if_plain, viewer_name

SAMPLES, PLIES = 10, 100  # per game of the check: redealt positions, and at most the plies to reach them
ENOUGH = 35  # samples with something that none of as many others has: that is not chance
FEW_POSITIONS = 10_000  # a game with at most so many is explored
FEW_VALUES = 64  # of a field; more are not counted one by one


def reachable_positions(rules: WatchedRules) -> set[bytes]:
    """The public bytes of all positions of a small game; none if there are more than FEW_POSITIONS."""
    with rules.aside(), rules.unwatched():
        waiting = [rules.start()]
        known = {waiting[0].public_bytes()}
        while waiting and len(known) <= fewer_if_plain(FEW_POSITIONS):
            state = waiting.pop()
            for move, _ in rules.options(state) if state.turn != OVER else ():
                following = rules.after(state, move)
                if following.public_bytes() not in known:
                    known.add(following.public_bytes())
                    waiting.append(following)
    return set() if waiting else known


def check_redeals(rules: WatchedRules, seed: int | str, lengths: Sequence[int]) -> list[Finding]:
    """Compare redeals with true positions: right after the deal, and anywhere in games of these lengths."""
    with rules.aside(), rules.unwatched():
        findings = [_uneven(rules, deals) for deals in _after_the_deal(rules, seed, len(lengths))]
        findings.append(_never_true(_in_games(rules, seed, lengths)))
    return [finding for finding in findings if finding][:1]  # one wrong line shows in many places


# ------------------------------------------------------------------ samples


class Redeals:
    """True positions, and a redeal of somebody's view of each."""

    def __init__(self, whose: str) -> None:
        self.whose = whose
        self._true: list[State] = []
        self._dealt: list[State] = []

    def __len__(self) -> int:
        return len(self._true)

    def add(self, rules: WatchedRules, state: State, viewer: int, stream: Stream) -> None:
        self._true.append(state.copy())
        self._dealt.append(rules.redealt(rules.redacted(state, viewer), viewer, stream))

    def fields(self) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """The integer fields, each as two arrays (true, redealt) of samples × rows × cells; sets as cells of 0 or 1."""
        if not self._true:
            return {}
        dtype = self._true[0].record.dtype
        both = [
            np.frombuffer(b"".join(s.record.tobytes() for s in states), dtype) for states in (self._true, self._dealt)
        ]
        found = {}
        for name in dtype.names or ():
            kind = dtype[name].base
            if kind.kind == "f" or is_scratch(name):
                continue
            width = dtype[name].shape[-1] if dtype[name].shape else 1
            arrays = [records[name].reshape(len(self), -1, width) for records in both]
            if kind.kind == "u":
                bits = np.arange(64, dtype="u8")
                arrays = [(a.reshape(len(self), -1, 1) >> bits & np.uint64(1)).astype("i8") for a in arrays]
            found[name] = (arrays[0].astype("i8"), arrays[1].astype("i8"))
        return found


def _after_the_deal(rules: WatchedRules, seed: int | str, games: int) -> list[Redeals]:
    """Samples for each viewer, at the first decision of games that begin with chance."""
    viewers = [*range(rules.game.players), NOBODY]
    deals = [Redeals(f"{viewer_name(viewer)}'s") for viewer in viewers]
    if rules.start().turn != CHANCE:
        return []
    plies = 0
    for number in range(fewer_if_plain(SAMPLES * games)):
        stream, state = Stream(seed, number, "deal"), rules.start()
        while state.turn == CHANCE and plies < fewer_if_plain(PLIES * games):
            rules.play(state, pick_one(state, rules.options(state), stream))
            plies += 1
        if state.turn < 0:
            break
        for viewer, redeals in zip(viewers, deals, strict=True):
            redeals.add(rules, state, viewer, stream)
    return deals


def _in_games(rules: WatchedRules, seed: int | str, lengths: Sequence[int]) -> Redeals:
    """One sample per random game, for each viewer in turn."""
    viewers = [*range(rules.game.players), NOBODY]
    redeals, plies = Redeals(""), 0
    for number in range(fewer_if_plain(SAMPLES * len(lengths))):
        stream, state = Stream(seed, number, "redeal"), rules.start()
        stop = stream.randrange(stream.choice(lengths))
        while state.turn != OVER and len(rules.path) < stop:
            rules.play(state, pick_one(state, rules.options(state), stream))
        plies += stop
        if plies > fewer_if_plain(PLIES * len(lengths)):
            break
        if state.turn != OVER:
            redeals.add(rules, state, viewers[number % len(viewers)], stream)
    return redeals


# ------------------------------------------------------------------ comparison


class Case(NamedTuple):
    """Something that may be so in a position, and the samples in which it is."""

    what: str
    true: np.ndarray  # of bools
    dealt: np.ndarray
    fair: bool = True  # whether it should be so about equally often


def _uneven(rules: WatchedRules, deals: Redeals) -> Finding | None:
    """Right after the deal, redeals must deal what the game deals, nothing more or less, and about as often."""
    finding = None
    rules.path.clear()  # what is wrong here shows in no single game
    for case in _cases(deals):
        true, dealt = int(case.true.sum()), int(case.dealt.sum())
        if dealt >= ENOUGH and not true:
            rule = f"deals {case.what} in {dealt} of {len(deals)} redeals of {deals.whose} view, but no game does."
            raise rules.broken("redeal", rule)
        if case.fair and true >= ENOUGH and not dealt:
            rule = f"never deals {case.what} for {deals.whose} view, but {true} of {len(deals)} games do."
            raise rules.broken("redeal", rule)
        both = int((case.true & case.dealt).sum())
        if case.fair and not finding and is_lopsided(true - both, dealt - both):
            how_often = f"in {dealt / len(deals):.0%} of the redeals of {deals.whose} view"
            sentence = f"deals {case.what} {how_often}, but {true / len(deals):.0%} of games do."
            finding = Finding("redeal", f"{sentence} Are all deals equally likely?")
    return finding


def _never_true(redeals: Redeals) -> Finding | None:
    """The first thing that is common in redeals and never happens in games."""
    for case in _cases(redeals):
        if case.dealt.sum() >= ENOUGH and not case.true.any():
            share = case.dealt.mean()
            sentence = (
                f"makes positions with {case.what} ({share:.0%} of all redeals), but {len(redeals)} games had none."
            )
            return Finding("redeal", f"{sentence} Can that happen?")
    return None


def _cases(redeals: Redeals) -> Iterator[Case]:
    """What can be counted of the fields that redeal fills."""
    fields = redeals.fields()
    values = {name: _few_values(*arrays) for name, arrays in fields.items()}
    for name, (true, dealt) in fields.items():
        if (true == dealt).all():
            continue
        yield from _cells(name, true, dealt)
        yield from _counts(name, values[name], [(true, dealt)])
        yield from _different(name, true, dealt)
        for row in range(true.shape[1]) if true.shape[1] > 1 else ():
            yield from _counts(f"{name}[{row}]", values[name], [(true[:, [row]], dealt[:, [row]])])
        for other, arrays in fields.items():
            if other not in (name, "turn"):
                shared = [value for value in values[name] if value in values[other]]
                yield from _counts(f"{name} and {other}", shared, [(true, dealt), arrays])
                if true.shape == arrays[0].shape and true.shape[2] > 1:
                    yield from _side_by_side(name, other, (true, dealt), arrays)
                yield from _looked_up(name, other, (true, dealt), arrays)


def _few_values(true: np.ndarray, dealt: np.ndarray) -> list[int]:
    found: list[int] = np.unique(np.concatenate([true.ravel(), dealt.ravel()])).tolist()
    return found if len(found) <= FEW_VALUES else []


def _cells(name: str, true: np.ndarray, dealt: np.ndarray) -> Iterator[Case]:
    """The value of each cell that is not always the same in both."""
    _, rows, width = true.shape
    hidden = (true != dealt).any(0)
    # Cards in a hand may be listed in any order, so that cells say little; unless both hands have the same cards.
    same = (np.sort(true, 2) == np.sort(dealt, 2)).all((0, 2))
    for row, cell in np.argwhere(hidden).tolist():
        place = "".join(f"[{i}]" for i, size in ((row, rows), (cell, width)) if size > 1)
        own, other = true[:, row, cell], dealt[:, row, cell]
        for value in _few_values(own, other):
            yield Case(f"{name}{place} = {value}", own == value, other == value, same[row] or hidden[row].sum() == 1)


def _counts(name: str, values: Sequence[int], fields: Sequence[tuple[np.ndarray, np.ndarray]]) -> Iterator[Case]:
    """How often each value occurs in some fields together."""
    for value in values:
        true, dealt = (sum((arrays[side] == value).sum((1, 2)) for arrays in fields) for side in (0, 1))
        if (true != dealt).any():
            for times in np.unique(np.concatenate([true, dealt])).tolist():
                what = f"{times} × {value} in {name}" if times else f"no {value} in {name}"
                yield Case(what, true == times, dealt == times)


def _different(name: str, *arrays: np.ndarray) -> Iterator[Case]:
    """How many different values there are in a field: fewer if some are dealt twice."""
    ordered = [np.sort(array.reshape(len(array), -1)) for array in arrays]
    true, dealt = ((array[:, 1:] != array[:, :-1]).sum(1) + 1 for array in ordered)
    for count in np.unique(np.concatenate([true, dealt])).tolist():
        yield Case(f"{count} different values in {name}", true == count, dealt == count)


def _side_by_side(
    name: str, other: str, own: tuple[np.ndarray, np.ndarray], beside: tuple[np.ndarray, np.ndarray]
) -> Iterator[Case]:
    """Which values stand at the same place of two fields."""
    for value in _few_values(*own):
        for neighbour in _few_values(*beside):
            true, dealt = (((own[side] == value) & (beside[side] == neighbour)).any((1, 2)) for side in (0, 1))
            what = f"{name}[i] = {value} and {other}[i] = {neighbour} for some i"
            yield Case(what, true, dealt, fair=False)


def _looked_up(
    name: str, table: str, own: tuple[np.ndarray, np.ndarray], cells: tuple[np.ndarray, np.ndarray]
) -> Iterator[Case]:
    """Which values a table has for the values of a field: cards in a hand, say, that are marked as laid."""
    size, indices = cells[0][0].size, [array.reshape(len(array), -1) for array in own]
    if size < 2 or max(array.max() for array in indices) != size - 1:
        return
    found = []
    for index, array in zip(indices, cells, strict=True):
        values = np.take_along_axis(array.reshape(len(array), -1), np.maximum(index, 0), 1)
        found.append((values, index >= 0))
    for value in _few_values(*(values for values, _ in found)):
        true, dealt = (((values == value) & valid).any(1) for values, valid in found)
        yield Case(f"{table}[{name}[i]] = {value} for some i", true, dealt, fair=False)
