"""Slow bots in processes of their own: they play as they would in the server, and leave nothing behind."""

import os
import threading
from dataclasses import replace

import pytest
from visitors import TOYS, UNLIMITED, serving

import kibitz
from kibitz.errors import BotFault
from kibitz.players.roster import resolve
from kibitz.rules.registry import find_game
from kibitz.web.lanes import Lane, ThoughtTimes
from kibitz.web.thinking_process import ThinkingProcess

NOT_STOPPED = threading.Event()
PLENTY = 1 << 40


def thinking(spec, game, memory=PLENTY):
    return ThinkingProcess(resolve(spec, find_game(game)), 0, memory)


def is_running(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize(("spec", "game"), [("uct:sims=50", "connect_four"), ("mc:sims=20", f"{TOYS}:HighCard")])
def test_it_plays_as_in_this_process(spec, game):
    here, there = kibitz.Table(game, 5), kibitz.Table(game, 5)
    bots, process = {}, thinking(spec, game)
    try:
        for _ in range(4):
            bots.setdefault(here.turn, kibitz.bot(spec, game))
            own, other = here.view(here.turn, named=True), there.view(there.turn, named=True)
            if here.turn == 0:
                move = bots[0].choose(own)
                assert process.ask(other, "it", NOT_STOPPED).move == move
                assert own.rng.getstate() == other.rng.getstate()
            else:
                move = own.moves[0]
            here.play(move)
            there.play(move)
        assert process.memory > 0
    finally:
        process.close()
    assert process.memory == 0


def test_it_can_be_stopped():
    stop, process = threading.Event(), thinking("uct:ms=100000000", "connect_four")
    soon, later = kibitz.Table("connect_four", 1).view(0, 0.01), kibitz.Table("connect_four", 1).view(0)
    stop.set()
    try:
        assert process.ask(later, "it", stop) is None  # it is not ready yet
        assert process.ask(soon, "it", NOT_STOPPED).move in range(7)
        assert process.ask(later, "it", stop).move in range(7)
        assert process.ask(soon, "it", NOT_STOPPED).move in range(7)  # the next question is not stopped
    finally:
        process.close()


def test_what_goes_wrong_there_is_the_bots_fault():
    process = thinking("uct:sims=10", "connect_four")
    over = replace(kibitz.Table("connect_four", 1).view(0), moves=[])
    with pytest.raises(BotFault):
        process.ask(over, "it", NOT_STOPPED)
    process.close()


def test_a_process_that_dies_is_a_fault_and_the_next_move_has_another_one():
    process, view = thinking("uct:sims=10", "connect_four"), kibitz.Table("connect_four", 1).view(0)
    process.ask(view, "it", NOT_STOPPED)
    process._process.kill()
    with pytest.raises(BotFault, match="it crashed"):
        process.ask(view, "it", NOT_STOPPED)
    assert process.ask(view, "it", NOT_STOPPED).move in range(7)
    process.close()


# ------------------------------------------------------------------ tables that nobody watches


def test_a_deserted_table_is_put_away_with_its_bots_and_goes_on_when_somebody_comes(monkeypatch):
    monkeypatch.setattr(ThoughtTimes, "lane", lambda *args: Lane.ELSEWHERE)
    monkeypatch.setattr("kibitz.web.server.TIDY_SECONDS", 0.01)
    with serving() as client:
        table = client.ready_table("connect_four", "you", "uct:sims=20")
        with client.at(table) as browser:
            browser.play(3)
            browser.now_or_later(lambda table: table["plies"] == 2)
            (bot,) = client.room(table["id"])._bots._players.values()
            process = bot._process.id
            assert is_running(process)
            client.server.limits = replace(UNLIMITED, deserted=0.0)
            browser.settled()
            assert is_running(process)  # as long as somebody watches
        client.wait_for(lambda: client.room(table["id"]) is None)
        client.wait_for(lambda: not is_running(process))
        client.server.limits = UNLIMITED
        with client.at(table) as browser:
            assert browser.table["plies"] == 2
            browser.play(3)
            browser.now_or_later(lambda table: table["plies"] == 4)


def test_only_tables_that_nobody_watches_are_deserted():
    with serving() as client, client.playing("connect_four", "you", "you") as browser:
        left = client.ready_table("connect_four", "you", "you")["id"]
        assert client.run(client.server.lobby.deserted, 1e6) == []
        deserted = client.run(client.server.lobby.deserted, -1.0)
        assert [room.id for room in deserted] == [left] != [browser.id]
