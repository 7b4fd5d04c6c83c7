"""What a bot is: it receives a View and returns a move.

Your own bot can be any class with a method `choose(self, view)`, used as `path/file.py:MyBot`. The bots that ship with
kibitz derive from Bot or Searcher, declare their options as dataclass fields, and say which games they can play.
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import ClassVar, Protocol

from kibitz.errors import KibitzError
from kibitz.players.limit import Limit, LimitLike, as_limit
from kibitz.players.options import check_values, options_in
from kibitz.players.report_html import report_html
from kibitz.rules.contract import Game
from kibitz.table import Table, View

# Why a search that assumes perfect information does not fit a game with hidden information.
WOULD_PEEK = "it would search information it must not see; use ismcts or mc, which redeal the hidden part."
# Why a search in which one player's gain is the other's loss does not fit a game without a constant sum.
NOT_CONSTANT_SUM = "its utilities have no constant sum, so that both players can gain; use uct, mc or maxn."
FOR_SEARCH = 0.9  # the share of the time for a move that is spent searching; the rest covers overhead


class Player(Protocol):
    """The interface of a bot."""

    def choose(self, view: View) -> int | str: ...


class Bot(ABC):
    """The base class of the bots that ship with kibitz. The first line of a bot's docstring is its description.

    Examples:
        >>> import kibitz
        >>> class Leftmost(kibitz.Bot):
        ...     @classmethod
        ...     def misfit(cls, game):
        ...         return None if game.players == 2 else "it is for two players; use random."
        ...     def choose(self, view):
        ...         return view.moves[0]
        ...
        >>> table = kibitz.Table("connect_four")
        >>> Leftmost().choose(table.view(0)), Leftmost().is_reproducible(), Leftmost().option_misfit(table.game)
        (0, True, None)
        >>> kibitz.bot(Leftmost, "camelup")
        Traceback (most recent call last):
            ...
        kibitz.errors.SpecError: Leftmost cannot play camelup: it is for two players; use random.
    """

    never_compiled: ClassVar[bool] = True
    name: ClassVar[str] = ""  # in error messages; by default the name of the class
    learns: ClassVar[bool] = False  # whether it learns from game to game of a match, which is then played in order
    compiles_rules: ClassVar[bool] = False  # whether it cannot play a game whose rules are never compiled

    def __post_init__(self) -> None:
        """Check the options, if the bot is a dataclass."""
        options = options_in(type(self))
        values = {key: getattr(self, key) for key in options}
        check_values(self._called, options, values)

    @property
    def _called(self) -> str:
        """What error messages call it."""
        return type(self).name or type(self).__name__

    @classmethod
    def misfit(cls, game: Game) -> str | None:
        """Why this bot cannot play a game, as a sentence that suggests an alternative; None if it can."""
        return None

    def option_misfit(self, game: Game) -> str | None:
        """Why this bot cannot play a game with these options, although others of its class can; None if it can."""
        return None

    @abstractmethod
    def choose(self, view: View) -> int:
        """Choose a legal move for the player whose view this is."""

    def is_reproducible(self) -> bool:
        """Whether the same seed gives the same moves; not the case if its option `ms` (milliseconds) is above 0."""
        return not getattr(self, "ms", 0)


@dataclass(frozen=True)
class Ranked:
    """A search's evaluation of one legal move.

    Examples:
        >>> import kibitz
        >>> table = kibitz.Table("connect_four")
        >>> kibitz.bot("alphabeta:depth=2", table.game).analyse(table.view(0)).best.exact
        False
    """

    move: int
    value: float  # the mover's expected share of the win; in a game with utilities, their normalized expected utility
    visits: int = 0
    exact: bool = False  # whether the value is proven, not estimated
    line: tuple[int, ...] = ()  # the expected continuation, this move first
    prior: float | None = None  # the probability of the move, according to the network that guided the search


@dataclass(frozen=True, repr=False)
class Report:
    """The result of a search: every legal move, best first, and the work done.

    Examples:
        >>> import kibitz
        >>> table = kibitz.Table("connect_four")
        >>> for name in "4 4 3 3".split():
        ...     table.play(name)
        ...
        >>> report = kibitz.bot("alphabeta:depth=10", table.game).analyse(table.view(0))
        >>> report.best.move, report.value, report.line, report.of_move(0).exact
        (1, 1.0, (1, 1, 0), False)
        >>> report.view.line_names(report.line)
        ['2', '2', '1']
    """

    moves: tuple[Ranked, ...]
    work: int  # in units of …
    unit: str  # … "simulations", "nodes" or the like
    depth: int
    seconds: float
    view: View | None = field(default=None, compare=False)  # of the position, if a Searcher was asked for the report

    @property
    def best(self) -> Ranked:
        """The best move, with its evaluation."""
        return self.moves[0]

    @property
    def value(self) -> float:
        """The mover's expected share of the win, or normalized expected utility."""
        return self.best.value

    @property
    def line(self) -> tuple[int, ...]:
        """The principal variation."""
        return self.best.line

    def __repr__(self) -> str:
        best = f"best move {self.best.move}, value {self.value:.4g}"
        return f"<Report on {len(self.moves)} moves: {best}, {self.work:,} {self.unit}, {self.seconds:.3f} s>"

    def _repr_html_(self) -> str:
        return report_html(self)

    def of_move(self, move: int) -> Ranked:
        """The evaluation of a move; a move left out of the report is assumed to be no better than the last one."""
        return next((ranked for ranked in self.moves if ranked.move == move), self.moves[-1])


class Searcher(Bot):
    """A bot that can evaluate every legal move; each call can set its own Limit.

    Examples:
        >>> import kibitz
        >>> table = kibitz.Table("connect_four")
        >>> view = table.view(table.turn)
        >>> bot = kibitz.bot("alphabeta:depth=4", table.game)
        >>> bot.limit, bot.is_reproducible()
        (Limit(simulations=None, nodes=None, depth=4, seconds=None, stop=None), True)
        >>> bot.choose(view) == bot.best(view).best.move
        True
        >>> len(bot.analyse(view, "depth=2").moves), bot.limit_for(view, "ms=20").seconds
        (7, 0.02)
        >>> bot.search(view, kibitz.Limit(depth=1), ranking=True).depth
        1
    """

    never_compiled: ClassVar[bool] = True
    compiles_rules: ClassVar[bool] = True
    counts: ClassVar[tuple[str, ...]] = ()  # the limits it obeys besides seconds: "simulations", "nodes", "depth"
    default_limit: ClassVar[Limit] = Limit()  # used if neither its options nor the call set one
    # Whether its values come from an evaluation at a horizon; they are then on the scale of that evaluation, and become
    # chances to win only where that was measured (kibitz/analysis/chances.py).
    by_evaluation: ClassVar[bool] = False

    @property
    def limit(self) -> Limit:
        """The limit set by the bot's own options, those declared with `option(…, limits=…)`."""
        limits = {key: option.limits for key, option in options_in(type(self)).items() if option.limits}
        return Limit.of(**{word: getattr(self, key) for key, word in limits.items()})

    @abstractmethod
    def search(self, view: View, limit: Limit, ranking: bool) -> Report:
        """Search the position within the limit: rank every legal move if `ranking`, otherwise just find the best."""

    def analyse(self, view: View, limit: LimitLike | None = None) -> Report:
        """Rank all legal moves; `limit` replaces the limit set by the options."""
        return dataclasses.replace(self.search(view, self.limit_for(view, limit), ranking=True), view=view)

    def best(self, view: View, limit: LimitLike | None = None) -> Report:
        """Search for the best move only, which can be faster than ranking all moves."""
        return dataclasses.replace(self.search(view, self.limit_for(view, limit), ranking=False), view=view)

    def choose(self, view: View, limit: LimitLike | None = None) -> int:
        """Choose the best move; `limit` replaces the limit set by the options. A single legal move is not searched."""
        return view.moves[0] if len(view.moves) == 1 else self.best(view, limit).best.move

    def is_reproducible(self) -> bool:
        """Whether the same seed gives the same moves: not if the limit is a time."""
        return self.limit.seconds is None

    def limit_for(self, view: View, limit: LimitLike | None = None) -> Limit:
        """The limit of a search: that of the call, else of the options, else the default; never beyond view.time."""
        if isinstance(view, Table):
            raise KibitzError("A bot sees a view, not the table; give it table.view(table.turn).")
        given = as_limit(limit) or Limit()
        if not given.is_empty and self.counts and given.seconds is None:
            obeyed = [budget for budget in self.counts if getattr(given, budget) is not None]
            if not obeyed:
                raise KibitzError(f"{self._called} counts {' and '.join(self.counts)}; limit one of these or the time.")
        limit = given if not given.is_empty else self.limit if not self.limit.is_empty else self.default_limit
        limit = dataclasses.replace(limit, stop=given.stop)
        return limit.capped(None if view.time is None else FOR_SEARCH * view.time)
