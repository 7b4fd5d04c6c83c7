"""Sentences about games and their results."""

import pytest
from rich.text import Text
from toys import Chips, Nim

from kibitz.display.wording import (
    loss_words,
    payoff_words,
    probability_words,
    result_sentence,
    utility_bounds,
    value_words,
    without_markup,
)


def test_values_are_parts_of_the_win_or_utilities():
    assert (value_words(Nim(), 0.632), value_words(Nim(), 0.632, 0)) == ("63.2%", "63%")
    assert [value_words(Chips(), value) for value in (0.0, 0.25, 0.5, 1.0)] == ["−3.00", "−1.50", "0.00", "+3.00"]


def test_a_probability_is_rounded_but_never_to_certainty():
    found = [probability_words(probability) for probability in (0.0, 0.004, 0.006, 0.5, 0.994, 0.9996, 1.0)]
    assert found == ["0%", "<1%", "1%", "50%", "99%", ">99%", "100%"]


def test_a_loss_has_no_sign():
    assert loss_words(Nim(), 0.125, 2) == "12.50%"
    assert loss_words(Chips(), 0.125) == "0.75"


@pytest.mark.parametrize(("payoff", "words"), [(2, "+2"), (-2, "−2"), (0.0, "0"), (0.5, "+0.5")])
def test_results_are_written_with_their_sign(payoff, words):
    assert payoff_words(Chips(), payoff) == words


def test_bounds_are_written_with_their_sign():
    assert utility_bounds(Chips()) == "−3 to +3"


def test_the_highest_utility_wins():
    assert result_sentence([-2, 2], ["Red", "Blue"]) == "Blue wins."
    assert result_sentence([0, 0], ["Red", "Blue"]) == "A draw."


@pytest.mark.parametrize(
    "markup",
    [
        "plain",
        "[bold red]a[/] [#ff0000 on blue]b[/#ff0000 on blue]",
        r"\[1, 2] and [3]",
        r"\[bold] \\[bold]x[/] \\\[bold]",
        "[b]\n[[b]x[/]][/]",
        ":smile: [] [ ] [A]",
        "[i]C:\\path\\[b]x[/i]\\",
    ],
)
def test_without_markup_a_text_is_what_rich_would_show(markup):
    assert without_markup(markup) == Text.from_markup(markup, emoji=False).plain
