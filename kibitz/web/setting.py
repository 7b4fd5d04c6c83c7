"""What a game begins with: the rules, who plays, and the seed."""

from __future__ import annotations

import functools
import secrets
from dataclasses import dataclass, replace

from kibitz.display.board import Board, board_of
from kibitz.players.roster import has_strangers
from kibitz.rules.contract import Game
from kibitz.rules.spec import parse_spec
from kibitz.table import Ply
from kibitz.web.catalogue import ChosenBot
from kibitz.web.clocks import Fischer, PerMove

LARGEST_SEED = 2**53  # JavaScript's numbers are exact up to here


@dataclass(frozen=True)
class Seat:
    """A seat and who plays it."""

    name: str
    colour: int
    bot: ChosenBot | None  # None: a person
    chosen: bool  # whether the colour was asked for; if not, the game may use one of its own
    is_open: bool  # whether a person is still wanted for it


@dataclass(frozen=True)
class Setting:
    """Everything that is decided before a game begins. A rematch has the same, with another seed."""

    game: Game
    spec: str  # as browsers name the game
    title: str
    seats: tuple[Seat, ...]
    seed: int | str
    absence: float = 120.0  # seconds after which the others may go on without a person who has left
    clock: PerMove | Fischer | None = None
    is_listed: bool = False  # whether strangers find it in the lists of tables; otherwise, only by its link
    given: tuple[Ply, ...] = ()  # that were played elsewhere; the game goes on after them
    position: str = ""  # where the game begins, as text; empty: at the opening

    @functools.cached_property
    def board(self) -> Board:
        """How the game is shown."""
        return board_of(self.game)

    @property
    def people(self) -> tuple[int, ...]:
        """The seats that people play, or are to play."""
        return tuple(player for player, seat in enumerate(self.seats) if seat.bot is None)

    @property
    def open_seats(self) -> tuple[int, ...]:
        """The seats that nobody has taken yet."""
        return tuple(player for player, seat in enumerate(self.seats) if seat.is_open)

    def with_seat(self, player: int, seat: Seat) -> Setting:
        """The same with somebody else in a seat."""
        return replace(self, seats=(*self.seats[:player], seat, *self.seats[player + 1 :]))

    @property
    def bot_specs(self) -> list[str]:
        return [seat.bot.spec for seat in self.seats if seat.bot is not None]

    @property
    def has_strangers(self) -> bool:
        """Whether a bot plays that is not trusted."""
        return has_strangers(self.bot_specs, self.game)

    @property
    def recorded_names(self) -> tuple[str, ...]:
        """Who plays, as records say it: specs, but no paths to files and programs on this machine."""
        return tuple("human" if seat.bot is None else _recorded_name(seat.bot) for seat in self.seats)

    def again(self) -> Setting:
        """The setting of a rematch."""
        return replace(self, seed=new_seed())


def _recorded_name(bot: ChosenBot) -> str:
    parsed = parse_spec(bot.spec)
    return bot.title if parsed.file or parsed.command else bot.spec


def new_seed() -> int:
    """A seed that nobody can guess."""
    return secrets.randbelow(LARGEST_SEED)
