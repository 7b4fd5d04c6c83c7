"""Checks of hidden information: of views, of redeals, and of games that a viewer cannot distinguish.

A twin accompanies the true game: it makes any move that looks to the viewer like the true one, so that the viewer has
seen the same of both, and their views must stay the same. Any difference is a leak. A twin without such a move is
replaced by a redealt one. In the first games, all possible twins are followed as well, as long as they are few: these
are the positions consistent with all the viewer has seen, and every redeal must be one of them.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from kibitz.compiler import is_plain
from kibitz.errors import ContractError
from kibitz.rules.contract import NOBODY, OVER
from kibitz.rules.rng import Stream
from kibitz.state import State
from kibitz.testing.positions import SAMPLED_POSITIONS, Checked, Finding, check_end, play_one
from kibitz.testing.presentation import check_scene, check_text, shown
from kibitz.testing.redeals import reachable_positions
from kibitz.testing.rules import WatchedRules, fewer_if_plain, viewer_name

LEAK = "redact or seen"  # the methods of which one is wrong when a view reveals too much
FEW = 150  # the most twins to follow in place of one
PATIENCE, PATIENCE_PER_GAME = 40_000, 2000  # moves of such twins to try; in plain mode, a tenth in all games
PLENTY = 150  # cases; what has not happened by then never will


class Hidden:
    """Checks what one viewer may know of each game: views, redeals, and a twin that looks the same."""

    def __init__(self, rules: WatchedRules, checked: Checked) -> None:
        self.rules = rules
        self.checked = checked
        self.reachable: set[bytes] = set()  # the public bytes of all positions of the game, if they are few
        self.viewers = [*range(rules.game.players), NOBODY]
        self.ambiguous = 0  # views that fit the true state and a different twin
        self.redealt_differently = 0  # views that were redealt in two ways
        self.patience = fewer_if_plain(PATIENCE)
        self.shown: set[int] = set()  # what `seen` has shown
        self.blanked = False  # whether a view ever differed from the state
        self.suspicion: ContractError | None = None  # redeal is to blame, unless a true game fails in the same way

    def explore(self) -> None:
        """Find out which positions are reachable, if the game is small."""
        self.reachable = reachable_positions(self.rules)

    def begin_game(self, state: State, number: int, stream: Stream) -> None:
        """Choose this game's viewer."""
        self.viewer = self.viewers[number % len(self.viewers)]
        self.stream = stream
        self.twin = state.copy()
        self.redealt = False  # whether the twin was
        self.possible = {state.public_bytes(): state.copy()} if self.patience > 0 else {}
        self.patience_left = min(self.patience, PATIENCE_PER_GAME)
        self.plays_on_at = stream.randrange(self.checked.longest or 1)

    def check_view(self, state: State, options: list[int]) -> None:
        """Check the viewer's view of a position with these legal moves or outcomes."""
        rules, viewer = self.rules, self.viewer
        self.checked.views += 1
        view = rules.redacted(state, viewer)
        self.blanked = self.blanked or view != state
        if rules.redacted(view, viewer) != view:
            raise rules.broken("redact", f"changes {self._whose} view when called on it again.", state)
        if rules.redacted(view, NOBODY) != rules.redacted(state, NOBODY):
            raise rules.broken("redact", f"lets a spectator see what is not in {self._whose} view.", state)
        dealt = rules.redealt(view, viewer, self.stream)
        if rules.redacted(dealt, viewer) != view:
            rule = f"does not fit {self._whose} view {view.to_text()}: it makes {dealt.to_text()}."
            raise rules.broken("redeal", rule, state)
        again = rules.redealt(view, viewer, self.stream)
        self._check_consistent(state, dealt)
        self._check_consistent(state, again)
        self.ambiguous += self.twin != state
        self.redealt_differently += dealt != again
        if state.turn == viewer:
            self._check_choice(state, view, dealt, options)
        if rules.defines("possible") and viewer != NOBODY and state.turn >= 0:
            self._check_possible(state, view, set(options))
        if is_plain():
            check_text(rules, view)
            check_scene(rules, view, viewer, options if state.turn == viewer else [])
        if len(rules.path) == self.plays_on_at:
            self._play_on(dealt)

    def _check_consistent(self, state: State, dealt: State) -> None:
        """A redealt position must be one that the viewer cannot rule out."""
        rules = self.rules
        if self.possible and dealt.public_bytes() not in self.possible:
            rule = f"makes {dealt.to_text()}, which contradicts the moves and outcomes that seen shows {self._who}"
            hint = "" if rules.moved else ", unless chances leaves out an outcome"
            raise rules.broken("redeal", f"{rule}{hint}.", state)
        if self.reachable and dealt.public_bytes() not in self.reachable:
            raise rules.broken("redeal", f"makes {dealt.to_text()}, a position that no game can reach.", state)

    def _check_choice(self, state: State, view: State, dealt: State, moves: list[int]) -> None:
        """A player must know their own legal moves and the names of the moves."""
        rules = self.rules
        with self._suspecting_redeal(dealt):
            found = rules.moves(dealt)
            if found != moves:
                raise rules.broken("redeal", f"gives {self._who} the legal moves {found}, not {moves}.", state)
        if is_plain():
            for move in moves:
                if shown(rules, "name", view, move) != shown(rules, "name", state, move):
                    raise rules.broken("board.name", f"names {move} differently in {self._whose} view.", state)

    def _check_possible(self, state: State, view: State, moves: set[int]) -> None:
        """Every legal move must seem possible to the viewer; of the viewer's own moves, no others may."""
        rules, wide = self.rules, view.copy()
        rules.call("possible", wide, self.viewer)
        if wide.turn != state.turn:
            raise rules.broken("possible", f"gives the turn to {wide.turn}, not to {state.turn}.", state)
        seeming = set(rules.moves(wide))
        if moves - seeming and len(moves) > 1:  # a single move may be legal only for lack of others
            raise rules.broken("possible", f"leaves out {min(moves - seeming)}, which is legal.", state)
        if state.turn == self.viewer and seeming - moves:
            raise rules.broken("possible", f"gives {self._who} the illegal move {min(seeming - moves)}.", state)

    def _play_on(self, dealt: State) -> None:
        """A redealt game must be playable to its end."""
        rules, state = self.rules, dealt.copy()
        uncounted = Checked("", chances=SAMPLED_POSITIONS)
        with self._suspecting_redeal(dealt), rules.aside(rules.path), rules.unwatched():
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
        self.shown.add(seen)
        view = rules.redacted(after, viewer)
        options: list[int] = []
        with self._suspecting_redeal(self.twin) if self.redealt else contextlib.nullcontext(), rules.aside():
            options = self._seen_alike(self.twin, seen)
            if options:
                choice = self.stream.choice([m for m in options if m != move] or options)
                self.twin = self._played(self.twin, choice, after, view)
        if not options:
            self.redealt = self.suspicion is None
            self.twin = rules.redealt(view, viewer, self.stream) if self.redealt else after.copy()
        self._follow_all(seen, after, view)

    def _follow_all(self, seen: int, after: State, view: State) -> None:
        """Let every possible twin make all moves that look to the viewer like the true one."""
        rules, reached = self.rules, []
        if not self.possible:
            return
        with rules.aside(), rules.unwatched():
            twins = [(twin, m) for twin in self.possible.values() for m in self._seen_alike(twin, seen)]
            tried = len(self.possible) + len(twins)
            self.patience -= tried
            self.patience_left -= tried
            if self.patience_left > 0:
                reached = [self._played(twin, m, after, view) for twin, m in twins]
        self.possible = {twin.public_bytes(): twin for twin in reached}
        if len(self.possible) > FEW:
            self.possible = {}

    def _seen_alike(self, twin: State, seen: int) -> list[int]:
        with self.rules.unwatched():
            return [m for m, _ in self.rules.options(twin) if self.rules.seen(twin, m, self.viewer) == seen]

    def _played(self, twin: State, move: int, after: State, view: State) -> State:
        """A twin after its move; it must look like the true state."""
        rules = self.rules
        twin = rules.after(twin, move)
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
    def _suspecting_redeal(self, dealt: State) -> Iterator[None]:
        """A context for playing on from a redealt position; what goes wrong is kept as a suspicion.

        Wrong rules fail in true games as well: redeal is to blame only if all of those succeed.
        """
        try:
            yield
        except ContractError as error:
            place = dealt.public_bytes()
            if error.method in (LEAK, "redeal") or place in self.possible or place in self.reachable:
                raise
            rule = f"makes a game that cannot be played on: {error.method}: {error.rule}"
            self.suspicion = self.suspicion or self.rules.broken("redeal", rule, dealt)

    def _check_seen(self, before: State, move: int, seen: int) -> None:
        rules = self.rules
        if before.turn == self.viewer and seen != move:
            raise rules.broken("seen", f"shows {self._whose} own move {move} as {seen}.", before)
        if seen == -1 and rules.seen(before, move, NOBODY) != -1:
            raise rules.broken("seen", f"shows a spectator the move {move}, but not {self._who}.", before)

    def check_whole(self) -> None:
        """What shows only over many games."""
        if self.suspicion:
            raise self.suspicion
        if self.ambiguous >= PLENTY and not self.redealt_differently:
            raise self.rules.broken("redeal", "fills the blanks in the same way each time.")

    def findings(self) -> list[Finding]:
        if self.blanked:
            return []
        return [Finding("redact", f"blanked nothing in {self.checked.views} views. Is anything hidden in this game?")]

    @property
    def _who(self) -> str:
        return viewer_name(self.viewer)

    @property
    def _whose(self) -> str:
        return f"{self._who}'s"
