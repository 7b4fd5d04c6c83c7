"""Camel Up: bet on a race of camels that carry each other when they are stacked.

Players: 2 to 8. Chance: the start, and the dice in the pyramid. Hidden: the camels on the others' race cards. Most
coins win; ties share the win.
A move is 0 to roll; a square q from 1 to place an oasis there; squares − 1 + q to place a mirage there; then come three
blocks with one number per camel: take its leg tile, bet that it wins the race, bet that it comes last. The last two
numbers are never legal: they are what others see of a card laid on the winner or the loser pile. A chance outcome is
3·camel + distance − 1; the white and the black camel, which share one grey die, come after the others.
A game by Steffen Bogen (Pegasus Spiele / eggertspiele).

Variants: players, camels, squares, and the rule set: official (the first edition of 2014), second (the edition of
2018) or camelai (the simulator of that name). They differ as follows:

                        official, second              camelai
    coins at the start  3                             2
    a roll pays         at the end of the leg         at once
    desert tiles        return at the end of a leg    stay
    correct race bets   8, 5, 3, 2, 1, 1 …            8, 5, 3, 1, 1 …
    debts               are forgiven                  count
    race cards          show their owners             do not

The second edition has a fourth leg tile for each camel, and two crazy camels, white and black, that run backward and
are not ranked. A leg ends with one die left in the pyramid. A camel that is carried backward over the start also ends
the race, and comes last.

Movement and ranking are in track.py; here are turns, bets, payments and hidden information.
"""

import enum

import numpy as np

from kibitz.errors import SpecError
from kibitz.games.camelup.track import FACES, Track, nth_bit
from kibitz.rules.contract import CHANCE, OVER, game
from kibitz.rules.rng import below
from kibitz.rules.sets import count_bits


class RuleSet(enum.IntEnum):
    """The rule sets, by their names in specs."""

    OFFICIAL = 0
    CAMELAI = 1
    SECOND = 2

    def __str__(self):
        return self.name.lower()

    @classmethod
    def _missing_(cls, value):
        for rules in cls:
            if str(rules) == value:
                return rules
        raise SpecError(f"Camel Up needs rules=official, rules=camelai or rules=second, not {value}.")


MOST_PLAYERS = 8
ROLL = 0
WINNER, LOSER = 0, 1  # the piles of race cards
UNKNOWN = -1  # what a view does not show

LEG_PAY = np.array([5, 3, 2, 2])  # for the leading camel's leg tiles, in the order in which they are taken
SECOND_PAY, WRONG = 1, -1
OFFICIAL_PAY = np.array([8, 5, 3, 2, 1])  # for correct race cards in the order of the pile; the last is for all others
CAMELAI_PAY = np.array([8, 5, 3, 1, 1])

# Nobody has to roll, so a race of stubborn players would never end: after this many turns, everybody must. Races of
# players who roll now and then come nowhere near it.
FREE_TURNS = 1000
FORCED_TURNS = 500  # more than enough to end any race


@game(runtime=("players",))
class CamelUp(Track):
    players: int = 4
    rules: RuleSet = RuleSet.OFFICIAL
    camels: int = 5
    squares: int = 16

    def __post_init__(self):
        object.__setattr__(self, "rules", RuleSet(self.rules))
        if not 2 <= self.players <= MOST_PLAYERS:
            raise SpecError(f"Camel Up needs 2 to {MOST_PLAYERS} players, not {self.players}.")
        if not 2 <= self.camels <= 6:
            raise SpecError(f"Camel Up needs 2 to 6 camels, not {self.camels}.")
        if not 4 <= self.squares <= 28:
            raise SpecError(f"Camel Up needs 4 to 28 squares, not {self.squares}.")

    @property
    def is_camelai(self):
        return self.rules == RuleSet.CAMELAI

    @property
    def is_second(self):
        return self.rules == RuleSet.SECOND

    @property
    def animals(self):
        """The number of camels in the race and, after them, crazy ones."""
        return self.camels + (2 if self.is_second else 0)

    @property
    def leg_tiles(self):
        """The number of leg tiles of each camel."""
        return 4 if self.is_second else 3

    @property
    def leg_dice(self):
        """The dice in the pyramid when a leg begins, as bits; the grey die comes last."""
        return self.all_camels | (1 << self.camels if self.is_second else 0)

    @property
    def spare_dice(self):
        """How many dice are left in the pyramid when a leg ends."""
        return 1 if self.is_second else 0

    @property
    def first_mirage(self):
        """The move that puts a mirage on square 1."""
        return self.squares

    @property
    def first_leg_bet(self):
        return 2 * self.squares - 1

    @property
    def first_race_bet(self):
        """The first bet on the winner; the bets on the loser follow."""
        return self.first_leg_bet + self.camels

    @property
    def first_unseen_bet(self):
        """The first of the two moves that others see instead of a race bet: only the pile."""
        return self.first_race_bet + 2 * self.camels

    @property
    def actions(self):
        return self.first_unseen_bet + 2

    @property
    def max_moves(self):
        return self.first_unseen_bet

    @property
    def max_outcomes(self):
        return FACES * self.animals

    @property
    def max_plies(self):
        return self.animals + 2 * (FREE_TURNS + FORCED_TURNS)

    @property
    def all_camels(self):
        """The set of all camels, as bits."""
        return (1 << self.camels) - 1

    def fields(self):
        cards = 2, MOST_PLAYERS * self.camels
        return [
            ("square", "i1", self.animals),  # of each camel; −1 before the start …
            ("height", "i1", self.animals),  # … and how many camels are beneath it
            ("dice", "i2"),  # in the pyramid, as bits by camel; the grey die comes last
            ("leg", "i2"),  # 0 while the camels line up, then from 1
            ("tile", "i1", MOST_PLAYERS),  # 5: an oasis on square 5; −5: a mirage there; 0: none
            ("taken", "i1", self.camels),  # how many leg tiles of each camel are taken …
            ("holder", "i1", (self.camels, len(LEG_PAY))),  # … and by whom
            ("pile", "i1", 2),  # how many race cards lie on the winner and the loser pile …
            ("pile_camel", "i1", cards),  # … their camels, the first card first
            ("pile_owner", "i1", cards),
            ("pile_turn", "i2", cards),  # the turn in which each was laid, which is public
            ("cards", "i1", MOST_PLAYERS),  # the race cards each player still has, as bits by camel
            ("coins", "i2", MOST_PLAYERS),
            ("rolls", "i1", MOST_PLAYERS),  # each player's unpaid rolls in this leg; always 0 in camelai
            ("turns", "i2"),  # completed; seats rotate from 0, so it says whose turn it is
            ("turn", "i1"),
            ("_due", "i2", MOST_PLAYERS),  # what each player is paid in a scoring
        ]

    def start(self, s):
        s.square[:] = -1
        s.dice = (1 << self.animals) - 1
        for player in range(self.players):
            s.coins[player] = 2 if self.is_camelai else 3
            s.cards[player] = self.all_camels
        s.turn = CHANCE

    # ------------------------------------------------------------------ a turn

    def moves(self, s, out):
        out[0] = ROLL
        if s.turns >= FREE_TURNS:
            return 1
        count = 1
        free = self.free_squares(s, s.turn)
        for side in range(2):
            for square in range(1, self.squares):
                out[count] = side * (self.squares - 1) + square
                count += free >> square & 1
        for camel in range(self.camels):
            out[count] = self.first_leg_bet + camel
            count += s.taken[camel] < self.leg_tiles
        for pile in range(2):
            for camel in range(self.camels):
                out[count] = self.first_race_bet + pile * self.camels + camel
                count += s.cards[s.turn] >> camel & 1
        return count

    def free_squares(self, s, player):
        """The squares on which a player may place their desert tile, as bits."""
        blocked = 1  # square 0
        for camel in range(self.animals):
            blocked |= 1 << s.square[camel]
        for owner in range(self.players):
            tile = 1 << abs(s.tile[owner]) & ~1
            beside = tile << 1 | tile >> 1
            blocked |= tile | (beside if owner != player else 0)
        return ~blocked & (1 << self.squares) - 1

    def play(self, s, move):
        if s.turn == CHANCE:
            camel, distance = move // FACES, move % FACES + 1
            if s.leg == 0:
                self.line_up(s, camel, distance)
            else:
                self.roll(s, camel, distance)
        elif move == ROLL:
            s.turn = CHANCE
        else:
            if move < self.first_mirage:
                s.tile[s.turn] = move
            elif move < self.first_leg_bet:
                s.tile[s.turn] = -(move - self.first_mirage + 1)
            elif move < self.first_race_bet:
                self.take_leg_tile(s, move - self.first_leg_bet)
            else:
                self.lay_race_card(s, move - self.first_race_bet)
            self.pass_turn(s)

    def pass_turn(self, s):
        s.turns += 1
        s.turn = s.turns % self.players

    def take_leg_tile(self, s, camel):
        s.holder[camel, s.taken[camel]] = s.turn
        s.taken[camel] += 1

    def lay_race_card(self, s, card):
        pile, camel = card // self.camels, card % self.camels
        place = s.pile[pile]
        s.pile_camel[pile, place] = camel
        s.pile_owner[pile, place] = s.turn
        s.pile_turn[pile, place] = s.turns
        s.pile[pile] += 1
        s.cards[s.turn] ^= 1 << camel

    # ------------------------------------------------------------------ legs

    def line_up(self, s, camel, die):
        """Put a camel on its starting square, on top of those there; crazy camels start at the other end."""
        square = die - 1 if camel < self.camels else self.squares - die
        for other in range(self.animals):
            s.height[camel] += s.square[other] == square
        s.square[camel] = square
        s.dice ^= 1 << camel
        if s.dice == 0:
            self.begin_leg(s)
            s.turn = 0

    def begin_leg(self, s):
        s.leg += 1
        s.dice = self.leg_dice
        s.taken[:] = 0
        s.holder[:] = 0
        if not self.is_camelai:
            s.rolls[:] = 0
            s.tile[:] = 0

    def roll(self, s, camel, distance):
        roller = s.turns % self.players
        if self.is_camelai:
            s.coins[roller] += 1
        else:
            s.rolls[roller] += 1
        s.dice ^= 1 << self.die_of(s, camel)
        mover = self.crazy_mover(s, camel) if camel >= self.camels else camel
        self.advance(s, mover, distance)
        if not 0 <= s.square[mover] < self.squares:
            self.score_leg(s)
            self.score_race(s)
            s.turn = OVER
            return
        if count_bits(s.dice) == self.spare_dice:
            self.score_leg(s)
            self.begin_leg(s)
        self.pass_turn(s)

    # ------------------------------------------------------------------ scoring

    def score_leg(self, s):
        """Pay for the leg tiles and the unpaid rolls."""
        first = self.leader(s)
        second = self.leader_without(s, first)
        for player in range(self.players):
            s._due[player] = s.rolls[player]
        for camel in range(self.camels):
            for i in range(s.taken[camel]):
                pay = LEG_PAY[i] if camel == first else SECOND_PAY if camel == second else WRONG
                s._due[s.holder[camel, i]] += pay
        self.settle(s)

    def score_race(self, s):
        """Pay for the race cards of both piles."""
        s._due[:] = 0
        for pile in range(2):
            right = self.leader(s) if pile == WINNER else self.last(s)
            correct = 0
            for i in range(s.pile[pile]):
                if s.pile_camel[pile, i] == right:
                    s._due[s.pile_owner[pile, i]] += self.race_pay(correct)
                    correct += 1
                else:
                    s._due[s.pile_owner[pile, i]] += WRONG
        self.settle(s)

    def race_pay(self, place):
        """What a correct race card pays with `place` correct ones below it."""
        pay = CAMELAI_PAY if self.is_camelai else OFFICIAL_PAY
        return pay[min(place, len(pay) - 1)]

    def settle(self, s):
        """Pay what is due; except in camelai, nobody falls below zero."""
        for player in range(self.players):
            coins = s.coins[player] + s._due[player]
            s.coins[player] = coins if self.is_camelai else max(coins, 0)

    def payoff(self, s, out):
        most, winners = s.coins[0], 0
        for player in range(1, self.players):
            most = max(most, s.coins[player])
        for player in range(self.players):
            winners += s.coins[player] == most
        for player in range(self.players):
            out[player] = 1.0 / winners if s.coins[player] == most else 0.0

    def score(self, s, out):
        for player in range(self.players):
            out[player] = s.coins[player]

    # ------------------------------------------------------------------ what others know

    def seen(self, s, move, player):
        if s.turn == CHANCE or s.turn == player or move < self.first_race_bet:
            return move
        return self.first_unseen_bet + (move - self.first_race_bet) // self.camels

    def redact(self, s, player):
        if s.turn == OVER:
            return  # the piles are turned over
        for other in range(self.players):
            if other != player:
                s.cards[other] = UNKNOWN
        for pile in range(2):
            for i in range(s.pile[pile]):
                if s.pile_owner[pile, i] != player:
                    s.pile_camel[pile, i] = UNKNOWN
                    if self.is_camelai:
                        s.pile_owner[pile, i] = UNKNOWN

    def redeal(self, s, player, rng):
        """Nobody has two race cards of the same camel; otherwise, an unknown card can be any of its owner's."""
        for other in range(self.players):
            if s.cards[other] == UNKNOWN:
                s.cards[other] = self.all_camels
        for pile in range(2):
            for i in range(s.pile[pile]):
                # Even if a view hides the owners, they are known from the turns.
                owner = s.pile_turn[pile, i] % self.players
                s.pile_owner[pile, i] = owner
                if s.pile_camel[pile, i] == UNKNOWN:
                    camel = nth_bit(s.cards[owner], below(rng, count_bits(s.cards[owner])))
                    s.pile_camel[pile, i] = camel
                    s.cards[owner] ^= 1 << camel
