"""Which work of the thinking pool waits for which, and where a bot's next move belongs: by how long it has thought."""

from __future__ import annotations

from enum import Enum

from kibitz.players.compiled_player import CompiledPlayer
from kibitz.players.roster import Entrant
from kibitz.rules.registry import can_be_found, spec_of
from kibitz.web.recent import Recent

QUICK_SECONDS = 0.05
MOST_REMEMBERED = 10_000  # bots


class Lane(Enum):
    """A kind of work."""

    QUICK = "quick"  # it takes milliseconds, and has threads of its own
    ELSEWHERE = "elsewhere"  # it is done by another process, and its threads only wait
    SLOW = "slow"
    ANALYSIS = "analysis"  # it has the threads of slow work when nothing else waits for them


class ThoughtTimes:
    """The seconds that each bot took for its last moves, at any table."""

    def __init__(self) -> None:
        self._seconds: Recent[tuple[str, str], float] = Recent(MOST_REMEMBERED)  # by game and bot

    def note(self, entrant: Entrant, seconds: float) -> None:
        """A bot has thought for so long. A long thought is forgotten only after several short ones."""
        key = spec_of(entrant.game), entrant.spec
        self._seconds[key] = max(seconds, self._seconds.get(key, 0.0) / 2)

    def lane(self, entrant: Entrant) -> Lane:
        """Where the bot's next move belongs. Of a new bot, only one without a search and without options is quick:
        there are few of these, so nobody can have one slow thought after another taken for quick ones."""
        known = self._seconds.get((spec_of(entrant.game), entrant.spec))
        if known is not None:
            return Lane.QUICK if known < QUICK_SECONDS else slow_lane(entrant)
        is_simple = entrant.cls is not None and issubclass(entrant.cls, CompiledPlayer) and not entrant.parsed.options
        return Lane.QUICK if is_simple and entrant.is_shipped else slow_lane(entrant)


def slow_lane(entrant: Entrant) -> Lane:
    """Where a bot thinks that is not quick: in another process if that can make it, be it a sandbox."""
    return Lane.ELSEWHERE if not entrant.is_shipped or can_be_found(entrant.game) else Lane.SLOW
