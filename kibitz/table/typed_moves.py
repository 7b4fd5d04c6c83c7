"""Plays moves that somebody typed, one after another: "4 4 3", "roll 3 0-3"."""

from __future__ import annotations

import re

from kibitz.errors import IllegalMove
from kibitz.table.table import Table

NUMBER = re.compile(r"\d+(\.+|\))")  # of a move: "12." or "12…", as in printed games


def play_typed(table: Table, text: str) -> None:
    """Play moves by their names, including chance outcomes where chance is not drawn; IllegalMove if one is illegal.

    Examples:
        >>> import kibitz
        >>> from kibitz.table.typed_moves import play_typed
        >>> table = kibitz.Table("connect_four")
        >>> play_typed(table, "1. 4 4 2. 3")
        >>> table.history_names
        ['4', '4', '3']
    """
    words = [word for word in text.split() if not NUMBER.fullmatch(word)]
    while words:
        if table.over:
            raise IllegalMove(
                f"The game is over after ply {len(table.history)}; {words[0]!r:.60} is one move too many."
            )
        words = words[_play_next(table, words) :]


def _play_next(table: Table, words: list[str]) -> int:
    """Play the longest legal move at the start of the words, in either notation; return its word count."""
    callings = [calling for move in table.moves for calling in (table.name(move), table.say(move))]
    longest = max((len(calling.split()) for calling in callings), default=1)
    for length in range(min(longest, len(words)), 0, -1):
        try:
            move = table.parse(" ".join(words[:length]))
        except IllegalMove as error:
            if length == 1:
                raise IllegalMove(f"Move {len(table.history) + 1}: {error}") from None
            continue
        table.play(move)
        return length
    raise AssertionError("a single word either plays a move or raises")
