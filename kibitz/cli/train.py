"""`kibitz train`: learn a game by playing it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from kibitz.cli.screen import GameArgument, JsonOption, SeedOption, print_json, progress_bar, screen, words
from kibitz.errors import KibitzError
from kibitz.games import game as find_game
from kibitz.spec import parse_spec

if TYPE_CHECKING:
    from kibitz.learn import Training


def train(
    game: GameArgument,
    games: Annotated[int, typer.Option(min=1, help="How many games to learn from.")] = 10_000,
    seed: SeedOption = 0,
    method: Annotated[
        str, typer.Option(help="tree: a tree of brains, each tried in play; td: temporal differences.")
    ] = "tree",
    opponent: Annotated[str, typer.Option(metavar="self|SPEC", help="Who it plays and learns from.")] = "self",
    step: Annotated[float, typer.Option(help="How far a weight of a brain in the tree is changed.")] = 3.0,
    raw: Annotated[
        bool, typer.Option("--raw", help="Of the tree, take the brain with the highest share of wins as it is.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where to write the brain.", show_default="GAME-METHOD.json")
    ] = None,
    tree: Annotated[Path | None, typer.Option(metavar="FILE.svg", help="Draw the tree of brains.")] = None,
    json: JsonOption = False,
) -> None:
    """Learn a game by playing it, and keep the brain as a small file that plays.

    Ctrl-C ends the training early and keeps what was learned.

    Examples: `kibitz train ur --games 10000 --tree tree.svg`, `kibitz train ur --method td --out mine.json`, then
    `kibitz arena ur learned:file=mine.json random`
    """
    from kibitz.learn import train as learn

    rules = find_game(game)
    if tree and method != "tree":
        raise KibitzError(f"There is no tree to draw when learning by {method}; leave out --tree.")
    with progress_bar("Learning") as show:
        training = learn(rules, games, seed, method=method, opponent=opponent, step=step, raw=raw, progress=show)
    path = out or Path(f"{Path(parse_spec(game).name).name.partition('.')[0]}-{method}.json")
    training.brain.write(path)
    if tree:
        _draw(training, tree)
    if json:
        return print_json(_document(training, path))
    brain = training.brain
    screen.print(f"Learned {escape(brain.game)} from [bold]{_whole(brain.games)}[/] games in {training.seconds:.2f} s.")
    if node := training.chosen:
        screen.print(
            f"Of {_whole(len(training.nodes))} brains, number {node.number} is the best: "
            f"{node.wins / node.games:.1%} of the {node.games} games that it and those after it played."
        )
    screen.print(words(f"Wrote {path}. It plays as learned:file={path}"), soft_wrap=True)
    return None


def _whole(number: int) -> str:
    return f"{number:,}".replace(",", " ")


def _draw(training: Training, path: Path) -> None:
    from kibitz.learn.picture import picture_of

    assert training.chosen is not None
    try:
        path.write_text(picture_of(training.nodes, training.chosen, training.brain.game), encoding="utf-8")
    except OSError as error:
        raise KibitzError(f"The tree cannot be drawn into {path}: {error.strerror}.") from None


def _document(training: Training, path: Path) -> dict[str, object]:
    brain, node = training.brain, training.chosen
    return {
        "game": brain.game,
        "method": brain.method,
        "opponent": brain.opponent,
        "games": brain.games,
        "seed": brain.seed,
        "seconds": training.seconds,
        "file": str(path),
        "weights": brain.weights,
        "node": node and {"number": node.number, "wins": node.wins, "games": node.games},
    }
