"""How long the players of a room take, and what is left on their clocks. All times are those of the server's clock."""

from __future__ import annotations

from kibitz.web.clocks import TimeControl
from kibitz.web.server_clock import ServerClock


class TurnTimes:
    """The thinking times of one game."""

    def __init__(self, players: int, control: TimeControl | None, clock: ServerClock) -> None:
        self._control = control
        self._clock = clock
        self.began = clock.now()  # when the turn in progress began
        self.spent = [0.0] * players  # by each seat on its last move
        self.left = [control.seconds] * players if control else []  # on each clock when the turn began

    def begin_turn(self) -> None:
        """Somebody begins to think now."""
        self.began = self._clock.now()

    def end_turn(self, player: int) -> None:
        """A player has moved; the next one begins to think."""
        self.spent[player] = self.thinking()
        self.begin_turn()
        if self._control is not None:
            self.left[player] = self._control.after_move(max(0.0, self.left[player] - self.spent[player]))

    def go_on(self, began: float, spent: list[float], left: list[float]) -> None:
        """Go on from what was saved."""
        self.began = min(began, self._clock.now())  # the server's clock may have been saved a moment earlier
        self.spent, self.left = spent, left

    def thinking(self) -> float:
        """The seconds since the turn began."""
        return self._clock.now() - self.began

    def left_now(self, player: int, is_thinking: bool) -> float:
        """The seconds on a player's clock."""
        return max(0.0, self.left[player] - (self.thinking() if is_thinking else 0.0))

    def for_one_move(self, left: float | None) -> float | None:
        """The seconds that a bot should use for a move; None: as many as it likes."""
        return None if self._control is None or left is None else self._control.for_one_move(left)
