"""Networks for the tests: one that knows nothing, and one with random opinions."""

import numpy as np

from kibitz.learn.method_features import features_for
from kibitz.learn.zero.network import Network, new_network
from kibitz.learn.zero.network_file import trained_network


def random_network(game, seed=1):
    features = features_for(game, "zero")
    network = new_network(features.size(game), game.actions, game.players, seed)
    random = np.random.default_rng(seed)
    heads = {name: random.normal(size=getattr(network, name).shape).astype("f4") for name in ("moves", "values")}
    return network._replace(**heads)


def blank_network(game):
    """All moves are equally likely, and everybody is equally well off."""
    return Network(*map(np.zeros_like, random_network(game)))


def written(game, network, path):
    trained_network(game, features_for(game, "zero"), network, games=0, seed=0).write(path)
    return path
