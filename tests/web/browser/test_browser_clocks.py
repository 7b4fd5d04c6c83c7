"""Clocks on the page: chosen when a table is set up, shown live, and deadly."""

from collections.abc import Callable

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect
from visitor import BOT, PATIENCE, YOU, Visitor


def test_a_clock_is_chosen_and_runs_while_one_thinks(visitor: Visitor) -> None:
    visitor.page.goto("/")
    visitor.page.get_by_role("button", name="Set up Connect Four").click()
    visitor.page.get_by_label("Clock").select_option("3 minutes + 2 seconds per move")
    visitor.page.get_by_role("button", name="Start").click()
    assert visitor.wait_for_turn()
    mine, other = visitor.page.locator(".clock.time").all()
    expect(mine).to_have_class("clock time runs")
    expect(other).to_have_text("3:00")
    expect(mine).to_have_text("2:58", timeout=PATIENCE)
    expect(other).to_have_text("3:00")
    visitor.make_a_move()
    expect(visitor.page.get_by_role("button", name="Undo")).to_be_disabled()


def test_on_a_phone_the_clock_that_runs_down_ends_the_game(visit: Callable[..., Visitor]) -> None:
    visitor = visit(phone=True)
    visitor.sit_down("connect_four", YOU, BOT, clock={"type": "per move", "seconds": 6})
    expect(visitor.page.locator(".clock.low")).to_be_visible()
    assert Axe().run(visitor.page).violations_count == 0
    expect(visitor.page.locator(".table-page[data-state=over] .status")).to_contain_text(
        "You ran out of time.", timeout=PATIENCE
    )
