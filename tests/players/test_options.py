"""Options of bots, and what remote clients may choose: every bot, every option, every nesting."""

import contextlib
import dataclasses
from dataclasses import dataclass

import pytest
from toys import HighCard, Nim

import kibitz
from kibitz import KibitzError, SpecError
from kibitz.players.options import BOT, FILE, Option, option, options_in
from kibitz.players.roster import bots_for, check_public, options_of, own_bots
from kibitz.rules.registry import find_game, game_names

GAMES = ["camelup:rules=second", "mexican_train:players=2", *game_names()]
BOTS = [(game, name) for game in GAMES for name in bots_for(find_game(game)) if ":" not in name]


def is_allowed(spec, game):
    try:
        check_public(spec, find_game(game))
    except SpecError:
        return False
    return True


@pytest.mark.parametrize(("game", "name"), BOTS)
def test_every_option_of_every_bot_is_declared_with_its_bounds(game, name):
    for key, declared in options_of(name, find_game(game)).items():
        assert declared.declared, f"{name}: {key} is not declared with option(…)"
        if isinstance(declared.default, int | float) and not isinstance(declared.default, bool):
            assert declared.public is not None or declared.high is not None, f"{name}: {key} has no public bound"
        if isinstance(declared.default, str):
            assert declared.choices or declared.names in (FILE, BOT), f"{name}: {key} may be any text"


@pytest.mark.parametrize(("game", "name"), BOTS)
def test_remote_clients_may_choose_what_is_offered_and_no_more(game, name):
    rules = find_game(game)
    assert is_allowed(name, game)
    for key, declared in options_of(name, rules).items():
        if declared.names == FILE:
            assert not is_allowed(f"{name}:{key}=/etc/hostname", game)
            for choice in declared.public_choices:
                assert is_allowed(f"{name}:{key}={choice}", game)
        elif declared.names == BOT:
            assert is_allowed(f"{name}:{key}=random", game)
            for inner in ("learned:file=/etc/hostname", "../bots.py:Bot", "/etc/x.py:Bot", "camelai:/etc/x.py:Bot"):
                assert not is_allowed(f"{name}:{key}={inner}", game)
        elif declared.choices:
            assert all(is_allowed(f"{name}:{key}={choice}", game) for choice in declared.choices)
        elif isinstance(declared.default, bool):
            assert is_allowed(f"{name}:{key}=yes", game)
        else:
            most = declared.public if declared.public is not None else declared.high
            kind = type(declared.default)
            assert is_allowed(f"{name}:{key}={kind(most)}", game)
            assert not is_allowed(f"{name}:{key}={kind(most) + 1}", game) or declared.public is None


def nested(game):
    """Every bot with an option that names a bot, with every other bot in it, and these in turn."""
    rules = find_game(game)
    holders = [
        (name, key)
        for name in bots_for(rules)
        if ":" not in name
        for key, declared in options_of(name, rules).items()
        if declared.names == BOT
    ]
    for outer, key in holders:
        for name in bots_for(rules):
            if ":" not in name:
                yield f"{outer}:{key}={name}", name
        for inner, inner_key in holders:
            yield f"{outer}:{key}={inner}:{inner_key}=uct:expand=99999999", "uct:expand=99999999"


@pytest.mark.parametrize("game", ["connect_four", "ur", "camelup", "mexican_train"])
def test_a_nested_bot_is_allowed_exactly_when_it_is_by_itself(game):
    for spec, inner in nested(game):
        assert is_allowed(spec, game) == is_allowed(inner, game), spec


@pytest.mark.parametrize(
    ("spec", "complaint"),
    [
        ("mc:by=learned:file=/etc/passwd", "file is not available on this server"),
        ("uct:expand=99999999", "expand is at most 1,000 here, not 99,999,999"),
        ("uct:sims=10000000", "sims is at most 200,000 here"),
        ("mc:by=mc:by=mc:by=mc:by=mc:by=mc:by=random", "nests too many bots"),
        ("some/where.py:Bot", "Only bots that ship with kibitz"),
        ("camelai:bots.py:RandomBot", "Only bots that ship with kibitz"),
        (" cmd:rm -r, 'x", "not a valid command line"),
        ("mc:by=cmd:rm", "Only bots that ship with kibitz"),
        ("cmd:rm", "Only bots that ship with kibitz"),
        ("expectimax:depth=5", "depth is at most 4 here, not 5"),
    ],
)
def test_what_remote_clients_may_not_choose_is_refused_with_a_sentence(spec, complaint):
    with pytest.raises(SpecError, match=complaint):
        check_public(spec, find_game("ur"))


def test_nothing_is_accessed_before_everything_is_allowed(monkeypatch):
    """The answer must not reveal whether a file exists."""
    monkeypatch.setattr("kibitz.learn.brain.Brain.read", lambda path: pytest.fail("it was opened"))
    for path in ("/etc/passwd", "/nowhere/at/all"):
        with pytest.raises(SpecError, match=r"^file is not available on this server\.$"):
            check_public(f"mc:by=learned:file={path}", find_game("ur"))


def test_the_own_bots_of_a_game_from_a_file_are_checked_like_a_request(monkeypatch):
    game = find_game("connect_four")
    for preset, allowed in {
        "uct:sims=100": True,
        "uct:sims=99999999": False,
        "mc:by=learned:file=/etc/passwd": False,
        "bots.py:Bot": False,
        "mc:by=greedy": True,
    }.items():
        monkeypatch.setattr(type(game), "bots", {"best": preset}, raising=False)
        assert own_bots(game)["best"] == preset
        assert is_allowed("best", "connect_four") == allowed, preset


def test_an_undeclared_option_is_not_public(monkeypatch):
    @dataclass
    class Loose(kibitz.Bot):
        power: int = 1

        def choose(self, view):
            return view.moves[0]

    monkeypatch.setattr(type(find_game("connect_four")), "bots", {"loose": Loose}, raising=False)
    assert kibitz.bot("loose:power=9", find_game("connect_four")).power == 9
    assert is_allowed("loose", "connect_four")
    assert not is_allowed("loose:power=2", "connect_four")


# ------------------------------------------------------------------ bounds for everybody


@dataclass
class Bounded(kibitz.Bot):
    low: int = option(3, low=1)
    both: float = option(0.5, low=0.0, high=1.0)
    word: str = option("a", choices=("a", "b"))

    def choose(self, view):
        return view.moves[0]


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"low": 0}, "Bounded: low must be at least 1, not 0."),
        ({"both": 1.5}, "Bounded: both must be from 0 to 1, not 1.5."),
        ({"both": -1.0}, "Bounded: both must be from 0 to 1, not -1.0."),
        ({"word": "c"}, "Bounded: word must be a or b, not c."),
    ],
)
def test_a_value_out_of_bounds_is_refused_with_the_bounds(options, complaint):
    with pytest.raises(SpecError) as refused:
        Bounded(**options)
    assert str(refused.value) == complaint


def test_options_of_any_class_are_found():
    class Simple:
        def __init__(self, luck=0.5, *, seed=1):
            pass

    class Derived(Simple):
        pass

    class Bare:
        pass

    assert options_in(Simple) == {"luck": Option(0.5, declared=False), "seed": Option(1, declared=False)}
    assert options_in(Derived) == options_in(Simple)
    assert options_in(Bare) == {}


# ------------------------------------------------------------------ absurd numbers

HUGE = "9223372036854775807"  # the largest that fits in 64 bits
ABSURD = [HUGE, "9" * 20, "9" * 5000, "-" + HUGE, "-1", "0", "nan", "inf", "-inf", "1e300"]


def numeric(name, rules):
    return [key for key, o in options_of(name, rules).items() if type(o.default) in (int, float)]


@pytest.mark.parametrize("game", GAMES)
def test_an_absurd_number_in_a_bots_spec_is_refused_with_a_sentence_or_works(game):
    rules = find_game(game)
    for name in bots_for(rules):
        for key in numeric(name, rules):
            for text in ABSURD:
                with contextlib.suppress(SpecError):
                    kibitz.bot(f"{name}:{key}={text}", rules)


@pytest.mark.parametrize("rules", [Nim(), HighCard()], ids=["Nim", "HighCard"])
def test_a_search_works_with_any_number_that_it_accepts(rules):
    with kibitz.plain():
        view = kibitz.Table(rules, seed=1).view(0, time=1e-6)
        for name in bots_for(rules):
            for key in numeric(name, rules):
                try:
                    bot = kibitz.bot(f"{name}:{key}={HUGE}", rules)
                except SpecError:
                    continue
                assert bot.choose(view) in view.moves


@pytest.mark.parametrize("game", game_names())
def test_an_absurd_number_in_a_games_spec_is_refused_with_a_sentence_or_works(game):
    for field in dataclasses.fields(find_game(game)):
        if type(field.default) in (int, float):
            for text in ABSURD:
                with contextlib.suppress(KibitzError):
                    find_game(f"{game}:{field.name}={text}")
