"""Analysis: what a position is worth, every legal move ranked, and where a game was won and lost.

It refines while somebody looks: every round searches longer than the one before.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from kibitz.bots import Report, Searcher, bot
from kibitz.cli.narration import line_names
from kibitz.errors import KibitzError, SpecError
from kibitz.game import CHANCE, OVER, Game
from kibitz.table import View
from kibitz.web.rooms import Access, Room
from kibitz.web.story import Story
from kibitz.web.thinking import Pool

FALLBACKS = ("uct", "ismcts", "mc")  # judges of games whose best cannot say what it thinks
POSITION_MS = tuple(100 << doubling for doubling in range(8))  # round by round
COURSE_MS = (40, 160, 640)  # for each move of a game
HINT_MS = (1000,)
UNITS = ("sims", "nodes", "deals", "depth")  # what searches count: the first that they have is their budget
LINE_SHOWN = 10
BLUNDER, MOST_BLUNDERS = 0.03, 10  # parts of the win that are worth telling
BETWEEN_UPDATES = 0.2  # seconds

Send = Callable[[dict[str, Any]], None]


class Judge:
    """The strongest bot of a game that can say what it thinks of every move.

    Each round it is given more milliseconds, or more depth if it takes only that; if it takes neither, it looks once.
    """

    def __init__(self, game: Game, budgets: tuple[int, ...]) -> None:
        self._player = _searcher(game)
        self._budgets: list[dict[str, Any]] = [{}]
        options: dict[str, Any] = {f.name: f.default for f in dataclasses.fields(self._player)}  # type: ignore[arg-type]
        if "ms" in options:
            # Time alone decides: of what it counts otherwise it has any number, and the rest is as usual.
            units: dict[str, Any] = {name: options[name] for name in UNITS if name in options}
            units.update(dict.fromkeys(list(units)[:1], 0))
            self._budgets = [{**units, "ms": ms} for ms in budgets]
        elif "depth" in options:
            self._budgets = [{"depth": depth} for depth in range(1, self._player.depth + 1)]  # type: ignore[attr-defined]

    @property
    def rounds(self) -> int:
        return len(self._budgets)

    def look(self, view: View, number: int) -> Report:
        """What it thinks in a round."""
        for option, value in self._budgets[number].items():
            if getattr(self._player, option) != value:
                setattr(self._player, option, value)  # it stays the same bot, whose tree goes on growing
        return self._player.analyse(view)


def _searcher(game: Game) -> Searcher:
    for spec in ("best", *FALLBACKS):
        try:
            found = bot(spec, game)
        except SpecError:
            continue
        if isinstance(found, Searcher) and dataclasses.is_dataclass(found):
            return found
    raise KibitzError("There is no bot that could analyse this game.")


# ------------------------------------------------------------------ one position


async def analyse(pool: Pool, room: Room, access: Access, ply: int | None, send: Send) -> None:
    """Rank the moves of a position, again and again, until all is said."""
    story = _open_story(room, access)
    ply = len(story) if ply is None else min(ply, len(story))
    player = story.turn(ply)
    about = {"type": "analysis", "ply": ply, "player": player, "work": "", "exact": False, "value": None, "moves": []}
    if player in (CHANCE, OVER) or not _may_see(room, access, story, ply):
        send({**about, "done": True})
        return
    view, judge, work = story.view(ply, player), Judge(room.setting.game, POSITION_MS), 0
    for number in range(judge.rounds):
        report, moves = await pool.run(partial(_look, judge, view, number), urgent=False)
        work += report.work
        settled = not report.work or all(move["exact"] for move in moves)
        done = settled or number == judge.rounds - 1
        found = {"work": _amount(work, report.unit), "exact": report.best.exact, "value": report.value, "moves": moves}
        send({**about, **found, "done": done})
        if done:
            return


def _look(judge: Judge, view: View, number: int) -> tuple[Report, list[dict[str, Any]]]:
    report = judge.look(view, number)
    moves = [
        {
            "move": ranked.move,
            "name": view.name(ranked.move),
            "clicks": view.board.clicks(view.game, view.state, ranked.move),
            "value": ranked.value,
            "visits": ranked.visits,
            "exact": ranked.exact,
            "line": line_names(view, ranked.line[:LINE_SHOWN]),
        }
        for ranked in report.moves
    ]
    return report, moves


def _open_story(room: Room, access: Access) -> Story:
    if not room.may_analyse(access) or room.story is None:
        raise KibitzError("A game between people is analysed when it is over.")
    return room.story


def _may_see(room: Room, access: Access, story: Story, ply: int) -> bool:
    """Whether somebody may look at a moment of the game through the eyes of whoever was to move."""
    return room.over or not room.setting.game.has_hidden_information or story.turn(ply) in access.seats


def _amount(work: int, unit: str) -> str:
    return f"{work:,} {unit}".replace(",", " ")


async def hint(pool: Pool, room: Room, access: Access) -> dict[str, Any]:
    """What the judge would play."""
    if not room.may_hint(access) or room.story is None:
        raise KibitzError("Hints are for your own turn, when you play alone against bots.")
    version, view = room.version, room.story.view(len(room.story), room.turn)
    report = await pool.run(lambda: Judge(view.game, HINT_MS).look(view, 0))
    move, board = report.best.move, view.board
    sure = " (exactly)" if report.best.exact else ""
    words = f"{view.name(move)}: {100 * report.value:.0f} % to win{sure}"
    clicks = board.clicks(view.game, view.state, move)
    return {"type": "hint", "version": version, "move": move, "clicks": clicks, "words": words}


# ------------------------------------------------------------------ a whole game


class Verdict(NamedTuple):
    """What the judge says of a choice that was made in the game."""

    player: int
    value: float  # the mover's share of the win with the best move …
    lost: float  # … and how much less it is with the one that was played
    name: str
    best: str
    exact: bool


async def course(pool: Pool, room: Room, access: Access, send: Send) -> None:
    """Judge every choice of the game so far, then again and longer."""
    story = _open_story(room, access)
    plies, judge = len(story), Judge(room.setting.game, COURSE_MS)
    views = {
        ply: story.view(ply, story.turn(ply))
        for ply in range(plies)
        if story.turn(ply) >= 0 and _may_see(room, access, story, ply)
    }
    choices = {ply: view for ply, view in views.items() if len(view.moves) > 1}
    played = {ply: story.played(ply).move for ply in choices}
    verdicts: dict[int, Verdict] = {}
    told = time.monotonic()
    for number in range(judge.rounds):
        for ply, view in choices.items():
            if ply in verdicts and verdicts[ply].exact:
                continue
            verdicts[ply] = await pool.run(partial(_judge, judge, view, played[ply], number), urgent=False)
            if time.monotonic() - told > BETWEEN_UPDATES:
                send(_course(room, verdicts, done=False))
                told = time.monotonic()
    send(_course(room, verdicts, done=True))


def _judge(judge: Judge, view: View, move: int, number: int) -> Verdict:
    report = judge.look(view, number)
    # Some judges rank only what is worth a closer look: what they leave out is no better than what they put last.
    best, played = report.best, next((ranked for ranked in report.moves if ranked.move == move), report.moves[-1])
    lost = max(0.0, best.value - played.value)
    # Of moves that are worth the same, the one that was played is as good as any.
    name = view.name(best.move if lost else move)
    return Verdict(view.player, best.value, lost, view.name(move), name, best.exact and played.exact)


def _course(room: Room, verdicts: dict[int, Verdict], done: bool) -> dict[str, Any]:
    players = len(room.setting.seats)
    points: list[dict[str, Any]] = []
    for ply, verdict in sorted(verdicts.items()):
        values: list[float | None] = [None] * players  # of the others nothing is known …
        if players == 2:  # … unless there is just one
            values = [1 - verdict.value] * 2
        values[verdict.player] = verdict.value
        points.append({"ply": ply, "values": values})
    payoff = room.payoff()
    if payoff and room.story:
        points.append({"ply": len(room.story), "values": payoff})
    lost = sorted(((v.lost, ply) for ply, v in verdicts.items() if v.lost >= BLUNDER), reverse=True)
    blunders = [
        {"ply": ply, "seat": v.player, "name": v.name, "best": v.best, "lost": v.lost}
        for v, ply in ((verdicts[ply], ply) for _, ply in lost[:MOST_BLUNDERS])
    ]
    return {"type": "course", "points": points, "blunders": blunders, "done": done}
