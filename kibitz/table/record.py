"""The record of a game: everything needed to replay it bit for bit, and how it ended."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from typing import Any

from kibitz.errors import KibitzError


@dataclass(frozen=True, repr=False)
class Record:
    """One game: every move and chance outcome in order, by name, and the result.

    Examples:
        >>> import kibitz
        >>> table = kibitz.Table("connect_four", seed=1)
        >>> table.play("4")
        >>> record = kibitz.Record.from_json(table.record().to_json())
        >>> record.names, record.over
        (('4',), False)
    """

    game: str  # the game's spec
    seed: int | str
    number: int  # of the game in its series; with the seed and the secret, it determines the bots' streams
    luck: int  # equal for games with the same luck; with the seed and the secret, it determines the stream of chance
    seats: tuple[str, ...]  # the spec of the player in each seat
    turns: tuple[int, ...]  # who acted: a player, or −1 for chance
    moves: tuple[int, ...]
    names: tuple[str, ...]  # the moves in the game's notation
    over: bool
    payoff: tuple[float, ...]  # empty if the game is unfinished
    score: tuple[float, ...]
    position: str = ""  # the starting position as text; empty: the opening
    secret: str | None = None  # None: there is none, or it is not published yet. A replay does not need it

    def __repr__(self) -> str:
        end = f"payoff {list(self.payoff)}" if self.over else "unfinished"
        seats = f", {' – '.join(self.seats)}" if self.seats else ""
        return f"<Record of {self.game}, seed {self.seed!r}, game {self.number}{seats}, {len(self.moves)} plies, {end}>"

    def to_json(self) -> str:
        """The record as JSON, to keep it in a file."""
        return json.dumps(dataclasses.asdict(self), separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> Record:
        """The record that `to_json` wrote; a KibitzError if it is none."""
        try:
            values: Any = json.loads(text)
            needed = [field.name for field in dataclasses.fields(cls) if field.default is dataclasses.MISSING]
            if missing := [name for name in needed if name not in values]:
                raise KibitzError(f"This is not a valid record of a game: it lacks {', '.join(missing)}.")
            fields: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in values.items()}
            return cls(**fields)
        except (AttributeError, json.JSONDecodeError, TypeError) as error:
            raise KibitzError(f"This is not a valid record of a game: {error}.") from None
