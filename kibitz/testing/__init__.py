"""Checks of a game's rules: every promise of rules/contract.py, tested in random games, and what looks like a mistake.

`check_game` first plays a few games in plain mode, which finds most mistakes without compiling anything. It then plays
all of them compiled with bounds checks, and compares each call of the first games with its result in plain mode. A
broken promise raises a ContractError that names the method, the line if it is known, the position and the moves:

- moves, outcomes, probabilities, payoffs, scores and estimates are valid; games end within max_plies (positions.py);
- rules change nothing but the record they may change, and do not depend on chance or on scratch fields (rules.py);
- `sample` draws as `chances` says (positions.py); names, texts and drawings of all positions work (presentation.py);
- nobody's view reveals what was hidden, and every redeal fits all the viewer has seen (hidden.py) and is dealt as the
  game deals (redeals.py);
- positions with the same `key` have the same player to act and the same value (keys.py);
- the game's own features keep within their size, and its symmetries hold (learning.py).

What breaks no promise, but would be remarkable in a sound game (findings.py), becomes a Finding of the result: a player
who never has a turn, or wins every game; a move that is never legal; an estimate that favours the losers; and others.
"""

from __future__ import annotations

from collections.abc import Callable

from kibitz.compiler import bounds_checked, is_plain, plain
from kibitz.errors import KibitzError
from kibitz.rules.contract import OVER, REQUIRED_FACTS, Game
from kibitz.rules.registry import GameLike, as_game, spec_of
from kibitz.rules.rng import Stream
from kibitz.rules.spec import whole_number
from kibitz.testing.findings import Statistics, suspicious
from kibitz.testing.hidden import Hidden
from kibitz.testing.keys import Keys
from kibitz.testing.learning import check_learning
from kibitz.testing.positions import Checked, Finding, check_end, check_position, play_one
from kibitz.testing.redeals import check_redeals
from kibitz.testing.rules import WatchedRules, contract_error

PLAIN_GAMES, PLAIN_CALLS = 25, 3000  # enough of either to exercise every rule, few enough to interpret
WATCHED_CALLS = 100_000  # in compiled mode; in the rest of the games, only moves, outcomes and payoffs are checked
LEAST = {**dict.fromkeys(REQUIRED_FACTS, 1), "max_outcomes": 0}  # value of each fact


def check_game(
    game: GameLike, games: int = 200, seed: int | str = 0, progress: Callable[[int, int], None] | None = None
) -> Checked:
    """Play random games; raise a ContractError at the first promise of the contract that the game breaks.

    The result has what was counted, and as `findings` what breaks no promise but looks like a mistake.

    Examples:
        >>> from kibitz.testing import check_game
        >>> check_game("connect_four:columns=4,rows=4", games=5).games
        5
    """
    game = as_game(game)
    games = whole_number(games, "The number of games", 1)
    if game.uncompiled:
        raise KibitzError(f"{spec_of(game)} cannot be checked: {game.uncompiled}")
    _check_facts(game)
    report = progress or (lambda done, total: None)
    if is_plain():
        return _Check(WatchedRules(game), seed, WATCHED_CALLS).run(games, lambda done: report(done, games))

    interpreted = min(games, PLAIN_GAMES)
    total = interpreted + games
    with plain():
        rules = WatchedRules(game)
        first = _Check(rules, seed, PLAIN_CALLS)
        first.play_games(interpreted, lambda done: report(done, total), stop=True)
        first.settle_suspicion(games)
    with bounds_checked():
        compiled = _Check(WatchedRules(game, expected=rules.calls), seed, WATCHED_CALLS)
        checked = compiled.run(games, lambda done: report(interpreted + done, total))
    checked.compared = len(rules.calls)
    return checked


def _check_facts(game: Game) -> None:
    rules = type(game)
    for fact, least in LEAST.items():
        value = getattr(game, fact)
        if not isinstance(value, int) or value < least:
            raise contract_error(game, fact, f"must be a whole number of at least {least}, not {value!r}.")
    if rules.defines("chances") and not game.has_chance and not rules.defines("max_outcomes"):
        raise contract_error(game, "max_outcomes", "is missing: it must be the most outcomes that `chances` can write.")
    if rules.defines("sample") and not rules.defines("chances"):
        rule = "is missing: `sample` draws one of the outcomes that chances(s, out, p) lists."
        raise contract_error(game, "chances", rule)
    _ = game.dtype  # raises an error if the fields are invalid
    game.check_functions()


class _Check:
    """A check of a game in the current mode."""

    def __init__(self, rules: WatchedRules, seed: int | str, calls: int) -> None:
        self.rules = rules
        self.seed = seed
        self.calls = calls  # how many to watch
        self.checked = Checked(spec_of(rules.game))
        self.seen = Statistics(rules)
        self.hidden = Hidden(rules, self.checked) if rules.game.has_hidden_information else None
        self.keys: Keys | None = None

    def run(self, games: int, progress: Callable[[int], None]) -> Checked:
        """Check everything; `progress` is told the number of games played."""
        rules, checked = self.rules, self.checked
        if rules.defines("key"):
            self.keys = Keys(rules)
        if self.hidden:
            self.hidden.explore()
        self.play_games(games, progress)
        checked.findings = suspicious(self.seen, checked, self.hidden.shown if self.hidden else set())
        if self.hidden:
            self.hidden.check_whole()
            checked.findings += self.hidden.findings()
            checked.findings += check_redeals(rules, self.seed, self.seen.lengths)
        if self.keys:
            checked.solved = self.keys.solved
        checked.symmetries = check_learning(rules, self.seed)
        return checked

    def play_games(self, games: int, progress: Callable[[int], None], stop: bool = False) -> None:
        """Check random games; if `stop`, only until enough calls were watched."""
        rules = self.rules
        opening = rules.start()
        rules.check_turn("start", opening)
        if rules.start() != opening:
            raise rules.broken("start", "does not write the same opening every time.", opening)
        for number in range(games):
            self._play_game(number)
            progress(number + 1)
            if stop and not rules.is_watching:
                break

    def settle_suspicion(self, games: int) -> None:
        """Before redeal is blamed for a redealt game that failed, see whether true games fail as well."""
        if self.hidden and self.hidden.suspicion:
            self.rules.is_watching = False
            for number in range(self.checked.games, games):
                self._play_game(number)
        if self.hidden:
            self.hidden.check_whole()

    def _play_game(self, number: int) -> None:
        rules, checked, hidden = self.rules, self.checked, self.hidden
        stream = Stream(self.seed, number, "check")
        state = rules.start()
        positions = []
        if hidden:
            hidden.begin_game(state, number, stream)
        while state.turn != OVER:
            if rules.watched_calls >= self.calls:
                rules.is_watching = False
            options = check_position(rules, state) if rules.is_watching else rules.options(state)
            if hidden and rules.is_watching:
                hidden.check_view(state, [option for option, _ in options])
            self.seen.see_position(state, options)
            before = state.copy()
            positions.append(before)
            move = play_one(rules, state, checked, stream, options)
            if hidden and rules.is_watching:
                hidden.follow(before, move, state)
        self.seen.see_end(state, check_end(rules, state))
        if self.keys:
            self.keys.check_game(positions)
        checked.games += 1
        checked.plies += len(rules.path)
        checked.longest = max(checked.longest, len(rules.path))


__all__ = ["Checked", "Finding", "check_game"]
