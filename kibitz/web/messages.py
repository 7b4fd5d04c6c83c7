"""The messages between page and server. What comes in is checked; what goes out shows only what a viewer may see."""

from __future__ import annotations

import logging
import unicodedata
from collections.abc import Iterator
from dataclasses import asdict
from itertools import islice
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, FailFast, Field, TypeAdapter, ValidationError

from kibitz.display.board import Board
from kibitz.display.palette import DAY, NIGHT
from kibitz.display.wording import capital, payoff_words
from kibitz.errors import KibitzError
from kibitz.rules.contract import CHANCE, Game
from kibitz.rules.registry import spec_of
from kibitz.rules.rng import SECRET_DIGITS
from kibitz.table import Record, Table
from kibitz.web.access import Access
from kibitz.web.clocks import TimeControl
from kibitz.web.history import HIDDEN, GameHistory
from kibitz.web.legal_moves import describe_move
from kibitz.web.offers import OfferKind
from kibitz.web.playthrough import Phase
from kibitz.web.results import distinct_name, player_name, result, seat_title, spoken_board
from kibitz.web.room import Room
from kibitz.web.setting import LARGEST_SEED
from kibitz.web.validation import STRICT, in_words

LONGEST_MESSAGE = 4096  # characters, over a socket
MOST_STEPS = 60  # scenes between one position and the next
LONGEST_NAME = 30
MOST_RECORDS = 10  # in one request
MOST_PLIES = 3000  # of a line that is sent
LONGEST_TEXT = 16_000  # characters of moves by name, or of a position
MOST_MARKS = 2  # accents on one letter
MIN_ABSENCE, MAX_ABSENCE = 10, 86_400  # seconds
PREPARING = "Preparing the rules and the bots. The first time, this takes a few seconds …"
RecordNumber = Annotated[int, Field(ge=0, lt=2**63)]
Whole = Annotated[int, Field(ge=0, le=2**31)]

log = logging.getLogger("kibitz.web")


# ------------------------------------------------------------------ in


class Incoming(BaseModel):
    """Anything that a browser sends: exactly these fields, of exactly these types."""

    model_config = ConfigDict(**STRICT, frozen=True)


class Play(Incoming):
    type: Literal["play"]
    move: Whole
    version: Whole


class Undo(Incoming):
    type: Literal["undo"]


class Redo(Incoming):
    type: Literal["redo"]


class Resign(Incoming):
    type: Literal["resign"]


class Hint(Incoming):
    type: Literal["hint"]


class Rematch(Incoming):
    type: Literal["rematch"]


class Show(Incoming):
    type: Literal["show"]
    ply: Whole | None  # None: the current position


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


class Review(Incoming):
    type: Literal["review"]
    on: bool


class MakeOffer(Incoming):
    type: Literal["offer"]
    offer: Literal["draw", "end"]


class AnswerOffer(Incoming):
    type: Literal["answer"]
    agree: bool


class SeatBot(Incoming):
    type: Literal["seat bot"]
    seat: Whole
    bot: Annotated[str, Field(max_length=200)]


class EndWithout(Incoming):
    type: Literal["end without"]
    seat: Whole


TableMessage = Play | Undo | Redo | Resign | Hint | Rematch | Show | Pause | Speed | Step | Analyse | Review
PeopleMessage = MakeOffer | AnswerOffer | SeatBot | EndWithout
Message = TableMessage | PeopleMessage


class SeatRequest(Incoming):
    """Who takes a seat at a new table: the person who asks, a bot, or whoever comes."""

    you: bool = False
    open: bool = False
    name: Annotated[str, Field(max_length=200)] = ""
    bot: Annotated[str, Field(max_length=200)] | None = None


class LineRequest(Incoming):
    """A line of play: where it begins, and its moves."""

    game: Annotated[str, Field(max_length=200)] = ""  # a spec; empty: the game of the table
    table: Annotated[str, Field(max_length=64)] | None = None  # begin with the game at this table …
    ply: Whole | None = None  # … as it was after so many plies; None: all
    position: Annotated[str, Field(max_length=LONGEST_TEXT)] = ""  # begin with this position, as text
    moves: Annotated[list[Whole], Field(max_length=MOST_PLIES)] = []  # by number …
    names: Annotated[str, Field(max_length=LONGEST_TEXT)] = ""  # … and then by name, such as "4 4 3"


class TableRequest(Incoming):
    """A new table."""

    game: Annotated[str, Field(max_length=200)]
    seats: Annotated[list[SeatRequest], Field(max_length=8)]
    seed: Annotated[int, Field(ge=0, lt=LARGEST_SEED)] | None = None
    colours: Annotated[list[Annotated[int, Field(ge=0, lt=len(DAY))]], Field(max_length=8)] | None = None
    absence: Annotated[int, Field(ge=MIN_ABSENCE, le=MAX_ABSENCE)] = 120  # seconds
    clock: TimeControl | None = None
    listed: bool = False  # whether strangers find it in the lists of tables
    after: LineRequest | None = None  # begin after this line of play; None: with the opening


class JoinRequest(Incoming):
    """Somebody wants an open seat."""

    name: Annotated[str, Field(max_length=200)] = ""
    seat: Whole | None = None  # None: any


class LogRequest(Incoming):
    """A game from one of the logs that the server offers."""

    log: Annotated[str, Field(max_length=200)]
    game: Whole


class RecordRequest(Incoming):
    """A recorded game (kibitz/table/record.py) that somebody sends."""

    game: Annotated[str, Field(max_length=200)]
    seed: int | Annotated[str, Field(max_length=200)]
    number: RecordNumber
    luck: RecordNumber
    seats: Annotated[list[Annotated[str, Field(max_length=1000)]], Field(max_length=100)]
    turns: Annotated[list[int], FailFast()]
    moves: Annotated[list[int], FailFast()]
    names: Annotated[list[str], FailFast()]
    over: bool
    payoff: Annotated[list[float], FailFast()]
    score: Annotated[list[float], FailFast()]
    position: Annotated[str, Field(max_length=LONGEST_TEXT)] = ""  # where it began; empty: at the opening
    secret: Annotated[str, Field(max_length=SECRET_DIGITS)] | None = None

    def record(self) -> Record:
        lists = {name: tuple(value) for name, value in self if isinstance(value, list)}
        return Record(**{**dict(self), **lists})


class OperatorRequest(Incoming):
    """Somebody says that they run this server."""

    secret: Annotated[str, Field(max_length=200)]


class RecordBatch(Incoming):
    """Several recorded games; each is checked by itself."""

    records: Annotated[list[Any], Field(min_length=1, max_length=MOST_RECORDS)]


_MESSAGE: TypeAdapter[Message] = TypeAdapter(Annotated[Message, Field(discriminator="type")])


def read_message(text: str) -> Message:
    """A message that came over a socket; KibitzError if it is malformed."""
    if len(text) > LONGEST_MESSAGE:
        raise KibitzError("Malformed message: it is too long.")
    try:
        return _MESSAGE.validate_json(text)
    except ValidationError as error:
        raise KibitzError(f"Malformed message: {in_words(error)}") from None


def clean_name(name: str, otherwise: str) -> str:
    """A name that is safe to show: short, on one line, printable, and without towers of accents."""
    printable = "".join(c if c.isprintable() else " " for c in unicodedata.normalize("NFC", name))
    shown = " ".join("".join(_without_towers(printable)).split())[:LONGEST_NAME].rstrip()
    return shown or otherwise


def _without_towers(name: str) -> Iterator[str]:
    marks = 0
    for character in name:
        marks = marks + 1 if unicodedata.category(character).startswith("M") else 0
        if marks <= MOST_MARKS:
            yield character


# ------------------------------------------------------------------ out


def table_message(room: Room, access: Access, ply: int | None = None, since: int | None = None) -> dict[str, Any]:
    """Everything that somebody may see of a room, now or after `ply` plies, with the steps since the ply `since`."""
    rights = room.rights(access)
    message = {
        "type": "table",
        "id": room.id,
        "game": room.setting.spec,
        "title": room.setting.title,
        "version": room.version,
        "you": list(access.seats),
        "phase": room.phase.value,
        "waiting": PREPARING if room.phase is Phase.PREPARING else None,
        "paused": room.pace.paused,
        "speed": room.pace.speed,
        "over": room.over,
        "utilities": _utilities(room.setting.game),
        "hides": room.setting.game.has_hidden_information,
        "status": _status(room, access),
        "result": result(room.setting, access, room.ending, room.payoff()),
        "seed": _seed(room),
        "absence": room.setting.absence,
        "clock": None if room.setting.clock is None else asdict(room.setting.clock),
        "spectators": room.audience.spectators,
        "offer": _offer(room, access),
        "rematch": room.rematch if access.seats else None,
        "palette": DAY,
        "palette_night": NIGHT,
        "can": {
            "undo": rights.may_undo,
            "redo": rights.may_redo,
            "resign": rights.may_resign,
            "hint": rights.may_hint,
            "rematch": rights.may_rematch,
            "analyse": rights.may_analyse,
            "offer": [kind.value for kind in OfferKind if rights.may_offer(kind)],
            "join": rights.may_take_seat,
            "step": rights.may_set_pace,
            "pause": rights.may_set_pace,
        },
    }
    if room.table is None or room.history is None:
        return message | _no_position(room, access)
    return message | _position(room, room.table, room.history, access, ply, since)


def _offer(room: Room, access: Access) -> dict[str, Any] | None:
    """What was offered, by whom, and whether this viewer is asked to agree."""
    if room.offer is None:
        return None
    name = distinct_name(room.setting, access, room.offer.agreed[0])
    return {"kind": room.offer.kind.value, "by": name, "asked": room.rights(access).may_answer}


def _seed(room: Room) -> int | str | None:
    """The seed of a finished game, if it gives the same game again: a record needs more, and so does a secret."""
    needs_more = room.is_record or (room.table is not None and room.table.secret is not None)
    return room.setting.seed if room.over and not needs_more else None


def _utilities(game: Game) -> list[str] | None:
    """The lowest and the highest utility; None if payoffs are shares of the win."""
    return [payoff_words(game, bound) for bound in (game.min_utility, game.max_utility)] if game.has_utilities else None


def _no_position(room: Room, access: Access) -> dict[str, Any]:
    """The part of the message that says where the pieces are, before there are any."""
    seats = [_seat(room, access, player) for player in range(len(room.setting.seats))]
    empty: dict[str, Any] = {"scene": None, "text": "", "steps": [], "turning_points": [], "moves": [], "log": []}
    return {"turn": CHANCE, "ply": 0, "plies": 0, "eyes": None, "seats": seats, **empty}


def _position(
    room: Room, table: Table, history: GameHistory, access: Access, ply: int | None, since: int | None
) -> dict[str, Any]:
    plies = len(history)
    shown = plies if ply is None else min(ply, plies)
    viewer = room.viewer(access)
    eyes = None if room.over else viewer  # when the game is over, everything is revealed
    state = history.position(shown, eyes)
    mine = shown == plies and room.turn in access.seats
    game, board = table.game, spoken_board(room.setting, access, table.board)
    scene = scene_document(history, shown, viewer, eyes, board)
    return {
        "turn": room.turn if shown == plies else history.turn(shown),
        "ply": shown,
        "plies": plies,
        "eyes": _private_eyes(room, access, viewer),
        "seats": [
            {
                **_seat(room, access, player),
                "counters": _counters(board.counters(game, state, player)),
            }
            for player in range(game.players)
        ],
        "scene": scene,
        "text": history.text(shown, eyes) if scene is None else "",
        **way_document(history, shown if since is None else since, shown, viewer, eyes, board),
        "moves": [describe_move(game, board, state, move) for move in (table.moves if mine else [])],
        "log": [entry.document() for entry in history.log(eyes, board)],
    }


def _private_eyes(room: Room, access: Access, viewer: int) -> int | None:
    """Whose secrets are shown, if several people share a device: the others must look away."""
    is_secret = room.setting.game.has_hidden_information and not room.over
    return viewer if is_secret and len(access.seats) > 1 and viewer >= 0 else None


def _seat(room: Room, access: Access, player: int) -> dict[str, Any]:
    audience = room.audience
    seat, payoff, score = room.setting.seats[player], room.payoff(), room.score()
    return {
        "name": player_name(room.setting, access, player),
        "title": capital(seat_title(room.setting, player)),
        "colour": seat.colour,
        "chosen": seat.chosen,
        "bot": seat.bot.title if seat.bot else None,
        "open": seat.is_open,
        "absent": round(audience.absent_for(player), 2) if audience.is_absent(player) and not seat.is_open else None,
        "may_seat_bot": seat.is_open and room.rights(access).may_seat_bot(player),
        "words": seat.bot.words if seat.bot else "",
        "counters": {},
        "thinking": room.thinking and room.turn == player,
        "seconds": round(room.seconds(player), 2),
        "time": _rounded(room.time_left(player)),
        "payoff": payoff[player] if payoff else None,
        "paid": payoff_words(room.setting.game, payoff[player]).replace("%", " %") if payoff else "",
        "score": score[player] if score else None,
    }


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 2)


def _counters(counters: dict[str, int | str]) -> dict[str, str]:
    return {name: str(count) for name, count in counters.items()}


def scene_document(
    history: GameHistory, ply: int, viewer: int, eyes: int | None, board: Board
) -> dict[str, Any] | None:
    """The position as a drawing, with everything that `eyes` can see; None: there is only the text."""
    try:
        scene, last = history.scene(ply, viewer, eyes, board), history.last_ply(ply, eyes)
        before = None if last is None else history.scene(last, viewer, eyes, board)
        if scene is not None and before is not None:
            scene = scene.since(before)  # so that the last move is marked
    except Exception:  # people can still play with the text
        log.exception("The scene of %s cannot be drawn.", spec_of(history.table.game))
        return None
    return None if scene is None else scene.document()


def way_document(
    history: GameHistory, since: int, until: int, viewer: int, eyes: int | None, board: Board
) -> dict[str, Any]:
    """How one position becomes another: the scenes between them, and after how many of them the game holds."""
    scenes: list[dict[str, Any]] = []
    points: list[dict[str, Any]] = []
    game = history.table.game
    for ply in range(since, until):
        move = history.seen(ply, eyes)
        if move == HIDDEN:
            continue
        way = board.steps(game, history.position(ply, eyes).copy(), move, viewer)
        steps = list(islice(way, MOST_STEPS - len(scenes)))
        point = history.turning_point(ply, eyes, board)
        if point is not None and not steps:  # what it is about is seen before it
            steps = [scene for scene in (history.scene(ply, viewer, eyes, board),) if scene is not None]
        scenes += [scene.document() for scene in steps]
        if point is not None:
            points.append({"steps": len(scenes), **point.document()})
    return {"steps": scenes, "turning_points": points}


def _status(room: Room, access: Access) -> str:
    """What is going on, in a few words."""
    if room.phase is Phase.PREPARING:
        return PREPARING
    if room.phase is Phase.OVER:
        return "Game over"
    if room.phase is Phase.GATHERING:
        wanted = len(room.setting.open_seats)
        return "Waiting for one more player …" if wanted == 1 else f"Waiting for {wanted} more players …"
    name, is_person = distinct_name(room.setting, access, room.turn), room.turn in room.people
    if is_person:
        return "Your turn" if access.seats == (room.turn,) else f"{name} to move"
    return "Paused" if room.pace.paused and not room.thinking else f"{name} is thinking …"
