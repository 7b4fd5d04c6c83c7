"""Who plays against a learner: bots that ship with kibitz, or that the program brings along."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from kibitz.compiler import as_buffer
from kibitz.environments.compiled_tables import Bench
from kibitz.errors import SpecError
from kibitz.players.compiled_player import CompiledPlayer
from kibitz.players.roster import BotLike, Entrant, resolve_all
from kibitz.rules.contract import Game
from kibitz.rules.registry import spec_of


def resolve_opponents(game: Game, given: BotLike | Sequence[BotLike]) -> tuple[Entrant, ...]:
    """The bots in the seats after the learner's; a single one sits in all of them."""
    bots: list[Any] = list(given) if isinstance(given, list | tuple) else [given]
    others = game.players - 1
    if len(bots) not in (1, others):
        raise SpecError(
            f"{spec_of(game)} needs {others} opponents, or one that plays all other seats, not {len(bots)}."
        )
    entrants = resolve_all(bots if len(bots) == others else bots * others, game)
    for entrant in entrants:
        if entrant.is_stranger:
            raise SpecError(
                f"{entrant.spec} does not ship with kibitz and would run here with your rights; "
                "if you trust it, import its class and give that instead, or let it play in `kibitz arena`."
            )
    return entrants


def new_bench(game: Game, entrants: Sequence[Entrant]) -> Bench:
    """The bench of compiled players for one thread."""
    different = {entrant.spec: entrant for entrant in sorted(entrants, key=lambda entrant: entrant.spec)}
    players = [entrant.make() for entrant in different.values()]
    for entrant, player in zip(different.values(), players, strict=True):
        if not isinstance(player, CompiledPlayer):
            raise SpecError(
                f"{entrant.spec} does not play in compiled code, as the opponents at many tables must; choose random, "
                "greedy or another compiled player, or play at single tables, as in gymnasium.make."
            )
    known = np.zeros(1, game.dtype)
    return Bench(
        line_up=tuple((player, player.memory(game)) for player in players),
        bots=as_buffer(np.array([list(different).index(entrant.spec) for entrant in entrants], "i8")),
        known=as_buffer(known),
        scratch=as_buffer(known.view("u8")[game.public_words :]),
    )
