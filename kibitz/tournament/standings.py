"""The result of a tournament as tables for the terminal."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from kibitz.display.board import board_of
from kibitz.display.wording import utility_bounds, value_words
from kibitz.rules.contract import Game
from kibitz.sandbox.levels import SandboxLevel
from kibitz.tournament.statistics import Share

if TYPE_CHECKING:
    from kibitz.tournament.result import ArenaResult, Standing

MINUS = "−"
NAME_WIDTH = 16  # what the name of a bot gets at least; longer ones are folded
WIDE = 1000  # columns, more than any table has
FAULTS_SHOWN = 10  # different messages


def labels(specs: Sequence[str]) -> list[str]:
    """The bots' names in the standings: their specs, numbered if one occurs twice."""
    return [spec if specs.index(spec) == i else f"{spec} #{specs[:i].count(spec) + 1}" for i, spec in enumerate(specs)]


def shown(result: ArenaResult, width: int) -> RenderableType:
    """Everything about a result, for a terminal of `width` columns."""
    return Group(*(part for table in tables(result, width) for part in (table, "")), *notes(result))


def tables(result: ArenaResult, width: int) -> Iterator[Table]:
    """The tables of a result: the standings, pair by pair, the seats."""
    yield _standings(result, width)
    if result.game.players == 2 and len(result.specs) > 2:
        yield _pairs(result)
    yield _seats(result)


def _standings(result: ArenaResult, width: int) -> Table:
    """The standings; where the names of the bots would not fit, without bars, times and scores, in this order."""
    scores = type(result.game).defines("score")
    faults = any(standing.faults for standing in result.ranking)
    bars = width >= 78 + 8 * scores + 16 * faults
    folded = max(0, max(len(standing.bot) for standing in result.ranking) - NAME_WIDTH)
    for columns in ((bars, True, scores), (False, True, scores), (False, False, scores), (False, False, False)):
        table = _standings_with(result, *columns, faults)
        if Console(width=WIDE).measure(table).maximum - folded <= width:
            break
    return table


def _standings_with(result: ArenaResult, bars: bool, times: bool, scores: bool, faults: bool) -> Table:
    standings = result.ranking
    table = _table()
    table.add_column("", justify="right", style="dim")
    table.add_column("Bot", overflow="fold")
    table.add_column("Games", justify="right", no_wrap=True)
    _add_share_columns(table, result.game, bars)
    table.add_column("Rating" if result.tally.has_orders else "Elo", justify="right", no_wrap=True)
    if scores:
        table.add_column("Score", justify="right", no_wrap=True)
    if times:
        table.add_column("Time/move", justify="right", style="dim", no_wrap=True)
    if faults:
        table.add_column("Faults")
    for place, standing in enumerate(standings, 1):
        cells: list[RenderableType] = [
            str(place),
            Text(standing.bot, "bold" if place == 1 else ""),
            number(standing.games),
            *_share_cells(result.game, standing.share, standing.games, bars),
            _rating(standing),
        ]
        if scores:
            cells.append("–" if standing.score_mean is None else f"{standing.score_mean:.2f}")
        if times:
            cells.append("–" if standing.move_ms is None else _duration(standing.move_ms))
        if faults:
            kinds = ", ".join(f"{count:,} {kind}" for kind, count in sorted(standing.faults.items()))
            cells.append(Text(kinds or "–", "red" if kinds else "dim"))
        table.add_row(*cells)
    return table


def _pairs(result: ArenaResult) -> Table:
    """What the bot of each row won against the bot of each column, on average."""
    names = labels(result.specs)
    order = [names.index(standing.bot) for standing in result.ranking]
    table = _table()
    table.add_column("", justify="right", style="dim")
    table.add_column("Row against column", overflow="fold")
    for place in range(1, len(order) + 1):
        table.add_column(str(place), justify="right")
    for place, a in enumerate(order, 1):
        shares = [result.pair(a, b) if a != b else None for b in order]
        table.add_row(
            str(place),
            Text(names[a]),
            *("–" if share is None else value_words(result.game, share.share) for share in shares),
        )
    return table


def _seats(result: ArenaResult) -> Table:
    board = board_of(result.game)
    table = _table()
    table.add_column("Seat")
    _add_share_columns(table, result.game, bars=True)
    for seat, share in enumerate(result.seats):
        cells = _share_cells(result.game, share, result.played, bars=True)
        table.add_row(Text(board.seat(seat), board.colour(seat)), *cells)
    return table


def notes(result: ArenaResult) -> Iterator[Text]:
    """Sentences about a result: how it was played, and what went wrong."""
    played = f"{number(result.played)} games in {result.seconds:.1f} s ({number(result.rate)}/s)"
    if result.resumed:
        played = f"{number(result.played)} games, {number(result.resumed)} of them from the log"
    yield Text(f"{played}, {result.plies_mean:.1f} decisions per game, seed {result.seed}.", "dim")
    if result.has_secret:
        yield Text(f"Secret: {result.secret or 'published when the tournament is over'}.", "dim")
    if result.game.has_utilities:
        yield Text(about_utilities(result), "dim")
    if result.schedule.opening:
        yield Text(f"Every game began with {result.schedule.opening} random moves.", "dim")
    if result.sprt is not None:
        yield Text(_test(result), "bold")
    if result.interrupted:
        yield Text("Stopped early; only finished games are counted.", "yellow")
    if result.local_bots:
        *others, last = result.local_bots
        named, run = (f"{', '.join(others)} and {last}", "run") if others else (last, "runs")
        yield Text(f"{named} {run} in this process, without a time limit.", "dim")
    if result.sandbox is not None:
        yield Text(_sandbox(result.sandbox), "yellow" if result.sandbox == SandboxLevel.NONE else "dim")
    if not result.reproducible:
        yield Text("A bot has a time limit, so the same seed may give a different result.", "yellow")
    yield from _faults(result)


def _sandbox(level: str) -> str:
    """Where bots played that did not come with kibitz."""
    if level == SandboxLevel.NONE:
        return "Bots from files, and programs, played without a sandbox: they could read, write and run anything."
    return f"Bots from files, and programs, played in sandboxes ({level})."


def _faults(result: ArenaResult) -> Iterator[Text]:
    """The most frequent messages of faults, and how many others there are."""
    messages: Counter[str] = Counter()
    for found in result.tally.messages.values():
        messages.update(found.counts)
    shown = messages.most_common(FAULTS_SHOWN)
    for message, count in shown:
        yield Text(f"{count:,} × {message}", "red")
    if others := result.tally.faults.total() - sum(count for _, count in shown):
        yield Text(f"{others:,} × something else; --json lists the faults.", "red")


def about_utilities(result: ArenaResult) -> str:
    """What the utilities of a game are, and how bots are rated by them."""
    low, high = result.game.min_utility, result.game.max_utility
    if result.tally.has_orders:
        rated = "Ratings count who got more than whom."
    else:
        above = f"u {'+' if low < 0 else MINUS} {abs(low):g}"
        rated = f"For ratings, a utility u counts as ({above}) / {high - low:g} of a win."
    return f"Utility is the mean per game, from {utility_bounds(result.game)}. {rated}"


def _test(result: ArenaResult) -> str:
    """The outcome of the sequential test."""
    assert result.sprt is not None
    low, high = (f"{elo:g}" for elo in (result.sprt.elo0, result.sprt.elo1))
    llr, bounds = result.sprt.llr(result.tally.first_bot_groups), result.sprt.bounds
    measured = f"LLR {llr:.2f}, bounds {bounds[0]:.2f} and {bounds[1]:.2f}".replace("-", MINUS)
    if result.decision is None:
        return f"Undecided whether {result.specs[0]} is {low} or {high} Elo stronger ({measured})."
    found = f"{high} rather than {low}" if result.decision == "accept H1" else f"{low} rather than {high}"
    return f"{result.specs[0]} is {found} Elo stronger ({result.decision.removeprefix('accept ')}; {measured})."


def number(value: float) -> str:
    """A number with thousands separators; only small ones have a fraction."""
    return f"{value:,.0f}" if value >= 10 or value == int(value) else f"{value:.2g}"


def _table() -> Table:
    return Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, collapse_padding=True)


def _add_share_columns(table: Table, game: Game, bars: bool) -> None:
    table.add_column("Utility" if game.has_utilities else "Share", justify="right", no_wrap=True)
    table.add_column("95 % interval", justify="right", style="dim", no_wrap=True)
    if bars:
        table.add_column("")


def _rating(standing: Standing) -> str:
    rating = standing.rating
    if not math.isfinite(rating.high):
        return "–"
    return f"{rating.rating:+.0f} ± {(rating.high - rating.low) / 2:.0f}".replace("-", MINUS)


def _duration(ms: float) -> str:
    if ms < 0.1:
        return f"{1000 * ms:.2g} µs" if ms < 0.01 else f"{1000 * ms:.0f} µs"
    return f"{ms:.1f} ms" if ms < 100 else f"{ms:.0f} ms" if ms < 1000 else f"{ms / 1000:.1f} s"


def _share_cells(game: Game, share: Share, games: int, bars: bool) -> list[RenderableType]:
    bar: list[RenderableType] = [IntervalBar(share) if games else ""] if bars else []
    if not games:
        return ["–", "", *bar]
    words, low, high = (value_words(game, value) for value in (share.share, share.low, share.high))
    return [words, f"{low} {'to' if game.has_utilities else '–'} {high}", *bar]


class IntervalBar:
    """A share and its confidence interval, drawn on a scale from 0 to 1, or from the lowest utility to the highest."""

    WIDEST, NARROWEST = 25, 9

    def __init__(self, share: Share) -> None:
        self.share = share

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        return Measurement(self.NARROWEST, self.WIDEST)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        last = min(options.max_width, self.WIDEST) - 1
        low, at, high = (round(x * last) for x in (self.share.low, self.share.share, self.share.high))
        yield Text.assemble(
            ("·" * low, "bright_black"),
            ("─" * (at - low), "cyan"),
            ("●", "bold bright_cyan"),
            ("─" * (high - at), "cyan"),
            ("·" * (last - high), "bright_black"),
        )
