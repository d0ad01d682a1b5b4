"""`make test-lanes`: the checks of `make lint` and all tests, two parts at a time where neither disturbs the other.

How it works: a part is a folder of tests, or `make lint`. Each runs in a process of its own, with folders, a PostgreSQL
and a Redis of its own (tests/conftest.py). Much of what tests do is waiting, so two lanes take the next part as soon as
they are free, the longest first. What looks for traces on the host comes then, beside what opens no jail and leaves
none; what measures on every core comes last and alone. What a part says is printed whole when it has ended; at the end
is a table, after each line that tells of a failure or of a test that was left out. The exit code is 1 when a part
failed, or ran no test.
"""

import io
import os
import re
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from web import services

ROOT = Path(__file__).parents[1]
LONGEST_FIRST = ("judge", "web", "browser", "packages", "sandbox", "faults", "bench")
WATCHES = ("hostile",)  # looks for what is left in the folders and groups that everybody may use
OPENS_NO_JAIL = ("problems", "lint", "docs", "tests")
MEASURES = ("explain",)  # on every core
_PYTEST = (sys.executable, "-m", "pytest")
_COUNT = re.compile(r"(\d+) (passed|failed|errors?|skipped|deselected|xfailed|xpassed|warnings?)\b")
_TOLD_AGAIN = re.compile(r"^(FAILED|ERROR|SKIPPED|XFAIL|XPASS) .*", re.MULTILINE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Part:
    """What one process checks."""

    name: str
    command: tuple[str, ...]
    has_tests: bool = True


Chain = Sequence[Part]


@dataclass(frozen=True, kw_only=True, slots=True)
class Ended:
    """What became of a part."""

    part: Part
    exit_code: int
    took_s: float
    cpu_s: float  # of it and of all that it started and waited for
    said: str

    @property
    def counts(self) -> Counter[str]:
        """How many tests passed, failed, were deselected, by pytest's last line."""
        last = self.said.rstrip().rpartition("\n")[2] if self.part.has_tests else ""
        return Counter({word.removesuffix("s"): int(number) for number, word in _COUNT.findall(last)})

    @property
    def is_good(self) -> bool:
        """Whether all of it passed, and there was something to pass."""
        return self.exit_code == 0 and (self.counts["passed"] > 0 or not self.part.has_tests)


def all_parts() -> list[Part]:
    """`make lint`, and a part for each folder of tests and for the tests beside the folders."""
    files = [path.relative_to(ROOT / "tests") for path in (ROOT / "tests").rglob("test_*.py")]
    names = sorted({path.parts[0] for path in files if len(path.parts) > 1})
    beside = sorted(f"tests/{path}" for path in files if len(path.parts) == 1)
    tests = [Part(name=name, command=(*_PYTEST, f"tests/{name}")) for name in names]
    lint = Part(name="lint", command=("make", "--no-print-directory", "lint"), has_tests=False)
    return [lint, *tests, Part(name="tests", command=(*_PYTEST, *beside))]


def steps(parts: Sequence[Part]) -> list[list[Chain]]:
    """What may run side by side, one step after the other; the parts of a chain run one after the other."""
    special = (WATCHES, OPENS_NO_JAIL, MEASURES)
    watches, opens_no_jail, measures = ([part for part in parts if part.name in names] for names in special)
    others = [part for part in parts if not any(part.name in names for names in special)]
    return [[[part] for part in sorted(others, key=_turn)], [watches, opens_no_jail], [measures]]


def _turn(part: Part) -> int:
    return LONGEST_FIRST.index(part.name) if part.name in LONGEST_FIRST else len(LONGEST_FIRST)


class Lanes:
    """Runs parts, so many at a time; what became of each is in `ended`."""

    def __init__(self, folder: Path) -> None:
        self.ended: list[Ended] = []
        self.is_stopped = False
        self._folder = folder
        self._running: dict[str, services.Service] = {}
        self._lock = threading.Lock()

    def run(self, chains: Iterable[Chain], at_once: int) -> None:
        """Run these, `at_once` of them at a time, and print what each part said when it has ended."""
        with ThreadPoolExecutor(at_once) as pool:
            list(pool.map(self._run_chain, chains))

    def stop(self, *_: object) -> None:
        """Begin no other part, and interrupt those that run as Ctrl-C does. May be called in a signal's handler."""
        self.is_stopped = True
        for service in list(self._running.values()):
            with suppress(ProcessLookupError):
                os.killpg(service.process.pid, signal.SIGINT)

    def _run_chain(self, chain: Chain) -> None:
        for part in chain:
            self._run(part)

    def _run(self, part: Part) -> None:
        if self.is_stopped:
            return
        _say(f"{part.name} begins")
        log, begun = self._folder / part.name, time.monotonic()
        service = services.start_process(part.name, list(part.command), log, signal.SIGINT, cwd=ROOT)
        self._running[part.name] = service
        if self.is_stopped:  # between the look above and now
            self.stop()
        _, status, used = os.wait4(service.process.pid, 0)
        service.process.returncode = os.waitstatus_to_exitcode(status)
        del self._running[part.name]
        ended = Ended(
            part=part,
            exit_code=service.process.returncode,
            took_s=time.monotonic() - begun,
            cpu_s=used.ru_utime + used.ru_stime,
            said=log.read_text("utf-8", "replace"),
        )
        with self._lock:
            self.ended.append(ended)
            _say(f"what {part.name} said: {_in_short(ended)}")
            sys.stdout.write(ended.said)
            sys.stdout.flush()


def _say(text: str) -> None:
    sys.stdout.write(f"##### {time.strftime('%H:%M:%S')} {text}\n")  # in one piece: the other lane speaks too
    sys.stdout.flush()


def _in_short(ended: Ended) -> str:
    counts = ", ".join(f"{number} {what}" for what, number in ended.counts.items())
    became = "" if ended.is_good else f"FAILED with exit code {ended.exit_code}"
    return "; ".join(filter(None, (became, counts, f"{ended.took_s:.0f} s, of CPU {ended.cpu_s:.0f} s")))


def summary(ended: Sequence[Ended]) -> str:
    """Each line that tells of a test that failed or was left out, a line for each part, and the sum."""
    again = [line[0] for each in ended if each.part.has_tests for line in _TOLD_AGAIN.finditer(each.said)]
    parts = [f"{each.part.name:<10} {_in_short(each)}" for each in ended]
    total = sum((each.counts for each in ended), Counter[str]())
    sum_up = ", ".join(f"{number} {what}" for what, number in total.items())
    return "\n".join([*again, *parts, f"{'all':<10} {sum_up}"])


def main(at_once: int) -> int:
    """Run everything; the exit code."""
    assert isinstance(sys.stdout, io.TextIOWrapper)
    sys.stdout.reconfigure(errors="replace")  # programs of tests print any bytes
    begun, parts = time.monotonic(), all_parts()
    if os.geteuid() == 0:
        services.system_user()  # now, since two parts would make it at once
    if {"DATABASE_URL", "REDIS_URL"} & os.environ.keys():
        at_once = 1  # all parts use the same server
    with tempfile.TemporaryDirectory(prefix="tally-lanes-") as folder:
        lanes = Lanes(Path(folder))
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lanes.stop)
        for step in steps(parts):
            lanes.run(step, at_once)
    is_good = len(lanes.ended) == len(parts) and all(each.is_good for each in lanes.ended)
    print(summary(lanes.ended))
    _say(f"{'passed' if is_good else 'FAILED'} in {(time.monotonic() - begun) / 60:.1f} minutes")
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
