"""Turning points on the page: the end of a round holds with a summary, for those who play until they continue."""

import json
from collections.abc import Callable
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import WebSocketRoute, expect
from visitor import BOT, YOU, Visitor

ROUNDS = "mexican_train:players=2,rounds=2,hand=2"  # compiled like any other number of players or tiles
LEGS = "camelup:players=2"


def to_the_turning_point(visitor: Visitor, clicks: int = 200) -> None:
    """Click what is highlighted, the pyramid if there is one, until a round or a leg is over."""
    for _ in range(clicks):
        visitor.wait_for(".table-page[data-state=yours]", "dialog.turning-point")
        if visitor.page.locator("dialog.turning-point").count():
            return
        options = visitor.options()
        if options:
            visitor.click("pyramid" if "pyramid" in options else options[0])
        else:
            visitor.click_any()
    raise AssertionError("There was no turning point.")


def test_the_last_tile_of_a_round_is_seen_and_a_summary_holds(visit: Callable[..., Visitor]) -> None:
    me = visit()
    me.prefer(forced=False)
    tables: list[dict[str, Any]] = []

    def pass_on(route: WebSocketRoute) -> None:
        server = route.connect_to_server()

        def came(text: str | bytes) -> None:
            message = json.loads(text)
            if message["type"] == "table":
                tables.append(message)
            route.send(text)

        server.on_message(came)

    me.page.route_web_socket("**/ws/*", pass_on)
    me.sit_down(ROUNDS, YOU, BOT)
    to_the_turning_point(me)
    summary = me.page.locator("dialog.turning-point")
    expect(summary).to_contain_text("Round 1 is over")
    (settling,) = [table for table in tables if table["turning_points"]]
    held = {piece["name"] for piece in settling["steps"][-1]["pieces"]}
    trains = me.page.locator(".scene [data-piece^='tile-'] text").count()
    assert trains > 0
    shown = me.page.locator(".scene [data-piece]").evaluate_all("all => all.map((g) => g.dataset.piece)")
    assert set(shown) == held  # the trains are still there, and nothing is dealt yet
    assert me.page.locator(".scene .marked").count() <= 1
    rows = summary.locator("tbody tr").all_inner_texts()
    assert [row.split()[0] for row in rows] == ["You", "random"]
    points = [int(row.split()[-1]) for row in rows]
    assert points == [int(row[-1]) for row in settling["turning_points"][0]["rows"]]
    assert Axe().run(me.page).violations_count == 0
    me.page.wait_for_timeout(300)
    expect(summary).to_be_visible()
    me.press("Enter")
    expect(summary).to_have_count(0)
    assert me.wait_for_turn()
    expect(me.page.locator(".seat .chips").first).to_contain_text(f"points {points[0]}")


def test_a_leg_is_paid_before_the_players_eyes_and_a_replay_shows_it_again(visit: Callable[..., Visitor]) -> None:
    me = visit(phone=True, dark=True)
    me.prefer(forced=False)
    me.sit_down(LEGS, YOU, BOT)
    to_the_turning_point(me)
    summary = me.page.locator("dialog.turning-point")
    expect(summary).to_contain_text("is over")
    for heading in ("Dice", "Leg tiles", "Coins"):
        expect(summary.get_by_role("columnheader", name=heading)).to_be_visible()
    box = me.page.locator(".turning-point .primary").bounding_box()
    assert box is not None
    assert box["height"] >= 32
    assert box["y"] + box["height"] <= 844
    die = me.page.locator(".scene [data-piece^=die-].marked")
    expect(die.locator("text")).to_have_text(str(die.get_attribute("aria-label"))[-1])  # it shows its number
    me.press("Escape")
    expect(summary).to_have_count(0)
    me.wait_for_turn()
    settled = me.ply
    for _ in range(40):  # back to before the roll, and forward again
        me.press("ArrowLeft")
        settled -= 1
        me.see_ply(settled)
        me.press("ArrowRight")
        me.wait_for(f".table-page[data-ply='{settled + 1}']", "dialog.turning-point")
        if summary.count():
            break
        me.press("ArrowLeft")
        me.see_ply(settled)
    expect(summary).to_be_visible()
    me.press(" ")
    me.see_ply(settled + 1)


def test_a_summary_goes_away_by_itself_for_those_who_watch(visit: Callable[..., Visitor]) -> None:
    me = visit()
    me.page.clock.install()
    me.sit_down(ROUNDS, BOT, BOT)
    summary = me.page.locator("dialog.turning-point")
    me.page.wait_for_selector("dialog.turning-point")
    expect(summary).to_contain_text("Round 1 is over")
    me.page.clock.fast_forward(10_000)
    expect(summary.get_by_text("Round 1 is over")).to_have_count(0)
