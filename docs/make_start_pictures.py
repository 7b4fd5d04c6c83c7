"""Make the pictures and print the figures of docs/camelup-start.md: `.venv/bin/python docs/make_start_pictures.py`.

Plays 200,000 races without desert tiles and as many games of random bots; `--games N` for another number.
"""

import argparse
import itertools
import tempfile
from html import escape
from pathlib import Path

import numpy as np

import kibitz
from kibitz.games.camelup.log_sums import LogSums
from kibitz.games.camelup.race_odds import leg_starts, number_of
from kibitz.games.camelup.rules import CamelUp
from kibitz.games.camelup.start_odds import exact_leaders, exact_odds, lined_up, places
from kibitz.records.log import Log

IMAGES = Path(__file__).parent / "images"
GAME = CamelUp(rules="camelai")
PLACES = places(GAME.camels)
PAPER, INK, SOFT, GRID = "#26221c", "#efe6d2", "#a59a85", "#4a4438"
COLOURS = "#f7dc4a", "#ff9b45", "#4fc46a", "#5c9dff", "#c58bff"  # by place at the start
LEGS = range(6)


def played(bot: str, games: int) -> LogSums:
    """What games of four of a bot show."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        kibitz.arena(GAME, [bot] * 4, games, seed=1, paired=False, log=log)
        return LogSums.of(Log(log), GAME)


def correlation(found: LogSums) -> float:
    """Of the place at the start with the place in the end."""
    centred = np.arange(GAME.camels) - (GAME.camels - 1) / 2
    shares = found.standings / found.games
    return float(centred @ shares @ centred / (centred**2).sum())


def extremes() -> None:
    """Print the starts that decide most."""
    values, camels = np.array(leg_starts(GAME)), GAME.camels
    for title, first in (("wins", 0), ("comes last", camels)):
        odds = []
        for squares, ways in lined_up(GAME):
            row = values[number_of(squares)][first : first + camels]
            odds += [(float(share), squares, PLACES[camels - 1 - rank], ways) for rank, share in enumerate(row)]
        odds.sort()
        for share, squares, place, ways in (odds[-1], odds[0]):
            print(f"{title}: {share:.1%}, started {place} of {squares}, {ways} of {3**camels} starts")


# ------------------------------------------------------------------ pictures


def words(
    x: float, y: float, text: str, size: int = 13, fill: str = INK, anchor: str = "start", bold: bool = False
) -> str:
    weight = ' font-weight="bold"' if bold else ""
    apart = f'stroke="{PAPER}" stroke-width="5" paint-order="stroke"'  # from lines behind it
    style = f'font-size="{size}" fill="{fill}" text-anchor="{anchor}"{weight} {apart}'
    return f'<text x="{x:.1f}" y="{y:.1f}" {style}>{escape(text)}</text>'


def line(x: float, y: float, to_x: float, to_y: float, stroke: str, width: float = 1.0) -> str:
    return f'<path d="M{x:.1f} {y:.1f}L{to_x:.1f} {to_y:.1f}" stroke="{stroke}" stroke-width="{width}"/>'


def picture(width: int, height: int, parts: list[str]) -> str:
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif">'
    return "\n".join([head, f'<rect width="{width}" height="{height}" rx="8" fill="{PAPER}"/>', *parts, "</svg>\n"])


def start_picture(found: LogSums) -> str:
    """Bars for the exact odds; dots with their 95 % intervals for the races played."""
    parts, row, top, wide, most = [], 38, 62, 270, 0.30
    bottom = top + row * len(PLACES)
    for left, title, place in ((90, "wins the race", 0), (455, "comes last", GAME.camels - 1)):
        parts.append(words(left, 30, title, 15, bold=True))
        for tick in range(0, 31, 10):
            x = left + wide * tick / 100 / most
            parts += [line(x, top - 12, x, bottom, GRID), words(x, bottom + 18, f"{tick} %", 11, SOFT, "middle")]
        even = left + wide / GAME.camels / most
        parts.append(f'<path d="M{even:.1f} {top - 12}V{bottom}" stroke="{SOFT}" stroke-dasharray="3 3"/>')
        for began, exact in enumerate(exact_odds(GAME)[place]):
            y, share = top + row * began, found.share(began, place)
            bar = f'<rect x="{left}" y="{y - 8}" width="{wide * exact / most:.1f}" height="24" rx="2"'
            told = f"started {PLACES[began]}, {title}: exactly {exact:.1%}, in {found.games:,} races {share.share:.1%}"
            parts.append(f'{bar} fill="{COLOURS[began]}" fill-opacity="0.8"><title>{escape(told)}</title></rect>')
            low, at, high = (left + wide * end / most for end in (share.low, share.share, share.high))
            parts.append(line(low, y + 4, high, y + 4, INK, 2))
            parts.append(f'<circle cx="{at:.1f}" cy="{y + 4}" r="4" fill="{INK}" stroke="{PAPER}" stroke-width="1.5"/>')
            parts.append(words(left + wide * exact / most + 10, y + 9, f"{100 * exact:.1f}"))
    for began, name in enumerate(PLACES):
        parts.append(words(78, top + row * began + 9, name, anchor="end"))
    return picture(760, bottom + 34, parts)


def legs_picture(found: LogSums) -> str:
    """Who leads after each leg, by place at the start."""
    left, right, top, bottom, most = 56, 640, 50, 300, 0.30
    step = (right - left) / (len(LEGS) - 2)

    def at(leg: int, share: float) -> tuple[float, float]:
        return left + step * (leg - 1), bottom - (bottom - top) * share / most

    parts = [words(left - 32, 28, "leads when the leg ends, by place at the start", 15, bold=True)]
    for tick in range(0, 31, 10):
        y = at(1, tick / 100)[1]
        parts += [line(left, y, right, y, GRID), words(left - 8, y + 4, f"{tick} %", 11, SOFT, "end")]
    for leg in LEGS[1:]:
        parts.append(words(at(leg, 0)[0], bottom + 20, f"leg {leg}", 12, SOFT, "middle"))
    shares = found.leading / np.maximum(found.ended, 1)[:, None]
    labels = spread([at(LEGS[-1], shares[LEGS[-1], began])[1] for began in range(GAME.camels)], 17)
    for began, name in enumerate(PLACES):
        points = [at(leg, shares[leg, began]) for leg in LEGS[1:]]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{COLOURS[began]}" stroke-width="2.5"/>')
        for leg, (x, y) in zip(LEGS[1:], points, strict=True):
            told = f"started {name}: leads after leg {leg} in {shares[leg, began]:.1%} of the races that get so far"
            dot = f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{COLOURS[began]}">'
            parts.append(f"{dot}<title>{escape(told)}</title></circle>")
        parts.append(words(right + 12, labels[began] + 5, f"started {name}", 13, COLOURS[began]))
    return picture(760, bottom + 36, parts)


def spread(heights: list[float], gap: float) -> list[float]:
    """Heights moved down as far as needed for words not to overlap."""
    order, moved = sorted(range(len(heights)), key=lambda i: heights[i]), list(heights)
    for above, below in itertools.pairwise(order):
        moved[below] = max(moved[below], moved[above] + gap)
    return moved


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=200_000)
    games = parser.parse_args().games
    races, with_tiles = played("roll", games), played("random", games)
    (IMAGES / "camelup-start.svg").write_text(start_picture(races))
    (IMAGES / "camelup-legs.svg").write_text(legs_picture(races))
    for title, place in (("wins", 0), ("last", GAME.camels - 1)):
        rows = {"exact": exact_odds(GAME)[place]}
        for name, found in (("races", races), ("with tiles", with_tiles)):
            shares = [found.share(began, place) for began in range(GAME.camels)]
            rows[name] = [share.share for share in shares]
            print(f"{title}, {name}: ± {max(100 * (share.high - share.low) / 2 for share in shares):.2f} points")
        for name, odds in rows.items():
            print(f"{title}, {name:<10}", " ".join(f"{100 * share:5.2f}" for share in odds))
    print("leads after leg 1, exact", " ".join(f"{100 * share:.1f}" for share in exact_leaders(GAME)))
    for leg in LEGS[1:]:
        shares = races.leading[leg] / races.ended[leg]
        part = races.ended[leg] / races.games
        print(f"leads after leg {leg} ({part:.1%} of races)", " ".join(f"{100 * share:.1f}" for share in shares))
    for name, found in (("races", races), ("with tiles", with_tiles)):
        print(f"correlation of start and end, {name}: {correlation(found):.3f}")
    extremes()


if __name__ == "__main__":
    main()
