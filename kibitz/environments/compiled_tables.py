"""Many tables of one game, stepped in compiled code: the loops behind VectorEnv.

A table waits for an action of the player to act; chance, and bots if there are any, act in between. The games are
bit-for-bit the same as at a Table: table t plays the games first[t], first[t] + 1, … of the series of keys[t], with the
streams of these games.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from kibitz.compiler import compiled
from kibitz.environments.observation import Eyes, look
from kibitz.rules.contract import CHANCE, OVER
from kibitz.rules.rng import CHANCE_STREAM, FIRST_SEAT_STREAM, below, start_stream
from kibitz.table.compiled_games import choose, is_among

NEW_GAME, WAIT = -1, -2  # in place of a move: begin the table's next game; leave the table as it is
LEARNER, ILLEGAL = -1, -2  # in place of a bot's move: it is not a bot's turn; the bot played an illegal move
FINE, ENDLESS, NO_MOVE, NO_CHOICE, BOT_FAULT = range(5)  # what can be wrong at a table
MOST_WITHOUT_CHOICE = 1000  # games in a row that end before the learner's turn
NOWHERE = -1


class TableArrays(NamedTuple):
    """Games in progress; every array has a row for each table."""

    opening: Any  # [the opening position]
    states: Any  # the true positions
    keys: Any  # of the series whose games are played there
    first: Any  # the number of its first game in that series
    begun: Any  # the number of games begun
    streams: Any  # [table, stream, 2]
    plies: Any  # of the current game
    legal: Any  # [table, move]: the legal moves …
    counts: Any  # … and their number
    turns: Any  # who is to act
    rewards: Any  # [table, player]: the payoffs if a game has just ended; else 0
    done: Any  # whether a game has just ended
    observations: Any  # [table, place], as the player to act sees the table; or None
    masks: Any  # [table, move]: whether it is legal; or None
    seats: Any  # of the learner, if bots play the others; of who sees finished games, if none do
    rotates: bool  # whether the learner has another seat in every game
    again: bool  # whether the next game begins as soon as one is over


class Bench(NamedTuple):
    """The bots that play against the learner, and what they work on."""

    line_up: Any  # pairs of a player and its memory
    bots: Any  # the place in the line-up of the bot in each seat after the learner's
    known: Any  # [what the bot to act may know]
    scratch: Any  # the words of `known` that hold its scratch fields


class Workspace(NamedTuple):
    """What a thread works on."""

    outcomes: Any
    chances: Any
    eyes: Eyes
    bench: Any  # a Bench; None without bots
    trouble: Any  # [what is wrong, at which table]
    hidden: bool


@compiled
def step_tables(game: Any, tables: TableArrays, work: Workspace, actions: Any, begin: int, end: int) -> None:
    """Carry out an action, which must be legal, at each table from `begin` to before `end`."""
    for table in range(begin, end):
        action = actions[table]
        s = tables.states[table]
        if action == WAIT or (action != NEW_GAME and s.turn == OVER):
            continue
        if action == NEW_GAME:
            clear_result(tables, table)
            begin_game(game, tables, work, table, s)
        else:
            game.play(s, action)
            tables.plies[table] += 1
            play_on(game, tables, work, table, s)
            if s.turn == OVER:
                game.payoff(s, tables.rewards[table])
                tables.done[table] = True
                if tables.again:
                    begin_game(game, tables, work, table, s)
            elif tables.done[table]:
                clear_result(tables, table)
        show(game, tables, work, table, s)


@compiled
def clear_result(tables: TableArrays, table: int) -> None:
    """Forget the result of the last game."""
    tables.done[table] = False
    tables.rewards[table, :] = 0.0


@compiled
def begin_game(game: Any, tables: TableArrays, work: Workspace, table: int, s: Any) -> None:
    """Begin the table's next game; if it ends before the learner's turn, the one after it."""
    for _ in range(MOST_WITHOUT_CHOICE):
        tables.states[table] = tables.opening[0]
        tables.plies[table] = 0
        number = tables.first[table] + tables.begun[table]
        for stream in range(tables.streams.shape[1]):
            start_stream(tables.keys[table], number, stream, tables.streams[table, stream])
        if tables.rotates:
            tables.seats[table] = (table + tables.begun[table]) % game.players
        tables.begun[table] += 1
        play_on(game, tables, work, table, s)
        if s.turn != OVER:
            return
    note_trouble(work, NO_CHOICE, table)


@compiled
def play_on(game: Any, tables: TableArrays, work: Workspace, table: int, s: Any) -> None:
    """Let chance and the bots act until it is the learner's turn, or the game is over."""
    streams = tables.streams[table]
    while s.turn != OVER:
        if tables.plies[table] >= game.max_plies:
            note_trouble(work, ENDLESS, table)
            return
        if s.turn == CHANCE:
            move = game.draw(s, work.outcomes, work.chances, streams[CHANCE_STREAM])
        else:
            move = bot_move(game, work.bench, tables.legal[table], tables.seats[table], work.hidden, s, streams)
            if move < 0:
                if move == ILLEGAL:
                    note_trouble(work, BOT_FAULT, table)
                return
        game.play(s, move)
        tables.plies[table] += 1


@compiled
def bot_move(game: Any, bench: Any, legal: Any, seat: int, hidden: bool, s: Any, streams: Any) -> int:
    """The move of the bot to act; or LEARNER or ILLEGAL."""
    if bench is None:
        return LEARNER
    else:  # noqa: RET505  (numba drops the branch that does not apply)
        turn = s.turn
        if turn == seat:
            return LEARNER
        count = game.moves(s, legal)
        view = s
        if hidden:
            bench.known[0] = s
            bench.scratch[:] = 0  # scratch fields may leak hidden information
            view = bench.known[0]
            game.redact(view, turn)
        bot = bench.bots[(turn - seat - 1) % game.players]
        move = choose(game, bench.line_up, bot, view, legal, count, turn, streams[FIRST_SEAT_STREAM + turn])
        return move if is_among(legal, count, move) else ILLEGAL


@compiled
def show(game: Any, tables: TableArrays, work: Workspace, table: int, s: Any) -> None:
    """Write down who is to act, what they may do and what they see."""
    turn, legal, count = s.turn, tables.legal[table], 0
    if turn >= 0:
        count = game.moves(s, legal)
        if count == 0:
            note_trouble(work, NO_MOVE, table)
    tables.turns[table] = turn
    tables.counts[table] = count
    write_mask(tables.masks, table, legal, count)
    viewer = turn if turn >= 0 else tables.seats[table]
    write_observation(game, work.eyes, s, viewer, tables.observations, table)


@compiled
def write_mask(masks: Any, table: int, legal: Any, count: int) -> None:
    if masks is None:
        return
    else:  # noqa: RET505
        mask = masks[table]
        mask[:] = 0
        for i in range(count):
            mask[legal[i]] = 1


@compiled
def write_observation(game: Any, eyes: Eyes, s: Any, viewer: int, observations: Any, table: int) -> None:
    if observations is None:
        return
    else:  # noqa: RET505
        look(game, eyes.write, eyes.own, eyes.known, eyes.scratch, s, viewer, observations[table])


@compiled
def note_trouble(work: Workspace, what: int, table: int) -> None:
    """Remember what is wrong, for Python to tell."""
    work.trouble[0] = what
    work.trouble[1] = table


@compiled
def first_illegal(tables: TableArrays, actions: Any, may_restart: bool) -> int:
    """The first table whose game is not over and whose action is not legal; or NOWHERE."""
    for table in range(len(actions)):
        action = actions[table]
        is_legal = is_among(tables.legal[table], tables.counts[table], action)
        is_allowed = tables.turns[table] == OVER or (may_restart and action in (NEW_GAME, WAIT))
        if not is_legal and not is_allowed:
            return table
    return NOWHERE


@compiled
def draw_actions(tables: TableArrays, out: Any) -> None:
    """Draw a legal move for each table, from the stream of the player to act; WAIT if its game is over."""
    for table in range(len(out)):
        out[table] = WAIT
        if tables.turns[table] >= 0:
            stream = tables.streams[table, FIRST_SEAT_STREAM + tables.turns[table]]
            out[table] = tables.legal[table, below(stream, tables.counts[table])]
