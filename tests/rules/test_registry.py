"""Games by spec, by class and as they are; anything else is refused with a sentence."""

import pytest
from toys import Nim

import kibitz
from kibitz.errors import SpecError
from kibitz.rules.registry import as_game


class Rules:
    """Looks like a game, but nobody made it one."""

    def fields(self): ...

    start = moves = play = payoff = fields


def test_a_spec_a_class_and_a_game_mean_the_same():
    assert as_game("connect_four:columns=5").columns == 5
    assert as_game(Nim) == Nim()
    rules = Nim(heap=5)
    assert as_game(rules) is rules


def test_options_choose_a_variant_of_each_of_them():
    assert as_game("connect_four:rows=4", columns=5) == as_game("connect_four:rows=4,columns=5")
    assert kibitz.game(Nim, heap=5) == kibitz.game(Nim(), heap=5) == Nim(heap=5)
    with pytest.raises(SpecError, match=r"^Nim has no option 'hep'; it has heap\.$"):
        kibitz.game(Nim, hep=5)


@pytest.mark.parametrize("what", [Rules, Rules(), dict])
def test_a_class_that_is_not_a_game_is_told_how_to_become_one(what):
    with pytest.raises(SpecError, match=r"is not a game; put @kibitz\.game above the class\.$"):
        as_game(what)


@pytest.mark.parametrize("what", [None, 3, ["connect_four"]])
def test_what_is_no_game_is_refused(what):
    with pytest.raises(SpecError, match="is not a game; name one, such as 'connect_four'"):
        as_game(what)


def test_a_game_made_by_the_decorator_can_be_extended():
    @kibitz.game
    class Big(Nim):
        heap: int = 40

    assert as_game(Big).heap == 40


@pytest.mark.parametrize(
    "use",
    [
        kibitz.Table,
        lambda game: kibitz.perft(game, 1),
        lambda game: kibitz.bot("random", game),
        lambda game: kibitz.arena(game, ["random"]),
        lambda game: kibitz.solve.solve(game),
        lambda game: kibitz.testing.check_game(game),
        lambda game: kibitz.learn.train(game),
    ],
)
def test_everything_that_takes_a_game_refuses_what_is_none(use):
    with pytest.raises(SpecError, match="is not a game"):
        use(3)
    with pytest.raises(SpecError, match=r"put @kibitz\.game above the class"):
        use(Rules)
