"""The largest budgets that strangers, such as browsers, may request; the same for all searches."""

DEFAULT_SIMULATIONS = 1000  # per move, unless the options or the call set a limit
PUBLIC_SIMULATIONS = 200_000
PUBLIC_NODES = 5_000_000
PUBLIC_MS = 10_000
PUBLIC_DEPTH = 30
PUBLIC_DEALS = 500
