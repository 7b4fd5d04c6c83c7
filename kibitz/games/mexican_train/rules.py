"""Mexican Train: lay dominoes on trains that start from a common engine; the fewest pips left in hand win.

Players: 2 to 8. Chance: the deal and the tiles drawn. Hidden: hands and the boneyard. Fewest points win; ties share.
A move is 9·tile + train: lay a tile (numbered as in tiles.py) on the train of player 0 … 7, or on the Mexican train,
called the sauce, which is train 8. The last two numbers are draw and pass. A chance outcome is the tile dealt or drawn
or, at the end of a round, the pips in the hand being counted.
These are the rules with one tile per turn in which a double shuts a gate: only a tile on that double may follow, and
the player who laid it tries first.

Variants: players; `hand`, the number of tiles dealt to each (0: the usual 11, or 10 with eight players) or, with
`common`, as many as in most rule books; `target`, the points that end the game; `rounds`, the maximum number of rounds
(0: only points end the game); `play_drawn`, whether a drawn tile that fits is played at once; `gate_opens`, whether a
player who fails at a gate has to open their train; and the `highest` double of the set.

The record keeps all public information: who laid which tile, and what draws and passes gave away. A player's tiles come
in draws: draw 0 is the deal, and each tile drawn and kept is one more. A player who draws or passes shows that none of
their tiles fits any end they could play on; a tile of such a number can only have come in a later draw (redeal.py deals
the hidden tiles accordingly).
"""

from kibitz.errors import SpecError
from kibitz.games.mexican_train.redeal import NONE, UNKNOWN, deal_hidden
from kibitz.games.mexican_train.tiles import (
    FIRST,
    HALVES,
    MOST_PIPS,
    TILE,
    add_tile,
    count_pips,
    count_tiles,
    drop_tile,
    fits_number,
    is_double,
    list_tiles,
    nth_tile,
    other_half,
)
from kibitz.rules.contract import CHANCE, OVER, game
from kibitz.rules.rng import below

MOST_PLAYERS = 8
TRAINS = MOST_PLAYERS + 1
SAUCE = MOST_PLAYERS  # the train that is always open

DEALING, DRAWING, COUNTING, PLAYING = 0, 1, 2, 3  # the phases; chance acts in all but the last

MOST_POINTS, MOST_ROUNDS = 500, 100  # a game to 500 points has at most 120 rounds, which fit into a byte
USUAL_HAND = 11
COMMON_HANDS = (0, 0, 15, 15, 15, 12, 12, 10, 10)  # by the number of players


@game(runtime=("players", "hand", "common", "target", "rounds", "play_drawn", "gate_opens"))
class MexicanTrain:
    players: int = 4
    hand: int = 0
    common: bool = False
    target: int = 100
    rounds: int = 0
    play_drawn: bool = True
    gate_opens: bool = True
    highest: int = MOST_PIPS

    score_lower_wins = True

    def __post_init__(self):
        if not 2 <= self.players <= MOST_PLAYERS:
            raise SpecError(f"Mexican Train needs 2 to {MOST_PLAYERS} players, not {self.players}.")
        if not 1 <= self.highest <= MOST_PIPS:
            raise SpecError(f"Mexican Train needs a highest double from 1 to {MOST_PIPS}, not {self.highest}.")
        if self.hand < 0:
            raise SpecError(f"Mexican Train needs a hand of 0 (the usual size) or more tiles, not {self.hand}.")
        if self.hand_size * self.players > self.tiles:
            raise SpecError(
                f"Mexican Train cannot deal {self.hand_size} tiles to each of {self.players} players: there are "
                f"only {self.tiles}; use hand=1 to hand={self.tiles // self.players}."
            )
        if not 1 <= self.target <= MOST_POINTS:
            raise SpecError(f"Mexican Train needs a target from 1 to {MOST_POINTS}, not {self.target}.")
        if not 0 <= self.rounds <= MOST_ROUNDS:
            raise SpecError(f"Mexican Train needs 0 to {MOST_ROUNDS} rounds, not {self.rounds}.")

    @property
    def tiles(self):
        """The number of tiles without the engine; also the tile number of the engine, the highest double."""
        return (self.highest + 1) * (self.highest + 2) // 2 - 1

    @property
    def hand_size(self):
        if self.hand > 0:
            return self.hand
        if self.common or self.players == MOST_PLAYERS:
            return COMMON_HANDS[self.players]
        return USUAL_HAND

    @property
    def most_rounds(self):
        """The game ends after this many rounds in any case, as points alone may never end it."""
        return self.rounds if self.rounds > 0 else 20 + self.target // 5

    @property
    def draw_move(self):
        return TRAINS * self.tiles

    @property
    def pass_move(self):
        return TRAINS * self.tiles + 1

    @property
    def actions(self):
        return TRAINS * self.tiles + 2

    @property
    def max_moves(self):
        return TRAINS * (self.highest + 1)

    @property
    def max_outcomes(self):
        return max(self.tiles, self.pips + 1)

    @property
    def pips(self):
        """The pips of all tiles but the engine."""
        return self.highest * (self.highest + 1) * (self.highest + 2) // 2 - 2 * self.highest

    @property
    def max_plies(self):
        # Each tile is dealt, drawn, kept and laid at most once; without a boneyard, all but one may pass between two.
        return self.most_rounds * (self.tiles * (4 + MOST_PLAYERS) + 2 * MOST_PLAYERS)

    def fields(self):
        numbers = self.highest + 1
        return [
            ("hand", "i2", (MOST_PLAYERS, numbers)),  # sets of tiles, as rows (tiles.py)
            ("bones", "i2", numbers),  # the boneyard
            ("laid", "i2", numbers),  # the tiles on the trains
            ("end", "i1", TRAINS),  # the number at the end of each train
            ("open", "i2"),  # the trains open to all, as bits; the sauce always is
            ("gate", "i1"),  # the train whose last tile is a double that nobody has played on yet, or NONE
            ("size", "i1", MOST_PLAYERS),  # how many tiles each player has
            ("left", "i1"),  # how many tiles the boneyard has
            ("drawn", "i1"),  # the tile that the player to act has just drawn, or NONE
            ("stuck", "i1"),  # turns in a row without a tile laid while the boneyard was empty
            ("count", "i1"),  # how many tiles are laid
            ("nth", "i1", self.tiles),  # by tile: its place in the order of laying, from 1; 0: not laid …
            ("train", "i1", self.tiles),  # … on which train …
            ("by", "i1", self.tiles),  # … by whom (NONE: not laid) …
            ("after", "i1", self.tiles),  # … and the draws of that player it may have come in: after this one …
            ("until", "i1", self.tiles),  # … up to this one. Both 0: it was laid as soon as it was drawn.
            ("kept", "i1", MOST_PLAYERS),  # how many tiles each player has drawn and kept
            ("void", "i1", (MOST_PLAYERS, numbers)),  # a player's last draw when shown to have no such tile, or NONE
            ("points", "i2", MOST_PLAYERS),
            ("round", "i1"),
            ("phase", "i1"),
            ("served", "i1"),  # who is dealt to, or whose hand is counted
            ("turn", "i1"),
            ("_tile", "i1", self.tiles),  # scratch space of redeal.py: the tile in each place of a deal …
            ("_owner", "i1", self.tiles),  # … whose place it is, and in which draw it was filled
            ("_draw", "i1", self.tiles),
            ("_hidden", "i1", self.tiles),
            ("_from", "i1", self.tiles),
        ]

    def start(self, s):
        self.begin_round(s)

    def begin_round(self, s):
        """Put all tiles but the engine into the boneyard, and start dealing."""
        s.hand[:] = 0
        s.laid[:] = 0
        s.bones[:] = (1 << self.highest + 1) - 1
        drop_tile(s.bones, self.tiles)
        s.left = self.tiles
        s.end[:] = self.highest
        s.open = 1 << SAUCE
        s.gate = NONE
        s.size[:] = 0
        s.drawn = NONE
        s.stuck = 0
        s.count = 0
        s.nth[:] = 0
        s.train[:] = NONE
        s.by[:] = NONE
        s.after[:] = 0
        s.until[:] = 0
        s.kept[:] = 0
        s.void[:] = NONE
        s.phase = DEALING
        s.served = 0
        s.turn = CHANCE

    # ------------------------------------------------------------------ chance

    def chances(self, s, out, p):
        if s.phase == COUNTING:
            out[0] = self.pips_in_hand(s, s.served)
            p[0] = 1.0
            return 1
        count = list_tiles(s.bones, out)
        for i in range(count):
            p[i] = 1.0 / count
        return count

    def sample(self, s, rng):
        if s.phase == COUNTING:
            return self.pips_in_hand(s, s.served)
        return nth_tile(s.bones, below(rng, s.left))

    def pips_in_hand(self, s, player):
        """The pips in a player's hand; on average, where the hand is all that it may hold (see `possible`)."""
        return count_pips(s.hand[player]) * s.size[player] // max(count_tiles(s.hand[player]), 1)

    def apply_outcome(self, s, outcome):
        """Deal or draw a tile, or count a hand."""
        if s.phase == COUNTING:
            s.points[s.served] += outcome
            s.served += 1
            if s.served == self.players:
                self.end_round(s)
            return
        drop_tile(s.bones, outcome)
        add_tile(s.hand[s.served], outcome)
        s.left -= 1
        s.size[s.served] += 1
        if s.phase == DRAWING:
            s.drawn = outcome
            s.phase = PLAYING
            s.turn = s.served
        elif s.size[s.served] == self.hand_size:
            s.served += 1
            if s.served == self.players:
                s.phase = PLAYING
                s.turn = s.round % self.players

    # ------------------------------------------------------------------ a turn

    def moves(self, s, out):
        count = 0
        trains = self.playable(s)
        if s.drawn != NONE:
            if self.play_drawn:
                count = self.drawn_moves(s, trains, out)
        else:
            for train in range(TRAINS):
                if trains >> train & 1:
                    end = s.end[train]
                    fitting = s.hand[s.turn, end]
                    while fitting:
                        out[count] = TRAINS * int(TILE[end, FIRST[fitting]]) + train
                        fitting &= fitting - 1
                        count += 1
        if count == 0:
            out[0] = self.draw_move if s.drawn == NONE and s.left > 0 else self.pass_move
            count = 1
        return count

    def drawn_moves(self, s, trains, out):
        """Only the tile just drawn may be laid: nothing else fits."""
        count = 0
        for train in range(TRAINS):
            if trains >> train & 1 and fits_number(s.drawn, s.end[train]):
                out[count] = TRAINS * s.drawn + train
                count += 1
        return count

    def playable(self, s):
        """The trains on which the player to act may lay a tile, as bits."""
        return 1 << s.gate if s.gate != NONE else s.open | 1 << s.turn

    def play(self, s, move):
        if s.turn == CHANCE:
            self.apply_outcome(s, move)
        elif move == self.draw_move:
            self.show_void(s)
            s.served = s.turn
            s.phase = DRAWING
            s.turn = CHANCE
        elif move == self.pass_move:
            self.give_up(s)
        else:
            self.lay(s, move // TRAINS, move % TRAINS)

    def show_void(self, s):
        """Record that no tile of the player to act fits any end they could play on."""
        trains = self.playable(s)
        for train in range(TRAINS):
            if trains >> train & 1:
                s.void[s.turn, s.end[train]] = s.kept[s.turn]

    def give_up(self, s):
        """End a turn without laying a tile."""
        if s.drawn != NONE:
            s.drawn = NONE
            s.kept[s.turn] += 1
            if self.play_drawn:
                self.show_void(s)
        else:
            self.show_void(s)
            s.stuck += 1
        if s.gate == NONE or self.gate_opens:
            s.open |= 1 << s.turn
        if s.stuck == self.players:
            self.begin_count(s)
        else:
            self.pass_turn(s)

    def lay(self, s, tile, train):
        player, end = s.turn, s.end[train]
        if tile != s.drawn:
            s.after[tile] = max(s.void[player, HALVES[tile, 0]], s.void[player, HALVES[tile, 1]])
            s.until[tile] = s.kept[player]
        s.drawn = NONE
        s.stuck = 0
        s.count += 1
        s.nth[tile] = s.count
        s.train[tile] = train
        s.by[tile] = player
        drop_tile(s.hand[player], tile)
        add_tile(s.laid, tile)
        s.size[player] -= 1
        s.end[train] = other_half(tile, end)
        if train == player:
            s.open &= ~(1 << train)
        s.gate = train if is_double(tile) else NONE
        if s.size[player] == 0:
            self.begin_count(s)
        elif s.gate == NONE:
            self.pass_turn(s)

    def pass_turn(self, s):
        s.turn = (s.turn + 1) % self.players

    # ------------------------------------------------------------------ the end of a round and of the game

    def begin_count(self, s):
        s.phase = COUNTING
        s.served = 0
        s.turn = CHANCE

    def end_round(self, s):
        s.round += 1
        most = 0
        for player in range(self.players):
            most = max(most, s.points[player])
        if most >= self.target or s.round == self.most_rounds:
            s.turn = OVER
        else:
            self.begin_round(s)

    def payoff(self, s, out):
        fewest, winners = s.points[0], 0
        for player in range(1, self.players):
            fewest = min(fewest, s.points[player])
        for player in range(self.players):
            winners += s.points[player] == fewest
        for player in range(self.players):
            out[player] = 1.0 / winners if s.points[player] == fewest else 0.0

    def score(self, s, out):
        for player in range(self.players):
            out[player] = s.points[player]

    def evaluate(self, s, out):
        """Estimate the shares of the win: the fewer of the unlaid tiles a player holds, the better."""
        unlaid = self.tiles - s.count
        total = 0.0
        for player in range(self.players):
            out[player] = 1.0 - s.size[player] / max(unlaid, 1)
            total += out[player]
        for player in range(self.players):
            out[player] /= total

    # ------------------------------------------------------------------ what others know

    def seen(self, s, move, player):
        if s.turn == CHANCE and s.phase != COUNTING and s.served != player:
            return -1
        return move

    def redact(self, s, player):
        if s.turn == OVER:
            return
        for other in range(self.players):
            if other != player:
                s.hand[other] = 0
        s.bones[:] = 0
        if s.drawn != NONE and s.turn != player:
            s.drawn = UNKNOWN

    def redeal(self, s, player, rng):
        deal_hidden(self, s, player, rng)

    # ------------------------------------------------------------------ for searches

    def possible(self, s, player):
        """Let every other player lay any tile that the viewer has not seen, as many as they hold."""
        for number in range(self.highest + 1):
            s.bones[number] = ((1 << self.highest + 1) - 1) & ~s.laid[number]
            if player >= 0:
                s.bones[number] &= ~s.hand[player, number]
        drop_tile(s.bones, self.tiles)
        for other in range(self.players):
            if other != player:
                s.hand[other] = s.bones
        if s.drawn == UNKNOWN:  # any of these tiles; without play_drawn, none may be laid now
            s.drawn = NONE if self.play_drawn else nth_tile(s.bones, 0)

    def reply(self, s, player):
        """Nobody can skip a gate or a tile just drawn."""
        if s.gate != NONE or s.drawn != NONE:
            return False
        s.turn = player
        return True
