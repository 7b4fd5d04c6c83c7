"""Pages, headers, refusals of requests, and what HTTP answers."""

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect


@pytest.mark.parametrize("path", ["/", "/table/anything", "/rules/ur"])
def test_the_page_is_served_under_all_its_addresses(client, path):
    answer = client.http.get(path)
    assert answer.status_code == 200
    assert answer.text.startswith("<!doctype html>")


@pytest.mark.parametrize("path", ["/nothing", "/static/nothing.js", "/static/../app.py", "/static/%2e%2e/app.py"])
def test_anything_else_is_a_clear_404(client, path):
    answer = client.http.get(path)
    assert answer.status_code == 404
    assert answer.text.startswith("<!doctype html>")
    assert "Content-Security-Policy" in answer.headers


def test_an_unknown_api_answers_in_json(client):
    answer = client.http.get("/api/nothing")
    assert answer.status_code == 404
    assert answer.json() == {"error": "Not Found"}


@pytest.mark.parametrize("path", ["/", "/nothing", "/api/games", "/static/page.html"])
def test_every_answer_is_secured(client, path):
    headers = client.http.get(path).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"


def test_the_games_are_listed_with_their_levels(client):
    games = {game["name"]: game for game in client.http.get("/api/games").json()["games"]}
    assert games["connect_four"]["title"] == "Connect Four"
    assert games["connect_four"]["levels"][0]["spec"] == "random"
    assert games["nim"]["fields"][0]["name"] == "heap"


def test_bots_and_rules_of_a_variant(client):
    bots = client.http.get("/api/games/camelup/bots?game=camelup:players=3").json()["bots"]
    assert "ismcts" in [bot["name"] for bot in bots]
    assert "alphabeta" not in [bot["name"] for bot in bots]
    rules = client.http.get("/api/games/nim/rules").json()
    assert rules["title"] == "Nim"
    assert rules["lessons"] == []


@pytest.mark.parametrize("path", ["/api/games/chess/bots", "/api/games/ur/bots?game=x.py:Y", "/api/games/chess/rules"])
def test_an_unknown_game_is_refused(client, path):
    answer = client.http.get(path)
    assert answer.status_code == 422
    assert "There is no game called" in answer.json()["error"]


YOU, BOT = {"you": True}, {"bot": "beginner"}


@pytest.mark.parametrize(
    "body",
    [
        {},
        [],
        {"game": "connect_four"},
        {"game": "connect_four", "seats": []},
        {"game": "connect_four", "seats": [YOU]},
        {"game": "connect_four", "seats": [YOU, BOT, BOT]},
        {"game": "connect_four", "seats": [YOU, {}]},
        {"game": "connect_four", "seats": [YOU, {"you": True, "bot": "beginner"}]},
        {"game": "connect_four", "seats": [YOU, {"bot": "x.py:Y"}]},
        {"game": "connect_four", "seats": [YOU, BOT], "seed": "7"},
        {"game": "connect_four", "seats": [YOU, BOT], "seed": -1},
        {"game": "connect_four", "seats": [YOU, BOT], "colours": [1, 1]},
        {"game": "connect_four", "seats": [YOU, BOT], "colours": [1, 8]},
        {"game": "connect_four", "seats": [YOU, BOT], "colours": [1]},
        {"game": "connect_four", "seats": [YOU, BOT], "more": 1},
        {"game": "connect_four:columns=x", "seats": [YOU, BOT]},
        {"game": "connect_four:columns=99", "seats": [YOU, BOT]},
    ],
)
def test_a_table_that_cannot_be_is_refused_with_a_sentence(client, body):
    tables = len(client.server.lobby), len(client.server.store)
    answer = client.http.post("/api/tables", json=body)
    assert answer.status_code == 422
    assert answer.json()["error"].endswith(".")
    assert (len(client.server.lobby), len(client.server.store)) == tables


def test_forms_of_other_pages_cannot_set_up_tables(client):
    answer = client.http.post("/api/tables", content='{"game": "nim"}', headers={"content-type": "text/plain"})
    assert answer.status_code == 422


def test_a_socket_of_another_page_is_refused(client):
    answer = client.new_table("nim", "you", "beginner")
    with (
        pytest.raises(WebSocketDisconnect),
        client.http.websocket_connect(f"/ws/{answer['id']}", headers={"origin": "http://elsewhere.example"}),
    ):
        pass


def test_a_socket_of_an_own_page_is_accepted(client):
    answer = client.new_table("nim", "you", "beginner")
    with client.http.websocket_connect(f"/ws/{answer['id']}", headers={"origin": "http://testserver"}) as session:
        assert session.receive_json()["type"] == "table"


def test_names_and_colours_are_as_chosen(client):
    seats = [{"you": True, "name": " Ada\n  Lovelace "}, {"bot": "beginner", "name": "Rival"}]
    answer = client.http.post("/api/tables", json={"game": "nim", "seats": seats, "colours": [4, 2]}).json()
    with client.at(answer) as browser:
        shown = [(seat["name"], seat["colour"]) for seat in browser.table["seats"]]
        assert shown == [("Ada Lovelace", 4), ("Rival", 2)]


def test_a_socket_that_fails_is_logged(client, monkeypatch, caplog):
    monkeypatch.setattr("kibitz.web.routes.watching.Connection", lambda *args: {}["secret"])
    answer = client.new_table("nim", "you", "beginner")
    with pytest.raises(KeyError), client.http.websocket_connect(f"/ws/{answer['id']}") as session:
        session.receive_json()
    assert "A socket failed." in caplog.text


def test_an_error_of_the_server_is_logged_and_reported_without_details(client, monkeypatch, caplog):
    monkeypatch.setattr("kibitz.web.routes.games._lessons", lambda game: {}["secret"])
    answer = TestClient(client.http.app, raise_server_exceptions=False).get("/api/games/nim/rules")
    assert answer.status_code == 500
    assert answer.json() == {"error": "Something went wrong on the server (KeyError)."}
    assert "nosniff" in answer.headers["x-content-type-options"]
    (failure,) = [record for record in caplog.records if record.exc_info]
    assert failure.facts == {"path": "/api/games/nim/rules"}
