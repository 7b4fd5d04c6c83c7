"""How long it takes from a click on a game to the first move: `python benchmarks/cold_start.py GAME …`.

For each game, a server is started twice with the same cache: first empty, then as the first one left it. A table with
the casual bot is set up as soon as the server answers, as a click on the game's card does it; it can be played when its
rules and its bot are ready. The first page that a browser shows is part of neither time.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

POLL_SECONDS = 0.05


def ask(address: str, body: Any = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address, data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=600) as answer:
        return json.load(answer)


def click_to_playable(game: str, folder: Path) -> float:
    """Seconds until a table can be played, at a server of its own."""
    environment = {**os.environ, "KIBITZ_CACHE": str(folder / "cache")}
    command = [sys.executable, "-m", "kibitz", "serve", "--port", "0", "--data", str(folder / "data")]
    server = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    try:
        address = next(word for word in server.stdout.readline().split() if word.startswith("http"))
        (card,) = [card for card in ask(f"{address}api/games")["games"] if card["name"] == game]
        seats = [{"you": True, "name": "You"}, *[{"bot": "casual"}] * (len(card["seats"]) - 1)]
        began = time.perf_counter()
        table = ask(f"{address}api/tables", {"game": game, "seats": seats, "seed": 1})["id"]
        while (state := ask(f"{address}api/tables/{table}/preparation"))["done"] < state["of"]:
            time.sleep(POLL_SECONDS)
        return time.perf_counter() - began
    finally:
        server.terminate()
        server.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("games", nargs="+", metavar="GAME")
    print("game, cold, warm (seconds from the click to a table that can be played)")
    for game in parser.parse_args().games:
        with tempfile.TemporaryDirectory() as folder:
            cold, warm = (click_to_playable(game, Path(folder)) for _ in range(2))
        print(f"{game}, {cold:.1f}, {warm:.2f}", flush=True)


if __name__ == "__main__":
    main()
