"""Moves on the board: drawn through their parts, shown where they land, and never too small for a finger."""

import json
import math
import os
from collections.abc import Callable

import pytest
from playwright.sync_api import expect
from visitor import BOT, YOU, Visitor

from kibitz.rules.registry import game_names

SMALLEST = 32  # CSS pixels
PHONES = {"portrait": {"width": 360, "height": 740}, "landscape": {"width": 740, "height": 360}}
SEATS = {"camelup": 4, "mexican_train": 4}

# How wide and how high the part of the board is in which a tap chooses each option, along the lines through its middle.
MEASURE = """async () => {
  const loaded = performance.getEntriesByType("resource").find(({ name }) => name.endsWith("/scene.js"));
  const { SceneView } = await import(loaded.name);
  const layer = document.querySelector(".board .scene > g");
  const pieces = new Map([...layer.children].map((group) => [group.dataset.piece, { group }]));
  const names = new Set([...layer.querySelectorAll(".can")].map(({ dataset }) => dataset.piece));
  const view = Object.assign(Object.create(SceneView.prototype), { layer, pieces });
  const sizes = [];
  for (const name of names) {
    const { group } = pieces.get(name);
    group.scrollIntoView({ block: "center" });
    const box = group.getBoundingClientRect();
    const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
    const reach = (dx, dy) => {
      let far = 0;
      while (far < 40 && view.find(x + far * dx, y + far * dy, names) === name) far += 1;
      return far;
    };
    sizes.push([name, reach(1, 0) + reach(-1, 0) - 1, reach(0, 1) + reach(0, -1) - 1]);
  }
  return sizes;
}"""


@pytest.mark.skipif("KIBITZ_SOAK" not in os.environ, reason="all games on two phones take minutes: make soak")
@pytest.mark.parametrize("size", PHONES)
def test_no_target_is_too_small_for_a_finger(visit: Callable[..., Visitor], size: str) -> None:
    """At the first two turns, and after the first click of each."""
    me = visit(phone=True)
    me.prefer(forced=False)
    me.page.set_viewport_size(PHONES[size])  # type: ignore[arg-type]
    small = []
    for game in game_names():
        me.sit_down(game, YOU, *[BOT] * (SEATS.get(game, 2) - 1), seed=2)
        for _ in range(2):
            me.wait_for_turn()
            small += [(game, *target) for target in me.page.evaluate(MEASURE) if min(target[1:]) < SMALLEST]
            options = me.options()
            if len(options) > 1:
                me.click(options[-1])
                if me.page.locator(".chosen").count():
                    small += [(game, *target) for target in me.page.evaluate(MEASURE) if min(target[1:]) < SMALLEST]
                    me.press("Escape")
            me.make_a_move()
        for button in me.page.locator(".choices button:visible, .actions button:visible").all():
            box = button.bounding_box()
            assert box is not None
            assert min(box["width"], box["height"]) >= SMALLEST
    assert small == []


def test_roots_are_drawn_by_dragging_along_their_points(visit: Callable[..., Visitor]) -> None:
    me = visit()
    me.sit_down("separo")
    me.wait_for_turn()
    mouse, foreseen = me.page.mouse, me.page.locator(".foreseen > g")
    way = ["point-0,0", "point-1,1", "point-2,1"]
    mouse.move(*me.centre(way[0]))
    mouse.down()
    mouse.move(*me.centre(way[1]), steps=4)
    expect(foreseen).to_have_count(2)  # the first root and its stone are certain
    mouse.move(*me.centre("point-1,2"), steps=4)
    mouse.move(*me.centre(way[2]), steps=6)  # another end after all
    expect(foreseen).to_have_count(4)
    assert me.ply == 0
    mouse.up()
    me.page.wait_for_selector(".table-page:not([data-ply='0'])")
    assert me.log()[0].endswith("a9-b8-c8")
    me.wait_for_turn()
    mouse.move(*me.centre("point-8,8"))
    mouse.down()
    mouse.move(*me.centre("point-7,7"), steps=4)
    mouse.move(5, 400, steps=2)
    mouse.up()  # beside the board: called off
    expect(me.page.locator(".chosen")).to_have_count(0)
    assert me.ply == 2


def test_a_finger_draws_a_move_too_without_scrolling(visit: Callable[..., Visitor]) -> None:
    me = visit(phone=True)
    me.sit_down("separo")
    me.wait_for_turn()
    session = me.page.context.new_cdp_session(me.page)
    points = [me.centre(name) for name in ("point-0,0", "point-1,1", "point-1,2")]
    for kind, (x, y) in (("touchStart", points[0]), ("touchMove", points[1]), ("touchMove", points[2])):
        start = points[0] if kind == "touchMove" else (x, y)
        for part in (0.5, 1.0) if math.dist(start, (x, y)) else (1.0,):
            at = {"x": start[0] + part * (x - start[0]), "y": start[1] + part * (y - start[1])}
            session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [at]})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    me.page.wait_for_selector(".table-page:not([data-ply='0'])")
    assert me.log()[0].endswith("a9-b8-b7")
    assert me.page.evaluate("scrollY") == 0


def test_where_a_piece_lands_is_shown_to_pointer_and_keyboard(visitor: Visitor) -> None:
    visitor.sit_down("connect_four")
    visitor.wait_for_turn()
    foreseen = visitor.page.locator(".foreseen > g")
    visitor.page.mouse.move(*visitor.centre("column-3"))
    expect(foreseen).to_have_count(1)
    visitor.page.mouse.move(5, 400)
    expect(foreseen).to_have_count(0)
    visitor.piece("column-5").evaluate("(column) => column.focus()")
    expect(foreseen).to_have_count(1)
    at = json.loads(str(foreseen.evaluate("(g) => JSON.stringify(new DOMMatrix(getComputedStyle(g).transform).e)")))
    visitor.press("Enter")
    visitor.page.wait_for_selector(".table-page:not([data-ply='0'])")
    disc = visitor.piece("disc-5-1").evaluate("(g) => new DOMMatrix(getComputedStyle(g).transform).e")
    assert disc == at
