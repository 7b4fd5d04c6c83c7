"""Camel Up a second time, with lists and names and no tricks: both play the same games, coin for coin."""

import itertools

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

import kibitz
from kibitz.games.camelup.rules import CamelUp, RuleSet
from kibitz.rules.contract import CHANCE
from kibitz.rules.rng import Stream

CRAZY = ["white", "black"]


class SecondCamelUp:
    """Plays by the names of moves and outcomes."""

    def __init__(self, players, official, camels, squares):
        self.players, self.official, self.camels, self.squares = players, official, camels, squares
        self.track = {square: [] for square in range(-4, squares + 4)}
        self.coins = [3 if official else 2] * players
        self.tiles, self.cards = {}, {"winner": [], "loser": []}
        self.moved, self.bets, self.rolls = [], [], [0] * players
        self.player = 0
        self.over = False

    def ranking(self):
        stacks = [self.track[square] for square in sorted(self.track, reverse=True)]
        return [camel for stack in stacks for camel in reversed(stack) if camel not in CRAZY]

    def play(self, name):
        words = name.split()
        if "starts" in words:
            self.track[int(words[3])].append(words[0])
        elif "moves" in words or "rolls" in words:
            self.move(self.mover(words[0]), int(words[2]))
            self.player = (self.player + 1) % self.players
        elif words[0] != "roll":
            if words[0] in ("oasis", "mirage"):
                self.tiles = {square: tile for square, tile in self.tiles.items() if tile[1] != self.player}
                self.tiles[int(words[1])] = words[0], self.player
            elif words[0] == "leg":
                before = sum(camel == words[1] for camel, _, _ in self.bets)
                self.bets.append((words[1], self.player, (5, 3, 2, 2)[before]))
            else:
                self.cards[words[0]].append((words[1], self.player))
            self.player = (self.player + 1) % self.players

    def mover(self, camel):
        """The camel that moves; with the grey die, not always the one that it shows."""
        if camel in CRAZY:
            other = CRAZY[1 - CRAZY.index(camel)]
            for stack in self.track.values():
                for lower, upper in itertools.pairwise(stack):
                    if {lower, upper} == set(CRAZY):
                        return upper
            if self.rides_on(other) and not self.rides_on(camel):
                return other
        return camel

    def rides_on(self, crazy):
        stack = next(stack for stack in self.track.values() if crazy in stack)
        return any(camel not in CRAZY for camel in stack[stack.index(crazy) :])

    def move(self, camel, distance):
        self.moved.append(camel)
        if self.official:
            self.rolls[self.player] += 1
        else:
            self.coins[self.player] += 1
        origin = next(square for square, stack in self.track.items() if camel in stack)
        at = self.track[origin].index(camel)
        self.track[origin], group = self.track[origin][:at], self.track[origin][at:]
        way = -1 if camel in CRAZY else 1
        target = origin + way * distance
        side, owner = self.tiles.get(target, (None, None))
        if side:
            self.coins[owner] += 1
        if side == "mirage":
            self.track[target - way] = group + self.track[target - way]
        else:
            self.track[target + way * (side == "oasis")] += group
        self.over = any(stack for square, stack in self.track.items() if not 0 <= square < self.squares)
        if self.over or len(self.moved) == self.camels:
            self.end_leg()
        if self.over:
            self.end_race()

    def end_leg(self):
        first, second, *_ = self.ranking()
        due = self.rolls
        for camel, player, pay in self.bets:
            due[player] += pay if camel == first else 1 if camel == second else -1
        self.pay(due)
        self.moved, self.bets, self.rolls = [], [], [0] * self.players
        if self.official:
            self.tiles = {}

    def end_race(self):
        due = [0] * self.players
        for pile, place in (("winner", 0), ("loser", -1)):
            pays = [8, 5, 3, 2] if self.official else [8, 5, 3]
            for camel, player in self.cards[pile]:
                right = camel == self.ranking()[place]
                due[player] += (pays.pop(0) if pays else 1) if right else -1
        self.pay(due)

    def pay(self, due):
        for player, coins in enumerate(due):
            self.coins[player] += coins
            if self.official:
                self.coins[player] = max(self.coins[player], 0)


@settings(max_examples=90)
@given(st.integers(2, 8), st.sampled_from(list(RuleSet)), st.integers(2, 6), st.integers(4, 20), st.integers(0, 10**6))
def test_a_second_implementation_plays_the_same_game(players, rules, camels, squares, seed):
    game = CamelUp(players, rules, camels, squares)
    with kibitz.plain():
        table, stream = kibitz.Table(game, seed=seed, deal=False), Stream(seed, "second")
        second = SecondCamelUp(players, rules != RuleSet.CAMELAI, camels, squares)
        while not table.over:
            kinds = {}
            for move in table.moves:
                kinds.setdefault(table.name(move).split()[0] if table.turn != CHANCE else "", []).append(move)
            move = stream.choice(stream.choice(list(kinds.values())))
            second.play(table.name(move))
            table.play(move)
            state = table.state
            for camel, name in enumerate([f"c_{camel}" for camel in range(camels)] + CRAZY):
                if camel < game.animals and (state.leg or state.square[camel] >= 0):
                    assert second.track[state.square[camel]][state.height[camel]] == name
            assert state.coins.tolist()[:players] == second.coins
            if not table.over and state.leg:
                assert state.turns % players == second.player
            assert not {abs(tile) for tile in state.tile.tolist() if tile} & set(state.square.tolist())
        assert second.over
        best = max(second.coins)
        shares = [(coins == best) / second.coins.count(best) for coins in second.coins]
        assert table.payoff() == pytest.approx(shares)
