"""Who may do what at a table: every browser has a token, and a table knows which seats it has given to which.

Tokens are kept only as hashes, in memory as in snapshots: nobody who reads those can take a player's seat.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

TOKEN = re.compile(r"[\w-]{32,64}", re.ASCII)


def new_token() -> str:
    """A token that nobody can guess. It is not kept, so this is the only time it can be read."""
    return secrets.token_urlsafe(24)


def visitor_with(token: str) -> str | None:
    """Who shows a token: its SHA-256, in hexadecimal; None if it cannot be a token."""
    # Tokens are long and random, so they need neither a salt nor a slow hash.
    return hashlib.sha256(token.encode()).hexdigest() if TOKEN.fullmatch(token) else None


@dataclass(frozen=True)
class Access:
    """What somebody may do at a table."""

    seats: tuple[int, ...] = ()  # to play
    host: bool = False  # whether they set the game up


SPECTATOR = Access()


@dataclass(frozen=True)
class Grant:
    """What a table gives a visitor."""

    visitor: str
    seats: tuple[int, ...]
    host: bool


class Grants:
    """Who has been given what at one table."""

    def __init__(self, grants: Iterable[Grant] = ()) -> None:
        self._access = {grant.visitor: Access(grant.seats, grant.host) for grant in grants}

    def __iter__(self) -> Iterator[Grant]:
        return (Grant(visitor, access.seats, access.host) for visitor, access in self._access.items())

    def give(self, visitor: str, access: Access) -> None:
        self._access[visitor] = access

    def access(self, visitor: str | None) -> Access:
        """What a visitor may do; who was given nothing can only watch."""
        return SPECTATOR if visitor is None else self._access.get(visitor, SPECTATOR)

    def take_back(self, seat: int) -> None:
        """Whoever had this seat has it no longer."""
        for visitor, access in self._access.items():
            seats = tuple(other for other in access.seats if other != seat)
            self._access[visitor] = Access(seats, access.host)
