"""Archive bombs, and what staging one costs.

How it works: each archive is made on disk and staged in a process of its own, as an upload is. Its peak memory is the
kernel's (VmHWM of /proc/self/status, set back before it began, less what the process had then); the most that lay in
the staging folder is looked up by a thread every few milliseconds. A bomb of 10 GiB real is made of zeros: deflate's
best is 1030 to 1, so 10 MiB hold them; the one with forged sizes claims next to nothing for each of them.
"""

import io
import json
import struct
import subprocess
import sys
import threading
import time
import zipfile
import zlib
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from string import ascii_lowercase

from problems.archive.upload import staged_package
from problems.format.files import MIB
from problems.package import PackageErrors
from tests.processes import forget_peak, peak_bytes

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
    command = [sys.executable, "-m", "tests.problems.archive.bombs", str(archive), str(stage)]
    asked = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    return Cost(**json.loads(asked.stdout))


if __name__ == "__main__":
    print(json.dumps(asdict(measure(*map(Path, sys.argv[1:])))))
