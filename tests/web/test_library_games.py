"""Games of other libraries on the page: as text, and only as the operator of the server has added them."""

import pytest
from slow_store import ForgetfulClient, SlowStore
from visitors import serving

from kibitz.errors import KibitzError
from kibitz.web.catalogue import Catalogue

BREAKTHROUGH = "openspiel:name=breakthrough,rows=4,columns=3"


def test_a_game_of_openspiel_is_offered_without_variants():
    catalogue = Catalogue([BREAKTHROUGH])
    game, facts = catalogue.game("breakthrough"), catalogue.facts("breakthrough")
    assert str(game.loaded) == "breakthrough(columns=3,rows=4)"
    assert (facts["title"], facts["players"], facts["fields"]) == ("Breakthrough", [2, 2], [])
    assert catalogue.spec(game) == "breakthrough"
    assert catalogue.bot("strong", game).spec == "openspiel-mcts:sims=300"
    with pytest.raises(KibitzError, match="breakthrough has no variants on this server"):
        catalogue.game("breakthrough:rows=8")
    with pytest.raises(KibitzError, match="for 2 players"):
        catalogue.game("breakthrough", players=3)


def test_no_game_of_openspiel_can_be_named_that_was_not_added():
    for name in ("openspiel:name=tic_tac_toe", BREAKTHROUGH, "tictactoe"):
        with pytest.raises(KibitzError):
            Catalogue([BREAKTHROUGH]).game(name)


def test_a_game_of_openspiel_is_played_to_its_end_in_a_room_that_is_restored():
    with serving(Catalogue([BREAKTHROUGH]), SlowStore(), client=ForgetfulClient) as client:
        opened = client.ready_table("breakthrough", "you", "strong", seed=1)
        with client.at(opened) as browser:
            assert browser.table["scene"] is None
            assert browser.table["text"].startswith("4bbb")
            browser.play(browser.table["moves"][0]["move"])
            before = browser.now_or_later(lambda table: table["plies"] == 2)
        with client.at(opened) as browser:
            assert browser.table["log"] == before["log"]
            assert browser.play_on()["result"]
