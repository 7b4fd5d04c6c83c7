"""Connect Four's own bots: `best` looks as deep as it can in about a quarter of a second a move, and repeatably."""

BOTS = {"best": "alphabeta:nodes=1000000"}
