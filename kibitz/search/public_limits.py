"""The largest budgets that strangers, such as browsers, may request; the same for all searches."""

PUBLIC_SIMULATIONS = 200_000
PUBLIC_NODES = 5_000_000
PUBLIC_MS = 10_000
PUBLIC_DEPTH = 30
PUBLIC_DEALS = 500
