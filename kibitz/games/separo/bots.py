"""SEPARO's own bots: `best`, perfect on small boards, a search without a network, and two classic opponents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kibitz.rules.shipped_network import shipped_network

UCT = "uct:sims=30000,c=0.4,habit=0.7,urgent=yes"
BY_NETWORK = "zero:sims=30000,mix=0.5,habit=0.7"
SOLVED = 7  # up to this size, a search to the end takes seconds at most …
TO_THE_END = "alphabeta:depth=64"  # … and no game lasts longer


def own_bots(game: Any) -> Mapping[str, str]:
    """The bots of a variant: `best` plays perfectly on small boards, and by a network if there is one for it."""
    return {
        "best": TO_THE_END if game.size <= SOLVED else BY_NETWORK if shipped_network(game) else UCT,
        "uct-tuned": UCT,
        "naive": "mc:sims=2000,draws=no",
        "uct-classic": "uct:sims=30000,c=2,expand=3,bonus=root,draws=no,final=value",
    }


BOTS = own_bots
NETWORK = "network.npz"
