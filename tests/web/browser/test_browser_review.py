"""After a game: its review, the better lines on the board, playing on; and the analysis board."""

import json
from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect
from visitor import PATIENCE, YOU, Visitor

LOST = "1 2 1 2 1 2 3 4 5 2"  # from the seventh move on, both could have won at once: any search sees that


def record(names: str) -> str:
    """The record of a game of Connect Four that Yellow wins."""
    moves = [int(name) - 1 for name in names.split()]
    sides = [ply % 2 for ply in range(len(moves))]
    known = {"game": "connect_four", "seed": 0, "number": 0, "luck": 0, "seats": ["Ann", "Bob"]}
    return json.dumps(
        {
            **known,
            "turns": sides,
            "moves": moves,
            "names": names.split(),
            "over": True,
            "payoff": [0, 1],
            "score": [0, 1],
        }
    )


@pytest.fixture
def lost(visit: Callable[..., Visitor]) -> Visitor:
    """Somebody who looks at a game that Ann has lost, under review."""
    visitor = visit()
    answer = visitor.page.request.post("/api/records", data=record(LOST), headers={"Content-Type": "application/json"})
    visitor.go_to(answer.json())
    visitor.page.get_by_role("button", name="Review the game").click()
    visitor.page.wait_for_selector(".review progress.done", state="attached", timeout=PATIENCE)
    return visitor


def test_a_review_leads_from_mistake_to_mistake_and_plays_the_better_line(lost: Visitor) -> None:
    page = lost.page
    expect(page.locator(".accuracies li")).to_have_count(2)
    expect(page.locator(".accuracies li").nth(1).locator(".accuracy")).to_contain_text("%")
    with lost.to_ply(8):
        lost.press("p")
    note = page.locator(".mistake-note")
    expect(note).to_contain_text("Ann played column 5")
    expect(note).to_contain_text("Better was column 1")
    expect(note).to_contain_text("blunder")
    assert Axe().run(page).violations_count == 0
    page.get_by_role("button", name="Show the better line").click()
    expect(page.get_by_role("group", name="A line of play")).to_be_visible()
    expect(page.locator(".line-words b")).to_have_text("column 1")
    lost.press("ArrowRight")
    expect(page.locator(".line-words b")).not_to_have_text("")
    lost.press("Escape")
    expect(page.get_by_role("group", name="A line of play")).to_be_hidden()
    expect(page.locator(".arrows .place-1")).to_have_count(1)
    assert lost.ply == 8  # the game was never left
    with lost.to_ply(7):
        page.get_by_role("button", name="Previous mistake").click()
    page.get_by_role("tab", name="Log").click()
    blunder = page.locator(".log li[data-ply='9'] .grade")
    expect(blunder).to_contain_text("??")
    expect(blunder).to_contain_text("blunder")


def test_analysis_has_a_width_of_its_own_with_four_seats(visit: Callable[..., Visitor]) -> None:
    me = visit()
    me.sit_down("camelup:players=4", YOU, *[{"bot": "random"}] * 3)
    me.wait_for_turn()
    me.page.get_by_role("tab", name="Analysis").click()
    panel = me.page.get_by_role("tabpanel", name="Analysis").bounding_box()
    assert panel is not None
    assert panel["width"] >= 430
    assert panel["height"] >= 380


def test_one_can_play_on_from_a_mistake(lost: Visitor) -> None:
    page = lost.page
    with lost.to_ply(8):
        lost.press("p")
    page.get_by_role("button", name="Play on from here").click()
    page.get_by_label("Your opponent").select_option("beginner")
    with page.expect_navigation():
        page.get_by_role("dialog").get_by_role("button", name="Play", exact=True).click()
    lost.wait_for_turn()
    assert lost.ply == 8
    assert lost.status == "Your turn"
    lost.click("column-1")
    expect(page.locator(".status")).to_contain_text("You win")


def test_variations_are_tried_out_on_the_analysis_board(visit: Callable[..., Visitor]) -> None:
    me = visit()
    page = me.page
    page.goto("/analyse?game=connect_four&moves=3.3.2&ply=1")
    tree, current = page.locator(".tree button"), page.locator(".tree [aria-current]")
    expect(current).to_have_text("1.column 4")
    page.locator(".opinion .ranking li").first.wait_for()
    page.locator(".can").first.wait_for()
    me.click("column-1")
    expect(current).to_have_text("2.column 1")
    expect(page.locator(".tree .variation")).to_have_count(1)
    assert page.url.endswith("moves=3.0")  # a link to this position
    page.get_by_role("button", name="Make main line").click()
    expect(tree.nth(1)).to_have_text("2.column 1")
    page.get_by_label("Compare with").select_option("uct")
    second = page.locator(".opinion").nth(1)
    second.locator(".ranking li").first.wait_for()
    expect(second.locator(".note")).to_contain_text("to win")
    assert Axe().run(page).violations_count == 0
    second.locator(".ranking button").first.click()
    expect(tree).to_have_count(5)
    page.get_by_role("button", name="Delete from here").click()
    expect(tree).to_have_count(4)
    page.locator("h1").click()
    me.press("ArrowLeft")
    expect(current).to_have_text("1.column 4")
    page.get_by_role("button", name="Paste …").click()
    pasted = page.get_by_label("Moves, a position, or a record")
    for text, words in (("4 9", "Move 2"), ('{"discs": [1, 1], "plies": 2, "turn": 0, "winner": -1}', "same cell")):
        pasted.fill(text)
        page.get_by_role("button", name="Open").click()
        expect(page.locator(".paste .error")).to_contain_text(words)
    pasted.fill(record(LOST))
    page.get_by_role("button", name="Open").click()
    expect(page.locator(".status")).to_have_text("Bob wins.")
    expect(tree).to_have_count(10)


def test_a_position_is_set_up_by_hand_and_played_on(visit: Callable[..., Visitor]) -> None:
    me = visit()
    page = me.page
    page.goto("/analyse?game=connect_four&moves=3")
    page.get_by_role("button", name="Set up …").click()
    trouble = page.locator(".arranger .error")
    for discs in range(1, 4):
        page.locator(".can").first.wait_for()
        me.click("column-1")
        expect(page.locator(".scene [data-piece^=disc-1-]")).to_have_count(discs)
    expect(trouble).to_contain_text("Red has 4 discs and Yellow 0")
    expect(page.get_by_role("button", name="Use this position")).to_be_disabled()
    page.get_by_role("button", name="Undo").click()
    expect(trouble).to_contain_text("Red has 3 discs")
    page.get_by_role("button", name="Yellow disc").click()
    for column in (2, 3, 6):
        me.click(f"column-{column}")
        expect(page.locator(f'.scene [data-piece="disc-{column}-1"]')).to_have_count(1)
    expect(trouble).to_be_hidden()
    assert Axe().run(page).violations_count == 0
    page.get_by_role("button", name="Use this position").click()
    expect(page.locator(".status")).to_have_text("Red to move")
    page.get_by_role("button", name="Play on").click()
    page.get_by_label("Your opponent").select_option("beginner")
    page.get_by_role("button", name="Play", exact=True).click()
    assert me.wait_for_turn()
    expect(page.locator(".scene [data-piece^=disc-]")).to_have_count(6)
    with me.to_ply(2):
        me.click("column-1")
    page.go_back()
    expect(page.locator(".status")).to_have_text("Red to move")  # the link leads to the same position
