"""Games as environments for reinforcement learning: many tables as arrays, stepped in compiled code.

`vector_env` has VectorEnv, `compiled_tables` its loops, `observation` what a player sees of a position, `opponents` the
bots that play against a learner. Adapters for PettingZoo and Gymnasium are in kibitz/adapters.
"""

from kibitz.environments.compiled_tables import NEW_GAME, WAIT
from kibitz.environments.observation import Observer
from kibitz.environments.vector_env import Situation, VectorEnv

__all__ = ["NEW_GAME", "WAIT", "Observer", "Situation", "VectorEnv"]
