"""Connect Four's own bots.

`best` took 95 % (95 % interval 64–100 %) of 20 games from `uct:sims=200000,c=0.8`, thinking no longer than it.
"""

BOTS = {"best": "alphabeta:nodes=1000000"}
