"""Write an archive's entries into a new folder, counting real bytes, whatever the archive claims.

How it works: files and folders are written first, links last, so that nothing is written through one, and only inside
the folder; `files.package_files` checks again where they really lead. One `Allowance` counts for an archive and for
one inside it.
"""

import posixpath
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

from problems.archive.reading import Entry, Kind
from problems.encodings import composed
from problems.format.files import MIB, Caps, printable
from problems.package import PackageError
from problems.translation import Sentence

_CHUNK = 256 * 1024
_LINK_BYTES = 1_000
_UNPACKING = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError, ValueError)


class Allowance:
    """The number of bytes that may still be unpacked."""

    def __init__(self, caps: Caps) -> None:
        self.caps = caps
        self.left = caps.total_bytes


def unpack(
    archive: zipfile.ZipFile, entries: list[Entry], folder: Path, allowance: Allowance, *, below: int = 0
) -> None:
    """Write the entries into the empty `folder`, without the first `below` folders of their names.

    Raises PackageError at the first entry that cannot be written.
    """
    for entry in sorted(entries, key=lambda entry: entry.kind is Kind.LINK):
        if not (inside := entry.parts[below:]):
            continue
        path = folder.joinpath(*inside)
        (path if entry.kind is Kind.FOLDER else path.parent).mkdir(parents=True, exist_ok=True)
        if entry.kind is Kind.LINK:
            path.symlink_to(_target(archive, entry, inside, allowance))
        elif entry.kind is Kind.FILE:
            with path.open("xb") as target:
                target.writelines(_chunks(archive, entry, allowance, allowance.caps.file_bytes))


def _target(archive: zipfile.ZipFile, entry: Entry, inside: tuple[str, ...], allowance: Allowance) -> str:
    try:
        target = composed(b"".join(_chunks(archive, entry, allowance, _LINK_BYTES)).decode())
    except UnicodeDecodeError:
        raise PackageError(printable(entry.name), "", Sentence("is a link whose target is not UTF-8")) from None
    if not target.isprintable() or not target or "\\" in target:
        raise PackageError(printable(entry.name), "", Sentence("is a link with an odd target"))
    leads_to = posixpath.normpath(posixpath.join(*inside[:-1], target))
    if posixpath.isabs(target) or leads_to == ".." or leads_to.startswith("../"):
        raise PackageError(printable(entry.name), "", Sentence("is a link that leads out of the package"))
    return target


def _chunks(archive: zipfile.ZipFile, entry: Entry, allowance: Allowance, most_bytes: int) -> Iterator[bytes]:
    name, size = printable(entry.name), 0
    try:
        with archive.open(entry.info) as source:
            while chunk := source.read(_CHUNK):
                size += len(chunk)
                allowance.left -= len(chunk)
                if size > most_bytes:
                    raise PackageError(name, "", Sentence("is larger than %(most)s", most=_size(most_bytes)))
                if allowance.left < 0:
                    most = _size(allowance.caps.total_bytes)
                    raise PackageError(
                        name, "", Sentence("is too much: with it, there is more than %(most)s", most=most)
                    )
                yield chunk
    except _UNPACKING as error:
        why = Sentence("is damaged in the archive (%(error)s)", error=str(error)[:100])
        raise PackageError(name, "", why) from error
    if size != entry.info.file_size:
        why = Sentence(
            "is damaged in the archive (it has %(size)s bytes and claims %(claimed)s)",
            size=size,
            claimed=entry.info.file_size,
        )
        raise PackageError(name, "", why)


def _size(size: int) -> str:
    return f"{size // MIB} MiB" if size >= MIB else f"{size} bytes"
