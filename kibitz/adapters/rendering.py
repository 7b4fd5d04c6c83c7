"""Draws positions for environments of other libraries: as text, as pixels, or on the terminal."""

from __future__ import annotations

from typing import Any

from rich.console import Console

from kibitz.display.board import board_of
from kibitz.display.raster import to_pixels
from kibitz.display.wording import without_markup
from kibitz.errors import KibitzError
from kibitz.rules.contract import Game
from kibitz.rules.engine import Engine
from kibitz.rules.registry import spec_of
from kibitz.state import State

ANSI, HUMAN, PIXELS = "ansi", "human", "rgb_array"
RENDER_MODES = [ANSI, HUMAN, PIXELS]
FRAMES_PER_SECOND = 2


def check_render_mode(mode: str | None) -> str | None:
    """The mode that is meant; an error if there is no such mode."""
    if mode is not None and mode not in RENDER_MODES:
        raise KibitzError(f"There is no render_mode {mode!r}; choose from {', '.join(RENDER_MODES)}.")
    return mode


def render(game: Game, state: State, viewer: int, mode: str | None, last: int | None) -> Any:
    """A position as a player sees it: text for "ansi", an array for "rgb_array"; "human" prints it and returns None."""
    if mode is None:
        raise KibitzError(f"Nothing is drawn without a render_mode; choose from {', '.join(RENDER_MODES)}.")
    board, view = board_of(game), Engine(game).redacted(state, viewer)
    if mode == PIXELS:
        scene = board.scene(game, view, viewer, last)
        if scene is None:
            raise KibitzError(f"{spec_of(game)} draws no scene; use render_mode={ANSI!r}.")
        return to_pixels(scene)
    text = board.text(game, view, last)
    if mode == ANSI:
        return without_markup(text)
    Console(highlight=False).print(text)
    return None
