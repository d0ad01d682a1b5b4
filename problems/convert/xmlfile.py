"""Read one untrusted XML file: no document types, so no entities; bounded in size, depth and elements."""

from pathlib import Path
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from problems.package import PackageError

_MOST_BYTES = 8 * 1024 * 1024
_MOST_ELEMENTS = 100_000
_MOST_DEPTH = 50


class _Refused(Exception):
    """The reason why the file cannot be read."""


def read_xml(path: Path, name: str) -> Element:
    """Return the root element of the file, called `name` in messages. Raises PackageError."""
    with path.open("rb") as file:
        raw = file.read(_MOST_BYTES + 1)
    if len(raw) > _MOST_BYTES:
        raise PackageError(name, "", f"has more than {_MOST_BYTES // 1024 // 1024} MiB")
    building = _Building()
    try:
        building.parser.Parse(raw, True)
        return building.builder.close()
    except _Refused as error:
        raise PackageError(name, "", str(error)) from error
    except (expat.ExpatError, ValueError, LookupError, AssertionError) as error:
        raise PackageError(name, "", f"is not valid XML: {str(error)[:200]}") from error


class _Building:
    """A parser whose events build a tree, within bounds."""

    def __init__(self) -> None:
        self.builder = TreeBuilder()
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self.builder.data
        self.parser.StartDoctypeDeclHandler = self._refuse
        self._elements = 0
        self._depth = 0

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._elements += 1
        self._depth += 1
        if self._elements > _MOST_ELEMENTS or self._depth > _MOST_DEPTH:
            raise _Refused(f"has more than {_MOST_ELEMENTS:,} elements or more than {_MOST_DEPTH} inside each other")
        self.builder.start(tag, attributes)

    def _end(self, tag: str) -> None:
        self._depth -= 1
        self.builder.end(tag)

    def _refuse(self, *_: object) -> None:
        raise _Refused("declares a document type, which is not allowed here")
