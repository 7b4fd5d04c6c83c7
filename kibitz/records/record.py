"""The record of a game: all that is needed to replay it bit for bit, and how it ended."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from typing import Any

from kibitz.errors import KibitzError


@dataclass(frozen=True)
class Record:
    """One game: every move and chance outcome in order, by name, and the result."""

    game: str  # the game's spec
    seed: int | str
    number: int  # of the game in its series; with the seed it gives the bots' streams
    luck: int  # the same for games with the same chance; with the seed it gives the stream of chance
    seats: tuple[str, ...]  # who sat where, as specs
    turns: tuple[int, ...]  # who acted: a player, or −1 for chance
    moves: tuple[int, ...]
    names: tuple[str, ...]  # the moves in the game's notation
    over: bool
    payoff: tuple[float, ...]  # empty while the game goes on
    score: tuple[float, ...]
    position: str = ""  # where the game began, as text; empty: at the opening

    def to_json(self) -> str:
        return json.dumps(dataclasses.asdict(self), separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> Record:
        try:
            values: Any = json.loads(text)
            fields: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in values.items()}
            return cls(**fields)
        except (AttributeError, json.JSONDecodeError, TypeError) as error:
            raise KibitzError(f"This is not the record of a game: {error}.") from None
