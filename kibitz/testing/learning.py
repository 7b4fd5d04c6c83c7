"""Checks of what a game tells learners: its own features and its symmetries."""

from __future__ import annotations

from typing import Any

from kibitz.compiler import as_buffer, compiled, numbers
from kibitz.learn.features import Features
from kibitz.learn.method_features import own_features
from kibitz.learn.symmetries import symmetries_of
from kibitz.learn.watched_games import watched_games
from kibitz.rules.contract import CHANCE, OVER
from kibitz.rules.rng import Stream
from kibitz.testing.positions import pick_one
from kibitz.testing.rules import TOLERANCE, WatchedRules, fewer_if_plain

MIRRORED_GAMES = 20  # for each symmetry; a tenth in plain mode


def check_learning(rules: WatchedRules, seed: int | str) -> int:
    """Check everything that learners rely on; return the number of symmetries."""
    for method, features in own_features(rules.game).items():
        _check_features(rules, method, features)
    symmetries = symmetries_of(rules.game)[1:]
    for number, renumbered in enumerate(symmetries.tolist(), 1):
        for game in range(max(1, fewer_if_plain(MIRRORED_GAMES))):
            with rules.aside(), rules.unwatched():
                _check_mirrored(rules, number, renumbered, Stream(seed, number, game, "mirror"))
    return len(symmetries)


def _check_features(rules: WatchedRules, method: str, features: Features) -> None:
    game = rules.game
    most, size = features.most(game), features.size(game)
    room = numbers(2 * most, "i8"), numbers(2 * most, "f8")  # so that a few too many do no harm
    for position in watched_games(game).positions[:1000]:
        lowest, highest, count = span(game, features, as_buffer(position.reshape(1))[0], *room)
        name = f"features, {method!r}"
        if count > most:
            raise rules.broken(name, f"describes a position by {count} places, but `most` is {most}.")
        if count and not 0 <= lowest <= highest < size:
            wrong = lowest if lowest < 0 else highest
            raise rules.broken(name, f"{wrong} is not a place; they go from 0 to {size - 1}.")


@compiled
def span(game: Any, features: Any, s: Any, places: Any, amounts: Any) -> tuple[int, int, int]:
    """The lowest and the highest place that describe a position, and how many there are."""
    count = features.describe(game, s, places, amounts)
    lowest, highest = places[0], places[0]
    for i in range(min(count, len(places))):
        lowest, highest = min(lowest, places[i]), max(highest, places[i])
    return lowest, highest, count


def _check_mirrored(rules: WatchedRules, number: int, renumbered: list[int], stream: Stream) -> None:
    """Play a random game twice, the second time with renumbered moves, and compare."""
    state, image = rules.start(), rules.start()
    while state.turn != OVER and len(rules.path) < rules.game.max_plies:
        options = rules.options(state)
        by_chance = state.turn == CHANCE
        expected = sorted((move if by_chance else renumbered[move], p) for move, p in options)
        what = "outcomes" if by_chance else "moves"
        if image.turn != state.turn:
            rule = f"by number {number}, player {image.turn} is to act instead of {state.turn}."
            raise rules.broken("symmetries", rule, image)
        found = sorted(rules.options(image))
        if [move for move, _ in found] != [move for move, _ in expected]:
            rule = f"by number {number}, the {what} should be {[move for move, _ in expected]}, but are"
            raise rules.broken("symmetries", f"{rule} {[move for move, _ in found]}.", image)
        move = pick_one(state, options, stream)
        rules.play(state, move)
        image = rules.after(image, move if by_chance else renumbered[move])
    if image.turn != state.turn:
        raise rules.broken("symmetries", f"by number {number}, the game ends at another time.", image)
    if state.turn == OVER:
        before, after = rules.payoff(state), rules.payoff(image)
        if any(abs(a - b) > TOLERANCE for a, b in zip(before, after, strict=True)):
            raise rules.broken("symmetries", f"by number {number}, the payoff is {after} instead of {before}.", image)
