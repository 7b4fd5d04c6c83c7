"""Whether a position of Hexplode that somebody typed is one that compiled rules can play on from."""

from __future__ import annotations

from typing import Any

import numpy as np

from kibitz.games.hexplode.evaluation import ALONE, BESIDE, KIND, OUTSIDE, TALLEST
from kibitz.games.hexplode.rules import DAMAGE_HASH, HASH, MOST_DAMAGE
from kibitz.games.hexplode.tiles import CAPACITY, NEIGHBOURS
from kibitz.state import State


def position_error(game: Any, s: State) -> str | None:
    """Why there cannot be such a position; None if there can. Only positions before the end can be typed."""
    stacks, damaged = [int(stack) for stack in s.stacks], [int(units) for units in s.damaged]
    for tile, stack in enumerate(stacks):
        if abs(stack) >= CAPACITY[game.side, tile]:
            return f"Tile {tile} has {abs(stack)} counters, but hexplodes with {CAPACITY[game.side, tile]}."
    if any(not 0 <= units <= (MOST_DAMAGE if game.damage > 0 else 0) for units in damaged):
        return f"The damage of a tile is from 0 to {MOST_DAMAGE}."
    counters = [sum(stack for stack in stacks if stack > 0), -sum(stack for stack in stacks if stack < 0)]
    if sum(counters) >= game.max_counters:
        return "There are more counters than the board can hold."
    if min(counters) == 0 and sum(counters) > 2:
        return "The game would be over: one player has no counters left."
    if s.turn not in (0, 1) or s.winner != -1:
        return "The turn is that of player 0 or 1, and there is no winner (-1) yet."
    for name, value in fields_of(game, s).items():
        found = getattr(s, name)
        if (list(found) if isinstance(value, list) else found) != value:
            return f"The field {name!r} does not belong to these stacks; it should be {value}."
    return None


def fields_of(game: Any, s: State) -> dict[str, Any]:
    """The fields that follow from the stacks and the damage."""
    stacks, damaged = [int(stack) for stack in s.stacks], [int(units) for units in s.damaged]
    return {
        "counters": [sum(stack for stack in stacks if stack > 0), -sum(stack for stack in stacks if stack < 0)],
        "laid": game.tiles if game.damage > 0 else 0,
        "hash": _hash(game, stacks, damaged),
        **_evaluation(game, stacks),
    }


def _hash(game: Any, stacks: list[int], damaged: list[int]) -> int:
    found = sum(stack * int(HASH[tile]) for tile, stack in enumerate(stacks))
    if game.damage > 0:
        found += sum(units * int(DAMAGE_HASH[tile]) for tile, units in enumerate(damaged))
    return found


def _evaluation(game: Any, stacks: list[int]) -> dict[str, Any]:
    """The kinds of all stacks, and the value of the position to both players."""
    capacities = CAPACITY[game.side, : game.tiles]
    kinds = np.append(KIND[capacities, TALLEST + np.array(stacks)], OUTSIDE)
    pairs = BESIDE[kinds[:-1, None], kinds[NEIGHBOURS[game.side, : game.tiles]]].sum() // 2  # each is counted twice
    return {"kinds": kinds.tolist(), "worth": int(ALONE[kinds[:-1]].sum() + pairs)}
