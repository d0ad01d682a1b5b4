"""A package of many cases costs the web process little memory.

How it works: an instructor signs in and sends a package of many cases of random bytes, which no packing makes smaller,
in one form as a browser does; its page is asked for until the report is there, then it is published. The memory is that
of the web process as the kernel keeps it: VmRSS before, and VmHWM, set back before.
"""

import random
import re
import time
import zipfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from bench.load.browser import Browser, Refused
from bench.load.stack import Stack
from tests.processes import forget_peak, peak_bytes, resident_bytes

MIB = 1024 * 1024
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


def test_large_package_goes_through_a_small_web_process(site: Stack, tmp_path: Path) -> None:
    cost = measure(site.url, site.passwords["instructor"], tmp_path, cases=12, case_bytes=4 * MIB)
    assert cost.archive_bytes > 48 * MIB
    assert cost.peak_bytes < 150 * MIB
    assert cost.peak_bytes - cost.before_bytes < cost.archive_bytes / 2
    assert cost.progress
