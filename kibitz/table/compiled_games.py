"""Plays whole games in compiled code, without Python between moves, if every seat has a compiled player.

The games are bit-for-bit the same as at a Table: same streams, same views, every move checked against the rules.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from kibitz.compiler import as_buffer, compiled, native, numbers, records, unrolled
from kibitz.rules.contract import CHANCE, OVER, Game
from kibitz.rules.engine import Engine
from kibitz.rules.rng import CHANCE_STREAM, FIRST_SEAT_STREAM, OPENING_STREAM, below, series_key, start_stream

ENDLESS = -2  # instead of the seat at fault: the rules did not end the game


class Desk(NamedTuple):
    """The working memory for playing games, one at a time."""

    opening: Any
    true: Any  # [the true state]
    known: Any  # [what the player to act may know], a separate copy
    scratch: Any  # the words of `known` that hold its scratch fields
    moves: Any
    chances: Any
    streams: Any  # [stream, 2]
    key: Any
    opening_moves: int  # the number of random moves before the players take over
    opening_stream: Any
    first_stream: int  # 1 if the game has no chance, which needs no stream then
    hidden: bool


class Sheet(NamedTuple):
    """The results, one row per game."""

    number: Any  # of the game; determines the streams of its bots
    luck: Any  # of the group, whose games share their chance outcomes
    bots: Any
    payoff: Any
    score: Any
    choices: Any
    fault_seat: Any
    plies: Any  # the number of turns and moves written
    turns: Any  # [game, ply]; without columns if moves are not kept
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
                    desk.scratch[:] = 0  # scratch fields may leak hidden information
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
        else:  # recorded here, since doing it in the loop would slow down every move by a third
            sheet.fault_seat[row] = s.turn if ply < game.max_plies else ENDLESS


@compiled
def open_at_random(game: Any, desk: Desk, s: Any, ply: int, kept_turns: Any, kept_moves: Any) -> int:
    """Play a random move, preceded by any chance outcomes, unless the game is over; return the number of plies."""
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
    """The move of the bot with number `bot`, given what it may know."""
    at = 0
    move = -1
    for seated in unrolled(line_up):
        if at == bot:
            move = seated[0].pick(game, s, moves, count, player, seated[1], rng)
        at += 1  # noqa: SIM113  (numba cannot unroll enumerate)
    return move


@compiled
def is_among(moves: Any, count: int, move: int) -> bool:
    """Whether a move is one of the legal ones."""
    found = False
    for i in range(count):  # no early exit: an unpredictable branch would cost more
        found |= moves[i] == move
    return found


def new_desk(game: Game, seed: int | str, opening_moves: int = 0, secret: str | None = None) -> Desk:
    """A desk for the games of a series with one seed and secret."""
    opening, known = records(1, game.dtype), np.zeros(1, game.dtype)
    opening[0] = native(Engine(game).start())
    return Desk(
        opening=opening,
        true=records(1, game.dtype),
        known=as_buffer(known),
        scratch=as_buffer(known.view("u8")[game.public_words :]),
        moves=numbers(max(game.max_moves, game.max_outcomes), "i8"),
        chances=numbers(max(game.max_outcomes, 1), "f8"),
        streams=numbers((FIRST_SEAT_STREAM + game.players, 2), "u8"),
        key=series_key(seed, secret),
        opening_moves=opening_moves,
        opening_stream=numbers(2, "u8"),
        first_stream=CHANCE_STREAM if game.has_chance else FIRST_SEAT_STREAM,
        hidden=game.has_hidden_information,
    )
