"""The budget of the Monte Carlo searches: simulations or time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from kibitz.players.bot import Searcher
from kibitz.players.limit import Limit
from kibitz.players.options import option
from kibitz.search.option_bounds import PUBLIC_MS, PUBLIC_SIMULATIONS


@dataclass
class MonteCarloSearch(Searcher):
    """Base class of the searches that simulate games."""

    counts: ClassVar[tuple[str, ...]] = ("simulations",)
    default_limit: ClassVar[Limit] = Limit(simulations=1000)

    sims: int = option(0, low=0, limits="sims", public=PUBLIC_SIMULATIONS)  # per move
    ms: int = option(0, low=0, limits="ms", public=PUBLIC_MS)  # milliseconds per move
