"""The bounds of options that several searches have: what is possible, and what remote clients may choose."""

MOST_NODES = 2**31 - 1  # in a tree, whose nodes have numbers of 32 bits
MOST_DEALS = 100_000

# For remote clients, such as browsers.
PUBLIC_SIMULATIONS = 200_000
PUBLIC_NODES = 5_000_000
PUBLIC_MS = 10_000
PUBLIC_DEPTH = 30
PUBLIC_DEALS = 500
