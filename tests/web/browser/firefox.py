"""Firefox, driven by what it understands itself: WebDriver BiDi, as JSON over a socket."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

FIREFOX = "firefox-esr"
PATIENCE = 300  # seconds; only a failure takes that long
LISTENING = re.compile(r"WebDriver BiDi listening on (ws://\S+)")


class Tab:
    """The one tab of a Firefox."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._number = 0
        self._ask("session.new", capabilities={})
        self._context = self._ask("browsingContext.getTree")["contexts"][0]["context"]

    def go_to(self, address: str) -> None:
        self._ask("browsingContext.navigate", context=self._context, url=address, wait="complete")

    def evaluate(self, expression: str) -> Any:
        """What an expression of JavaScript gives; a promise is awaited."""
        answer = self._ask(
            "script.evaluate", expression=expression, target={"context": self._context}, awaitPromise=True
        )
        assert answer["type"] == "success", answer
        return answer["result"].get("value")

    def click(self, x: float, y: float) -> None:
        press = [
            {"type": "pointerMove", "x": round(x), "y": round(y)},
            {"type": "pointerDown", "button": 0},
            {"type": "pointerUp", "button": 0},
        ]
        self._ask(
            "input.performActions",
            context=self._context,
            actions=[{"type": "pointer", "id": "mouse", "actions": press}],
        )

    def reload(self) -> None:
        self._ask("browsingContext.reload", context=self._context, wait="complete")

    def write(self, text: str) -> None:
        """Type on the keyboard, into what has the focus."""
        keys = [{"type": kind, "value": letter} for letter in text for kind in ("keyDown", "keyUp")]
        self._ask(
            "input.performActions", context=self._context, actions=[{"type": "key", "id": "keyboard", "actions": keys}]
        )

    def _ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._number += 1
        self._socket.send(json.dumps({"id": self._number, "method": method, "params": parameters}))
        while True:
            answer = json.loads(self._socket.recv(timeout=PATIENCE))
            if answer.get("id") == self._number:
                assert answer["type"] == "success", answer
                return answer["result"]


@contextmanager
def open_firefox(profile: Path) -> Iterator[Tab]:
    """A Firefox without a window, with a profile of its own, for somebody who prefers reduced motion."""
    profile.mkdir(exist_ok=True)
    (profile / "user.js").write_text('user_pref("ui.prefersReducedMotion", 1);')
    program = shutil.which(FIREFOX)
    assert program, f"Install {FIREFOX} to run this test."
    command = [program, "--headless", "--no-remote", "--profile", str(profile), "--remote-debugging-port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        address = next(found[1] for line in process.stderr if (found := LISTENING.search(line)))
        with connect(f"{address}/session", max_size=None, open_timeout=PATIENCE, ping_interval=None) as socket:
            yield Tab(socket)
    finally:
        process.terminate()
        process.wait(timeout=PATIENCE)
