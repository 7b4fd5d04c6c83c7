"""A bot of another version of kibitz, at a table of this one: how much stronger have the bots become since?

    git worktree add ../before 0123abc                      # the other version
    OtherVersion("../before", "best", kibitz.game("hexplode"))      # a bot like any other, for Table and arena

It thinks in a process of its own, which is told the moves of the game, so it is for games without chance and hidden
information.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import kibitz
from kibitz.rules.registry import spec_of


class OtherVersion:
    """The bot of a checkout in another folder."""

    def __init__(self, checkout: str, spec: str, game: kibitz.Game) -> None:
        if not (Path(checkout) / "kibitz").is_dir():
            raise SystemExit(f"There is no kibitz in the folder {checkout}.")
        environment = {**os.environ, "PYTHONPATH": str(Path(checkout).resolve())}
        command = [sys.executable, __file__, spec, spec_of(game)]
        self.process = subprocess.Popen(
            command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def choose(self, view: kibitz.View) -> int:
        self.process.stdin.write(json.dumps([move for _, move in view.history]) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise SystemExit("The other version has ended.")
        return int(answer)


def main() -> None:
    """Answer each list of moves on stdin with a move on stdout."""
    game = kibitz.game(sys.argv[2])
    known: list[int] = []
    table = kibitz.Table(game)
    bot = kibitz.bot(sys.argv[1], game)
    for line in sys.stdin:
        moves = json.loads(line)
        if moves[: len(known)] != known:
            known, table, bot = [], kibitz.Table(game), kibitz.bot(sys.argv[1], game)
        for move in moves[len(known) :]:
            table.play(move)
        known = moves
        print(bot.choose(table.view(table.turn)), flush=True)


if __name__ == "__main__":
    main()
