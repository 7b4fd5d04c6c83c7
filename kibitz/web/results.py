"""Who plays and how a game ended, in the words that one viewer is told."""

from __future__ import annotations

from collections.abc import Sequence

from kibitz.display.board import board_of
from kibitz.display.wording import result_sentence
from kibitz.web.access import Access
from kibitz.web.endings import Ending, EndingKind
from kibitz.web.setting import Setting

YOU = "You"  # the name of people who give none


def player_name(setting: Setting, access: Access, player: int) -> str:
    """A player's name. People who gave none are "You" to themselves, and go by their seat for everyone else."""
    seat = setting.seats[player]
    if seat.is_open:
        return "Open seat"
    if seat.name != YOU or player in access.seats:
        return seat.name
    title = board_of(setting.game).seat(player)
    return title[:1].upper() + title[1:]


def distinct_name(setting: Setting, access: Access, player: int) -> str:
    """A player's name, followed by the seat if another player has the same name."""
    names = [player_name(setting, access, other) for other in range(len(setting.seats))]
    if names.count(names[player]) == 1:
        return names[player]
    return f"{names[player]} ({board_of(setting.game).seat(player)})"


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
    sentence = result_sentence(payoff, names, you=access.seats[0] if len(access.seats) == 1 else None)
    if ending.seat is None:
        return sentence
    return f"{sentence} {'You' if ending.seat in access.seats else names[ending.seat]} {ending.words}."
