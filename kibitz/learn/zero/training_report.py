"""The report of a training: one HTML page, made from the history that a network carries along.

Nothing of the game is loaded, so that a network from somebody else cannot run anything.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from pathlib import Path

from kibitz.display.axis import Axis, percent
from kibitz.display.html import Html, element
from kibitz.errors import KibitzError
from kibitz.learn.watched_features import SeenField
from kibitz.learn.zero.history import Gate, History, history_of
from kibitz.learn.zero.network import WIDTHS, widths_of
from kibitz.learn.zero.network_file import TrainedNetwork
from kibitz.report.curves import Point, curve
from kibitz.report.page import Column, ReportPage, Section, code, paragraph, rendered, spec, table
from kibitz.tournament.statistics import Share
from kibitz.version import VERSION


def training_report_of(network: str | Path) -> ReportPage:
    """The report of the training of a network as a page, which a notebook shows."""
    path = Path(network)
    trained = TrainedNetwork.read(path)
    history = history_of(trained, path)
    parts = [
        _strength(history),
        _losses(history),
        _gates(history),
        _what_it_sees(trained, path),
        _how(trained, history, path),
    ]
    title = Path(trained.game).name  # without the folder of its file
    return rendered(f"{title}: a training", _head(trained, history, title), parts, VERSION)


def write_training_report(network: str | Path, out: str | Path | None = None) -> Path:
    """Write the report of the training of a network, by default beside its file, and return its path."""
    return training_report_of(network).save(Path(out) if out else Path(network).with_suffix(".html"))


def _head(trained: TrainedNetwork, history: History, title: str) -> Html:
    """The title, the outcome in a sentence and key figures."""
    last, best = history.gates[-1], _best(history)
    outcome = (
        f"After {best.games:,} games of self-play, the network took {percent(best.strength.share, fine=True)} "
        f"of the win against {best.opponent} (95\u202f% interval ",
        element("span", _between(best.strength), class_="together"),
        ").",
    )
    weights = sum(array.size for array in trained.network)
    figures = {"games": f"{last.games:,}", "gates passed": _passed(history), "weights": f"{weights:,}"}
    if last.seconds is not None:
        figures = {"minutes": f"{last.seconds / 60:.1f}", **figures}
    return Html(
        paragraph("kibitz · training", class_="eyebrow")
        + element("h1", spec(title))
        + paragraph(*outcome, class_="lead")
        + element(
            "ul",
            *(element("li", element("strong", figure), " ", name) for name, figure in figures.items()),
            class_="figures",
        )
    )


def _best(history: History) -> Gate:
    """The gate at which the network in the file took its place."""
    return next((gate for gate in reversed(history.gates) if gate.promoted), history.gates[-1])


def _passed(history: History) -> str:
    return f"{sum(gate.promoted for gate in history.gates)} of {len(history.gates)}"


def _strength(history: History) -> Section:
    opponents = list(dict.fromkeys(gate.opponent for gate in history.gates))
    intro = paragraph(
        "What the latest network won in a match against ",
        *(part for i, opponent in enumerate(opponents) for part in ((" and " if i else ""), code(opponent))),
        ", with its 95\u202f% interval. A ring is a network that lost to the best one so far, which stayed.",
    )
    shares = Axis.linear((0, 1), percent)
    points = [
        Point(gate.games, gate.strength.share, gate.strength.low, gate.strength.high, _told(gate), not gate.promoted)
        for gate in history.gates
    ]
    charts = _by_games_and_minutes(history, points, shares, "Strength", reference=0.5)
    return Section("Learning curve", intro + charts)


def _told(gate: Gate) -> str:
    return f"after {gate.games:,} games: {percent(gate.strength.share, fine=True)} ({_between(gate.strength)})"


def _by_games_and_minutes(
    history: History, points: Sequence[Point], y: Axis, what: str, reference: float | None = None
) -> Html:
    """A curve over the games of training, and another one over the minutes if they are known."""
    charts = [_figure("by games of training", points, "{:,.0f}".format, y, what, reference)]
    minutes = [gate.seconds / 60 for gate in history.gates if gate.seconds is not None]
    if len(minutes) == len(points):
        timed = [point.moved(at) for point, at in zip(points, minutes, strict=True)]
        charts.append(_figure("by minutes", timed, "{:g}".format, y, what, reference))
    return element("div", *charts, class_="multiples")


def _figure(
    along: str,
    points: Sequence[Point],
    words: Callable[[float], str],
    y: Axis,
    what: str,
    reference: float | None,
) -> Html:
    x = Axis.linear((0, *(point.x for point in points)), words, steps=4)
    chart = curve(points, x, y, f"{what} {along}", reference)
    return element("figure", element("figcaption", along[:1].upper() + along[1:]), chart)


def _losses(history: History) -> Section:
    intro = paragraph(
        "How far the network’s outputs were from what it was to learn, in the latest round before each match: its move "
        "probabilities from what the search suggested, its values from results. Losses need not fall to 0, because "
        "neither can be known for certain."
    )
    figures = []
    for name, losses in {
        "Policy": [gate.policy_loss for gate in history.gates],
        "Values": [gate.value_loss for gate in history.gates],
    }.items():
        points = [
            Point(gate.games, loss, loss, loss, f"after {gate.games:,} games: {loss:.3f}")
            for gate, loss in zip(history.gates, losses, strict=True)
        ]
        y = Axis.linear((0, *losses), "{:.3g}".format, steps=4)
        x = Axis.linear((0, *(point.x for point in points)), "{:,.0f}".format, steps=4)
        figures.append(element("figure", element("figcaption", name), curve(points, x, y, f"{name}: loss", height=130)))
    return Section("Losses", intro + element("div", *figures, class_="multiples"))


def _gates(history: History) -> Section:
    timed = any(gate.seconds is not None for gate in history.gates)
    numbers = [Column("Games"), *([Column("Minutes", number=True)] if timed else [])]
    columns = [*numbers, Column("Against the best so far", number=True), Column(""), Column("Strength", number=True)]
    rows = []
    for gate in history.gates:
        minutes = [f"{gate.seconds / 60:.1f}" if gate.seconds is not None else "–"] if timed else []
        against = "–" if gate.against_best is None else _words(gate.against_best)
        rows.append([f"{gate.games:,}", *minutes, against, _verdict(gate), _words(gate.strength)])
    intro = (
        "Now and then, the latest network plays for the place of the best one so far, which it takes if it does not do "
        "worse. The file has the last one that did."
    )
    return Section("Gates", paragraph(intro) + table(columns, rows, "Gate matches"))


def _verdict(gate: Gate) -> str:
    return "the first" if gate.against_best is None else "replaces it" if gate.promoted else "the other stays"


def _what_it_sees(trained: TrainedNetwork, path: Path) -> Section:
    places, (first, second) = len(trained.network.features), widths_of(trained.network)
    moves, players = len(trained.network.move_bias), len(trained.network.value_bias)
    shape = f"{places:,} → {first} → {second} → {moves:,} moves and {players} values"
    title = "What the network sees"
    if trained.features is None:
        return Section(title, paragraph("Features that the game brings along: ", code(shape), "."))
    try:
        fields = [str(SeenField(**values)) for values in trained.features["fields"]]
    except (KeyError, TypeError, ValueError):
        raise KibitzError(f"{path} is damaged: its features are not described as expected.") from None
    intro = paragraph("Found by watching random games, field by field of the record: ", code(shape), ".")
    return Section(title, intro + element("ul", *(element("li", code(field)) for field in fields)))


def _how(trained: TrainedNetwork, history: History, path: Path) -> Section:
    """How it was trained, and how to do that again."""
    words = ["kibitz", "train", trained.game, "--method", "zero", "--seed", str(trained.seed)]
    if history.minutes is None:
        words += ["--games", str(history.games)]
        again = "To train the same network again, bit for bit, on the same kind of machine and with the same version:"
    else:
        words += ["--minutes", f"{history.minutes:g}"]
        again = "To train such a network again (how many games that takes depends on the machine):"
    if history.workers > 1:
        words += ["--workers", str(history.workers)]
    if (width := widths_of(trained.network)[0]) != WIDTHS[0]:
        words += ["--width", str(width)]
    if history.mix:
        words += ["--mix", f"{history.mix:g}"]
    if history.teacher:
        words += ["--teacher", history.teacher]
    words += ["--out", path.name]
    facts = {
        "Game": code(trained.game),
        "Games": f"{history.gates[-1].games:,}, of which the network in the file has seen {trained.games:,}",
        "Seed": code(str(trained.seed)),
        "Workers": history.workers,
        "Plays as": code(f"zero:net={path.name}"),
    }
    listed = [item for term, what in facts.items() for item in (element("dt", term), element("dd", what))]
    return Section(
        "How it was trained",
        element("dl", *listed, class_="facts") + paragraph(again) + element("pre", code(shlex.join(words))),
    )


def _words(share: Share) -> str:
    return f"{percent(share.share, fine=True)} ({_between(share)})"


def _between(share: Share) -> str:
    return f"{100 * share.low:.1f}\u2009–\u2009{100 * share.high:.1f}\u202f%"
