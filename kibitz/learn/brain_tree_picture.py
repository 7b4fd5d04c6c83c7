"""A tree of brains as a picture: each brain with its number and the wins and games of it and its descendants."""

from __future__ import annotations

import html
from collections.abc import Sequence

from kibitz.learn.brain_tree import Node, share

MOST_SHOWN = 150  # brains; of more, those with the most games
WIDTH, HEIGHT = 84, 34  # of a brain
GAP, LEVEL, MARGIN, HEAD = 10, 62, 20, 44
NARROWEST = 480  # so that the title fits
WORST, BEST = (196, 92, 72), (70, 140, 98)  # the colours of win rates 0 and 1; paler in between
PALE = (244, 238, 226)


def picture_of(nodes: Sequence[Node], chosen: Node, title: str) -> str:
    """The tree as SVG."""
    shown = most_played(nodes, chosen)
    children: dict[int, list[Node]] = {node.number: [] for node in shown}
    for node in shown[1:]:
        children[node.parent].append(node)
    at = places(shown, children)
    width = max(NARROWEST, max(x for x, _ in at.values()) + WIDTH + MARGIN)
    height = max(y for _, y in at.values()) + HEIGHT + MARGIN
    heading = f"{title}: {len(nodes):,} brains" + (
        f", the {len(shown)} with the most games" if len(shown) < len(nodes) else ""
    )
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}"'
        f' height="{height:g}" font-family="system-ui, sans-serif" font-size="12" text-anchor="middle">',
        f'<rect width="100%" height="100%" fill="#fffdf8"/><text x="{MARGIN}" y="26" text-anchor="start" '
        f'font-size="15" fill="#3b2a1e">{html.escape(heading)}</text>',
    ]
    for node in shown[1:]:
        (x, y), (above, up) = at[node.number], at[node.parent]
        parts.append(
            f'<path d="M{above + WIDTH / 2:g} {up + HEIGHT:g}C{above + WIDTH / 2:g} {y - 8:g} {x + WIDTH / 2:g} '
            f'{up + HEIGHT + 8:g} {x + WIDTH / 2:g} {y:g}" fill="none" stroke="#b9a68f"/>'
        )
    parts += [drawn(node, *at[node.number], node == chosen) for node in shown]
    return "\n".join([*parts, "</svg>\n"])


def most_played(nodes: Sequence[Node], chosen: Node) -> list[Node]:
    """The brains to show, the root first: each with its parent, and including the chosen one."""
    wanted = sorted(nodes, key=lambda node: (-node.games, node.number))[:MOST_SHOWN]
    numbers = {node.number for node in wanted}
    number = chosen.number
    while number >= 0:
        numbers.add(number)
        number = nodes[number].parent
    return [node for node in nodes if node.number in numbers]


def places(shown: Sequence[Node], children: dict[int, list[Node]]) -> dict[int, tuple[float, float]]:
    """Where each brain is drawn: leaves side by side, parents centred above their children."""
    depth = {shown[0].number: 0}
    for node in shown[1:]:
        depth[node.number] = depth[node.parent] + 1
    across: dict[int, float] = {}
    leaves = 0
    stack = [shown[0].number]
    while stack:
        number = stack[-1]
        unplaced = [child.number for child in children[number] if child.number not in across]
        if unplaced:
            stack.append(unplaced[0])
            continue
        stack.pop()
        below = [across[child.number] for child in children[number]]
        across[number] = (below[0] + below[-1]) / 2 if below else MARGIN + leaves * (WIDTH + GAP)
        leaves += not below
    return {number: (x, HEAD + depth[number] * LEVEL) for number, x in across.items()}


def drawn(node: Node, x: float, y: float, is_chosen: bool) -> str:
    """A brain as SVG."""
    outline = 'stroke="#3b2a1e" stroke-width="2.5"' if is_chosen else 'stroke="#8f7a66"'
    middle = x + WIDTH / 2
    return (
        f"<g><title>brain {node.number}: {share(node):.1%} of {node.games:,} games</title>"
        f'<rect x="{x:g}" y="{y:g}" width="{WIDTH}" height="{HEIGHT}" rx="6" fill="{colour(share(node))}" {outline}/>'
        f'<text x="{middle:g}" y="{y + 14:g}" font-weight="bold">{node.number}</text>'
        f'<text x="{middle:g}" y="{y + 28:g}">{node.wins:g}/{node.games}</text></g>'
    )


def colour(win_rate: float) -> str:
    """The colour of a win rate: pale at one half, stronger towards 0 and 1."""
    end = BEST if win_rate > 0.5 else WORST
    depth = abs(2 * win_rate - 1)
    return "#" + "".join(f"{round(pale + depth * (full - pale)):02x}" for pale, full in zip(PALE, end, strict=True))
