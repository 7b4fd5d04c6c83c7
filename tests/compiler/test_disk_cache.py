"""The disk cache: what is a hit, what is not, and that nothing ever goes wrong because of it.

The first half tests the files; the second runs a tiny game in subprocesses with their own cache. Each
subprocess prints what the game says and how many functions it compiled and loaded.
"""

import hashlib
import hmac
import json
import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from processes import LONG

import kibitz
from kibitz import notices
from kibitz.compiler import disk_cache as cache

PACKAGE = Path(kibitz.__file__).parent


def test_a_saved_payload_can_be_loaded(empty_cache):
    cache.save("abcd", b"machine code")
    assert cache.load("abcd") == b"machine code"
    assert [path.name for path in empty_cache.glob("*/*")] == ["abcd.signed"]


def test_an_unknown_key_is_missing(empty_cache):
    assert cache.load("abcd") is None


@pytest.mark.parametrize("damage", [lambda b: b[:-1], lambda b: b"", lambda b: b[:20], lambda b: b[:-1] + b"!"])
def test_a_damaged_file_counts_as_missing_and_is_replaced(empty_cache, damage):
    cache.save("abcd", b"machine code")
    path = empty_cache / "ab" / "abcd.signed"
    path.write_bytes(damage(path.read_bytes()))
    assert cache.load("abcd") is None
    cache.save("abcd", b"machine code")
    assert cache.load("abcd") == b"machine code"


def test_pruning_deletes_the_least_recently_used_files(empty_cache):
    for age, key in enumerate(["aa1", "bb2", "cc3", "dd4"]):
        cache.save(key, bytes(1000))
        os.utime(empty_cache / key[:2] / f"{key}.signed", (1_000_000 + age, 1_000_000 + age))
    assert cache.load("aa1")  # now the last used
    assert cache.prune(limit=5000, keep=0) == 0
    assert cache.prune(limit=3000, keep=2500) == 2
    assert [key for key in ["aa1", "bb2", "cc3", "dd4"] if cache.load(key)] == ["aa1", "dd4"]


def test_a_folder_that_cannot_be_written_is_as_good_as_no_cache(empty_cache):
    empty_cache.write_text("a file where the folder should be")
    cache.save("abcd", b"machine code")
    assert cache.load("abcd") is None
    assert cache.prune(0, 0) == 0


def test_a_read_only_folder_serves_what_it_has(empty_cache, monkeypatch):
    cache.save("abcd", b"machine code")

    def refuse(*_):
        raise PermissionError

    monkeypatch.setattr(os, "utime", refuse)
    monkeypatch.setattr(os, "replace", refuse)
    cache.save("abcd", b"other code")
    assert cache.load("abcd") == b"machine code"
    assert len(list(empty_cache.glob("*/*"))) == 1  # no temporary file is left behind


def test_only_the_user_can_read_the_secret_or_write_to_the_folder(empty_cache):
    before = os.umask(0)
    try:
        cache.save("abcd", b"machine code")
    finally:
        os.umask(before)
    assert (empty_cache / "secret").stat().st_mode & 0o777 == 0o600
    assert empty_cache.stat().st_mode & 0o777 == (empty_cache / "ab").stat().st_mode & 0o777 == 0o700
    assert cache.load("abcd") == b"machine code"


def forged(secret, key, payload):
    return hmac.digest(secret, key.encode() + b"\0" + payload, "sha256") + payload


@pytest.mark.parametrize(
    "entry",
    [
        hashlib.sha256(b"evil").digest() + b"evil",  # as entries looked before they had a secret
        forged(b"", "abcd", b"evil"),
        forged(bytes(32), "abcd", b"evil"),
        forged(b"x" * 32, "abcd", b"evil"),
    ],
)
def test_an_entry_forged_without_the_secret_is_not_loaded(empty_cache, entry):
    cache.save("abcd", b"machine code")
    (empty_cache / "ab" / "abcd.signed").write_bytes(entry)
    assert cache.load("abcd") is None


def test_an_entry_cannot_be_passed_off_as_another(empty_cache):
    cache.save("abcd", b"machine code")
    cache.save("abce", b"other code")
    shutil.copy(empty_cache / "ab" / "abcd.signed", empty_cache / "ab" / "abce.signed")
    assert cache.load("abce") is None


@pytest.mark.parametrize("secret", [b"", bytes(32), b"short"])
def test_a_damaged_secret_is_replaced(empty_cache, secret):
    cache.save("abcd", b"machine code")
    (empty_cache / "secret").write_bytes(secret)
    (empty_cache / "ab" / "abcd.signed").write_bytes(forged(secret, "abcd", b"evil"))
    assert cache.load("abcd") is None
    cache.save("abcd", b"machine code")
    assert cache.load("abcd") == b"machine code"
    assert len((empty_cache / "secret").read_bytes()) == 32


def test_the_secret_of_the_first_process_counts_even_without_hard_links(empty_cache, monkeypatch):
    def unsupported(*_):
        raise OSError

    monkeypatch.setattr(os, "link", unsupported)
    cache.save("abcd", b"machine code")
    secret = (empty_cache / "secret").read_bytes()
    cache.save("abce", b"other code")
    assert (empty_cache / "secret").read_bytes() == secret
    assert (cache.load("abcd"), cache.load("abce")) == (b"machine code", b"other code")


def test_many_processes_at_once_agree_on_one_secret(empty_cache):
    saving = "import sys; from kibitz.compiler import disk_cache; sys.stdin.read(1); disk_cache.save(sys.argv[1], b'x')"
    keys = [f"ab{number}" for number in range(4)]
    command = [sys.executable, "-c", saving]
    processes = [subprocess.Popen([*command, key], stdin=subprocess.PIPE, cwd=PACKAGE.parent) for key in keys]
    for process in processes:
        process.stdin.close()  # now all of them save
    assert [process.wait(timeout=LONG) for process in processes] == [0] * len(keys)
    assert [cache.load(key) for key in keys] == [b"x"] * len(keys)
    assert sorted(path.name for path in empty_cache.iterdir()) == ["ab", "secret"]


@pytest.mark.parametrize("what", ["", "secret", "ab/abcd.signed"])
def test_what_others_can_write_to_is_ignored(empty_cache, monkeypatch, what):
    cache.save("abcd", b"machine code")
    told = []
    monkeypatch.setattr(notices, "listener", lambda kind, sentence: told.append(sentence))
    for mode in (0o720, 0o702):
        (empty_cache / what).chmod(mode)
        assert cache.load("abcd") is None
        assert cache.load("abcd") is None
    assert len(told) == (what == "")  # one sentence, however often it is asked for
    if what == "":
        assert f"{empty_cache} belongs to another user, or others can write to it" in told[0]
        cache.save("abce", b"other code")
        assert not (empty_cache / "ab" / "abce.signed").exists()
    (empty_cache / what).chmod(0o700)
    assert cache.load("abcd") == b"machine code"


def test_what_belongs_to_somebody_else_is_ignored(empty_cache, monkeypatch):
    cache.save("abcd", b"machine code")
    owner = empty_cache.stat().st_uid
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    assert cache.load("abcd") == (b"machine code" if owner == 0 else None)  # root is trusted
    if owner == 0:
        for path in (empty_cache, empty_cache / "secret", empty_cache / "ab" / "abcd.signed"):
            os.chown(path, 12345, -1)
            assert cache.load("abcd") is None
            os.chown(path, 0, -1)


def test_further_folders_are_read_but_never_written(empty_cache, tmp_path, monkeypatch):
    cache.save("abcd", b"machine code")
    before = sorted(empty_cache.rglob("*"))
    monkeypatch.setenv("KIBITZ_CACHE", str(tmp_path / "private"))
    assert cache.load("abcd") is None
    monkeypatch.setenv("KIBITZ_CACHE_READ", os.pathsep.join([str(tmp_path / "nothing"), str(empty_cache)]))
    assert cache.load("abcd") == b"machine code"
    cache.save("abce", b"code of a guest")
    cache.save("abcd", b"code of a guest")
    assert (cache.load("abce"), cache.load("abcd")) == (b"code of a guest", b"code of a guest")
    assert sorted(empty_cache.rglob("*")) == before
    monkeypatch.delenv("KIBITZ_CACHE_READ")
    monkeypatch.setenv("KIBITZ_CACHE", str(empty_cache))  # the host again
    assert (cache.load("abce"), cache.load("abcd")) == (None, b"machine code")


def test_what_a_guest_saved_is_not_loaded_even_if_it_is_copied_to_the_host(empty_cache, tmp_path, monkeypatch):
    cache.save("abcd", b"machine code")
    monkeypatch.setenv("KIBITZ_CACHE", str(tmp_path / "private"))
    cache.save("abcd", b"code of a guest")
    shutil.copy(tmp_path / "private" / "ab" / "abcd.signed", empty_cache / "ab" / "abcd.signed")
    monkeypatch.setenv("KIBITZ_CACHE", str(empty_cache))
    assert cache.load("abcd") is None


def test_a_user_without_a_home_has_no_cache(monkeypatch):
    for name in ("KIBITZ_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)

    def homeless():
        raise RuntimeError

    monkeypatch.setattr(Path, "home", homeless)
    cache.save("abcd", b"machine code")
    assert cache.load("abcd") is None


# ------------------------------------------------------------------ whole runs

TOY = """\
    import kibitz
    from kibitz.rules.contract import OVER
    from tables import bonus, SIZE

    BASE = 100

    @kibitz.game
    class Toy:
        players = 1
        actions = max_moves = max_plies = 1

        def fields(self):
            return [("turn", "i1")]

        def start(self, s):
            s.turn = OVER

        def moves(self, s, out):
            return 0

        def play(self, s, move):
            s.turn = OVER

        def payoff(self, s, out):
            out[0] = 1.0

        def key(self, s):
            return BASE + bonus(s.turn) + SIZE[1]
"""
TABLES = """\
    import numpy as np
    import deep as d

    SIZE = np.array([10, 20])

    def bonus(turn):
        return d.inner.THREE + turn
"""
DEEP = "import inner\n"
INNER = "THREE = 3\n"
# 100 + (3 − 2) + 20
ANSWER = 121

RUN = """\
    import importlib, json, os, sys
    import kibitz
    from kibitz.compiler import stats
    from kibitz.rules.engine import Engine
    from kibitz.compiler.rules_type import bind_method

    def answer(game):
        state = Engine(game).start()
        return bind_method(game, "key", state.record)(game, state.record)

    def report(*answers):
        print(json.dumps([*answers, stats.compiled, stats.loaded]))
"""


class Bench:
    """A folder with a toy game of several modules and its own cache."""

    def __init__(self, root):
        self.root = root
        self.cache = root / "cache"
        self.home = root / "home"
        self.home.mkdir()
        for name, text in {"toy": TOY, "tables": TABLES, "deep": DEEP, "inner": INNER}.items():
            self.write(f"{name}.py", text)
        self.write(
            "run.py", RUN + "    if __name__ == '__main__':\n        import toy\n        report(answer(toy.Toy()))\n"
        )

    def write(self, name, text):
        (self.home / name).write_text(textwrap.dedent(text))

    def edit(self, name, old, new):
        text = (self.home / name).read_text()
        assert old in text
        (self.home / name).write_text(text.replace(old, new))

    def start(self, *command, home=None, **environment):
        env = {**os.environ, "KIBITZ_CACHE": str(self.cache), "PYTHONDONTWRITEBYTECODE": "1", **environment}
        command = command or ("run.py",)
        return subprocess.Popen(
            [sys.executable, *command], cwd=home or self.home, env=env, stdout=subprocess.PIPE, text=True
        )

    def run(self, *command, **options):
        """What the run printed: answers, functions compiled, functions loaded."""
        process = self.start(*command, **options)
        out, _ = process.communicate(timeout=LONG)
        assert process.returncode == 0
        return json.loads(out)

    def files(self):
        return sorted(self.cache.glob("*/*"))


@pytest.fixture(scope="module")
def ready(tmp_path_factory):
    """A bench on which the toy was compiled once."""
    bench = Bench(tmp_path_factory.mktemp("bench"))
    answer, compiled, loaded = bench.run()
    assert (answer, loaded) == (ANSWER, 0)
    assert compiled == 3  # start, key, bonus
    return bench


@pytest.fixture
def bench(ready, tmp_path):
    """A copy of it in another place, including the cache."""
    shutil.copytree(ready.root, tmp_path / "copy")
    copy = Bench.__new__(Bench)
    copy.root, copy.cache, copy.home = tmp_path / "copy", tmp_path / "copy" / "cache", tmp_path / "copy" / "home"
    return copy


def test_a_second_run_compiles_nothing_wherever_the_game_is(bench):
    assert bench.run() == [ANSWER, 0, 2]


@pytest.mark.parametrize(
    ("name", "old", "new", "answer"),
    [
        ("toy.py", "BASE + bonus", "2 * BASE + bonus", ANSWER + 100),
        ("toy.py", "BASE = 100", "BASE = 200", ANSWER + 100),
        ("tables.py", "+ turn", "- turn", ANSWER + 4),
        ("tables.py", "10, 20", "10, 30", ANSWER + 10),
        ("inner.py", "3", "4", ANSWER + 1),
    ],
)
def test_an_edit_takes_effect_in_the_next_run_and_undoing_it_is_a_cache_hit(bench, name, old, new, answer):
    bench.edit(name, old, new)
    said, compiled, _ = bench.run()
    assert said == answer
    assert compiled > 0
    bench.edit(name, new, old)
    assert bench.run() == [ANSWER, 0, 2]


def test_comments_docstrings_of_modules_and_blank_lines_do_not_count(bench):
    bench.edit("toy.py", "BASE = 100", "\n\n# a hundred\nBASE = 100  # no more")
    bench.edit("toy.py", "return BASE", "# add it all up\n\n        return BASE")
    bench.edit("tables.py", "import numpy", '"""Tables."""\nimport numpy')
    assert bench.run() == [ANSWER, 0, 2]


def test_a_game_given_by_path_renamed_or_in_main_is_the_same_game(bench):
    (bench.home / "toy.py").rename(bench.home / "renamed.py")
    bench.write("by_path.py", RUN + "    report(answer(kibitz.game('renamed.py:Toy')))\n")
    assert bench.run("by_path.py") == [ANSWER, 0, 2]
    bench.write("main.py", TOY + RUN + "    report(answer(Toy()))\n")
    assert bench.run("main.py") == [ANSWER, 0, 2]
    bench.edit("main.py", "BASE = 100", "BASE = 300")
    assert bench.run("main.py")[0] == ANSWER + 200


def test_games_with_the_same_name_are_distinguished_and_a_deleted_one_does_no_harm(bench):
    (bench.home / "other").mkdir()
    bench.write("other/toy.py", TOY.replace("BASE = 100", "BASE = 500"))
    both = "    report(answer(kibitz.game('toy.py:Toy')), answer(kibitz.game('other/toy.py:Toy')))\n"
    bench.write("both.py", RUN + both)
    assert bench.run("both.py")[:2] == [ANSWER, ANSWER + 400]
    assert bench.run("both.py") == [ANSWER, ANSWER + 400, 0, 4]
    shutil.rmtree(bench.home / "other")
    assert bench.run() == [ANSWER, 0, 2]


def test_damaged_files_are_compiled_again_and_replaced(bench):
    for path in bench.files():
        path.write_bytes(path.read_bytes()[:-10])
    assert bench.run() == [ANSWER, 3, 0]
    assert bench.run() == [ANSWER, 0, 2]


def test_an_entry_that_cannot_be_read_is_compiled_again_and_replaced(bench, monkeypatch):
    monkeypatch.setenv("KIBITZ_CACHE", str(bench.cache))
    for path in bench.files():
        cache.save(path.stem, b"not a pickle")
    assert bench.run() == [ANSWER, 3, 0]
    assert bench.run() == [ANSWER, 0, 2]


def test_several_processes_at_once_share_a_cache(bench):
    shutil.rmtree(bench.cache)
    processes = [bench.start() for _ in range(3)]
    assert [json.loads(process.communicate(timeout=LONG)[0])[0] for process in processes] == [ANSWER] * 3
    assert {path.suffix for path in bench.files()} == {".signed"}
    assert bench.run() == [ANSWER, 0, 2]


def test_without_a_usable_folder_everything_works_uncached(bench):
    nowhere = str(bench.home / "run.py" / "below a file")
    assert bench.run(KIBITZ_CACHE=nowhere) == [ANSWER, 3, 0]
    assert bench.run(KIBITZ_CACHE=nowhere) == [ANSWER, 3, 0]


def test_a_run_loads_from_a_read_only_folder_and_compiles_into_its_own(bench):
    own = bench.root / "own"
    further = {"KIBITZ_CACHE": str(own), "KIBITZ_CACHE_READ": str(bench.cache)}
    assert bench.run(**further) == [ANSWER, 0, 2]
    assert not own.exists()
    before = bench.files()
    bench.edit("inner.py", "3", "4")
    assert bench.run(**further)[1] > 0
    assert bench.run(**further) == [ANSWER + 1, 0, 2]
    assert bench.files() == before


def test_bounds_checks_are_part_of_the_key(bench):
    assert bench.run(NUMBA_BOUNDSCHECK="0")[1] == 3
    assert bench.run() == [ANSWER, 0, 2]


def test_an_edit_of_kibitz_itself_counts_wherever_it_was_compiled_in(bench):
    shutil.copytree(PACKAGE, bench.home / "kibitz", ignore=shutil.ignore_patterns("__pycache__"))
    bench.write(
        "playing.py",
        RUN
        + """\
    from kibitz.compiler import compiled
    from kibitz.rules.rng import Stream, below

    @compiled
    def throw(game, rng):
        return below(rng, 6)

    import toy
    assert kibitz.__file__.startswith(os.getcwd())
    report(answer(toy.Toy()), throw(toy.Toy(), Stream(1).words))
""",
    )
    answer, thrown, _, loaded = bench.run("playing.py")
    assert (answer, loaded) == (ANSWER, 2)  # the toy's own code is the same as with the installed kibitz
    assert bench.run("playing.py") == [ANSWER, thrown, 0, 3]
    bench.edit("kibitz/rules/rng.py", "    return product >> 32", "    return (product >> 32) + 7")
    # throw and below are compiled again; next_word is as it was
    assert bench.run("playing.py") == [ANSWER, thrown + 7, 2, 3]


ALLOCATING = """\
    import json
    import numpy as np
    from kibitz.compiler import compiled, stats

    @compiled
    def spread(n):
        seen = set()
        for i in range(n):
            seen.add(hash(i / 2))
        return len(seen) + np.sort(np.arange(n)[::-1])[0]

    print(json.dumps([spread(5), stats.compiled, stats.loaded]))
"""


def test_code_that_allocates_and_hashes_runs_in_a_process_that_compiles_nothing(bench):
    bench.write("spread.py", ALLOCATING)
    assert bench.run("spread.py") == [5, 1, 0]
    assert bench.run("spread.py") == [5, 0, 1]


def twisting(step):
    """A module whose helpers are too long to be inlined: the linker has to find them by their symbols."""
    twist = [f"if x % {n} == 1: x = (x + {n} * STEP) % 1_000_003" for n in range(2, 40)]
    helper = ["def helper(x):", *(f"    {line}" for line in [*twist, "return x"])]
    caller = ["def caller(x):", "    return helper(x) + helper(x + 1)"]
    closing = [f"    {line}" for line in [*helper, *caller, "return caller"]]
    return "\n".join([*helper, *caller, "def make(STEP):", *closing, f"STEP = {step}", "closed = make(STEP)", ""])


TWIST = """\
    import importlib, json, sys
    from kibitz.compiler import compiled, stats

    def answer(name):
        module = importlib.import_module(name)
        for function in (module.caller, module.closed):
            assert compiled(function)(1000) == function(1000)
        return module.caller(1000)

    print(json.dumps([*map(answer, sys.argv[1:]), stats.compiled, stats.loaded]))
"""


def test_functions_of_the_same_name_from_different_processes_are_not_mixed_up_by_the_linker(bench):
    """Each process compiles the same functions in the same order; only what is in them differs."""
    bench.write("five.py", twisting(5))
    bench.write("seven.py", twisting(7))
    bench.write("twist.py", TWIST)
    five, *counts = bench.run("twist.py", "five")
    assert counts == [4, 0]
    seven, *counts = bench.run("twist.py", "seven")
    assert counts == [4, 0]
    assert five != seven
    assert bench.run("twist.py", "five", "seven") == [five, seven, 0, 4]
