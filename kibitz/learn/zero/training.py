"""The training loop: self-play, learning from it, and now and then a match for the place of the best network.

One round plays a batch of games per worker with the latest network, adds them to a window of the latest examples, and
takes as many steps of Adam as there are new examples for. The learning rate falls in two steps towards the end.
Eight times in a run, a gate match decides whether the latest network replaces the best one so far, which is what the
run writes, and a match against a fixed opponent tells how strong it is (matches.py).

Nothing depends on the clock except when a run of so many minutes ends: with a number of games instead, the same seed
and number of workers give the same network.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from kibitz.compiler import running_time
from kibitz.errors import KibitzError
from kibitz.learn.features import Features
from kibitz.learn.method_features import ZERO, features_for
from kibitz.learn.watched_features import watched_features
from kibitz.learn.zero.batches import TAUGHT_GAMES, Batches
from kibitz.learn.zero.checkpoint import SUFFIX, Checkpoint, Progress
from kibitz.learn.zero.examples import Examples, joined, room_for
from kibitz.learn.zero.gradient import AdamLearner
from kibitz.learn.zero.history import keep_history
from kibitz.learn.zero.matches import GATES, Matches
from kibitz.learn.zero.network import LANES, WIDTHS, Network, new_network, shapes, widths_of
from kibitz.learn.zero.network_file import TrainedNetwork, trained_network
from kibitz.learn.zero.self_play import Manner
from kibitz.learn.zero.self_players import SelfPlayers, choose_self_players
from kibitz.learn.zero.teacher_games import find_teacher
from kibitz.rules.contract import Game
from kibitz.rules.registry import GameLike, as_game, spec_of
from kibitz.rules.rng import Stream
from kibitz.rules.spec import whole_number
from kibitz.tournament.executors import LOCAL

GAMES_PER_BATCH = 40
WINDOW_EXAMPLES = 250_000
WINDOW_BYTES = 256 << 20
BATCH = 256  # examples in a step of Adam
PASSES = 12.0  # how often an example is learned from, on average …
TAUGHT_PASSES = 3.0  # … if a teacher made it, who makes many
TAUGHT_PART = 0.5  # of a run with a teacher; the rest is self-play
RATE = 0.003
RATE_FALLS = ((0.6, 0.3), (0.85, 0.1))  # from these parts of the run on: the learning rate, as a share of RATE
CHECKPOINT_SECONDS = 30.0
MOST_WORKERS = 256
NARROWEST, WIDEST = 2 * LANES, 1024


@dataclass(frozen=True)
class ZeroTraining:
    """The result of a training run."""

    trained: TrainedNetwork
    progress: Progress
    interrupted: bool = False  # whether Ctrl-C ended it early


def train_zero(
    game: GameLike,
    out: Path,
    *,
    minutes: float | None = None,
    games: int | None = None,
    seed: int = 0,
    workers: int = 1,
    width: int = WIDTHS[0],
    resume: bool = False,
    manner: Manner | None = None,
    teacher: str = "",
    engine: str = LOCAL,
    address: str | None = None,
    progress: Callable[[Progress, float], None] = lambda progress, part: None,
) -> ZeroTraining:
    """Train a network by self-play for so many minutes or games, and write the best one to `out`.

    The games are played by threads on this machine, or by the Ray cluster at `address` (`engine="ray"`; without an
    address, by one on this machine): the same games, given the same number of workers.

    With a `teacher`, the spec of a compiled player, the first half of the run learns from games of that bot.

    The hidden layers of a new network have `width` units and half as many. `resume` goes on with a run that ended or
    was killed; minutes and games then count from its beginning. `progress` is called after every round with how far it
    has come and what part of the run that is. Ctrl-C ends the run early and keeps what was learned.

    Examples:
        >>> from pathlib import Path
        >>> from kibitz.learn.zero.training import train_zero
        >>> training = train_zero("connect_four", Path("mine.npz"), minutes=5)  # doctest: +SKIP
    """
    rules = as_game(game)
    if (minutes is None) == (games is None):
        raise KibitzError("Train for a number of minutes or for a number of games.")
    if minutes is not None and not minutes > 0:
        raise KibitzError(f"The number of minutes must be more than 0, not {minutes:g}.")
    if games is not None:
        games = whole_number(games, "The number of games", 1)
    workers = whole_number(workers, "The number of workers", 1, MOST_WORKERS)
    width = whole_number(width, "The width of a network", NARROWEST, WIDEST)
    if width % NARROWEST:
        raise KibitzError(f"The width of a network must be a multiple of {NARROWEST}, not {width}.")
    if teacher:
        find_teacher(teacher, rules)
    run = _Run(rules, out, seed, workers, width, manner or Manner(), teacher, resume)
    return run.train(None if minutes is None else 60 * minutes, games, progress, engine, address)


class _Run:
    """A training run."""

    def __init__(
        self,
        game: Game,
        out: Path,
        seed: int,
        workers: int,
        width: int,
        manner: Manner,
        teacher: str,
        resume: bool,
    ) -> None:
        self.game, self.out, self.manner = game, out, manner
        self.state_file = out.with_name(out.name + SUFFIX)
        self.features: Features = features_for(game, ZERO)
        size = self.features.size(game)
        if resume:
            self._restore(size)
        else:
            if self.state_file.exists():
                raise KibitzError(
                    f"{self.state_file} is the state of an earlier training; continue it with --resume, "
                    "delete it, or write to another file with --out."
                )
            digest = watched_features(game).digest
            self.progress = Progress(spec_of(game), digest, seed, workers, manner.mix, teacher)
            self.learner = self._learner(new_network(size, game.actions, game.players, seed, (width, width // 2)))
            self.window = room_for(0, 0, 0, game.players)
        self.saved = running_time()

    def _learner(self, network: Network) -> AdamLearner:
        return AdamLearner(network, self.features.most(self.game), self.game.max_moves)

    def _restore(self, size: int) -> None:
        """Go on with an earlier run."""
        kept = Checkpoint.read(self.state_file)
        wanted = shapes(size, self.game.actions, self.game.players, widths_of(kept.network))
        same = all(Network(*(w.shape for w in part)) == wanted for part in (kept.network, kept.means, kept.squares))
        if kept.progress.digest != watched_features(self.game).digest or not same:
            raise KibitzError(
                f"{self.state_file} is the state of a training of {kept.progress.game} under other rules; "
                "delete it, or write to another file with --out."
            )
        self.progress, self.window = kept.progress, kept.window
        self.manner = self.manner._replace(mix=kept.progress.mix)
        self.learner = self._learner(kept.network)
        self.learner.means, self.learner.squares = kept.means, kept.squares
        self.learner.steps = self.progress.steps

    def train(
        self,
        seconds: float | None,
        games: int | None,
        progress: Callable[[Progress, float], None],
        engine: str = LOCAL,
        address: str | None = None,
    ) -> ZeroTraining:
        """Train until the end."""
        now = self.progress
        interrupted = False
        batches = Batches(self.game, self.features, self.manner, now.seed, GAMES_PER_BATCH, now.teacher)
        players = choose_self_players(batches, now.workers, engine, address)
        matches = Matches(self.game, self.manner.opening, seconds)
        try:
            players.prepare()
            before = running_time() - now.seconds
            part = self._part(seconds, games)
            while part < 1.0:
                self._round(players, part)
                now.seconds = running_time() - before
                part = self._part(seconds, games)
                if part * GATES >= now.gates + 1:
                    self._hold_gate(matches, part)
                    now.seconds = running_time() - before
                    keep_history(self.out, now, seconds, games)
                progress(now, part)
                if running_time() - self.saved > CHECKPOINT_SECONDS:
                    self._save()
        except KeyboardInterrupt:
            interrupted = True
            if not now.batches:
                raise
        finally:
            players.close()
        self._save()
        return ZeroTraining(self._best(), now, interrupted)

    def _part(self, seconds: float | None, games: int | None) -> float:
        """The part of the run that is done."""
        now = self.progress
        part = now.seconds / seconds if seconds else now.games / (games or 1)
        return min(part, 1.0)

    def _round(self, players: SelfPlayers, part: float) -> None:
        """Play a batch of games per worker and learn from them."""
        now = self.progress
        is_taught = bool(now.teacher) and part < TAUGHT_PART
        frozen = None if is_taught else Network(*(weights.copy() for weights in self.learner.network))
        found = players.play(frozen, range(now.batches, now.batches + now.workers))
        new = sum(examples.size for examples in found)
        window = joined([self.window, *found])
        most = min(WINDOW_EXAMPLES, int(WINDOW_BYTES * window.size / max(window.nbytes, 1)))
        window = window.cut(window.size, max(0, window.size - most))
        passes = TAUGHT_PASSES if is_taught else PASSES
        losses = self._learn(window, int(passes * new / BATCH), part) if window.size else []
        self.window = window
        now.batches += now.workers
        now.games += now.workers * GAMES_PER_BATCH * (TAUGHT_GAMES if is_taught else 1)
        now.positions += new
        now.steps = self.learner.steps
        if losses:
            now.policy_loss, now.value_loss = (float(loss) for loss in np.mean(losses, axis=0))

    def _learn(self, window: Examples, steps: int, part: float) -> list[tuple[float, float]]:
        rate = RATE * next((share for start, share in reversed(RATE_FALLS) if part >= start), 1.0)
        stream = Stream(self.progress.seed, "examples", self.progress.batches)
        draw = np.random.default_rng(stream.getrandbits(64))
        return [self.learner.learn(window, draw.integers(0, window.size, BATCH), rate) for _ in range(max(steps, 1))]

    # -------------------------------------------------------------- matches

    def _hold_gate(self, matches: Matches, part: float) -> None:
        """Let the latest network play for the place of the best one, and measure its strength."""
        now = self.progress
        now.gates = int(part * GATES)
        row: dict[str, Any] = {name: getattr(now, name) for name in ("games", "seconds", "policy_loss", "value_loss")}
        with tempfile.TemporaryDirectory() as folder:
            latest = Path(folder) / "latest.npz"
            self._trained().write(latest)
            promoted, gate = True, None
            seed = f"{now.seed} gate {now.gates}"
            if now.history:
                gate, other = matches.for_the_best(latest, self.out, seed)
                promoted = gate.share >= other.share
            if promoted:
                self._trained().write(self.out)
            strength = matches.strength(latest, seed)
        row |= {"gate": gate and asdict(gate), "promoted": promoted}
        now.history.append({**row, "opponent": matches.opponent, "strength": asdict(strength)})

    # -------------------------------------------------------------- what is kept

    def _trained(self) -> TrainedNetwork:
        now = self.progress
        return trained_network(self.game, self.features, self.learner.network, now.games, now.seed)

    def _save(self) -> None:
        """Write a checkpoint, and the network if none has passed a gate yet."""
        learner = self.learner
        self.progress.steps = learner.steps
        self._best()
        Checkpoint(self.progress, learner.network, learner.means, learner.squares, self.window).write(self.state_file)
        self.saved = running_time()

    def _best(self) -> TrainedNetwork:
        """The best network so far, which is on disk."""
        if not self.progress.history:
            self._trained().write(self.out)
        return TrainedNetwork.read(self.out)
