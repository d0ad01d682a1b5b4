"""Export a package version as a zip, piece by piece and always with the same bytes.

How it works: entries are sorted and lie in one folder of the package's short name; times are fixed, nothing says who
made it or where. A file that begins with `#!`, and a script called `build` or `run`, may be executed, since the store
keeps no such bits. Unpacked again, the archive has the digest of the version, unless settings were chosen for it
(`problems.editing.editing`) or it has names in Unicode's decomposed form, which were kept before `problems.archive`
composed them.
"""

import io
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

from problems.format.files import checked_files
from problems.package import Package

_CHUNK = 256 * 1024
_TIME = (1980, 1, 1, 0, 0, 0)  # the first that a zip can say
_FILE, _SCRIPT = 0o100644, 0o100755
_SCRIPTS = frozenset({"build", "run"})
_UNIX = 3


def zip_chunks(package: Package) -> Iterator[bytes]:
    """Yield the package's archive in pieces of at most about 256 KiB. Raises PackageErrors before the first one."""
    yield from zip_files(package.short_name, checked_files(package.path))


def zip_files(short_name: str, files: Mapping[str, Path]) -> Iterator[bytes]:
    """Like `zip_chunks`, for files by their names in the package, anywhere on disk."""
    sink = _Sink()
    with zipfile.ZipFile(sink, "w") as archive:
        for name, path in files.items():
            info = zipfile.ZipInfo(f"{short_name}/{name}", _TIME)
            info.create_system, info.compress_type = _UNIX, zipfile.ZIP_DEFLATED
            with path.open("rb") as file:
                is_script = file.read(2) == b"#!" or PurePosixPath(name).name in _SCRIPTS
                info.external_attr = (_SCRIPT if is_script else _FILE) << 16
                file.seek(0)
                with archive.open(info, "w") as entry:
                    while chunk := file.read(_CHUNK):
                        entry.write(chunk)
                        yield from sink.take()
    yield from sink.take()


class _Sink(io.RawIOBase):
    """The zip's target: it cannot seek, so sizes follow the contents; `take` empties it."""

    def __init__(self) -> None:
        self._chunks: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, data: object, /) -> int:
        chunk = bytes(data)  # type: ignore[call-overload]
        self._chunks.append(chunk)
        return len(chunk)

    def take(self) -> list[bytes]:
        chunks, self._chunks = self._chunks, []
        return chunks
