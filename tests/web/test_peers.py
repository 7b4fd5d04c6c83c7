"""Two servers with one PostgreSQL database: people at both play the same games, and one of them plays the bots."""

import asyncio
import contextlib
import time

import pytest
from visitors import bearing, serving, toy_catalogue

from kibitz.web.access import Access
from kibitz.web.database import open_postgresql
from kibitz.web.messages import TableRequest
from kibitz.web.playthrough import Phase
from kibitz.web.server_clock import ServerClock
from kibitz.web.store import DAY, Retention


@pytest.fixture
def address(postgres):
    return postgres.new_database()


@pytest.fixture
def first():
    """Closing it shuts the first server down."""
    with contextlib.ExitStack() as stack:
        yield stack


@pytest.fixture
def two(address, first):
    """Two servers, in event loops of their own."""
    with serving(toy_catalogue(), open_postgresql(address)) as second:
        yield first.enter_context(serving(toy_catalogue(), open_postgresql(address))), second


def leads(client, key):
    room = client.room(key)
    return room is not None and room.leads


def is_absent(table, seat):
    return table["seats"][seat]["absent"] is not None


def test_two_people_at_two_servers_play_a_game(two):
    here, there = two
    answer = here.ready_table("nim:heap=9", "you", "open")
    with here.at(answer) as ann:
        assert ann.table["phase"] == "gathering"
        with there.at(there.join(answer["id"], "Bob")) as bob:
            ann.now_or_later(lambda table: table["seats"][1]["name"] == "Bob")
            players, plies = [ann, bob], 0
            while not players[0].my_turn()["over"]:
                players[0].play(0)
                plies += 1
                players.reverse()
                players[0].now_or_later(lambda table: table["plies"] == plies)  # noqa: B023
            assert players[1].now_or_later(lambda table: table["over"])["log"] == players[0].table["log"]


def test_one_server_plays_the_bots_for_both(two):
    here, there = two
    answer = here.ready_table("dicerace", "you", "random", seed=3)
    with there.at(answer) as browser:
        assert (leads(here, answer["id"]), leads(there, answer["id"])) == (True, False)
        browser.play_on()
        assert not there.run(lambda: there.room(answer["id"]).thinking)
    with here.at(answer) as again:
        assert again.now_or_later(lambda table: table["over"])["log"] == browser.table["log"]


def test_another_server_takes_over_when_one_is_shut_down(two, first):
    here, there = two
    answer = here.ready_table("dicerace:goal=60", "you", "random", seed=3)
    with there.at(answer) as browser:
        browser.play(browser.my_turn()["moves"][0]["move"])
        assert not leads(there, answer["id"])
        first.close()
        there.wait_for(lambda: leads(there, answer["id"]))
        browser.play_on()


def test_another_server_takes_over_when_one_loses_its_connection(two, postgres):
    here, there = two
    answer = here.ready_table("dicerace:goal=60", "you", "random", seed=3)
    with there.at(answer) as browser:
        process = here.run(lambda: here.server.store.peers._connection.get_server_pid())
        postgres.run_query(f"SELECT pg_terminate_backend({process})")
        there.wait_for(lambda: leads(there, answer["id"]) and not leads(here, answer["id"]))
        browser.play_on()
    with here.at(answer) as again:  # it has connected again
        assert again.now_or_later(lambda table: table["over"])["log"] == browser.table["log"]


def test_both_servers_know_who_is_there(two):
    here, there = two
    answer = here.ready_table("nim", "you", "open")
    guest = there.join(answer["id"], "Bob")
    with here.at(answer) as ann:
        ann.now_or_later(lambda table: (is_absent(table, 0), is_absent(table, 1)) == (False, True))
        with there.at(guest) as bob:
            ann.until(lambda table: not is_absent(table, 1))
            bob.now_or_later(lambda table: not is_absent(table, 0))
            with there.at(answer, token=False):
                here.wait_for(lambda: here.room(answer["id"]).audience.spectators == 1)
            here.wait_for(lambda: here.room(answer["id"]).audience.spectators == 0)
        ann.until(lambda table: is_absent(table, 1))


def test_who_was_at_a_server_that_is_silent_is_absent(two, monkeypatch):
    here, there = two
    answer = here.ready_table("nim", "you", "open")
    guest = there.join(answer["id"], "Bob")
    with there.at(guest) as bob, here.at(answer):
        bob.now_or_later(lambda table: not is_absent(table, 0))
        here.run(lambda: here.server.store.peers._staying.cancel())
        monkeypatch.setattr("kibitz.web.peers_in_postgresql.DEAD_SECONDS", 0.1)
        bob.until(lambda table: is_absent(table, 0))


def test_bots_play_as_long_as_somebody_watches_at_any_server(two):
    here, there = two
    answer = here.ready_table("dicerace", "random", "random", seed=2)
    with there.at(answer, token=False) as browser:
        assert leads(here, answer["id"])
        browser.now_or_later(lambda table: table["over"])


def test_an_open_seat_is_taken_once(two, monkeypatch):
    here, there = two
    answer = here.ready_table("nim", "you", "open")
    here.run(here.room(answer["id"]).published)
    monkeypatch.setattr(there.server.lobby, "_refresh", lambda saver: asyncio.sleep(0))  # the news come too late
    there.run(there.server.table, answer["id"])
    here.join(answer["id"], "Ann")
    late = there.http.post(f"/api/tables/{answer['id']}/seats", json={"name": "Bob"}, headers=bearing("b" * 32))
    assert (late.status_code, late.json()["error"]) == (422, "This seat is taken; please choose another one.")
    with there.at(answer) as browser:
        assert browser.table["seats"][1]["name"] == "Ann"


def test_a_game_that_was_being_prepared_is_opened_by_who_takes_over(two, first):
    here, there = two
    wanted = TableRequest.model_validate({"game": "nim", "seats": [{"you": True}, {"bot": "random"}]})
    room = here.run(lambda: here.server.rooms.room(here.server._setting(wanted, here.server.catalogue.game("nim"))))
    here.run(here.server.lobby.add, room)  # and nothing more: the server dies before it can open the table
    there.run(there.server.table, room.id)
    assert there.run(lambda: there.room(room.id).phase) is Phase.PREPARING
    first.close()
    there.wait_for(lambda: there.room(room.id).phase is Phase.PLAYING)


def test_a_server_closes_what_another_one_drops_to_make_space(address):
    with (
        serving(toy_catalogue(), open_postgresql(address, Retention(tables=1))) as here,
        serving(toy_catalogue(), open_postgresql(address)) as there,
    ):
        answer = here.ready_table("nim:heap=3", "you", "you")
        here.run(here.room(answer["id"]).play, Access((0, 1)), 2, here.room(answer["id"]).version)  # it is over
        with there.at(answer) as browser:
            assert browser.now_or_later(lambda table: table["over"])
            here.ready_table("nim:heap=3", "you", "you")
            there.wait_for(lambda: there.room(answer["id"]) is None)


def test_a_server_closes_what_another_one_drops_because_it_is_old(two):
    here, there = two
    answer = here.ready_table("nim:heap=3", "you", "you")
    with there.at(answer):
        here.server.store._now = lambda: time.time() + 1000 * DAY
        assert here.run(here.server.store.drop_expired, []) == 1
        there.wait_for(lambda: there.room(answer["id"]) is None)


def test_what_other_programs_say_on_the_channel_is_ignored(two, postgres, address):
    here, there = two
    answer = here.ready_table("nim:heap=9", "you", "you")
    with there.at(answer) as browser:
        for text in ("", "null", "[]", '{"server": 1}', '{"server": "x", "news": {"type": "saved"}}', "[" * 5000):
            postgres.run_query(f"SELECT pg_notify('kibitz', '{text}')", address)
        with here.at(answer) as other:
            other.play(0)
        browser.until(lambda table: table["plies"] == 1)


def test_clocks_follow_the_one_that_is_ahead():
    clock = ServerClock(lambda: 100.0)
    clock.go_on_from(7.0)
    clock.advance_to(9.5)
    assert clock.now() == 9.5
    clock.advance_to(3.0)
    assert clock.now() == 9.5
