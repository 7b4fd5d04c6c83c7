"""A server, a browser, and pages that fail their test if anything goes wrong that no visitor would see."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright
from visitor import PATIENCE, Visitor

import kibitz

SERVER = Path(__file__).with_name("table_server.py")
CHROMIUM = "/usr/bin/chromium"
expect.set_options(timeout=PATIENCE)  # only a failure takes that long
DESKTOP, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server in a process of its own, which offers a log of two games; its address."""
    log = tmp_path_factory.mktemp("logs") / "two-games"
    kibitz.arena("connect_four", ["random", "random"], games=2, seed=1, log=log)
    process = subprocess.Popen([sys.executable, SERVER, log], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}"
    finally:
        process.terminate()
        process.wait(timeout=PATIENCE / 1000)


@pytest.fixture(scope="module")  # not longer: while it runs, no other event loop can run in this thread
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"], timeout=PATIENCE)
        yield browser
        browser.close()


@pytest.fixture
def visit(chromium: Browser, server: str) -> Iterator[Callable[..., Visitor]]:
    """Open a page as somebody: `visit(phone=True, dark=True)`. Nothing may go wrong on it."""
    contexts, troubles = [], []

    def open_page(phone: bool = False, dark: bool = False, still: bool = True, **more: Any) -> Visitor:
        context = chromium.new_context(
            base_url=server,
            viewport=PHONE if phone else DESKTOP,
            has_touch=phone,
            color_scheme="dark" if dark else "light",
            reduced_motion="reduce" if still else "no-preference",
            **more,
        )
        contexts.append(context)
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        watch(page, server, troubles)
        return Visitor(page)

    yield open_page
    for context in contexts:
        context.close()
    assert troubles == []


def watch(page: Page, server: str, troubles: list[str]) -> None:
    """Note errors, complaints (among them of the content-security policy) and requests to anywhere else."""

    def requested(url: str) -> None:
        if not url.startswith((server, server.replace("http", "ws"), "data:")):
            troubles.append(f"request to {url}")

    def said(kind: str, words: str) -> None:
        refused = "status of 422" in words  # browsers complain of every refusal; the page shows it
        if kind in ("error", "warning") and not refused:
            troubles.append(words)

    page.on("console", lambda message: said(message.type, message.text))
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("request", lambda request: requested(request.url))
    page.on("websocket", lambda socket: requested(socket.url))


@pytest.fixture
def visitor(visit: Callable[..., Visitor]) -> Visitor:
    """Somebody at a desktop by day who asked for little motion."""
    return visit()
