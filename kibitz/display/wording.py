"""Sentences about games, for both the terminal and the browser: what a game is, who won, what happened."""

from __future__ import annotations

import inspect
import re
from collections.abc import Sequence

from kibitz.rules.contract import Game

TAG = re.compile(r"\[[a-z#/@][^][]*\]")  # of rich's markup
# A tag after the backslashes that escape it, or an escaped bracket that begins no tag.
ESCAPED = re.compile(rf"(?P<backslashes>\\*){TAG.pattern}|\\\[")


def about(game: Game) -> str:
    """A description of a game: the first line of the docstring of its class, else of its module."""
    cls = type(game)
    text = inspect.getdoc(cls) or ""
    if not text or text.startswith(f"{cls.__name__}("):  # the default docstring of a dataclass
        text = inspect.getdoc(inspect.getmodule(cls)) or cls.__name__
    return text.partition("\n")[0]


def title_of(game: Game) -> tuple[str, str]:
    """The title of a game and a one-sentence description."""
    line = about(game)
    title, colon, words = line.partition(": ")
    if not colon or len(title) > 40:
        return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(game).__name__), line
    return title, words[:1].upper() + words[1:]


def winners(payoff: Sequence[float]) -> list[int]:
    """The players with the largest share of the win, or the highest utility."""
    return [player for player, share in enumerate(payoff) if share == max(payoff)]


def result_sentence(payoff: Sequence[float], names: Sequence[str], you: int | None = None) -> str:
    """Who won: "Red wins.", "A draw.", "Red and Blue share the win."; the player `you` is called "You"."""
    best = winners(payoff)
    if len(best) == len(payoff) > 1:
        return "A draw."
    if best == [you]:
        return "You win."
    shown = ["You" if player == you else names[player] for player in best]
    return f"{shown[0]} wins." if len(shown) == 1 else f"{listed(shown)} share the win."


def payoff_words(game: Game, payoff: float) -> str:
    """What a player got: "50%" of the win, or a utility, "+3"."""
    return with_sign(f"{payoff:+g}") if game.has_utilities else f"{payoff:.0%}"


def value_words(game: Game, value: float, decimals: int = 1) -> str:
    """A normalized value, such as a search's: "63.2%" of the win, or the utility that it stands for, "+3.25"."""
    return utility_words(game.utility(value)) if game.has_utilities else f"{value:.{decimals}%}"


def utility_words(utility: float) -> str:
    """An expected utility: "+3.25"."""
    return with_sign(f"{utility:+.2f}")


def loss_words(game: Game, loss: float, decimals: int = 1) -> str:
    """A difference of normalized values: "5.2%" of the win, or a difference of utilities, "1.35"."""
    if game.has_utilities:
        return f"{loss * (game.max_utility - game.min_utility):.2f}"
    return f"{loss:.{decimals}%}"


def probability_words(probability: float) -> str:
    """A probability in whole per cent; "<1%" and ">99%" if it is nearly, but not quite, 0 or 1."""
    if 0.0 < probability < 0.005:
        return "<1%"
    return ">99%" if 0.995 <= probability < 1.0 else f"{probability:.0%}"


def with_sign(number: str) -> str:
    """A formatted number with a proper minus sign, and none at all if it is zero."""
    return number.lstrip("+-") if not float(number) else number.replace("-", "−")


def utility_bounds(game: Game) -> str:
    """What the utilities of a game lie between: "−13 to +13"."""
    return " to ".join(with_sign(f"{bound:+g}") for bound in (game.min_utility, game.max_utility))


def listed(names: Sequence[str]) -> str:
    """ "Red, Green and Blue"."""
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)


def counted(number: int, noun: str, plural: str = "") -> str:
    """ "1 game", "1,200 games"; `plural` is for nouns that do not just add an s."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def capital(words: str) -> str:
    """The same words with a capital at the beginning, unless they begin with coordinates, such as c3."""
    return words if words[1:2].isdigit() else words[:1].upper() + words[1:]


def shortened(words: str, most: int) -> str:
    """The same words if they have at most so many characters, else their beginning and "…"."""
    return words if len(words) <= most else words[: most - 1].rstrip() + "…"


def second_person(verb: str) -> str:
    """What "you" do when somebody else "captures" or "has brought a piece home": "capture", "have brought …"."""
    first, space, rest = verb.partition(" ")
    return IRREGULAR.get(first, first.removesuffix("s")) + space + rest


IRREGULAR = {"has": "have", "is": "are", "passes": "pass", "cannot": "cannot"}


def without_markup(markup: str) -> str:
    """The text that rich would show, without its styles; many times as fast as rich, which computes the styles."""
    return ESCAPED.sub(_unescaped, markup) if "\\" in markup else TAG.sub("", markup)


def _unescaped(found: re.Match[str]) -> str:
    backslashes = found["backslashes"]
    if backslashes is None:
        return "["
    escaped = len(backslashes) % 2
    return backslashes[: len(backslashes) // 2] + found[0][len(backslashes) :] * escaped
