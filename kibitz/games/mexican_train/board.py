"""Mexican Train on screen: the trains one below the other, with their last tiles, and the hand below them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import kibitz
from kibitz.display.scene import Lesson, Scene
from kibitz.display.tasks import with_tasks
from kibitz.display.turning_point import TurningPoint
from kibitz.display.wording import counted
from kibitz.games.mexican_train.effects import describe_move
from kibitz.games.mexican_train.hand_hint import Halves, arrange_hand
from kibitz.games.mexican_train.lessons import lessons
from kibitz.games.mexican_train.redeal import NONE
from kibitz.games.mexican_train.rules import COUNTING, DRAWING, SAUCE, TRAINS
from kibitz.games.mexican_train.scene import PALETTE, draw, laid_tiles, tile_name, train_name, train_words
from kibitz.games.mexican_train.tasks import TASKS
from kibitz.games.mexican_train.tiles import HALVES, PIPS, has_tile
from kibitz.games.mexican_train.turning_points import is_last_count, round_end, with_pips
from kibitz.rules.contract import CHANCE, OVER
from kibitz.state import State

BONE, EDGE, OPEN, GATE = (PALETTE[colour][0] for colour in ("bone", "edge", "open", "gate"))
LAST = OPEN  # the background of the tile laid last
TRAIN_WIDTH = 33  # characters for the tiles of a train
HAND_WIDTH = 58  # and for a row of a hand

VARIANTS = {
    "hand": "Tiles dealt to each player (0: as many as usual)",
    "common": "Hands as in most rule books (15 tiles for up to four players)",
    "target": "Points that end the game",
    "rounds": "Rounds to play at most (0: no limit)",
    "play_drawn": "A drawn tile that fits is played at once",
    "gate_opens": "Whoever cannot follow a double opens their train",
    "highest": "Highest double of the set",
}

PUZZLES = "puzzles.json"


class Board(kibitz.Board):
    colours = ("#ff6b6b", "#5fd7d7", "#d7af5f", "#87d75f", "#d787d7", "#87afff", "#ffaf87", "#afafaf")
    how_to_move = "Type a tile and its train, as in 3|12 Mexican or 3|12 your; or type draw or pass."
    variants = VARIANTS

    def name(self, game: Any, s: State, move: int) -> str:
        if s.turn == CHANCE:
            return f"counts {move}" if s.phase == COUNTING else f"deal {halves_of(move)}"
        if move == game.draw_move:
            return "draw"
        if move == game.pass_move:
            return "pass"
        return f"{halves_of(move // TRAINS)} {train_notation(move % TRAINS)}"

    def say(self, game: Any, s: State, move: int) -> str:
        if s.turn == CHANCE:
            if s.phase == COUNTING:
                return f"{self.does(s.served, 'is')} left with {counted(move, 'pip')}"
            return f"deal {halves_of(move)}"
        if move == game.draw_move:
            return "draw a tile"
        if move == game.pass_move:
            return "pass"
        train = move % TRAINS
        is_their_own = train == s.turn != self.you
        return f"{halves_of(move // TRAINS)} on {'their own train' if is_their_own else train_words(self, train)}"

    def text(self, game: Any, s: State, last: int | None = None) -> str:
        round_now = s.round + (s.turn != OVER)
        head = f" round {round_now}, to {game.target} points · engine {game.highest}|{game.highest} · boneyard {s.left}"
        titles = f"  {'':<9} {'train':<8} tiles points        end"
        laid, newest = laid_tiles(game, s), last // TRAINS if last is not None and last < game.draw_move else NONE
        lines = [f"[dim]{head}[/]", "", f"[dim]{titles}[/]"]
        for train in (SAUCE, *range(game.players)):
            lines.append(f"{self._engine_end(s, train)}  {train_tags(laid[train], game.highest, newest)}".rstrip())
        for player in range(game.players):
            rows = [s.hand[player, number] for number in range(game.highest + 1)]
            if any(rows):
                lines += ["", *self._hand(rows, s.end[player], player)]
        return "\n".join(lines)

    def _engine_end(self, s: State, train: int) -> str:
        """The columns before a train's tiles: its owner, their tiles and points, and whether others may play on it."""
        if train == SAUCE:
            owner, held = f"{'Mexican':<9}", " " * 12
        else:
            owner = f"[bold {self.colour(train)}]{self.seat(train):<9}[/]"
            held = f"{s.size[train]:>5} {s.points[train]:>6}"
        state = " " * 4
        if s.gate == train:
            state = f"[bold reverse {GATE}]GATE[/]"
        elif s.open >> train & 1:
            state = f"[{OPEN if s.gate == NONE else 'dim'}]open[/]"
        mark = "▸" if train == acting(s) else " "
        return f" [bold]{mark}[/]{owner} {train_notation(train):<8} {held}  {state} [bold]{s.end[train]:>4}[/]"

    def _hand(self, rows: list[int], end: int, player: int) -> list[str]:
        """A hand: first the tiles that fit the player's train one after the other, then the rest."""
        sequence, others = arrange_hand(rows, end)
        lines = []
        for words, tiles in (("sequence", sequence), ("others", others)):
            lines += [f"[dim]{'' if place else words:<8}[/]  {row}" for place, row in enumerate(in_rows(tiles))]
        owner = f"[bold {self.colour(player)}]{self.seat(player):<9}[/]"
        return [f"  {' ' * 9 if place else owner} {line}" for place, line in enumerate(lines)]

    def columns(self, game: Any, s: State) -> dict[str, int | float | str]:
        gate = "" if s.gate == NONE else train_notation(s.gate)
        columns: dict[str, int | float | str] = {"round": s.round, "boneyard": s.left, "gate": gate}
        for player in range(game.players):
            columns[f"hand_{player}"] = " ".join(
                halves_of(tile) for tile in range(game.tiles) if has_tile(s.hand[player], tile)
            )
            columns[f"tiles_{player}"] = s.size[player]
            columns[f"points_{player}"] = s.points[player]
            columns[f"end_{player}"] = s.end[player]
            columns[f"open_{player}"] = s.open >> player & 1
        return {**columns, "end_sauce": s.end[SAUCE], "turn": s.turn}

    def scene(self, game: Any, s: State, viewer: int, last: int | None = None) -> Scene:
        return draw(game, s, viewer, last, self)

    def clicks(self, game: Any, s: State, move: int) -> tuple[str, ...]:
        """A tile and the train on which it is laid; the boneyard to draw; nothing for a pass."""
        if move == game.draw_move:
            return ("boneyard",)
        if move == game.pass_move:
            return ()
        return tile_name(move // TRAINS), train_name(move % TRAINS)

    def steps(self, game: Any, s: State, move: int, viewer: int) -> Iterator[Scene]:
        """The trains at the end of a round, with the last tile and all hands counted, before they are cleared away."""
        if is_last_count(game, s):
            yield draw(game, with_pips(s, move), viewer, last_laid(game, s), self)

    def turning_point(self, game: Any, began: State, before: State, move: int, after: State) -> TurningPoint | None:
        return round_end(self, game, began, before, move, after)

    def counters(self, game: Any, s: State, player: int) -> dict[str, int | str]:
        return {"tiles": s.size[player], "points": s.points[player]}

    def effects(self, game: Any, before: State, move: int, after: State) -> list[str]:
        return describe_move(self, game, before, move, after)

    def lessons(self, game: Any) -> list[Lesson]:
        return with_tasks(lessons(game), TASKS, game)


def last_laid(game: Any, s: State) -> int | None:
    """The move that has just been made, if it laid a tile."""
    if not s.count or s.stuck:
        return None
    tile = s.nth.tolist().index(s.count)
    return int(TRAINS * tile + s.train[tile])


def halves_of(tile: int) -> str:
    """The notation of a tile, its smaller half first."""
    return f"{HALVES[tile, 0]}|{HALVES[tile, 1]}"


def train_notation(train: int) -> str:
    return "sauce" if train == SAUCE else f"train {train}"


def acting(s: State) -> int:
    """Whose turn it is, even while a tile is being drawn."""
    return s.served if s.turn == CHANCE and s.phase == DRAWING else s.turn


def tile_tag(halves: Halves, ground: str = BONE) -> str:
    """A tile as it lies, each number in its colour."""
    one, other = (f"[{PALETTE[f'number-{half}'][0]}]{half}[/]" for half in halves)
    return f"[bold on {ground}]{one}[{EDGE}]|[/]{other}[/]"


def tile_width(halves: Halves) -> int:
    """The number of characters a tile takes, including the space after it."""
    return len(f"{halves[0]}|{halves[1]} ")


def train_tags(tiles: Sequence[int], number: int, newest: int) -> str:
    """The tiles of a train that starts from a number; only the last ones of a long train."""
    tags, widths = [], []
    for tile in tiles:
        halves = number, int(PIPS[tile]) - number
        tags.append(tile_tag(halves, LAST if tile == newest else BONE))
        widths.append(tile_width(halves))
        number = halves[1]
    first = 0
    while sum(widths[first:]) > TRAIN_WIDTH:
        first += 1
    return " ".join(["…", *tags[first:]] if first else tags)


def in_rows(tiles: Sequence[Halves]) -> list[str]:
    """Tiles side by side, in as many rows as they need."""
    rows: list[list[Halves]] = []
    for halves in tiles:
        if not rows or sum(map(tile_width, (*rows[-1], halves))) > HAND_WIDTH:
            rows.append([])
        rows[-1].append(halves)
    return [" ".join(map(tile_tag, row)) for row in rows]
