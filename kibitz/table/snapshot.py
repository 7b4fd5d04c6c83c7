"""A game in progress as plain values, to be kept and restored."""

from __future__ import annotations

from dataclasses import dataclass

from kibitz.errors import KibitzError
from kibitz.table.view import Ply

StreamState = tuple[int, int, float | None]  # where a Stream stands: its getstate()


@dataclass(frozen=True)
class TableSnapshot:
    """A game in progress as plain values. `Table.restore` makes the same table again, which goes on in the same way."""

    game: str  # the game's spec
    seed: int | str
    secret: str | None
    number: int
    luck: int
    deal: bool
    seats: tuple[str, ...]
    position: str  # where the game began, as text; empty: at the opening
    plies: tuple[Ply, ...]
    chance: StreamState
    streams: tuple[StreamState, ...]  # of the players
    given: int = 0  # how many of the plies had been played elsewhere


def not_the_same(difference: str) -> KibitzError:
    reason = "the rules have changed since it was saved, or the snapshot is damaged"
    return KibitzError(f"This game cannot be restored; {reason} ({difference.rstrip('.')}).")


def check_stream_state(state: StreamState) -> None:
    *words, _ = state
    if not any(words) or not all(0 <= word < 2**64 for word in words):  # from two zeros nothing but zeros would follow
        raise not_the_same(f"no random stream can stand at {state}")
