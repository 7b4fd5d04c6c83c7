"""Who plays and how a game ended, in the words that one viewer is told."""

from __future__ import annotations

from collections.abc import Sequence

from kibitz.display.board import Board
from kibitz.display.palette import COLOUR_NAMES, is_called_by_colour
from kibitz.display.wording import capital, result_sentence
from kibitz.web.access import Access
from kibitz.web.endings import Ending, EndingKind
from kibitz.web.setting import Setting

YOU = "You"  # the name of people who give none


def seat_title(setting: Setting, player: int) -> str:
    """What a seat is called: by the colour that was chosen for it, if the game calls its seats by their colours."""
    board, seat = setting.board, setting.seats[player]
    return COLOUR_NAMES[seat.colour].title() if seat.chosen and is_called_by_colour(board) else board.seat(player)


def player_name(setting: Setting, access: Access, player: int) -> str:
    """A player's name. People who gave none are "You" to themselves, and go by their seat for everyone else."""
    seat = setting.seats[player]
    if seat.is_open:
        return "Open seat"
    if seat.name != YOU or player in access.seats:
        return seat.name
    return capital(seat_title(setting, player))


def distinct_name(setting: Setting, access: Access, player: int) -> str:
    """A player's name, or the seat's if it is open or another player has the same name."""
    names = [player_name(setting, access, other) for other in range(len(setting.seats))]
    is_clear = names.count(names[player]) == 1 and not setting.seats[player].is_open
    return names[player] if is_clear else capital(seat_title(setting, player))


def spoken_board(setting: Setting, access: Access, board: Board) -> Board:
    """A Board that speaks to one viewer: it calls the players by their names, and whoever has a single seat "you"."""
    players = range(len(setting.seats))
    names = [distinct_name(setting, access, player) for player in players]
    seats = [seat_title(setting, player) for player in players] if board.seats else ()
    return board.with_players(names, only_seat(access), seats)


def only_seat(access: Access) -> int | None:
    """The seat of somebody who has exactly one: only they are "you"."""
    return access.seats[0] if len(access.seats) == 1 else None


def result(setting: Setting, access: Access, ending: Ending | None, payoff: Sequence[float] | None) -> str:
    """How a game ended, in a sentence or two; empty before that."""
    if ending is None:
        return ""
    if ending.kind is EndingKind.FAULT:
        return f"The game was stopped: {ending.words}"
    if ending.kind is EndingKind.DRAWN:
        return "The game is a draw by agreement."
    if ending.kind is EndingKind.CALLED_OFF:
        return "The players agreed to end the game early."
    if payoff is None:
        return "This game was not played to the end."
    names = [distinct_name(setting, access, player) for player in range(len(payoff))]
    sentence = result_sentence(payoff, names, you=only_seat(access))
    if ending.seat is None:
        return sentence
    return f"{sentence} {'You' if ending.seat in access.seats else names[ending.seat]} {ending.words}."
