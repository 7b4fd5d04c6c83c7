"""`kibitz train`: train a bot by playing games."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from kibitz.cli.screen import (
    INTERRUPTED,
    AddressOption,
    GameArgument,
    JsonOption,
    SeedOption,
    print_json,
    progress_bar,
    screen,
    words,
)
from kibitz.cli.train_network import train_network
from kibitz.errors import KibitzError
from kibitz.rules.registry import find_game
from kibitz.rules.spec import parse_spec

if TYPE_CHECKING:
    from kibitz.learn import Training
    from kibitz.rules.contract import Game

GAMES = 10_000  # unless the number is given
SELF, TREE, ZERO = "self", "tree", "zero"


def train(
    game: GameArgument,
    games: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=100_000_000,
            help="The number of games to learn from.",
            show_default="10000; with zero, --minutes counts",
        ),
    ] = None,
    seed: SeedOption = 0,
    method: Annotated[
        str | None,
        typer.Option(
            help="tree: a tree of brains, tested in games; td: temporal differences; zero: a network, by self-play.",
            show_default="tree if the game has features for it and --minutes is not given; otherwise zero",
        ),
    ] = None,
    opponent: Annotated[str, typer.Option(metavar="self|SPEC", help="tree, td: the opponent to train against.")] = SELF,
    step: Annotated[float, typer.Option(help="tree: the greatest change of a weight.")] = 3.0,
    raw: Annotated[bool, typer.Option("--raw", help="tree: choose the brain with the highest raw win rate.")] = False,
    minutes: Annotated[
        float | None, typer.Option(help="zero: how long to train, instead of --games.", show_default="15")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="zero: continue a training that ended or was killed.")
    ] = False,
    workers: Annotated[
        int, typer.Option(min=1, max=256, help="zero: threads that play or, on a cluster, workers.")
    ] = 1,
    width: Annotated[
        int, typer.Option(help="zero: units of the first hidden layer; the second has half as many.")
    ] = 64,
    mix: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="zero: the weight of playouts beside the network's values.")
    ] = 0.0,
    teacher: Annotated[
        str, typer.Option(metavar="SPEC", help="zero: a compiled player, whose games to learn from in the first half.")
    ] = "",
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Where to save the result.", show_default="GAME-METHOD.json, or .npz"),
    ] = None,
    engine: Annotated[str, typer.Option(help="local; zero: or ray, a cluster that plays the games.")] = "local",
    address: AddressOption = None,
    tree: Annotated[Path | None, typer.Option(metavar="FILE.svg", help="Draw the tree of brains to a file.")] = None,
    json: JsonOption = False,
) -> None:
    """Train a bot by playing games, and save what it learned to a small file.

    Ctrl-C ends the training early, saves what has been learned, and exits with code 130. Only a training by zero can be
    resumed.

    Examples: `kibitz train ur --games 10000 --tree tree.svg`, `kibitz train ur --method td --out mine.json`, then
    `kibitz arena ur learned:file=mine.json random`; `kibitz train connect_four --minutes 15`, then
    `kibitz play connect_four --vs zero:net=connect_four-zero.npz`
    """
    rules = find_game(game)
    method = method or _usual_method(rules, minutes)
    if engine != "local" and method != ZERO:
        raise KibitzError(_why_no_engine(engine, method))
    if tree and method != TREE:
        raise KibitzError(f"The method {method} has no tree to draw; omit --tree.")
    if method == ZERO:
        if opponent != SELF:
            raise KibitzError("The method zero learns from self-play only; omit --opponent.")
        train_network(
            rules,
            out,
            minutes,
            games,
            seed=seed,
            workers=workers,
            width=width,
            mix=mix,
            teacher=teacher,
            resume=resume,
            engine=engine,
            address=address,
            json=json,
        )
        return
    if minutes is not None or resume or workers > 1 or address is not None:
        raise KibitzError(f"--minutes, --resume, --workers and --address are for --method zero, not for {method}.")
    from kibitz.learn import train as learn

    games = games or GAMES
    with progress_bar("Learning") as show:
        training = learn(rules, games, seed, method=method, opponent=opponent, step=step, raw=raw, progress=show)
    path = out or Path(f"{Path(parse_spec(game).name).name.partition('.')[0]}-{method}.json")
    training.brain.write(path)
    if tree:
        _draw(training, tree)
    if json:
        print_json(_document(training, path))
    else:
        _tell(training, path, games)
    if training.interrupted:
        raise typer.Exit(INTERRUPTED)


def _usual_method(game: Game, minutes: float | None) -> str:
    """The method unless one is given: only a network learns for minutes, and only it learns any game."""
    return TREE if minutes is None and TREE in game.extra_mapping("features") else ZERO


def _why_no_engine(engine: str, method: str) -> str:
    """Why an engine other than this machine does not train."""
    return (
        f"The engine {engine} is no help in training by {method}: each game is played with what was learned from those "
        "before it. Use --method zero, or train brains with different seeds and let them compete with "
        "`kibitz arena --engine ray`."
    )


def _tell(training: Training, path: Path, games: int) -> None:
    brain = training.brain
    if training.interrupted:
        screen.print(f"Interrupted after {_whole(brain.games)} of {_whole(games)} games; what was learned is kept.")
    screen.print(f"Learned {escape(brain.game)} from [bold]{_whole(brain.games)}[/] games in {training.seconds:.2f} s.")
    if node := training.chosen:
        screen.print(
            f"Of {_whole(len(training.nodes))} brains, number {_whole(node.number)} is the best: "
            f"it and its descendants won {node.wins / node.games:.1%} of {_whole(node.games)} games."
        )
    screen.print(words(f"Wrote {path}. Play against it with learned:file={path}"), soft_wrap=True)


def _whole(number: int) -> str:
    return f"{number:,}"


def _draw(training: Training, path: Path) -> None:
    from kibitz.learn.brain_tree_picture import picture_of

    assert training.chosen is not None
    try:
        path.write_text(picture_of(training.nodes, training.chosen, training.brain.game), encoding="utf-8")
    except OSError as error:
        raise KibitzError(f"Cannot write {path}: {error.strerror}.") from None


def _document(training: Training, path: Path) -> dict[str, object]:
    brain, node = training.brain, training.chosen
    return {
        "game": brain.game,
        "method": brain.method,
        "opponent": brain.opponent,
        "games": brain.games,
        "seed": brain.seed,
        "seconds": training.seconds,
        "interrupted": training.interrupted,
        "file": str(path),
        "weights": brain.weights,
        "node": node and {"number": node.number, "wins": node.wins, "games": node.games},
    }
