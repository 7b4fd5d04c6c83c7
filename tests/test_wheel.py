"""The wheel: it holds everything that kibitz needs, and works where the source tree is not."""

import os
import re
import shutil
import site
import subprocess
import sys
import urllib.request
import venv
import zipfile
from pathlib import Path

import pytest

import kibitz

SOURCE = Path(kibitz.__file__).parent.parent
PARTS = ("pyproject.toml", "README.md", "LICENSE")  # what a wheel is built from, beside the package


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """A wheel, built from a copy of the source, without network."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    shutil.copytree(SOURCE / "kibitz", source / "kibitz", ignore=shutil.ignore_patterns("__pycache__"))
    for name in PARTS:
        shutil.copy(SOURCE / name, source)
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "wheel", "--no-deps", "--no-index", "--no-build-isolation", "-w", folder, source], check=True)
    (built,) = folder.glob("kibitz-*.whl")
    return built


@pytest.fixture(scope="module")
def machine(wheel, tmp_path_factory):
    """Runs a command where only the wheel and what it depends on are installed, in an empty folder."""
    folder = tmp_path_factory.mktemp("machine")
    venv.create(folder / "venv", with_pip=False)
    python = folder / "venv" / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", python, "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "install", "--no-deps", "--no-index", wheel], check=True)
    # What kibitz depends on is borrowed from here; editable installs are not, as only `site` follows their .pth files.
    (packages,) = (folder / "venv").glob("lib/python*/site-packages")
    (packages / "borrowed.pth").write_text("\n".join(site.getsitepackages()))
    (folder / "home").mkdir()

    def start(*command, **options):
        surroundings = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        program = [folder / "venv" / "bin" / command[0], *command[1:]]
        return subprocess.Popen(
            program, cwd=folder / "home", env=surroundings, text=True, stdout=subprocess.PIPE, **options
        )

    def run(*command):
        with start(*command, stderr=subprocess.STDOUT) as process:
            said = process.communicate()[0]
        assert process.returncode == 0, said
        return said

    run.start, run.home = start, folder / "home"
    return run


def test_the_wheel_holds_every_file_of_the_package(wheel):
    there = {name for name in zipfile.ZipFile(wheel).namelist() if name.startswith("kibitz/")}
    wanted = {
        str(path.relative_to(SOURCE))
        for path in (SOURCE / "kibitz").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert there == wanted
    assert {"kibitz/web/static/page.html", "kibitz/report/page.html", "kibitz/games/separo/network.npz"} <= there


def test_it_runs_outside_the_source_tree(machine):
    where = machine("python", "-c", "import kibitz; print(kibitz.__file__)")
    assert not Path(where.strip()).is_relative_to(SOURCE)
    assert Path(where.strip()).is_relative_to(machine.home.parent)
    assert (
        machine("kibitz", "--version")
        == machine("python", "-m", "kibitz", "--version")
        == f"kibitz {kibitz.__version__}\n"
    )
    assert "complete" in machine("kibitz", "--show-completion", "bash")


@pytest.mark.slow
def test_it_plays_and_reports_with_the_networks_that_ship(machine):
    machine("kibitz", "arena", "connect_four", "policy", "random", "--games", "2", "--seed", "1", "--log", "games")
    machine("kibitz", "report", "games")
    assert "<html" in (machine.home / "games.html").read_text()


@pytest.mark.slow
def test_it_checks_the_game_of_a_user(machine):
    shutil.copy(SOURCE / "examples" / "chomp.py", machine.home)
    assert "chomp.py:Chomp fulfils the contract" in machine("kibitz", "check", "chomp.py:Chomp", "--games", "5")


@pytest.mark.slow
def test_it_serves_the_page(machine):
    with machine.start("kibitz", "serve", "--port", "0") as server:
        try:
            address = re.search(r"http://\S+/", server.stdout.readline())[0]
            page = urllib.request.urlopen(address).read().decode()
            for name in re.findall(r'(?:src|href)="/?(static/[^"]+)"', page):
                assert urllib.request.urlopen(address + name).read()
        finally:
            server.kill()
    assert "static/" in page
