"""`make test`: run the checks and the tests in lanes side by side, and print what failed.

A lane is a process of its own, with a host, servers and folders of its own (tests/own_host.py). A test that failed
beside other lanes runs once more, alone: the other lanes take the cores that a measurement needs. If it fails alone,
the run fails. If it passes, it is a defect that the next commit mends: the run passes, names the test under a heading,
adds it to var/test-defects.txt and counts it in its last line. Failures in more than MOST_FILES_AGAIN files are no
accident and stand as they are.

The output of each lane is in var/test-lanes while it runs and afterwards, and each test's time beside it, as JUnit XML.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[1]
LOGS = ROOT / "var" / "test-lanes"
DEFECTS = ROOT / "var" / "test-defects.txt"  # "COMMIT TEST" lines of all runs, until somebody removes them
HOST = ("tests/sandbox", "tests/hostile", "tests/bench")
PAGES = ("tests/browser",)
CORPORA = ("tests/faults", "tests/explain", "tests/packages")
AT_ONCE = 5  # lanes side by side: more than cores, since a test waits for a third of its time
LONGEST_S = 40 * 60
MOST_FILES_AGAIN = 6  # files and not tests: one fixture can fail every test of its file
TOLD_EVERY_S = 30
TESTS_FAILED = 1  # pytest's exit code


@dataclass
class Lane:
    """A command whose output goes to a file of its own."""

    name: str
    command: tuple[str, ...]
    is_pytest: bool = True
    started: float = field(default=0.0, init=False)
    ended: float = field(default=0.0, init=False)
    process: "subprocess.Popen[bytes] | None" = field(default=None, init=False)

    @property
    def log(self) -> Path:
        return LOGS / f"{self.name}.log"

    @property
    def cache(self) -> Path:
        return LOGS / f"{self.name}.cache"

    @property
    def exit_code(self) -> int:
        """0 when all passed; of a lane that took LONGEST_S, that of the signal that ended it."""
        assert self.process is not None
        return int(self.process.returncode)

    def start(self, *more: str) -> None:
        cache = ("-o", f"cache_dir={self.cache}") if self.is_pytest else ()
        with self.log.open("ab") as log:
            command = [*self.command, *cache, *more]
            self.process = subprocess.Popen(
                command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
            )
        self.started = time.monotonic()

    def has_ended(self) -> bool:
        assert self.process is not None
        if time.monotonic() - self.started > LONGEST_S:
            self.kill()
        if self.process.poll() is None:
            return False
        self.ended = time.monotonic()
        return True

    def kill(self) -> None:
        """End the lane and the processes that it started in its session."""
        if self.process is not None and self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def failed_tests(self) -> list[str]:
        """What pytest's cache names as failed: tests, and files that could not be collected."""
        try:
            return sorted(json.loads((self.cache / "v" / "cache" / "lastfailed").read_text()))
        except FileNotFoundError:
            return []

    def progress(self) -> str:
        shares = re.findall(rb"\[ *(\d+)%\]", self.log.read_bytes())
        return f"{self.name} {int(shares[-1])} %" if shares else self.name


def _pytest(name: str, *arguments: str) -> Lane:
    return Lane(name, (sys.executable, "-m", "pytest", f"--junitxml={LOGS / name}.xml", *arguments))


def lanes() -> list[Lane]:
    """Every check and every test, each in exactly one lane; those that take longest first."""
    others = [f"--ignore={folder}" for folder in (*HOST, *PAGES, *CORPORA)]
    return [
        _pytest("plain", "-m", "not jail"),
        _pytest("judging", "-m", "jail", *others),
        _pytest("pages", "-m", "jail", *PAGES),
        _pytest("host", "-m", "jail", *HOST),
        _pytest("corpora", "-m", "jail", *CORPORA),
        Lane("lint", ("make", "--no-print-directory", "lint"), is_pytest=False),
    ]


def run(waiting: list[Lane]) -> None:
    """Run all lanes, at most AT_ONCE at a time, and print their progress."""
    running: list[Lane] = []
    told = time.monotonic()
    try:
        while waiting or running:
            while waiting and len(running) < AT_ONCE:
                lane = waiting.pop(0)
                lane.start()
                running.append(lane)
            time.sleep(0.2)
            for lane in [lane for lane in running if lane.has_ended()]:
                running.remove(lane)
                print(f"{lane.name}: {summary(lane)}", flush=True)
            if running and time.monotonic() - told > TOLD_EVERY_S:
                told = time.monotonic()
                print("running: " + ", ".join(lane.progress() for lane in running), flush=True)
    finally:
        for lane in running:
            lane.kill()


def summary(lane: Lane) -> str:
    """The last line of the lane's output, which pytest writes for this."""
    lines = lane.log.read_text(errors="replace").strip().splitlines()
    last = lines[-1].strip("= ") if lines else "no output"
    passed = "passed" if lane.exit_code == 0 else f"FAILED with exit code {lane.exit_code}"
    return f"{passed} after {lane.ended - lane.started:.0f} s ({last})"


def passes_alone(lane: Lane) -> bool:
    """Run the failed tests of a lane once more, with no other lane beside it."""
    failed = lane.failed_tests()
    files = {test.partition("::")[0] for test in failed}
    if not lane.is_pytest or lane.exit_code != TESTS_FAILED or not 0 < len(files) <= MOST_FILES_AGAIN:
        return False
    print(f"{lane.name}: {len(failed)} failed beside other lanes; once more, alone", flush=True)
    lane.start("--last-failed", "--last-failed-no-failures=none", f"--junitxml={LOGS / lane.name}-alone.xml")
    while not lane.has_ended():
        time.sleep(0.2)
    return lane.exit_code == 0


def main() -> int:
    shutil.rmtree(LOGS, ignore_errors=True)
    LOGS.mkdir(parents=True)
    started = time.monotonic()
    every = lanes()
    run(list(every))
    failed = [lane for lane in every if lane.exit_code != 0]
    again = {lane.name: lane.failed_tests() for lane in failed}
    for lane in failed:
        print(f"\n{'=' * 20} {lane.name} {'=' * 20}\n{lane.log.read_text(errors='replace')}", flush=True)
    lost = [lane for lane in failed if not passes_alone(lane)]
    defects: list[str] = []
    for lane in failed:
        still = set(lane.failed_tests()) if lane in lost else set()
        defects += [test for test in again[lane.name] if test not in still]
        for test in sorted(still) or ([summary(lane)] if lane in lost else []):
            print(f"FAILED: {lane.name}: {test}")
    if defects:
        report(defects)
    passed = "failed" if lost else "all passed"
    print(f"{passed} after {time.monotonic() - started:.0f} s, defects of the next commit: {len(defects)}")
    return 1 if lost else 0


def report(defects: list[str]) -> None:
    """Print the tests that failed beside other lanes and passed alone, and add them to DEFECTS."""
    head = ["git", "rev-parse", "--short", "HEAD"]
    commit = subprocess.run(head, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
    with DEFECTS.open("a") as file:
        file.writelines(f"{commit} {test}\n" for test in defects)
    print("\nDefects of the next commit: failed beside other lanes, passed alone")
    for test in defects:
        print(f"  {test}")


if __name__ == "__main__":
    sys.exit(main())
