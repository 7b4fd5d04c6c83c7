"""Somebody in Chromium and somebody in Firefox play every shipped game through a link, to its end.

In the middle, one of them reloads the page, and the server is killed and started again.
"""

import contextlib
import json
import os
import random
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from firefox import Tab, open_firefox
from playwright.sync_api import Browser
from visitor import PATIENCE, Visitor

SHORT = [
    "connect_four",
    "ur:pieces=2",
    "separo",
    "hexplode:side=3",
    "camelup:players=2,squares=6",
    "mexican_train:players=2,rounds=2,hand=3,highest=8",
]
WHOLE = ["connect_four", "ur", "separo", "hexplode", "camelup:players=2", "mexican_train:players=2"]
SERVER = Path(__file__).with_name("kept_server.py")
CENTRE = """(element) => {
  element.scrollIntoView({ block: "nearest" });
  const box = element.getBoundingClientRect();
  return [box.left + box.width / 2, box.top + box.height / 2];
}"""
CHOICES = ".scene .piece.can, .choices button.primary, .chooser .moves button"


class KilledServer:
    """A server on a port of its own that can be killed and started again."""

    def __init__(self, folder: Path) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        self.address = f"http://127.0.0.1:{port}"
        self._command = [sys.executable, SERVER, folder, str(port)]
        self.start()

    def start(self) -> None:
        self._process = subprocess.Popen(self._command)
        deadline = time.monotonic() + PATIENCE / 1000
        while not self._is_up():
            assert time.monotonic() < deadline, "The server does not start."
            time.sleep(0.05)

    def _is_up(self) -> bool:
        with contextlib.suppress(OSError), urllib.request.urlopen(self.address) as answer:
            return answer.status == 200
        return False

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()


class ChromiumVisitor(Visitor):
    """Somebody who plays in Chromium, and who does not wait for a move that has played itself meanwhile."""

    def try_to_move(self) -> None:
        before = self.ply
        while self.state == "yours" and self.ply == before:
            if places := self.page.locator(CHOICES).evaluate_all(f"(all) => all.map({CENTRE})"):
                self.page.mouse.click(*self.luck.choice(places))

    def continue_after_summary(self) -> None:
        if self.page.locator("dialog.turning-point").count():
            self.press("Enter")


class FirefoxVisitor:
    """Somebody who plays in Firefox."""

    def __init__(self, tab: Tab) -> None:
        self._tab = tab
        self._luck = random.Random(2)

    def take_a_seat(self, link: str, name: str) -> None:
        self._tab.go_to(link)
        while self._tab.evaluate("document.activeElement.id") != "join-name":  # the page may still be moving
            self._click("#join-name")
        self._tab.write(name)
        while self._tab.evaluate("document.querySelector('.join') !== null"):
            self._click(".join button")

    def reload(self) -> None:
        self._tab.reload()

    @property
    def state(self) -> str:
        return str(self._tab.evaluate("document.querySelector('.table-page')?.dataset.state ?? ''"))

    @property
    def ply(self) -> int:
        return int(self._tab.evaluate("document.querySelector('.table-page').dataset.ply"))

    def try_to_move(self) -> None:
        before = self.ply
        while self.state == "yours" and self.ply == before:
            self._click(CHOICES)

    def continue_after_summary(self) -> None:
        self._tab.evaluate("document.querySelector('dialog.turning-point button')?.click()")

    def notation(self) -> list[str]:
        names = "JSON.stringify([...document.querySelectorAll('.log li')].map((item) => item.dataset.name))"
        return [str(name) for name in json.loads(self._tab.evaluate(names))]

    def look(self, address: str, *selectors: str) -> None:
        """Go to a page, and wait until all of these are there."""
        self._tab.go_to(address)
        deadline = time.monotonic() + PATIENCE / 1000
        for selector in selectors:
            while not self._tab.evaluate(f"document.querySelector('{selector}') !== null"):
                assert time.monotonic() < deadline, selector
                time.sleep(0.05)

    def _click(self, selector: str) -> None:
        """Click one of the elements that a selector finds, as soon as there are any."""
        places = f"""JSON.stringify([...document.querySelectorAll("{selector}")].map({CENTRE}))"""
        deadline = time.monotonic() + PATIENCE / 1000
        while not (found := json.loads(self._tab.evaluate(places))):
            if self.state in ("theirs", "over"):
                return
            assert time.monotonic() < deadline, selector
            time.sleep(0.02)
        self._tab.click(*self._luck.choice(found))


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KilledServer]:
    server = KilledServer(tmp_path_factory.mktemp("tables"))
    yield server
    server.kill()


@pytest.fixture(scope="module")
def firefox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FirefoxVisitor]:
    with open_firefox(tmp_path_factory.mktemp("firefox")) as tab:
        yield FirefoxVisitor(tab)


@pytest.mark.parametrize("game", WHOLE if os.environ.get("KIBITZ_SOAK") else SHORT)
def test_a_game_through_a_link(game: str, killed: KilledServer, chromium: Browser, firefox: FirefoxVisitor) -> None:
    context = chromium.new_context(base_url=killed.address, reduced_motion="reduce")
    context.set_default_timeout(PATIENCE)
    host = ChromiumVisitor(context.new_page())
    host.page.goto("/")
    link = host.sit_down(game, {"you": True, "name": "Chromium"}, {"open": True}, seed=None)
    firefox.take_a_seat(link, "Firefox")
    players: list[Any] = [host, firefox]
    events: dict[int, Callable[[], None]] = {6: firefox.reload, 10: killed.kill}
    moves = 0
    while (mover := next_mover(players)) is not None:
        mover.try_to_move()
        moves += 1
        if moves in events:
            events[moves]()
        if moves == 10:
            killed.start()
    assert moves > 10
    assert host.notation() == firefox.notation()  # the words differ: each is "you" to themselves
    context.close()


def test_firefox_shows_lessons_puzzles_and_the_analysis_board(killed: KilledServer, firefox: FirefoxVisitor) -> None:
    firefox.look(f"{killed.address}/rules/connect_four", ".lesson .scene", ".progress")
    firefox.look(f"{killed.address}/puzzles/connect_four?puzzle=1", ".exercise-board .can")
    firefox.look(f"{killed.address}/analyse?game=connect_four&moves=3.3", ".study .can", ".opinion .ranking li")


def next_mover(players: list[Any]) -> Any:
    """Wait until somebody is to move; None when both have seen the end."""
    deadline = time.monotonic() + PATIENCE / 1000
    while True:
        for player in players:
            player.continue_after_summary()
        states = [player.state for player in players]
        if "yours" in states:
            return players[states.index("yours")]
        if states == ["over", "over"]:
            return None
        assert time.monotonic() < deadline, states
        time.sleep(0.01)
