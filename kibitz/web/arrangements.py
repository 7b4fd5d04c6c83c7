"""Positions that somebody sets up by hand, on the board, one thing after the other.

Nothing is kept between two requests: each brings where it began and all edits, and every one of them is checked. What
comes of them need not be playable yet; the answer says so, and gives the position as text, which is checked again when
it is used (kibitz/web/variations.py).
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from kibitz.display.position_editor import PositionEditor
from kibitz.display.wording import capital, title_of
from kibitz.errors import KibitzError
from kibitz.rules.contract import Game
from kibitz.rules.engine import Engine
from kibitz.state import State
from kibitz.web.messages import Incoming, LineRequest, Whole
from kibitz.web.variations import Beginning, played_line

MOST_EDITS = 500
LONGEST_NAME = 40  # characters of a piece's name


class Edit(Incoming):
    """One thing that was put on the board, or taken off it."""

    item: Whole
    clicks: Annotated[list[Annotated[str, Field(max_length=LONGEST_NAME)]], Field(max_length=8)]


class ArrangementRequest(LineRequest):
    """A position that is being set up, from the position after a line of play."""

    cleared: bool = False  # begin with the opening instead
    edits: Annotated[tuple[Edit, ...], Field(max_length=MOST_EDITS)] = ()
    turn: Whole | None = None  # who is to move; None: as it comes


def editor_of(game: Game) -> PositionEditor:
    """How positions of a game are set up; KibitzError if they cannot be."""
    found = game.extra("editor")
    if found is None:
        title = title_of(game)[0]
        raise KibitzError(f"Positions of {title} cannot be set up; give the moves that lead there, or a record.")
    editor: PositionEditor = found()
    return editor


def arrangement(begin: Beginning, request: ArrangementRequest) -> dict[str, Any]:
    """Everything that the page shows of a position that is being set up. Called in a thread."""
    game = begin.game
    editor = editor_of(game)
    table = played_line(begin, request).table
    state = Engine(game).start() if request.cleared else table.state
    for number, edit in enumerate(request.edits, 1):
        _make(editor, game, state, edit, number)
    if request.turn is not None and editor.chooses_turn:
        if request.turn >= game.players:
            raise KibitzError(f"There is no player {request.turn}.")
        editor.give_turn(game, state, request.turn)
    error = game.extra("position_error")
    scene = table.board.scene(game, state, begin.viewer)
    return {
        "game": begin.spec,
        "seats": [capital(table.board.seat(player)) for player in range(game.players)],
        "items": [
            {"say": say, "places": [list(clicks) for clicks in editor.places(game, state, item)]}
            for item, say in enumerate(editor.items)
        ],
        "chooses_turn": editor.chooses_turn,
        "turn": request.turn if request.turn is not None else max(0, state.turn),
        "scene": None if scene is None else scene.document(),
        "position": state.to_text(),
        "error": None if error is None else error(state),
    }


def _make(editor: PositionEditor, game: Game, state: State, edit: Edit, number: int) -> None:
    clicks = tuple(edit.clicks)
    if edit.item >= len(editor.items) or clicks not in editor.places(game, state, edit.item):
        raise KibitzError(f"Edit {number} is not possible here.")
    editor.put(game, state, edit.item, clicks)
