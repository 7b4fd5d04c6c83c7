"""Networks as files: NumPy's zip of arrays, with a short text about where the weights come from. Data only.

A file is checked before it is used: sizes, types and shapes, that all weights are numbers, and that the rules still
play as they did when it was learned.
"""

from __future__ import annotations

import dataclasses
import functools
import io
import json
import shlex
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from kibitz.errors import KibitzError
from kibitz.learn.features import Features
from kibitz.learn.method_features import ZERO, features_for, own_features
from kibitz.learn.watched_features import WatchedFeatures, restored_features, watched_features
from kibitz.learn.zero.network import LANES, Network, shapes, widths_of
from kibitz.records.files import written_aside
from kibitz.rules.contract import Game
from kibitz.rules.registry import spec_of
from kibitz.rules.shipped_network import shipped_network
from kibitz.rules.spec import parse_spec

ABOUT = "about"
MOST_BYTES = 256 << 20  # of all arrays of a file


@dataclass(frozen=True)
class TrainedNetwork:
    """A network and where it comes from."""

    network: Network = dataclasses.field(repr=False)
    game: str  # the spec of the game it was learned in
    digest: str  # of random games under its rules
    features: dict[str, Any] | None = dataclasses.field(repr=False)  # None: the game's own
    games: int = 0
    seed: int = 0
    training: dict[str, Any] | None = dataclasses.field(default=None, repr=False)  # its history: history.py

    def features_in(self, game: Game) -> Features:
        """What the network sees of a game; an error if it was learned from other rules or another number of features.

        The game need not be the one it was learned in, but must play the same.
        """
        what = f"This network for {self.game}"
        if self.features is not None:
            features: Features = restored_features(game, self.features, what)
        elif ZERO not in own_features(game) or self.digest != watched_features(game).digest:
            raise KibitzError(f"{what} was learned from other rules or features than those of {spec_of(game)} today.")
        else:
            features = features_for(game, ZERO)
        if _shapes(self.network) != shapes(features.size(game), game.actions, game.players, widths_of(self.network)):
            raise KibitzError(f"{what} does not fit {spec_of(game)}: it has other features, moves or players.")
        return features

    def write(self, path: Path) -> None:
        """Write the network to a file, which is replaced in one step."""
        try:
            with written_aside(path) as file:
                arrays: dict[str, Any] = {**self.network._asdict(), ABOUT: self._about()}
                np.savez_compressed(file, **arrays)
        except OSError as error:
            raise KibitzError(f"The network cannot be written to {path}: {error.strerror}.") from None

    def _about(self) -> np.ndarray:
        values = {f.name: getattr(self, f.name) for f in dataclasses.fields(self) if f.name != "network"}
        return np.frombuffer(json.dumps(values).encode(), "u1")

    @classmethod
    def read(cls, path: Path) -> TrainedNetwork:
        """Read a network from a file."""
        try:
            status = path.stat()
            return _read(path, (status.st_mtime_ns, status.st_ino))
        except OSError as error:
            raise KibitzError(f"The network {path} cannot be read: {error.strerror}.") from None


def trained_network(game: Game, features: Features, network: Network, games: int, seed: int) -> TrainedNetwork:
    """A network with what has to be known about it."""
    stored = features.stored() if isinstance(features, WatchedFeatures) else None
    return TrainedNetwork(network, spec_of(game), watched_features(game).digest, stored, games, seed)


def network_for(game: Game, net: str, bot: str) -> TrainedNetwork:
    """The network in the file `net`, else the one that ships with the game; an error says how to train one for `bot`.

    It plays the game: see `features_in`.
    """
    path = Path(net) if net else shipped_network(game)
    advice = f"train one with `{training_command(game)}`, then name it: {bot}:net={default_file(spec_of(game))}"
    if path is None:
        raise KibitzError(f"no network ships with {spec_of(game)}; {advice}")
    try:
        trained = TrainedNetwork.read(path)
        trained.features_in(game)
    except KibitzError as error:
        if net:
            raise
        raise KibitzError(f"the network that ships with it cannot be used; {advice}. {error}") from None
    return trained


def training_command(game: Game) -> str:
    """What to type to train a network for a game."""
    return shlex.join(["kibitz", "train", spec_of(game), "--method", ZERO])


def default_file(game: str) -> str:
    """The name of the file to which a network is written unless another one is given; `game` is a spec."""
    return f"{Path(parse_spec(game).name).name.partition('.')[0]}-{ZERO}.npz"


def _shapes(network: Network) -> Network:
    return Network(*(weights.shape for weights in network))


@functools.lru_cache(maxsize=16)
def _read(path: Path, version: tuple[int, int]) -> TrainedNetwork:
    """Read a network; cached until its file changes."""
    wrong = KibitzError(f"{path} is not a network written by `kibitz train`.")
    try:
        arrays = read_arrays(path, MOST_BYTES)
        about: Any = json.loads(bytes(arrays.pop(ABOUT)))
        network = Network(**arrays)
        trained = TrainedNetwork(network=network, **about)
    except (KeyError, TypeError, ValueError):
        raise wrong from None
    kinds = {weights.dtype for weights in network}
    depths = [weights.ndim for weights in network]
    if kinds != {np.dtype("f4")} or depths != [2, 1] * 4 or not _is_sound(network):
        raise wrong
    texts = isinstance(trained.game, str) and isinstance(trained.games, int) and isinstance(trained.seed, int)
    if not texts or not all(isinstance(part, Mapping | None) for part in (trained.features, trained.training)):
        raise wrong
    if not all(np.isfinite(weights).all() for weights in network):
        raise KibitzError(f"{path} is damaged: a weight is not a number.")
    return trained


def read_arrays(path: Path, most_bytes: int) -> dict[str, np.ndarray]:
    """The arrays of a file; ValueError if it is damaged, too large or holds anything but arrays of numbers."""
    content = path.read_bytes()
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as members:
            if sum(member.file_size for member in members.infolist()) > most_bytes:
                raise ValueError("too large")
        with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
            return {name: np.ascontiguousarray(arrays[name]) for name in arrays.files}
    except (EOFError, OSError, zipfile.BadZipFile, zipfile.LargeZipFile, NotImplementedError, RuntimeError) as error:
        raise ValueError(str(error)) from None
    except Exception as error:  # zlib.error and whatever else a damaged file may cause
        raise ValueError(str(error)) from None


def _is_sound(network: Network) -> bool:
    """Whether the shapes fit each other."""
    size, first = network.features.shape
    actions, second = network.moves.shape
    widths = first, second
    if first < 1 or second < 1 or first % 2 or second % LANES:
        return False
    return _shapes(network) == shapes(size, actions, len(network.value_bias), widths)
