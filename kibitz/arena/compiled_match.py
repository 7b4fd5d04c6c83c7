"""Whole games in compiled code, with no Python per move, when every seat is a compiled player.

The games are the same, bit for bit, as at a Table: same streams, same views, every move checked against the rules.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from kibitz.arena.games import Games, Outcome, forfeit
from kibitz.bots import bot, is_shipped
from kibitz.compiled import compiled, is_plain, native, numbers, records, unrolled
from kibitz.engine import Engine
from kibitz.errors import RulesError
from kibitz.game import CHANCE, OVER, Game
from kibitz.player import CompiledPlayer
from kibitz.rng import CHANCE_STREAM, FIRST_SEAT_STREAM, OPENING_STREAM, below, series_key, start_stream
from kibitz.state import Cells

ENDLESS = -2  # in the place of a seat at fault: the rules did not end the game


class Desk(NamedTuple):
    """What one game is played on."""

    opening: Any
    true: Any  # [the true state]
    known: Any  # [what the player to act may know], in memory of its own
    scratch: Any  # the words of `known` that hold its scratch fields
    moves: Any
    chances: Any
    streams: Any  # [stream, 2]
    key: Any
    opening_moves: int  # random moves before the players are asked
    opening_stream: Any
    first_stream: int  # 1 where there is no chance to draw for
    hidden: bool


class Sheet(NamedTuple):
    """Where the results are written: one row a game."""

    number: Any  # of the game: its bots draw from streams of its own
    luck: Any  # of the group: its games draw the same chance
    bots: Any
    payoff: Any
    score: Any
    choices: Any
    fault_seat: Any
    plies: Any  # how many turns and moves were written
    turns: Any  # [game, ply]; no columns when moves are not kept
    moves: Any


@compiled
def play_rows(game: Any, line_up: Any, desk: Desk, sheet: Sheet) -> None:
    """Play the games of a sheet."""
    longest = sheet.turns.shape[1]
    for row in range(len(sheet.number)):
        desk.true[0] = desk.opening[0]
        s = desk.true[0]
        for stream in range(desk.first_stream, len(desk.streams)):
            number = sheet.luck[row] if stream == CHANCE_STREAM else sheet.number[row]
            start_stream(desk.key, number, stream, desk.streams[stream])
        ply = 0
        if desk.opening_moves:
            start_stream(desk.key, sheet.luck[row], OPENING_STREAM, desk.opening_stream)
            for _ in range(desk.opening_moves):
                ply = open_at_random(game, desk, s, ply, sheet.turns[row], sheet.moves[row])
        while s.turn != OVER and ply < game.max_plies:
            turn = s.turn
            if turn == CHANCE:
                move = game.draw(s, desk.moves, desk.chances, desk.streams[CHANCE_STREAM])
            else:
                available = game.moves(s, desk.moves)
                view = s
                if desk.hidden:
                    desk.known[0] = desk.true[0]
                    desk.scratch[:] = 0  # work space may betray what it was used for
                    view = desk.known[0]
                    game.redact(view, turn)
                sheet.choices[row, turn] += 1
                rng = desk.streams[FIRST_SEAT_STREAM + turn]
                move = choose(game, line_up, sheet.bots[row, turn], view, desk.moves, available, turn, rng)
                if not is_among(desk.moves, available, move):
                    break
            if ply < longest:
                sheet.turns[row, ply] = turn
                sheet.moves[row, ply] = move
            ply += 1
            game.play(s, move)
        sheet.plies[row] = min(ply, longest)
        if s.turn == OVER:
            game.payoff(s, sheet.payoff[row])
            game.score(s, sheet.score[row])
        else:  # noted here: in the loop it would cost every move a third of its time
            sheet.fault_seat[row] = s.turn if ply < game.max_plies else ENDLESS


@compiled
def open_at_random(game: Any, desk: Desk, s: Any, ply: int, kept_turns: Any, kept_moves: Any) -> int:
    """Make a random move, after what chance does before it, unless the game is over; return the plies so far."""
    moved = False
    while not moved and s.turn != OVER and ply < game.max_plies:
        moved = s.turn != CHANCE
        if moved:
            move = desk.moves[below(desk.opening_stream, game.moves(s, desk.moves))]
        else:
            move = game.draw(s, desk.moves, desk.chances, desk.streams[CHANCE_STREAM])
        if ply < len(kept_turns):
            kept_turns[ply] = s.turn
            kept_moves[ply] = move
        ply += 1
        game.play(s, move)
    return ply


@compiled
def choose(game: Any, line_up: Any, bot: int, s: Any, moves: Any, count: int, player: int, rng: Any) -> int:
    """The move of the bot in question, on what it may know."""
    at = 0
    move = -1
    for seated in unrolled(line_up):
        if at == bot:
            move = seated[0].pick(game, s, moves, count, player, seated[1], rng)
        at += 1  # noqa: SIM113  (numba unrolls no enumeration)
    return move


@compiled
def is_among(moves: Any, count: int, move: int) -> bool:
    """Whether a move is one of the legal ones."""
    found = False
    for i in range(count):  # to the end: a way out that nobody can foretell would cost more
        found |= moves[i] == move
    return found


def new_desk(game: Game, seed: int | str, opening_moves: int = 0) -> Desk:
    """What games of a series with one seed are played on."""
    opening, known = records(1, game.dtype), np.zeros(1, game.dtype)
    opening[0] = native(Engine(game).start())
    face = Cells if is_plain() else np.asarray
    return Desk(
        opening=opening,
        true=records(1, game.dtype),
        known=face(known),
        scratch=face(known.view("u8")[game.public_words :]),
        moves=numbers(max(game.max_moves, game.max_outcomes), "i8"),
        chances=numbers(max(game.max_outcomes, 1), "f8"),
        streams=numbers((FIRST_SEAT_STREAM + game.players, 2), "u8"),
        key=series_key(seed),
        opening_moves=opening_moves,
        opening_stream=numbers(2, "u8"),
        first_stream=CHANCE_STREAM if game.has_chance else FIRST_SEAT_STREAM,
        hidden=game.has_hidden_information,
    )


class CompiledMatch:
    """A line-up of compiled players with all the memory their games take. Not to be shared between threads."""

    def __init__(self, game: Game, specs: Sequence[str], seed: int | str, opening_moves: int = 0) -> None:
        self.game = game
        self._specs = specs
        # Every player once and in one order, whatever the seats: fewer line-ups to compile for.
        different = sorted(set(specs))
        self._places = np.array([different.index(spec) for spec in specs], "i2")
        players = [bot(spec, game) for spec in different]
        line_up = tuple((player, player.memory(game)) for player in players)
        desk = new_desk(game, seed, opening_moves)
        self._fixed = game, line_up, desk
        self._play_rows = play_rows.bind(*self._fixed, self._sheet(Games.empty(0, game.players), False))  # type: ignore[attr-defined]

    @staticmethod
    def fits(game: Game, specs: Sequence[str]) -> bool:
        """Whether all of these bots are compiled players that came with kibitz: others play in their own processes."""
        return not is_plain() and all(
            is_shipped(spec, game) and isinstance(bot(spec, game), CompiledPlayer) for spec in dict.fromkeys(specs)
        )

    def play(self, number: np.ndarray, group: np.ndarray, bots: np.ndarray, keep_moves: bool) -> Games:
        """Play games, each with the luck of its group."""
        games = Games.empty(len(number), self.game.players)
        games.game[:], games.group[:], games.bots[:] = number, group, bots
        sheet = self._sheet(games, keep_moves)
        started = time.perf_counter()
        self._play_rows(*self._fixed, sheet)
        # What one decision took on average: a clock inside the loop would cost more than the move.
        games.seconds[:] = games.choices * ((time.perf_counter() - started) / max(int(games.choices.sum()), 1))
        if keep_moves:
            games.turns = [sheet.turns[i, : sheet.plies[i]] for i in range(len(number))]
            games.moves = [sheet.moves[i, : sheet.plies[i]] for i in range(len(number))]
        if (games.fault_seat == ENDLESS).any():
            raise RulesError(f"{type(self.game).__name__} did not end within max_plies = {self.game.max_plies}.")
        for row in np.flatnonzero(games.fault_seat >= 0):
            culprit = self._specs[games.bots[row, games.fault_seat[row]]]
            forfeit(games, int(row), Outcome.ILLEGAL, f"{culprit} played what is no legal move.")
        return games

    def _sheet(self, games: Games, keep_moves: bool) -> Sheet:
        shape = len(games), self.game.max_plies if keep_moves else 0
        return Sheet(
            number=games.game,
            luck=games.group,
            bots=np.take(self._places, games.bots),
            payoff=games.payoff,
            score=games.score,
            choices=games.choices,
            fault_seat=games.fault_seat,
            plies=np.zeros(len(games), "i4"),
            turns=np.zeros(shape, "i1"),
            moves=np.zeros(shape, "i4"),
        )
