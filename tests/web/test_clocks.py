"""Clocks: kept by the server, by a clock that the tests move forward themselves."""

import pytest
from slow_store import SlowStore
from visitors import serving, toy_catalogue

from kibitz.web.clocks import Fischer, PerMove
from kibitz.web.endings import EndingKind
from kibitz.web.server_clock import ServerClock

NIM = "nim:heap=21"
MINUTE = {"type": "per move", "seconds": 60}
BLITZ = {"type": "fischer", "seconds": 100, "increment": 10}


class StillTime:
    """Stands still unless the test moves it."""

    def __init__(self):
        self.seconds = 1000.0

    def read(self):
        return self.seconds


@pytest.fixture
def time():
    return StillTime()


@pytest.fixture
def client(time):
    with serving(toy_catalogue(), clock=ServerClock(time.read)) as client:
        yield client


def pass_time(client, time, key, seconds):
    """Let some time pass at a table; whether it has ended."""
    time.seconds += seconds
    return client.run(lambda: client.room(key).check_clock())


def times(browser):
    return [seat["time"] for seat in browser.settled()["seats"]]


def test_without_clocks_there_is_all_the_time_in_the_world(client, time):
    with client.playing(NIM, "you", "you") as browser:
        assert not pass_time(client, time, browser.id, 1e6)
        assert times(browser) == [None, None]
        assert browser.table["clock"] is None


def test_a_clock_per_move_starts_again_with_every_move(client, time):
    with client.playing(NIM, "you", "you", clock=MINUTE) as browser:
        assert browser.table["clock"] == MINUTE
        for _ in range(3):
            assert times(browser) == [60, 60]
            assert not pass_time(client, time, browser.id, 59)
            assert min(times(browser)) == 1
            browser.play(0)


def test_fischers_clock_counts_the_whole_game_and_adds_for_every_move(client, time):
    with client.playing(NIM, "you", "you", clock=BLITZ) as browser:
        for spent in (30, 5, 20):
            pass_time(client, time, browser.id, spent)
            browser.play(0)
        assert times(browser) == [100 - 30 + 10 - 20 + 10, 100 - 5 + 10]
        pass_time(client, time, browser.id, 7)
        assert times(browser) == [70, 98]


@pytest.mark.parametrize("clock", [MINUTE, BLITZ])
def test_who_runs_out_of_time_loses(client, time, clock):
    with client.playing(NIM, "you", "you", clock=clock) as browser:
        browser.play(0)
        assert pass_time(client, time, browser.id, 200)
        table = browser.until(lambda table: table["over"])
        assert table["result"].endswith("You ran out of time.")
        assert [seat["payoff"] for seat in table["seats"]] == [1.0, 0.0]
        assert client.room(browser.id).ending.kind is EndingKind.TIMED_OUT
        assert not table["can"]["undo"]


def test_a_move_that_comes_too_late_is_not_made(client, time):
    with client.playing(NIM, "you", "you", clock=MINUTE) as browser:
        time.seconds += 60  # and the alarm has not gone off yet
        browser.send("play", move=0, version=browser.table["version"])
        assert browser.error() == "Your time has run out."
        assert browser.settled()["plies"] == 0
        assert browser.table["over"]


def test_the_alarm_goes_off_by_itself():
    with (
        serving(toy_catalogue()) as client,
        client.playing(NIM, "you", "you", clock={"type": "per move", "seconds": 1}) as browser,
    ):
        assert browser.now_or_later(lambda table: table["over"])["result"].endswith("ran out of time.")


def test_a_reconnect_neither_gains_nor_loses_time(client, time):
    answer = client.ready_table(NIM, "you", "open", clock=BLITZ)
    guest = client.join(answer["id"])
    with client.at(answer):
        pass_time(client, time, answer["id"], 40)
    pass_time(client, time, answer["id"], 20)  # nobody is there
    with client.at(answer) as again, client.at(guest) as other:
        assert times(again) == times(other) == [40, 100]


def test_time_stands_still_before_everyone_is_there(client, time):
    answer = client.ready_table(NIM, "you", "open", clock=MINUTE)
    pass_time(client, time, answer["id"], 1000)
    client.join(answer["id"])
    with client.at(answer) as browser:
        assert times(browser) == [60, 60]


def test_time_in_which_the_server_is_down_is_nobodys():
    store, first, second = SlowStore(), StillTime(), StillTime()
    with serving(toy_catalogue(), store, clock=ServerClock(first.read)) as client:
        answer = client.ready_table(NIM, "you", "you", clock=BLITZ)
        pass_time(client, first, answer["id"], 30)
    assert store.time == 30
    second.seconds = 5e6  # the machine has been started again
    with serving(toy_catalogue(), store, clock=ServerClock(second.read)) as client, client.at(answer) as browser:
        assert times(browser) == [70, 100]
        pass_time(client, second, browser.id, 70)
        assert browser.settled()["over"]


def test_a_table_that_was_put_away_goes_on_losing_time(client, time):
    answer = client.ready_table(NIM, "you", "you", clock=MINUTE)
    assert client.run(client.server.lobby.put_away, client.room(answer["id"]))
    time.seconds += 61
    with client.at(answer) as browser:
        assert browser.now_or_later(lambda table: table["over"])["result"].endswith("ran out of time.")


def test_a_bot_runs_out_of_time_like_anyone(client, time, gated):
    with client.playing(NIM, "you", "beginner", clock=MINUTE) as browser:
        browser.play(0)
        gated.wait_until_asked(1)
        assert pass_time(client, time, browser.id, 61)
        assert browser.until(lambda table: table["over"])["result"] == "You win. Beginner ran out of time."


def test_a_search_is_stopped_in_time_and_plays_the_best_it_has_found(monkeypatch):
    monkeypatch.setattr(PerMove, "for_one_move", lambda self, left: left / 10)
    clock = {"type": "per move", "seconds": 8}
    with serving(toy_catalogue()) as own, own.playing("connect_four", "you", "uct:ms=10000", clock=clock) as browser:
        for _ in range(2):
            browser.play(browser.my_turn()["moves"][0]["move"])
        table = browser.my_turn()
        assert table["over"] or table["plies"] == 4


def test_bots_keep_time_in_hand():
    assert PerMove(10).for_one_move(10) < 10
    clock, left = Fischer(60, 1), 60.0
    for _ in range(500):
        left = clock.after_move(left - clock.for_one_move(left))
        assert left > 0


def test_a_clock_needs_a_person(client):
    assert (
        client.refusal("connect_four", "beginner", "beginner", clock=MINUTE) == "A clock needs a person at the table."
    )


@pytest.mark.parametrize(
    "clock",
    [
        {"type": "sundial", "seconds": 60},
        {"type": "per move", "seconds": 0},
        {"type": "per move", "seconds": "60"},
        {"type": "per move", "seconds": 1e9},
        {"type": "per move", "seconds": 60, "increment": 1},
        {"type": "fischer", "seconds": 60},
        {"type": "fischer", "seconds": 60, "increment": -1},
        "blitz",
        7,
    ],
)
def test_a_clock_that_makes_no_sense_is_refused(client, clock):
    assert client.refusal(NIM, "you", "you", clock=clock).startswith("Malformed request: clock")
