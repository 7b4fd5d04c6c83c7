"""Writes the report of a tournament: one HTML page, made from its log.

A game can add its own sections with a function in a file `report.py` next to its rules:

    def report_sections(game: Game, log: Log) -> list[Section]: ...

`log.batches()` yields the games in batches of columns (`whole_groups`, in findings.py, without splitting a group), and
`log.records()` one by one, to replay. Use the tables in kibitz/report/page.py and the charts in kibitz/report/charts.py
for a section's HTML. A log without moves has no such sections.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from kibitz.display.html import Html, element
from kibitz.records.log import Log, as_log
from kibitz.report.findings import Findings
from kibitz.report.page import ReportPage, Section, check_replaceable, paragraph, rendered, spec
from kibitz.report.sections import between, payoff, sections, whole
from kibitz.rules.registry import GameLike
from kibitz.tournament.result import ArenaResult
from kibitz.version import VERSION

__all__ = ["Section", "report_of", "result_of", "write_report"]


def result_of(log: Log, game: GameLike | None = None) -> ArenaResult:
    """The result of a tournament, as far as it is logged; its `seconds` are the total thinking time of all bots.

    Examples:
        >>> import kibitz
        >>> result = kibitz.arena("connect_four", ["greedy", "random"], games=20, seed=1, log="runs/example")
        >>> from kibitz.records.log import Log
        >>> from kibitz.report.report import result_of
        >>> result_of(Log("runs/example")).ranking[0].bot
        'greedy'
    """
    return Findings.of(log, game).result


def report_of(
    log: Log | str | Path,
    *,
    game: GameLike | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> ReportPage:
    """The report of a log as a page, which a notebook shows.

    `game` gives the rules if they cannot be found by the game's spec. `progress(done, total)` is called regularly with
    numbers of games.

    Examples:
        >>> import kibitz
        >>> result = kibitz.arena("connect_four", ["greedy", "random"], games=20, seed=1, log="runs/example")
        >>> from kibitz.report.report import report_of
        >>> report_of("runs/example")
        <ReportPage: connect_four: a tournament>
    """
    findings = Findings.of(as_log(log), game, progress)
    return rendered(f"{_title(findings)}: a tournament", _head(findings), list(sections(findings)), VERSION)


def write_report(
    log: Log | str | Path,
    out: str | Path | None = None,
    *,
    game: GameLike | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Path:
    """Write the report of a log, by default next to its folder, and return its path; an older report is overwritten.

    The other arguments are those of `report_of`.

    Examples:
        >>> import kibitz
        >>> result = kibitz.arena("connect_four", ["greedy", "random"], games=20, seed=1, log="runs/example")
        >>> from kibitz.report.report import write_report
        >>> write_report("runs/example").name
        'example.html'
    """
    log = as_log(log)
    place = log.path.resolve()
    path = Path(out) if out else place.with_name((place.stem if place.is_file() else place.name) + ".html")
    check_replaceable(path)  # before the log is read, which may take minutes
    return report_of(log, game=game, progress=progress).save(path)


def _head(findings: Findings) -> Html:
    """The title, the outcome in a sentence, key figures and warnings."""
    result = findings.result
    best = result.ranking[0]
    won = result.utility(best.share)
    interval = element("span", between(result.game, won), class_="together")
    what = "mean utility" if result.game.has_utilities else "win share"
    outcome = (
        f"{best.bot} came first with a {what} of {payoff(result.game, won.share)} (95\u202f% interval ",
        interval,
        ").",
    )
    figures = {
        "games": whole(result.played),
        "bots": len(result.specs),
        "decisions per game": f"{result.plies_mean:.1f}",
        "faults": whole(result.tally.faults.total()),
    }
    notes = []
    if result.interrupted:
        notes.append(f"The log contains {whole(result.played)} of the {whole(result.schedule.games)} scheduled games.")
    if not result.reproducible:
        notes.append("A bot has a time limit, so the same seed may give a different result.")
    return Html(
        paragraph("kibitz · tournament", class_="eyebrow")
        + element("h1", spec(_title(findings)))
        + (paragraph(*outcome, class_="lead") if len(result.specs) > 1 else "")
        + element(
            "ul",
            *(element("li", element("strong", figure), " ", name) for name, figure in figures.items()),
            class_="figures",
        )
        + "".join(paragraph(note, class_="warning") for note in notes)
    )


def _title(findings: Findings) -> str:
    """The game's spec, without the folder of its file."""
    return Path(findings.log.tournament["game"]).name
