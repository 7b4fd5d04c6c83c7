"""Reviews recorded games: how a search values each move, and how much of the win it gave away."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kibitz.analysis.grades import Grade, grade_of
from kibitz.errors import KibitzError
from kibitz.players.bot import Report, Searcher
from kibitz.players.limit import Limit
from kibitz.players.roster import BotLike, bot
from kibitz.rules.registry import GameLike
from kibitz.table import Record, View
from kibitz.table.replay import names_of, opening


@dataclass(frozen=True)
class Judged:
    """A search's evaluation of a move that was chosen from several."""

    ply: int  # from 1, including chance
    player: int
    move: str
    best: str  # the search's choice
    chance: float  # the mover's share of the win, or normalized utility, with the best move …
    regret: float  # … how much lower it is with the move played …
    stake: float  # … and with the worst one
    exact: bool
    say: str = ""  # the move and the search's choice in words, for people
    say_best: str = ""

    @property
    def grade(self) -> Grade:
        """How good the move was."""
        return grade_of(self.regret)


def judge_move(view: View, report: Report, move: int, ply: int) -> Judged:
    """Judge the move played at a ply, given a search's report on the position."""
    # A search may rank only promising moves: one that it leaves out is no better than the last one it ranks.
    best, played = report.best, report.of_move(move)
    regret = max(0.0, best.value - played.value)
    # If several moves are equally good, the one that was played counts as best.
    better = best.move if regret else move
    exact = best.exact and played.exact
    stake = max(regret, best.value - min(ranked.value for ranked in report.moves))
    names, said = (view.name(move), view.name(better)), (view.say(move), view.say(better))
    return Judged(ply, view.player, *names, best.value, regret, stake, exact, *said)


def review(
    record: Record,
    judge: BotLike,
    game: GameLike | None = None,
    limit: Limit | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[Judged]:
    """Judge every decision in a recorded game by a search, such as "uct"; it obeys the limit at each decision.

    Examples:
        >>> import kibitz
        >>> from kibitz.analysis.review import review
        >>> table = kibitz.Table("connect_four", seed=1)
        >>> for name in "1 2 1 2 1 3 2".split():
        ...     table.play(name)
        ...
        >>> judged = review(table.record(), "alphabeta:depth=4")
        >>> judged[5].move, judged[5].best, judged[5].grade.value  # it should have blocked
        ('3', '1', 'blunder')
    """
    names_of(record, game)  # fail before the first search if the game cannot be replayed
    table, found = opening(record, game), []
    searcher = bot(judge, table.game)
    if not isinstance(searcher, Searcher):
        raise KibitzError(f"{judge} cannot judge moves, because it is not a search; use uct, for example.")
    for ply, (turn, move) in enumerate(zip(record.turns, record.moves, strict=True), 1):
        if turn >= 0 and len(table.moves) > 1:
            view = table.view(turn)
            found.append(judge_move(view, searcher.analyse(view, limit), move, ply))
        table.play(move)
        progress(ply, len(record.moves))
    return found
