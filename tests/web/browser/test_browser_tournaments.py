"""Tournaments on the page: started, watched, stopped, resumed, replayed and deleted; and the ladders."""

import json
import time
import urllib.request
from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect
from visitor import PATIENCE, Visitor

from kibitz.rules.registry import game_names


def problems(page: Page) -> list[str]:
    """What an accessibility checker complains about, what is too small for a finger, and whether it is too wide."""
    found = [problem["id"] for problem in Axe().run(page).response["violations"] if problem["impact"] != "minor"]
    sideways = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    small = page.locator("button:visible, select:visible, a.button:visible").evaluate_all(
        "all => all.filter((one) => one.getBoundingClientRect().height < 40).map((one) => one.textContent)"
    )
    return [*found, *small, *(["scrolls sideways"] if sideways else [])]


def choose_bots(page: Page, *specs: str) -> None:
    """Have these bots play, and no others."""
    page.goto("/tournaments")
    page.locator("#tournament-game").select_option("connect_four")
    for usual in ("casual", "strong", "best"):
        page.locator(f".bot-choice input[value={usual}]").uncheck()
    expect(page.get_by_role("button", name="Start the tournament")).to_be_disabled()
    for spec in specs:
        page.get_by_label("Another bot").fill(spec)
        page.get_by_label("Another bot").press("Enter")


@pytest.fixture(scope="module")
def finished(server: str) -> str:
    """A tournament that is over; its id."""
    wanted = {"game": "connect_four", "bots": ["beginner", "greedy", "uct:sims=5"], "games": 12, "seed": 1}
    headers = {"Content-Type": "application/json"}
    begin = urllib.request.Request(f"{server}/api/tournaments", json.dumps(wanted).encode(), headers)
    with urllib.request.urlopen(begin) as answer:
        key = str(json.load(answer)["id"])
    deadline = time.monotonic() + PATIENCE / 1000
    while time.monotonic() < deadline:
        with urllib.request.urlopen(f"{server}/api/tournaments/{key}") as answer:
            if json.load(answer)["state"] == "finished":
                return key
        time.sleep(0.1)
    raise AssertionError("The tournament does not end.")


def test_a_tournament_is_watched_stopped_resumed_and_deleted(visitor: Visitor, visit: Callable[..., Visitor]) -> None:
    page = visitor.page
    choose_bots(page, "uct:ms=20", "mc:ms=20")
    page.get_by_label("Length").select_option(label="600 games: every pair meets 600 times")
    page.get_by_role("button", name="Start the tournament").click()
    page.wait_for_url("**/tournament/*")
    expect(page.locator(".state")).to_have_text("Running")
    expect(page.locator(".games li").nth(1)).to_be_visible()
    expect(page.locator(".standings b", has_text="uct:ms=20")).to_be_visible()
    onlooker = visit().page
    onlooker.goto(page.url)
    expect(onlooker.get_by_role("link", name="Download the log")).to_be_visible()
    expect(onlooker.get_by_role("button", name="Stop")).to_have_count(0)
    page.get_by_role("button", name="Stop").click()
    expect(page.locator(".state")).to_have_text("Stopped")
    expect(onlooker.locator(".state")).to_have_text("Stopped")
    page.get_by_role("button", name="Resume").click()
    expect(page.locator(".state")).to_have_text("Running")
    page.get_by_role("button", name="Stop").click()
    page.get_by_role("button", name="Delete").click()
    page.get_by_role("button", name="Delete it for good?").click()
    page.wait_for_url("**/tournaments")


def test_a_bot_that_does_not_exist_is_explained(visitor: Visitor) -> None:
    page = visitor.page
    choose_bots(page, "random", "nobody")
    page.get_by_role("button", name="Start the tournament").click()
    expect(page.locator(".new-tournament .error")).to_contain_text("nobody")


def test_lengths_give_every_pair_equally_many_games(visitor: Visitor) -> None:
    page = visitor.page
    page.goto("/tournaments")
    expect(page.get_by_label("Length")).to_have_value("60")
    page.get_by_label("Beginner").check()
    lengths = page.get_by_label("Length").locator("option").all_inner_texts()
    assert lengths[1] == "60 games: every pair meets 10 times"
    page.locator("#tournament-game").select_option("camelup")
    assert page.get_by_label("Length").locator("option").first.inner_text() == "20 games"


def test_a_game_of_a_tournament_is_replayed(visitor: Visitor, finished: str) -> None:
    page = visitor.page
    page.goto(f"/tournament/{finished}")
    expect(page.locator(".state")).to_have_text("Finished")
    expect(page.locator(".games li")).to_have_count(12)
    expect(page.locator(".cross tbody tr")).to_have_count(3)
    page.get_by_role("button", name="Game 1, Beginner against greedy").click()
    page.wait_for_url("**/table/*")
    page.wait_for_selector(".table-page[data-state=over]")
    expect(page.locator(".seat").first).to_contain_text("Beginner")


def test_the_log_and_the_report_of_a_tournament_are_to_be_had(visitor: Visitor, finished: str) -> None:
    page = visitor.page
    page.goto(f"/tournament/{finished}")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download the log").click()
    assert download.value.suggested_filename == f"tournament-{finished}.tar.gz"
    with page.context.expect_page() as report:
        page.get_by_role("link", name="Report").click()
    expect(report.value.get_by_role("heading", name="Standings")).to_be_visible()


@pytest.mark.parametrize("phone", [False, True])
@pytest.mark.parametrize("dark", [False, True])
def test_everyone_can_use_these_pages(phone: bool, dark: bool, visit: Callable[..., Visitor], finished: str) -> None:
    page = visit(phone=phone, dark=dark).page
    page.goto("/tournaments")
    page.get_by_text("Variant and seed").click()
    expect(page.locator(".tournament-card").first).to_be_visible()
    assert problems(page) == []
    page.goto(f"/tournament/{finished}")
    expect(page.locator(".games li")).to_have_count(12)
    assert problems(page) == []
    page.goto("/ladders")
    expect(page.locator(".ladder")).to_have_count(len(game_names()))
    assert problems(page) == []


def test_every_page_leads_to_all_tournaments(visitor: Visitor, finished: str) -> None:
    visitor.page.goto("/")
    visitor.page.get_by_role("link", name="Tournaments").first.click()
    visitor.page.wait_for_url("**/tournaments")
    expect(visitor.page.locator(".tournament-card", has_text="greedy").first).to_be_visible()
