"""Tournaments: bots play many games, seats rotate, and the result says how sure it is.

The pieces, in the order in which they work: `schedule` says who sits where in which game, `match` plays one game,
`workers` plays many in this process or in several, `statistics` estimates, `result` sums up and shows.
"""

from __future__ import annotations

from kibitz.arena.result import ArenaResult
from kibitz.arena.tournament import arena

__all__ = ["ArenaResult", "arena"]
