"""What must hold of hidden information: of views, redeals, and of games that a viewer cannot tell apart.

A twin walks beside the true game: it makes any move that the viewer sees like the true one, so that the viewer
knows the same of both, and its views must stay the same. What differs leaks. A twin that has no such move left is
replaced by a redealt one. In one game for each viewer not one twin walks but all there can be, as long as they are
few: they are the positions that fit all the viewer has seen, and every redeal must be one of them.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence

from kibitz.compiled import is_plain
from kibitz.errors import ContractError
from kibitz.game import NOBODY, OVER
from kibitz.rng import Stream
from kibitz.state import State
from kibitz.testing.positions import SAMPLED_POSITIONS, Checked, check_end, check_text, play_one, shown
from kibitz.testing.rules import WatchedRules

LEAK = "redact or seen"  # the methods of which one is wrong when a view tells too much
FEW = 150  # positions that fit what a viewer has seen
PATIENCE = 6000  # how many moves of all twins to try, for all viewers together
PLENTY = 300  # cases, after which what has not happened never happens


class Hidden:
    """What one viewer may know of each game: views, redeals, and a twin that looks the same to it."""

    def __init__(self, rules: WatchedRules, checked: Checked) -> None:
        self.rules = rules
        self.checked = checked
        self.viewers = [*range(rules.game.players), NOBODY]
        self.apart = 0  # views that fit the truth and another twin
        self.redealt_apart = 0  # views redealt in two ways

    def sit_down(self, state: State, number: int, stream: Stream) -> None:
        """Choose this game's viewer."""
        self.viewer = self.viewers[number % len(self.viewers)]
        self.stream = stream
        self.twin = state.copy()
        self.redealt = False  # whether the twin was
        self.possible = {state.public_bytes(): state.copy()} if number < len(self.viewers) else {}
        self.patience = PATIENCE // len(self.viewers)
        self.plays_on_at = stream.randrange(self.checked.longest or 1)

    def check_view(self, state: State) -> None:
        rules, viewer = self.rules, self.viewer
        self.checked.views += 1
        view = rules.redacted(state, viewer)
        if rules.redacted(view, viewer) != view:
            raise rules.broken("redact", f"changes {self._whose} view when called on it again.", state)
        if rules.redacted(view, NOBODY) != rules.redacted(state, NOBODY):
            raise rules.broken("redact", f"lets a spectator see what is not in {self._whose} view.", state)
        dealt = rules.redealt(view, viewer, self.stream)
        if rules.redacted(dealt, viewer) != view:
            rule = f"does not fit {self._whose} view {view.to_text()}: it makes {dealt.to_text()}."
            raise rules.broken("redeal", rule, state)
        if self.possible and dealt.public_bytes() not in self.possible:
            rule = f"makes {dealt.to_text()}, which contradicts the moves and outcomes that seen shows {self._who}."
            raise rules.broken("redeal", rule, state)
        self.apart += self.twin != state
        self.redealt_apart += dealt != rules.redealt(view, viewer, self.stream)
        if state.turn == viewer:
            self._check_choice(state, view, dealt)
        if type(rules.game).defines("possible") and viewer != NOBODY and state.turn >= 0:
            self._check_possible(state, view)
        if is_plain():
            check_text(rules, view)
        if len(rules.path) == self.plays_on_at:
            self._play_on(dealt)

    def _check_choice(self, state: State, view: State, dealt: State) -> None:
        """A player must know its own legal moves, and what they are called."""
        rules = self.rules
        moves = rules.moves(state)
        if rules.moves(dealt) != moves:
            rule = f"gives {self._whose} other legal moves than it has: {rules.moves(dealt)}, not {moves}."
            raise rules.broken("redeal", rule, state)
        if is_plain():
            for move in moves:
                if shown(rules, "name", view, move) != shown(rules, "name", state, move):
                    raise rules.broken("board.name", f"names {move} otherwise in {self._whose} view.", state)

    def _check_possible(self, state: State, view: State) -> None:
        """Whatever a player can do must seem possible to the viewer; of itself it knows what."""
        rules, wide = self.rules, view.copy()
        rules.call("possible", wide, self.viewer)
        if wide.turn != state.turn:
            raise rules.broken("possible", f"gives the turn to {wide.turn}, not to {state.turn}.", state)
        moves, seeming = set(rules.moves(state)), set(rules.moves(wide))
        if moves - seeming and len(moves) > 1:  # a single one may be legal only for want of all others
            raise rules.broken("possible", f"leaves out {min(moves - seeming)}, which is legal.", state)
        if state.turn == self.viewer and seeming - moves:
            raise rules.broken("possible", f"gives {self._who} the move {min(seeming - moves)}, too.", state)

    def _play_on(self, dealt: State) -> None:
        """A redealt game is a game: it can be played to its end."""
        rules, state = self.rules, dealt.copy()
        uncounted = Checked("", chances=SAMPLED_POSITIONS)
        with self._blaming_redeal(dealt), self._aside(rules.path):
            rules.check_turn("redeal", state)
            while state.turn != OVER:
                play_one(rules, state, uncounted, self.stream)
            check_end(rules, state)

    def follow(self, before: State, move: int, after: State) -> None:
        """Let the twin, or all twins, make a move that the viewer sees like the one just made; compare the views."""
        rules, viewer = self.rules, self.viewer
        self.true_path = rules.path
        seen = rules.seen(before, move, viewer)
        self._check_seen(before, move, seen)
        view = rules.redacted(after, viewer)
        with self._blaming_redeal(self.twin) if self.redealt else contextlib.nullcontext(), self._aside():
            options = self._seen_alike(self.twin, seen)
            if options:
                choice = self.stream.choice([m for m in options if m != move] or options)
                self.twin = self._played(self.twin, choice, after, view)
        if not options:
            self.twin = rules.redealt(view, viewer, self.stream)
            self.redealt = True
        with self._aside():
            twins = [(twin, m) for twin in self.possible.values() for m in self._seen_alike(twin, seen)]
            self.patience -= len(self.possible) + len(twins)
            reached = [self._played(twin, m, after, view) for twin, m in twins] if self.patience > 0 else []
        self.possible = {twin.public_bytes(): twin for twin in reached}
        if len(self.possible) > FEW:
            self.possible = {}

    def _seen_alike(self, twin: State, seen: int) -> list[int]:
        return [m for m in self.rules.options(twin) if self.rules.seen(twin, m, self.viewer) == seen]

    def _played(self, twin: State, move: int, after: State, view: State) -> State:
        """A twin after its move, which must look like the true state."""
        rules = self.rules
        twin = twin.copy()
        rules.play(twin, move)
        if twin.turn == after.turn == OVER:
            return twin  # at the end all may be laid open
        other = rules.redacted(twin, self.viewer)
        if other != view:
            rule = (
                f"{self._whose} view {view.to_text()} would be {other.to_text()} in a game in which it has seen the "
                "same: redact must blank the difference, or seen must show the move or chance outcome that reveals it."
            )
            rules.path = self.true_path  # which leads to `after`
            raise rules.broken(LEAK, rule, after)
        return twin

    @contextlib.contextmanager
    def _aside(self, path: Sequence[int] = ()) -> Iterator[None]:
        """For moves after `path` that are not those of the true game."""
        true_path, moved = self.rules.path, self.rules.moved
        self.rules.path = list(path)
        try:
            yield
        finally:
            self.rules.path, self.rules.moved = true_path, moved

    @contextlib.contextmanager
    def _blaming_redeal(self, dealt: State) -> Iterator[None]:
        """What goes wrong in a redealt game, but not in a true one."""
        try:
            yield
        except ContractError as error:
            if error.method == LEAK:
                raise
            rule = f"makes a game that cannot be played on: {error.method}: {error.rule}"
            raise self.rules.broken("redeal", rule, dealt) from error

    def _check_seen(self, before: State, move: int, seen: int) -> None:
        rules = self.rules
        if before.turn == self.viewer and seen != move:
            raise rules.broken("seen", f"shows {self._whose} own move {move} as {seen}.", before)
        if seen == -1 and rules.seen(before, move, NOBODY) != -1:
            raise rules.broken("seen", f"shows a spectator the move {move}, but not {self._who}.", before)

    def check_whole(self) -> None:
        """What shows only over many games."""
        if self.apart >= PLENTY and not self.redealt_apart:
            raise self.rules.broken("redeal", "fills the blanks in the same way each time.")

    @property
    def _who(self) -> str:
        return "a spectator" if self.viewer == NOBODY else f"player {self.viewer}"

    @property
    def _whose(self) -> str:
        return f"{self._who}'s"
