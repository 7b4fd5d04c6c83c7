"""Taking turns on the page: nothing slides under the pointer, what was undone comes back, and secrets stay secret."""

from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect
from visitor import BOT, YOU, Visitor

ANN, BOB = {"you": True, "name": "Ann"}, {"you": True, "name": "Bob"}


def test_actions_never_move(visit: Callable[..., Visitor]) -> None:
    me = visit()
    me.prefer(forced=False)
    me.sit_down("mexican_train:players=2", seed=4)
    places = set()
    for _ in range(8):
        assert me.wait_for_turn()
        box = me.page.get_by_role("button", name="Undo").bounding_box()
        assert box is not None
        places.add((box["x"], box["y"]))
        me.make_a_move()
    assert len(places) == 1


def test_the_second_half_of_a_double_click_undoes_nothing(visit: Callable[..., Visitor]) -> None:
    me = visit()
    me.sit_down("connect_four")
    me.make_a_move()
    me.wait_for_turn()
    plies = me.ply
    box = me.page.get_by_role("button", name="Undo").bounding_box()
    assert box is not None
    me.page.evaluate("""() => {
      const over = Object.assign(document.createElement("button"), { onclick: () => over.remove() });
      over.style.cssText = "position: fixed; inset: 0; z-index: 9";
      document.body.append(over);
    }""")  # a button that goes away when it is clicked, like Pass
    me.page.mouse.dblclick(box["x"] + 9, box["y"] + 9)
    me.page.wait_for_timeout(200)
    assert me.ply == plies


def test_what_was_taken_back_can_be_done_again(visit: Callable[..., Visitor]) -> None:
    me = visit()
    me.sit_down("ur", seed=3)
    undo, redo = (me.page.get_by_role("button", name=name) for name in ("Undo", "Redo"))
    for _ in range(3):
        me.make_a_move()
    me.wait_for_turn()
    before = me.log()
    expect(redo).to_be_disabled()
    undo.click()
    expect(redo).to_be_enabled()
    undone = me.ply
    redo.click()
    expect(redo).to_be_disabled()
    me.wait_for_turn()
    assert me.ply > undone
    assert me.log() == before


def test_looking_back_is_not_one_s_turn(visit: Callable[..., Visitor]) -> None:
    me = visit()
    me.sit_down("connect_four")
    for _ in range(2):
        me.make_a_move()
    me.wait_for_turn()
    plies = me.ply
    with me.to_ply(plies - 1):
        me.press("ArrowLeft")
    assert me.status == f"Looking back: move {plies - 1} of {plies}"
    for name in ("Undo", "Hint", "Resign"):
        expect(me.page.get_by_role("button", name=name)).to_be_hidden()
    assert me.options() == []
    with me.to_ply(plies):
        me.page.get_by_role("button", name="Back to the game").click()
    assert me.status == "Your turn"
    assert me.options()


def test_no_key_is_lost_when_stepping_quickly(visit: Callable[..., Visitor]) -> None:
    me = visit(still=False)
    me.sit_down("connect_four", BOT, BOT)
    me.page.wait_for_selector(".table-page[data-state=over]")
    me.page.get_by_role("button", name="Go to the start").click()
    me.see_ply(0)
    for _ in range(7):
        me.press("ArrowRight")
        me.page.wait_for_timeout(100)
    me.see_ply(7)


def test_a_replay_shows_the_steps_of_a_chain_reaction(visit: Callable[..., Visitor]) -> None:
    me = visit()
    me.sit_down("hexplode:side=2", BOT, BOT)
    me.page.wait_for_selector(".table-page[data-state=over]")
    steps = me.page.evaluate("""() => new Promise((found) => {
      const socket = new WebSocket(location.href.replace("http", "ws").replace("/table/", "/ws/"));
      let most = 0;
      socket.onmessage = ({ data }) => {
        const { type, ply, plies, steps } = JSON.parse(data);
        if (type !== "table") return;
        most = Math.max(most, steps.length);
        if (ply === plies && socket.asked) return found(most);
        socket.asked = true;
        socket.send(JSON.stringify({ type: "show", ply: socket.ply = (socket.ply ?? -1) + 1 }));
      };
    })""")
    assert steps > 1


def test_forced_moves_play_themselves(visit: Callable[..., Visitor]) -> None:
    me = visit()
    me.sit_down("ur", seed=3)
    chosen = 0
    while chosen < 8 and me.wait_for_turn():
        if me.page.locator(".prompt").inner_text().startswith("Only one legal move"):
            ply = me.ply
            me.page.wait_for_selector(f".table-page:not([data-ply='{ply}'])")
        else:
            me.make_a_move()
            chosen += 1


def test_moves_are_confirmed_by_those_who_want_to(visit: Callable[..., Visitor]) -> None:
    me = visit()
    me.prefer(confirm=True)
    me.sit_down("connect_four")
    me.wait_for_turn()
    me.click(me.options()[0])
    me.page.get_by_role("button", name="Cancel").click()
    assert me.ply == 0
    me.click(me.options()[0])
    me.page.get_by_role("button", name="Play it").click()
    me.page.wait_for_selector(".table-page:not([data-ply='0'])")


def test_preferences_do_what_they_say_and_are_kept(visit: Callable[..., Visitor]) -> None:
    me = visit()
    me.page.add_init_script("""
      window.tones = window.buzzes = 0;
      OscillatorNode.prototype.start = () => (window.tones += 1);
      OscillatorNode.prototype.stop = () => {};
      Navigator.prototype.vibrate = () => (window.buzzes += 1);
    """)
    me.sit_down("connect_four")
    me.wait_for_turn()
    me.page.get_by_role("tab", name="Settings").click()
    for name in ("Sound", "Vibration"):
        me.page.get_by_label(name).check()
    me.page.get_by_label("Animations").select_option("fast")
    me.make_a_move()
    me.wait_for_turn()
    assert me.page.evaluate("tones >= 2 && buzzes === 1")
    me.page.reload()
    me.page.get_by_role("tab", name="Settings").click()
    for name in ("Sound", "Vibration"):
        expect(me.page.get_by_label(name)).to_be_checked()
    expect(me.page.get_by_label("Animations")).to_have_value("fast")


def test_the_device_is_passed_on_before_the_next_hand_is_shown(visit: Callable[..., Visitor]) -> None:
    me = visit()
    me.sit_down("mexican_train:players=2", ANN, BOB)
    curtain = me.page.locator("dialog.curtain")
    expect(curtain).to_contain_text("Pass the device to Ann")
    assert Axe().run(me.page).violations_count == 0
    expect(me.page.locator(".can")).to_have_count(0)
    me.page.get_by_role("button", name="I am Ann").click()
    me.wait_for_turn()
    hand = me.page.locator(".scene").inner_html()
    me.move_without_waiting()
    expect(curtain).to_contain_text("Pass the device to Bob")
    assert me.ply == 22  # Bob's hand is not drawn yet
    me.page.get_by_role("button", name="I am Bob").click()
    expect(curtain).to_have_count(0)
    assert me.page.locator(".scene").inner_html() != hand


def test_whose_turn_it_is_stands_in_the_title(visit: Callable[..., Visitor]) -> None:
    me = visit()
    me.sit_down("connect_four")
    me.wait_for_turn()
    expect(me.page).to_have_title("(your turn) Connect Four · kibitz")
    me.page.get_by_role("button", name="Resign").click()
    me.page.get_by_role("button", name="Really resign?").click()
    expect(me.page).to_have_title("Connect Four · kibitz")


@pytest.mark.parametrize("size", [{"width": 390, "height": 844}, {"width": 844, "height": 390}])
def test_status_and_actions_are_always_in_sight_on_a_phone(visit: Callable[..., Visitor], size: dict[str, int]) -> None:
    me = visit(phone=True)
    me.page.set_viewport_size(size)  # type: ignore[arg-type]
    me.sit_down("camelup:players=4", YOU, BOT, BOT, BOT)
    me.wait_for_turn()
    for where in (0, 10_000):
        me.page.evaluate(f"window.scrollTo(0, {where})")
        for seen in (".status", ".turn > .actions"):
            box = me.page.locator(seen).bounding_box()
            assert box is not None
            assert box["y"] >= 0
            assert box["y"] + box["height"] <= size["height"]


def test_the_fewest_points_come_first_where_they_win(visit: Callable[..., Visitor]) -> None:
    me = visit()
    me.sit_down("mexican_train:players=3,rounds=1", BOT, BOT, BOT)
    assert not me.wait_for_turn()
    scores = [float(text) for text in me.page.locator(".scores tbody td:first-of-type").all_inner_texts()]
    assert scores == sorted(scores)
    assert len(scores) == 3
