"""Measure what refusing an archive bomb costs: `python -m bench.archives` writes bench/reports/archives.json and .txt.

How it works: each archive is made on disk and staged in a process of its own, as an upload is. Its peak memory is the
kernel's (VmHWM of /proc/self/status, set back before it began, less what the process had then); the most that lay in
the staging folder is looked up by a thread every few milliseconds. A bomb of 10 GiB real is made of zeros: deflate's
best is 1030 to 1, so 10 MiB hold them; the one with forged sizes claims next to nothing for each of them.
"""

import argparse
import io
import json
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from string import ascii_lowercase

from bench import reporting
from bench.load.memory import forget_peak, peak_bytes
from bench.machine import in_words
from problems.archive.upload import staged_package
from problems.format.files import MIB
from problems.package import PackageErrors

_GIB = 1024 * MIB
_PACKAGE = {
    "problem.yaml": b"name: Bomb\n",
    "data/secret/1.in": b"1\n",
    "data/secret/1.ans": b"1\n",
}
_LOOK_S = 0.003


@dataclass(frozen=True, kw_only=True, slots=True)
class Cost:
    """What one archive cost. `refusal` is the message to its uploader; "" when it was accepted."""

    name: str
    archive_bytes: int
    refusal: str
    seconds: float
    peak_memory_bytes: int  # beyond what the process had before
    peak_disk_bytes: int
    left_behind_bytes: int


def bomb(parts: int, part_bytes: int, *, claimed: int | None = None) -> bytes:
    """A package with zeros in many entries; `claimed` is the size that each says it has (None: the truth)."""
    stream = _packed_zeros(part_bytes)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in _PACKAGE.items():
            archive.writestr(name, content)
    return _with_entries(
        buffer.getvalue(), [f"data/secret/z{n}.in" for n in range(parts)], stream, claimed or part_bytes
    )


@cache
def _packed_zeros(size: int) -> tuple[bytes, int]:
    """Zeros, deflated, and their checksum."""
    packer, crc, packed = zlib.compressobj(9, zlib.DEFLATED, -15), 0, []
    block = bytes(MIB)
    for _ in range(size // MIB):
        packed.append(packer.compress(block))
        crc = zlib.crc32(block, crc)
    packed.append(packer.flush())
    return b"".join(packed), crc


def _with_entries(archive: bytes, names: list[str], stream: tuple[bytes, int], size: int) -> bytes:
    """The archive with one more entry of this stream for each name, written by hand."""
    packed, crc = stream
    end = archive.rfind(b"PK\x05\x06")
    count, directory_bytes, start = struct.unpack("<HII", archive[end + 10 : end + 20])
    directory, body = [archive[start : start + directory_bytes]], [archive[:start]]
    offset = start
    for name in names:
        fields = struct.pack("<HHHHHIIIHH", 20, 0, 8, 0, 33, crc, len(packed), size, len(name), 0)
        local = b"PK\x03\x04" + fields + name.encode()
        body += [local, packed]
        tail = struct.pack("<HHHII", 0, 0, 0, 0o100644 << 16, offset)
        directory.append(b"PK\x01\x02" + struct.pack("<H", 0x314) + fields + tail + name.encode())
        offset += len(local) + len(packed)
    listed = b"".join(directory)
    total = count + len(names)
    closing = b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, total, total, len(listed), offset, 0)
    return b"".join([*body, listed, closing])


def overlapping(count: int, part_bytes: int) -> bytes:
    """Many entries of the directory that all stand for the same bytes."""
    archive = bomb(1, part_bytes)
    end = archive.rfind(b"PK\x05\x06")
    total, directory_bytes, start = struct.unpack("<HII", archive[end + 10 : end + 20])
    directory = archive[start : start + directory_bytes]
    last = directory[directory.rfind(b"PK\x01\x02") :]
    names = [a + b for a in ascii_lowercase for b in ascii_lowercase][:count]
    copies = b"".join(last.replace(b"/z0.in", f"/{name}.in".encode()) for name in names)
    closing = b"PK\x05\x06" + struct.pack(
        "<HHHHIIH", 0, 0, total + count, total + count, len(directory) + len(copies), start, 0
    )
    return archive[:start] + directory + copies + closing


def many_entries(count: int) -> bytes:
    """A package with this many empty files."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in (*_PACKAGE, *(f"data/secret/x{n}.in" for n in range(count))):
            archive.writestr(name, _PACKAGE.get(name, b""))
    return buffer.getvalue()


def nested(parts: int, part_bytes: int) -> bytes:
    """A DMOJ archive whose inner archive is a bomb."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("init.yml", "archive: tests.zip\n")
        archive.writestr("tests.zip", bomb(parts, part_bytes))
    return buffer.getvalue()


_BOMBS: dict[str, Callable[[], bytes]] = {
    "10 GiB declared, 80 MiB real": lambda: bomb(20, 4 * MIB, claimed=_GIB // 2),
    "10 GiB real, told": lambda: bomb(20, _GIB // 2),
    "10 GiB real, each of 5 MiB told": lambda: bomb(20, _GIB // 2, claimed=5 * MIB),
    "10 GiB real in one archive of DMOJ": lambda: nested(20, _GIB // 2),
    "256 MiB of zeros in 256 KiB": lambda: bomb(1, 256 * MIB),
    "900 MiB of zeros": lambda: bomb(3, 300 * MIB),
    "100 entries that share the same MiB": lambda: overlapping(100, MIB),
    "100,000 entries": lambda: many_entries(100_000),
    "59,000 entries": lambda: many_entries(59_000),
    "honest, 90 MiB": lambda: bomb(1, 90 * MIB),
}


def measure(archive: Path, root: Path) -> Cost:
    """Stage the archive here and now; the process should do nothing else before or after."""
    watch = _Watch(root)
    forget_peak()
    before = peak_bytes()
    start = time.perf_counter()
    refusal = ""
    with watch:
        try:
            with staged_package(archive, staging_root=root):
                pass
        except PackageErrors as errors:
            refusal = str(errors.errors[0])
    seconds = time.perf_counter() - start
    return Cost(
        name=archive.name,
        archive_bytes=archive.stat().st_size,
        refusal=refusal,
        seconds=round(seconds, 3),
        peak_memory_bytes=peak_bytes() - before,
        peak_disk_bytes=watch.most,
        left_behind_bytes=_bytes_below(root),
    )


class _Watch:
    """Looks how much lies below a folder, again and again, in a thread."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._look)
        self.most = 0

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._done.wait(_LOOK_S):
            self.most = max(self.most, _bytes_below(self._root))


def _bytes_below(root: Path) -> int:
    total = 0
    for path in root.rglob("*"):
        try:
            total += path.lstat().st_blocks * 512 if path.is_file() else 0
        except OSError:  # just removed
            continue
    return total


def measure_apart(content: bytes, folder: Path, name: str = "bomb.zip") -> Cost:
    """Stage the archive in a process of its own and return what that cost."""
    archive, stage = folder / name, folder / "stage"
    stage.mkdir(exist_ok=True)
    archive.write_bytes(content)
    command = [sys.executable, "-m", "bench.archives", "--one", str(archive), "--stage", str(stage)]
    asked = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    return Cost(**json.loads(asked.stdout))


def _report(costs: list[Cost]) -> str:
    lines = [f"{'archive':44} {'zip':>9} {'time':>8} {'memory':>9} {'disk':>9}  what the uploader reads"]
    for cost in costs:
        sizes = (f"{size / MIB:.1f} MiB" for size in (cost.archive_bytes, cost.peak_memory_bytes, cost.peak_disk_bytes))
        packed, memory, disk = sizes
        told = cost.refusal or "(taken)"
        lines.append(f"{cost.name:44} {packed:>9} {cost.seconds:>6.2f} s {memory:>9} {disk:>9}  {told}")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--one", type=Path, help="stage this archive here and print what it cost")
    parser.add_argument("--stage", type=Path, help="the staging folder for --one")
    reporting.add_switches(parser, "archives")
    arguments = parser.parse_args()
    if arguments.one:
        print(json.dumps(asdict(measure(arguments.one, arguments.stage))))
        return
    machine, costs = reporting.begin(arguments), []
    folder = Path(tempfile.mkdtemp(prefix="tally-bombs-"))
    try:
        for name, make in _BOMBS.items():
            cost = measure_apart(make(), folder)
            costs.append(Cost(**{**asdict(cost), "name": name}))
    finally:
        shutil.rmtree(folder)
    text = f"{in_words(machine)}\n\n{_report(costs)}\n"
    report = {"machine": machine, "archives": [asdict(cost) for cost in costs]}
    if reporting.write(report, arguments):
        arguments.report.with_suffix(".txt").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
