"""Playing over the socket: moves, refusals, undo, resignation, rematch.

All of it is done twice: in rooms that stay open, and in rooms that are rebuilt from JSON whenever somebody sits down.
"""

import pytest
from slow_store import ForgetfulClient, SlowStore
from visitors import Client, serving, toy_catalogue

from kibitz.display.scene import Piece, Scene
from kibitz.rules.contract import OVER
from kibitz.web.access import Access

NIM = "nim:heap=7"


@pytest.fixture(scope="module", params=["in memory", "slow store"])
def client(request):
    store, kind = (SlowStore(), ForgetfulClient) if request.param == "slow store" else (None, Client)
    with serving(toy_catalogue(), store, client=kind) as client:
        yield client


def test_a_table_is_sent_whole_when_one_sits_down(client):
    with client.playing("connect_four", "you", "beginner", seed=7) as browser:
        table = browser.table
        assert table["turn"] == 0
        assert table["you"] == [0]
        assert [move["name"] for move in table["moves"]] == ["1", "2", "3", "4", "5", "6", "7"]
        assert [seat["title"] for seat in table["seats"]] == ["Red", "Yellow"]
        assert table["scene"]["pieces"]
        assert table["status"] == "Your turn"
        assert table["plies"] == table["ply"] == 0


def test_every_move_has_clicks_on_pieces_of_the_scene(client):
    with client.playing("connect_four", "you", "beginner") as browser:
        pieces = {piece["name"] for piece in browser.table["scene"]["pieces"]}
        assert all(set(move["clicks"]) <= pieces for move in browser.table["moves"])


def test_a_game_without_a_scene_has_its_text_and_a_list_of_moves(client):
    with client.playing(NIM, "you", "beginner") as browser:
        assert browser.table["scene"] is None
        assert "left = 7" in browser.table["text"]
        first = {"move": 0, "name": "take 1", "say": "take 1", "clicks": [], "landing": []}
        assert browser.table["moves"][0] == first


def test_the_bot_answers_a_move(client):
    with client.playing(NIM, "you", "beginner") as browser:
        browser.play(0)
        table = browser.now_or_later(lambda table: table["plies"] == 2)
        assert [entry["seat"] for entry in table["log"]] == [0, 1]
        assert table["log"][0]["name"] == "take 1"
        assert table["turn"] == 0


def test_a_game_is_played_to_its_end(client):
    with client.playing(NIM, "you", "beginner", seed=1) as browser:
        table = browser.play_on()
        assert table["turn"] == OVER
        assert table["seed"] == 1
        assert sum(seat["payoff"] for seat in table["seats"]) == 1
        assert table["result"] in ("You win.", "Beginner wins.")


def test_the_seed_stays_hidden_until_the_end(client):
    with client.playing(NIM, "you", "beginner", seed=1) as browser:
        assert browser.table["seed"] is None


def test_equal_seeds_give_equal_games(client):
    logs = []
    for _ in range(2):
        with client.playing("dicerace", "you", "beginner", seed=5) as browser:
            logs.append(browser.play_on()["log"])
    assert logs[0] == logs[1]
    assert any(entry["seat"] == -1 for entry in logs[0])


def test_a_game_that_counts_something_ends_with_its_scores(client):
    with client.playing("dicerace", "you", "beginner") as browser:
        assert all(seat["score"] is None for seat in browser.table["seats"])
        assert max(seat["score"] for seat in browser.play_on()["seats"]) >= 10


# ------------------------------------------------------------------ what is refused


@pytest.fixture
def browser(client):
    """It is this browser's turn."""
    with client.playing(NIM, "you", "you") as browser:
        yield browser


def unchanged(browser, version):
    """Whether a table is as it was, and the connection still works."""
    browser.send("show", ply=0)
    return browser.next("table")["version"] == version


def test_an_illegal_move_changes_nothing(browser):
    browser.send("play", move=9, version=browser.table["version"])
    assert "not a legal move" in browser.error()
    assert unchanged(browser, browser.table["version"])


def test_a_move_made_with_an_old_table_in_mind_changes_nothing(browser):
    old = browser.table["version"]
    after = browser.play(0)["version"]
    browser.send("play", move=0, version=old)
    assert "has changed in the meantime" in browser.error()
    assert unchanged(browser, after)


def test_a_move_out_of_turn_changes_nothing(client):
    with client.playing(NIM, "you", "you") as both:
        token = client.admit(both.id, Access((1,)))
        with client.at({"id": both.id, "token": token}) as second:
            second.send("play", move=0, version=second.table["version"])
            assert second.error() == "It is not your turn."
            assert unchanged(second, second.table["version"])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hello",
        "[]",
        "7",
        "null",
        "{}",
        '{"type": "explode"}',
        '{"type": "play"}',
        '{"type": "play", "move": "0", "version": 1}',
        '{"type": "play", "move": 0.5, "version": 1}',
        '{"type": "play", "move": true, "version": 1}',
        '{"type": "play", "move": -1, "version": 1}',
        '{"type": "play", "move": 1e400, "version": 1}',
        '{"type": "play", "move": 99999999999999999999, "version": 1}',
        '{"type": "play", "move": 0, "version": 1, "seat": 1}',
        '{"type": "speed", "speed": NaN}',
        "[" * 4000,
    ],
)
def test_a_malformed_message_changes_nothing(browser, text):
    browser.session.send_text(text)
    assert browser.error().startswith("Malformed message: ")
    assert unchanged(browser, browser.table["version"])


def test_a_huge_message_changes_nothing(browser):
    browser.session.send_text('{"type": "undo", "why": "' + "x" * 100_000 + '"}')
    assert browser.error() == "Malformed message: it is too long."
    assert unchanged(browser, browser.table["version"])


def test_bytes_change_nothing(browser):
    browser.session.send_bytes(b'{"type": "resign"}')
    assert "not text" in browser.error()
    assert unchanged(browser, browser.table["version"])


def test_others_are_not_called_you(client):
    with client.playing("connect_four", "you", "beginner") as browser:
        assert browser.table["seats"][0]["name"] == "You"
        with client.at({"id": browser.id}, token=False) as spectator:
            assert spectator.table["seats"][0]["name"] == "Red"
            assert spectator.table["status"] == "Red to move"


def test_without_a_token_one_may_not_play(client, browser):
    with client.at({"id": browser.id}, token=False) as spectator:
        assert spectator.table["you"] == []
        assert spectator.table["moves"] == []
        for message in ({"type": "play", "move": 0, "version": 1}, {"type": "undo"}, {"type": "resign"}):
            spectator.session.send_json(message)
            assert spectator.error()
        assert unchanged(spectator, spectator.table["version"])


def test_a_wrong_token_is_none(client, browser):
    with client.at({"id": browser.id, "token": "wrong"}) as spectator:
        assert spectator.table["you"] == []


def test_nothing_is_played_after_the_end(client):
    with client.playing(NIM, "you", "beginner") as browser:
        version = browser.play_on()["version"]
        browser.send("play", move=0, version=version)
        assert browser.error() == "The game is over."


# ------------------------------------------------------------------ undo, resignation, rematch, several sockets


def test_undo_goes_back_to_ones_last_choice(client):
    with client.playing("nim:heap=21", "you", "beginner") as browser:
        browser.play(0)
        log = browser.now_or_later(lambda table: table["plies"] == 2)["log"]
        browser.play(1)
        before = browser.now_or_later(lambda table: table["plies"] == 4)
        browser.send("undo")
        table = browser.until(lambda table: table["plies"] < 4)
        assert table["version"] == before["version"] + 1  # nothing else has happened
        assert table["log"] == log
        assert table["turn"] == 0
        assert table["moves"]


def test_redo_makes_the_same_moves_again_one_decision_at_a_time(client):
    with client.playing("dicerace:goal=60", "you", "beginner", seed=4) as browser:
        logs = []
        for _ in range(3):
            logs.append(browser.my_turn()["log"])
            browser.play(browser.table["moves"][0]["move"])
        logs.append(browser.my_turn()["log"])
        for log in (logs[2], logs[1]):
            browser.send("undo")
            browser.until(lambda table: table["log"] == log)  # noqa: B023
        for log in (logs[2], logs[3]):
            assert browser.table["can"]["redo"]
            browser.send("redo")
            browser.until(lambda table: table["log"] == log)  # noqa: B023
        assert not browser.table["can"]["redo"]


def test_after_another_move_nothing_can_be_done_again(client):
    with client.playing("nim:heap=21", "you", "you") as browser:
        browser.play(0)
        browser.send("undo")
        assert browser.until(lambda table: table["plies"] == 0)["can"]["redo"]
        browser.play(1)
        assert not browser.table["can"]["redo"]
        browser.send("redo")
        assert browser.error() == "There is nothing that you could do again."


def test_undo_passes_over_moves_without_a_choice(client):
    with client.playing("nim:heap=5", "you", "you", seed=2) as browser:
        for move in (2, 0, 0):  # the last one is forced
            browser.play(move)
        before = browser.table
        assert before["over"]
        browser.send("undo")
        table = browser.until(lambda table: not table["over"])
        assert table["version"] == before["version"] + 1
        assert (table["plies"], len(table["moves"])) == (1, 2)


@pytest.mark.parametrize("game", ["highcard", "dicerace"])
def test_nothing_is_taken_back_once_the_end_has_shown_hands_or_dice(client, game):
    seats = ("you", "beginner", "beginner") if game == "highcard" else ("you", "beginner")
    with client.playing(game, *seats, seed=2) as browser:
        browser.play_on()
        assert not browser.table["can"]["undo"]
        browser.send("undo")
        assert "nothing that you can take back" in browser.error()


def test_undo_before_the_first_move_is_refused(client):
    with client.playing(NIM, "you", "beginner") as browser:
        assert not browser.table["can"]["undo"]
        browser.send("undo")
        assert "nothing that you can take back" in browser.error()


def test_there_is_no_undo_against_another_person(client):
    answer = client.ready_table(NIM, "you", "you")
    with client.at({"id": answer["id"], "token": client.admit(answer["id"], Access((0,)))}) as first:
        first.play(0)
        assert not first.table["can"]["undo"]
        first.send("undo")
        assert first.error()


def test_who_resigns_leaves_the_win_to_the_others(client):
    with client.playing("highcard", "beginner", "you", "beginner") as browser:
        browser.my_turn()  # now nobody moves but this browser
        before = browser.table
        browser.send("resign")
        table = browser.until(lambda table: table["over"])
        assert table["version"] == before["version"] + 1
        assert [seat["payoff"] for seat in table["seats"]] == [0.5, 0.0, 0.5]
        assert table["result"].endswith("share the win. You resigned.")
        assert not table["can"]["resign"]


def test_a_rematch_is_a_new_table_with_the_same_seats(client):
    with client.playing(NIM, "you", "beginner", seed=3) as browser:
        browser.send("resign")
        browser.send("rematch")
        moved = browser.next("moved")
        assert moved["id"] != browser.id
        with client.at({"id": moved["id"], "token": browser.token}) as again:
            assert again.table["you"] == [0]
            assert [seat["name"] for seat in again.table["seats"]] == ["You", "Beginner"]
            assert not again.table["over"]


def test_a_reload_continues_the_game(client):
    answer = client.ready_table("nim:heap=21", "you", "beginner")
    with client.at(answer) as browser:
        browser.play(0)
        log = browser.now_or_later(lambda table: table["plies"] == 2)["log"]
    with client.at(answer) as browser:
        assert browser.table["log"] == log
        assert browser.play(0)["plies"] >= 3


def test_several_browsers_see_the_same_table(client, browser):
    with client.at({"id": browser.id}, token=False) as spectator:
        assert spectator.table["plies"] == 0
        browser.play(2)
        assert spectator.until(lambda table: table["plies"] == 1)["log"] == browser.table["log"]


def test_a_table_that_does_not_exist_is_refused_and_the_socket_closed(client):
    with client.http.websocket_connect("/ws/nowhere") as session:
        assert "does not exist" in session.receive_json()["error"]
        assert session.receive()["code"] == 4404


def test_a_moment_of_the_past_stays_shown_while_the_game_goes_on(client, browser):
    browser.play(0)
    with client.at({"id": browser.id}, token=False) as spectator:
        spectator.send("show", ply=0)
        assert spectator.until(lambda table: table["ply"] == 0)["plies"] == 1
        browser.play(0)
        table = spectator.until(lambda table: table["plies"] == 2)
        assert table["ply"] == 0
        assert "left = 7" in table["text"]
        spectator.send("show", ply=None)
        assert "left = 5" in spectator.until(lambda table: table["ply"] == 2)["text"]


# ------------------------------------------------------------------ what comes with a move


def board_of(client, browser):
    return type(client.room(browser.id).table.board)


def test_steps_come_with_the_move_and_not_again(client, browser, monkeypatch):
    scenes = [Scene(1, 1, (Piece(f"step-{number}", 0, 0, ()),)) for number in range(2)]
    monkeypatch.setattr(board_of(client, browser), "steps", lambda self, game, s, move, viewer: iter(scenes))
    steps = browser.play(0)["steps"]
    assert [step["pieces"][0]["name"] for step in steps] == ["step-0", "step-1"]
    browser.send("show", ply=None)
    assert browser.next("table")["steps"] == []
    browser.send("undo")
    assert browser.next("table")["steps"] == []


def test_the_last_move_is_marked_where_the_scene_does_not_do_it_itself(client, browser, monkeypatch):
    def heap(self, game, s, viewer, last):
        return Scene(9, 9, (Piece("heap", s.left, 0, (), "the heap"), Piece("table", 0, 0, (), "the table")))

    monkeypatch.setattr(board_of(client, browser), "scene", heap)
    marked = [piece["name"] for piece in browser.play(0)["scene"]["pieces"] if piece.get("marked")]
    assert marked == ["heap"]


def test_the_log_tells_what_a_move_brought_about(client, browser, monkeypatch):
    monkeypatch.setattr(
        board_of(client, browser), "effects", lambda self, game, before, move, after: [f"{before.left} to {after.left}"]
    )
    assert browser.play(2)["log"] == [{"ply": 1, "seat": 0, "name": "take 3", "say": "take 3", "words": ["7 to 4"]}]


def test_a_drawing_that_fails_leaves_the_text(client, browser, monkeypatch):
    monkeypatch.setattr(board_of(client, browser), "scene", lambda *args: 1 / 0)
    table = browser.play(0)
    assert table["scene"] is None
    assert "left = 6" in table["text"]


def test_a_board_that_fails_is_told_and_the_connection_stays(client, browser, monkeypatch):
    monkeypatch.setattr(board_of(client, browser), "counters", lambda *args: 1 / 0)
    browser.send("show", ply=0)
    assert browser.error() == "The table cannot be shown. Something went wrong on the server (ZeroDivisionError)."
    monkeypatch.undo()
    assert unchanged(browser, browser.table["version"])


def test_counters_stand_beside_the_players(client, browser, monkeypatch):
    monkeypatch.setattr(board_of(client, browser), "counters", lambda self, game, s, player: {"left": s.left})
    assert browser.play(0)["seats"][0]["counters"] == {"left": "6"}
