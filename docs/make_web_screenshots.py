"""Make the pictures of the web page in docs/images: `.venv/bin/python docs/make_web_screenshots.py`.

The games are played anew, from fixed seeds, against bots that need no time; Chromium has to be installed.
"""

import base64
import random
import struct
import sys
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import Browser, Page, sync_playwright

sys.path.append(str(Path(__file__).parents[1] / "benchmarks"))
from server_process import serving

IMAGES = Path(__file__).parent / "images"
CHROMIUM = "/usr/bin/chromium"
DESKTOP, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
PATIENCE = 90_000  # milliseconds: the first time, everything is compiled
YOURS = ".table-page[data-state=yours]"
YOURS_OR_OVER = f"{YOURS}, .table-page[data-state=over]"
SUMMARY = "dialog.turning-point"
YOU, BOT = {"you": True, "name": "You"}, {"bot": "beginner"}
SECOND = "camelup:rules=second"
TURNS = {
    "camelup": 9,
    SECOND: 12,
    "connect_four": 8,
    "hexplode": 14,
    "mexican_train": 12,
    "separo": 9,
    "ur": 14,
}  # ours
SEATS = {"camelup": 4, SECOND: 4, "mexican_train": 4}


def main() -> None:
    with sync_playwright() as playwright, serving("--pace", "0.1") as (_, address):
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = open_page(browser, address)
        page.goto("/")
        while not all(game["ready"] and game["scene"] for game in page.request.get("/api/games").json()["games"]):
            page.wait_for_timeout(1000)
        page.reload()
        page.wait_for_selector(".card svg")
        save(page, "home")
        tables = {game: sit_down(page, game) for game in TURNS}
        for game, table in tables.items():
            play(page, table, TURNS[game])
            save(page, game.replace(":rules=", "-"))
        go_to(page, tables["connect_four"])
        analyse(page)
        save(page, "analysis")
        for name, game in (("phone", "ur"), ("phone-dark", "camelup")):
            phone = open_page(browser, address, phone=True, dark=name.endswith("dark"))
            phone.context.add_cookies(page.context.cookies())  # whoever sits at the tables
            go_to(phone, tables[game])
            save(phone, name)
        night = open_page(browser, address, dark=True)
        night.context.add_cookies(page.context.cookies())
        go_to(night, tables["hexplode"])
        save(night, "dark")
        browser.close()


def open_page(browser: Browser, address: str, phone: bool = False, dark: bool = False) -> Page:
    return browser.new_page(
        base_url=address,
        viewport=PHONE if phone else DESKTOP,
        has_touch=phone,
        color_scheme="dark" if dark else "light",
        reduced_motion="reduce",
    )


def sit_down(page: Page, game: str) -> dict[str, str]:
    """A new table."""
    seats: list[dict[str, Any]] = [YOU, *[BOT] * (SEATS.get(game, 2) - 1)]
    table: dict[str, str] = page.request.post("/api/tables", data={"game": game, "seats": seats, "seed": 3}).json()
    return table


def go_to(page: Page, table: dict[str, str]) -> None:
    page.goto(f"/table/{table['id']}")
    page.wait_for_selector(YOURS_OR_OVER, timeout=PATIENCE)


def play(page: Page, table: dict[str, str], turns: int) -> None:
    """Play some turns, clicking at random what is highlighted."""
    go_to(page, table)
    luck = random.Random(1)
    for _ in range(turns):
        wait_for_turn(page)
        while page.locator(YOURS).count():
            options = page.locator(".can")
            if options.count() and (luck.random() < 0.8 or not page.locator(".choices button").count()):
                box = options.nth(luck.randrange(options.count())).bounding_box()
                assert box is not None
                page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
            else:
                page.locator(".choices button").first.click()
    wait_for_turn(page)
    if not page.locator(YOURS).count():
        page.get_by_role("button", name="Undo").click()  # a game that goes on shows more of the page
        page.wait_for_selector(YOURS)


def wait_for_turn(page: Page) -> None:
    """Wait until we may move or the game is over, continuing after the end of a round or a leg."""
    page.wait_for_selector(f"{YOURS_OR_OVER}, {SUMMARY}", timeout=PATIENCE)
    while page.locator(SUMMARY).count():
        page.keyboard.press("Enter")
        page.wait_for_selector(SUMMARY, state="detached")
        page.wait_for_selector(f"{YOURS_OR_OVER}, {SUMMARY}", timeout=PATIENCE)


def analyse(page: Page) -> None:
    page.get_by_role("tab", name="Analysis").click()
    page.locator(".ranking li").first.wait_for(timeout=PATIENCE)
    page.locator(".plot .share").first.wait_for(timeout=PATIENCE)
    page.wait_for_timeout(4000)
    page.locator(".ranking li").first.hover()


def save(page: Page, name: str) -> None:
    if name != "analysis":
        page.mouse.move(2, 2)
    page.wait_for_timeout(300)
    drawer = page.context.browser.new_page()  # one that may look at pixels: the page itself forbids much
    (IMAGES / f"web-{name}.png").write_bytes(small_png(pixels(drawer, page.screenshot())))
    drawer.close()


def pixels(drawer: Page, picture: bytes) -> np.ndarray:
    """Red, green and blue of every pixel of a picture."""
    width, height, read = drawer.evaluate(
        """async (picture) => {
          const bytes = Uint8Array.from(atob(picture), (c) => c.charCodeAt(0));
          const image = await createImageBitmap(new Blob([bytes]));
          const canvas = new OffscreenCanvas(image.width, image.height).getContext("2d");
          canvas.drawImage(image, 0, 0);
          const read = canvas.getImageData(0, 0, image.width, image.height).data;
          let text = "";
          for (let i = 0; i < read.length; i += 8192) text += String.fromCharCode(...read.subarray(i, i + 8192));
          return [image.width, image.height, btoa(text)];
        }""",
        base64.b64encode(picture).decode(),
    )
    return np.frombuffer(base64.b64decode(read), np.uint8).reshape(height, width, 4)[:, :, :3]


def small_png(image: np.ndarray) -> bytes:
    """A PNG of the 256 commonest colours; every other becomes the nearest of them, which hardly shows."""
    colours, places, counts = np.unique(image.reshape(-1, 3), axis=0, return_inverse=True, return_counts=True)
    kept = colours[np.argsort(-counts)[:256]].astype(int)
    nearest = np.array([((kept - colour) ** 2).sum(axis=1).argmin() for colour in colours.astype(int)], np.uint8)
    rows = nearest[places.ravel()].reshape(image.shape[:2])
    filtered = b"".join(b"\0" + row.tobytes() for row in rows)
    header = struct.pack(">IIBBBBB", image.shape[1], image.shape[0], 8, 3, 0, 0, 0)
    parts = (
        (b"IHDR", header),
        (b"PLTE", kept.astype(np.uint8).tobytes()),
        (b"IDAT", zlib.compress(filtered, 9)),
        (b"IEND", b""),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)) for kind, body in parts
    )


if __name__ == "__main__":
    main()
