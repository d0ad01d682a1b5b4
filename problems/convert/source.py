"""The input of a converter: the files of a problem in another format, and the report."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from problems.diagnostics import Report
from problems.format.files import printable
from problems.format.yamlfile import read_text
from problems.package import ARCHIVE, PackageError
from problems.translation import Sentence, listed

PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".svg")


@dataclass(frozen=True, kw_only=True, slots=True)
class Source:
    """A problem in another format. `files` are all its files by name; none is a link."""

    files: Mapping[str, Path]
    short_name: str
    report: Report
    scratch: Path  # an empty folder for files that must be made
    unpack: Callable[[str], Mapping[str, Path]]  # the files of the archive of this name; raises PackageError
    copies: dict[Path, Path] = field(default_factory=dict)  # a file in `scratch` -> the one that it is made of

    def text(self, name: str, most_bytes: int) -> str:
        """Return the file's text; "" with an error in the report."""
        try:
            return read_text(self.files[name], printable(name), most_bytes)
        except PackageError as error:
            self.report.add(error)
            return ""

    def warn_left_out(self, names: list[str]) -> None:
        """Warn of files without a place in the package."""
        if names:
            files = listed([printable(name, 40) for name in sorted(names)], 5)
            self.report.warn(ARCHIVE, "", Sentence("has files that are left out: %(files)s", files=files))


def title_of(short_name: str) -> str:
    """Return a title for a problem that has only a file name: "a-plus_b" becomes "A plus b"."""
    words = short_name.replace("-", " ").replace("_", " ").strip()
    return words[:1].upper() + words[1:] if words else short_name


def suffix_of(name: str) -> str:
    """Return the file name's extension in lower case, with the dot."""
    return PurePosixPath(name).suffix.lower()
