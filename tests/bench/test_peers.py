"""What other sandboxes add: each is run and checked in the same way, and one that goes wrong has no figures."""

import http.server
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

from bench.peer import gojudge
from bench.peer.commands import Isolate, Nsjail, cpu_us_of
from bench.peer.measuring import (
    BARE,
    GO_JUDGE,
    ISOLATE,
    ISOLATE_FRESH,
    NSJAIL,
    PROGRAMS,
    SHORT_PER_ROUND,
    TALLY,
    Binaries,
    Samples,
    measure,
    take,
)
from bench.peer.runs import Places, Program, Run, Sandbox, WrongRun
from sandbox.doctor.overhead import BareRunner
from sandbox.jail.nsjail import find_nsjail

TINY = PROGRAMS["tiny"]
LARGE = Program(argv=("{}/writes",), prints=b"123456\n" * 500_000)
ENDED_WELL = "time:0.125\ntime-wall:0.130\nexitcode:0\n"


class Scripted:
    """A sandbox that says when it is asked, and fails at one of the runs."""

    def __init__(self, name: str, asked: list[str], fails_at: int | None = None) -> None:
        self._name, self._asked, self._fails_at = name, asked, fails_at

    def run(self, program: Program) -> Run:
        self._asked.append(self._name)
        if self._asked.count(self._name) == self._fails_at:
            raise WrongRun(f"{program.argv[0]} went wrong")
        return Run(wall_us=1_000, cpu_us=500)


@pytest.fixture
def places(programs: Path, tmp_path: Path) -> Places:
    return Places(programs=programs, written=tmp_path)


def scripted(asked: list[str], fails_at: dict[str, int]) -> dict[str, Sandbox]:
    return {name: Scripted(name, asked, fails_at.get(name)) for name in (BARE, TALLY, NSJAIL)}


def test_rounds_are_taken_in_turn_and_somebody_else_begins_each() -> None:
    asked: list[str] = []
    samples = Samples()
    take(samples, scripted(asked, {}), rounds=3)
    a_round = len(asked) // 3
    assert [asked[number * a_round] for number in range(3)] == [BARE, TALLY, NSJAIL]
    kept = {program: 3 * (SHORT_PER_ROUND if program in ("tiny", "python") else 1) for program in PROGRAMS}
    for runs in samples.runs.values():
        assert {program: len(each) for program, each in runs.items()} == kept


def test_peer_that_goes_wrong_once_is_out_with_all_its_samples() -> None:
    asked: list[str] = []
    samples = Samples()
    take(samples, scripted(asked, {NSJAIL: 20}), rounds=3)
    assert (list(samples.runs), asked.count(NSJAIL)) == ([BARE, TALLY], 20)
    assert list(samples.left_out) == [NSJAIL]
    assert "went wrong" in samples.left_out[NSJAIL]


def test_without_bare_execution_or_tally_there_is_no_report() -> None:
    for name in (BARE, TALLY):
        with pytest.raises(WrongRun, match="went wrong"):
            take(Samples(), scripted([], {name: 5}), rounds=1)


@pytest.mark.thorough
def test_one_round_measures_what_is_there_and_names_the_rest(work_root: Path) -> None:
    samples = measure(work_root, Binaries(isolate=None, go_judge=Path("/bin/false")), rounds=1)
    assert list(samples.runs) == [BARE, TALLY, NSJAIL]
    assert all(run.wall_us > 0 and run.cpu_us > 0 for runs in samples.runs.values() for run in runs["bound"])
    assert samples.left_out[ISOLATE] == samples.left_out[ISOLATE_FRESH] == "its program was not given"
    assert "go-judge does not come up" in samples.left_out[GO_JUDGE]


def test_nsjail_runs_the_program_and_what_fails_in_it_counts_for_nothing(places: Places) -> None:
    with BareRunner() as runner:
        nsjail = Nsjail(find_nsjail(), runner, places)
        assert nsjail.run(TINY).wall_us > 0
        with pytest.raises(WrongRun, match="wrote 2 bytes, not the 1 that it should"):
            nsjail.run(Program(argv=TINY.argv, prints=b"4"))
        with pytest.raises(WrongRun, match="failed outside the jail"):
            nsjail.run(Program(argv=("/usr/bin/python3", "-c", "bytearray(300 << 20)"), prints=b""))
        with pytest.raises(WrongRun, match="failed outside the jail"):
            nsjail.run(Program(argv=("/usr/bin/python3", "-c", _CONNECTS), prints=b""))


_CONNECTS = "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(('10.0.0.1', 9))"


def isolate_of(folder: Path, account: str) -> Path:
    """A program that takes isolate's options, says what it was asked, and runs nothing."""
    stands_in = folder / "isolate"
    script = f"""#!/bin/sh
    for option in "$@"; do case $option in
      --meta=*) printf '{account}' > "${{option#--meta=}}" ;;
      --init|--cleanup) echo "$option" >> {folder}/asked; exit ;;
      --run) echo "$option" >> {folder}/asked; echo 3 ;;
    esac; done"""
    stands_in.write_text(script)
    stands_in.chmod(0o755)
    return stands_in


def test_box_of_isolate_is_kept_or_made_for_each_case(places: Places) -> None:
    binary = isolate_of(places.written, ENDED_WELL)
    with BareRunner() as runner:
        with Isolate(binary, runner, places, is_fresh=False).kept() as kept:
            assert [kept.run(TINY).cpu_us for _ in range(2)] == [125_000] * 2
        Isolate(binary, runner, places, is_fresh=True).run(TINY)
    asked = (places.written / "asked").read_text().split()
    assert asked == ["--init", "--run", "--run", "--cleanup", "--init", "--run", "--cleanup"]


@pytest.mark.parametrize("account", ["time:0.1\nstatus:TO\nexitcode:0\n", "time:0.1\nexitcode:1\n", "exitcode:0\n", ""])
def test_run_that_isolate_complains_of_counts_for_nothing(places: Places, account: str) -> None:
    with BareRunner() as runner, pytest.raises(WrongRun, match="isolate says"):
        Isolate(isolate_of(places.written, account), runner, places, is_fresh=True).run(TINY)
    assert cpu_us_of(ENDED_WELL) == 125_000


@contextmanager
def server_that_says(result: dict[str, Any], stored: bytes = b"") -> Iterator[tuple[gojudge.GoJudge, list[Any]]]:
    """A go-judge that answers each case with this result, and what it was asked."""
    asked: list[Any] = []

    class Answering(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            asked.append((self.headers["Authorization"], json.loads(body)["cmd"][0]))
            self._answer(json.dumps([result]).encode())

        def do_GET(self) -> None:
            asked.append(self.path)
            self._answer(stored)

        def do_DELETE(self) -> None:
            asked.append(f"less {self.path}")
            self._answer(b"")

        def _answer(self, body: bytes) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Nothing to stderr."""

    with http.server.HTTPServer(("127.0.0.1", 0), Answering) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield gojudge.GoJudge(HTTPConnection("127.0.0.1", server.server_port, timeout=60), "secret"), asked
        finally:
            server.shutdown()
            thread.join()


def test_go_judge_is_asked_with_limits_and_short_output_comes_with_the_answer() -> None:
    result = {"status": "Accepted", "exitStatus": 0, "time": 2_000_000, "files": {"stdout": "3\n"}}
    with server_that_says(result) as (judge, asked):
        assert judge.run(TINY).cpu_us == 2_000
    [(secret, case)] = asked
    assert secret == "Bearer secret"
    assert case["args"] == ["/program/tiny"]
    assert all(case[limit] > 0 for limit in ("cpuLimit", "clockLimit", "memoryLimit", "procLimit"))


def test_long_output_of_go_judge_is_fetched_compared_and_removed() -> None:
    result = {"status": "Accepted", "exitStatus": 0, "time": 1, "files": {}, "fileIds": {"stdout": "X"}}
    with server_that_says(result, stored=LARGE.prints) as (judge, asked):
        judge.run(LARGE)
    assert asked[1:] == ["/file/X", "less /file/X"]
    with server_that_says(result, stored=LARGE.prints[:-1]) as (judge, _), pytest.raises(WrongRun, match="3499999"):
        judge.run(LARGE)


@pytest.mark.parametrize(("status", "code", "printed"), [("Time Limit Exceeded", 0, "3\n"), ("Accepted", 0, "4\n")])
def test_run_that_go_judge_complains_of_counts_for_nothing(status: str, code: int, printed: str) -> None:
    result = {"status": status, "exitStatus": code, "time": 1, "files": {"stdout": printed}}
    with server_that_says(result) as (judge, _), pytest.raises(WrongRun):
        judge.run(TINY)
