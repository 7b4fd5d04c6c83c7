"""The exceptions that kibitz raises. Each message is one sentence that says how to fix the problem."""

SHOWN_MOVES = 200  # per message; an endless game has thousands


class KibitzError(Exception):
    """An error that the user can fix; the command line prints it and exits with code 2.

    Examples:
        >>> import kibitz
        >>> try:
        ...     kibitz.Table("chess")
        ... except kibitz.KibitzError as error:
        ...     print(str(error)[:31])
        ...
        There is no game 'chess'. Avail
    """


class SpecError(KibitzError):
    """An invalid game or bot spec.

    Examples:
        >>> import kibitz
        >>> kibitz.bot("uct:sims=many", "connect_four")
        Traceback (most recent call last):
            ...
        kibitz.errors.SpecError: uct: sims must be a whole number, not 'many'.
    """


class NotCompiled(KibitzError):
    """Something would have to be compiled or solved first, inside `loading_only()`."""


class RulesError(KibitzError):
    """A mistake in a game's rules, with the game, the method and the line.

    Examples:
        >>> import kibitz
        >>> @kibitz.game
        ... class Unfinished:
        ...     players = 2
        ...
        Traceback (most recent call last):
            ...
        kibitz.errors.RulesError: Unfinished has no method fields(self); add it.
    """


class IllegalMove(KibitzError):
    """A move that is not legal in the current position; the table is unchanged.

    Examples:
        >>> import kibitz
        >>> kibitz.Table("connect_four").play("9")
        Traceback (most recent call last):
            ...
        kibitz.errors.IllegalMove: '9' is not a legal move; legal moves: 1, 2, 3, 4, 5, 6, 7.
    """


class BotFault(KibitzError):
    """A bot failed to make a legal move. `kind` is "illegal move", "exception", "timeout" or "crash"."""

    def __init__(self, message: str, kind: str, by_signal: bool = False) -> None:
        super().__init__(message)
        self.kind = kind
        self.by_signal = by_signal  # whether its process was killed, which may not be its own fault


class ContractError(RulesError):
    """A game violates the contract of its rules; with the position and the moves that led to it."""

    def __init__(
        self, game: str, method: str, rule: str, position: str = "", moves: tuple[int, ...] = (), place: str = ""
    ) -> None:
        self.game = game
        self.method = method
        self.rule = rule
        self.position = position  # in the format of State.to_text
        self.moves = moves  # moves and chance outcomes, in order
        self.place = place  # the line of the method, with its source
        line = f"\n  {place}" if place else ""
        where = f"\n  position: {position}" if position else ""
        last = f"… {len(moves) - SHOWN_MOVES} more, then " if len(moves) > SHOWN_MOVES else ""
        path = f"\n  after the moves: {last}{' '.join(map(str, moves[-SHOWN_MOVES:]))}" if moves else ""
        super().__init__(f"{game}.{method}: {rule}{line}{where}{path}")
