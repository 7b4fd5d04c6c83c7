"""Where rules are written, and what is found in their text."""

import textwrap

import pytest
from toys import Nim, SampledDiceRace

from kibitz.rules.source import check_functions, place_of, place_of_class, unsupported
from kibitz.rules.spec import load_file

TEXT = """
    import random

    class Base:
        size = 3

        def inherited(self): ...

    class Rules(Base):
        side: int = 4
        area = property(lambda self: self.side**2)

        @staticmethod
        def helper(x):
            "A docstring is no text in a rule."
            try:
                y = {x: 1}
            except KeyError:
                y = None
            return y

        def lucky(self):
            return draw()

    def draw():
        return random.random()
"""


@pytest.fixture
def rules(tmp_path):
    path = tmp_path / "source_of_rules.py"
    path.write_text(textwrap.dedent(TEXT))
    return load_file(path).Rules


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("size", "size = 3"),
        ("side", "side: int = 4"),
        ("area", "area = property(lambda self: self.side**2)"),
        ("inherited", "def inherited(self): ..."),
        ("helper", "def helper(x):"),
    ],
)
def test_the_line_of_an_attribute_is_found(rules, name, text):
    place = place_of(rules, name)
    assert place.text == text
    assert str(place) == f"source_of_rules.py line {place.line}"


def test_the_line_of_a_class_is_found(rules):
    assert place_of_class(rules).text == "class Rules(Base):"


def test_what_is_not_there_has_no_line(rules):
    assert place_of(rules, "nothing") is None


def test_decorated_games_are_found_in_their_files():
    assert place_of(Nim, "heap").text == "heap: int = 21"
    assert place_of(SampledDiceRace, "play").text == "def play(self, s, move):"


def test_constructs_are_listed_with_what_to_write_instead(rules):
    found = [construct.instead.partition(";")[0] for construct in unsupported(rules.helper)]
    assert found == [
        "compiled code has no `try`",
        "this dictionary cannot be compiled",
        "compiled code cannot catch KeyError",
    ]


def test_randomness_is_found_in_helpers(rules):
    check_functions("Rules", [("helper", rules.helper)])
    with pytest.raises(
        Exception, match=r"^Rules\.lucky, in draw, source_of_rules\.py line \d+: rules contain no random"
    ):
        check_functions("Rules", [("lucky", rules.lucky)])
