"""Turning points: moments at which a game pauses to say who scored what, such as the end of a round."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class TurningPoint:
    """A summary of what has just been settled: a few sentences, and a table with a row for every player.

    Examples:
        >>> from kibitz.display.turning_point import TurningPoint
        >>> point = TurningPoint("Round 1 is over", columns=("Points",), rows=(("3",), ("0",)), ahead=(1,))
        >>> point.document()["rows"]
        [['3'], ['0']]
    """

    title: str
    words: tuple[str, ...] = ()  # what happened, and why it is worth that much
    columns: tuple[str, ...] = ()  # the headings of the table
    rows: tuple[tuple[str, ...], ...] = ()  # for every player, in the order of the seats: a cell for each column
    ahead: tuple[int, ...] = ()  # the players who are in the lead now

    def document(self) -> dict[str, Any]:
        """The summary as a JSON-compatible dict."""
        return {**asdict(self), "rows": [list(row) for row in self.rows]}
