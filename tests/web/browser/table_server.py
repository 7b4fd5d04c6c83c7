"""The server that browsers in these tests talk to: bots hardly wait, and nothing is compiled that no test asks for."""

import sys
from pathlib import Path

import uvicorn

from kibitz.analysis.judge import Judge
from kibitz.table import View
from kibitz.web.app import make_app
from kibitz.web.catalogue import Catalogue
from kibitz.web.limits import Limits, Rate, ThinkingLimits
from kibitz.web.listening import Listening, open_listener
from kibitz.web.server import Server
from kibitz.web.tournaments import TournamentLimits, Tournaments

TOYS = Path(__file__).parents[2] / "toys.py"
OPERATOR = "the-secret-of-whoever-runs-this-one"


def opinion(judge: Judge, view: View) -> dict[int, float]:
    """As if a network shipped with the dice race that never rolls at first."""
    return {0: 0.97, 1: 0.03} if type(judge.game).__name__ == "DiceRace" else {}


if __name__ == "__main__":
    Judge.opinion = opinion  # type: ignore[method-assign]
    listener = open_listener("127.0.0.1", 0)
    print(listener.getsockname()[1], flush=True)
    catalogue = Catalogue([f"{TOYS}:DiceRace"], logs=[Path(sys.argv[1])])
    plenty = Rate(10**9, 10**9)
    # With a high niceness, bots would wait for the tests that run beside them.
    tournaments = Tournaments(catalogue, limits=TournamentLimits(running=10, niceness=0))
    limits = Limits(tables=plenty, tournaments=plenty, thinking=ThinkingLimits(niceness=0))
    server = Server(catalogue, pace=0.1, warm=False, limits=limits, secret=OPERATOR, tournaments=tournaments)
    uvicorn.Server(Listening(make_app(server))).run(sockets=[listener])
