"""How responsive the web page is, measured in a browser: `.venv/bin/python benchmarks/web.py [--game connect_four]`.

First paint: from the start of loading a table's page, which the browser has seen before, to the frame that shows the
game. Reflected: from the click that completes a move to the first frame that shows it, without the bot's time.
"""

from __future__ import annotations

import argparse
import random
import statistics
import subprocess

from playwright.sync_api import Page, sync_playwright
from rich.console import Console
from rich.table import Table
from server_process import serving

CHROMIUM = "/usr/bin/chromium"
GAMES = ["connect_four", "ur", "hexplode", "separo", "camelup:players=2", "mexican_train:players=2"]
LOADS = 10
MOVES = 20
PATIENCE = 120_000  # milliseconds; compilation may come first


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", action="append", help="a two-player game; may be given several times")
    games = parser.parse_args().game or GAMES
    table = Table("Game", "First paint, median", "95 %", "worst", "Reflected, median", "95 %", "worst")
    with sync_playwright() as playwright, serving(stderr=subprocess.DEVNULL) as (_, address):
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        wait_until_compiled(browser.new_page(base_url=address))
        for game in games:
            page = browser.new_page(base_url=address, viewport={"width": 1280, "height": 800})
            sit_down(page, game)
            paints, reflected = [first_paint(page) for _ in range(LOADS)], play(page)
            table.add_row(game, *summary(paints), *summary(reflected))
            page.close()
        browser.close()
    Console().print(table)


def wait_until_compiled(page: Page) -> None:
    """Wait for the compilation in the background when the server starts, so that it is not measured."""
    while not all(game["ready"] for game in page.request.get("/api/games").json()["games"]):
        page.wait_for_timeout(500)


def sit_down(page: Page, game: str) -> None:
    seats = [{"you": True, "name": "You"}, {"bot": "random"}]
    table = page.request.post("/api/tables", data={"game": game, "seats": seats, "seed": 1}).json()
    page.goto(f"/table/{table['id']}")
    page.wait_for_selector(".table-page[data-state=yours]", timeout=PATIENCE)


def first_paint(page: Page) -> float:
    """Milliseconds from a reload to the frame that shows the game."""
    page.reload()
    page.wait_for_selector(".table-page[data-state=yours]")
    return float(page.evaluate("performance.getEntriesByName('kibitz-painted')[0].duration"))


def play(page: Page) -> list[float]:
    """Make moves; return the milliseconds from each to the frame that shows it."""
    luck = random.Random(1)
    for _ in range(MOVES):
        page.wait_for_selector(".table-page[data-state=yours], .table-page[data-state=over], .turning-point")
        while page.locator(".turning-point").count():
            page.keyboard.press("Enter")
            page.wait_for_timeout(300)
        while page.locator(".table-page[data-state=yours]").count():
            options = page.locator(".can")
            if options.count():
                box = options.nth(luck.randrange(options.count())).bounding_box()
                assert box is not None
                page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
            else:
                page.locator(".choices button").first.click()
        page.wait_for_timeout(300)
    return list(page.evaluate("performance.getEntriesByName('kibitz-reflected').map((entry) => entry.duration)"))


def summary(milliseconds: list[float]) -> tuple[str, str, str]:
    """The median, what 95 % do not exceed, and the worst."""
    most = statistics.quantiles(milliseconds, n=20, method="inclusive")[-1]
    return f"{statistics.median(milliseconds):.0f} ms", f"{most:.0f} ms", f"{max(milliseconds):.0f} ms"


if __name__ == "__main__":
    main()
