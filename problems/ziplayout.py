"""Check that a zip's entries lie one behind the other, where its directory says and as large.

How it works: of each entry the local header is read, 30 bytes and the name; no content. An honest archiver never lets
two entries share bytes, and never tells different things in the directory and beside the entry.

Source: APPNOTE.TXT 6.3, sections 4.3.7 (local file header) and 4.4.4 (bit 3: sizes stand behind the content).
"""

import struct
import zipfile
from typing import IO

from problems.files import printable
from problems.report import Report

_HEADER = struct.Struct("<4sHHHHHIIIHH")
_SIGNATURE = b"PK\x03\x04"
_SIZES_BEHIND = 0x8
_ELSEWHERE = 0xFFFF_FFFF  # zip64: the size stands in an extra field


def check_layout(archive: zipfile.ZipFile, report: Report) -> None:
    """Report every entry that overlaps another one or contradicts its own local header."""
    file = archive.fp
    if file is None:
        raise ValueError("the archive is closed")
    end, before = 0, ""
    for info in sorted(archive.infolist(), key=lambda info: info.header_offset):
        name = printable(info.orig_filename) or "an entry"
        if 0 <= info.header_offset < end:
            report.error(name, "", f"shares bytes of the archive with {before}")
            continue
        length = _local_length(file, info, archive.start_dir)
        if isinstance(length, str):
            report.error(name, "", length)
            continue
        end, before = info.header_offset + length + info.compress_size, name
        if end > archive.start_dir:
            report.error(name, "", "is damaged: it claims bytes that are not there")


def _local_length(file: IO[bytes], info: zipfile.ZipInfo, end: int) -> int | str:
    """Return the bytes of the entry before its content, or what is wrong with them, as the rest of a sentence."""
    raw = b""
    if 0 <= info.header_offset < end:  # a forged start of the directory, or zip64, makes it anything
        file.seek(info.header_offset)
        raw = file.read(_HEADER.size)
    if len(raw) < _HEADER.size or not raw.startswith(_SIGNATURE):
        return "is damaged: it does not lie where the list of files says"
    _, _, flags, method, _, _, _, packed, size, name_length, extra_length = _HEADER.unpack(raw)
    if (flags ^ info.flag_bits) & 0x1 or method != info.compress_type:
        return "is damaged: it is packed in another way than the list of files says"
    told = [(packed, info.compress_size), (size, info.file_size)]
    if not flags & _SIZES_BEHIND and any(here not in (there, _ELSEWHERE) for here, there in told):
        return "is damaged: it has another size than the list of files says"
    return int(_HEADER.size + name_length + extra_length)
