"""One game in progress: the true state, chance and the history. Everything that plays, plays at a Table.

The table alone holds the true state, checks every move against the rules before it plays it, and hands each
player a View: the redacted state, the moves as that player saw them, and a random stream of its own.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from kibitz.compiler import running_in
from kibitz.display.board import board_of, find_move, illegal_move
from kibitz.display.picture import Picture, position_html
from kibitz.display.wording import counted, result_sentence, without_markup
from kibitz.errors import IllegalMove, KibitzError, RulesError
from kibitz.rules.contract import CHANCE, NOBODY, OVER
from kibitz.rules.engine import Engine, endless
from kibitz.rules.registry import GameLike, as_game, spec_of
from kibitz.rules.rng import CHANCE_STREAM, FIRST_SEAT_STREAM, Stream, as_secret, as_seed, series_key
from kibitz.state import State
from kibitz.table.record import Record
from kibitz.table.seen_plies import SeenPlies, SeenPly
from kibitz.table.snapshot import TableSnapshot, check_stream_state, not_the_same
from kibitz.table.view import Ply, View, last_move, listed, picture_of


class Table:
    """A game being played. The same seed, secret and moves give the same game.

    Examples:
        >>> import kibitz
        >>> table = kibitz.Table("ur", seed=7)
        >>> table.turn, table.over, table.names
        (0, False, ['0-3'])
        >>> table.play("0-3")  # or by its number: table.play(table.moves[0])
        >>> table.name(table.moves[0]), table.parse("0-3")
        ('0-3', 0)
        >>> table.say(table.moves[0])  # for people
        'enter on b1'
        >>> table.history_names, table.say_history()
        (['roll 3', '0-3', 'roll 3'], ['Light rolls 3', 'enter on b3', 'Dark rolls 3'])
        >>> table.undo()
        >>> table.history, table.state.turn
        ((Ply(turn=-1, move=3),), 0)
        >>> table
        <Table of ur, seed 7, ply 1, Light to move, played: roll 3>
    """

    def __init__(
        self,
        game: GameLike,
        seed: int | str | None = None,
        *,
        number: int = 0,
        luck: int | None = None,
        deal: bool = True,
        seats: Sequence[str] = (),
        position: State | str | None = None,
        given: Sequence[Ply] = (),
        secret: str | None = None,
    ) -> None:
        """Without a `seed`, chance and the bots' streams are new each time; `table.seed` repeats them.

        With a `secret` (`kibitz.rng.fresh_secret()`), the seed and the secret together determine chance and streams, so
        that a stranger's bot cannot find the seed by trying many.

        `number` is the game's place in a series with one seed; games of equal `luck` (by default the number) draw the
        same chance. With `deal=False` chance is not drawn but waits, as player CHANCE, for its outcome to be played.
        `position`, a State or its text, is where the game starts instead of the opening. `given` are plies, with what
        chance did, that were played elsewhere: the game goes on after them, and they cannot be taken back.
        """
        self.game = as_game(game)
        self.seed = as_seed(seed)
        self.secret = as_secret(secret)
        self.number = number
        self.luck = number if luck is None else luck
        self.seats = tuple(seats)
        self.board = board_of(self.game)
        self._deal = deal
        self._engine = Engine(self.game)
        if isinstance(position, str):
            position = State.from_text(position, self.game.dtype)
        if position is not None and (not isinstance(position, State) or position.record.dtype != self.game.dtype):
            raise KibitzError(f"This position is not one of {spec_of(self.game)}.")
        self._position = position
        self._opening = position.copy() if position is not None else self._engine.start()
        self._given = tuple(Ply(*ply) for ply in given)
        self._key = series_key(self.seed, self.secret)
        self._streams = {p: Stream.of_game(self._key, number, FIRST_SEAT_STREAM + p) for p in range(self.game.players)}
        self._set_up()

    def _set_up(self) -> None:
        self._state = self._opening.copy()
        self._history: list[Ply] = []
        self._seen: dict[int, list[Ply]] = {p: [] for p in (*range(self.game.players), NOBODY)}
        with running_in(self._engine.mode):  # in which the key was made
            self._chance = Stream.of_game(self._key, self.luck, CHANCE_STREAM)
        self._legal: list[int] | None = None
        self._named: dict[int, SeenPlies] = {}  # by viewer
        for ply in self._given:
            self._play_given(ply)
        self._draw_chance()

    def _play_given(self, ply: Ply) -> None:
        if ply.turn != self.turn or ply.move not in self.moves:
            raise IllegalMove(f"Ply {len(self._history) + 1} is illegal: {ply.move} by {self.board.seat(ply.turn)}.")
        self._apply(ply.move)

    @property
    def turn(self) -> int:
        """Who is to act: a player from 0, CHANCE (only with deal=False), or OVER."""
        return int(self._state.record["turn"])

    @property
    def over(self) -> bool:
        """Whether the game is over."""
        return self.turn == OVER

    @property
    def state(self) -> State:
        """A copy of the true state."""
        return self._state.copy()

    @property
    def history(self) -> tuple[Ply, ...]:
        """Every ply so far, chance outcomes included, as it truly happened."""
        return tuple(self._history)

    @property
    def opening(self) -> State:
        """A copy of the position before the first ply.

        Examples:
            >>> import kibitz
            >>> kibitz.Table("connect_four").opening.turn
            0
        """
        return self._opening.copy()

    @property
    def position(self) -> str:
        """Where the game began, as text; empty if that was the opening of the rules.

        Examples:
            >>> import kibitz
            >>> kibitz.Table("connect_four").position
            ''
        """
        return "" if self._position is None else self._opening.to_text()

    @property
    def given(self) -> tuple[Ply, ...]:
        """The plies that were played elsewhere, with which the history begins.

        Examples:
            >>> import kibitz
            >>> kibitz.Table("connect_four").given
            ()
        """
        return self._given

    @property
    def moves(self) -> list[int]:
        """The legal moves of whoever is to act; none when the game is over."""
        if self._legal is None:
            if self.over:
                self._legal = []
            elif self.turn == CHANCE:
                self._legal = [outcome for outcome, _ in self._engine.outcomes(self._state)]
            else:
                self._legal = self._engine.moves(self._state)
                if not self._legal:
                    name = type(self.game).__name__
                    raise RulesError(f"{name}.moves: finds no legal move in {self._state.to_text()}.")
        return list(self._legal)

    @property
    def names(self) -> list[str]:
        """The legal moves in the game's notation."""
        return [self.name(move) for move in self.moves]

    def name(self, move: int) -> str:
        """A legal move in the game's notation."""
        return self.board.name(self.game, self._state, move)

    def say(self, move: int) -> str:
        """A legal move in words, for people."""
        return self.board.say(self.game, self._state, move)

    def parse(self, text: str) -> int:
        """The legal move with a name, or called so in words; IllegalMove when there is none."""
        return find_move(text, self.moves, self.names, self.say)

    def play(self, move: int | str, player: int | None = None) -> None:
        """Play a legal move, by number or by name, then whatever chance does next. `player` says who moves, to have
        that checked."""
        if self.over:
            raise IllegalMove("The game is over.")
        if player is not None and player != self.turn:
            raise IllegalMove(f"It is not {self.board.seat(player)}'s turn but {self.board.seat(self.turn)}'s.")
        if isinstance(move, str):
            move = self.parse(move)
        if isinstance(move, bool) or not hasattr(move, "__index__") or move not in self.moves:
            raise illegal_move(move, self._numbered_names())
        self._apply(int(move))
        self._draw_chance()

    def _numbered_names(self) -> list[str]:
        """The legal moves as a list for people who gave a number: each number, with its name if that is another."""
        named = zip(self.moves, self.names, strict=True)
        return [name if name == str(move) else f"{move} ({name})" for move, name in named]

    def _apply(self, move: int) -> None:
        turn = self.turn
        if len(self._history) >= self.game.max_plies:
            raise endless(self.game, self.seed, self.number, self.secret)
        after = self._state.copy()  # a rule that raises leaves the table as it was
        self._engine.play(after, move)
        if type(self.game).defines("seen"):
            for viewer, plies in self._seen.items():
                seen = self._engine.seen(self._state, move, viewer)
                if seen >= 0:
                    plies.append(Ply(turn, seen))
        self._history.append(Ply(turn, move))
        self._state = after
        self._legal = None

    def _draw_chance(self) -> None:
        while self._deal and self.turn == CHANCE:
            self._apply(self._engine.draw(self._state, self._chance))

    def undo(self) -> None:
        """Take back the last player's move and what chance did after it. Playing on, chance falls as before."""
        kept = len(self._history)
        while kept and self._deal and self._history[kept - 1].turn == CHANCE:
            kept -= 1
        if kept <= len(self._given):
            raise KibitzError("There is no move to take back.")
        plies = self._history[: kept - 1]
        self._set_up()
        for turn, move in plies[len(self._history) :]:
            if turn != CHANCE or not self._deal:
                self.play(move)

    def payoff(self) -> list[float]:
        """Each player's share of the win, once the game is over.

        Examples:
            >>> import kibitz
            >>> table = kibitz.Table("connect_four")
            >>> for name in "1 2 1 2 1 2 1".split():
            ...     table.play(name)
            ...
            >>> table.payoff()
            [1.0, 0.0]
        """
        if not self.over:
            raise KibitzError("There is no payoff before the game is over.")
        return self._engine.payoff(self._state)

    def score(self) -> list[float]:
        """What the game counts (coins, points, regions); the payoff in a game that counts nothing.

        Examples:
            >>> import kibitz
            >>> kibitz.Table("camelup:players=3", seed=1).score()
            [3.0, 3.0, 3.0]
        """
        if not self.over and not type(self.game).defines("score"):
            raise KibitzError("There is no score before the game is over.")
        return self._engine.score(self._state)

    def view(self, player: int, time: float | None = None, *, named: bool = False) -> View:
        """What a player (or NOBODY, a spectator) may know now; if `named`, with the names of all plies.

        Examples:
            >>> import kibitz
            >>> table = kibitz.Table("connect_four")
            >>> table.view(table.turn).names
            ['1', '2', '3', '4', '5', '6', '7']
            >>> table.view(kibitz.NOBODY)
            <View of connect_four for a spectator, 0 plies seen, not to move>
        """
        if not hasattr(player, "__index__") or (player != NOBODY and not 0 <= player < self.game.players):
            raise KibitzError(f"There is no player {player!r}; players count from 0 to {self.game.players - 1}.")
        return View(
            game=self.game,
            player=player,
            state=self._engine.redacted(self._state, player),
            moves=self.moves if self.turn == player else [],
            history=tuple(self._seen_by(player)),
            rng=self._streams.get(player) or Stream("spectator"),
            time=time,
            board=self.board,
            history_names=tuple(ply.name for ply in self.plies_seen(player)) if named else (),
        )

    def plies_seen(self, viewer: int) -> Sequence[SeenPly]:
        """The history as a viewer saw it, in the game's notation and in words.

        Examples:
            >>> import kibitz
            >>> table = kibitz.Table("connect_four")
            >>> table.play("4")
            >>> [(ply.name, ply.say) for ply in table.plies_seen(kibitz.NOBODY)]
            [('4', 'column 4')]
        """
        if viewer not in self._named:
            self._named[viewer] = SeenPlies(self.game, self.board, self._engine, self._opening, viewer)
        return self._named[viewer].follow(self._history)

    def _seen_by(self, viewer: int | None) -> list[Ply]:
        """The history as a viewer saw it; None: as it truly was."""
        return self._history if viewer is None or not type(self.game).defines("seen") else self._seen[viewer]

    def markup(self, viewer: int | None = None) -> str:
        """The position in rich's markup, as `viewer` sees it; None: everything.

        Examples:
            >>> import kibitz
            >>> kibitz.Table("connect_four:columns=4,rows=4").markup().splitlines()[-1]
            '  [bold] 1 [/][bold] 2 [/][bold] 3 [/][bold] 4 [/]'
        """
        state = self._state if viewer is None else self._engine.redacted(self._state, viewer)
        return self.board.text(self.game, state, last_move(self._seen_by(viewer)))

    def text(self, viewer: int | None = None) -> str:
        """The position as plain text.

        Examples:
            >>> import kibitz
            >>> table = kibitz.Table("connect_four:columns=4,rows=4")
            >>> table.play("2")
            >>> print(table.text())
                  ▾
             │ ·  ·  ·  · │
             │ ·  ·  ·  · │
             │ ·  ·  ·  · │
             │ ·  ●  ·  · │
             └────────────┘
               1  2  3  4
        """
        return without_markup(self.markup(viewer))

    def picture(self, viewer: int | None = None) -> Picture | None:
        """The position, drawn as `viewer` sees it; None: everything. There is none if the game draws no scenes.

        Examples:
            >>> import kibitz
            >>> kibitz.Table("connect_four").picture().svg()[:4]
            '<svg'
        """
        state = self._state.without_scratch() if viewer is None else self._engine.redacted(self._state, viewer)
        side = NOBODY if viewer is None else viewer
        return picture_of(self.game, self.board, state, side, last_move(self._seen_by(viewer)))

    @property
    def history_names(self) -> list[str]:
        """The whole history in the game's notation."""
        return [self.board.name(self.game, state, move) for state, move in self._replayed()]

    def say_history(self) -> list[str]:
        """The whole history in words, for people."""
        return [self.board.say(self.game, state, move) for state, move in self._replayed()]

    def _replayed(self) -> Iterator[tuple[State, int]]:
        """Each move of the history, with the position in which it was made."""
        state = self._opening.copy()
        for _, move in self._history:
            yield state, move
            self._engine.play(state, move)

    def record(self) -> Record:
        """The game so far, to keep.

        Examples:
            >>> import kibitz
            >>> table = kibitz.Table("connect_four", seed=1, seats=["Ann", "Bob"])
            >>> table.play("4")
            >>> table.record()
            <Record of connect_four, seed 1, game 0, Ann – Bob, 1 plies, unfinished>
        """
        return Record(
            game=spec_of(self.game),
            seed=self.seed,
            number=self.number,
            luck=self.luck,
            position=self.position,
            seats=self.seats,
            turns=tuple(ply.turn for ply in self._history),
            moves=tuple(ply.move for ply in self._history),
            names=tuple(self.history_names),
            over=self.over,
            payoff=tuple(self.payoff()) if self.over else (),
            score=tuple(self.score()) if self.over else (),
            secret=self.secret,
        )

    @classmethod
    def replay(cls, record: Record, game: GameLike | None = None) -> Table:
        """The table at the end of a recorded game; an error when the rules do not allow it.

        Examples:
            >>> import kibitz
            >>> table = kibitz.Table("ur", seed=7)
            >>> table.play("0-3")
            >>> kibitz.Table.replay(table.record()).history == table.history
            True
        """
        if not isinstance(record, Record):
            raise KibitzError(f"A game is replayed from a Record; Record.from_json reads one. This is {record!r:.60}.")
        table = cls(
            record.game if game is None else game,
            record.seed,
            number=record.number,
            luck=record.luck,
            seats=record.seats,
            deal=False,
            position=record.position or None,
            secret=record.secret,
        )
        for turn, move in zip(record.turns, record.moves, strict=True):
            if turn != table.turn:
                raise IllegalMove(f"In ply {len(table._history) + 1} it is not the turn of {turn}.")
            table.play(move)
        return table

    def snapshot(self) -> TableSnapshot:
        """The game so far and where all of its random streams stand, to go on later.

        Examples:
            >>> import kibitz
            >>> table = kibitz.Table("ur", seed=7)
            >>> again = kibitz.Table.restore(table.snapshot())
            >>> again.play("0-3")
            >>> again.state.roll
            3
        """
        return TableSnapshot(
            game=spec_of(self.game),
            seed=self.seed,
            secret=self.secret,
            number=self.number,
            luck=self.luck,
            deal=self._deal,
            seats=self.seats,
            position=self.position,
            plies=self.history,
            chance=self._chance.getstate(),
            streams=tuple(stream.getstate() for stream in self._streams.values()),
            given=len(self._given),
        )

    @classmethod
    def restore(cls, snapshot: TableSnapshot, game: GameLike | None = None) -> Table:
        """The table that a snapshot was taken of. Its moves are played again and chance is drawn again from the seed;
        an error when that does not lead to the same game.

        Examples:
            >>> import kibitz
            >>> table = kibitz.Table("ur", seed=7)
            >>> kibitz.Table.restore(table.snapshot()).names == table.names
            True
        """
        table = cls(
            snapshot.game if game is None else game,
            snapshot.seed,
            number=snapshot.number,
            luck=snapshot.luck,
            deal=snapshot.deal,
            seats=snapshot.seats,
            position=snapshot.position or None,
            given=snapshot.plies[: snapshot.given],
            secret=snapshot.secret,
        )
        table._play_again(snapshot.plies)
        if table._chance.getstate() != tuple(snapshot.chance):
            raise not_the_same("the stream of chance stands elsewhere")
        if len(snapshot.streams) != table.game.players:
            raise not_the_same(f"{len(snapshot.streams)} streams for {table.game.players} players")
        for stream, state in zip(table._streams.values(), snapshot.streams, strict=True):
            check_stream_state(state)
            stream.setstate(state)
        return table

    def _play_again(self, plies: Sequence[Ply]) -> None:
        """Play the moves of a history from the start; what chance does in between must be the same."""
        for turn, move in plies[len(self._given) :]:
            if turn != CHANCE or not self._deal:
                try:
                    self.play(move, turn)
                except IllegalMove as error:
                    raise not_the_same(f"ply {len(self._history) + 1}: {error}") from None
        if self.history != tuple(plies):
            same = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(self._history, plies, strict=False))
            raise not_the_same(f"ply {len(list(same)) + 1} is a different one")

    def __repr__(self) -> str:
        now = f"payoff {self.payoff()}" if self.over else f"{self.board.seat(self.turn)} to move"
        played = f", played: {listed(self.history_names, last=True)}" if self._history else ""
        return f"<Table of {spec_of(self.game)}, seed {self.seed!r}, ply {len(self._history)}, {now}{played}>"

    def _repr_html_(self) -> str:
        """The position with everything hidden on it: a table belongs to whoever holds the game, a View to a player."""
        names = [self.board.seat(player) for player in range(self.game.players)]
        now = result_sentence(self.payoff(), names) if self.over else f"{self.board.seat(self.turn)} to move."
        words = f"{spec_of(self.game)}, {counted(len(self._history), 'ply', 'plies')}: {now}"
        return position_html(self.picture(), self.text(), words)
