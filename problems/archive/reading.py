"""Read an untrusted zip as a list of entries that are safe to unpack, or all reasons why not; write these to a folder.

How it is read: the standard library reads the archive's directory, through a file that refuses to hand out more than a
directory of the largest allowed package needs. Every entry's name, kind and packing is checked before one is read. Then
the local header of each entry is read, 30 bytes and the name: entries must lie one behind the other, where the
directory says and as large. An honest archiver never lets two entries share bytes, and never tells different things in
the directory and beside the entry. Until then nothing is written.

How it is unpacked: real bytes are counted, whatever the archive claims. Files and folders are written first, links
last, so that nothing is written through one, and only inside the folder; `files.package_files` checks again where they
really lead. One `Allowance` counts for an archive and for one inside it.

Source: APPNOTE.TXT 6.3, sections 4.3.7 (local file header) and 4.4.4 (bit 3: sizes stand behind the content).
"""

import errno
import io
import os
import posixpath
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import IO, BinaryIO

from problems.archive.entrynames import EntryNames, Places, is_left_behind, parts_of, why_refused
from problems.diagnostics import Report
from problems.encodings import composed
from problems.format.files import MIB, Caps, printable
from problems.package import ARCHIVE, PackageError
from problems.translation import Sentence

_HEADER = struct.Struct("<4sHHHHHIIIHH")
_SIGNATURE = b"PK\x03\x04"
_SIZES_BEHIND = 0x8
_ELSEWHERE = 0xFFFF_FFFF  # zip64: the size stands in an extra field
_DIRECTORY_BYTES = 4 * MIB
_ENCRYPTED = 0x1 | 0x40 | 0x2000  # flag bits: encrypted, strongly encrypted, directory encrypted
_OTHER_FORMATS = {
    b"\x1f\x8b": "gzip", b"7z\xbc\xaf": "7z", b"Rar!": "rar", b"\xfd7zXZ": "xz", b"BZh": "bzip2",
    b"\x28\xb5\x2f\xfd": "zstd",
}  # fmt: skip
_DAMAGED = (
    zipfile.BadZipFile, ValueError, struct.error, NotImplementedError, OSError, OverflowError, EOFError,
)  # fmt: skip
_NO_KIND = Sentence("is neither a file nor a folder, or has a setuid bit")


class Kind(Enum):
    """The kind of an entry."""

    FILE = "file"
    FOLDER = "folder"
    LINK = "link"


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """One entry that may be unpacked; `parts` are its folders and its name."""

    parts: tuple[str, ...]
    kind: Kind
    info: zipfile.ZipInfo

    @property
    def name(self) -> str:
        return "/".join(self.parts)


class _DirectoryTooLarge(Exception):
    """The archive's list of files is larger than any package needs."""


class _BoundedReads(io.RawIOBase):
    """A file that returns at most `_DIRECTORY_BYTES` per read: a forged directory size cannot fill the memory."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def read(self, size: int | None = -1, /) -> bytes:
        most = _DIRECTORY_BYTES + 1 if size is None or size < 0 else size
        if most > _DIRECTORY_BYTES + 1:
            raise _DirectoryTooLarge
        data = self._file.read(most)
        if len(data) > _DIRECTORY_BYTES:
            raise _DirectoryTooLarge
        return data

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()

    def seekable(self) -> bool:
        return True


@contextmanager
def open_archive(file: BinaryIO, name: str) -> Iterator[zipfile.ZipFile]:
    """Open the archive for reading. Raises PackageError, blaming `name`, if it is no zip, cut off or damaged."""
    file.seek(0)
    head = file.read(512)
    if not head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        kind = next((kind for start, kind in _OTHER_FORMATS.items() if head.startswith(start)), "")
        kind = "tar" if head[257:262] == b"ustar" else kind
        why = Sentence("is no zip archive") if head else Sentence("is empty")
        if kind:
            why = Sentence("is no zip archive but %(kind)s: pack the folder as zip", kind=kind)
        raise PackageError(name, "", why)
    try:
        archive = zipfile.ZipFile(_BoundedReads(file))
    except _DirectoryTooLarge as error:
        raise PackageError(name, "", Sentence("has too many entries")) from error
    except _DAMAGED as error:
        if isinstance(error, OSError) and error.errno != errno.EINVAL:  # a seek before the beginning
            raise  # our disk
        why = Sentence("is a damaged zip archive (%(error)s)", error=str(error)[:100])
        if "not a zip file" in str(error):
            why = Sentence("is cut off or has something appended: the list of files at the end of the zip is missing")
        raise PackageError(name, "", why) from error
    with archive:
        yield archive


def read_entries(archive: zipfile.ZipFile, caps: Caps, report: Report) -> list[Entry]:
    """Return the entries that belong to a package; the report receives every objection to one."""
    infos = archive.infolist()
    if len(infos) > caps.entries:
        report.error(ARCHIVE, "", Sentence("has more than %(entries)s entries", entries=caps.entries))
        return []
    if any(info.flag_bits & _ENCRYPTED for info in infos):
        report.error(ARCHIVE, "", Sentence("is encrypted: pack it without a password"))
        return []
    names, places = EntryNames(infos), Places()
    entries = []
    for info in infos:
        if is_left_behind(_slashed(names.of(info) or "")):
            continue
        if entry := _entry(info, names, caps, places, report):
            entries.append(entry)
    total = sum(info.file_size for info in infos)
    packed = sum(info.compress_size for info in infos)
    if not report.errors and total > min(caps.total_bytes, max(caps.free_bytes, caps.ratio * packed)):
        ratio, most = caps.ratio, caps.total_bytes // MIB
        why = Sentence(
            "is the largest of an archive that would unpack to more than %(ratio)s times its own size", ratio=ratio
        )
        if total > caps.total_bytes:
            why = Sentence("is the largest of an archive that would unpack to more than %(most)s MiB", most=most)
        report.error(names.shown(max(infos, key=lambda info: info.file_size)), "", why)
    _check_layout(archive, names, report)
    return entries


def _entry(info: zipfile.ZipInfo, names: EntryNames, caps: Caps, places: Places, report: Report) -> Entry | None:
    read = names.of(info)
    if read is None:
        report.error(names.shown(info), "", Sentence("has a name that is neither UTF-8 nor CP949"))
        return None
    name = _slashed(read)
    parts = parts_of(name)
    if not parts:  # "." or "./.": the package's folder itself
        return None
    mode, has_slash = info.external_attr >> 16, name.endswith("/")
    file_type = stat.S_IFMT(mode)
    kind = None  # of devices, pipes, sockets and files with a setuid or setgid bit
    if file_type == stat.S_IFLNK:
        kind = None if has_slash else Kind.LINK
    elif file_type == stat.S_IFDIR or (has_slash and file_type in (0, stat.S_IFREG)):
        kind = Kind.FOLDER
    elif file_type in (0, stat.S_IFREG) and not mode & (stat.S_ISUID | stat.S_ISGID):
        kind = Kind.FILE
    why = why_refused(name, caps)
    if kind is None:
        why = why or _NO_KIND
    elif info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        why = why or Sentence("is packed by a method other than deflate")
    elif info.file_size > caps.file_bytes:
        why = why or Sentence("is larger than %(most)s MiB", most=caps.file_bytes // MIB)
    why = why or places.why_taken(parts, is_folder=kind is Kind.FOLDER)
    if why is not None or kind is None:
        report.error(names.shown(info), "", why or _NO_KIND)
        return None
    return Entry(parts=parts, kind=kind, info=info)


def _slashed(name: str) -> str:
    return name.replace("\\", "/")  # of Windows


def _check_layout(archive: zipfile.ZipFile, names: EntryNames, report: Report) -> None:
    """Report every entry that overlaps another one or contradicts its own local header."""
    file = archive.fp
    if file is None:
        raise ValueError("the archive is closed")
    end, before = 0, ""
    for info in sorted(archive.infolist(), key=lambda info: info.header_offset):
        name = names.shown(info)
        if 0 <= info.header_offset < end:
            report.error(name, "", Sentence("shares bytes of the archive with %(before)s", before=before))
            continue
        length = _local_length(file, info, archive.start_dir)
        if isinstance(length, Sentence):
            report.error(name, "", length)
            continue
        end, before = info.header_offset + length + info.compress_size, name
        if end > archive.start_dir:
            report.error(name, "", Sentence("is damaged: it claims bytes that are not there"))


def _local_length(file: IO[bytes], info: zipfile.ZipInfo, end: int) -> int | Sentence:
    """Return the bytes of the entry before its content, or what is wrong with them, as the rest of a sentence."""
    raw = b""
    if 0 <= info.header_offset < end:  # a forged start of the directory, or zip64, makes it anything
        file.seek(info.header_offset)
        raw = file.read(_HEADER.size)
    if len(raw) < _HEADER.size or not raw.startswith(_SIGNATURE):
        return Sentence("is damaged: it does not lie where the list of files says")
    _, _, flags, method, _, _, _, packed, size, name_length, extra_length = _HEADER.unpack(raw)
    if (flags ^ info.flag_bits) & 0x1 or method != info.compress_type:
        return Sentence("is damaged: it is packed in another way than the list of files says")
    sizes = [(packed, info.compress_size), (size, info.file_size)]
    if not flags & _SIZES_BEHIND and any(here not in (there, _ELSEWHERE) for here, there in sizes):
        return Sentence("is damaged: it has another size than the list of files says")
    return int(_HEADER.size + name_length + extra_length)


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
