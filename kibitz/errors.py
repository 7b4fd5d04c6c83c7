"""The errors kibitz raises. Each message is one sentence that says what to do."""

SHOWN_MOVES = 200  # in a message; an endless game has thousands


class KibitzError(Exception):
    """Something a user can put right; the command line prints it and exits with 2."""


class SpecError(KibitzError):
    """A game or bot spec that cannot be understood or makes no sense."""


class RulesError(KibitzError):
    """A mistake in a game's rules, named by game, method and line."""


class IllegalMove(KibitzError):
    """A move that is not legal now; the table is unchanged."""


class BotFault(KibitzError):
    """What a bot did wrong, by kind: "illegal move", "exception", "timeout", or "crash" of its process."""

    def __init__(self, message: str, kind: str) -> None:
        super().__init__(message)
        self.kind = kind


class ContractError(RulesError):
    """A promise of the protocol that a game breaks, with the position and the moves that led there."""

    def __init__(self, game: str, method: str, rule: str, position: str = "", moves: tuple[int, ...] = ()) -> None:
        self.game = game
        self.method = method
        self.rule = rule
        self.position = position  # as State.from_text reads it
        self.moves = moves  # moves and chance outcomes in order
        where = f"\n  position: {position}" if position else ""
        last = f"… {len(moves) - SHOWN_MOVES} more, then " if len(moves) > SHOWN_MOVES else ""
        path = f"\n  after the moves: {last}{' '.join(map(str, moves[-SHOWN_MOVES:]))}" if moves else ""
        super().__init__(f"{game}.{method}: {rule}{where}{path}")
