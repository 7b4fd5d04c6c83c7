"""A short game in Firefox: the page uses nothing that only Chromium has."""

import time
from pathlib import Path

from firefox import Tab, open_firefox

STATE = "document.querySelector('.table-page')?.dataset.state ?? ''"
PATIENCE = 300  # seconds: the rules may have to be compiled first


def choice_or_end(tab: Tab) -> str:
    """Wait until there is a move to make or the game is over.

    It asks again and again rather than await a promise, which would be lost with the page that is just being left.
    """
    deadline = time.monotonic() + PATIENCE
    while (state := tab.evaluate(STATE)) not in ("yours", "over"):
        assert time.monotonic() < deadline, state
        time.sleep(0.02)
    return str(state)


def spot_to_click(tab: Tab) -> list[float]:
    """The middle of the first highlighted piece."""
    place = """(() => {
      const box = document.querySelector(".piece.can").getBoundingClientRect();
      return JSON.stringify([box.left + box.width / 2, box.top + box.height / 2]);
    })()"""
    x, y = map(float, tab.evaluate(place).strip("[]").split(","))
    return [x, y]


def test_a_game_is_played_to_its_end_in_firefox(server: str, tmp_path: Path) -> None:
    with open_firefox(tmp_path) as tab:
        tab.go_to(server)
        tab.evaluate("""void (async () => {
          const wanted = { game: "connect_four", seats: [{ you: true, name: "You" }, { bot: "random" }], seed: 1 };
          const { open } = await import("/static/dom.js");
          await open("/api/tables", wanted);
        })()""")
        moves = 0
        while choice_or_end(tab) == "yours":
            tab.click(*spot_to_click(tab))
            moves += 1
        assert moves >= 4
        assert tab.evaluate("document.querySelector('.status').textContent").endswith(".")
