"""Check the names of archive entries: relative, plain, and distinct on every file system."""

import re
import unicodedata

from problems.format.files import Caps
from problems.translation import Sentence

_DRIVE = re.compile(r"[A-Za-z]:")
_MARKS = frozenset(" _-.#+,()[]{}@=~!%&'^")
_DEVICE = re.compile(r"(CON|PRN|AUX|NUL|CONIN|CONOUT|COM[0-9¹²³]|LPT[0-9¹²³])\$?", re.IGNORECASE)
_PART_BYTES = 255
_NAME_BYTES = 1_000


def parts_of(name: str) -> tuple[str, ...]:
    """Split an entry's name into folders and file, without "." and without a folder's final slash."""
    return tuple(part for part in name.removesuffix("/").split("/") if part != ".")


def why_refused(name: str, caps: Caps) -> Sentence | None:
    """Return why an entry may not have this name, as the rest of a sentence; None if it may."""
    if not name.isprintable():
        return Sentence("has control characters in its name")
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
            first = self._by_folded.setdefault(unicodedata.normalize("NFC", name).casefold(), name)
            if first != name:
                return Sentence("differs only in upper and lower case or accents from %(first)s", first=first)
            if name in (self._files if is_inner else self._folders):
                return Sentence("needs %(name)s to be both a file and a folder", name=name)
            if name in self._files:
                return Sentence("is in the archive twice")
            (self._folders if is_inner else self._files).add(name)
        return None
