"""Guides: compiled players that also tell a search how promising moves look and what a position is worth.

A search is handed a guide by the spec of a bot (`prior=policy`) and knows nothing else about it; where guides come from
lies above this package: kibitz/learn/zero/policy.py makes one of a network.
"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple, Protocol, runtime_checkable

from kibitz.compiler import compiled, numbers
from kibitz.players.compiled_player import CompiledPlayer
from kibitz.players.roster import bot
from kibitz.rules.contract import Game

BIAS = 50.0  # the weight of priors in a selection by bounds, unless it is given


class Guide(CompiledPlayer):
    """The base class of guides."""

    never_compiled: ClassVar[bool] = True

    def judge(self, game: Any, s: Any, moves: Any, count: int, memory: Any, priors: Any, values: Any) -> None:
        """Write the probability of each of `count` legal moves, and the normalized payoff to expect for each player.

        It is compiled, like `pick`, and must look only at what the player to act may know: `s` can be a determinization
        of what is hidden. With a count of 0 it writes values only. `memory` is what `memory(game)` allocated.
        """
        raise NotImplementedError

    def examples(self) -> dict[str, tuple[Any, ...]]:
        return {"pick": (), "judge": ()}


@runtime_checkable
class Guided(Protocol):
    """A bot that plays by a guide, which other searches can use as well."""

    def guide(self) -> Guide: ...


class Advice(NamedTuple):
    """A guide and its workspace."""

    guide: Any
    memory: Any
    priors: Any  # of the legal moves, after `advise`
    values: Any  # to each player


def advice_of(spec: str, game: Game) -> Advice | None:
    """The advice of a bot; None if the spec is empty."""
    guide = _guide_of(spec, game)
    if guide is None:
        return None
    return Advice(guide, guide.memory(game), numbers(game.max_moves, "f8"), numbers(game.players, "f8"))


def advice_misfit(spec: str, game: Game) -> str | None:
    """Why a bot cannot give advice; None if it can."""
    if spec and _guide_of(spec, game) is None:
        return f"prior={spec} knows no probabilities of moves; name a bot with a network, such as policy or zero."
    return None


def _guide_of(spec: str, game: Game) -> Guide | None:
    found = bot(spec, game) if spec else None
    if isinstance(found, Guided):
        return found.guide()
    return None


@compiled
def advise(game: Any, s: Any, moves: Any, count: int, advice: Advice) -> None:
    """Write the priors of the legal moves to advice.priors, and sort both by them, the most probable move first."""
    priors = advice.priors
    advice.guide.judge(game, s, moves, count, advice.memory, priors, advice.values)
    for i in range(1, count):
        move, prior = moves[i], priors[i]
        place = i
        while place > 0 and priors[place - 1] < prior:
            moves[place], priors[place] = moves[place - 1], priors[place - 1]
            place -= 1
        moves[place], priors[place] = move, prior
