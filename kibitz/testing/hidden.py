"""Checks of hidden information: of views, of redeals, and of games that a viewer cannot distinguish.

A twin accompanies the true game: it makes any move that looks to the viewer like the true one, so that the viewer has
seen the same of both, and their views must stay the same. Any difference is a leak. A twin without such a move is
replaced by a redealt one. In one game per viewer, all possible twins are followed instead of one, as long as they are
few: they are the positions consistent with all the viewer has seen, and every redeal must be one of them.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence

from kibitz.compiler import is_plain
from kibitz.errors import ContractError
from kibitz.rules.contract import NOBODY, OVER
from kibitz.rules.rng import Stream
from kibitz.state import State
from kibitz.testing.positions import SAMPLED_POSITIONS, Checked, check_end, check_text, play_one, shown
from kibitz.testing.rules import WatchedRules

LEAK = "redact or seen"  # the methods of which one is wrong when a view reveals too much
FEW = 150  # the most twins to follow in place of one
PATIENCE = 6000  # moves of such twins to try, for all viewers together
PLENTY = 300  # cases; what has not happened by then never will


class Hidden:
    """Checks what one viewer may know of each game: views, redeals, and a twin that looks the same."""

    def __init__(self, rules: WatchedRules, checked: Checked) -> None:
        self.rules = rules
        self.checked = checked
        self.viewers = [*range(rules.game.players), NOBODY]
        self.ambiguous = 0  # views that fit the true state and a different twin
        self.redealt_differently = 0  # views that were redealt in two ways

    def begin_game(self, state: State, number: int, stream: Stream) -> None:
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
        self.ambiguous += self.twin != state
        self.redealt_differently += dealt != rules.redealt(view, viewer, self.stream)
        if state.turn == viewer:
            self._check_choice(state, view, dealt)
        if type(rules.game).defines("possible") and viewer != NOBODY and state.turn >= 0:
            self._check_possible(state, view)
        if is_plain():
            check_text(rules, view)
        if len(rules.path) == self.plays_on_at:
            self._play_on(dealt)

    def _check_choice(self, state: State, view: State, dealt: State) -> None:
        """A player must know their own legal moves and the names of the moves."""
        rules = self.rules
        moves = rules.moves(state)
        if rules.moves(dealt) != moves:
            rule = f"gives {self._who} the legal moves {rules.moves(dealt)}, not {moves}."
            raise rules.broken("redeal", rule, state)
        if is_plain():
            for move in moves:
                if shown(rules, "name", view, move) != shown(rules, "name", state, move):
                    raise rules.broken("board.name", f"names {move} differently in {self._whose} view.", state)

    def _check_possible(self, state: State, view: State) -> None:
        """Every legal move must seem possible to the viewer; of the viewer's own moves, no others may."""
        rules, wide = self.rules, view.copy()
        rules.call("possible", wide, self.viewer)
        if wide.turn != state.turn:
            raise rules.broken("possible", f"gives the turn to {wide.turn}, not to {state.turn}.", state)
        moves, seeming = set(rules.moves(state)), set(rules.moves(wide))
        if moves - seeming and len(moves) > 1:  # a single move may be legal only for lack of others
            raise rules.broken("possible", f"leaves out {min(moves - seeming)}, which is legal.", state)
        if state.turn == self.viewer and seeming - moves:
            raise rules.broken("possible", f"gives {self._who} the illegal move {min(seeming - moves)}.", state)

    def _play_on(self, dealt: State) -> None:
        """A redealt game must be playable to its end."""
        rules, state = self.rules, dealt.copy()
        uncounted = Checked("", chances=SAMPLED_POSITIONS)
        with self._blaming_redeal(dealt), self._aside(rules.path):
            rules.check_turn("redeal", state)
            while state.turn != OVER:
                play_one(rules, state, uncounted, self.stream)
            check_end(rules, state)

    def follow(self, before: State, move: int, after: State) -> None:
        """Let the twin, or all twins, make a move that looks to the viewer like the true one; compare the views."""
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
        """A twin after its move; it must look like the true state."""
        rules = self.rules
        twin = twin.copy()
        rules.play(twin, move)
        if twin.turn == after.turn == OVER:
            return twin  # at the end everything may be revealed
        other = rules.redacted(twin, self.viewer)
        if other != view:
            rule = (
                f"{self._whose} view {view.to_text()} would be {other.to_text()} in a game that has looked the same "
                "so far: redact must blank the difference, or seen must show the move or outcome that reveals it."
            )
            rules.path = self.true_path  # which leads to `after`
            raise rules.broken(LEAK, rule, after)
        return twin

    @contextlib.contextmanager
    def _aside(self, path: Sequence[int] = ()) -> Iterator[None]:
        """A context for moves after `path` that are not those of the true game."""
        true_path, moved = self.rules.path, self.rules.moved
        self.rules.path = list(path)
        try:
            yield
        finally:
            self.rules.path, self.rules.moved = true_path, moved

    @contextlib.contextmanager
    def _blaming_redeal(self, dealt: State) -> Iterator[None]:
        """A context that blames redeal for what goes wrong in a redealt game."""
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
        if self.ambiguous >= PLENTY and not self.redealt_differently:
            raise self.rules.broken("redeal", "fills the blanks in the same way each time.")

    @property
    def _who(self) -> str:
        return "a spectator" if self.viewer == NOBODY else f"player {self.viewer}"

    @property
    def _whose(self) -> str:
        return f"{self._who}'s"
