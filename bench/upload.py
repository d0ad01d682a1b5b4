"""What a large package costs the site: `python -m bench.upload` measures and writes bench/reports/upload.json.

How it works: the whole of Tally is started in folders of its own. An instructor signs in and sends a package of many
cases of random bytes, which no packing makes smaller, in one form as a browser does; its page is asked for until the
report is there, then it is published. The memory is that of the web process as the kernel keeps it: VmRSS before, and
VmHWM, set back before, after each part.
"""

import argparse
import http.client
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from http.cookies import SimpleCookie
from pathlib import Path
from typing import IO
from urllib.parse import urlencode, urlsplit

from bench.machine import describe

MIB = 1024 * 1024
MOST_WEB_BYTES = 150 * MIB
_ROOT = Path(__file__).resolve().parents[1]
_REPORT = Path(__file__).with_name("reports") / "upload.json"
_BOUNDARY = "tally-bench-upload"
_START_S, _VERIFY_S = 120, 900
_COUNT_BYTES = "import sys\nprint(len(sys.stdin.buffer.read()))\n"


class UploadFailed(Exception):
    """The site did not do what it should."""


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


class Visitor:
    """Somebody with cookies."""

    def __init__(self, url: str) -> None:
        self._address = urlsplit(url).netloc
        self._cookies: SimpleCookie = SimpleCookie()

    def get(self, path: str) -> tuple[int, str, str]:
        """Status, text and where it leads."""
        return self._ask("GET", path, None, {})

    def post(self, path: str, fields: dict[str, str]) -> tuple[int, str, str]:
        """The same for a form."""
        body = urlencode({"csrfmiddlewaretoken": self._token(), **fields}).encode()
        return self._ask("POST", path, body, {"Content-Type": "application/x-www-form-urlencoded"})

    def send(self, path: str, archive: Path) -> tuple[int, str, str]:
        """The same for a form with a file, streamed from the disk."""
        head = (
            f'--{_BOUNDARY}\r\nContent-Disposition: form-data; name="csrfmiddlewaretoken"\r\n\r\n{self._token()}\r\n'
            f'--{_BOUNDARY}\r\nContent-Disposition: form-data; name="archive"; filename="{archive.name}"\r\n'
            "Content-Type: application/zip\r\n\r\n"
        ).encode()
        tail = f"\r\n--{_BOUNDARY}--\r\n".encode()

        def pieces(file: IO[bytes]) -> Iterator[bytes]:
            yield head
            while chunk := file.read(MIB):
                yield chunk
            yield tail

        headers = {
            "Content-Type": f"multipart/form-data; boundary={_BOUNDARY}",
            "Content-Length": str(len(head) + archive.stat().st_size + len(tail)),
        }
        with archive.open("rb") as file:
            return self._ask("POST", path, pieces(file), headers)

    def sign_in(self, name: str, password: str) -> None:
        """Raises UploadFailed."""
        self.get("/login/")
        status, _, _ = self.post("/login/", {"username": name, "password": password})
        if status != 302:
            raise UploadFailed(f"signing in was answered with {status}")

    def _token(self) -> str:
        return self._cookies["csrftoken"].value

    def _ask(
        self, method: str, path: str, body: bytes | Iterator[bytes] | None, headers: dict[str, str]
    ) -> tuple[int, str, str]:
        connection = http.client.HTTPConnection(self._address, timeout=300)
        cookies = "; ".join(f"{name}={morsel.value}" for name, morsel in self._cookies.items())
        try:
            connection.request(method, path, body, {"Cookie": cookies, **headers})
            answer = connection.getresponse()
            for line in answer.headers.get_all("Set-Cookie", []):
                self._cookies.load(line)
            return answer.status, answer.read().decode(), answer.headers.get("Location", "")
        finally:
            connection.close()


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
    """Send, verify and publish such a package. Raises UploadFailed."""
    web_pid, archive = web_process(url), folder / "count-bytes.zip"
    total = make_archive(archive, cases, case_bytes)
    visitor = Visitor(url)
    visitor.sign_in("instructor", password)
    visitor.get("/problems/upload/")
    before = _memory(web_pid, "VmRSS")
    _set_peak_back(web_pid)
    start = time.monotonic()
    status, text, page = visitor.send("/problems/upload/", archive)
    if status != 302:
        raise UploadFailed(f"sending was answered with {status}: {_note(text)}")
    sent, peak_sending = time.monotonic(), _memory(web_pid, "VmHWM")
    looks, progress = _watch(visitor, page)
    verified, peak_verifying = time.monotonic(), _memory(web_pid, "VmHWM")
    status, text, _ = visitor.post(f"{page}publish", {"slug": "count-bytes"})
    if status != 302:
        raise UploadFailed(f"publishing was answered with {status}: {_note(text)}")
    return UploadCost(
        cases=cases,
        package_bytes=total,
        archive_bytes=archive.stat().st_size,
        before_bytes=before,
        peak_sending_bytes=peak_sending,
        peak_verifying_bytes=peak_verifying,
        peak_publishing_bytes=_memory(web_pid, "VmHWM"),
        sending_seconds=round(sent - start, 2),
        verifying_seconds=round(verified - sent, 2),
        publishing_seconds=round(time.monotonic() - verified, 2),
        looks=looks,
        progress=progress,
    )


def web_process(url: str) -> int:
    """The id of the process that serves this address. Raises UploadFailed."""
    wanted = [b"web.asgi:application", str(urlsplit(url).port).encode()]
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            words = (entry / "cmdline").read_bytes().split(b"\0")
            if all(word in words for word in wanted):
                return int(entry.name)
    raise UploadFailed("the site has no process")


def _watch(visitor: Visitor, page: str) -> tuple[int, list[str]]:
    deadline = time.monotonic() + _VERIFY_S
    progress: list[str] = []
    for looks in range(1, 1_000_000):
        _, text, _ = visitor.get(f"{page}live")
        said = re.findall(r'phase-name">([^<]*)</span>\s*<span class="phase-count">([^<]*)<', text)
        progress += [line for line in (": ".join(pair) for pair in said) if line not in progress]
        if "data-events" not in text:
            if not re.search(r"Clean[.,]", text):
                raise UploadFailed(f"the report is not clean: {_note(text)}")
            return looks, progress
        if time.monotonic() > deadline:
            raise UploadFailed(f"no report after {_VERIFY_S} s")
        time.sleep(0.5)
    raise AssertionError


def _note(text: str) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", text).split())[:1_000]


def _memory(pid: int, key: str) -> int:
    found = re.search(rf"^{key}:\s+(\d+) kB$", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
    assert found
    return int(found[1]) * 1024


def _set_peak_back(pid: int) -> None:
    Path(f"/proc/{pid}/clear_refs").write_text("5")  # proc(5): the peak becomes what is resident now


@contextmanager
def _running(folder: Path) -> Iterator[tuple[str, str]]:
    """The whole of Tally: its address and the instructor's password."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    ours = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "REDIS_URL")}
    own = {f"TALLY_{name.upper()}_DIR": str(folder / name) for name in ("var", "work", "store")}
    own |= {"TALLY_PORT": str(port), "TALLY_DEMO_ACCOUNTS": "1", "PYTHONUNBUFFERED": "1"}
    with (folder / "log").open("wb") as log:
        stack = subprocess.Popen([sys.executable, "-m", "web.stack"], cwd=_ROOT, env=ours | own, stdout=log)
        try:
            deadline = time.monotonic() + _START_S
            while not (found := re.search(r"name instructor\s+password (\S+)", (folder / "log").read_text())):
                if stack.poll() is not None or time.monotonic() > deadline:
                    raise UploadFailed(f"Tally did not start: {(folder / 'log').read_text()}")
                time.sleep(0.2)
            yield f"http://127.0.0.1:{port}", found[1]
        finally:
            stack.send_signal(signal.SIGTERM)
            stack.wait(60)


def main() -> int:
    """Measure, print and write the report; 1 when the web process needed more than it may."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=500)
    parser.add_argument("--case-bytes", type=int, default=410 * 1024)
    arguments = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="tally-upload-", dir="/var/tmp"))
    folder.chmod(0o755)
    try:
        with _running(folder) as (url, password):
            cost = measure(url, password, folder, cases=arguments.cases, case_bytes=arguments.case_bytes)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    report = {"machine": describe(), "most_web_bytes": MOST_WEB_BYTES, "peak_bytes": cost.peak_bytes, **asdict(cost)}
    _REPORT.write_text(json.dumps(report, indent=2) + "\n")
    print(json.dumps(report, indent=2))
    return 0 if cost.peak_bytes < MOST_WEB_BYTES else 1


if __name__ == "__main__":
    sys.exit(main())
