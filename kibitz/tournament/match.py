"""Games between bots at a Table. A bot that fails, hangs or plays an illegal move loses; the fault is recorded."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kibitz.compiler import running_time
from kibitz.errors import BotFault
from kibitz.players.bot import Player
from kibitz.players.limit import Limit
from kibitz.players.process_bot import ProcessBot
from kibitz.players.roster import Entrant
from kibitz.players.seating import Players, Terms
from kibitz.players.turns import ask, tell_end, view_for
from kibitz.records.games import Games, Outcome, forfeit
from kibitz.rules.contract import Game
from kibitz.rules.rng import OPENING_STREAM, Stream, below, series_key
from kibitz.table import Table

OUTCOMES = {outcome.words: outcome for outcome in Outcome}


class Match:
    """Bots that play one game after another. Sandboxes are kept between games, but nothing that was in them."""

    def __init__(
        self,
        game: Game,
        entrants: Sequence[Entrant],
        seed: int | str,
        terms: Terms,
        opening: int = 0,
        limit: Limit | None = None,
        secret: str | None = None,
    ) -> None:
        """Each game begins with `opening` random moves, the same in all games of its group. Searches obey `limit`."""
        self.game = game
        self.entrants = entrants
        self.seed = seed
        self.secret = secret
        self.opening = opening
        self.limit = limit
        self._learns = bool(terms.learners) or any(entrant.learns for entrant in entrants)
        self._players = Players(game, terms, entrants)

    def play(self, number: np.ndarray, group: np.ndarray, bots: np.ndarray, keep_moves: bool) -> Games:
        """Play games, each with the luck of its group and new bots; a game depends only on the key and its row."""
        games = Games.empty(len(number), self.game.players)
        games.game[:], games.group[:], games.bots[:] = number, group, bots
        for row in range(len(number)):
            table = self._play(games, row)
            if keep_moves:
                games.turns[row] = np.array([ply.turn for ply in table.history], "i1")
                games.moves[row] = np.array([ply.move for ply in table.history], "i4")
        return games

    def _play(self, games: Games, row: int) -> Table:
        """Play a game.

        If a bot's process is killed, that may not be its fault: the game is played again, once, with new processes,
        unless a bot learns, which must not meet the same luck twice. Whoever is killed again has lost, so nobody gains
        by killing themselves.
        """
        seated = [self.entrants[i] for i in games.bots[row]]
        table, players, fault = self._attempt(games, row, seated)
        if fault is not None and fault.by_signal and not self._learns:
            games.choices[row], games.seconds[row] = 0, 0.0
            table, players, fault = self._attempt(games, row, seated)
        if fault is None:
            games.payoff[row], games.score[row] = table.payoff(), table.score()
        else:
            games.fault_seat[row] = table.turn
            forfeit(self.game, games, row, OUTCOMES[fault.kind], str(fault))
        tell_end(table, dict(enumerate(players)), games.payoff[row].tolist())
        return table

    def _attempt(
        self, games: Games, row: int, seated: Sequence[Entrant]
    ) -> tuple[Table, Sequence[Player], BotFault | None]:
        """Play a game until it is over, or a bot fails."""
        names = [entrant.spec for entrant in seated]
        number, luck = int(games.game[row]), int(games.group[row])
        table = Table(self.game, self.seed, number=number, luck=luck, seats=names, secret=self.secret)
        play_opening(table, self.opening)
        players = self._players.seat(seated)
        try:
            while not table.over:
                seat = table.turn
                player = players[seat]
                if isinstance(player, ProcessBot):
                    player.ready()  # no clock runs while a process starts
                games.choices[row, seat] += 1
                started = running_time()
                try:
                    move = ask(view_for(player, table, seat), player, names[seat], self.limit)
                finally:
                    games.seconds[row, seat] += running_time() - started
                table.play(move)
        except BotFault as fault:
            return table, players, fault
        return table, players, None

    def close(self) -> None:
        """End all sandboxes."""
        self._players.close()


def play_opening(table: Table, moves: int) -> None:
    """Begin a game with random moves, fewer if it ends early. They depend only on the luck of the game."""
    stream = Stream.of_game(series_key(table.seed, table.secret), table.luck, OPENING_STREAM)
    for _ in range(moves):
        if table.over:
            break
        legal = table.moves
        table.play(legal[below(stream.words, len(legal))])
