"""What the lessons of Camel Up ask people to try out."""

from __future__ import annotations

from kibitz.display.tasks import Task

# Four dice are out; the camel on the first square has still to run, at most three squares.
LAST_DIE = (
    *("c_0 starts on 0", "c_1 starts on 0", "c_2 starts on 1", "c_3 starts on 1", "c_4 starts on 2"),
    *("roll", "c_4 moves 3", "roll", "c_3 moves 1", "roll", "c_2 moves 1", "roll", "c_1 moves 1"),
)

TASKS = {
    "Leg tiles": Task(
        "Four of the five dice are out: only the camel on the first square has still to run. Take the leg tile that "
        "pays for certain.",
        moves=LAST_DIE,
        goal=("leg c_4",),
        right="The leader is three squares ahead, and the last camel cannot pass it: this tile pays 5.",
        wrong="The camel of the last die runs at most three squares. Which camel is certain to lead then?",
    ),
    "Desert tiles": Task(
        "Only the camel on the first square has still to run in this leg. Place your desert tile where it may land.",
        moves=LAST_DIE,
        goal=("oasis 3", "mirage 3"),
        right="With a 3, the camel lands on your tile and earns you a coin.",
        wrong="The camel runs one, two or three squares. Only one of these three squares is free.",
    ),
}
