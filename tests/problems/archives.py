"""Zip archives for the tests, honest and hostile: entries are written exactly as told."""

import io
import stat
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass

FILE = stat.S_IFREG | 0o644
LINK = stat.S_IFLNK | 0o777


@dataclass(frozen=True)
class Raw:
    """One entry: its name as it stands in the archive, content, Unix mode (0: none given) and packing."""

    name: str
    content: bytes = b"x"
    mode: int = FILE
    method: int = zipfile.ZIP_DEFLATED


def zipped(files: dict[str, str], extra: Iterable[Raw] = ()) -> bytes:
    """An archive of these files, followed by the extra entries."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
        for entry in extra:
            info = zipfile.ZipInfo("x")
            info.filename = entry.name  # not through ZipInfo(), which tidies names up
            info.compress_type = entry.method
            info.external_attr = entry.mode << 16
            archive.writestr(info, entry.content)
    return buffer.getvalue()


def zipped_raw(files: dict[bytes, bytes]) -> bytes:
    """An archive of these files whose names stand in it as these bytes, without the flag of UTF-8."""
    stand_ins = {name: f"{number:03}".encode().ljust(len(name), b"~") for number, name in enumerate(files)}
    data = zipped({}, [Raw(stand_in.decode(), files[name]) for name, stand_in in stand_ins.items()])
    for name, stand_in in stand_ins.items():
        assert (len(name), data.count(stand_in)) == (len(stand_in), 2), "in the directory and beside the entry"
        data = data.replace(stand_in, name)
    return data


def with_claimed_size(data: bytes, size: int) -> bytes:
    """The archive with this unpacked size claimed for its last entry, in the directory and beside the entry."""
    forged = bytearray(data)
    entry, directory = forged.rfind(b"PK\x03\x04"), forged.rfind(b"PK\x01\x02")
    forged[entry + 22 : entry + 26] = forged[directory + 24 : directory + 28] = size.to_bytes(4, "little")
    return bytes(forged)


def with_encryption_flag(data: bytes) -> bytes:
    """The archive with its first entry said to be encrypted."""
    forged = bytearray(data)
    directory = forged.find(b"PK\x01\x02")
    forged[6] |= 1
    forged[directory + 8] |= 1
    return bytes(forged)
