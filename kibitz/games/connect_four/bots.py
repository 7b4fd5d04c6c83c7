"""Connect Four's own bots: `best` searches a fixed number of nodes, about a quarter of a second per move."""

BOTS = {"best": "alphabeta:nodes=1000000"}
CHANCE_SCALE = 0.74  # measured by benchmarks/chances.py
NETWORK = "network.npz"  # by which `zero` plays
LEVELS = {
    "strong": ("alphabeta:depth=4", "Looks four moves ahead."),
    "best": ("best", "Looks as far ahead as it can; near the end, to the last disc."),
}
