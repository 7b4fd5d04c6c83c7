"""Bots written for other projects' interfaces, which play here unchanged: `name:path/file.py:which`.

An adapter is a Bot, in a file of its own, with two options: `path`, the file, and `which`, the bot in it. It translates
the View into what such bots are handed and their answers into moves; an answer that names no legal move it returns as
it is. `move_seconds` is how long they may take for a move. Like every bot that did not come with kibitz, they play in
processes of their own.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

from kibitz.spec import unknown

ADAPTERS: Mapping[str, str] = {
    "camelai": "kibitz.adapters.camelai:CamelaiBot",
    "hexplode-algo": "kibitz.adapters.hexplode_algo:AlgoBot",
}


def adapter(name: str) -> Any:
    """The adapter of a name."""
    if name not in ADAPTERS:
        raise unknown("kind of bot called", name, ADAPTERS)
    module, _, cls = ADAPTERS[name].partition(":")
    return getattr(importlib.import_module(module), cls)
