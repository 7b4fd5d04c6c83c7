"""Games between bots at a Table. A bot that fails, hangs or answers with an illegal move loses; the fault is kept."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping, Sequence

import numpy as np

from kibitz.arena.games import Games, Outcome, forfeit
from kibitz.arena.isolation import Players
from kibitz.bots import Player
from kibitz.errors import BotFault, RulesError
from kibitz.game import Game
from kibitz.rng import OPENING_STREAM, Stream, below, series_key
from kibitz.table import Table, View

OUTCOMES = {outcome.words: outcome for outcome in Outcome}


class Match:
    """Bots that meet at one table after the other. Bots from outside keep their processes between games."""

    def __init__(self, game: Game, specs: Sequence[str], seed: int | str, move_time: float, opening: int = 0) -> None:
        """Each game begins with `opening` random moves, which its group has in common."""
        self.game = game
        self.specs = specs
        self.seed = seed
        self.opening = opening
        self._players = Players(game, move_time)

    def play(self, number: np.ndarray, group: np.ndarray, bots: np.ndarray, keep_moves: bool) -> Games:
        """Play games, each with the luck of its group and with fresh bots: it depends on the seed and its row alone."""
        games = Games.empty(len(number), self.game.players)
        games.game[:], games.group[:], games.bots[:] = number, group, bots
        for row in range(len(number)):
            self._play(games, row, keep_moves)
        return games

    def _play(self, games: Games, row: int, keep_moves: bool) -> None:
        names = [self.specs[i] for i in games.bots[row]]
        number, luck = int(games.game[row]), int(games.group[row])
        table = Table(self.game, self.seed, number=number, luck=luck, seats=names)
        play_opening(table, self.opening)
        players = self._players.seat(names)
        try:
            while not table.over:
                seat = table.turn
                games.choices[row, seat] += 1
                started = time.perf_counter()
                try:
                    move = ask(table, players[seat], names[seat])
                finally:
                    games.seconds[row, seat] += time.perf_counter() - started
                table.play(move)
            games.payoff[row], games.score[row] = table.payoff(), table.score()
        except BotFault as error:
            games.fault_seat[row] = table.turn
            forfeit(games, row, OUTCOMES[error.kind], str(error))
        tell_end(table, dict(enumerate(players)), games.payoff[row].tolist())
        if keep_moves:
            games.turns[row] = np.array([ply.turn for ply in table.history], "i1")
            games.moves[row] = np.array([ply.move for ply in table.history], "i4")

    def close(self) -> None:
        """End the processes of bots from outside."""
        self._players.close()


def play_opening(table: Table, moves: int) -> None:
    """Begin a game with random moves, fewer if it ends before. They follow from the seed and the luck of the game."""
    stream = Stream.of_game(series_key(table.seed), table.luck, OPENING_STREAM)
    for _ in range(moves):
        if table.over:
            break
        legal = table.moves()
        table.play(legal[below(stream.words, len(legal))])


def ask(table: Table, player: Player, name: str) -> int:
    """A bot's legal answer; BotFault, with the table unchanged, when it has none."""
    return answer(table.view(table.turn), player, name)


def answer(view: View, player: Player, name: str) -> int:
    """What a bot answers to its view; BotFault when that is no legal move."""
    legal = frozenset(view.moves)
    try:
        move = player.choose(view)
    except (BotFault, RulesError):
        raise  # a rule's mistake is the game's, not the bot's
    except Exception as error:
        raise BotFault(f"{name} raised {type(error).__name__}: {error}", kind=Outcome.EXCEPTION.words) from error
    if isinstance(move, bool) or not hasattr(move, "__index__") or int(move) not in legal:
        raise BotFault(f"{name} answered {move!r:.60}, which is no legal move.", kind=Outcome.ILLEGAL.words)
    return int(move)


def tell_end(table: Table, players: Mapping[int, Player], payoff: Sequence[float]) -> None:
    """Tell those of the bots, by their seats, that have a method `game_over(view, payoff)` how the game ended."""
    for seat, player in players.items():
        if hasattr(player, "game_over"):
            with contextlib.suppress(Exception):  # the game is over, whatever the bot makes of it
                player.game_over(table.view(seat), payoff)


def take_turn(table: Table, player: Player, name: str) -> int:
    """Let a bot make its move; BotFault, with the table unchanged, when it cannot."""
    move = ask(table, player, name)
    table.play(move)
    return move
