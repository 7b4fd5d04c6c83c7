"""Which bots keep what they found out for their next move: search trees take up to hundreds of megabytes.

A tree only saves work, so it can be given up at any time. If the bots of one client, or all of them, use too much
memory, those that were not used for longest are dismissed; they begin anew with their next move.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Mapping
from types import FunctionType, ModuleType
from typing import NamedTuple, Protocol

import numpy as np

from kibitz.rules.contract import Game
from kibitz.web.limits import ThinkingLimits


class Keeper(Protocol):
    """The bots of a table."""

    @property
    def thinking(self) -> bool:
        """Whether one of them thinks now."""

    @property
    def memory(self) -> int:
        """The bytes of memory that they use."""

    def dismiss(self) -> None:
        """Send them away; those that play on are new."""


class _Kept(NamedTuple):
    client: str
    memory: int  # in bytes, after the last thought; between thoughts it stays the same


class BotMemory:
    """The tables whose bots have thought, the one used longest ago first."""

    def __init__(self, limits: ThinkingLimits) -> None:
        self._most = limits.memory or _machine_memory() // 2
        self._per_client = limits.client_memory or self._most // 2
        self._kept: OrderedDict[Keeper, _Kept] = OrderedDict()

    def thought(self, keeper: Keeper, client: str) -> None:
        """A bot of a table has thought."""
        self._kept[keeper] = _Kept(client, keeper.memory)
        self._kept.move_to_end(keeper)
        self._shrink(
            {other: kept.memory for other, kept in self._kept.items() if kept.client == client}, self._per_client
        )
        self._shrink({other: kept.memory for other, kept in self._kept.items()}, self._most)

    def forget(self, keeper: Keeper) -> None:
        """The bots of a table have left."""
        self._kept.pop(keeper, None)

    def _shrink(self, used: Mapping[Keeper, int], most: int) -> None:
        total = sum(used.values())
        for keeper, memory in used.items():
            if total > most and not keeper.thinking:
                self.forget(keeper)
                keeper.dismiss()
                total -= memory


def array_bytes(player: object) -> int:
    """The bytes of the arrays that a bot in this process keeps, such as its tree; not those of the game it plays."""
    found, seen, waiting = 0, set[int](), [player]
    while waiting:
        thing = waiting.pop()
        if id(thing) in seen:
            continue
        seen.add(id(thing))
        if isinstance(thing, np.ndarray):
            found += thing.nbytes
        elif isinstance(thing, tuple | list):
            waiting += thing
        elif hasattr(thing, "__dict__") and not isinstance(thing, type | Game | ModuleType | FunctionType):
            waiting += vars(thing).values()
    return found


def _machine_memory() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # not every system says it
        return 8 << 30
