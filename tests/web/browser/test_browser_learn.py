"""Learning on the page: tasks are tried out by keyboard, puzzles by clicks; the browser remembers both."""

import json
from collections.abc import Callable

from playwright.sync_api import expect
from test_browser_pages import overflow, serious_problems
from visitor import Visitor

from kibitz.analysis.puzzles import shipped_puzzles
from kibitz.rules.registry import find_game


def test_a_task_is_tried_by_keyboard_until_it_is_right(visit: Callable[..., Visitor]) -> None:
    visitor = visit(dark=True)
    page = visitor.page
    page.goto("/rules/connect_four")
    expect(page.locator(".progress")).to_have_text("0 of 3 tasks solved")
    page.get_by_role("button", name="Try it: The goal").press("Enter")
    lesson = page.locator(".lesson", has=page.get_by_role("heading", name="The goal"))
    expect(lesson.locator(".can:focus")).to_have_count(1)
    visitor.press("Enter")  # in the first column, which does not help
    expect(lesson.locator(".verdict")).to_contain_text("Not quite.")
    expect(page.get_by_role("button", name="Try again")).to_be_focused()
    visitor.press("Enter", "ArrowRight", "Enter")
    expect(lesson.locator(".verdict")).to_contain_text("Right. Four in a row")
    expect(page.locator(".progress")).to_have_text("1 of 3 tasks solved")
    assert serious_problems(page) == []
    page.reload()
    expect(page.locator(".progress")).to_have_text("1 of 3 tasks solved")
    expect(page.locator(".task[data-solved=true]")).to_have_count(1)


def test_todays_puzzle_is_solved_and_the_next_one_missed(visit: Callable[..., Visitor]) -> None:
    visitor = visit(phone=True)
    page = visitor.page
    page.goto("/")
    page.get_by_role("link", name="Puzzles", exact=True).click()
    expect(page.locator(".streak")).to_contain_text("Solve one today")
    assert serious_problems(page) == []
    assert overflow(page) == 0
    page.get_by_role("link", name="Connect Four").click()
    puzzles = shipped_puzzles(find_game("connect_four"))
    expect(page.locator(".exercise-board .can").first).to_be_visible()
    number = int(page.url.rpartition("=")[2])
    visitor.click(f"column-{puzzles[number - 1].best.name}")
    expect(page.locator(".verdict")).to_contain_text("Right.")
    expect(page.locator(".streak")).to_contain_text("1 day in a row")
    assert serious_problems(page) == []
    assert overflow(page) == 0
    page.get_by_role("link", name="Next puzzle").click()
    expect(page.locator(".streak")).to_contain_text("Practice")
    following = number % len(puzzles) + 1
    expect(page.locator(".exercise-board .can").first).to_be_visible()
    visitor.click(f"column-{puzzles[following - 1].played}")
    expect(page.locator(".verdict")).to_contain_text("Not quite.")
    page.get_by_role("button", name="Show the best move").click()
    expect(page.locator(f'.preview[data-piece="column-{puzzles[following - 1].best.name}"]')).to_have_count(1)
    page.get_by_role("link", name="All games").click()
    expect(page.locator(".streak")).to_contain_text("1 day in a row")
    expect(page.locator(".card", has_text="Connect Four")).to_contain_text("✓ Today’s puzzle solved")


def test_whoever_waits_for_a_game_sees_how_far_it_is_and_what_else_there_is(visitor: Visitor) -> None:
    page = visitor.page
    preparing = {
        "type": "table",
        "id": "x",
        "game": "ur",
        "title": "Ur",
        "waiting": "Preparing the rules and the bots.",
    }
    preparing |= {"scene": None, "text": "", "status": "", "result": "", "over": False, "plies": 0, "steps": []}
    step = {"done": 1, "of": 2, "words": "the bot “Casual”", "functions": 7}
    page.route_web_socket("**/ws/x", lambda socket: socket.send(json.dumps(preparing)))
    page.route("**/api/tables/x/preparation", lambda route: route.fulfill(json=step))
    page.goto("/table/x")
    expect(page.get_by_text("Step 2 of 2: the bot “Casual”, 7 functions compiled so far")).to_be_visible()
    expect(page.get_by_role("progressbar")).to_have_attribute("max", "2")
    expect(page.get_by_role("link", name="Read the rules")).to_have_attribute("href", "/rules/ur")
    assert serious_problems(page) == []
