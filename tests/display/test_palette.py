"""The colours of the seats are distinguishable from the page and from each other."""

import itertools

import pytest

from kibitz.display.board import Board, board_of
from kibitz.display.palette import DAY, NIGHT, usual_colours
from kibitz.rules.registry import find_game

PAPER = {"day": "#ffffff", "night": "#1b1b1f"}


def rgb(colour):
    return [int(colour[i : i + 2], 16) for i in (1, 3, 5)]


def luminance(colour):
    parts = [c / 255 for c in rgb(colour)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(a, b):
    light, dark = sorted((luminance(a), luminance(b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize(("colours", "paper"), [(DAY, PAPER["day"]), (NIGHT, PAPER["night"])])
def test_every_colour_stands_out_from_the_page(colours, paper):
    assert all(contrast(colour, paper) >= 3 for colour in colours)


@pytest.mark.parametrize("colours", [DAY, NIGHT])
def test_no_two_colours_are_alike(colours):
    for a, b in itertools.combinations(colours, 2):
        assert sum((x - y) ** 2 for x, y in zip(rgb(a), rgb(b), strict=True)) ** 0.5 > 60


def test_a_seat_has_the_colour_it_is_named_after():
    red, gold, blue = 0, 1, 2
    assert usual_colours(find_game("connect_four"), board_of(find_game("connect_four"))) == [red, gold]
    assert usual_colours(find_game("hexplode"), board_of(find_game("hexplode"))) == [red, blue]


def test_the_basic_colours_of_a_terminal_are_known_by_name():
    red, gold, blue, green = range(4)
    board = Board()
    board.colours = ("red", "yellow", "green", "blue", "magenta", "cyan")
    assert usual_colours(find_game("camelup:players=6"), board)[:4] == [red, gold, green, blue]


def test_eight_players_have_eight_colours():
    rules = find_game("camelup:players=8")
    assert sorted(usual_colours(rules, board_of(rules))) == list(range(8))
