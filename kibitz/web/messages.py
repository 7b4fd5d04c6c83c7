"""What page and server say to each other: what comes in is checked, what goes out is made of what a viewer may see."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from kibitz.board import board_of
from kibitz.errors import KibitzError
from kibitz.game import CHANCE, OVER
from kibitz.records.record import Record
from kibitz.table import Table
from kibitz.web.palette import DAY, NIGHT
from kibitz.web.rooms import LARGEST_SEED, Access, Room
from kibitz.web.story import HIDDEN, Story

LONGEST_MESSAGE = 4096  # characters of what comes in over a socket
MOST_STEPS = 60  # scenes between one position and the next
LONGEST_NAME = 30
YOU = "You"  # the name of people who give none
Whole = Annotated[int, Field(ge=0, le=2**31)]

log = logging.getLogger("kibitz.web")


# ------------------------------------------------------------------ in


class Incoming(BaseModel):
    """Anything that a browser sends: exactly these fields, of exactly these types."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Play(Incoming):
    type: Literal["play"]
    move: Whole
    version: Whole


class Undo(Incoming):
    type: Literal["undo"]


class Resign(Incoming):
    type: Literal["resign"]


class Hint(Incoming):
    type: Literal["hint"]


class Rematch(Incoming):
    type: Literal["rematch"]


class Show(Incoming):
    type: Literal["show"]
    ply: Whole | None  # None: the game as it goes on


class Pause(Incoming):
    type: Literal["pause"]
    on: bool


class Speed(Incoming):
    type: Literal["speed"]
    speed: Annotated[float, Field(gt=0, le=1000)]


class Step(Incoming):
    type: Literal["step"]


class Analyse(Incoming):
    type: Literal["analyse"]
    on: bool
    ply: Whole | None = None


class Course(Incoming):
    type: Literal["course"]
    on: bool


Message = Play | Undo | Resign | Hint | Rematch | Show | Pause | Speed | Step | Analyse | Course


class SeatRequest(Incoming):
    """A seat of a new table: yours, or a bot's."""

    you: bool = False
    name: Annotated[str, Field(max_length=200)] = ""
    bot: Annotated[str, Field(max_length=200)] | None = None


class TableRequest(Incoming):
    """A new table."""

    game: Annotated[str, Field(max_length=200)]
    seats: Annotated[list[SeatRequest], Field(max_length=8)]
    seed: Annotated[int, Field(ge=0, lt=LARGEST_SEED)] | None = None
    colours: Annotated[list[Annotated[int, Field(ge=0, lt=len(DAY))]], Field(max_length=8)] | None = None


class LogRequest(Incoming):
    """A game of a log that is on offer."""

    log: Annotated[str, Field(max_length=200)]
    game: Whole


class RecordRequest(Incoming):
    """A recorded game (kibitz/records/record.py) that somebody brings."""

    game: Annotated[str, Field(max_length=200)]
    seed: int | Annotated[str, Field(max_length=200)]
    number: int
    luck: int
    seats: Annotated[list[Annotated[str, Field(max_length=1000)]], Field(max_length=100)]
    turns: list[int]
    moves: list[int]
    names: list[str]
    over: bool
    payoff: list[float]
    score: list[float]
    position: Literal[""] = ""  # a position is not checked by the rules, as moves are

    def record(self) -> Record:
        lists = {name: tuple(value) for name, value in self if isinstance(value, list)}
        return Record(**{**dict(self), **lists})


_MESSAGE: TypeAdapter[Message] = TypeAdapter(Annotated[Message, Field(discriminator="type")])


def read_message(text: str) -> Message:
    """What came over a socket."""
    if len(text) > LONGEST_MESSAGE:
        raise KibitzError("This message is too long.")
    try:
        return _MESSAGE.validate_json(text)
    except ValidationError as error:
        raise KibitzError(f"This message cannot be understood: {in_words(error)}") from None


def in_words(error: ValidationError) -> str:
    """What is wrong with what came in, in a sentence."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    where = ".".join(str(part) for part in first["loc"] if not str(part)[:1].isupper())
    return f"{where}: {first['msg']}." if where else f"{first['msg']}."


def clean_name(name: str, otherwise: str) -> str:
    """A person's name as it can be shown."""
    shown = " ".join("".join(c if c.isprintable() else " " for c in name).split())[:LONGEST_NAME]
    return shown or otherwise


# ------------------------------------------------------------------ out


def table_message(room: Room, access: Access, ply: int | None = None, steps: bool = False) -> dict[str, Any]:
    """All that somebody may see of a room; of a moment of the past, if a ply is given. `steps`: of the last change."""
    message = {
        "type": "table",
        "id": room.id,
        "game": room.setting.spec,
        "title": room.setting.title,
        "version": room.version,
        "you": list(access.seats),
        "waiting": room.waiting,
        "paused": room.paused,
        "speed": room.speed,
        "over": room.over,
        "status": _status(room, access),
        "result": _result(room, access),
        "seed": room.setting.seed if room.over and not room.closed else None,  # of a record it says too little
        "palette": DAY,
        "palette_night": NIGHT,
        "can": {
            "undo": room.may_undo(access),
            "resign": room.may_resign(access),
            "hint": room.may_hint(access),
            "rematch": room.may_rematch(access),
            "analyse": room.may_analyse(access),
            "step": room.may_steer(access),
            "pause": room.may_steer(access),
        },
    }
    if room.table is None or room.story is None:
        return message | _nothing_yet(room, access)
    return message | _position(room, room.table, room.story, access, ply, steps)


def _nothing_yet(room: Room, access: Access) -> dict[str, Any]:
    """The table before it is ready."""
    seats = [_seat(room, access, player) for player in range(len(room.setting.seats))]
    empty: dict[str, Any] = {"scene": None, "text": "", "steps": [], "moves": [], "log": []}
    return {"turn": CHANCE, "ply": 0, "plies": 0, "seats": seats, **empty}


def _position(room: Room, table: Table, story: Story, access: Access, ply: int | None, steps: bool) -> dict[str, Any]:
    plies = len(story)
    shown = plies if ply is None else min(ply, plies)
    viewer = room.viewer(access)
    eyes = None if room.over else viewer  # a finished game is laid open
    state = story.position(shown, eyes)
    mine = shown == plies and not room.over and table.turn in access.seats
    game, board = table.game, table.board
    scene = _scene(room, story, shown, viewer)
    return {
        "turn": OVER if room.over and shown == plies else story.turn(shown),
        "ply": shown,
        "plies": plies,
        "seats": [
            {
                **_seat(room, access, player),
                "title": board.seat(player),
                "counters": _counters(board.counters(game, state, player)),
            }
            for player in range(game.players)
        ],
        "scene": scene,
        "text": story.text(shown, eyes) if scene is None else "",
        "steps": _steps(story, room.fresh, viewer, eyes) if steps and shown == plies else [],
        "moves": [
            {"move": move, "name": board.name(game, state, move), "clicks": board.clicks(game, state, move)}
            for move in (table.moves() if mine else [])
        ],
        "log": [entry.document() for entry in story.log(eyes)],
    }


def _seat(room: Room, access: Access, player: int) -> dict[str, Any]:
    seat, payoff, score = room.setting.seats[player], room.payoff(), room.score()
    return {
        "name": _called(room, access, player),
        "title": "",
        "colour": seat.colour,
        "chosen": seat.chosen,
        "bot": seat.bot.title if seat.bot else None,
        "words": seat.bot.words if seat.bot else "",
        "counters": {},
        "thinking": room.thinking and room.turn == player,
        "seconds": round(room.seconds(player), 2),
        "share": payoff[player] if payoff else None,
        "score": score[player] if score else None,
    }


def _counters(counters: dict[str, int | str]) -> dict[str, str]:
    return {name: str(count) for name, count in counters.items()}


def _scene(room: Room, story: Story, ply: int, viewer: int) -> dict[str, Any] | None:
    """The position drawn; None: there is only the text."""
    eyes = None if room.over else viewer
    try:
        scene, last = story.scene(ply, viewer, eyes), story.last_ply(ply, eyes)
        before = None if last is None else story.scene(last, viewer, eyes)
        if scene is not None and before is not None:
            scene = scene.since(before)  # so that the last move is marked
    except Exception:  # a drawing that fails is no reason not to play
        log.exception("The scene of %s cannot be drawn.", room.setting.spec)
        return None
    return None if scene is None else scene.document()


def _steps(story: Story, since: int, viewer: int, eyes: int | None) -> list[dict[str, Any]]:
    """The scenes on the way from a moment of the game to now."""
    scenes: list[dict[str, Any]] = []
    game, board = story.table.game, story.table.board
    for ply in range(since, len(story)):
        move = story.seen(ply, eyes)
        if move != HIDDEN and len(scenes) < MOST_STEPS:
            scenes += [scene.document() for scene in board.steps(game, story.position(ply, eyes), move, viewer)]
    return scenes[:MOST_STEPS]


def _status(room: Room, access: Access) -> str:
    """What happens now, in a few words."""
    if room.waiting:
        return room.waiting
    if room.over:
        return "Game over"
    if room.table is None:
        return "Setting up …"
    seat = room.setting.seats[room.turn]
    if seat.bot is None:
        own = room.turn in access.seats
        return "Your turn" if own and len(access.seats) == 1 else f"{_name(room, access, room.turn)} to move"
    return "Paused" if room.paused and not room.thinking else f"{_name(room, access, room.turn)} is thinking …"


def _result(room: Room, access: Access) -> str:
    """How the game ended, in a sentence; nothing before."""
    if not room.over:
        return ""
    if room.fault:
        return f"The game was stopped: {room.fault}"
    payoff = room.payoff()
    if payoff is None:
        return "The game was not played to its end."
    ending = ""
    if room.resigned is not None:
        who = "You" if room.resigned in access.seats else _name(room, access, room.resigned)
        ending = f" {who} resigned."
    winners = [player for player, share in enumerate(payoff) if share == max(payoff)]
    own = access.seats[0] if len(access.seats) == 1 else None
    if len(winners) == len(payoff) > 1:
        return f"A draw.{ending}"
    if winners == [own]:
        return f"You win.{ending}"
    names = ["You" if player == own else _name(room, access, player) for player in winners]
    if len(winners) == 1:
        return f"{names[0]} wins.{ending}"
    return f"{_listed(names)} share the win.{ending}"


def _name(room: Room, access: Access, player: int) -> str:
    """Who it is: the name, and the seat's where names are alike."""
    names = [_called(room, access, other) for other in range(len(room.setting.seats))]
    alike = names.count(names[player]) > 1
    return f"{names[player]} ({room.table.board.seat(player)})" if alike and room.table else names[player]


def _called(room: Room, access: Access, player: int) -> str:
    """A player's name. Whoever gave none is "You" to themselves; to others they are called by their seat."""
    seat = room.setting.seats[player]
    if seat.name != YOU or player in access.seats:
        return seat.name
    title = board_of(room.setting.game).seat(player)
    return title[:1].upper() + title[1:]


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"
