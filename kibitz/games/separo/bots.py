"""SEPARO's own bots: `best`, and two classic opponents to measure it against."""

BOTS = {
    "best": "uct:sims=30000,c=0.4,habit=0.7,urgent=yes",
    "naive": "mc:sims=2000,draws=no",
    "uct-classic": "uct:sims=30000,c=2,expand=3,bonus=root,draws=no,final=value",
}
