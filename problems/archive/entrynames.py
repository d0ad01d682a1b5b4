"""Read and check the names of archive entries: relative, plain, and distinct on every file system.

How they are read: an entry whose name is UTF-8 says so in bit 11 of its flags (APPNOTE.TXT 6.3, appendix D). Without
the bit the standard means code page 437, which hardly any archiver of today keeps to: Korean Windows writes CP949, and
macOS UTF-8. `zipfile` reads such a name as code page 437, which has a character for each byte, so nothing is lost.
macOS decomposes Hangul and accented letters; composed (NFC) they are the names that people type.
"""

import re
import unicodedata
import zipfile
from collections.abc import Iterable

from problems.encodings import composed, decode_names
from problems.format.files import Caps, is_left_out, printable
from problems.names import why_no_file_name
from problems.translation import Sentence

_IS_UTF8 = 0x800

_DRIVE = re.compile(r"[A-Za-z]:")
_MARKS = frozenset(" _-.#+,()[]{}@=~!%&'^")
_DEVICE = re.compile(r"(CON|PRN|AUX|NUL|CONIN|CONOUT|COM[0-9¹²³]|LPT[0-9¹²³])\$?", re.IGNORECASE)
_PART_BYTES = 255
_NAME_BYTES = 1_000


class EntryNames:
    """The names of an archive's entries, as they were meant."""

    def __init__(self, infos: Iterable[zipfile.ZipInfo]) -> None:
        self._raw = {info: info.orig_filename.encode("cp437") for info in infos if not info.flag_bits & _IS_UTF8}
        self._decoded = dict(zip(self._raw, decode_names([*self._raw.values()]), strict=True))

    def of(self, info: zipfile.ZipInfo) -> str | None:
        """Return the entry's name, composed; None if it is in no encoding that Tally knows."""
        name = self._decoded.get(info, info.orig_filename)
        return None if name is None else composed(name)

    def shown(self, info: zipfile.ZipInfo) -> str:
        """Return the name for people; that of no known encoding with a number for each odd byte."""
        name = self.of(info)
        name = self._raw[info].decode("ascii", "backslashreplace") if name is None else name
        return printable(name) or Sentence("an entry")


def parts_of(name: str) -> tuple[str, ...]:
    """Split an entry's name into folders and file, without "." and without a folder's final slash."""
    return tuple(part for part in name.removesuffix("/").split("/") if part != ".")


def is_left_behind(name: str) -> bool:
    """Return whether an entry is of no interest, whatever its name: it, or a folder around it, is no part of a package.

    False for what leads elsewhere, which is refused.
    """
    parts = parts_of(name)
    leads_elsewhere = not {"", ".."}.isdisjoint(parts) or _DRIVE.match(name)
    return not leads_elsewhere and any(map(is_left_out, parts))


def why_refused(name: str, caps: Caps) -> Sentence | None:
    """Return why an entry may not have this name, as the rest of a sentence; None if it may."""
    if why := why_no_file_name(name):
        return Sentence("has a name that %(why)s", why=why)
    if "\\" in name:
        return Sentence("has a backslash in its name")
    if name.startswith("/"):
        return Sentence("has an absolute name")
    if _DRIVE.match(name):
        return Sentence("begins with a drive letter")
    if len(name.encode()) > _NAME_BYTES:
        return Sentence("has a name of more than %(most)s bytes", most=_NAME_BYTES)
    parts = parts_of(name)
    if len(parts) > caps.depth:
        return Sentence("lies more than %(depth)s folders deep", depth=caps.depth)
    return next((why for part in parts if (why := _why_part_refused(part))), None)


def _why_part_refused(part: str) -> Sentence | None:
    if part == "..":
        return Sentence("leads out of the package (..)")
    if not part:
        return Sentence("has an empty part in its name")
    if len(part.encode()) > _PART_BYTES:
        return Sentence("has a part of more than %(most)s bytes in its name", most=_PART_BYTES)
    if part[0] in "-~ " or part[-1] == " ":
        return Sentence("has a part that begins with a dash, tilde or space, or ends with a space")
    if _DEVICE.fullmatch(part.split(".")[0].rstrip()):
        return Sentence("is the name of a device on Windows")
    odd = next((character for character in part if not (character.isalnum() or character in _MARKS)), None)
    # Marks belong to letters in many scripts; a heap of them does not.
    if odd is not None and not (unicodedata.category(odd) in ("Mn", "Mc") and len(part) < 100):
        return Sentence("has %(odd)r in its name, which is not allowed", odd=odd)
    return None


class Places:
    """The files and folders taken so far: finds duplicate names, also those that differ only in case or accents."""

    def __init__(self) -> None:
        self._by_folded: dict[str, str] = {}
        self._files: set[str] = set()
        self._folders: set[str] = set()

    def why_taken(self, parts: tuple[str, ...], *, is_folder: bool) -> Sentence | None:
        """Take the place; return why it cannot be taken, or None."""
        for length in range(1, len(parts) + 1):
            name = "/".join(parts[:length])
            is_inner = length < len(parts) or is_folder
            first = self._by_folded.setdefault(composed(name).casefold(), name)
            if first != name:
                return Sentence("differs only in upper and lower case or accents from %(first)s", first=first)
            if name in (self._files if is_inner else self._folders):
                return Sentence("needs %(name)s to be both a file and a folder", name=name)
            if name in self._files:
                return Sentence("is in the archive twice")
            (self._folders if is_inner else self._files).add(name)
        return None
