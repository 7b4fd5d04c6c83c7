"""Tables are found in lists, own games are found again, and links lead to positions."""

import json
import re
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Locator, Page, expect
from visitor import BOT, PATIENCE, Visitor


def row(page: Page, name: str) -> Locator:
    """The row of a list that names a player."""
    return page.locator(".table-row", has_text=name)


def finished_game(visitor: Visitor, name: str) -> str:
    """Play a game of chance to its end; its address."""
    address = visitor.sit_down("dicerace", {"you": True, "name": name}, BOT, listed=True)
    visitor.play_to_the_end()
    return address


def test_strangers_meet_at_a_table_that_is_listed(visit: Callable[..., Visitor]) -> None:
    host, guest, other = visit(), visit(phone=True), visit()
    host.page.goto("/")
    host.page.get_by_role("button", name="Set up Connect Four").click()
    listed = host.page.get_by_label("List this table")
    expect(listed).not_to_be_checked()
    host.page.get_by_label("Who plays Yellow").select_option("open")
    expect(listed).to_be_checked()
    host.page.get_by_label("Your name, for the others").fill("Emmy Noether")
    host.page.get_by_role("button", name="Start").click()
    host.page.wait_for_url("**/table/*")
    host.page.get_by_label("Link for the other players").wait_for(timeout=PATIENCE)
    other.page.goto("/tables?show=running&game=connect_four")
    expect(other.page.get_by_role("link", name="Watch")).to_have_attribute("aria-current", "page")
    guest.page.goto("/tables?show=open")
    row(guest.page, "Emmy Noether").get_by_role("link").click()
    guest.page.get_by_role("button", name="Take a seat").click()
    guest.page.wait_for_selector(".turn.seated")
    expect(row(other.page, "Emmy Noether")).to_contain_text("no moves yet", timeout=PATIENCE)  # by itself
    row(other.page, "Emmy Noether").get_by_role("link").click()
    expect(other.page.locator(".crowd-note")).to_contain_text("You are watching")


def test_a_game_for_a_friend_is_not_listed(visit: Callable[..., Visitor]) -> None:
    host, other = visit(), visit()
    host.page.goto("/")
    host.page.get_by_role("button", name="Play Connect Four with a friend").click()
    link = host.page.get_by_label("Link for the other players")
    link.wait_for(timeout=PATIENCE)
    key = link.input_value().rpartition("/")[2]
    listed = other.page.request.get("/api/tables?stage=open")
    assert listed.ok
    assert key not in listed.text()


def test_own_games_are_found_again_and_deleted(visit: Callable[..., Visitor]) -> None:
    me, other = visit(), visit()
    address = me.sit_down("connect_four", {"you": True, "name": "Sophie"}, BOT)
    me.page.goto("/")
    me.page.locator(".begun").get_by_role("link", name="Connect Four").click()
    me.page.wait_for_url(address)
    me.page.goto("/tables")
    me.page.get_by_role("link", name="My games").click()
    own = me.page.get_by_role("region", name="In progress")
    expect(own.locator(".table-row")).to_have_count(1)
    other.page.goto("/tables?show=mine")
    expect(other.page.get_by_text("You have no games in progress.")).to_be_visible()
    own.get_by_role("button", name="Delete Connect Four").click()
    me.page.get_by_role("button", name="Cancel").click()
    expect(own.locator(".table-row")).to_have_count(1)
    own.get_by_role("button", name="Delete Connect Four").click()
    expect(me.page.get_by_role("dialog")).to_contain_text("removed from the server for good")
    me.page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(me.page.get_by_text("You have no games in progress.")).to_be_visible()
    me.page.goto(address)
    expect(me.page.get_by_text("This table no longer exists")).to_be_visible()


def test_the_lists_have_addresses_of_their_own(visitor: Visitor) -> None:
    page = visitor.page
    page.goto("/tables?show=finished")
    page.get_by_role("link", name="Join").click()
    page.get_by_label("Game").select_option("connect_four")
    expect(page).to_have_url(re.compile(r"/tables\?show=open&game=connect_four$"))
    page.go_back()
    page.go_back()
    expect(page).to_have_url(re.compile(r"/tables\?show=finished$"))
    expect(page.get_by_role("link", name="Replay", exact=False).first).to_have_attribute("aria-current", "page")


def test_a_link_leads_to_a_position_of_a_finished_game(visit: Callable[..., Visitor]) -> None:
    me, other = visit(permissions=["clipboard-read", "clipboard-write"]), visit()
    me.page.goto("/")
    address = finished_game(me, "Ada")
    last = me.ply
    expect(me.page).to_have_url(address)
    with me.to_ply(last - 1):
        me.press("ArrowLeft")
    with me.to_ply(last - 2):
        me.press("ArrowLeft")
    expect(me.page).to_have_url(f"{address}?ply={last - 2}")
    me.page.get_by_role("button", name="Copy link").click()
    expect(me.page.get_by_role("button", name="Copied")).to_be_visible()
    link = me.page.evaluate("navigator.clipboard.readText()")
    other.page.goto(link)
    other.see_ply(last - 2)
    expect(other.page).to_have_url(link)
    with other.to_ply(last):
        other.page.get_by_role("button", name="Go to the latest move").click()
    expect(other.page).to_have_url(address)
    other.page.goto(f"{address}?ply=nonsense")
    other.see_ply(last)
    me.page.go_back()
    expect(me.page).to_have_url(re.compile("/$"))  # stepping has left no trace


def test_all_own_games_are_saved_and_opened_again(visit: Callable[..., Visitor], tmp_path: Path) -> None:
    me, other = visit(), visit()
    for name in ("Ada", "Grace"):
        finished_game(me, name)
    me.page.goto("/tables?show=mine")
    with me.page.expect_download() as download:
        me.page.get_by_role("link", name="Save all games").click()
    saved = tmp_path / download.value.suggested_filename
    assert saved.name == "kibitz-games.jsonl"
    download.value.save_as(saved)
    games = [json.loads(line) for line in saved.read_text().splitlines()]
    assert len(games) == 2
    other.page.goto("/tables?show=mine")
    other.page.get_by_label("Open a record").set_input_files(saved)
    expect(other.page.get_by_role("region", name="Finished").locator(".table-row")).to_have_count(2)
    again = other.page.request.get("/api/records").text().splitlines()
    assert sorted(again) == sorted(saved.read_text().splitlines())
    saved.write_text(f"{saved.read_text()}not a game\n")
    other.page.get_by_label("Open a record").set_input_files(saved)
    expect(other.page.get_by_text("2 of 3 games were opened")).to_be_visible()
