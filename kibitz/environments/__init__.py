"""For learners that bring a model of their own: games as environments, and a tree search that asks the model.

`vector_env` has VectorEnv, many tables as arrays, `compiled_tables` its loops, `opponents` the bots that play against a
learner. `model_search` has ModelSearch, `leaf_batch` its loops. `observation` is what a player sees of a position, in
both. Adapters for PettingZoo and Gymnasium are in kibitz/adapters.
"""

from kibitz.environments.compiled_tables import NEW_GAME, WAIT
from kibitz.environments.model_search import ModelSearch
from kibitz.environments.observation import Observer
from kibitz.environments.vector_env import Situation, VectorEnv

__all__ = ["NEW_GAME", "WAIT", "ModelSearch", "Observer", "Situation", "VectorEnv"]
