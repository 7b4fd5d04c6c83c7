"""The simulator CamelAI as its bots know it: the module they import as `camelup`, and the state they are given.

Bots call it to list their legal moves and to play ahead on copies of the state. Nothing here affects a game of kibitz.
It plays by `camelup:rules=camelai`, as the tests check move by move; names and arguments are the simulator's. Camels
are called "c_0", "c_1" and so on. A move is a tuple:

    (MOVE_CAMEL_ACTION_ID,)                         roll
    (MOVE_TRAP_ACTION_ID, 1 or -1, square)          place one's desert tile, as an oasis or a mirage
    (ROUND_BET_ACTION_ID, camel)                    take a leg tile of a camel
    (GAME_BET_ACTION_ID, "win" or "lose", camel)    lay one's race card for a camel on the winner or the loser pile
"""

from __future__ import annotations

import copy
import random
from collections.abc import Iterable, Sequence
from typing import Any

MOVE_CAMEL_ACTION_ID, MOVE_TRAP_ACTION_ID, ROUND_BET_ACTION_ID, GAME_BET_ACTION_ID = range(4)
ACTIONS = "move_camel", "move_trap", "round_winner_bet", "game_bet"  # their names in logs
START_COINS = 2
LATE_PAYOUT = 1  # for correct race cards beyond those in GAME_END_PAYOUT

Bet = list[Any]  # [camel, player]; [None, None] for another player's hidden race card


class IllegalMoveException(ValueError):
    """A move that the rules do not allow."""


class PlayerInterface:
    """The base class of bots, which are never instantiated."""

    @staticmethod
    def move(active_player: int, game_state: GameState) -> tuple[Any, ...]:
        """Return one of `get_valid_moves(game_state, active_player)`."""
        raise NotImplementedError("A bot must have a static method move(active_player, game_state).")


class GameState:
    """A position. Attributes in capitals are constants."""

    NUM_CAMELS: int
    CAMELS: list[str]
    NUM_PLAYERS: int
    BOARD_SIZE: int
    MOVE_RANGE: tuple[int, int]
    FIRST_PLACE_ROUND_PAYOUT: Sequence[int]
    SECOND_PLACE_ROUND_PAYOUT: Sequence[int]
    THIRD_OR_WORSE_PLACE_ROUND_PAYOUT: int
    GAME_END_PAYOUT: Sequence[int]
    BAD_GAME_END_BET: int

    def __init__(
        self,
        num_camels: int = 5,
        num_players: int = 4,
        board_size: int = 16,
        move_range: tuple[int, int] = (1, 3),
        first_place_round_payout: Sequence[int] = (5, 3, 2),
        second_place_round_payout: Sequence[int] = (1, 1, 1),
        third_or_worse_place_round_payout: int = -1,
        game_end_payout: Sequence[int] = (8, 5, 3),
        bad_game_end_bet: int = -1,
        verbose: bool = False,
    ) -> None:
        """A new game, with the camels lined up at random."""
        self.NUM_CAMELS = num_camels
        self.CAMELS = [f"c_{camel}" for camel in range(num_camels)]
        self.NUM_PLAYERS = num_players
        self.BOARD_SIZE = board_size
        self.MOVE_RANGE = move_range
        self.FIRST_PLACE_ROUND_PAYOUT = first_place_round_payout
        self.SECOND_PLACE_ROUND_PAYOUT = second_place_round_payout
        self.THIRD_OR_WORSE_PLACE_ROUND_PAYOUT = third_or_worse_place_round_payout
        self.GAME_END_PAYOUT = game_end_payout
        self.BAD_GAME_END_BET = bad_game_end_bet
        self.verbose = verbose  # kept for compatibility; nothing is printed

        # Twice as long as the track, to have squares for camels that pass the finish.
        self.camel_track: list[list[str]] = [[] for _ in range(2 * board_size)]  # by square, bottom first
        self.trap_track: list[list[int]] = [[] for _ in range(2 * board_size)]  # by square: [] or [1 or -1, player]
        self.round_bets: list[Bet] = []
        self.game_winner_bets: list[Bet] = []
        self.game_loser_bets: list[Bet] = []
        self.player_money_values = [START_COINS] * num_players
        self.camel_yet_to_move = [True] * num_camels  # in this leg
        self.active_game = True
        self.game_winner: list[int] = []  # once the game is over: the players with the most coins
        self.must_roll = False  # kibitz lets no race go on forever: eventually, everybody must roll

        for camel in random.sample(self.CAMELS, num_camels):
            self.camel_track[roll_dice(move_range) - 1].append(camel)

    def __setattr__(self, name: str, value: Any) -> None:
        if name.isupper() and name in self.__dict__:
            raise TypeError(f"{name} is a constant of the game.")
        self.__dict__[name] = value

    def get_player_copy(self, player: int) -> GameState:
        """The state as a player may see it: of others' race cards, only the number."""
        seen = copy.deepcopy(self)
        for bets in (seen.game_winner_bets, seen.game_loser_bets):
            bets[:] = [bet if bet[1] == player else [None, None] for bet in bets]
        return seen

    def get_player_bets(self, player: int) -> list[str]:
        """The camels for which a player has laid race cards."""
        return [camel for camel, owner in self.game_winner_bets + self.game_loser_bets if owner == player]

    def has_player_placed_trap(self, player: int) -> bool:
        return any(trap and trap[1] == player for trap in self.trap_track)

    def get_game_bets_payout(self, index: int) -> int:
        """What a correct race card pays with `index` correct ones below it."""
        return self.GAME_END_PAYOUT[index] if index < len(self.GAME_END_PAYOUT) else LATE_PAYOUT


# ------------------------------------------------------------------ moves


def get_valid_moves(g: GameState, player: int) -> list[tuple[Any, ...]]:
    """All legal moves of a player."""
    moves: list[tuple[Any, ...]] = [(MOVE_CAMEL_ACTION_ID,)]
    if g.must_roll:
        return moves
    free = [square for square in range(1, g.BOARD_SIZE) if _is_free(g, square, player)]
    moves += [(MOVE_TRAP_ACTION_ID, side, square) for side in (1, -1) for square in free]
    taken = [camel for camel, _ in g.round_bets]
    tiles = len(g.FIRST_PLACE_ROUND_PAYOUT)
    moves += [(ROUND_BET_ACTION_ID, camel) for camel in g.CAMELS if taken.count(camel) < tiles]
    laid = g.get_player_bets(player)
    cards = [camel for camel in g.CAMELS if camel not in laid]
    moves += [(GAME_BET_ACTION_ID, pile, camel) for pile in ("win", "lose") for camel in cards]
    return moves


def _is_free(g: GameState, square: int, player: int) -> bool:
    """Whether a player may place their desert tile on a square of the track."""
    beside = [trap for trap in (g.trap_track[square - 1], g.trap_track[square + 1]) if trap and trap[1] != player]
    return not (g.camel_track[square] or g.trap_track[square] or beside)


def _check(g: GameState, player: int, *move: Any) -> None:
    if move not in get_valid_moves(g, player):
        raise IllegalMoveException(f"{move!r} is not a legal move for player {player} here.")


def roll_dice(move_range: tuple[int, int]) -> int:
    return random.randint(*move_range)


def move_camel(g: GameState, player: int) -> tuple[str, int]:
    """Roll: move a camel that has not moved in this leg, and score what it ends; return it and its distance."""
    camel = random.choice([name for name, waits in zip(g.CAMELS, g.camel_yet_to_move, strict=True) if waits])
    distance = roll_dice(g.MOVE_RANGE)
    g.camel_yet_to_move[g.CAMELS.index(camel)] = False
    g.player_money_values[player] += 1
    square = next(square for square, stack in enumerate(g.camel_track) if camel in stack)
    trap = g.trap_track[square + distance]
    if trap:
        g.player_money_values[trap[1]] += 1
        distance += trap[0]
    height = g.camel_track[square].index(camel)
    moved = g.camel_track[square][height:]
    del g.camel_track[square][height:]
    target = g.camel_track[square + distance]
    is_mirage = bool(trap) and trap[0] < 0  # which moves them back and underneath
    target[:] = moved + target if is_mirage else target + moved
    is_over = any(g.camel_track[g.BOARD_SIZE :])
    if is_over or not any(g.camel_yet_to_move):
        end_of_round(g)
    if is_over:
        end_of_game(g)
    return camel, distance


def move_trap(g: GameState, trap_type: int, trap_place: int, player: int) -> bool:
    """Place or move a player's desert tile."""
    _check(g, player, MOVE_TRAP_ACTION_ID, trap_type, trap_place)
    g.trap_track = [[] if trap and trap[1] == player else trap for trap in g.trap_track]
    g.trap_track[trap_place] = [trap_type, player]
    return True


def place_game_bet(g: GameState, camel: str, bet_type: str, player: int) -> bool:
    """Lay a player's race card for a camel on the winner ("win") or the loser ("lose") pile."""
    _check(g, player, GAME_BET_ACTION_ID, bet_type, camel)
    (g.game_winner_bets if bet_type == "win" else g.game_loser_bets).append([camel, player])
    return True


def place_round_winner_bet(g: GameState, camel: str, player: int) -> bool:
    """Take the top leg tile of a camel."""
    _check(g, player, ROUND_BET_ACTION_ID, camel)
    g.round_bets.append([camel, player])
    return True


# ------------------------------------------------------------------ scoring


def find_camel_in_nth_place(g: GameState, n: int) -> str:
    """The camel in the n-th place of the race, 1 being the first."""
    if not 1 <= n <= g.NUM_CAMELS:
        raise ValueError(f"There is no place {n} in a race of {g.NUM_CAMELS} camels.")
    return [camel for stack in g.camel_track for camel in stack][-n]


def end_of_round(g: GameState) -> None:
    """Pay for the leg tiles, and begin another leg."""
    first, second = find_camel_in_nth_place(g, 1), find_camel_in_nth_place(g, 2)
    taken = dict.fromkeys(g.CAMELS, 0)
    for camel, player in g.round_bets:
        if camel == first:
            pay = g.FIRST_PLACE_ROUND_PAYOUT[taken[camel]]
        elif camel == second:
            pay = g.SECOND_PLACE_ROUND_PAYOUT[taken[camel]]
        else:
            pay = g.THIRD_OR_WORSE_PLACE_ROUND_PAYOUT
        g.player_money_values[player] += pay
        taken[camel] += 1
    g.round_bets = []
    g.camel_yet_to_move = [True] * g.NUM_CAMELS


def end_of_game(g: GameState) -> bool:
    """Pay for the race cards, as far as they are known, and find the winners. The last leg is scored before."""
    _pay_race_cards(g, g.game_winner_bets, find_camel_in_nth_place(g, 1))
    _pay_race_cards(g, g.game_loser_bets, find_camel_in_nth_place(g, g.NUM_CAMELS))
    g.active_game = False
    most = max(g.player_money_values)
    g.game_winner = [player for player, coins in enumerate(g.player_money_values) if coins == most]
    return True


def _pay_race_cards(g: GameState, bets: Iterable[Bet], right: str) -> None:
    correct = 0
    for camel, player in bets:
        if camel is None:
            continue
        if camel == right:
            g.player_money_values[player] += g.get_game_bets_payout(correct)
            correct += 1
        else:
            g.player_money_values[player] += g.BAD_GAME_END_BET


# ------------------------------------------------------------------ whole games


def play_game(players: Sequence[type[PlayerInterface]]) -> tuple[list[dict[str, Any]], GameState]:
    """Play a game between bots; return its log, one row for the start and one per move, and the final state."""
    g = GameState(num_players=len(players))
    log: list[dict[str, Any]] = [{"round_id": 0, **summarize_game_state(g)}]
    while g.active_game:
        player = (len(log) - 1) % len(players)
        move = players[player].move(player, g.get_player_copy(player))
        _check(g, player, *move)
        entry = _play(g, player, move)
        log.append({"round_id": len(log), "active_player": player, **entry, **summarize_game_state(g)})
    return log, g


def _play(g: GameState, player: int, move: tuple[Any, ...]) -> dict[str, Any]:
    """Play a move; return its entry for the log."""
    entry: dict[str, Any] = {"action_type": ACTIONS[move[0]]}
    match move:
        case (_,):
            camel, distance = move_camel(g, player)
            return {**entry, "camel": camel, "distance": distance}
        case (_, camel):
            place_round_winner_bet(g, camel, player)
            return {**entry, "camel": camel}
        case (_, int(side), square):
            move_trap(g, side, square, player)
            return {**entry, "trap_type": side, "trap_location": square}
        case (_, pile, camel):
            place_game_bet(g, camel, pile, player)
            return {**entry, "bet_type": pile, "camel": camel}
    raise IllegalMoveException(f"{move!r} is not a move.")


def summarize_game_state(g: GameState) -> dict[str, Any]:
    """The camels, desert tiles and coins, as columns of a log."""
    summary: dict[str, Any] = {}
    for square, stack in enumerate(g.camel_track):
        for height, camel in enumerate(stack):
            summary[f"camel_{camel}_location"] = square
            summary[f"camel_{camel}_stack_location"] = height
    for square, trap in enumerate(g.trap_track):
        if trap:
            summary[f"player_{trap[1]}_trap_location"] = square
            summary[f"player_{trap[1]}_trap_type"] = trap[0]
    for player, coins in enumerate(g.player_money_values):
        summary[f"player_{player}_coins"] = coins
    return summary
