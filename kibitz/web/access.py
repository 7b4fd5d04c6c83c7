"""Who may do what at a table: a token gives seats to play, or the right to control a game of bots.

Tokens are kept only as hashes, in memory as in snapshots: nobody who reads those can take a player's seat.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Access:
    """What the holder of a token may do."""

    seats: tuple[int, ...] = ()  # to play
    host: bool = False  # whether they set the game up


SPECTATOR = Access()


@dataclass(frozen=True)
class Grant:
    """A token that was handed out, and what it gives its holder."""

    token_hash: str  # SHA-256, in hexadecimal
    seats: tuple[int, ...]
    host: bool


class Tokens:
    """The tokens of one table."""

    def __init__(self, grants: Iterable[Grant] = ()) -> None:
        self._access = {grant.token_hash: Access(grant.seats, grant.host) for grant in grants}

    def issue(self, access: Access) -> str:
        """A new token. It is not kept, so this is the only time it can be read."""
        token = secrets.token_urlsafe(18)
        self._access[_hashed(token)] = access
        return token

    def access(self, token: str) -> Access:
        """What a token gives; without a valid one, people can only watch."""
        return self._access.get(_hashed(token), SPECTATOR)

    def grants(self) -> tuple[Grant, ...]:
        """All tokens, as a snapshot keeps them."""
        return tuple(Grant(token_hash, access.seats, access.host) for token_hash, access in self._access.items())


def _hashed(token: str) -> str:
    # Tokens are long and random, so they need neither a salt nor a slow hash.
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
