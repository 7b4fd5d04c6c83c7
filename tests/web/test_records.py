"""Recorded games on the page: sent by a browser, or from the logs of the server."""

import dataclasses
import json
import random

import pytest
from programs import write_program
from visitors import TOYS, bearing, serving

import kibitz
from kibitz.errors import KibitzError
from kibitz.web.access import new_token
from kibitz.web.catalogue import Catalogue
from kibitz.web.playthrough import Phase
from kibitz.web.store import MemoryStore


def finished_record(game="connect_four", plies=None):
    table, dice = kibitz.Table(game, seed=3, seats=("random", "uct:sims=5")), random.Random(1)
    while not table.over and (plies is None or len(table.history) < plies):
        table.play(dice.choice(table.moves))
    return table.record()


def post(client, content):
    return client.http.post("/api/records", content=content, headers={"content-type": "application/json"})


def refusal(client, content):
    answer = post(client, content)
    assert answer.status_code == 422
    return answer.json()["error"]


def test_a_record_is_opened_as_a_finished_table(client):
    record = finished_record()
    with client.at(post(client, record.to_json()).json()) as browser:
        table = browser.table
        assert table["over"]
        assert [seat["name"] for seat in table["seats"]] == ["random", "uct:sims=5"]
        assert [seat["payoff"] for seat in table["seats"]] == list(record.payoff)
        assert [entry["name"] for entry in table["log"]] == list(record.names)
        assert table["can"] == {
            "undo": False, "redo": False, "resign": False, "hint": False, "rematch": False, "analyse": True,
            "offer": [], "join": False, "step": False, "pause": False,
        }  # fmt: skip


def test_a_record_is_replayed_ply_by_ply(client):
    with client.at(post(client, finished_record().to_json()).json()) as browser:
        browser.send("show", ply=1)
        table = browser.until(lambda table: table["ply"] == 1)
        assert table["turn"] == 1
        assert table["moves"] == []


def test_a_game_that_was_broken_off_is_shown_as_such(client):
    with client.at(post(client, finished_record(plies=4).to_json()).json()) as browser:
        assert browser.table["result"] == "This game was not played to the end."
        assert browser.table["plies"] == 4


def test_a_record_against_the_rules_is_refused(client):
    record = finished_record()
    assert "not a legal move" in refusal(client, dataclasses.replace(record, moves=(9, *record.moves[1:])).to_json())


def test_a_record_of_a_game_that_is_not_offered_is_refused(client):
    for game in ("chess", "/tmp/evil.py:Evil", "evil.py:Evil"):
        record = dataclasses.replace(finished_record(), game=game)
        assert "is not available on this server" in refusal(client, record.to_json())


def test_a_record_from_the_middle_of_a_game_is_refused(client):
    record = dataclasses.replace(finished_record(), position='{"discs":[0,0]}')
    assert "position" in refusal(client, record.to_json())


@pytest.mark.parametrize(
    "content", [b"", b"hello", b"[]", b"7", b"{}", b'{"game": "ur"}', b"\xff\xfe", b'{"log": "x"}', b"[" * 9000]
)
def test_what_is_no_record_is_refused(client, content):
    assert refusal(client, content)


@pytest.mark.parametrize("change", [{"turns": 7}, {"turns": ("a",)}, {"moves": None}, {"moves": ("1",)}, {"seats": 3}])
def test_a_damaged_record_is_refused(client, change):
    assert refusal(client, dataclasses.replace(finished_record(), **change).to_json())


def test_a_huge_record_is_refused(client):
    assert "too large" in refusal(client, b" " * 3_000_000)


def test_a_finished_game_can_be_kept_and_opened_again(client):
    with client.playing("nim:heap=7", "you", "beginner") as browser:
        log = browser.play_on()["log"]
    kept = client.http.get(f"/api/tables/{browser.id}/record")
    assert kept.headers["content-disposition"].startswith("attachment")
    with client.at(post(client, kept.content).json()) as replay:
        assert replay.table["log"] == log


def saved(client, key):
    return client.http.get(f"/api/tables/{key}/record").json()


@pytest.mark.parametrize("seats", [("you", "beginner", "beginner"), ("you", "Trouble", "beginner")])
def test_a_saved_game_that_is_opened_and_saved_again_is_the_same(client, seats):
    with client.playing("highcard", *seats, seed=5) as browser:
        browser.send("resign")
        browser.until(lambda table: table["over"])
    first = saved(client, browser.id)
    assert saved(client, post(client, json.dumps(first)).json()["id"]) == first


# ------------------------------------------------------------------ several at once


def own_records(client, token):
    answer = client.http.get("/api/records", headers=bearing(token))
    assert answer.headers["content-disposition"] == 'attachment; filename="kibitz-games.jsonl"'
    return [json.loads(line) for line in answer.text.splitlines()]


def batch(client, records, token):
    return client.http.post("/api/records/batch", json={"records": records}, headers=bearing(token))


def test_all_own_games_are_saved_at_once_and_opened_again(client):
    token, keys = new_token(), []
    for heap in (5, 6, 7):
        seats = [{"you": True}, {"bot": "beginner"}]
        wanted = {"game": f"nim:heap={heap}", "seats": seats}
        answer = client.http.post("/api/tables", json=wanted, headers=bearing(token)).json()
        client.wait_for(lambda: client.room(answer["id"]).phase is Phase.PLAYING)  # noqa: B023
        with client.at({**answer, "token": token}) as browser:
            browser.play_on()
        keys.append(answer["id"])
    client.http.post("/api/tables", json=wanted, headers=bearing(token))  # goes on
    records = own_records(client, token)
    assert records == [saved(client, key) for key in reversed(keys)]
    another = new_token()
    opened = batch(client, records, another).json()["tables"]
    assert [saved(client, table["id"]) for table in opened] == records
    assert own_records(client, another) == records[::-1]
    assert own_records(client, new_token()) == []


def test_of_several_records_the_good_ones_are_opened(client):
    good, token = json.loads(finished_record().to_json()), new_token()
    against_the_rules = {**good, "moves": [9, *good["moves"][1:]]}
    tables = batch(client, [good, {"game": "ur"}, against_the_rules, 7, good], token).json()["tables"]
    assert [table["id"] is not None for table in tables] == [True, False, False, False, True]
    assert "Field required" in tables[1]["error"]
    assert "not a legal move" in tables[2]["error"]
    assert tables[3]["error"].startswith("Malformed record: ")
    assert len(own_records(client, token)) == 2


@pytest.mark.parametrize("records", [[], [{}] * 11, {}, None])
def test_no_records_and_too_many_are_refused(client, records):
    answer = batch(client, records, new_token())
    assert answer.status_code == 422
    assert answer.json()["error"].startswith("Malformed request: records")


def test_games_that_are_not_available_any_more_are_left_out():
    store, token = MemoryStore(), new_token()
    with serving(Catalogue([f"{TOYS}:Nim"]), store) as client:
        records = [json.loads(finished_record(game).to_json()) for game in ("connect_four", f"{TOYS}:Nim")]
        assert all(table["id"] for table in batch(client, records, token).json()["tables"])
    with serving(Catalogue(), store) as client:
        assert [record["game"] for record in own_records(client, token)] == ["connect_four"]


def test_a_record_does_not_tell_where_the_files_of_the_server_are(client):
    with client.playing("nim:heap=7", "you", "Trouble") as browser:
        browser.send("resign")
        browser.until(lambda table: table["over"])
    kept = client.http.get(f"/api/tables/{browser.id}/record").json()
    assert kept["game"] == "nim:heap=7"
    assert kept["seats"] == ["human", "Trouble"]


def test_no_record_gives_away_a_game_that_goes_on(client):
    answer = client.new_table("highcard", "you", "beginner", "beginner")
    refused = client.http.get(f"/api/tables/{answer['id']}/record")
    assert refused.status_code == 422
    assert "before it is over" in refused.json()["error"]


def test_there_is_no_record_of_no_table(client):
    assert client.http.get("/api/tables/nowhere/record").status_code == 404


# ------------------------------------------------------------------ logs


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "first"
    kibitz.arena("connect_four", ["random", "uct:sims=5"], games=4, seed=2, log=folder)
    return folder


@pytest.fixture(scope="module")
def with_log(log):
    with serving(Catalogue(logs=[log, log])) as client:
        yield client


def test_logs_are_offered_by_the_names_of_their_folders(with_log):
    offered = with_log.http.get("/api/logs").json()
    assert offered == [
        {"log": "first", "game": "connect_four", "games": 4, "first": 0, "last": 3},
        {"log": "first-2", "game": "connect_four", "games": 4, "first": 0, "last": 3},
    ]


def test_a_log_of_a_game_that_is_not_offered_is_refused_at_once(tmp_path):
    kibitz.arena(f"{TOYS}:Nim:heap=5", ["random", "random"], games=2, seed=1, log=tmp_path / "nim")
    with pytest.raises(KibitzError, match="is not available on this server"):
        Catalogue(logs=[tmp_path / "nim"])
    assert Catalogue([f"{TOYS}:Nim"], logs=[tmp_path / "nim"]).logs()[0]["game"] == "nim:heap=5"


def test_a_game_of_a_log_is_opened(with_log, log):
    answer = with_log.http.post("/api/records", json={"log": "first", "game": 2})
    with with_log.at(answer.json()) as browser:
        names = kibitz.records.log.Log(log).record(2).names
        assert [entry["name"] for entry in browser.table["log"]] == list(names)


@pytest.mark.parametrize(
    "wanted", [{"log": "second", "game": 1}, {"log": "first", "game": 99}, {"log": "../first", "game": 1}]
)
def test_what_is_not_in_a_log_is_refused(with_log, wanted):
    answer = with_log.http.post("/api/records", json=wanted)
    assert answer.status_code == 422
    assert answer.json()["error"]


def test_without_logs_none_are_offered(client):
    assert client.http.get("/api/logs").json() == []


def test_a_program_plays_at_a_table_and_records_do_not_say_where_it_is(tmp_path):
    catalogue = Catalogue([f"{TOYS}:Nim"], {"Shell": write_program(tmp_path)})
    with serving(catalogue) as client, client.playing("nim:heap=7", "you", "Shell") as browser:
        browser.play(2)
        browser.now_or_later(lambda table: table["plies"] == 2)
        assert browser.table["log"][-1]["name"] == "take 1"
        assert client.room(browser.id).setting.recorded_names == ("human", "Shell")
