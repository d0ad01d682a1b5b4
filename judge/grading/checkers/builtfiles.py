"""Unpack the result of a `build` script, an untrusted archive from its jail that root reads here.

How it works: tar writes the plain format of 1988 (ustar), and nothing else is read: no extensions, no sparse files, no
hard links. Each entry is checked before anything is written: its parent must be a folder of the archive, its name must
be new, and a link must be relative and stay inside. Links are made last, so nothing here ever follows one.

Source: "ustar Interchange Format" in POSIX pax(1).
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from judge.grading.compiling.compilation import make_folder

PACK = "tar --format=ustar --hard-dereference --numeric-owner --owner=0 --group=0"
_MOST_ENTRIES = 4_000
_BLOCK = 512
_FILE, _FOLDER, _LINK = b"0", b"5", b"2"
_MAGIC = slice(257, 262)
Parts = tuple[str, ...]  # of a name below the program's folder; none: that folder itself


class BadArchiveError(Exception):
    """Our tar would not make such an archive of a folder: the package's fault."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Entry:
    parts: Parts
    kind: bytes
    mode: int
    target: str  # of a link
    content: memoryview


def unpack(archive: bytes, program: Path) -> None:
    """Create the archive's files, folders and links in the new folder `program`. Raises BadArchiveError, OSError."""
    entries = _checked(archive)
    make_folder(program)
    for entry in entries:
        path = program.joinpath(*entry.parts)
        if entry.kind == _FOLDER and entry.parts:
            make_folder(path)
        elif entry.kind == _FILE:
            with path.open("xb") as file:
                file.write(entry.content)
            path.chmod(0o755 if entry.mode & 0o100 else 0o644)
    for entry in entries:
        if entry.kind == _LINK:
            program.joinpath(*entry.parts).symlink_to(entry.target)


def _checked(archive: bytes) -> list[_Entry]:
    """Return the entries after checking that none leads out of the folder and no parent is a link."""
    kinds: dict[Parts, bytes] = {(): _FOLDER}
    entries = []
    for entry in _entries(archive):
        if entry.parts in kinds and entry.parts:
            raise BadArchiveError(f"{_shown(entry)} is there twice")
        if kinds.get(entry.parts[:-1]) != _FOLDER:
            raise BadArchiveError(f"{_shown(entry)} does not lie in a folder of the archive")
        if entry.parts == () and entry.kind != _FOLDER:
            raise BadArchiveError("the program's folder is no folder")
        if entry.kind == _LINK and not _stays_inside(entry):
            raise BadArchiveError(f"the link {_shown(entry)} leads out of the program's folder")
        kinds[entry.parts] = entry.kind
        entries.append(entry)
        if len(entries) > _MOST_ENTRIES:
            raise BadArchiveError(f"it has more than {_MOST_ENTRIES:,} files")
    return entries


def _entries(archive: bytes) -> Iterator[_Entry]:
    rest = memoryview(archive)
    while len(rest) >= _BLOCK and any(rest[:_BLOCK]):
        header = bytes(rest[:_BLOCK])
        kind = header[156:157].replace(b"\0", _FILE)
        if header[_MAGIC] != b"ustar" or kind not in (_FILE, _FOLDER, _LINK):
            raise BadArchiveError("it holds something besides files, folders and links")
        size = _number(header[124:136]) if kind == _FILE else 0
        end = _BLOCK + size
        if end > len(rest):
            raise BadArchiveError("it is cut short")
        name = "/".join(text for text in (_text(header[345:500]), _text(header[:100])) if text)
        yield _Entry(
            parts=_parts(name),
            kind=kind,
            mode=_number(header[100:108]),
            target=_text(header[157:257]),
            content=rest[_BLOCK:end],
        )
        rest = rest[-(-end // _BLOCK) * _BLOCK :]


def _number(field: bytes) -> int:
    digits = field.rstrip(b" \0")
    if not digits.isdigit() or set(digits) & set(b"89"):
        raise BadArchiveError("it has a size or mode that is no octal number")
    return int(digits, 8)


def _text(field: bytes) -> str:
    return os.fsdecode(field.partition(b"\0")[0])


def _parts(name: str) -> Parts:
    parts = tuple(part for part in name.split("/") if part not in ("", "."))
    if name.startswith("/") or ".." in parts:
        raise BadArchiveError(f"{name[:80]!r} leads out of the program's folder")
    return parts


def _stays_inside(link: _Entry) -> bool:
    """Return whether the link's target lies in the program's folder, whatever other links it passes."""
    ups = [part == ".." for part in link.target.split("/") if part not in ("", ".")]
    climbs = sum(ups) if ups == sorted(ups, reverse=True) else len(link.parts)  # after a name it may leave another link
    return link.target != "" and not link.target.startswith("/") and climbs < len(link.parts)


def _shown(entry: _Entry) -> str:
    return repr("/".join(entry.parts)[:80])
