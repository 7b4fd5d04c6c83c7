"""The effects of a roll in Camel Up, in sentences: desert tiles, the end of a leg or the race, and payments."""

from __future__ import annotations

from typing import Any

from kibitz.display.board import Board
from kibitz.display.wording import capital
from kibitz.games.camelup.payments import leg_tile_pays, roll_pays, settled
from kibitz.games.camelup.scene import camel_words
from kibitz.games.camelup.track import FACES
from kibitz.rules.contract import OVER
from kibitz.state import State


def describe_roll(board: Board, game: Any, before: State, outcome: int, after: State) -> list[str]:
    """Sentences about the outcome of a roll."""
    if before.leg == 0:
        return ["The race begins."] if after.leg else []
    camel, distance = outcome // FACES, outcome % FACES + 1
    is_crazy = camel >= game.camels
    mover = game.crazy_mover(before, camel) if is_crazy else camel
    landing = before.square[mover] + (-distance if is_crazy else distance)
    coins = before.coins.tolist()[: game.players]
    sentences = []
    if mover != camel:
        sentences.append(f"{capital(camel_words(game, mover))} moves instead.")
    for player in range(game.players):
        if before.tile[player] and abs(before.tile[player]) == landing:
            what = "an oasis" if before.tile[player] > 0 else "a mirage"
            camel_name = capital(camel_words(game, mover))
            sentences.append(f"{camel_name} lands on {what}: {board.does(player, 'gets')} 1 coin.")
            coins[player] += 1
    if game.is_camelai:
        coins[before.turns % game.players] += 1
    if after.leg == before.leg and after.turn != OVER:
        return sentences

    first = game.leader(after)
    second = game.leader_without(after, first)
    paid = settled(game, coins, _leg_dues(game, before, first, second))
    ends = f"Leg {before.leg} ends: {camel_words(game, first)} leads, {camel_words(game, second)} is second."
    sentences += [ends, *_payments(board, "The leg", coins, paid)]
    if after.turn == OVER:
        last = game.last(after)
        sentences.append(f"The race is over: {camel_words(game, first)} wins, {camel_words(game, last)} is last.")
        sentences += _payments(board, "The race", paid, after.coins.tolist()[: game.players])
    return sentences


def _leg_dues(game: Any, before: State, first: int, second: int) -> list[int]:
    """What a leg pays each player: for leg tiles, and for rolls if they are not paid at once."""
    tiles = leg_tile_pays(game, before, first, second)
    return [sum(pays) + roll for pays, roll in zip(tiles, roll_pays(game, before), strict=True)]


def _payments(board: Board, what: str, before: list[int], after: list[int]) -> list[str]:
    gains = [(player, now - had) for player, (had, now) in enumerate(zip(before, after, strict=True)) if now != had]
    if not gains:
        return []
    return [f"{what} pays: {', '.join(f'{board.called(p)} {gain:+d}'.replace('-', '−') for p, gain in gains)}."]
