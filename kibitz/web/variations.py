"""Lines of play that somebody tries out: from the opening, from a position that they typed, or from a table's game.

Nothing is kept between two requests: each brings the whole line, by the numbers or the names of its moves, and every
one of them is checked against the rules. Chance is not drawn but chosen like a move, unless it is asked to be.
A position that was typed is not known to be reachable by moves, and compiled rules trust positions; so it is taken
only in games that can say what is wrong with one (the extra `position_error`), in plain Python.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

from pydantic import Field

from kibitz.display.board import Board
from kibitz.display.palette import DAY, NIGHT
from kibitz.display.wording import result_sentence, title_of
from kibitz.errors import KibitzError
from kibitz.rules.contract import CHANCE, OVER, Game
from kibitz.rules.engine import Engine
from kibitz.rules.rng import Stream
from kibitz.state import State
from kibitz.table import Ply, Table
from kibitz.table.typed_moves import play_typed
from kibitz.web.history import GameHistory
from kibitz.web.legal_moves import describe_move
from kibitz.web.messages import LineRequest, Whole, scene_document, way_document

LONGEST_DEAL = 400  # plies of chance in a row


class PositionRequest(LineRequest):
    """The position after a line of play."""

    since: Whole = 0  # only the plies after so many are listed
    deal: Whole | None = None  # a seed: chance is drawn until a player is to move; None: it waits


class OpinionRequest(LineRequest):
    """What a bot thinks of the position after a line of play."""

    bot: Annotated[str, Field(max_length=200)] = ""  # a level or a spec; empty: the strongest search


@dataclass(frozen=True)
class Beginning:
    """Where a line begins."""

    game: Game
    spec: str  # as browsers name the game
    plies: tuple[Ply, ...] = ()
    names: tuple[str, ...] = ()  # of the players, if they have names of their own
    viewer: int = 0  # from whose side the board is shown
    board: Board | None = None  # that speaks to whoever looks; None: to nobody in particular
    position: str = ""  # where the table's game began; empty: at the opening


class Start(NamedTuple):
    """Where a new game begins."""

    game: Game
    position: str  # as text; empty: the opening …
    plies: tuple[Ply, ...]  # … and what was played from there


def played_line(begin: Beginning, line: LineRequest) -> GameHistory:
    """The game after a line of play; KibitzError if the rules do not allow it. Called in a thread."""
    position = checked_position(begin.game, line.position) if line.position else begin.position or None
    table = Table(begin.game, 0, deal=False, position=position, given=begin.plies)
    for move in line.moves:
        table.play(move)
    play_typed(table, line.names)
    if isinstance(line, PositionRequest) and line.deal is not None:
        _draw_chance(table, line.deal)
    return GameHistory(table)


def _draw_chance(table: Table, seed: int) -> None:
    engine, luck = Engine(table.game), Stream("line", seed)
    for _ in range(LONGEST_DEAL):
        if table.turn != CHANCE:
            return
        table.play(engine.draw(table.state, luck))


def checked_position(game: Game, text: str) -> State:
    """A position that somebody typed; KibitzError, in one sentence, if there cannot be such a position."""
    error = game.extra("position_error")
    if error is None:
        title = title_of(game)[0]
        raise KibitzError(f"Positions of {title} cannot be checked; give the moves that lead there, or a record.")
    try:
        state = State.from_text(text, game.dtype)
    except RecursionError:
        raise KibitzError("This is not a valid position.") from None
    if (words := error(state)) is not None:
        raise KibitzError(words)
    return state


def position_message(begin: Beginning, history: GameHistory, since: int) -> dict[str, Any]:
    """Everything that the page shows of a position on a line of play. Called in a thread."""
    table, plies = history.table, len(history)
    game, board = table.game, begin.board or table.board
    titles = [board.seat(player) for player in range(game.players)]
    names = list(begin.names) or [title[:1].upper() + title[1:] for title in titles]
    scene = scene_document(history, plies, begin.viewer, None, board)
    state = history.position(plies, None)
    is_new = plies > since
    return {
        "game": begin.spec,
        "title": title_of(game)[0],
        "ply": plies,
        "turn": table.turn,
        "over": table.over,
        "status": _status(table, names),
        "seats": [
            {
                "name": names[player],
                "title": titles[player],
                "counters": {name: str(count) for name, count in board.counters(game, state, player).items()},
            }
            for player in range(game.players)
        ],
        "plies": [
            {**entry.document(), "move": history.played(entry.ply - 1).move}
            for entry in history.log(None, board)
            if entry.ply > since
        ],
        "moves": _choices(table, board),
        "scene": scene,
        "text": history.text(plies, None) if scene is None else "",
        "steps": way_document(history, plies - 1, plies, begin.viewer, None, board)["steps"] if is_new else [],
        "position": table.state.to_text(),
        "start": table.position,
        "can_type": game.extra("position_error") is not None,
        "can_set_up": game.extra("editor") is not None,
        "palette": DAY,
        "palette_night": NIGHT,
    }


def _status(table: Table, names: Sequence[str]) -> str:
    if table.turn == OVER:
        return result_sentence(table.payoff(), names)
    return "Chance decides" if table.turn == CHANCE else f"{names[table.turn]} to move"


def _choices(table: Table, board: Board) -> list[dict[str, Any]]:
    """What can happen next: moves, or the outcomes of chance with their probabilities."""
    game, state = table.game, table.state
    if table.turn != CHANCE:
        return [{**describe_move(game, board, state, move), "odds": None} for move in table.moves]
    return [
        {
            "move": outcome,
            "name": board.name(game, state, outcome),
            "say": board.say(game, state, outcome),
            "clicks": [],
            "landing": [],
            "odds": odds,
        }
        for outcome, odds in Engine(game).outcomes(state)
    ]
