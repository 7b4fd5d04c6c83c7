"""Puzzles: positions from recorded games in which one move is clearly best, and the player missed it.

A quick search looks at every decision of a game; where it sees that the player gave much away, a far stronger one
checks the position. What it confirms is a puzzle: the moves that lead to the position, and the value of every move
there. Games with chance and hidden information have puzzles too: the searches know no more than the player did.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kibitz.errors import KibitzError
from kibitz.players.bot import Ranked, Report, Searcher
from kibitz.players.roster import bot
from kibitz.players.turns import take_turn
from kibitz.rules.contract import Game
from kibitz.rules.registry import spec_of
from kibitz.rules.rng import Stream
from kibitz.rules.shipped_files import shipped_file
from kibitz.table import Record, Table
from kibitz.table.replay import opening

FORMAT = 1  # of the file
LONGEST_LINE = 6  # moves of what is expected to follow
FEWEST_MOVES = 3  # to choose from
DECIMALS = 4  # of a value


@dataclass(frozen=True)
class Candidate:
    """A move in a puzzle."""

    name: str
    value: float  # the mover's share of the win, or normalized utility
    exact: bool  # whether the value is proven, not estimated
    line: tuple[str, ...]  # what is expected to follow, this move first


@dataclass(frozen=True)
class Puzzle:
    """A position to find the best move in."""

    game: str  # the spec
    moves: tuple[str, ...]  # that lead to the position, chance outcomes included, in the game's notation
    played: str  # what the player chose in the game
    candidates: tuple[Candidate, ...]  # every legal move, best first

    @property
    def best(self) -> Candidate:
        """The solution."""
        return self.candidates[0]

    def candidate(self, name: str) -> Candidate:
        """The candidate of a name."""
        return next(found for found in self.candidates if found.name == name)

    def set_up(self, game: Game) -> Table:
        """A table with the position; an error if the rules do not lead there any more, or to other choices."""
        table = Table(game, 0, deal=False)
        try:
            for name in self.moves:
                table.play(name)
        except KibitzError as error:
            raise KibitzError(f"A puzzle of {self.game} cannot be reached under the current rules: {error}") from None
        if sorted(table.names) != sorted(candidate.name for candidate in self.candidates):
            raise KibitzError(f"A puzzle of {self.game} has other legal moves under the current rules.")
        return table

    def document(self) -> dict[str, Any]:
        """The puzzle as JSON."""
        return {
            "moves": list(self.moves),
            "played": self.played,
            "candidates": [[c.name, c.value, c.exact, list(c.line)] for c in self.candidates],
        }


@dataclass(frozen=True)
class Finder:
    """How puzzles are found: who plays the games, which search looks, which one checks, and what counts as clear."""

    game: Game
    players: tuple[str, ...]  # who take turns in the seats
    scan: str
    check: str
    gap: float  # by which the best move must exceed all others: a share of the win

    def find(
        self,
        games: int,
        seed: int,
        most: int,
        progress: Callable[[int, int], None] = lambda found, games: None,
    ) -> list[Puzzle]:
        """Puzzles from so many games, at most one from each, until there are `most`."""
        found: list[Puzzle] = []
        for number in range(games):
            if len(found) == most:
                break
            record = play_game(self.game, self.players, seed, number)
            found += self.in_game(record, Stream("puzzles", seed, number), found)
            progress(len(found), number + 1)
        return found

    def in_game(self, record: Record, luck: Stream, known: Sequence[Puzzle] = ()) -> list[Puzzle]:
        """The puzzle of a recorded game, if there is one that is not known yet.

        Of several it is a random one, so that there are puzzles from all phases of the game.
        """
        mistakes = list(self._mistakes(record))
        luck.shuffle(mistakes)
        for ply in mistakes:
            puzzle = self._checked(record, ply)
            if puzzle is not None and all(puzzle.moves != other.moves for other in known):
                return [puzzle]
        return []

    def _mistakes(self, record: Record) -> Iterator[int]:
        """The plies at which the quick search sees that the player missed a move that is clearly best."""
        scan, table = searcher(self.scan, self.game), opening(record, self.game)
        for ply, (turn, move) in enumerate(zip(record.turns, record.moves, strict=True)):
            if turn >= 0 and len(table.moves) >= FEWEST_MOVES:
                report = scan.analyse(table.view(turn))
                if report.best.move != move and self._is_clear(report):
                    yield ply
            table.play(move)

    def _checked(self, record: Record, ply: int) -> Puzzle | None:
        """The puzzle at a ply, if the strong search agrees that there is one."""
        table = opening(record, self.game)
        for move in record.moves[:ply]:
            table.play(move)
        view = table.view(table.turn)
        report = searcher(self.check, self.game).analyse(view)
        played = record.moves[ply]
        if report.best.move == played or not self._is_clear(report) or len(report.moves) < len(view.moves):
            return None

        def candidate(ranked: Ranked) -> Candidate:
            line = view.line_names(ranked.line[:LONGEST_LINE])
            return Candidate(view.name(ranked.move), round(ranked.value, DECIMALS), ranked.exact, tuple(line))

        ranked = sorted(report.moves, key=lambda ranked: -ranked.value)
        names = tuple(table.history_names)
        return Puzzle(spec_of(self.game), names, view.name(played), tuple(map(candidate, ranked)))

    def _is_clear(self, report: Report) -> bool:
        best, *others = report.moves  # a search may rank a move lower that it has hardly tried
        return all(best.value - other.value >= self.gap for other in others)


def searcher(spec: str, game: Game) -> Searcher:
    """A search by its spec; an error if the bot is none."""
    found = bot(spec, game)
    if not isinstance(found, Searcher):
        raise KibitzError(f"{spec} cannot judge moves, because it is not a search; use uct, for example.")
    return found


def play_game(game: Game, specs: Sequence[str], seed: int, number: int) -> Record:
    """A game of a series; the bots change seats from game to game."""
    seats = [specs[(seat + number) % len(specs)] for seat in range(game.players)]
    players = [bot(spec, game) for spec in seats]
    table = Table(game, seed, number=number, seats=seats)
    while not table.over:
        take_turn(table, players[table.turn], seats[table.turn])
    return table.record()


# ------------------------------------------------------------------ the file of a game's puzzles


def shipped_puzzles(game: Game) -> tuple[Puzzle, ...]:
    """The puzzles that ship with a game; none if it has none for this variant."""
    path = shipped_file(game, "puzzles")
    return () if path is None else read_puzzles(path)


def read_puzzles(path: Path) -> tuple[Puzzle, ...]:
    """The puzzles that `write_puzzles` wrote; a KibitzError if the file is anything else."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        if document["format"] != FORMAT:
            raise KibitzError(f"{path} has puzzles of format {document['format']!r:.20}; only {FORMAT} can be read.")
        return tuple(_puzzle(document["game"], written) for written in document["puzzles"])
    except OSError as error:
        raise KibitzError(f"{path}: {error.strerror}.") from None
    except (ValueError, KeyError, TypeError) as error:
        raise KibitzError(f"{path} has no puzzles: {error!r:.80}.") from None


def _puzzle(game: str, written: dict[str, Any]) -> Puzzle:
    candidates = tuple(
        Candidate(str(name), float(value), bool(exact), tuple(line))
        for name, value, exact, line in written["candidates"]
    )
    return Puzzle(game, tuple(written["moves"]), str(written["played"]), candidates)


def write_puzzles(path: Path, game: Game, command: str, puzzles: Iterable[Puzzle]) -> None:
    """Write puzzles to a file, one per line, with the command that finds them."""
    lines = ",\n".join(json.dumps(puzzle.document(), ensure_ascii=False) for puzzle in puzzles)
    head = json.dumps({"format": FORMAT, "game": spec_of(game), "command": command}, ensure_ascii=False)
    path.write_text(f'{head[:-1]}, "puzzles": [\n{lines}\n]}}\n', encoding="utf-8")
