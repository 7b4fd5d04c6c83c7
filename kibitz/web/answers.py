"""What the server answers over HTTP, as models: they describe it in /openapi.json, and tests hold it to them."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from kibitz.web.messages import RecordRequest

Picture = dict[str, Any] | None  # a scene, as kibitz/display/scene.py documents it


class Answer(BaseModel):
    """Anything that the server answers: exactly these fields."""

    model_config = ConfigDict(extra="forbid")


class Refusal(Answer):
    """Why a request was not carried out."""

    error: str = Field(description="A sentence.")


class VariantField(Answer):
    """A field of the rules that can be set in a spec."""

    name: str
    default: bool | int | float | str
    kind: Literal["bool", "choice", "float", "int"]
    words: str
    choices: list[int | str] = []
    choice_words: list[str] = []
    min: int | None = None
    max: int | None = None


class LevelAnswer(Answer):
    """A bot that people choose by its strength."""

    key: str
    title: str
    words: str
    spec: str


class GameCard(Answer):
    """What the page shows of a game before it is played."""

    name: str
    title: str
    words: str
    players: list[int] = Field(description="The smallest and the largest number of players.")
    seats: list[str]
    coloured_seats: bool = Field(description="Whether the seats are called by their colours.")
    default: str = Field(description="The spec of the game without options.")
    fields: list[VariantField]
    levels: list[LevelAnswer]
    chance: bool = Field(description="Whether there is luck in it.")
    hidden: bool = Field(description="Whether players have secrets from each other.")
    scene: Picture
    ready: bool = Field(description="Whether a game can begin at once, because everything is compiled.")
    prepared: list[int] = Field(description="How many steps of what a usual game needs are done, and of how many.")


class GamesAnswer(Answer):
    """All games of this server."""

    games: list[GameCard]
    palette: list[str]
    palette_night: list[str]
    palette_names: list[str]


class BotAnswer(Answer):
    """A bot, with the options that may be set in its spec and their defaults."""

    name: str
    words: str
    options: dict[str, bool | int | float | str]
    judges: bool = Field(description="Whether it can judge every legal move of a position.")


class BotsAnswer(Answer):
    """The bots for a game or variant."""

    bots: list[BotAnswer]


class LessonAnswer(Answer):
    """A part of the rules."""

    title: str
    words: str
    scene: Picture
    task: str | None = Field(description="What to try out, if there is something: see /api/games/NAME/lessons/NUMBER.")


class RulesAnswer(Answer):
    """The rules of a game or variant."""

    title: str
    words: str
    lessons: list[LessonAnswer]
    palette: list[str]
    palette_night: list[str]


class PreparationAnswer(Answer):
    """How far a table is that cannot begin yet: the rules are one step, and so is every bot."""

    done: int
    of: int
    words: str = Field(description="What is being prepared now; empty when everything is done.")
    functions: int = Field(description="How many of its functions have been compiled so far.")


class TableAnswer(Answer):
    """Where a new table is: its page is /table/ID, its socket is /ws/ID."""

    id: str


class Done(Answer):
    """Nothing more to say."""


class SeatAnswer(Answer):
    """The seat that somebody was given."""

    seat: int


class LinePly(Answer):
    """A move or an outcome of chance on a line of play."""

    ply: int = Field(description="Its number, from 1.")
    seat: int = Field(description="Who moved, or -1 for chance.")
    name: str
    say: str = Field(description="The same in words.")
    words: list[str] = Field(description="What it brought about.")
    move: int


class LineChoice(Answer):
    """What can be played next: a move, or an outcome of chance with its probability."""

    move: int
    name: str
    say: str = Field(description="The same in words.")
    clicks: list[str]
    landing: list[dict[str, Any]] = Field(description="The pieces that it puts down.")
    odds: float | None


class LineSeat(Answer):
    """A player on a line of play."""

    name: str
    title: str
    counters: dict[str, str]


class PositionAnswer(Answer):
    """The position after a line of play."""

    game: str
    title: str
    ply: int
    turn: int = Field(description="The seat to move, -1 for chance, -2 if the game is over.")
    over: bool
    status: str
    seats: list[LineSeat]
    plies: list[LinePly]
    moves: list[LineChoice]
    scene: Picture
    text: str
    steps: list[dict[str, Any]]
    position: str = Field(description="The position as text.")
    start: str = Field(description="The position with which the line begins, as text; empty: the opening.")
    can_type: bool = Field(description="Whether a line can begin with a position of this game.")
    can_set_up: bool = Field(description="Whether positions of this game can be set up by hand.")
    palette: list[str]
    palette_night: list[str]


class ItemAnswer(Answer):
    """Something that can be put on the board, or taken off it."""

    say: str
    places: list[list[str]] = Field(description="Where: the pieces to click, in order.")


class ArrangementAnswer(Answer):
    """A position that is being set up."""

    game: str
    seats: list[str]
    items: list[ItemAnswer]
    chooses_turn: bool = Field(description="Whether either player may be to move.")
    turn: int
    scene: Picture
    position: str = Field(description="The position as text.")
    error: str | None = Field(description="Why it cannot be played.")


class RecordAnswer(RecordRequest):
    """The record of a finished game."""


class LogAnswer(Answer):
    """A log of games that can be looked at, with the numbers of its first and last finished game."""

    log: str
    game: str
    games: int
    first: int
    last: int


class OperatorAnswer(Answer):
    """Whether whoever asks has the powers of the server's operator."""

    operator: bool


class HealthAnswer(Answer):
    """The server is running."""

    status: Literal["running"]
    version: str


class ReadinessAnswer(Answer):
    """Whether the server can do its work."""

    ready: bool
    store: Literal["reachable", "unreachable"]
    not_compiled: list[str] = Field(description="Games whose rules are not compiled yet; their first tables wait.")
