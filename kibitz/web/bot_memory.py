"""Which bots keep what they found out for their next move: search trees take up to hundreds of megabytes.

A tree only saves work, so it can be given up at any time. If the bots of one client, or all of them, use too much
memory, those that were not used for longest are dismissed; they begin anew with their next move.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from typing import Protocol

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


class BotMemory:
    """The tables whose bots have thought, each with its client, the one used longest ago first."""

    def __init__(self, limits: ThinkingLimits) -> None:
        self._most = limits.memory or _machine_memory() // 2
        self._per_client = limits.client_memory or self._most // 2
        self._keepers: OrderedDict[Keeper, str] = OrderedDict()

    def thought(self, keeper: Keeper, client: str) -> None:
        """A bot of a table has thought."""
        self._keepers[keeper] = client
        self._keepers.move_to_end(keeper)
        self._shrink([other for other, whose in self._keepers.items() if whose == client], self._per_client)
        self._shrink(list(self._keepers), self._most)

    def forget(self, keeper: Keeper) -> None:
        """The bots of a table have left."""
        self._keepers.pop(keeper, None)

    def _shrink(self, keepers: list[Keeper], most: int) -> None:
        used = {keeper: keeper.memory for keeper in keepers}
        total = sum(used.values())
        for keeper in keepers:
            if total > most and not keeper.thinking:
                keeper.dismiss()
                total -= used[keeper]


def _machine_memory() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # not every system says it
        return 8 << 30
