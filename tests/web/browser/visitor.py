"""Somebody who plays on the page, in a browser. Only what a person could do is done here: clicks, keys and looking."""

import json
import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import ElementHandle, Locator, Page

YOU = {"you": True, "name": "You"}
BOT = {"bot": "random"}
PATIENCE = 300_000  # milliseconds: some rules are compiled first


class Visitor:
    """A page and what one does there."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.luck = random.Random(1)

    def sit_down(self, game: str, *seats: dict[str, Any], seed: int | None = 1, **more: Any) -> str:
        """Set up a table and go there; its address."""
        wanted = {"game": game, "seats": list(seats) or [YOU, BOT], "seed": seed, **more}
        answer = self.page.request.post("/api/tables", data=wanted)
        assert answer.ok, answer.text()
        return self.go_to(answer.json())

    def go_to(self, table: dict[str, str]) -> str:
        self.page.goto(f"/table/{table['id']}")
        self.page.wait_for_selector(".table-page", timeout=PATIENCE)
        return self.page.url

    def prefer(self, **choices: object) -> None:
        """Set preferences before the page is opened."""
        kept = json.dumps(json.dumps(choices))
        self.page.add_init_script(f"localStorage.setItem('kibitz-preferences', {kept})")

    # What there is to see

    def wait_for(self, *selectors: str) -> ElementHandle:
        """Wait until one of several things is there."""
        found = self.page.wait_for_selector(", ".join(selectors), timeout=PATIENCE)
        assert found is not None
        return found

    def wait_for_turn(self) -> bool:
        """Wait until one may move or the game is over, continuing after summaries; whether one may move."""
        yours_or_over = ".table-page[data-state=yours]", ".table-page[data-state=over]"
        while True:
            found = self.wait_for(*yours_or_over, "dialog.turning-point")
            state = found.get_attribute("data-state")  # read once: a forced move may play itself at any time
            if state in ("yours", "over"):
                return state == "yours"
            if state is None:  # the summary
                self.press("Enter")
                self.page.wait_for_selector("dialog.turning-point", state="detached")

    @property
    def state(self) -> str:
        return self.page.locator(".table-page").get_attribute("data-state") or ""

    @property
    def ply(self) -> int:
        return int(self.page.locator(".table-page").get_attribute("data-ply") or 0)

    def see_ply(self, ply: int) -> None:
        """Wait for a position, which may be shown already."""
        self.page.wait_for_selector(f".table-page[data-ply='{ply}']")

    @contextmanager
    def to_ply(self, ply: int) -> Iterator[None]:
        """Wait for a position that is shown only after what is done here."""
        assert self.ply != ply, "The position is shown too early."
        yield
        self.see_ply(ply)

    def options(self) -> list[str]:
        """The highlighted pieces."""
        return [str(name) for name in self.page.locator(".can").evaluate_all("all => all.map((g) => g.dataset.piece)")]

    def piece(self, name: str) -> Locator:
        return self.page.locator(f'.scene [data-piece="{name}"]')

    def centre(self, name: str) -> tuple[float, float]:
        """The middle of a piece, in the window."""
        x, y = self.piece(name).evaluate(
            """(piece) => {
              piece.scrollIntoView({ block: "nearest" });
              const box = piece.getBoundingClientRect();
              return [box.left + box.width / 2, box.top + box.height / 2];
            }"""
        )
        return float(x), float(y)

    @property
    def status(self) -> str:
        return self.page.locator(".status").inner_text()

    def log(self) -> list[str]:
        return self.page.locator(".log li").all_inner_texts()

    def notation(self) -> list[str]:
        """The log in the game's notation, which is the same for everyone."""
        return [
            str(name) for name in self.page.locator(".log li").evaluate_all("all => all.map((li) => li.dataset.name)")
        ]

    # What one does

    def click(self, name: str) -> None:
        self.page.mouse.click(*self.centre(name))

    def make_a_move(self) -> None:
        """Click what is highlighted, at random, until a move is made."""
        self.wait_for_turn()
        before = self.ply
        while self.wait_for_turn() and self.ply == before:
            self.click_any()

    def move_without_waiting(self) -> None:
        """Make a move at one's turn; what the others do then is not waited for."""
        assert self.wait_for_turn()
        before = self.ply
        while self.state == "yours" and self.ply == before:
            self.click_any()

    def click_any(self) -> None:
        """Click a highlighted piece or, sometimes, the first move that is a button, wherever it is at this moment: a
        forced move may play itself at the next, and nothing of it will be left."""
        place = self.page.evaluate(
            """([sometimes, which]) => {
              const pieces = [...document.querySelectorAll(".can")];
              const buttons = [...document.querySelectorAll(".choices button.primary, .chooser .moves button")];
              const all = pieces.length && !(sometimes && buttons.length) ? pieces : buttons.slice(0, 1);
              if (!all.length) return null;
              const one = all[Math.floor(which * all.length)];
              one.scrollIntoView({ block: "nearest" });
              const box = one.getBoundingClientRect();
              return [box.left + box.width / 2, box.top + box.height / 2];
            }""",
            [self.luck.random() >= 0.9, self.luck.random()],
        )
        if place is not None:
            self.page.mouse.click(*place)

    def play_to_the_end(self, most: int = 1000) -> None:
        """Play moves until the game is over."""
        for _ in range(most):
            if not self.wait_for_turn():
                assert "stopped" not in self.status
                return
            self.make_a_move()
        raise AssertionError(f"The game is not over after {most} moves.")

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)
