"""The report of a tournament: one HTML page, made from its log.

A game adds what only it can tell in a file `report.py` beside its rules, with one function:

    def sections(log: Log, game: Game) -> list[Section]: ...

`log.games()` gives all games as columns and `log.records()` one by one, to replay. Tables for a section's HTML are
in kibitz/records/page.py, and charts in kibitz/records/charts.py.
"""

from __future__ import annotations

import contextlib
from pathlib import Path

from kibitz.arena.result import ArenaResult
from kibitz.errors import KibitzError
from kibitz.game import Game
from kibitz.records.files import written_aside
from kibitz.records.findings import Findings
from kibitz.records.log import Log
from kibitz.records.page import GENERATOR, Html, Section, element, paragraph, rendered, spec
from kibitz.records.sections import between, sections, share, whole
from kibitz.version import VERSION

__all__ = ["Section", "result_of", "write_report"]


def result_of(log: Log, game: Game | None = None) -> ArenaResult:
    """The result of the tournament as far as it is logged; its `seconds` are the thinking time of all bots together."""
    return Findings.of(log, game).result


def write_report(folder: str | Path, out: str | Path | None = None, *, game: Game | None = None) -> Path:
    """Write the report of a log, by default beside its folder, and return where; an older report gives way.

    `game` gives the rules where the game's spec does not lead to them.
    """
    log = Log(folder)
    place = log.path.resolve()
    path = Path(out) if out else place.with_name((place.stem if place.is_file() else place.name) + ".html")
    if path.exists() and not _is_report(path):
        raise KibitzError(f"{path} exists already and is no report; remove it or choose another place with --out.")
    findings = Findings.of(log, game)
    parts = list(sections(findings))
    page = rendered(f"{_title(findings)}: a tournament", _head(findings), parts, VERSION)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with written_aside(path) as file:
            file.write(page.encode("utf-8", "replace"))  # a path can hold what UTF-8 cannot
    except OSError as error:
        raise KibitzError(f"{path} cannot be written: {error.strerror or error}.") from error
    return path


def _is_report(path: Path) -> bool:
    with contextlib.suppress(OSError), path.open("rb") as file:
        return GENERATOR.encode() in file.read(1000)
    return False


def _head(findings: Findings) -> Html:
    """The title, what came out in a sentence, the figures everybody asks for first, and what to be careful about."""
    result = findings.result
    best = result.standings[0]
    interval = element("span", between(best.share), class_="together")
    outcome = (
        f"{best.bot} came first: it took {share(best.share.share)} of the wins (95\u202f% interval ",
        interval,
        ").",
    )
    faults = sum(fault.words.total() for fault in findings.faults.values())
    figures = {
        "games": whole(result.games),
        "bots": len(result.specs),
        "decisions per game": f"{result.plies_mean:.1f}",
        "faults": whole(faults),
    }
    notes = []
    if result.interrupted:
        notes.append(
            f"The log holds {whole(result.games)} of the {whole(result.schedule.games)} games that were planned."
        )
    if not result.reproducible:
        notes.append("A bot has a time budget, so the same seed need not give the same result.")
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
