"""Several people at one table: open seats and the link, names, who has left, offers, rematches."""

import re

import pytest
from slow_store import SlowStore
from visitors import bearing, serving, toy_catalogue

from kibitz.errors import KibitzError
from kibitz.web.access import TOKEN, new_token, visitor_with
from kibitz.web.messages import LONGEST_NAME, clean_name

NIM = "nim:heap=21"


@pytest.fixture
def open_table(client):
    """A table with an open seat, as its host knows it."""
    return client.ready_table(NIM, "you", "open")


def refused(client, key, token, **wanted):
    answer = client.http.post(f"/api/tables/{key}/seats", json=wanted, headers=bearing(token))
    assert answer.status_code == 422, answer.text
    return answer.json()["error"]


# ------------------------------------------------------------------ seats


def test_whoever_opens_the_link_takes_the_open_seat_and_the_game_begins(client, open_table):
    with client.at(open_table) as host, client.at(open_table, token=False) as other:
        assert (host.table["phase"], host.table["status"]) == ("gathering", "Waiting for one more player …")
        assert (host.table["moves"], other.table["can"]["join"], host.table["can"]["join"]) == ([], True, False)
        assert [seat["open"] for seat in host.table["seats"]] == [False, True]
        guest = client.join(open_table["id"], "Grace")
        host.until(lambda table: table["phase"] == "playing")
        assert host.table["seats"][1]["name"] == "Grace"
        assert host.table["moves"]
        with client.at(guest) as second:
            assert (second.table["you"], second.table["moves"]) == ([1], [])
            host.play(0)
            second.until(lambda table: table["moves"])
            second.play(1)
            assert host.my_turn()["plies"] == 2
            assert other.now_or_later(lambda table: table["plies"] == 2)["you"] == []


def test_no_seat_is_taken_before_the_rules_are_compiled(client, open_table):
    room = client.server.rooms.room(client.room(open_table["id"]).setting)
    with pytest.raises(KibitzError, match="The table is not ready yet"):
        client.run(room.take_seat, "somebody", "Grace")


def test_nothing_is_played_before_everyone_is_there(client, open_table):
    with client.at(open_table) as host:
        host.send("play", move=0, version=host.table["version"])
        assert host.error() == "The game begins when every seat is taken."


def test_bots_wait_for_the_last_person(client, gated):
    answer = client.ready_table(NIM, "beginner", "open")
    assert not client.run(lambda: client.room(answer["id"]).thinking)
    client.join(answer["id"])
    gated.wait_until_asked(1)
    gated.let_move()
    client.wait_for(lambda: client.room(answer["id"]).turn == 1)


def test_a_seat_is_taken_once(client, open_table):
    key = open_table["id"]
    assert refused(client, key, open_table["token"]) == "You already have a seat at this table."
    guest = client.join(key)
    assert refused(client, key, new_token()) == "All seats at this table are taken; you can watch."
    assert refused(client, key, guest["token"]) == "You already have a seat at this table."


def test_one_may_choose_among_open_seats(client):
    key = client.ready_table("highcard", "you", "open", "open")["id"]
    assert client.join(key, seat=2)["seat"] == 2
    assert refused(client, key, new_token(), seat=2) == "This seat is taken; please choose another one."
    assert refused(client, key, new_token(), seat=9) == "This seat is taken; please choose another one."
    assert client.join(key)["seat"] == 1


def test_two_people_who_ask_at_the_same_time_do_not_get_the_same_seat(client):
    key = client.ready_table("highcard", "you", "open", "open")["id"]
    room = client.room(key)

    def both():
        return [room.take_seat(visitor_with(new_token()), "x") for _ in range(2)]

    assert client.run(both) == [1, 2]


def test_the_host_may_give_an_open_seat_to_a_bot(client, open_table):
    with client.at(open_table) as host, client.at(open_table, token=False) as other:
        other.send("seat bot", seat=1, bot="beginner")
        assert other.error() == "This seat is not free for a bot."
        host.send("seat bot", seat=0, bot="beginner")
        assert host.error() == "This seat is not free for a bot."
        host.send("seat bot", seat=1, bot="/etc/passwd.py:Evil")
        assert host.error()
        host.send("seat bot", seat=1, bot="Trouble")
        assert "can only be chosen when a table is set up" in host.error()
        host.send("seat bot", seat=1, bot="beginner")
        host.until(lambda table: table["phase"] == "playing")
        assert host.table["seats"][1]["bot"] == "Beginner"
        host.play(0)
        assert host.now_or_later(lambda table: table["plies"] == 2)
        assert client.room(open_table["id"]).table.record().seats == ("human", "random")


def test_an_unknown_table_has_no_seats(client):
    answer = client.http.post("/api/tables/nowhere/seats", json={}, headers=bearing(new_token()))
    assert answer.status_code == 404


def test_a_seed_cannot_be_chosen_for_a_game_with_others(client):
    assert "knows the dice to come" in client.refusal(NIM, "you", "open", seed=3)


def test_open_seats_and_those_who_took_them_survive_a_restart():
    store = SlowStore()
    with serving(toy_catalogue(), store) as client:
        key = client.ready_table("highcard", "you", "open", "open")["id"]
        guest = client.join(key, "Grace")
    with serving(toy_catalogue(), store) as client:
        with client.at(guest) as browser:
            assert (browser.table["you"], browser.table["phase"]) == ([1], "gathering")
            last = client.join(key)
            browser.until(lambda table: table["phase"] == "playing")
        with client.at(last) as browser:
            assert browser.table["you"] == [2]


# ------------------------------------------------------------------ tokens


def test_pages_give_browsers_a_cookie_that_scripts_cannot_read(client):
    for path in ("/", "/table/abc", "/rules/nim"):
        client.http.cookies.clear()
        cookie = client.http.get(path).headers["set-cookie"]
        assert re.match(r"kibitz=[\w-]{32}; HttpOnly; Max-Age=\d+; Path=/; SameSite=lax$", cookie, re.ASCII)
    assert "set-cookie" not in client.http.get("/").headers  # it has one
    client.http.cookies.clear()


def test_over_https_the_cookie_is_never_sent_in_the_clear(client):
    client.http.cookies.clear()
    assert "Secure" in client.http.get("https://testserver/").headers["set-cookie"]
    client.http.cookies.clear()


def test_a_cookie_gives_its_browser_its_seats(client):
    token, body = new_token(), {"game": NIM, "seats": [{"you": True}, {"bot": "beginner"}]}
    cookie = {"cookie": f"kibitz={token}"}
    answer = client.http.post("/api/tables", json=body, headers=cookie)
    assert answer.json().keys() == {"id"}
    assert "set-cookie" not in answer.headers
    address = f"/ws/{answer.json()['id']}"
    with client.http.websocket_connect(address, headers={**cookie, "origin": "http://testserver"}) as session:
        assert session.receive_json()["you"] == [0]
    with client.http.websocket_connect(address, headers=cookie) as session:  # no browser omits where it comes from
        assert session.receive_json()["you"] == []


def test_a_token_in_an_address_is_nothing(client, open_table):
    with client.http.websocket_connect(f"/ws/{open_table['id']}?token={open_table['token']}") as session:
        assert session.receive_json()["you"] == []


@pytest.mark.parametrize("token", ["", "short", "x" * 31, "x" * 65, "ü" * 40, "x" * 31 + " ", "x" * 31 + "\n"])
def test_what_cannot_be_a_token_is_none(token):
    assert visitor_with(token) is None


def test_tokens_cannot_be_guessed():
    tokens = {new_token() for _ in range(100)}
    assert len(tokens) == 100
    assert all(TOKEN.fullmatch(token) for token in tokens)


# ------------------------------------------------------------------ names


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("  Ada\n Lovelace\t", "Ada Lovelace"),
        ("x" * 500, "x" * LONGEST_NAME),
        ("\u202egnp.exe", "gnp.exe"),
        ("Zo" + "\u0308" * 50 + "e", "Zöe"),
        ("a\u0300\u0301\u0302\u0303\u0304", "à\u0301\u0302"),
        ("\x00\x1b[31mred", "[31mred"),
        ("", "?"),
        (" \u200b\u2028 ", "?"),
        ("<b>Bob</b>", "<b>Bob</b>"),
    ],
)
def test_names_are_cleaned_and_bounded(name, shown):
    assert clean_name(name, "?").replace("\u0308", "") == shown


def test_who_gives_no_name_goes_by_the_seat(client, open_table):
    guest = client.join(open_table["id"])
    with client.at(guest) as second, client.at(open_table) as host:
        assert [seat["name"] for seat in second.table["seats"]] == ["Player 1", "You"]
        assert [seat["name"] for seat in host.table["seats"]] == ["You", "Player 2"]


# ------------------------------------------------------------------ who has left


@pytest.fixture
def fast_forward(client):
    """Moves the server's clock forward."""

    def forward(seconds):
        client.run(client.server.clock.go_on_from, seconds)

    return forward


def test_the_others_see_who_has_left_and_come_back(client, open_table):
    guest = client.join(open_table["id"])
    with client.at(open_table) as host:
        host.now_or_later(lambda table: table["seats"][1]["absent"] is not None)
        with client.at(guest):
            host.until(lambda table: table["seats"][1]["absent"] is None)
        host.until(lambda table: table["seats"][1]["absent"] is not None)
        assert host.table["seats"][0]["absent"] is None


def test_who_takes_a_seat_while_connected_is_there(client, open_table, fast_forward):
    token = new_token()
    with client.at({"id": open_table["id"], "token": token}) as guest, client.at(open_table) as host:
        client.join(open_table["id"], token=token)
        guest.until(lambda table: table["you"] == [1])
        assert host.now_or_later(lambda table: table["phase"] == "playing")["seats"][1]["absent"] is None
        fast_forward(1000)
        host.send("end without", seat=1)
        assert "for long enough" in host.error()


def test_the_seat_of_a_player_who_has_left_can_be_given_to_a_bot(client, open_table, fast_forward):
    guest = client.join(open_table["id"])
    with client.at(open_table) as host:
        host.play(0)
        host.send("seat bot", seat=1, bot="beginner")
        assert host.error() == "This seat is not free for a bot."  # not yet
        fast_forward(121)
        host.send("seat bot", seat=1, bot="beginner")
        host.my_turn()
        assert host.table["plies"] == 2
        with client.at(guest) as late:
            assert late.table["you"] == []


def test_a_player_who_has_left_can_lose_the_game(client, fast_forward):
    answer = client.ready_table(NIM, "you", "open", absence=600)
    guest = client.join(answer["id"], "Grace")
    with client.at(answer) as host, client.at(answer, token=False) as other:
        fast_forward(590)
        host.send("end without", seat=1)
        assert "for long enough" in host.error()
        fast_forward(20)
        other.send("end without", seat=1)
        assert "for long enough" in other.error()
        host.send("end without", seat=1)
        table = host.until(lambda table: table["over"])
        assert table["result"] == "You win. Grace left the game."
        assert [seat["payoff"] for seat in table["seats"]] == [1.0, 0.0]
        with client.at(guest) as late:
            assert late.table["result"] == "Player 1 wins. You left the game."


def test_who_is_there_cannot_be_claimed_however_long_they_think(client, open_table, fast_forward):
    with client.at(client.join(open_table["id"])) as guest, client.at(open_table) as host:
        host.play(0)
        fast_forward(10_000)
        host.send("end without", seat=1)
        assert "for long enough" in host.error()
        assert guest.settled()["plies"] == 1


# ------------------------------------------------------------------ offers


@pytest.fixture
def pair(client, open_table):
    """Two people at a table."""
    guest = client.join(open_table["id"], "Grace")
    with client.at(open_table) as host, client.at(guest) as second:
        yield host, second


def test_a_draw_is_agreed_upon(pair):
    host, guest = pair
    assert host.settled()["can"]["offer"] == ["draw", "end"]
    host.send("offer", offer="draw")
    table = guest.until(lambda table: table["offer"])
    assert table["offer"] == {"kind": "draw", "by": "Player 1", "asked": True}
    assert not host.now_or_later(lambda table: table["offer"])["offer"]["asked"]
    host.send("answer", agree=True)
    assert host.error() == "There is no offer that you could answer."
    guest.send("answer", agree=True)
    table = host.until(lambda table: table["over"])
    assert table["result"] == "The game is a draw by agreement."
    assert [seat["payoff"] for seat in table["seats"]] == [0.5, 0.5]


def test_an_early_end_has_no_winner(pair):
    host, guest = pair
    guest.send("offer", offer="end")
    host.until(lambda table: table["offer"])
    host.send("answer", agree=True)
    table = guest.until(lambda table: table["over"])
    assert table["result"] == "The players agreed to end the game early."
    assert [seat["payoff"] for seat in table["seats"]] == [None, None]


def test_an_offer_is_declined_by_saying_so_or_by_moving_on(pair):
    host, guest = pair
    guest.send("offer", offer="draw")
    host.until(lambda table: table["offer"])
    host.send("answer", agree=False)
    host.until(lambda table: not table["offer"])
    guest.send("offer", offer="draw")
    host.until(lambda table: table["offer"])
    assert host.play(0)["offer"] is None


def test_an_offer_does_not_disturb_a_move(pair):
    host, guest = pair
    version = host.table["version"]
    guest.send("offer", offer="end")
    host.until(lambda table: table["offer"])
    host.send("play", move=0, version=version)  # what was seen before the offer is still on the table
    host.until(lambda table: table["plies"] == 1)


def test_an_offer_is_not_repeated_while_it_stands(pair):
    host, guest = pair
    host.send("offer", offer="draw")
    guest.until(lambda table: table["offer"])
    for who in pair:
        who.send("offer", offer="draw")
        assert who.error() == "You cannot offer that now."


def test_bots_cannot_agree_to_a_draw(client):
    key = client.ready_table("highcard", "you", "open", "beginner")["id"]
    with client.at(client.join(key)) as guest:
        assert guest.settled()["can"]["offer"] == ["end"]
        guest.send("offer", offer="draw")
        assert guest.error() == "You cannot offer that now."


def test_who_plays_alone_has_nobody_to_ask(client):
    with client.playing(NIM, "you", "you") as browser:
        assert browser.table["can"]["offer"] == []


def test_spectators_have_no_say(client, pair):
    host, _ = pair
    with client.at({"id": host.id}, token=False) as other:
        for message in ({"type": "offer", "offer": "draw"}, {"type": "answer", "agree": True}, {"type": "rematch"}):
            other.session.send_json(message)
            assert other.error()


# ------------------------------------------------------------------ rematches


def test_everyone_meets_at_the_same_rematch(client, pair):
    host, guest = pair
    host.send("rematch")
    assert host.error() == "Only the players can start a rematch, when the game is over."
    guest.send("resign")
    host.until(lambda table: table["over"])
    host.send("rematch")
    place = host.next("moved")["id"]
    assert guest.now_or_later(lambda table: table["rematch"])["rematch"] == place
    guest.send("rematch")
    assert guest.next("moved")["id"] == place
    for browser, seats in ((host, [0]), (guest, [1])):
        with client.at({"id": place, "token": browser.token}) as again:
            assert again.table["you"] == seats
            assert again.table["seats"][1]["name"] == "Grace"
    with client.at({"id": host.id}, token=False) as other:
        assert other.table["rematch"] is None


def test_a_table_has_one_rematch_however_often_one_asks(client):
    with client.playing(NIM, "you", "beginner") as browser:
        browser.send("resign")
        places = set()
        for _ in range(20):
            browser.send("rematch")
            places.add(browser.next("moved")["id"])
        assert len(places) == 1


def test_spectators_are_counted(client, pair):
    host, _ = pair
    with client.at({"id": host.id}, token=False), client.at({"id": host.id}, token=False):
        assert host.settled()["spectators"] == 2
