"""The sections of a report, each made from the findings in a log."""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from kibitz.display.axis import Axis, percent
from kibitz.display.board import board_of
from kibitz.display.html import Html, element
from kibitz.display.wording import utility_words
from kibitz.report import charts
from kibitz.report.charts import Bar, Bins, Cell, Interval
from kibitz.report.findings import Findings
from kibitz.report.page import Column, Section, code, paragraph, spec, table
from kibitz.rules.contract import Game
from kibitz.rules.spec import parse_spec
from kibitz.tournament.plot import even_payoff, payoff_axis
from kibitz.tournament.ratings import Rating
from kibitz.tournament.result import ArenaResult, Standing
from kibitz.tournament.schedule import GAUNTLET, ROUND_ROBIN
from kibitz.tournament.standings import about_utilities, labels
from kibitz.tournament.statistics import Share

EXAMPLES = 3  # messages shown for each bot and kind of fault
LONGEST_MESSAGE = 400
SEALED = "published when the tournament is over, which can then be reproduced"  # instead of a secret


def sections(findings: Findings) -> Iterator[Section]:
    """All sections of the report, the most important ones first; the game's own come second to last."""
    yield standings(findings)
    if findings.result.game.players == 2 and len(findings.result.specs) > 2:
        yield pairs(findings)
    if len(findings.result.specs) > 1:
        yield ratings(findings)
    yield seats(findings)
    if findings.result.tally.faults:
        yield faults(findings)
    yield lengths(findings)
    if type(findings.result.game).defines("score") and any(findings.scores):
        yield scores(findings)
    yield times(findings)
    own = findings.result.game.extra("report_sections")
    if own is not None and findings.log.has_moves:
        yield from own(findings.log)
    yield how(findings)


def standings(findings: Findings) -> Section:
    result = findings.result
    game, even = result.game, even_payoff(result.game)
    axis = payoff_axis(game, even, [result.utility(standing.share) for standing in result.ranking])
    title = "Utility" if game.has_utilities else "Share"
    cells: dict[Column, Callable[[int, Standing], object]] = {
        Column("Bot"): lambda place, s: charts.placed(place, s.bot),
        Column(title, number=True): lambda _, s: (
            element("strong", payoff(game, result.utility(s.share).share)) if s.games else "–"
        ),
        Column("95\u202f% interval", number=True): lambda _, s: (
            between(game, result.utility(s.share)) if s.games else "–"
        ),
        Column(f"{axis.words(axis.low)} to {axis.words(axis.high)}", wide=True): lambda _, s: charts.interval_track(
            interval(game, s.bot, result.utility(s.share)), axis, even
        ),
        Column("Rating" if result.tally.has_orders else "Elo", number=True): lambda _, s: rated(s.rating),
    }
    if type(result.game).defines("score"):
        cells[Column("Score", number=True)] = lambda _, s: "–" if s.score_mean is None else f"{s.score_mean:.2f}"
    cells[Column("Games", number=True)] = lambda _, s: whole(s.games)
    if result.tally.faults:
        cells[Column("Faults", number=True)] = lambda _, s: whole(s.faults.total()) if s.faults else "–"
    rows = [[cell(place, s) for cell in cells.values()] for place, s in enumerate(result.ranking, 1)]
    if game.has_utilities:
        intro = about_utilities(result) + " "
    else:
        intro = "A bot’s share is its average share of the win; a draw or a shared win counts in part. "
    if even is not None:
        what = "Utility" if game.has_utilities else "It"
        intro += f"{what} is {payoff(game, even)} if all bots are equally strong (the dashed line). "
    return Section("Standings", paragraph(intro, _intervals(result)) + table(list(cells), rows, "Standings"))


def _intervals(result: ArenaResult) -> str:
    if result.schedule.paired:
        return "All intervals are 95\u202f% confidence intervals; games with the same luck count as one observation."
    return "All intervals are 95\u202f% confidence intervals."


def pairs(findings: Findings) -> Section:
    """What the bot of each row won against the bot of each column, on average."""
    result = findings.result
    game, order = result.game, by_place(result)
    rows: list[list[Cell | None]] = []
    for a in order:
        met = [result.pair(a, b) if a != b else None for b in order]
        rows.append([None if took is None else _cell(result, took) for took in met])
    names = labels(result.specs)
    what = "mean utility" if game.has_utilities else "share"
    intro = (
        f"The {what} that the bot of each row won against the bot of each column, with its 95\u202f% interval below."
    )
    return Section(
        "Pair by pair", paragraph(intro) + charts.matrix([names[bot] for bot in order], rows, "Row against column")
    )


def _cell(result: ArenaResult, took: Share) -> Cell:
    paid = result.utility(took)
    return Cell(took.share, payoff(result.game, paid.share), between(result.game, paid, 0))


def ratings(findings: Findings) -> Section:
    result = findings.result
    names = labels(result.specs)
    html = paragraph(
        "Strength on the Elo scale (Bradley–Terry model): a bot with 400 points more wins ten games for every loss. "
        if not result.tally.has_orders
        else "Strength on the Elo scale, estimated from the finishing orders (Plackett–Luce model): a bot with 400 "
        "points more finishes first ten times as often. ",
        "The mean is 0.",
    )
    pools = sorted({rating.pool for rating in result.ratings})
    if len(pools) > 1:
        html = Html(
            html + paragraph("Bots that never met, not even through others, cannot be compared.", class_="note")
        )
    for pool in pools:
        rated_bots = sorted(
            ((rating, names[bot]) for bot, rating in enumerate(result.ratings) if rating.pool == pool),
            key=lambda pair: -pair[0].rating,
        )
        rows = [Interval(name, r.rating, r.low, r.high, rated(r)) for r, name in rated_bots]
        axis = Axis.linear([0, *(end for row in rows for end in (row.low, row.high))], signed)
        html = Html(html + charts.interval_plot(rows, axis, "Ratings with 95\u202f% intervals", reference=0))
    return Section("Ratings", html)


def seats(findings: Findings) -> Section:
    result = findings.result
    game, board, even = result.game, board_of(result.game), even_payoff(result.game)
    paid = [result.utility(took) for took in result.seats]
    rows = [interval(game, board.seat(seat), took) for seat, took in enumerate(paid)]
    axis = payoff_axis(game, even, paid)
    what = "mean utility" if game.has_utilities else "share of the win"
    intro = (
        f"The {what} that each seat takes, averaged over the bots. Bots rotate through the seats, so this is "
        "the game’s own bias"
    )
    intro += "." if even is None else f"; {payoff(game, even)} would be fair."
    title = "Utility" if game.has_utilities else "Share"
    chart = charts.interval_plot(rows, axis, f"{title} by seat with 95\u202f% intervals", reference=even)
    return Section("Seats", paragraph(intro) + chart)


def faults(findings: Findings) -> Section:
    """How often each bot committed which fault, with examples to replay."""
    result = findings.result
    names, places = labels(result.specs), by_place(result)
    played = {standing.bot: standing.games for standing in result.ranking}
    rows, examples = [], []
    for (bot, kind), times in sorted(
        result.tally.faults.items(), key=lambda item: (places.index(item[0][0]), item[0][1])
    ):
        messages, games = result.tally.messages[bot, kind], played[names[bot]]
        rows.append(Bar(f"{names[bot]}, {kind.words}", times / games, f"{whole(times)} of {whole(games)} games"))
        shown = messages.counts.most_common(EXAMPLES)
        for message, count in shown:
            short = message if len(message) <= LONGEST_MESSAGE else message[:LONGEST_MESSAGE] + " …"
            first = whole(messages.first[message])
            examples.append([spec(names[bot]), kind.words, whole(count), first, element("q", short)])
        if others := times - sum(count for _, count in shown):
            examples.append([spec(names[bot]), kind.words, whole(others), "", "others"])
    axis = Axis.linear([0, *(row.length for row in rows)], lambda part: f"{100 * part:.3g}\u202f%")
    counted = Column("Count", number=True), Column("First game", number=True)
    columns = Column("Bot"), Column("Fault"), *counted, Column("Message")
    replay = shlex.join(["kibitz", "replay", str(findings.log.path), "--game"]) + " N"
    return Section(
        "Faults",
        paragraph(forfeited(result.game))
        + charts.bars(rows, axis, "Games lost by a fault")
        + table(columns, examples, "Examples of faults")
        + paragraph("To replay game N: ", code(replay), class_="note"),
    )


def lengths(findings: Findings) -> Section:
    counts = {float(length): count for length, count in findings.result.tally.lengths.items()}
    shortest, longest = min(counts), max(counts)
    intro = "Decisions per game by all players together; chance outcomes are not counted. "
    if shortest == longest:
        return Section("Length of games", paragraph(intro, f"Every game took {longest:g}."))
    intro += f"The median is {_median(counts):g}, the shortest game took {shortest:g}, the longest {longest:g}."
    if findings.result.tally.faults:
        intro += " Games that ended with a fault are included."
    return Section("Length of games", paragraph(intro) + charts.histogram(counts, "Decisions per game", "games"))


def _median(counts: dict[float, int]) -> float:
    values = sorted(counts)
    below = np.cumsum([counts[value] for value in values])
    return values[int(np.searchsorted(below, below[-1] / 2))]


def scores(findings: Findings) -> Section:
    """The distribution of each bot's scores, all on the same scale."""
    result = findings.result
    names = labels(result.specs)
    scored = {bot: findings.scores[bot] for bot in by_place(result) if findings.scores[bot]}
    bins = Bins.holding(value for counts in scored.values() for value in counts)
    highest = max(max(bins.heights(counts)) / counts.total() for counts in scored.values())
    figures = [
        element(
            "figure",
            element("figcaption", spec(names[bot])),
            charts.histogram(counts, f"Scores of {names[bot]}", "scores", bins=bins, height=90, highest=highest),
        )
        for bot, counts in scored.items()
    ]
    intro = "Each bot’s final scores" + ("; lower is better." if result.game.score_lower_wins else ".")
    return Section("Scores", paragraph(intro) + element("div", *figures, class_="multiples"))


def times(findings: Findings) -> Section:
    result = findings.result
    if findings.timed_together:
        pace = 1000 * result.seconds / max(result.tally.decisions, 1)
        intro = "Whole games ran in compiled code, where bots are not timed individually; a decision took "
        return Section("Time per move", paragraph(intro, element("strong", duration(pace)), " on average."))
    rows = []
    for bot, standing in zip(by_place(result), result.ranking, strict=True):
        if standing.move_ms:
            low, middle, high = (findings.paces[bot].quantile(share) for share in (0.05, 0.5, 0.95))
            words = f"{duration(middle)} (mean {duration(standing.move_ms)})"
            rows.append(Interval(standing.bot, middle, low, high, words))
    least = min((row.low for row in rows if row.low > 0), default=1.0)
    axis = Axis.powers([least, *(row.high for row in rows)], duration)
    intro = (
        "A bot’s time per decision in its median game, and the range of all its games but the fastest and slowest "
        "5\u202f%. The mean includes these, for example a first game in which a search had to be compiled."
    )
    return Section("Time per move", paragraph(intro) + charts.interval_plot(rows, axis, "Time per move"))


def how(findings: Findings) -> Section:
    """How the tournament was played, and how to reproduce it."""
    result, versions = findings.result, findings.log.index.get("versions", {})
    schedule = result.schedule
    formats = {
        GAUNTLET: "gauntlet: the first bot against each of the others",
        ROUND_ROBIN: f"round robin: all {'pairs' if schedule.players == 2 else 'combinations'} of bots",
    }
    facts: list[tuple[str, object]] = [
        ("Game", code(findings.log.tournament["game"])),
        ("Bots", element("ol", *(element("li", code(bot)) for bot in result.specs))),
        ("Games", f"{whole(result.played)} of {whole(schedule.games)}" if result.interrupted else whole(result.played)),
        ("Format", formats[schedule.format]),
        ("Luck", "the same in all rotations of the seats" if schedule.paired else "different in every game"),
        ("Seed", code(str(result.seed))),
        *([("Sandbox", result.sandbox)] if result.sandbox else ()),
        *([("Secret", code(result.secret) if result.secret else SEALED)] if result.has_secret else ()),
        ("Versions", ", ".join(f"{name} {version}" for name, version in versions.items())),
        ("Log", code(str(findings.log.path))),
    ]
    listed = [item for term, what in facts for item in (element("dt", term), element("dd", what))]
    played = element("dl", *listed, class_="facts")
    if result.has_secret and result.secret is None:
        return Section("How it was played", played)
    if not result.reproducible:
        again = "To play the tournament again (a bot has a time limit, so its moves may differ):"
    elif result.local_bots:
        again = f"To reproduce the tournament, in a program that defines {', '.join(result.local_bots)}:"
    elif any(parse_spec(bot).command for bot in result.specs):
        again = "To reproduce the tournament, provided that programs use no randomness but the seed they are given:"
    elif any(parse_spec(bot).file for bot in result.specs):
        again = "To reproduce the tournament, provided that bots from files use no randomness but view.rng:"
    else:
        again = "To reproduce the tournament move by move:"
    reproduced = command(findings.log.tournament, result.secret)
    return Section("How it was played", played + paragraph(again) + element("pre", code(reproduced)))


def command(tournament: dict[str, Any], secret: str | None = None) -> str:
    """The command that reproduces a tournament."""
    game, bots, games, seed = (tournament[name] for name in ("game", "bots", "games", "seed"))
    format, paired = tournament["format"], tournament["paired"]
    opening, limit = tournament.get("opening", 0), tournament.get("limit")
    local = tournament.get("local_bots", ())
    if isinstance(seed, str) or local:  # the command line accepts only integers and specs
        listed = ", ".join(bot if bot in local else repr(bot) for bot in bots)
        mixed = f", {secret=}" if secret else ""
        fixed = f"{games=}, {seed=}{mixed}, {format=}, {paired=}, {opening=}, {limit=}"
        return f"kibitz.arena({game!r}, [{listed}], {fixed})"
    words = ["kibitz", "arena", game, *bots, "--games", str(games), "--seed", str(seed)]
    if secret:
        words += ["--secret", secret]
    if format != ROUND_ROBIN:
        words += ["--format", format]
    if not paired:
        words += ["--no-paired"]
    if opening:
        words += ["--opening", str(opening)]
    if limit:
        words += ["--limit", limit]
    return shlex.join(words)


def by_place(result: ArenaResult) -> list[int]:
    """The numbers of the bots, best first."""
    names = labels(result.specs)
    return [names.index(standing.bot) for standing in result.ranking]


def forfeited(game: Game) -> str:
    """What a fault costs."""
    if not game.has_utilities:
        return "A bot that commits a fault loses the game; the others share the win."
    rest = "share the rest" if game.is_constant_sum else "get the maximum"
    return f"A bot that commits a fault gets the minimum utility; the others {rest}."


def payoff(game: Game, paid: float) -> str:
    """A share of the win, or a utility."""
    return utility_words(paid) if game.has_utilities else percent(paid, fine=True)


def interval(game: Game, label: str, took: Share) -> Interval:
    """A payoff as a row of a plot."""
    return Interval(label, took.share, took.low, took.high, f"{payoff(game, took.share)} ({between(game, took)})")


def between(game: Game, share: Share, decimals: int = 1) -> str:
    """The confidence interval of a payoff: of a share in per cent, or of a utility."""
    if game.has_utilities:
        return " to ".join(utility_words(end) for end in (share.low, share.high))
    return "\u2009–\u2009".join(f"{100 * end:.{decimals}f}" for end in (share.low, share.high)) + "\u202f%"


def rated(rating: Rating) -> str:
    if not math.isfinite(rating.high):
        return "–"
    return f"{signed(rating.rating)}\u2009±\u2009{(rating.high - rating.low) / 2:.0f}"


def signed(number: float) -> str:
    return f"{number:+.0f}".replace("-", "−") if round(number) else "0"


def whole(number: int) -> str:
    """A number with thousands separators."""
    return f"{number:,}"


def duration(ms: float) -> str:
    """A time in a suitable unit."""
    for unit, size in (("s", 1e3), ("ms", 1.0), ("µs", 1e-3)):
        if ms >= size * 0.9995:
            return f"{ms / size:.3g}\u202f{unit}"
    return f"{ms * 1e6:.3g}\u202fns"
