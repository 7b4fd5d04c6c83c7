"""What the lessons of Mexican Train ask people to try out."""

from __future__ import annotations

from kibitz.display.tasks import Task
from kibitz.games.mexican_train.rules import MexicanTrain

SMALL = MexicanTrain(players=2, hand=4)  # type: ignore[call-arg]  # `@game` makes it a dataclass
DEALT = (
    *("deal 5|12", "deal 5|5", "deal 5|9", "deal 2|12"),
    *("deal 3|7", "deal 4|6", "deal 0|8", "deal 6|11"),
)

TASKS = {
    "Your turn": Task(
        "Begin your own train with a tile from which you can play on.",
        moves=DEALT,
        goal=("5|12 train 0",),
        right="Your train now ends with a 5, and your hand has two more tiles with a 5.",
        wrong="Begin your own train, not the Mexican one, and with the tile whose other half you hold again.",
        game=SMALL,
    ),
    "Open trains": Task(
        "The other player could not play, so their train is open. Lay a tile on it.",
        moves=(*DEALT, "5|12 train 0", "draw", "deal 1|3", "pass"),
        goal=("2|12 train 1",),
        right="It is one tile less for you, and their train now begins with yours.",
        wrong="That went onto another train. The open train still begins at the engine, the 12|12.",
        game=SMALL,
    ),
    "The gate": Task(
        "Lay a double. It shuts the gate, and you may play on it at once.",
        moves=(*DEALT, "5|12 train 0", "draw", "deal 1|3", "pass"),
        goal=("5|5 train 0",),
        right="Now only a tile on this double may follow. It is your turn again, and you hold the 5|9.",
        wrong="A double has the same number twice. Your train ends with a 5.",
        game=SMALL,
    ),
}
