"""What a browser may name: built-in games and bots, and those that were added to the server."""

import json

import pytest
from visitors import HERE, TOYS

from kibitz.display.board import board_of
from kibitz.errors import KibitzError
from kibitz.rules.registry import game_names
from kibitz.web.catalogue import Catalogue, title_of


@pytest.fixture(scope="module")
def catalogue():
    return Catalogue([f"{TOYS}:Nim"], {"Trouble": f"{HERE / 'trouble.py'}:Trouble"})


def test_all_built_in_games_are_offered_after_those_that_were_added(catalogue):
    assert catalogue.names == ["nim", *game_names()]


def test_a_variant_is_named_as_everywhere(catalogue):
    game = catalogue.game("connect_four:columns=5")
    assert game.columns == 5
    assert catalogue.spec(game) == "connect_four:columns=5"


def test_a_variant_is_made_once(catalogue):
    assert catalogue.game("connect_four:columns=5") is catalogue.game("connect_four:columns=5,rows=6")


def test_an_added_game_is_named_without_its_file(catalogue):
    game = catalogue.game("nim:heap=9")
    assert game.heap == 9
    assert catalogue.spec(game) == "nim:heap=9"


@pytest.mark.parametrize("spec", ["chess", f"{TOYS}:Nim", f"{TOYS}:DiceRace", "", ":", "nim:heap", "nim:heap=x"])
def test_no_other_game_can_be_named(catalogue, spec):
    with pytest.raises(KibitzError):
        catalogue.game(spec)


def test_the_number_of_seats_is_the_number_of_players(catalogue):
    assert catalogue.game("camelup", players=3).players == 3
    with pytest.raises(KibitzError, match="for 2 players"):
        catalogue.game("connect_four", players=3)


def test_a_bot_is_named_by_its_level_its_spec_or_the_name_it_was_added_by(catalogue):
    game = catalogue.game("connect_four")
    assert catalogue.bot("beginner", game).spec == "random"
    assert catalogue.bot("uct:sims=77", game).spec == "uct:sims=77"
    assert catalogue.bot("Trouble", game).spec.endswith("trouble.py:Trouble")


@pytest.mark.parametrize(
    "spec",
    [
        f"{HERE / 'trouble.py'}:Trouble",
        "trouble.py:Trouble",
        "hexplode-algo:trouble.py:Trouble",
        "cmd:ls",
        "cmd",
        "mc:by=trouble.py:Trouble",
        "mc:by=/etc/passwd",
        "/etc/passwd",
        "human",
        "",
    ],
)
def test_no_file_and_no_program_can_be_named(catalogue, spec):
    with pytest.raises(KibitzError):
        catalogue.bot(spec, catalogue.game("connect_four"))


@pytest.mark.parametrize("spec", ["cmd:./mybot", "cmd:ls -l", "mybot.py:MyBot", "../mybot.py:MyBot"])
def test_whoever_names_a_file_or_a_program_is_told_how_bots_are_added(catalogue, spec):
    with pytest.raises(KibitzError, match="kibitz serve --bot"):
        catalogue.bot(spec, catalogue.game("connect_four"))


@pytest.mark.parametrize("spec", ["perfect:file=/etc/passwd", "learned:file=x.json", "greedy:values=numbers.txt"])
def test_options_that_name_files_are_refused(catalogue, spec):
    with pytest.raises(KibitzError, match="not available on this server"):
        catalogue.bot(spec, catalogue.game("ur"))


@pytest.mark.parametrize(
    "spec", ["uct:sims=1000000000", "uct:ms=600000", "uct:threads=64", "alphabeta:table=30", "expectimax:depth=9"]
)
def test_budgets_are_bounded(catalogue, spec):
    with pytest.raises(KibitzError, match="at most"):
        catalogue.bot(spec, catalogue.game("connect_four"))


def test_options_that_are_words_can_be_chosen(catalogue):
    assert catalogue.bot("alphabeta:depth=2,order=history", catalogue.game("connect_four")).spec.endswith("history")
    assert catalogue.bot("maxn:nodes=50,worlds=redeal", catalogue.game("connect_four"))


def test_bots_that_do_not_fit_are_refused(catalogue):
    with pytest.raises(KibitzError, match="cannot play"):
        catalogue.bot("alphabeta", catalogue.game("camelup"))


def test_added_bots_are_listed_and_files_are_not(catalogue):
    bots = catalogue.bots(catalogue.game("ur"))
    assert "Trouble" in [bot["name"] for bot in bots]
    assert ".py" not in json.dumps(bots)
    assert all("file" not in bot["options"] for bot in bots)


@pytest.mark.parametrize("name", game_names())
def test_every_game_has_its_facts_and_four_levels_that_fit(catalogue, name):
    facts = catalogue.facts(name)
    assert facts["title"]
    assert facts["words"]
    assert [level["key"] for level in facts["levels"]] == ["beginner", "casual", "strong", "best"]
    for level in facts["levels"]:
        catalogue.bot(level["key"], catalogue.game(name))
    json.dumps(facts)


def test_fields_say_which_values_the_rules_accept(catalogue):
    fields = {field["name"]: field for field in catalogue.facts("ur")["fields"]}
    assert (fields["rosettes"]["kind"], fields["rosettes"]["choices"]) == ("choice", [13, 14, 16])
    assert (fields["pieces"]["min"], fields["pieces"]["max"]) == (1, 100)
    assert fields["safe"]["kind"] == "bool"


def test_a_field_has_no_bound_where_the_rules_accept_all_that_was_tried(catalogue):
    fields = {field["name"]: field for field in catalogue.facts("mexican_train")["fields"]}
    assert fields["target"]["min"] == 1
    assert "max" not in fields["target"]
    assert catalogue.game("mexican_train:target=500").target == 500


@pytest.mark.parametrize("name", game_names())
def test_words_about_fields_are_about_fields_that_there_are(catalogue, name):
    fields = {field["name"]: field["words"] for field in catalogue.facts(name)["fields"]}
    assert {field for field, words in fields.items() if words} == set(board_of(catalogue.game(name)).variants)


def test_the_number_of_players_is_a_range(catalogue):
    assert catalogue.facts("camelup")["players"] == [2, 8]
    assert catalogue.facts("connect_four")["players"] == [2, 2]
    assert "players" not in [field["name"] for field in catalogue.facts("camelup")["fields"]]


def test_a_title_is_what_stands_before_the_colon(catalogue):
    assert title_of(catalogue.game("ur"))[0] == "The Royal Game of Ur"
    assert title_of(catalogue.game("nim")) == (
        "Nim",
        "Take one to three from a heap; who takes the last one wins. A heap of a multiple of four is lost.",
    )
