"""Cache compile results by author and content, for submissions and setters' programs and all workers of a host.

How it works: one file per result below `cache/compiled`, named by a digest of the toolchain, the command line, the
limits and the sources. It is written elsewhere and renamed to its place, so that a killed writer leaves nothing here.
It ends with a check sum over its name too: what a crash of the machine left of a file counts as absent, and so does
another one's content. A hit touches its file; who adds one removes those that were not used for the longest time.
Nobody waits for anybody.

Only root can read it, no jail is ever shown it, and what is taken from it is a copy: no program of a submission gets
here. Each author has results of their own: a program that is there before it was ever sent, which its page or the time
to its verdict would tell, is one that somebody else sent.
"""

import hashlib
import json
import logging
import os
import zlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from judge.grading.languages import Language
from sandbox.types import MIB, Limits

CACHE = "cache"  # below a work root
MOST_ENTRIES = 4_000
MOST_BYTES = 512 * MIB
_MOST_PROGRAM_BYTES = 16 * MIB  # larger ones are rare, and would push out hundreds of others
_FORMAT = "2"  # another one when the files below change
_logger = logging.getLogger(__name__)
_SUM_BYTES = 4


@dataclass(frozen=True, kw_only=True, slots=True)
class KeptResult:
    """A reproducible compile result: the compiler's messages, and the program if it made one."""

    is_ok: bool
    message: str
    program: bytes | memoryview = b""


def key_of(
    language: Language, files: Mapping[str, bytes], units: tuple[str, ...], limits: Limits, author: int = 0
) -> str:
    """Return the result's key, over everything that it depends on and its author. Raises ToolchainMissing."""
    command = (*language.compile_argv(units), *language.fast_link_flags())
    return key_of_parts([f"author {author}", language.fingerprint(), repr(limits), *command], files)


def key_of_parts(parts: Sequence[str], files: Mapping[str, bytes]) -> str:
    """Return a key for a result made from the files; `parts` are all its other dependencies."""
    digest = hashlib.sha256()
    for part in (_FORMAT, *parts):
        digest.update(f"{len(part)}:{part}".encode())
    for name, content in sorted(files.items()):
        digest.update(f"{len(name)}:{name}:{len(content)}:".encode())
        digest.update(content)
    return digest.hexdigest()


def look_up(cache: Path, key: str) -> KeptResult | None:
    """Return the cached result, or None."""
    path = _room(cache) / key
    try:
        content = path.read_bytes()
        os.utime(path)  # the longest unused goes first
    except OSError:  # not there, or not to be had: it is only a cache
        return None
    body = memoryview(content)[:-_SUM_BYTES]  # no copy: some programs have 10 MiB
    if len(content) <= _SUM_BYTES or _sum(body, key) != content[-_SUM_BYTES:]:
        path.unlink(missing_ok=True)
        return None
    start = content.index(b"\n") + 1
    end = start + int(content[: start - 1])
    head = json.loads(content[start:end])
    return KeptResult(is_ok=head["is_ok"], message=head["message"], program=body[end:])


def keep(cache: Path, key: str, result: KeptResult, folder: Path) -> None:
    """Cache a result, written first in `folder`: the caller's own, on the cache's file system.

    Where this fails nothing is lost but time.
    """
    if len(result.program) > _MOST_PROGRAM_BYTES:
        return
    room, new = _room(cache), folder / "kept"
    head = json.dumps({"is_ok": result.is_ok, "message": result.message}).encode()
    content = b"%d\n%s%s" % (len(head), head, result.program)
    try:
        cache.mkdir(exist_ok=True, mode=0o711)
        room.mkdir(exist_ok=True, mode=0o700)
        new.touch(mode=0o600, exist_ok=False)
        new.write_bytes(content + _sum(content, key))
        new.replace(room / key)
        make_room(room)
    except OSError as error:
        new.unlink(missing_ok=True)
        _logger.warning("a compile result could not be kept: %s", error)


def _room(cache: Path) -> Path:
    return cache / "compiled"


def _sum(content: bytes | memoryview, key: str) -> bytes:
    return zlib.crc32(content, zlib.crc32(key.encode())).to_bytes(_SUM_BYTES)


def make_room(room: Path) -> None:
    """Remove the least recently used entries until the rest is within both bounds."""
    entries = []
    for entry in os.scandir(room):
        with suppress(FileNotFoundError):  # another worker removed it just now
            status = entry.stat()
            entries.append((status.st_mtime_ns, status.st_size, entry.path))
    used = 0
    for position, (_, size, path) in enumerate(sorted(entries, reverse=True)):
        used += size
        if position >= MOST_ENTRIES or used > MOST_BYTES:
            Path(path).unlink(missing_ok=True)
