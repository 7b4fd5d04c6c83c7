"""What one does at a table beside moving: taking back, asking, giving up, looking back, coming back, watching."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, WebSocketRoute, expect
from visitor import BOT, PATIENCE, YOU, Visitor

from kibitz.table import Record

SEVERAL_MOVES = 500  # milliseconds; bots need 60 for a move here


def some_moves(visitor: Visitor, moves: int = 2) -> None:
    for _ in range(moves):
        visitor.make_a_move()
    visitor.wait_for_turn()


def button(visitor: Visitor, name: str) -> Locator:
    return visitor.page.get_by_role("button", name=name, exact=True)


def test_undo_goes_back_to_ones_last_choice(visitor: Visitor) -> None:
    visitor.sit_down("connect_four")
    visitor.wait_for_turn()
    expect(button(visitor, "Undo")).to_be_disabled()
    some_moves(visitor, 1)
    log = visitor.log()
    some_moves(visitor, 1)
    assert visitor.ply == 4
    with visitor.to_ply(2):
        button(visitor, "Undo").click()
    assert visitor.log() == log
    assert visitor.page.locator(".piece[data-piece^=disc]").count() == 2


def test_a_hint_is_shown_on_the_board_until_one_moves(visitor: Visitor) -> None:
    visitor.sit_down("connect_four")
    visitor.wait_for_turn()
    expect(visitor.page.locator(".hint")).to_be_hidden()
    expect(visitor.page.locator(".piece.preview")).to_have_count(0)
    button(visitor, "Hint").click()
    expect(visitor.page.locator(".piece.preview")).to_have_count(1, timeout=PATIENCE)
    expect(visitor.page.locator(".hint")).to_contain_text("%")
    assert visitor.ply == 0
    visitor.make_a_move()
    visitor.wait_for_turn()
    expect(visitor.page.locator(".piece.preview")).to_have_count(0)
    expect(visitor.page.locator(".hint")).to_be_hidden()


def test_a_hint_is_gone_when_one_resigns(visitor: Visitor) -> None:
    visitor.sit_down("connect_four")
    visitor.wait_for_turn()
    button(visitor, "Hint").click()
    expect(visitor.page.locator(".piece.preview")).to_have_count(1, timeout=PATIENCE)
    button(visitor, "Resign").click()
    expect(button(visitor, "Really resign?")).to_be_visible()
    assert visitor.page.locator(".piece.preview").count() == 1
    button(visitor, "Really resign?").click()
    expect(visitor.page.locator(".status")).to_contain_text("resigned")
    expect(visitor.page.locator(".piece.preview")).to_have_count(0)


def test_a_drag_that_is_called_off_leaves_the_piece_where_it_was(visitor: Visitor) -> None:
    visitor.sit_down("mexican_train", YOU, BOT, seed=3)
    visitor.wait_for_turn()
    tile = visitor.piece(next(name for name in visitor.options() if name.startswith("tile")))
    before = tile.bounding_box()
    assert before is not None
    x, y = before["x"] + before["width"] / 2, before["y"] + before["height"] / 2
    mouse = visitor.page.mouse
    mouse.move(x, y)
    mouse.down()
    mouse.move(x + 40, y - 60, steps=4)
    assert tile.bounding_box() != before
    assert tile.evaluate("(tile) => tile === tile.parentElement.lastChild")  # above all else
    visitor.press("Escape")
    mouse.up()
    expect(visitor.page.locator(".chosen")).to_have_count(0)
    expect(visitor.page.locator(".dragged")).to_have_count(0)
    assert visitor.state == "yours"
    after = tile.bounding_box()
    assert after is not None
    assert (round(after["x"]), round(after["y"])) == (round(before["x"]), round(before["y"]))


def test_resigning_is_asked_once_and_a_rematch_follows(visitor: Visitor) -> None:
    address = visitor.sit_down("connect_four")
    visitor.wait_for_turn()
    button(visitor, "Resign").click()
    expect(button(visitor, "Really resign?")).to_be_visible()
    assert (visitor.state, visitor.status) == ("yours", "Your turn")
    button(visitor, "Really resign?").click()
    expect(visitor.page.locator(".status")).to_contain_text("resigned")
    button(visitor, "Rematch").click()
    visitor.page.wait_for_url(lambda url: url != address and "/table/" in url)
    assert visitor.wait_for_turn()


def test_a_reload_in_the_middle_of_a_game_goes_on_with_it(visitor: Visitor) -> None:
    visitor.sit_down("connect_four")
    some_moves(visitor)
    log = visitor.log()
    visitor.page.reload()
    assert visitor.wait_for_turn()
    assert visitor.log() == log
    assert visitor.ply == len(log)
    with visitor.to_ply(len(log) + 2):
        visitor.make_a_move()


def test_a_lost_connection_is_taken_up_again(visitor: Visitor) -> None:
    sockets = []

    def pass_on(socket: WebSocketRoute) -> None:
        sockets.append(socket)
        socket.connect_to_server()

    visitor.page.route_web_socket("**/ws/*", pass_on)
    visitor.sit_down("connect_four")
    some_moves(visitor, 1)
    sockets[0].close()
    expect(visitor.page.locator(".table-page[data-connection=lost] .status")).to_contain_text("Connection lost")
    expect(visitor.page.locator(".table-page[data-connection=open] .status")).to_have_text("Your turn")
    assert len(sockets) == 2
    some_moves(visitor, 1)
    assert len(visitor.log()) == 4


def test_a_finished_game_is_saved(visitor: Visitor) -> None:
    visitor.sit_down("connect_four")
    visitor.play_to_the_end()
    with visitor.page.expect_download() as saving:
        visitor.page.get_by_role("link", name="Save").click()
    record = Record.from_json(saving.value.path().read_text())
    assert len(record.moves) == visitor.ply


def test_looking_back_and_forth_by_log_buttons_slider_and_keys(visitor: Visitor) -> None:
    visitor.sit_down("connect_four")
    some_moves(visitor, 2)
    with visitor.to_ply(1):
        visitor.page.locator(".log button").first.click()
    assert visitor.options() == []
    with visitor.to_ply(2):
        visitor.press("ArrowRight")
    with visitor.to_ply(0):
        button(visitor, "Go to the start").click()
    slider = visitor.page.get_by_role("slider", name="Move")
    with visitor.to_ply(3):
        slider.fill("3")
    with visitor.to_ply(4):
        button(visitor, "Go to the latest move").click()
    assert visitor.options()


def test_a_finished_game_is_played_again(visitor: Visitor) -> None:
    visitor.sit_down("connect_four")
    visitor.play_to_the_end()
    plies, clock = visitor.ply, visitor.page.clock
    clock.install()
    clock.pause_at("2100-01-01")  # from here on only the test lets time pass
    visitor.page.get_by_label("Speed").select_option("0.5")
    with visitor.to_ply(0):
        button(visitor, "Play").click()
    clock.run_for(1700)
    assert visitor.ply == 0
    with visitor.to_ply(1):
        clock.run_for(200)
    button(visitor, "Pause").click()
    clock.run_for(60_000)
    with visitor.to_ply(2):
        button(visitor, "Next move").click()
    with visitor.to_ply(1):
        button(visitor, "Previous move").click()
    assert visitor.page.get_by_role("slider", name="Move").get_attribute("max") == str(plies)


def test_bots_among_themselves_are_paused_and_stepped_through(visitor: Visitor) -> None:
    visitor.sit_down("separo", BOT, BOT)
    button(visitor, "Pause").click()
    expect(button(visitor, "Play")).to_be_visible()
    expect(visitor.page.locator(".status")).to_have_text("Paused")
    ply = visitor.ply
    visitor.page.wait_for_timeout(SEVERAL_MOVES)
    assert visitor.ply == ply
    with visitor.to_ply(ply + 1):
        button(visitor, "Next move").click()
    visitor.page.wait_for_timeout(SEVERAL_MOVES)
    assert (visitor.ply, visitor.state, visitor.status) == (ply + 1, "theirs", "Paused")
    visitor.page.get_by_label("Speed").select_option("2")
    button(visitor, "Play").click()
    visitor.page.wait_for_selector(".table-page[data-state=over]", timeout=PATIENCE)
    assert visitor.ply > ply + 1
    assert visitor.status.endswith((" wins.", "A draw."))


def test_the_way_to_the_next_position_is_shown_and_can_be_skipped(visitor: Visitor) -> None:
    tables: list[dict[str, Any]] = []
    sockets = []

    def pass_on(socket: WebSocketRoute) -> None:
        def read(frame: str | bytes) -> None:
            tables.append(json.loads(frame))
            socket.send(frame)

        sockets.append(socket)
        socket.connect_to_server().on_message(read)

    visitor.page.route_web_socket("**/ws/*", pass_on)
    visitor.sit_down("connect_four")
    visitor.wait_for_turn()
    table = tables[-1]
    way = [table["scene"] | {"pieces": table["scene"]["pieces"][:count]} for count in (1, 2) * 100]
    sockets[0].send(json.dumps(table | {"steps": way, "status": "There already"}))
    expect(visitor.piece("column-1")).to_have_count(0)
    expect(visitor.page.locator(".status")).to_have_text("Your turn")
    visitor.press("Escape")
    expect(visitor.page.locator(".status")).to_have_text("There already")
    expect(visitor.piece("column-1")).to_have_count(1)


def test_a_spectator_sees_the_game_and_cannot_move(visitor: Visitor, visit: Callable[..., Visitor]) -> None:
    address = visitor.sit_down("connect_four")
    some_moves(visitor, 1)
    other = visit()
    other.page.goto(address)
    other.see_ply(2)
    assert other.options() == []
    assert not button(other, "Resign").is_visible()
    with other.to_ply(4):
        visitor.make_a_move()


def test_moves_and_turns_are_announced(visitor: Visitor) -> None:
    visitor.sit_down("connect_four")
    visitor.wait_for_turn()
    announcer = visitor.page.locator("#announcer")
    expect(announcer).to_have_text("Your turn")
    visitor.make_a_move()
    expect(announcer).to_contain_text("random: ")
    expect(announcer).to_contain_text("Your turn")


def test_the_position_and_the_whole_game_are_analysed(visitor: Visitor) -> None:
    visitor.sit_down("connect_four", YOU, BOT)
    some_moves(visitor, 2)
    rows = visitor.page.locator(".ranking li")
    assert rows.count() == 0
    visitor.page.get_by_role("tab", name="Analysis").click()
    expect(rows).to_have_count(7, timeout=PATIENCE)
    rows.first.hover()
    expect(visitor.page.locator(".piece.preview")).to_have_count(1)
    expect(visitor.page.locator(".plot .share")).to_have_count(2, timeout=PATIENCE)
    with visitor.to_ply(0):
        visitor.page.locator(".plot").click(position={"x": 2, "y": 20})
    expect(visitor.page.locator(".analysis .note")).to_contain_text("to move")


def test_the_values_of_moves_can_be_compared_however_long_their_names_are(visitor: Visitor) -> None:
    visitor.sit_down("connect_four", YOU, BOT)
    visitor.wait_for_turn()
    visitor.page.get_by_role("tab", name="Analysis").click()
    rows = visitor.page.locator(".ranking li")
    expect(rows).to_have_count(7, timeout=PATIENCE)
    places = rows.evaluate_all(
        """(rows) => {
          rows[3].querySelector("b").textContent = "A move with a long name";
          const boxes = rows.map((row) => row.querySelector(".bar").getBoundingClientRect());
          return boxes.map(({ left, right }) => [left, right]);
        }"""
    )
    assert places == [places[0]] * 7


@pytest.mark.parametrize("phone", [False, True])
def test_the_opinion_of_a_network_is_shown_beside_the_search(visit: Callable[..., Visitor], phone: bool) -> None:
    visitor = visit(phone=phone, dark=phone)
    visitor.sit_down("dicerace", YOU, BOT)
    visitor.page.get_by_role("tab", name="Analysis").click()
    opinions = visitor.page.locator(".ranking .network-value")
    expect(opinions).to_have_count(2, timeout=PATIENCE)
    assert sorted(opinions.all_text_contents()) == ["the network: 3 %", "the network: 97 %"]
    expect(visitor.page.locator(".network-key")).to_be_visible()
    values = visitor.page.locator(".ranking .value")
    ends = [box["x"] + box["width"] for box in (opinions.first.bounding_box(), values.first.bounding_box()) if box]
    assert ends[0] == pytest.approx(ends[1], abs=1)


def test_the_chance_to_win_goes_on_to_the_end_when_one_resigns(visitor: Visitor) -> None:
    visitor.sit_down("connect_four", YOU, BOT)
    some_moves(visitor, 2)
    visitor.page.get_by_role("tab", name="Analysis").click()
    expect(visitor.page.locator(".plot .share")).to_have_count(2, timeout=PATIENCE)
    lost = "Chance of winning over time; at the end: You 0 %, random 100 %"
    expect(visitor.page.locator(".plot")).not_to_have_attribute("aria-label", lost)
    button(visitor, "Resign").click()
    button(visitor, "Really resign?").click()
    expect(visitor.page.locator(".plot")).to_have_attribute("aria-label", lost, timeout=PATIENCE)


def test_the_end_of_a_game_of_four_fits_a_desktop(visitor: Visitor) -> None:
    visitor.sit_down("camelup", YOU, BOT, BOT, BOT)
    visitor.wait_for_turn()
    button(visitor, "Resign").click()
    button(visitor, "Really resign?").click()
    expect(visitor.page.locator(".scores tbody tr")).to_have_count(4)
    expect(visitor.page.locator(".replay")).to_be_in_viewport(ratio=1)
    assert visitor.page.evaluate("document.documentElement.scrollHeight <= innerHeight")
    button(visitor, "Go to the start").click()
    expect(visitor.page.locator(".seat").first).to_be_visible()
