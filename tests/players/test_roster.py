"""Bots by spec: found, given their options, refused if invalid."""

import textwrap
from dataclasses import dataclass
from types import MappingProxyType

import pytest
from toys import DiceRace, HighCard, Nim

import kibitz
from kibitz import Bot, Limit, Ranked, Report, Searcher, Table
from kibitz.errors import SpecError
from kibitz.players.roster import bots_for, options_of, resolve
from kibitz.rules.contract import game
from kibitz.rules.registry import game_names


@dataclass
class Taker(Bot):
    """Takes a fixed number, if that is legal.

    More of it.
    """

    count: int = 1
    ms: float = 0.0

    @classmethod
    def misfit(cls, game):
        return None if isinstance(game, Nim) else "it only plays Nim; take random."

    def choose(self, view):
        return min(self.count - 1, view.moves[-1])


class Free:
    """Needs no base class."""

    def choose(self, view):
        return view.moves[-1]


@game
class OwnNim(Nim):
    bots = MappingProxyType(
        {
            "taker": Taker,
            "free": Free,
            "grabber": "taker:count=3",
            "best": "grabber",
            "greedy": "greedy",
        }
    )


@game
class OwnDice(DiceRace):
    bots = MappingProxyType({"taker": Taker})


def chosen(spec, rules=None):
    rules = rules or OwnNim()
    return kibitz.bot(spec, rules).choose(Table(rules).view(0))


def test_a_spec_becomes_a_bot_with_its_options():
    assert chosen("taker") == 0
    assert chosen("taker:count=2") == 1


def test_a_bot_need_not_derive_from_anything():
    assert chosen("free") == 2


def test_a_games_own_name_may_stand_for_another_spec():
    assert chosen("grabber") == 2
    assert chosen("best") == 2
    assert chosen("best:count=2") == 1


def test_a_games_own_name_may_be_that_of_a_generic_bot():
    assert type(kibitz.bot("greedy", OwnNim())) is type(kibitz.bot("greedy", Nim()))


def test_names_that_stand_for_each_other_are_refused():
    @game
    class Circular(Nim):
        bots = MappingProxyType({"one": "other", "other": "one"})

    with pytest.raises(SpecError, match="no bot for Circular called 'one'"):
        kibitz.bot("one", Circular())


def test_random_plays_every_legal_move_equally_often_and_repeats_itself():
    def series():
        table, bot = Table(Nim(), seed=3), kibitz.bot("random", Nim())
        return [bot.choose(table.view(0)) for _ in range(900)]

    moves = series()
    assert all(abs(moves.count(move) - 300) < 75 for move in range(3))
    assert moves == series()


def test_random_plays_any_game_to_its_end():
    for rules in (Nim(), DiceRace(), HighCard()):
        table, bot = Table(rules, seed=1), kibitz.bot("random", rules)
        while not table.over:
            table.play(bot.choose(table.view(table.turn)), player=table.turn)
        assert sum(table.payoff()) == pytest.approx(1)


def test_a_bot_that_does_not_fit_is_refused_with_an_alternative():
    with pytest.raises(SpecError, match=r"taker cannot play OwnDice: it only plays Nim; take random\."):
        kibitz.bot("taker", OwnDice())


def test_an_unknown_bot_is_answered_with_the_closest_name():
    with pytest.raises(SpecError, match=r"There is no bot for OwnNim called 'grabbr'. Did you mean grabber\?"):
        kibitz.bot("grabbr", OwnNim())


@pytest.mark.parametrize(
    ("spec", "complaint"),
    [
        ("taker:cuont=2", "no option 'cuont'; it has count, ms"),
        ("taker:count=x", "count must be a whole number"),
        ("free:a=1", "it has none"),
    ],
)
def test_invalid_options_are_refused(spec, complaint):
    with pytest.raises(SpecError, match=complaint):
        kibitz.bot(spec, OwnNim())


def test_bots_are_listed_with_one_line_each():
    lines = bots_for(OwnNim())
    assert lines["taker"] == "Takes a fixed number, if that is legal."
    assert lines["free"] == "Needs no base class."
    assert lines["grabber"] == "taker:count=3"
    assert lines["best"] == "Defined by the game: grabber"
    assert {"random", "uct", "mc"} <= set(lines)
    assert all("\n" not in line for line in lines.values())


def test_bots_that_do_not_fit_are_not_listed():
    assert "taker" not in bots_for(OwnDice())
    assert "alphabeta" not in bots_for(DiceRace())


def test_every_game_has_a_best():
    for rules in (Nim(), DiceRace(), HighCard(), kibitz.game("connect_four")):
        assert "best" in bots_for(rules)
        assert kibitz.bot("best", rules) is not None


def test_the_options_of_a_bot_are_listed():
    assert {key: o.default for key, o in options_of("taker", OwnNim()).items()} == {"count": 1, "ms": 0.0}
    assert options_of("free", OwnNim()) == {}


def listed(name, game):
    return {key: (option.default, option.unless) for key, option in options_of(name, game).items() if option.limits}


def test_the_budget_of_a_search_is_listed_as_it_takes_effect():
    """0 means the default limit, and a game's own preset counts."""
    assert listed("uct", Nim()) == {"sims": (1000, ("ms",)), "ms": (0, ())}
    assert listed("alphabeta", Nim()) == {"depth": (0, ()), "nodes": (100_000, ("depth", "ms")), "ms": (0, ())}
    assert listed("expectimax", Nim()) == {"depth": (2, ())}
    assert listed("best", Nim()) == {"sims": (5000, ()), "ms": (0, ())}


@pytest.mark.parametrize("game", game_names())
def test_the_listed_budget_is_the_one_a_bot_obeys(game):
    rules = kibitz.game(game)
    for name in bots_for(rules):
        limits = {o.limits: o.default for o in options_of(name, rules).values() if o.limits and o.default}
        bot = kibitz.bot(name, rules) if ":" not in name else None
        if isinstance(bot, Searcher):
            assert str(bot.limit if not bot.limit.is_empty else bot.default_limit) == str(Limit.of(**limits)), name


def test_best_says_whether_the_game_defines_it():
    assert bots_for(Nim())["best"] == "The default of kibitz: uct:sims=5000"
    assert bots_for(HighCard())["best"] == "The default of kibitz: mc:sims=2000"
    assert bots_for(kibitz.game("camelup"))["best"].startswith("Defined by the game: Plays out")


def test_a_bot_with_a_time_limit_is_not_reproducible():
    assert resolve("taker:count=2", OwnNim()).is_reproducible
    assert not resolve("taker:ms=5", OwnNim()).is_reproducible


def test_bots_of_kibitz_and_of_its_games_are_shipped_and_others_are_not():
    assert resolve("random", OwnNim()).is_shipped
    assert resolve("best", kibitz.game("connect_four")).is_shipped
    assert resolve("best:sims=10", DiceRace()).is_shipped
    assert resolve("greedy", OwnNim()).is_shipped  # the game's own name for one of kibitz's bots
    assert not resolve("taker", OwnNim()).is_shipped
    assert not resolve("best", OwnNim()).is_shipped


def test_whether_a_bot_is_shipped_or_reproducible_is_known_without_loading_its_file(tmp_path):
    file = tmp_path / "bots_loud.py"
    file.write_text("raise AssertionError('loaded')")
    assert not resolve(f"{file}:Loud", Nim()).is_shipped
    assert resolve(f"{file}:Loud", Nim()).is_reproducible
    assert not resolve(f"{file}:Loud:ms=5", Nim()).is_reproducible


def test_a_bot_in_a_file_is_found_by_its_path(tmp_path):
    file = tmp_path / "bots_own.py"
    file.write_text(
        textwrap.dedent("""
        class Steady:
            def __init__(self, move: int = 0):
                self.move = move

            def choose(self, view):
                return self.move

        class NoBot:
            pass
        """)
    )
    assert chosen(f"{file}:Steady") == 0
    assert chosen(f"{file}:Steady:move=2") == 2
    with pytest.raises(SpecError, match="is not a bot; it needs a method choose"):
        kibitz.bot(f"{file}:NoBot", Nim())


def test_a_bot_whose_options_are_missing_is_refused(tmp_path):
    file = tmp_path / "bots_needy.py"
    file.write_text(
        "class Needy:\n    def __init__(self, sims):\n        pass\n    def choose(self, view):\n        return 0\n"
    )
    with pytest.raises(SpecError, match="sims"):
        kibitz.bot(f"{file}:Needy", Nim())


def test_a_searcher_plays_the_best_move_of_its_report():
    class Thinker(Searcher):
        def search(self, view, limit, ranking):
            ranked = (Ranked(2, 0.9, 10, line=(2, 1)), Ranked(0, 0.4, 3, line=(0,)))
            return Report(ranked, work=13, unit="simulations", depth=2, seconds=0.1)

    view = Table(Nim()).view(0)
    assert Thinker().choose(view) == 2
    report = Thinker().analyse(view)
    assert (report.value, report.line, report.best.visits) == (0.9, (2, 1), 10)


def test_a_program_is_a_bot_that_only_a_process_of_its_own_can_run():
    entrant = resolve("cmd:./bot --ms=5", Nim())
    assert not (entrant.is_shipped or entrant.is_local or entrant.is_compiled or entrant.learns)
    assert entrant.is_reproducible
    with pytest.raises(SpecError, match=r"^cmd:\./bot --ms=5 is a program"):
        kibitz.bot("cmd:./bot --ms=5", Nim())


def test_a_bot_and_its_game_in_the_wrong_order_are_told_apart():
    with pytest.raises(SpecError, match=r"The bot comes first, then its game: kibitz.bot\('uct:sims=1000', game\)"):
        kibitz.bot(Nim(), "uct")
