"""Notices: one line for people who wait for something that takes seconds. Silent unless somebody listens."""

from __future__ import annotations

from collections.abc import Callable

listener: Callable[[str], None] | None = None  # the command line prints them


def tell(sentence: str) -> None:
    """Say what is going on."""
    if listener is not None:
        listener(sentence)
