"""Pictures of a statement: find the package file of an img, and its size; tell which ones the page lacks.

Only pictures that lie in the statement's folder are shown; nothing is ever loaded from elsewhere.
"""

import html
import posixpath
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from urllib.parse import quote, unquote

from problems.diagnostics import reason_of
from problems.encodings import composed
from problems.format.files import printable
from problems.statement.statement_files import DRAWINGS, FOLDERS, PICTURE_TYPES
from problems.translation import CountedSentence, Sentence, listed

_REMOTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//|\\\\")
_STYLED = re.compile(r'(<(?:img|embed)\b[^<>]*?) style="([^"<>]{1,200})"')
_EMBED = re.compile(r"<embed(?= )")  # what pandoc makes of a picture that is a PDF
_LENGTH = re.compile(r"(width|height):\s*([0-9]+(?:\.[0-9]+)?)(%|px|cm|mm|in|pt|em|ex)?")
_PIXELS = {"px": 1.0, "cm": 96 / 2.54, "mm": 96 / 25.4, "in": 96.0, "pt": 96 / 72, "em": 16.0, "ex": 8.0}
_MOST_PIXELS = 2_000
_PICTURE = re.compile(r'<img((?: [a-z]+="[^"]*")*)>')
_ATTRIBUTE = re.compile(r' ([a-z]+)="([^"]*)"')
_FROM_ABOVE = re.compile(rf"\A(?:[^/]+/)?(?:{'|'.join(FOLDERS)})/")  # where TeX runs beside the package
_NO_ALT = "image"  # pandoc's own word where LaTeX gives none
_MOST_NAMED = 5
_PDF = ".pdf"
DRAWN = (".svg", ".png")  # what a drawing becomes: a.pdf becomes a.pdf.svg
_LATER = Sentence("Tally draws it when it reads the package")
_NO_FILE = Sentence("no file beside the statement")
_ELSEWHERE = Sentence("on another site: put the file beside the statement")


def _missing(names: Collection[str], why: Sentence) -> Sentence:
    return CountedSentence(
        "%(number)s picture is missing from the page: %(names)s (%(why)s)",
        "%(number)s pictures are missing from the page: %(names)s (%(why)s)",
        len(names),
        number=len(names),
        names=listed([*names], _MOST_NAMED),
        why=why,
    )


def _missing_tikz(names: Collection[str], why: Sentence) -> Sentence:
    return CountedSentence(
        "%(number)s TikZ picture is missing from the page: %(why)s",
        "%(number)s TikZ pictures are missing from the page: %(why)s",
        len(names),
        number=len(names),
        why=why,
    )


_TEMPLATES = frozenset(tell((), _NO_FILE).template for tell in (_missing, _missing_tikz))


def tells_of_missing_pictures(warning: str) -> bool:
    """Return whether this warning about a statement says that students do not see a picture."""
    return reason_of(warning) in _TEMPLATES


@dataclass(frozen=True, kw_only=True, slots=True)
class Beside:
    """The files beside a statement; names are below its folder."""

    pictures: Mapping[str, str] = field(default_factory=dict)  # name -> name in the package
    drawings: frozenset[str] = frozenset()  # names of what no browser shows
    undrawn: Mapping[str, Sentence] = field(default_factory=dict)  # why a drawing, or a TikZ picture, was not drawn


class Pictures:
    """The pictures of one statement during rendering. `tikz`: the names that stand for TikZ pictures in it."""

    def __init__(self, beside: Beside, tikz: Collection[str] = ()) -> None:
        # composed on both sides: macOS decomposes Hangul and accents in file names
        self._known = {composed(name): file for name, file in beside.pictures.items()}
        self._drawings = {composed(name): name for name in beside.drawings}
        self._undrawn = beside.undrawn
        self._tikz = tikz
        self._missing: dict[Sentence, dict[str, None]] = {}  # why -> names
        self._missing_tikz: dict[Sentence, dict[str, None]] = {}
        self.pending: dict[str, None] = {}  # the drawings and TikZ pictures that are to be drawn

    @property
    def warnings(self) -> list[Sentence]:
        """The pictures missing from the page, once per reason."""
        return [
            *(_missing(names, why) for why, names in self._missing.items()),
            *(_missing_tikz(names, why) for why, names in self._missing_tikz.items()),
        ]

    def place(self, source: str) -> str | None:
        """Return the picture's address on the page ("files/statement/cave.jpg"), None for one that is not shown."""
        source = source.strip()
        if _REMOTE.match(source):
            self._miss(source, _ELSEWHERE)
            return None
        name = _FROM_ABOVE.sub("", composed(posixpath.normpath(unquote(source))), count=1)
        path = PurePosixPath(name)
        stem = path.with_suffix("").as_posix() if path.suffix.lower() in DRAWINGS else name
        drawn = (name + suffix for suffix in DRAWN) if stem != name or name in self._tikz else ()
        drawn_unsaid = (name + _PDF + suffix for suffix in DRAWN)
        names = (name, *(stem + suffix for suffix in PICTURE_TYPES), *drawn, *drawn_unsaid)
        file = next((self._known[candidate] for candidate in names if candidate in self._known), None)
        if file is None:
            self._miss_file(name)
            return None
        return f"files/{quote(file)}"

    def with_words(self, page: str) -> str:
        """Return sanitised HTML where each picture has an alt text; one that is not shown becomes its alt text in
        brackets.
        """
        return _PICTURE.sub(self._worded, page)

    def _worded(self, picture: re.Match[str]) -> str:
        attributes = {name: html.unescape(value) for name, value in _ATTRIBUTE.findall(picture[1])}
        alt = attributes.get("alt", "")
        if "src" not in attributes:
            if not self.warnings:  # sanitising had dropped its address before `place` saw it
                self._miss(alt or _NO_ALT, _NO_FILE)
            return f"[{html.escape(alt)}]" if alt and alt != _NO_ALT else ""
        attributes["alt"] = "Picture" if alt == _NO_ALT else alt
        return "<img" + "".join(f' {name}="{html.escape(value)}"' for name, value in attributes.items()) + ">"

    def _miss_file(self, name: str) -> None:
        """Note that a picture beside the statement is missing; one that can be drawn is to be drawn."""
        if name in self._tikz:
            self.pending[name] = None
            self._missing_tikz.setdefault(self._undrawn.get(name, _LATER), {})[name] = None
            return
        names = (name, *(name + suffix for suffix in DRAWINGS))
        drawing = next((self._drawings[candidate] for candidate in names if candidate in self._drawings), None)
        suffix = PurePosixPath(drawing or name).suffix.lower()
        if drawing and suffix == _PDF:
            self.pending[drawing] = None
            self._miss(drawing, self._undrawn.get(drawing, _LATER))
        elif suffix in DRAWINGS and suffix != _PDF:
            why = Sentence("browsers show no %(suffix)s: put a .png or .svg of the same name beside it", suffix=suffix)
            self._miss(drawing or name, why)
        else:
            kinds = ", ".join(sorted((*PICTURE_TYPES, _PDF)))
            self._miss(name, Sentence("not in the statement's folder as %(suffixes)s", suffixes=kinds))

    def _miss(self, name: str, why: Sentence) -> None:
        self._missing.setdefault(why, {})[printable(name, 80)] = None


def with_sizes(page: str) -> str:
    """Return pandoc's HTML with picture sizes as attributes, because styles are dropped; embedded PDFs as pictures."""
    return _EMBED.sub("<img", _STYLED.sub(_sized, page))


def _sized(length: re.Match[str]) -> str:
    sizes = dict[str, str]()
    for name, number, unit in _LENGTH.findall(length[2]):
        amount = float(number)
        if unit == "%":
            sizes[name] = f"{min(100, max(1, round(amount)))}%"
        else:
            sizes[name] = str(min(_MOST_PIXELS, max(1, round(amount * _PIXELS[unit or "px"]))))
    return length[1] + "".join(f' {name}="{value}"' for name, value in sizes.items())
