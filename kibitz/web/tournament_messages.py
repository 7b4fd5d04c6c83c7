"""What the page and the server say to each other about tournaments."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from kibitz.web.messages import Incoming, Whole
from kibitz.web.setting import LARGEST_SEED
from kibitz.web.tournament_folder import Standings

Spec = Annotated[str, Field(max_length=200)]
State = Literal["running", "stopping", "stopped", "finished"]

NO_SUCH_TOURNAMENT = "This tournament does not exist, or no longer exists."


class TournamentRequest(Incoming):
    """A new tournament."""

    game: Spec
    players: Annotated[int, Field(ge=1, le=8)] | None = None  # None: as many as is usual
    bots: Annotated[list[Spec], Field(max_length=100)]
    games: Whole
    seed: Annotated[int, Field(ge=0, lt=LARGEST_SEED)] | None = None


class TournamentGameRequest(Incoming):
    """A game of a tournament, to be replayed."""

    tournament: Annotated[str, Field(max_length=64)]
    game: Whole


class TournamentKey(BaseModel):
    """Where a tournament is."""

    id: str


class ShownBot(BaseModel):
    """A bot in a tournament, as everyone sees it."""

    spec: str
    name: str


class TournamentSummary(BaseModel):
    """A tournament in the list of all."""

    id: str
    yours: bool
    game: str
    title: str
    bots: list[ShownBot]
    games: int
    played: int
    begun: float  # seconds since 1970
    state: State
    seconds_left: float | None
    leader: str  # a sentence; "" if no game has been played


class TournamentView(TournamentSummary):
    """A tournament as everyone sees it."""

    seed: int
    opening: int  # the random moves at the start of every game
    problem: str  # why it is not running; "" if there is nothing to say
    has_files: bool  # whether its log and report can be downloaded
    standings: Standings


class TournamentList(BaseModel):
    """All tournaments, the newest first, and what a new one may have."""

    tournaments: list[TournamentSummary]
    most_games: int
    most_bots: int
    most_seconds: float


class TournamentGame(BaseModel):
    """A game of a tournament."""

    game: int  # its number
    bots: list[int]  # who sat in each seat
    payoff: list[float]
    decisions: int
    fault: str | None  # what went wrong, if anything did: a kind, not a message


class TournamentGames(BaseModel):
    """Some of the games of a tournament, in order."""

    games: list[TournamentGame]
