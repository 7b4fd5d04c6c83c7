"""Networks that ship with a game: found beside its rules, for the variants they were trained for."""

import inspect
import re
import shutil

import pytest
import toys
from nets import random_network, written
from toys import Nim

import kibitz
from kibitz.players.roster import bots_for, check_public
from kibitz.records.identity import identity_of
from kibitz.rules.registry import find_game
from kibitz.rules.shipped_network import shipped_network


@pytest.fixture
def nim(tmp_path, monkeypatch):
    """Nim, with a network for its default heap."""
    monkeypatch.setattr(Nim, "network", str(written(Nim(), random_network(Nim()), tmp_path / "net.npz")), raising=False)
    return Nim()


def refused(spec, game):
    with pytest.raises(kibitz.SpecError) as caught:
        kibitz.bot(spec, game)
    return str(caught.value)


def test_without_a_file_the_network_of_the_game_plays(nim):
    view = kibitz.Table(nim).view(0)
    named = kibitz.bot(f"zero:net={nim.network},sims=20", nim).analyse(view)
    assert kibitz.bot("zero:sims=20", nim).analyse(view).moves == named.moves


def test_a_file_takes_precedence(nim, tmp_path):
    assert "cannot be read" in refused(f"zero:net={tmp_path}/other.npz", nim)


def test_a_game_in_a_file_has_its_network_beside_it(tmp_path, monkeypatch):
    """Also in another folder than the current one, and the network is part of what a tournament depends on."""
    source = inspect.getsource(toys)
    path = tmp_path / "games" / "heap.py"
    path.parent.mkdir()
    path.write_text(source[: source.index("STEP, ROLL")] + '\n\nNETWORK = "heap.npz"\n')
    monkeypatch.chdir(tmp_path)
    game = find_game("games/heap.py:Nim")
    assert "no such file" in refused("zero", game).lower()
    written(game, random_network(game), path.with_suffix(".npz"))
    assert set(identity_of(game, [])["files"]) == {"games/heap.py", "games/heap.npz"}
    monkeypatch.chdir("/")
    assert kibitz.bot("zero:sims=5", game).choose(kibitz.Table(game).view(0)) in range(3)


def test_a_variant_needs_a_network_of_its_own(nim, tmp_path, monkeypatch):
    assert refused("zero", Nim(heap=9)) == (
        "zero cannot play Nim:heap=9: no network ships with Nim:heap=9; train one with "
        "`kibitz train Nim:heap=9 --method zero`, then name it: zero:net=Nim-zero.npz"
    )
    shutil.copy(nim.network, tmp_path / "9.npz")
    monkeypatch.setattr(Nim, "network", lambda game: f"{tmp_path}/{game.heap}.npz" if game.heap == 9 else None)
    assert shipped_network(Nim()) is None
    assert shipped_network(Nim(heap=9)) == tmp_path / "9.npz"
    assert re.search(r"cannot be used; train one with .* was learned from other rules", refused("zero", Nim(heap=9)))


def test_bots_are_listed_with_the_network_or_with_how_to_get_one(nim):
    assert bots_for(nim)["zero"].startswith("Plays by a network")
    line = bots_for(Nim(heap=9))["zero:net=FILE"]
    assert line.endswith("`kibitz train Nim:heap=9 --method zero` writes the file.")
    assert "`kibitz train Nim --method td` writes the file." in bots_for(nim)["learned:file=FILE"]


def test_remote_clients_may_use_it_but_name_no_file(nim):
    check_public("zero:sims=100", nim)
    with pytest.raises(kibitz.SpecError, match="net is not available on this server"):
        check_public(f"zero:net={nim.network}", nim)


def test_what_is_no_file_name_is_refused_by_name(monkeypatch):
    monkeypatch.setattr(Nim, "network", 5, raising=False)
    with pytest.raises(kibitz.RulesError, match=r"Nim: network \(or NETWORK\) must be the name of a file, not int"):
        shipped_network(Nim())
