"""Connect Four's own bots: `best` looks as deep as it can in about a quarter of a second a move, and repeatably."""

BOTS = {"best": "alphabeta:nodes=1000000"}
LEVELS = {
    "strong": ("alphabeta:depth=6", "Looks six discs ahead."),
    "best": ("best", "Looks as far as it can; near the end, to the last disc."),
}
