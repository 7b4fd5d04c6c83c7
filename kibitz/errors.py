"""The errors kibitz raises. Each message is one sentence that says what to do."""


class KibitzError(Exception):
    """Something a user can put right; the command line prints it and exits with 2."""


class SpecError(KibitzError):
    """A game or bot spec that cannot be understood or makes no sense."""


class RulesError(KibitzError):
    """A mistake in a game's rules, named by game, method and line."""


class IllegalMove(KibitzError):
    """A move that is not legal now; the table is unchanged."""
