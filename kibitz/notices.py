"""Notices: one line for people who wait for something that takes seconds. Silent unless somebody listens."""

from __future__ import annotations

import enum
from collections.abc import Callable


class Notice(enum.Enum):
    """What a notice is about."""

    COMPILING = enum.auto()  # a function that Python called, with all that it calls; not when it comes from the cache
    COMPILED = enum.auto()  # that function, or nothing if it came from the cache
    WORKING = enum.auto()  # anything else: a sentence of its own


listener: Callable[[Notice, str], None] | None = None  # the command line prints them


def tell(sentence: str) -> None:
    """Say what is going on."""
    _pass_on(Notice.WORKING, sentence)


def tell_compiling(what: str) -> None:
    """Say that something is being compiled: "ConnectFour.play", "playouts for ConnectFour"."""
    _pass_on(Notice.COMPILING, what)


def tell_compiled() -> None:
    """Say that the last thing is compiled."""
    _pass_on(Notice.COMPILED, "")


def _pass_on(notice: Notice, text: str) -> None:
    if listener is not None:
        listener(notice, text)
