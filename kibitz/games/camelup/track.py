"""The track of Camel Up: the dice in the pyramid, how camels move and carry each other, and who is ahead.

Squares count from 0; `height` counts from the bottom of the stack. A camel on a farther square is ahead; on the same
square, the higher one is. Desert tiles are never side by side, so no move leads from one to another.
"""

from __future__ import annotations

from typing import Any

from kibitz.rules.rng import below
from kibitz.rules.sets import count_bits

FACES = 3  # of a die: 1, 2 and 3


class Track:
    """The part of the rules that does not depend on bets."""

    # ------------------------------------------------------------------ the pyramid

    def chances(self: Any, s: Any, out: Any, p: Any) -> int:
        count = 0
        share = 1.0 / (FACES * count_bits(s.dice))
        for camel in range(self.animals):
            if s.dice >> self.die_of(s, camel) & 1:
                for face in range(FACES):
                    out[count] = FACES * camel + face
                    p[count] = share / 2 if self.is_on_grey_die(s, camel) else share
                    count += 1
        return count

    def sample(self: Any, s: Any, rng: Any) -> int:
        drawn = below(rng, FACES * count_bits(s.dice))
        camel = nth_bit(s.dice, drawn // FACES)
        if self.is_on_grey_die(s, camel):
            camel += below(rng, 2)
        return FACES * camel + drawn % FACES

    def is_on_grey_die(self: Any, s: Any, camel: int) -> bool:
        """Whether a camel is one of the two that share a die; they still line up one by one."""
        return self.is_second and camel >= self.camels and s.leg > 0

    def die_of(self: Any, s: Any, camel: int) -> int:
        """The bit of the die that moves a camel."""
        return self.camels if self.is_on_grey_die(s, camel) else camel

    # ------------------------------------------------------------------ moving

    def crazy_mover(self: Any, s: Any, camel: int) -> int:
        """The crazy camel that moves when the grey die shows `camel`."""
        other = 2 * self.camels + 1 - camel
        if s.square[camel] == s.square[other] and abs(s.height[camel] - s.height[other]) == 1:
            return camel if s.height[camel] > s.height[other] else other
        return other if self.carries(s, other) and not self.carries(s, camel) else camel

    def carries(self: Any, s: Any, crazy: int) -> bool:
        """Whether a crazy camel carries one that is in the race."""
        found = False
        for camel in range(self.camels):
            found |= s.square[camel] == s.square[crazy] and s.height[camel] > s.height[crazy]
        return found

    def advance(self: Any, s: Any, camel: int, distance: int) -> None:
        """Move a camel and all above it; a desert tile they land on pays its owner and moves them on or back."""
        forward = 1 if camel < self.camels else -1
        origin, bottom = s.square[camel], s.height[camel]
        landing = origin + forward * distance
        target = landing
        beneath = False  # a mirage moves them back and underneath
        for owner in range(self.players):
            if s.tile[owner] != 0 and abs(s.tile[owner]) == landing:
                s.coins[owner] += 1
                beneath = s.tile[owner] < 0
                target += -forward if beneath else forward
        carried = standing = 0
        for other in range(self.animals):
            rides = s.square[other] == origin and s.height[other] >= bottom
            carried += rides
            standing += s.square[other] == target and not rides
        for other in range(self.animals):
            if s.square[other] == origin and s.height[other] >= bottom:
                s.square[other] = target
                s.height[other] += (0 if beneath else standing) - bottom
            elif s.square[other] == target and beneath:
                s.height[other] += carried

    # ------------------------------------------------------------------ who is ahead

    def place(self: Any, s: Any, camel: int) -> int:
        """The place of a camel in the race, as a number: greater is farther ahead."""
        return 8 * s.square[camel] + s.height[camel]

    def leader(self: Any, s: Any) -> int:
        """The camel ahead of all others."""
        return self.leader_without(s, self.camels)

    def leader_without(self: Any, s: Any, excluded: int) -> int:
        """The camel ahead of all others when one is left out."""
        best = 1 if excluded == 0 else 0
        for camel in range(self.camels):
            if camel != excluded and self.place(s, camel) > self.place(s, best):
                best = camel
        return best

    def last(self: Any, s: Any) -> int:
        """The camel behind all others."""
        worst = 0
        for camel in range(1, self.camels):
            if self.place(s, camel) < self.place(s, worst):
                worst = camel
        return worst


def nth_bit(bits: int, n: int) -> int:
    """The index of the set bit that has n set bits below it."""
    for _ in range(n):
        bits &= bits - 1
    return count_bits((bits & -bits) - 1)
