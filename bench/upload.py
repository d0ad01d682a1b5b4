"""Measure what a large package costs the site: `python -m bench.upload` writes bench/reports/upload.json.

How it works: the whole of Tally is started in folders of its own. An instructor signs in and sends a package of many
cases of random bytes, which no packing makes smaller, in one form as a browser does; its page is asked for until the
report is there, then it is published. The memory is that of the web process as the kernel keeps it: VmRSS before, and
VmHWM, set back before, after each part.
"""

import argparse
import json
import random
import re
import sys
import time
import zipfile
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from urllib.parse import urlsplit

from bench import reporting
from bench.load.browser import Browser, Refused
from bench.load.memory import forget_peak, peak_bytes, resident_bytes
from bench.load.stack import started_stack

MIB = 1024 * 1024
MOST_WEB_BYTES = 150 * MIB
_LONGEST_S, _VERIFY_S = 300, 900
_COUNT_BYTES = "import sys\nprint(len(sys.stdin.buffer.read()))\n"


@dataclass(frozen=True, kw_only=True, slots=True)
class UploadCost:
    """What one package cost. Memory is the web process's."""

    cases: int
    package_bytes: int
    archive_bytes: int
    before_bytes: int
    peak_sending_bytes: int
    peak_verifying_bytes: int
    peak_publishing_bytes: int
    sending_seconds: float
    verifying_seconds: float
    publishing_seconds: float
    looks: int  # how often the page was asked for while it was verified
    progress: list[str]  # what it said, each once

    @property
    def peak_bytes(self) -> int:
        """The most of all parts."""
        return max(self.peak_sending_bytes, self.peak_verifying_bytes, self.peak_publishing_bytes)


def make_archive(target: Path, cases: int, case_bytes: int) -> int:
    """Write a package whose cases are random bytes to be counted; returns how much it unpacks to."""
    draw = random.Random(4)  # noqa: S311 - the same bytes each time
    total = 0
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        texts = {"problem.yaml": "name: Count bytes\n", "submissions/accepted/count.py": _COUNT_BYTES}
        for name, text in texts.items():
            archive.writestr(f"{target.stem}/{name}", text)
        for number in range(cases):
            folder = "sample" if number == 0 else "secret"
            place = f"{target.stem}/data/{folder}/{number:04}"
            archive.writestr(f"{place}.in", draw.randbytes(case_bytes))
            archive.writestr(f"{place}.ans", f"{case_bytes}\n")
            total += case_bytes
    return total


def measure(url: str, password: str, folder: Path, *, cases: int, case_bytes: int) -> UploadCost:
    """Send, verify and publish such a package. Raises Refused."""
    web_pid, archive = web_process(url), folder / "count-bytes.zip"
    total = make_archive(archive, cases, case_bytes)
    visitor = Browser(url, timeout_s=_LONGEST_S)
    visitor.sign_in("instructor", password)
    visitor.get("/problems/archive/upload/")
    before = resident_bytes(web_pid)
    forget_peak(web_pid)
    start = time.monotonic()
    sending = visitor.send("/problems/archive/upload/", archive)
    if sending.status != 302:
        raise Refused(f"sending was answered with {sending.status}: {sending.words}")
    page = sending.location
    sent, peak_sending = time.monotonic(), peak_bytes(web_pid)
    looks, progress = _watch(visitor, page)
    verified, peak_verifying = time.monotonic(), peak_bytes(web_pid)
    publishing = visitor.post(f"{page}publish", {"slug": "count-bytes"})
    if publishing.status != 302:
        raise Refused(f"publishing was answered with {publishing.status}: {publishing.words}")
    published, peak_publishing = time.monotonic(), peak_bytes(web_pid)
    visitor.leave()
    return UploadCost(
        cases=cases,
        package_bytes=total,
        archive_bytes=archive.stat().st_size,
        before_bytes=before,
        peak_sending_bytes=peak_sending,
        peak_verifying_bytes=peak_verifying,
        peak_publishing_bytes=peak_publishing,
        sending_seconds=round(sent - start, 2),
        verifying_seconds=round(verified - sent, 2),
        publishing_seconds=round(published - verified, 2),
        looks=looks,
        progress=progress,
    )


def web_process(url: str) -> int:
    """The id of the process that serves this address. Raises Refused."""
    wanted = [b"web.asgi:application", str(urlsplit(url).port).encode()]
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            words = (entry / "cmdline").read_bytes().split(b"\0")
            if all(word in words for word in wanted):
                return int(entry.name)
    raise Refused("the site has no process")


def _watch(visitor: Browser, page: str) -> tuple[int, list[str]]:
    deadline = time.monotonic() + _VERIFY_S
    progress: list[str] = []
    for looks in range(1, 1_000_000):
        answer = visitor.get(f"{page}live")
        text = answer.text
        said = re.findall(r'phase-name">([^<]*)</span>\s*<span class="phase-count">([^<]*)<', text)
        progress += [line for line in (": ".join(pair) for pair in said) if line not in progress]
        if "data-events" not in text:
            if not re.search(r"Clean[.,]|Verified, with", text):
                raise Refused(f"the report is not clean: {answer.words}")
            return looks, progress
        if time.monotonic() > deadline:
            raise Refused(f"no report after {_VERIFY_S} s")
        time.sleep(0.5)
    raise AssertionError


def main() -> int:
    """Measure, print and write the report; 1 when the web process needed more than it may."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=500)
    parser.add_argument("--case-bytes", type=int, default=410 * 1024)
    reporting.add_switches(parser, "upload")
    arguments = parser.parse_args()
    machine = reporting.begin(arguments)
    with started_stack() as stack:
        password = stack.passwords["instructor"]
        cost = measure(stack.url, password, stack.folder, cases=arguments.cases, case_bytes=arguments.case_bytes)
    report = {"machine": machine, "most_web_bytes": MOST_WEB_BYTES, "peak_bytes": cost.peak_bytes, **asdict(cost)}
    reporting.write(report, arguments)
    print(json.dumps(report, indent=2))
    return 0 if cost.peak_bytes < MOST_WEB_BYTES else 1


if __name__ == "__main__":
    sys.exit(main())
