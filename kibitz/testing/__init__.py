"""Contract checks: random games, in plain and in compiled mode, test every promise of rules/contract.py.

`check_game` first plays a few games in plain mode, which finds most mistakes without compiling anything. It then plays
all of them compiled with bounds checks, and compares each call of the first games with its result in plain mode.
"""

from __future__ import annotations

from collections.abc import Callable

from kibitz.compiler import bounds_checked, is_plain, plain
from kibitz.rules.contract import OVER, Game
from kibitz.rules.registry import GameLike, as_game, spec_of
from kibitz.rules.rng import Stream
from kibitz.testing.hidden import Hidden
from kibitz.testing.positions import Checked, check_end, check_position, play_one
from kibitz.testing.rules import WatchedRules, contract_error

PLAIN_GAMES, PLAIN_PLIES = 25, 1000  # enough of either to exercise every rule, few enough to interpret
FACTS = {"players": 1, "actions": 1, "max_moves": 1, "max_plies": 1, "max_outcomes": 0}  # and their least values


def check_game(
    game: GameLike, games: int = 200, seed: int | str = 0, progress: Callable[[int, int], None] | None = None
) -> Checked:
    """Play random games and raise a ContractError at the first promise of the contract that the game breaks."""
    game = as_game(game)
    _check_facts(game)
    report = progress or (lambda done, total: None)
    if is_plain():
        return _check_games(WatchedRules(game), games, seed, lambda done: report(done, games))

    interpreted = min(games, PLAIN_GAMES)
    total = interpreted + games
    with plain():
        rules = WatchedRules(game)
        _check_games(rules, interpreted, seed, lambda done: report(done, total), PLAIN_PLIES)
    with bounds_checked():
        compiled = WatchedRules(game, expected=rules.calls)
        checked = _check_games(compiled, games, seed, lambda done: report(interpreted + done, total))
    checked.compared = len(rules.calls)
    return checked


def _check_facts(game: Game) -> None:
    for fact, least in FACTS.items():
        value = getattr(game, fact)
        if not isinstance(value, int) or value < least:
            raise contract_error(game, fact, f"must be an integer of at least {least}, not {value!r}.")
    if type(game).defines("chances") and not game.has_chance and not type(game).defines("max_outcomes"):
        raise contract_error(game, "max_outcomes", "must be the most outcomes that `chances` can write.")
    _ = game.dtype  # raises an error if the fields are invalid
    game.check_functions()


def _check_games(
    rules: WatchedRules, games: int, seed: int | str, progress: Callable[[int], None], plies: int = 0
) -> Checked:
    """Check `games` games, or fewer once they have `plies` plies in total."""
    checked = Checked(spec_of(rules.game))
    opening = rules.start()
    rules.check_turn("start", opening)
    if rules.start() != opening:
        raise rules.broken("start", "does not write the same opening every time.", opening)
    hidden = Hidden(rules, checked) if rules.game.has_hidden_information else None
    for number in range(games):
        stream = Stream(seed, number, "check")
        state = rules.start()
        if hidden:
            hidden.begin_game(state, number, stream)
        while state.turn != OVER:
            check_position(rules, state)
            if hidden:
                hidden.check_view(state)
            before = state.copy()
            play_one(rules, state, checked, stream)
            if hidden:
                hidden.follow(before, rules.path[-1], state)
        check_end(rules, state)
        checked.games += 1
        checked.plies += len(rules.path)
        checked.longest = max(checked.longest, len(rules.path))
        progress(number + 1)
        if plies and checked.plies >= plies:
            break
    if hidden:
        hidden.check_whole()
    return checked


__all__ = ["Checked", "check_game"]
