"""Camel Up on screen: the stacks of camels on the track, in colour, and below it what everybody holds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import kibitz
from kibitz.display.scene import Lesson, Piece, Scene
from kibitz.display.tasks import with_tasks
from kibitz.display.turning_point import TurningPoint
from kibitz.games.camelup.effects import describe_roll
from kibitz.games.camelup.lessons import lessons
from kibitz.games.camelup.rolls import is_roll, roll_steps
from kibitz.games.camelup.rules import LEG_PAY, LOSER, ROLL, UNKNOWN, WINNER
from kibitz.games.camelup.scene import (
    camel_hue,
    camel_sign,
    camel_words,
    card_name,
    draw,
    leg_tile_name,
    pile_name,
    placed_tile,
    square_name,
)
from kibitz.games.camelup.tasks import TASKS
from kibitz.games.camelup.track import FACES
from kibitz.games.camelup.turning_points import leg_end
from kibitz.rules.contract import CHANCE, OVER
from kibitz.state import State

INK = "#1c1c1c"  # on the camels
CAMELS = ("#5c9dff", "#4fc46a", "#ff9b45", "#f7dc4a", "#f2f2f2", "#c58bff", "#ff8fb8")
SAND, NUMBER = "#8f7a4f", "#8a919c"
CELL = 4  # characters per square
ROW = 16  # squares per line
LEG_TILES = tuple(LEG_PAY.tolist())
BETS = "win the race", "come last"  # in the order of the piles
CRAZY = "white", "black"
CRAZY_TAGS = f"[bold {INK} on #d0d0d0] w [/]", "[bold #f2f2f2 on #444444] b [/]"

VARIANTS = {"rules": "Edition", "camels": "Camels in the race", "squares": "Squares on the track"}
CHOICES = {
    "rules": {
        "official": "First edition (2014)",
        "second": "Second edition, with crazy camels",
        "camelai": "As in the simulator CamelAI",
    }
}

PUZZLES = "puzzles.json"


class Board(kibitz.Board):
    colours = ("#ff6b6b", "#5fd7d7", "#d7af5f", "#87d75f", "#d787d7", "#87afff", "#ffaf87", "#afafaf")
    how_to_move = "Type roll, oasis 7 or mirage 7 (a square), or a bet: blue leg, green race, yellow last."
    variants = VARIANTS
    choices = CHOICES

    def name(self, game: Any, s: State, move: int) -> str:
        if s.turn == CHANCE:
            camel, face = divmod(move, FACES)
            if camel >= game.camels:
                crazy = CRAZY[camel - game.camels]
                return f"{crazy} rolls {face + 1}" if s.leg else f"{crazy} starts on {game.squares - 1 - face}"
            return f"c_{camel} moves {face + 1}" if s.leg else f"c_{camel} starts on {face}"
        if move == ROLL:
            return "roll"
        if move < game.first_mirage:
            return f"oasis {move}"
        if move < game.first_leg_bet:
            return f"mirage {move - game.first_mirage + 1}"
        if move < game.first_race_bet:
            return f"leg c_{move - game.first_leg_bet}"
        if move < game.first_unseen_bet:
            pile, camel = divmod(move - game.first_race_bet, game.camels)
            return f"{('winner', 'loser')[pile]} c_{camel}"
        return f"{('winner', 'loser')[move - game.first_unseen_bet]} ?"

    def say(self, game: Any, s: State, move: int) -> str:
        if s.turn == CHANCE:
            camel, face = divmod(move, FACES)
            who, is_crazy = camel_words(game, camel), camel >= game.camels
            if not s.leg:
                return f"{who} starts on square {game.squares - 1 - face if is_crazy else face}"
            return f"{who} rolls {face + 1}" if is_crazy else f"{who} moves {face + 1}"
        if move == ROLL:
            return "roll"
        if move < game.first_leg_bet:
            is_oasis = move < game.first_mirage
            return f"oasis on square {move}" if is_oasis else f"mirage on square {move - game.first_mirage + 1}"
        if move < game.first_race_bet:
            return f"bet on {camel_words(game, move - game.first_leg_bet)} to win the leg"
        if move < game.first_unseen_bet:
            pile, camel = divmod(move - game.first_race_bet, game.camels)
            return f"bet on {camel_words(game, camel)} to {BETS[pile]}"
        return f"bet on a camel to {BETS[move - game.first_unseen_bet]}"

    def text(self, game: Any, s: State, last: int | None = None) -> str:
        lines = [line for first in range(0, game.squares, ROW) for line in self._track(game, s, first)]
        return "\n".join([*lines, "", *self._market(game, s), "", *self._players(game, s)])

    def _track(self, game: Any, s: State, first: int) -> list[str]:
        """A line of the track from square `first` on, the stacks above the ground; the finish is after the last one."""
        squares = range(first, min(first + ROW, game.squares))
        columns = [*squares, game.squares] if squares[-1] == game.squares - 1 else [*squares]
        stacks = {square: [""] * game.animals for square in columns}
        for camel in range(game.animals):
            square = min(s.square[camel], game.squares)
            if square in stacks:
                tag = camel_tag(game, camel) if camel < game.camels else CRAZY_TAGS[camel - game.camels]
                stacks[square][s.height[camel]] = tag
        tallest = max((sum(map(bool, stack)) for stack in stacks.values()), default=0)
        lines = []
        for height in range(max(tallest, 1) - 1, -1, -1):
            cells = (stacks[square][height] or " " * (CELL - 1) for square in columns)
            lines.append(" " + " ".join(cells))
        ground = [self._ground(game, s, square) for square in squares]
        numbers = [f"{square:^{CELL - 1}}" for square in squares]
        if len(columns) > len(squares):
            ground.append("[bold]═══[/]")
            numbers.append("end")
        return [
            *lines,
            " " + f"[{SAND}]▔[/]".join(ground),
            f" [{NUMBER}]{' '.join(numbers).rstrip()}[/]",
        ]

    def _ground(self, game: Any, s: State, square: int) -> str:
        """The ground of a square: sand, or a desert tile in its owner's colour."""
        for player in range(game.players):
            if square and abs(s.tile[player]) == square:
                sign = "+1" if s.tile[player] > 0 else "−1"
                return f"[bold {self.colour(player)} reverse]{sign} [/]"
        return f"[{SAND}]{'▔' * (CELL - 1)}[/]"

    def _market(self, game: Any, s: State) -> list[str]:
        """The dice in the pyramid, the leg tiles that are left, and the piles of race cards."""
        camels = range(game.camels)
        dice = [camel_tag(game, camel) for camel in camels if s.dice >> camel & 1]
        if s.dice >> game.camels & 1:
            dice.append("grey")
        lines = [f" [dim]{'leg ' + str(s.leg) if s.leg else 'start':<10}[/] [dim]dice left[/] {' '.join(dice) or '–'}"]
        tiles = [f"{camel_tag(game, camel)} {self._next_tile(game, s, camel)}" for camel in camels]
        lines.append(f" [dim]leg tiles [/] {'  '.join(tiles)}")
        for pile, name in ((WINNER, "winner"), (LOSER, "loser")):
            cards = [self._card(game, s, pile, i) for i in range(s.pile[pile])]
            lines.append(f" [dim]{name:<10}[/] {' '.join(cards) or '–'}")
        carried_off = [camel_tag(game, camel) for camel in camels if s.leg and s.square[camel] < 0]
        if carried_off:
            lines.append(f" [dim]carried back over the start:[/] {' '.join(carried_off)}")
        return lines

    def _next_tile(self, game: Any, s: State, camel: int) -> str:
        return str(LEG_TILES[s.taken[camel]]) if s.taken[camel] < game.leg_tiles else "–"

    def _card(self, game: Any, s: State, pile: int, place: int) -> str:
        """A race card on its pile: its owner and its camel, if known."""
        camel, owner = s.pile_camel[pile, place], s.pile_owner[pile, place]
        face = "[dim]?[/]" if camel == UNKNOWN else camel_tag(game, camel)
        return face if owner == UNKNOWN else f"[{self.colour(owner)}]{owner + 1}[/]:{face}"

    def _players(self, game: Any, s: State) -> list[str]:
        acting = s.turns % game.players if s.leg and s.turn != OVER else None
        lines = [f" [dim]{'':<10}  coins  {'desert tile':<12} leg tiles[/]"]
        for player in range(game.players):
            mark = "▸" if player == acting else " "
            line = f" [bold]{mark}[/][bold {self.colour(player)}]{self.seat(player):<9}[/]  {s.coins[player]:>5}"
            line += f"  {self._tile(s, player):<12} {self._held(game, s, player)}"
            lines.append(line.rstrip())
        return lines

    def _tile(self, s: State, player: int) -> str:
        tile = s.tile[player]
        return f"{'oasis' if tile > 0 else 'mirage'} {abs(tile)}" if tile else "–"

    def _held(self, game: Any, s: State, player: int) -> str:
        """A player's leg tiles and unpaid rolls."""
        held = [
            f"{camel_tag(game, camel)} {LEG_TILES[i]}"
            for camel in range(game.camels)
            for i in range(s.taken[camel])
            if s.holder[camel, i] == player
        ]
        if s.rolls[player]:
            held.append(f"[dim]rolls[/] {s.rolls[player]}")
        return "  ".join(held) or "–"

    def columns(self, game: Any, s: State) -> dict[str, int | float | str]:
        columns: dict[str, int | float | str] = {"leg": s.leg}
        for camel in range(game.camels):
            columns[f"c_{camel}_square"] = s.square[camel]
            columns[f"c_{camel}_height"] = s.height[camel]
        for player in range(game.players):
            columns[f"coins_{player}"] = s.coins[player]
            columns[f"tile_{player}"] = s.tile[player]
        return {**columns, "winner_cards": s.pile[WINNER], "loser_cards": s.pile[LOSER], "turn": s.turn}

    def scene(self, game: Any, s: State, viewer: int, last: int | None = None) -> Scene:
        return draw(game, s, viewer, last, board=self)

    def clicks(self, game: Any, s: State, move: int) -> tuple[str, ...]:
        """The pyramid; a side of the desert tile and a square; a leg tile; or a race card and a pile."""
        if move == ROLL:
            return ("pyramid",)
        if move < game.first_mirage:
            return "oasis", square_name(move)
        if move < game.first_leg_bet:
            return "mirage", square_name(move - game.first_mirage + 1)
        if move < game.first_race_bet:
            camel = move - game.first_leg_bet
            return (leg_tile_name(camel, s.taken[camel]),)
        pile, camel = divmod(move - game.first_race_bet, game.camels)
        return card_name(camel), pile_name(pile)

    def steps(self, game: Any, s: State, move: int, viewer: int) -> Iterator[Scene]:
        return roll_steps(self, game, s, move, viewer) if is_roll(s) else iter(())

    def landing(self, game: Any, s: State, move: int) -> tuple[Piece, ...]:
        """A desert tile on its square."""
        if not 0 < move < game.first_leg_bet:
            return ()
        tile = move if move < game.first_mirage else -(move - game.first_mirage + 1)
        return (placed_tile(game, s.turn, tile),)

    def turning_point(self, game: Any, began: State, before: State, move: int, after: State) -> TurningPoint | None:
        return leg_end(self, game, began, before, move, after)

    def counters(self, game: Any, s: State, player: int) -> dict[str, int | str]:
        return {"coins": s.coins[player]}

    def effects(self, game: Any, before: State, move: int, after: State) -> list[str]:
        return describe_roll(self, game, before, move, after) if before.turn == CHANCE else []

    def lessons(self, game: Any) -> list[Lesson]:
        return with_tasks(lessons(game), TASKS, game)


def camel_tag(game: Any, camel: int, words: str = "") -> str:
    """The initial of a camel's colour, or other words, on that colour."""
    return f"[bold {INK} on {CAMELS[camel_hue(game, camel)]}] {words or camel_sign(game, camel)} [/]"
