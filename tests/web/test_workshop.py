"""The processes that compile: what they may use, and what becomes of those that want more."""

import asyncio
import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import odd_jobs
import pytest
from visitors import PATIENCE, UNLIMITED, serving

from kibitz.compiler import stats
from kibitz.errors import KibitzError
from kibitz.web import variants
from kibitz.web.catalogue import Catalogue
from kibitz.web.limits import Busy, JobLimits, Rate
from kibitz.web.workshop import TOO_LARGE, Workshop

PONDEROUS = f"{odd_jobs.__file__}:Ponderous"
QUICKLY = JobLimits(cpu_seconds=1)


def run(job, *args, limits=None):
    """Run one job in a workshop of its own."""

    async def main():
        workshop = Workshop(limits)
        try:
            async with asyncio.timeout(PATIENCE):
                await workshop.run(job, *args)
        finally:
            workshop.close()

    asyncio.run(main())


def limited(catalogue=None, **limits):
    return serving(catalogue, limits=replace(UNLIMITED, **limits))


def test_a_job_runs_in_another_process_of_low_priority(tmp_path):
    run(odd_jobs.note, str(tmp_path / "note"))
    process, niceness = map(int, (tmp_path / "note").read_text().split())
    assert process != os.getpid()
    assert niceness > os.nice(0) or niceness == 19
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


def test_what_a_job_says_is_passed_on_and_nothing_else():
    with pytest.raises(KibitzError, match=r"^No such variant\.$"):
        run(odd_jobs.refuse)
    with pytest.raises(KibitzError, match=r"^Something went wrong on the server \(ZeroDivisionError\)\.$"):
        run(odd_jobs.fail)


def test_it_is_told_what_a_job_compiles():
    told = []

    async def main():
        workshop = Workshop()
        try:
            await workshop.run(odd_jobs.compile_a_little, compiling=told.append)
        finally:
            workshop.close()

    asyncio.run(main())
    assert told == ["a little"]


@pytest.mark.parametrize(
    ("job", "limits"),
    [
        (odd_jobs.spin, JobLimits(cpu_seconds=1)),
        (odd_jobs.sleep, JobLimits(seconds=0.01)),
        (odd_jobs.swallow_memory, JobLimits()),
        (odd_jobs.die, JobLimits()),
    ],
    ids=["spins", "sleeps", "swallows memory", "dies"],
)
def test_a_job_that_takes_too_much_is_ended(job, limits):
    with pytest.raises(KibitzError) as error:
        run(job, limits=limits)
    assert str(error.value) == TOO_LARGE


def test_the_event_loop_goes_on_while_a_job_runs():
    async def main():
        workshop, turns = Workshop(JobLimits(seconds=1)), 0
        job = asyncio.create_task(workshop.run(odd_jobs.spin))
        while not job.done():
            await asyncio.sleep(0.001)
            turns += 1
        workshop.close()
        assert isinstance(job.exception(), KibitzError)
        return turns

    assert asyncio.run(main()) > 10


def test_only_so_many_jobs_wait():
    async def main():
        workshop = Workshop(JobLimits(at_once=1, waiting=3))
        jobs = [asyncio.create_task(workshop.run(odd_jobs.sleep)) for _ in range(3)]
        await asyncio.sleep(0)
        with pytest.raises(Busy):
            await workshop.run(odd_jobs.sleep)
        patient = asyncio.create_task(workshop.run(odd_jobs.sleep, patient=True))
        await asyncio.sleep(0)
        assert not patient.done()
        workshop.close()
        await asyncio.gather(*jobs, patient, return_exceptions=True)

    asyncio.run(main())


def test_when_the_server_dies_its_processes_hear_of_it(tmp_path):
    script = tmp_path / "dies.py"
    script.write_text(
        "import os, signal\n"
        "from odd_jobs import note_the_end\n"
        "from kibitz.web.child_process import ChildProcess, ProcessLimits\n"
        "if __name__ == '__main__':\n"
        f"    child = ChildProcess(ProcessLimits(0, 1 << 40), note_the_end, {str(tmp_path / 'note')!r})\n"
        "    child.connection.recv()\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(odd_jobs.__file__).parent)}
    subprocess.run([sys.executable, str(script)], env=environment)
    deadline = time.monotonic() + PATIENCE
    while not (tmp_path / "note").exists():
        assert time.monotonic() < deadline
        time.sleep(0.01)


# ------------------------------------------------------------------ variants


def test_a_variant_that_takes_forever_to_construct_is_refused_and_nobody_else_waits():
    with limited(Catalogue([PONDEROUS]), jobs=QUICKLY) as client:
        body = {"game": "ponderous:stones=99", "seats": [{"you": True}, {"bot": "random"}]}
        answer = client.http.post("/api/tables", json=body)
        assert (answer.status_code, answer.json()) == (422, {"error": TOO_LARGE})
        assert client.http.get("/api/games/ponderous/bots?game=ponderous:stones=5").status_code == 200


def test_a_variant_that_takes_long_to_look_at_is_refused(monkeypatch):
    monkeypatch.setattr(variants, "LONGEST_LOOK", -1.0)
    with pytest.raises(KibitzError, match="too large"):
        variants.look_at("ur", "ur:pieces=3", 2)


def test_everyone_may_ask_for_a_few_new_variants():
    with limited(variants=Rate(2, 1e-6)) as client:
        answers = [client.http.get(f"/api/games/ur/rules?game=ur:pieces={pieces}") for pieces in (1, 2, 3)]
        assert [answer.status_code for answer in answers] == [200, 200, 429]
        assert int(answers[-1].headers["retry-after"]) > 0
        for known in ("ur:pieces=1", "ur:pieces=2", "ur", "camelup"):
            name = known.partition(":")[0]
            assert client.http.get(f"/api/games/{name}/rules?game={known}").status_code == 200
        assert client.http.post("/api/records", json=record("ur:pieces=9")).status_code == 429


def record(game):
    empty = {"turns": [], "moves": [], "names": [], "payoff": [], "score": [], "seats": []}
    return {"game": game, "seed": 1, "number": 0, "luck": 0, "over": False, **empty}


def test_a_server_whose_workshop_is_full_is_busy():
    with limited(jobs=JobLimits(waiting=0)) as client:
        answer = client.http.get("/api/games/ur/rules?game=ur:pieces=6")
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "30")
        assert client.http.get("/api/games/ur/rules").status_code == 200


def test_a_large_variant_with_a_strong_bot_compiles_nothing_in_the_server(tmp_path, monkeypatch):
    monkeypatch.setenv("KIBITZ_CACHE", str(tmp_path))
    before = stats.compiled
    with serving() as client, client.at(client.new_table("ur:pieces=100", "you", "best")) as browser:
        assert client.http.get("/api/games/ur/bots?game=ur:pieces=100").status_code == 200
        assert browser.now_or_later(lambda table: not table["waiting"])["phase"] == "playing"
    assert stats.compiled == before
