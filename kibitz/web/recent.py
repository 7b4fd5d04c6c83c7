"""A dict that forgets: it keeps a number of entries, those that were set or used last."""

from __future__ import annotations

from collections import OrderedDict
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Recent(OrderedDict[K, V]):
    """The last entries that were set or used, the one used longest ago first."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most

    def __setitem__(self, key: K, value: V) -> None:
        super().__setitem__(key, value)
        self.move_to_end(key)
        if len(self) > self._most:
            self.popitem(last=False)

    def use(self, key: K) -> V:
        """An entry that is there; it is the last to be forgotten now."""
        self.move_to_end(key)
        return self[key]
