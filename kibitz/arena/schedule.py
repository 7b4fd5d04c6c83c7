"""Who sits where: every line-up of bots, played in all its rotations of seats with the same luck."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Seating:
    """One game of a tournament before it is played."""

    game: int  # its place in the tournament, from 0
    group: int  # rotations of one line-up form a group; they share the chance of the table with this number
    bots: tuple[int, ...]  # which bot sits in each seat


def schedule(players: int, bots: int, games: int) -> list[Seating]:
    """The first `games` games of a tournament; cut short, every line-up has had its turn equally often (± 1)."""
    return list(itertools.islice(_rounds(players, bots), games))


def _rounds(players: int, bots: int) -> Iterator[Seating]:
    games, groups = itertools.count(), itertools.count()
    while True:
        for line_up in line_ups(players, bots):
            group = next(groups)
            for seats in rotations(line_up):
                yield Seating(next(games), group, seats)


def line_ups(players: int, bots: int) -> list[tuple[int, ...]]:
    """Every choice of bots that fills a table (all pairs, where two play); too few bots take several seats each."""
    if bots < players:
        return [tuple(seat % bots for seat in range(players))]
    return list(itertools.combinations(range(bots), players))


def rotations(line_up: Sequence[int]) -> list[tuple[int, ...]]:
    """The different seatings that come of moving everybody on by one seat."""
    turned = (
        tuple(line_up[(seat - shift) % len(line_up)] for seat in range(len(line_up))) for shift in range(len(line_up))
    )
    return list(dict.fromkeys(turned))
