"""`kibitz bench`: measure the speed of kibitz on this machine."""

from __future__ import annotations

from typing import Any

from rich import box
from rich.table import Table

from kibitz.cli.screen import JsonOption, print_json, screen, waiting, words


def bench(json: JsonOption = False) -> None:
    """Measure the speed of kibitz on this machine.

    If OpenSpiel is installed (`pip install "kibitz[bench]"`), both are measured in turn and the ratio is shown.
    """
    from kibitz.cli.speed import rows

    measured: list[dict[str, Any]] = []
    with waiting("Measuring …"):
        measured.extend(rows())
    if json:
        return print_json({"rows": measured})
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for title in ("Game", "Benchmark", "Unit"):
        table.add_column(title)
    for title in ("kibitz", "Peer"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("")
    table.add_column("Ratio", justify="right", no_wrap=True)
    for row in measured:
        peer, ratio = row["peer_value"], row["ratio"]
        table.add_row(
            words(row["game"]),
            words(row["what"]),
            words(row["unit"], "dim"),
            words(_number(row["kibitz"]), "bold"),
            _number(peer) if peer else "–",
            words(row["peer"] or "", "dim"),
            words(f"{ratio:.1f} ×", "bold green") if ratio else "",
        )
    screen.print(table)
    return None


def _number(value: float) -> str:
    """A rate with three significant digits."""
    for size, unit in ((1e6, " million"), (1e3, " thousand")):
        if value >= size:
            return f"{value / size:.3g}{unit}"
    return f"{value:.3g}"
