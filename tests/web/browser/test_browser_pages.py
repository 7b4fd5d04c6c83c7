"""The pages as such: setting up, rules, records, phones, day and night, and what an accessibility checker says."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect
from table_server import OPERATOR
from visitor import BOT, PATIENCE, YOU, Visitor

import kibitz
import kibitz.web
from kibitz.rules.registry import find_game, game_names

STATIC = Path(kibitz.web.__file__).parent / "static"


def serious_problems(page: Page) -> list[str]:
    found = Axe().run(page).response["violations"]
    return [f"{problem['id']}: {problem['help']}" for problem in found if problem["impact"] in ("serious", "critical")]


def overflow(page: Page) -> int:
    """How many pixels one could scroll sideways."""
    return int(page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))


def test_one_click_on_a_card_starts_a_game(visitor: Visitor) -> None:
    visitor.page.goto("/")
    visitor.page.get_by_role("button", name="Play Connect Four", exact=True).click()
    visitor.page.wait_for_url("**/table/*")
    assert visitor.wait_for_turn()
    expect(visitor.page.locator(".seat")).to_have_count(2)


def test_whoever_runs_the_server_signs_in_and_out(visitor: Visitor) -> None:
    page = visitor.page
    page.goto("/operator")
    assert serious_problems(page) == []
    page.get_by_label("The secret").fill(OPERATOR)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_label("The secret")).to_be_visible()
    assert page.evaluate("document.cookie") == ""


def test_every_game_has_a_card(visitor: Visitor) -> None:
    visitor.page.goto("/")
    expect(visitor.page.locator(".card")).to_have_count(len(game_names()) + 1)  # and the server's own


def test_a_game_is_set_up(visitor: Visitor) -> None:
    page = visitor.page
    page.goto("/")
    page.get_by_role("button", name="Set up Connect Four").click()
    page.get_by_label("columns").select_option("5")
    page.get_by_label("Who plays").nth(0).select_option("beginner")
    page.get_by_label("Who plays").nth(1).select_option("you")
    page.get_by_role("radiogroup").nth(1).get_by_role("radio").nth(3).click()
    page.get_by_label("Seed").fill("12")
    page.get_by_role("button", name="Start").click()
    page.wait_for_url("**/table/*")
    visitor.wait_for_turn()
    assert len(visitor.options()) == 5
    assert visitor.ply == 1
    assert page.locator(".seat").nth(0).inner_text().startswith("Beginner")


def test_an_address_that_leads_nowhere_leads_back(chromium: Browser, server: str) -> None:
    page = chromium.new_page(base_url=server)
    answer = page.goto("/nowhere")
    assert answer is not None
    assert answer.status == 404
    expect(page.get_by_role("heading", name="Not found")).to_be_visible()
    page.get_by_role("link", name="All games").click()
    expect(page.locator(".card").first).to_be_visible()
    page.close()


def test_an_own_spec_is_set_up_and_a_wrong_one_explained(visitor: Visitor) -> None:
    page = visitor.page
    page.goto("/")
    page.set_viewport_size({"width": 1280, "height": 400})  # so low that the form has to be scrolled
    page.get_by_role("button", name="Set up Connect Four").click()
    page.get_by_label("Who plays").nth(1).select_option("advanced")
    page.get_by_placeholder("name:option=value").last.fill("nobody")
    page.get_by_role("button", name="Start").click()
    expect(page.locator(".setup .error")).to_contain_text("nobody")
    expect(page.locator(".setup .error")).to_be_in_viewport()
    page.get_by_placeholder("name:option=value").last.fill("random")
    page.get_by_role("button", name="Start").click()
    page.wait_for_url("**/table/*")
    assert visitor.wait_for_turn()


def test_bots_are_watched_with_one_click(visitor: Visitor) -> None:
    visitor.page.goto("/")
    visitor.page.get_by_role("button", name="Watch bots play Dice Race").click()
    visitor.page.wait_for_selector(".table-page[data-state=over]", timeout=PATIENCE)
    assert visitor.status.endswith(" wins.")
    assert [name.split()[0] for name in visitor.page.locator(".seat .who b").all_inner_texts()] == ["Best", "Strong"]


def test_a_saved_record_is_opened(visitor: Visitor, tmp_path: Path) -> None:
    table = kibitz.Table(find_game("connect_four"), seed=1)
    for move in (3, 3, 2, 4, 1, 4, 0):
        table.play(move)
    saved = tmp_path / "game.json"
    saved.write_text(table.record().to_json())
    visitor.page.goto("/")
    visitor.page.get_by_label("Open a record").set_input_files(saved)
    visitor.page.wait_for_url("**/table/*")
    visitor.see_ply(7)
    assert visitor.state == "over"


def test_a_game_of_a_log_is_opened(visitor: Visitor) -> None:
    visitor.page.goto("/")
    visitor.page.get_by_label("Game number in two-games").fill("1")
    visitor.page.get_by_role("button", name="Open", exact=True).click()
    visitor.page.wait_for_url("**/table/*")
    visitor.page.wait_for_selector(".table-page[data-state=over]")
    assert visitor.ply >= 7


@pytest.mark.parametrize("name", game_names())
def test_the_rules_of_a_game_are_told(name: str, visitor: Visitor) -> None:
    visitor.page.goto(f"/rules/{name}")
    expect(visitor.page.locator("h1")).to_be_visible()
    expect(visitor.page.locator(".lesson").first).to_be_visible()


def test_an_unknown_table_is_explained(visitor: Visitor) -> None:
    visitor.page.goto("/table/nowhere")
    expect(visitor.page.get_by_text("This table no longer exists")).to_be_visible()


@pytest.mark.parametrize("dark", [False, True])
def test_a_checker_of_accessibility_finds_nothing_serious(dark: bool, visit: Callable[..., Visitor]) -> None:
    visitor = visit(dark=dark)
    page = visitor.page
    page.goto("/")
    page.wait_for_selector(".card")
    assert serious_problems(page) == []
    page.get_by_role("button", name="Set up Connect Four").click()
    assert serious_problems(page) == []
    page.goto("/rules/connect_four")
    page.wait_for_selector(".lesson")
    assert serious_problems(page) == []
    visitor.sit_down("connect_four", listed=True)
    for view in ("open", "running", "finished", "mine"):
        page.goto(f"/tables?show={view}")
        page.wait_for_selector(".table-lister")
        assert serious_problems(page) == []
    page.get_by_role("button", name="Delete Connect Four").first.click()
    assert serious_problems(page) == []
    visitor.sit_down("connect_four")
    visitor.make_a_move()
    visitor.wait_for_turn()
    assert serious_problems(page) == []
    page.get_by_role("tab", name="Analysis").click()
    expect(page.locator(".ranking li")).to_have_count(7, timeout=PATIENCE)
    assert serious_problems(page) == []


def test_a_phone_shows_everything_without_scrolling_sideways(visit: Callable[..., Visitor]) -> None:
    visitor = visit(phone=True, dark=True)
    visitor.sit_down("connect_four", {"you": True, "name": "Hypatia-of-Alexandria-in-Egypt"}, BOT, listed=True)
    for address in ("/", "/rules/connect_four", "/tables?show=mine", "/tables?show=running"):
        visitor.page.goto(address)
        visitor.page.wait_for_selector("h1")
        if address.startswith("/tables"):
            visitor.page.wait_for_selector(".table-row")
        assert overflow(visitor.page) == 0
    visitor.page.goto("/")
    visitor.page.get_by_role("button", name="Set up Connect Four").click()
    assert overflow(visitor.page) == 0
    crowd = [YOU, *[BOT] * 7]
    for spec, seats in (("connect_four", [YOU, BOT]), ("camelup:players=8", crowd), ("dicerace", [YOU, BOT])):
        visitor.sit_down(spec, *seats)
        visitor.wait_for_turn()
        assert overflow(visitor.page) == 0


def test_a_game_is_played_with_a_finger(visit: Callable[..., Visitor]) -> None:
    visitor = visit(phone=True)
    visitor.sit_down("connect_four")
    for _ in range(30):
        if not visitor.wait_for_turn():
            break
        visitor.page.touchscreen.tap(*visitor.centre(visitor.luck.choice(visitor.options())))
    assert visitor.state == "over"


def test_a_piece_is_dragged_with_a_finger(visit: Callable[..., Visitor]) -> None:
    visitor = visit(phone=True)
    visitor.prefer(forced=False)  # its only move would play itself
    visitor.sit_down("ur", seed=4)
    visitor.wait_for_turn()
    before = visitor.ply
    (piece,) = visitor.options()  # all in hand: one moves for all
    touch = visitor.page.context.new_cdp_session(visitor.page)

    def finger(what: str, *places: tuple[float, float]) -> None:
        points = [{"x": x, "y": y} for x, y in places]
        touch.send("Input.dispatchTouchEvent", {"type": what, "touchPoints": points})

    x, y = visitor.centre(piece)
    finger("touchStart", (x, y))
    finger("touchMove", (x + 10, y + 10))
    (goal,) = visitor.options()
    finger("touchMove", visitor.centre(goal))
    finger("touchEnd")
    visitor.wait_for_turn()
    assert visitor.ply > before


def test_controls_on_a_phone_are_large_enough_for_a_finger(visit: Callable[..., Visitor]) -> None:
    visitor = visit(phone=True)
    visitor.sit_down("connect_four")
    visitor.make_a_move()
    visitor.wait_for_turn()
    small = visitor.page.locator("button:visible, select:visible").evaluate_all(
        "all => all.filter((one) => one.getBoundingClientRect().height < 40).map((one) => one.textContent)"
    )
    assert small == []


def test_the_theme_is_chosen_and_kept(visitor: Visitor) -> None:
    visitor.page.goto("/")
    light = visitor.page.evaluate("getComputedStyle(document.body).backgroundColor")
    visitor.page.locator("#theme").click()
    assert visitor.page.evaluate("getComputedStyle(document.body).backgroundColor") != light
    visitor.page.reload()
    assert visitor.page.evaluate("getComputedStyle(document.body).backgroundColor") != light


def test_the_client_knows_no_game() -> None:
    for file in STATIC.iterdir():
        words = file.read_text().lower()
        for name in game_names():
            for spelling in {name, name.replace("_", " "), name.replace("_", "-")}:
                assert not re.search(rf"\b{re.escape(spelling)}\b", words), f"{file.name} speaks of {name}"


def test_the_client_is_small_and_loads_nothing_inline() -> None:
    assert sum(len(file.read_text().splitlines()) for file in STATIC.glob("*.js")) < 5000
    page = (STATIC / "page.html").read_text()
    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\bstyle=|\bon\w+=", page)
