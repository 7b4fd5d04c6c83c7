"""Checks of how a game is shown: the names of moves, texts and scenes. Nothing of this is ever compiled."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from rich.errors import MarkupError
from rich.text import Text

from kibitz.display.board import Board, find_move
from kibitz.display.scene import Scene
from kibitz.errors import IllegalMove
from kibitz.rules.contract import NOBODY
from kibitz.state import State
from kibitz.testing.rules import WatchedRules

DRAWN = 5  # draw one in so many positions: drawing is slow


def check_names(rules: WatchedRules, state: State, options: Sequence[int]) -> None:
    """Every legal move or outcome must have a name of its own that can be typed, and so must its words."""
    names = _callings(rules, "name", state, options)
    for move, name in zip(options, names, strict=True):
        try:
            found = find_move(name, options, names)
        except IllegalMove:
            raise rules.broken("board.name", f"{name!r}, the name of {move}, does not parse back.", state) from None
        if found != move:
            raise rules.broken("board.name", f"{found} and {move} are both called {name!r}.", state)
    taken = {name.lower(): move for move, name in zip(options, names, strict=True)}
    for move, name, words in zip(options, names, _callings(rules, "say", state, options), strict=True):
        other = move if words == name else taken.setdefault(" ".join(words.split()).lower(), move)
        if other != move:
            raise rules.broken("board.say", f"{other} and {move} are both called {words!r}.", state)


def _callings(rules: WatchedRules, method: str, state: State, options: Sequence[int]) -> list[str]:
    """What a method of the Board calls every move."""
    callings = []
    for move in options:
        calling = shown(rules, method, state, move)
        if not isinstance(calling, str) or not calling.strip() or not calling.isprintable():
            problem = f"{move} is called {calling!r}; it must be one line of text."
            raise rules.broken(f"board.{method}", problem, state)
        callings.append(calling)
    return callings


def check_text(rules: WatchedRules, state: State) -> None:
    """The text of a position must be valid markup."""
    text = shown(rules, "text", state)
    if not isinstance(text, str):
        raise rules.broken("board.text", f"must return a text, not {text!r}.", state)
    try:
        Text.from_markup(text)
    except MarkupError as error:
        raise rules.broken("board.text", f"is not valid markup: {error}.", state) from None


def check_scene(rules: WatchedRules, view: State, viewer: int, options: Sequence[int]) -> None:
    """Check the drawing of a position; `options` are the moves that the viewer can make in it."""
    if type(rules.board).scene is Board.scene or len(rules.path) % DRAWN:
        return
    scene = shown(rules, "scene", view, viewer)
    if scene is None:
        return
    if not isinstance(scene, Scene):
        raise rules.broken("board.scene", f"must return a Scene or None, not {scene!r}.", view)
    try:
        json.dumps(scene.document())
    except (TypeError, AttributeError) as error:
        raise rules.broken("board.scene", f"cannot be drawn: {error}.", view) from None
    pieces = {piece.name: piece for piece in scene.pieces}
    if len(pieces) < len(scene.pieces):
        names = [piece.name for piece in scene.pieces]
        twice = next(name for name in names if names.count(name) > 1)
        raise rules.broken("board.scene", f"two pieces are called {twice!r}.", view)
    for player in range(rules.game.players):
        shown(rules, "counters", view, player)
    clicks = {move: tuple(shown(rules, "clicks", view, move)) for move in options}
    for move, targets in clicks.items():
        for target in targets:
            if target not in pieces:
                raise rules.broken("board.clicks", f"{move} clicks on {target!r}, which is not in the scene.", view)
            if not pieces[target].label:
                raise rules.broken("board.scene", f"{target!r}, which {move} clicks on, has no label.", view)
        for other, longer in clicks.items():
            if move != other and targets and longer[: len(targets)] == targets:
                raise rules.broken("board.clicks", f"the clicks of {move} begin those of {other}: {longer}.", view)


def check_presentation(rules: WatchedRules, state: State, options: Sequence[int]) -> None:
    """Check how a position is named, written and drawn."""
    check_names(rules, state, options)
    check_text(rules, state)
    if not rules.game.has_hidden_information:  # otherwise views are drawn, not the true state
        acts = state.turn >= 0
        check_scene(rules, state, state.turn if acts else NOBODY, options if acts else [])


def shown(rules: WatchedRules, method: str, state: State, *args: Any) -> Any:
    """What a method of the Board returns."""
    try:
        return getattr(rules.board, method)(rules.game, state, *args)
    except Exception as error:
        raise rules.failed(f"board.{method}", error, state) from error
