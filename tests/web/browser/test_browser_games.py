"""Every game on the page, played to its end by clicking what is highlighted."""

import os

import pytest
from visitor import BOT, YOU, Visitor

from kibitz.rules.registry import game_names

SHORT = {  # variants that are over soon
    "camelup": "camelup:players=2,squares=6",
    "hexplode": "hexplode:side=2",
    "mexican_train": "mexican_train:players=2,rounds=1,hand=3,highest=8",
    "separo": "separo:size=5",
    "ur": "ur:pieces=2",
}


@pytest.mark.parametrize(
    "game", game_names() if os.environ.get("KIBITZ_SOAK") else ["ur"]
)  # test_browser_link.py has all
def test_a_game_is_played_to_its_end_by_clicks(game: str, visitor: Visitor) -> None:
    visitor.sit_down(SHORT.get(game, game), YOU, BOT)
    visitor.play_to_the_end()
    assert visitor.status.endswith(".")
    assert visitor.page.get_by_role("button", name="Rematch").is_visible()
    assert len(visitor.log()) > 3


def test_a_game_without_a_scene_is_played_from_its_list_of_moves(visitor: Visitor) -> None:
    visitor.sit_down("dicerace")
    assert visitor.page.locator("pre.text-board").inner_text()
    visitor.play_to_the_end()
    assert "wins" in visitor.status or "win" in visitor.status


def test_a_game_is_played_by_keyboard_alone(visitor: Visitor) -> None:
    visitor.sit_down("connect_four")
    for _ in range(60):
        if not visitor.wait_for_turn():
            break
        if visitor.page.locator(".piece:focus").count() == 0:
            for _ in range(20):
                visitor.press("Tab")
                if visitor.page.locator(".piece:focus").count():
                    break
        visitor.press(visitor.luck.choice(["ArrowLeft", "ArrowRight"]), "Enter")
    assert visitor.state == "over"


def test_a_move_is_made_by_typing_its_name(visitor: Visitor) -> None:
    visitor.sit_down("connect_four")
    visitor.wait_for_turn()
    with visitor.to_ply(2):
        visitor.press("3", "Enter")
    assert visitor.log()[0].endswith("3")


def test_a_piece_is_dragged_to_where_it_goes(visitor: Visitor) -> None:
    visitor.sit_down("ur", seed=4)
    visitor.wait_for_turn()
    while not visitor.options():
        visitor.make_a_move()
        visitor.wait_for_turn()
    before = len(visitor.log())
    piece = visitor.options()[0]
    mouse = visitor.page.mouse
    mouse.move(*visitor.centre(piece))
    mouse.down()
    mouse.move(*(c + 20 for c in visitor.centre(piece)), steps=3)
    (goal,) = visitor.options()
    mouse.move(*visitor.centre(goal), steps=3)
    mouse.up()
    visitor.page.wait_for_function("(n) => document.querySelectorAll('.log li').length > n", arg=before)


def test_a_piece_dropped_elsewhere_goes_back(visitor: Visitor) -> None:
    visitor.sit_down("ur", seed=4)
    visitor.wait_for_turn()
    while not visitor.options():
        visitor.make_a_move()
        visitor.wait_for_turn()
    options = visitor.options()
    piece = visitor.piece(options[0])
    piece.hover()  # waits until it rests
    start = visitor.centre(options[0])
    mouse = visitor.page.mouse
    mouse.move(*start)
    mouse.down()
    mouse.move(start[0] + 30, start[1] + 200, steps=3)
    assert visitor.centre(options[0]) != pytest.approx(start)
    mouse.move(5, 400)
    mouse.up()
    piece.hover()
    assert visitor.options() == options
    assert visitor.centre(options[0]) == pytest.approx(start)


def test_a_move_of_several_parts_narrows_down_and_is_cancelled(visitor: Visitor) -> None:
    visitor.sit_down("separo:size=5")
    visitor.wait_for_turn()
    first = visitor.options()
    visitor.click(first[0])
    assert visitor.options() != first
    assert visitor.page.locator(".chosen").count() == 1
    visitor.press("Escape")
    assert visitor.options() == first
    visitor.click(first[0])
    visitor.page.mouse.click(3, 300)
    assert visitor.options() == first
    visitor.click(first[0])
    visitor.page.get_by_role("button", name="Cancel").click()
    assert visitor.options() == first
    assert visitor.ply == 0
