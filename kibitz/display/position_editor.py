"""How people set a position up by hand: what they can put where, one thing after the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kibitz.state import State


class PositionEditor:
    """What can be put on a game's board by clicking its scene. One of the game's extras.

    An edit need not lead to a position that can be played, but to one that can be drawn, whose fields belong together.
    Whether it can be played is for the extra `position_error` to say.

    Examples:
        >>> import kibitz
        >>> table = kibitz.Table("connect_four")
        >>> editor, state = table.game.extra("editor")(), table.state
        >>> editor.items
        ('Red disc', 'Yellow disc', 'Take away')
        >>> editor.places(table.game, state, 0)[:2]
        [('column-1',), ('column-2',)]
        >>> editor.put(table.game, state, 0, ("column-4",))
        >>> state.turn, state.plies, editor.chooses_turn
        (1, 1, False)
    """

    items: Sequence[str] = ()  # what can be chosen, to be put down or taken away
    chooses_turn = True  # whether either player may be to move, whatever lies on the board

    def places(self, game: Any, s: State, item: int) -> list[tuple[str, ...]]:
        """Where an item can be put: the pieces of the scene to click for it, in order."""
        return []

    def put(self, game: Any, s: State, item: int, clicks: tuple[str, ...]) -> None:
        """Change a position: put an item at one of its places."""
        raise NotImplementedError

    def give_turn(self, game: Any, s: State, player: int) -> None:
        """Change a position: let a player be the next to move."""
        s.turn = player
