"""VectorEnv: many tables of one game as arrays, stepped in compiled code.

    env = kibitz.VectorEnv("ur", tables=1024, seed=1)
    while True:
        env.step(env.random_actions())

At every table a player is to act: `turns` says who, `observations` what they see, `masks` what they may do. `step`
takes one action for each table; chance acts in between. Where a game ends, `done` is set, `rewards` holds the payoffs
of all players, and the next game begins at once. With `opponents`, bots play all seats but one.

One seed gives the same games with any number of threads. Table t plays, as its episode e, game number t · 2³² + e of
the series of the seed: `kibitz.Table(game, seed, number=…)` draws the same chance, and random actions are the moves
that the bot `random` would play there.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from kibitz.compiler import as_buffer, mode, numbers, running_in
from kibitz.display.board import board_of, illegal_move
from kibitz.environments.compiled_tables import (
    BOT_FAULT,
    ENDLESS,
    FINE,
    NEW_GAME,
    NO_CHOICE,
    NOWHERE,
    WAIT,
    TableArrays,
    Workspace,
    draw_actions,
    first_illegal,
    step_tables,
)
from kibitz.environments.observation import Observer
from kibitz.environments.opponents import new_bench, resolve_opponents
from kibitz.errors import BotFault, IllegalMove, KibitzError, RulesError
from kibitz.learn.method_features import ZERO
from kibitz.players.roster import BotLike
from kibitz.rules.engine import Engine, endless
from kibitz.rules.registry import GameLike, as_game, spec_of
from kibitz.rules.rng import FIRST_SEAT_STREAM, as_seed, series_key
from kibitz.rules.spec import whole_number
from kibitz.state import State

MOST_TABLES = 1 << 24
EPISODE_BITS = 32  # of a game's number, which count the episodes of a table
Seeds = int | str | Sequence[int | str]


class Situation(NamedTuple):
    """The tables as they stand now: the arrays of a VectorEnv, which the next step overwrites."""

    observations: np.ndarray  # [table, place]; uint8, or float32 if the game has features of its own
    masks: np.ndarray  # [table, action]: whether it is legal
    turns: np.ndarray  # [table]: the player to act; kibitz.OVER where a game is over and no other has begun
    rewards: np.ndarray  # [table, player]: the payoffs of a game that ended with this step; else 0
    done: np.ndarray  # [table]: whether a game ended with this step


class VectorEnv:
    """Many tables of one game, stepped at once.

    Examples:
        >>> import kibitz
        >>> env = kibitz.VectorEnv("connect_four", tables=3, seed=1)
        >>> situation = env.step([0, 1, 2])
        >>> situation.turns.tolist(), situation.masks.shape, situation.done.tolist()
        ([1, 1, 1], (3, 7), [False, False, False])
        >>> _ = env.step(env.random_actions())
        >>> env.state(0).plies, env.observe(0, player=1).shape == env.observations[0].shape
        (2, True)
        >>> env.seed_and_number(2), env.explained()[-1][:5]
        ((1, 8589934592), '0–249')
        >>> from kibitz.environments import WAIT
        >>> _ = env.step_or_restart([0, WAIT, WAIT])
        >>> env.state(0).plies, env.state(1).plies
        (3, 2)
        >>> _ = env.reset(tables=[0])
        >>> env.state(0).plies
        0
        >>> env.close()
    """

    def __init__(
        self,
        game: GameLike,
        tables: int = 1024,
        seed: Seeds | None = None,
        threads: int = 1,
        *,
        observations: bool = True,
        masks: bool = True,
        autoreset: bool = True,
        opponents: BotLike | Sequence[BotLike] = (),
        seat: int | None = 0,
        features: str = ZERO,
    ) -> None:
        """`seed` is one seed for all tables, or a list with one for each.

        Without `observations` or `masks`, these arrays have no columns, and steps are faster. Without `autoreset`, a
        finished table waits for `reset`. With `opponents`, compiled players such as "random" and "greedy", the learner
        has one `seat`; None: another one in every game. `features` is the way of learning whose features are observed.
        """
        self.game = as_game(game)
        self.tables = whole_number(tables, "The number of tables", 1, MOST_TABLES)
        threads = min(whole_number(threads, "The number of threads", 1), self.tables)
        learner = 0 if seat is None else whole_number(seat, "The seat", 0, self.game.players - 1)
        entrants = resolve_opponents(self.game, opponents) if opponents else ()
        self.observer = Observer(self.game, features)
        self._board = board_of(self.game)
        self._mode = mode()
        arrays = self._arrays = TableArrays(
            opening=np.array([Engine(self.game).start().record]),
            states=np.zeros(self.tables, self.game.dtype),
            keys=np.zeros((self.tables, 2), "u8"),
            first=np.zeros(self.tables, "i8"),
            begun=np.zeros(self.tables, "i8"),
            streams=np.zeros((self.tables, FIRST_SEAT_STREAM + self.game.players, 2), "u8"),
            plies=np.zeros(self.tables, "i8"),
            legal=np.zeros((self.tables, self.game.max_moves), "i8"),
            counts=np.zeros(self.tables, "i8"),
            turns=np.zeros(self.tables, "i8"),
            rewards=np.zeros((self.tables, self.game.players)),
            done=np.zeros(self.tables, bool),
            observations=self.observer.room(self.tables) if observations else None,
            masks=np.zeros((self.tables, self.game.actions), bool) if masks else None,
            seats=np.full(self.tables, learner),
            rotates=bool(entrants) and seat is None,
            again=autoreset,
        )
        nothing = np.zeros((self.tables, 0), bool)
        self.situation = Situation(
            observations=arrays.observations if observations else nothing,
            masks=arrays.masks if masks else nothing,
            turns=_read_only(arrays.turns),
            rewards=arrays.rewards,
            done=arrays.done,
        )
        self.observations, self.masks, self.turns, self.rewards, self.done = self.situation
        self.seats = _read_only(arrays.seats)  # of the learner, at each table
        self._seeds: list[int | str] = [""] * self.tables
        self._rows = TableArrays(*(as_buffer(part) if isinstance(part, np.ndarray) else part for part in arrays))
        self._work = [
            Workspace(
                outcomes=numbers(max(self.game.max_outcomes, self.game.max_moves), "i8"),
                chances=numbers(max(self.game.max_outcomes, 1), "f8"),
                eyes=self.observer.new_eyes(),
                bench=new_bench(self.game, entrants) if entrants else None,
                trouble=numbers(2, "i8"),
                hidden=self.game.has_hidden_information,
            )
            for _ in range(threads)
        ]
        bounds = [self.tables * part // threads for part in range(threads + 1)]
        self._parts = list(zip(self._work, itertools.pairwise(bounds), strict=True))
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None
        # Bound once: finding out the types of so many arrays takes longer than a step.
        actions = numbers(self.tables, "i8")
        self._step = step_tables.bind(self.game, self._rows, self._work[0], actions, 0, 0)  # type: ignore[attr-defined]
        self._draw = draw_actions.bind(self._rows, actions)  # type: ignore[attr-defined]
        self._find_illegal = first_illegal.bind(self._rows, actions, False)  # type: ignore[attr-defined]
        self.reset(as_seed(None) if seed is None else seed)

    # ------------------------------------------------------------------ playing

    def reset(self, seed: Seeds | None = None, tables: Any = None) -> Situation:
        """Begin a new game at every table, or at those of `tables`: a mask, or numbers of tables.

        With a `seed`, these tables begin with their first game of that seed; without one, with their next game.
        """
        chosen = np.zeros(self.tables, bool)
        try:
            chosen[slice(None) if tables is None else np.asarray(tables)] = True
        except (IndexError, ValueError):
            raise KibitzError(f"The tables to reset are a mask, or numbers from 0 to {self.tables - 1:,}.") from None
        if seed is not None:
            self._seed(seed, chosen)
        self._carry_out(np.where(chosen, NEW_GAME, WAIT))
        return self.situation

    def _seed(self, seed: Any, chosen: np.ndarray) -> None:
        if isinstance(seed, list | tuple | np.ndarray):
            if len(seed) != self.tables:
                raise KibitzError(f"There are {self.tables:,} tables but {len(seed):,} seeds; give one for each table.")
            seeds, first = [as_seed(one) for one in seed], np.zeros(self.tables, "i8")
            keys = np.array([np.asarray(series_key(one)) for one in seeds])
        else:
            seeds, first = [as_seed(seed)] * self.tables, np.arange(self.tables) << EPISODE_BITS
            keys = np.tile(np.asarray(series_key(seeds[0])), (self.tables, 1))
        arrays = self._arrays
        arrays.keys[chosen], arrays.first[chosen], arrays.begun[chosen] = keys[chosen], first[chosen], 0
        for table in np.flatnonzero(chosen):
            self._seeds[table] = seeds[table]

    def step(self, actions: Any) -> Situation:
        """Play an action at every table; those of finished tables are ignored. If one is illegal, nothing is played."""
        return self._play(actions, may_restart=False)

    def step_or_restart(self, actions: Any) -> Situation:
        """The same, but an action may also be NEW_GAME, to begin the table's next game, or WAIT, to leave it as it is.

        Both are constants in kibitz.environments.
        """
        return self._play(actions, may_restart=True)

    def _play(self, actions: Any, may_restart: bool) -> Situation:
        wanted = as_actions(actions, self.tables)
        with running_in(self._mode):
            table = self._find_illegal(self._rows, as_buffer(wanted), may_restart)
        if table != NOWHERE:
            raise self._illegal(table, int(wanted[table]))
        self._carry_out(wanted)
        return self.situation

    def random_actions(self) -> np.ndarray:
        """A uniformly random legal action for each table, from the stream of the player to act."""
        drawn = np.empty(self.tables, "i8")
        with running_in(self._mode):
            self._draw(self._rows, as_buffer(drawn))
        return drawn

    def _carry_out(self, actions: np.ndarray) -> None:
        with running_in(self._mode):
            buffer = as_buffer(actions)

            def step(part: tuple[Workspace, tuple[int, int]]) -> None:
                self._step(self.game, self._rows, part[0], buffer, *part[1])

            try:
                list((map if self._pool is None else self._pool.map)(step, self._parts))
            except (ArithmeticError, IndexError) as error:
                name = spec_of(self.game)
                raise RulesError(
                    f"The rules of {name} raised {type(error).__name__} ({error}); "
                    f"run `kibitz check {name}` to find the line."
                ) from error
        for work in self._work:
            if work.trouble[0] != FINE:
                raise self._trouble(int(work.trouble[0]), int(work.trouble[1]))

    def _illegal(self, table: int, action: int) -> IllegalMove:
        state, moves = self.state(table), self._arrays.legal[table, : self._arrays.counts[table]].tolist()
        names = [self._board.name(self.game, state, move) for move in moves]
        known = [name if name == str(move) else f"{move} ({name})" for move, name in zip(moves, names, strict=True)]
        where = f"Table {table}: " if self.tables > 1 else ""
        return IllegalMove(f"{where}{illegal_move(action, known)}")

    def _trouble(self, what: int, table: int) -> KibitzError:
        name, (seed, number) = spec_of(self.game), self.seed_and_number(table)
        if what == ENDLESS:
            return endless(self.game, seed, number)
        if what == NO_CHOICE:
            return RulesError(f"In {name}, the learner never has a turn: every game is over before.")
        if what == BOT_FAULT:
            return BotFault(f"An opponent played an illegal move in {name}.", kind="illegal move")
        return RulesError(f"{type(self.game).__name__}.moves: finds no legal move in {self.state(table).to_text()}.")

    # ------------------------------------------------------------------ looking

    def observe(self, table: int, player: int) -> np.ndarray:
        """What a player, whether to act or not, sees of a table now, in a new array."""
        return self.observer.see(self._there(table), player)

    def state(self, table: int) -> State:
        """A copy of the true position at a table; in a game with hidden information, no player knows it."""
        return self._there(table).copy()

    def _there(self, table: int) -> State:
        try:
            return State(self._arrays.states[table])
        except IndexError:
            raise KibitzError(f"There is no table {table!r}; tables count from 0 to {self.tables - 1:,}.") from None

    def seed_and_number(self, table: int) -> tuple[int | str, int]:
        """Which game is played at a table: `kibitz.Table(env.game, seed, number=number)` draws the same chance."""
        return self._seeds[table], int(self._arrays.first[table] + self._arrays.begun[table]) - 1

    def explained(self) -> list[str]:
        """What each place of an observation means, as lines of text."""
        return self.observer.explained()

    def close(self) -> None:
        """End the threads."""
        if self._pool is not None:
            self._pool.shutdown()

    def __repr__(self) -> str:
        return f"<VectorEnv of {self.tables:,} tables of {spec_of(self.game)}>"


def as_actions(actions: Any, tables: int) -> np.ndarray:
    """Actions as an array of integers; IllegalMove if they are anything else, or not one for each table."""
    wanted = np.asarray(actions)
    if wanted.shape != (tables,) or wanted.dtype.kind not in "iu":
        given = f"{wanted.dtype} of the shape {wanted.shape}"
        raise IllegalMove(f"The actions are {tables:,} whole numbers, one for each table, not {given}.")
    return np.ascontiguousarray(wanted, "i8")


def _read_only(array: np.ndarray) -> np.ndarray:
    """A view that nobody can write to, of an array by which compiled code finds its way."""
    view = array.view()
    view.flags.writeable = False
    return view
