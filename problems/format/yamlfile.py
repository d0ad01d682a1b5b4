"""Read one untrusted YAML file of a package: bounded in size, depth and aliases; plain data only.

How it works: PyYAML's safe loader reads YAML 1.1, with caps and with fewer tags. What is wrong is told by its line.
Constructors of PyYAML raise whatever Python does where a value does not fit its tag (`!!bool maybe`: KeyError), and its
scanner does where an escape names no character, so both are taken for what they are: mistakes in the file.
"""

import re
import reprlib
from collections import Counter
from collections.abc import Hashable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import yaml

from problems.diagnostics import Report
from problems.encodings import likely_encoding
from problems.format.constants import replaced
from problems.format.files import printable
from problems.names import why_no_text
from problems.package import PackageError
from problems.translation import Sentence, SentenceError

MOST_BYTES = 128 * 1024
MOST_ALIASES = 16
MOST_DEPTH = 20
MOST_DIGITS = 100
MOST_NODES = 2_000  # keys, values, lists: the parser is slow, and a package may hold thousands of such files

_STANDARD = "tag:yaml.org,2002:"
_TAGS = frozenset(
    _STANDARD + kind for kind in ("null", "bool", "int", "float", "timestamp", "str", "seq", "map", "value")
)
_MERGE = f"{_STANDARD}merge"
_FAULTS = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)  # of values that do not fit their tags
_LINE_END = re.compile("\r\n|[\r\n\x85\u2028\u2029]")  # as PyYAML counts lines
_INDENTATION_WITH_TAB = re.compile(r" *\t")
_MOST_SHOWN = 60


class YamlProblem(SentenceError):
    """A text cannot be read as YAML; `why` is half a sentence with the file as its subject."""


class _Refused(yaml.YAMLError):
    """Valid YAML that is not read, at a place."""

    def __init__(self, why: Sentence, place: yaml.Mark) -> None:
        super().__init__(str(why))
        self.why = why
        self.line = place.line + 1


class _Loader(yaml.SafeLoader):
    """PyYAML's safe loader with caps on aliases, depth and size, without merge keys, recording duplicate keys."""

    def __init__(self, text: str, most_nodes: int) -> None:
        super().__init__(text)
        self.most_nodes = most_nodes
        self.aliases = 0
        self.depth = 0
        self.nodes = 0
        self.doubled: list[str] = []

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        place: yaml.Mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
        if self.check_event(yaml.AliasEvent):
            self.aliases += 1
            if self.aliases > MOST_ALIASES:
                raise _Refused(Sentence("has more than %(most)s aliases (*name)", most=MOST_ALIASES), place)
        self.nodes += 1
        if self.nodes > self.most_nodes:
            raise _Refused(Sentence("has more than %(most)s keys and values", most=f"{self.most_nodes:,}"), place)
        self.depth += 1
        if self.depth > MOST_DEPTH:
            raise _Refused(Sentence("is nested more than %(most)s deep", most=MOST_DEPTH), place)
        node = super().compose_node(parent, index)
        self.depth -= 1
        if node is None:
            return None
        if node.end_mark is None:
            raise _Refused(Sentence("has an alias (*name) inside of what it stands for"), place)
        if node.tag not in _TAGS and node.tag != _MERGE:
            raise _Refused(Sentence("has the tag %(tag)s, which is not allowed here", tag=_shown_tag(node.tag)), place)
        # Python does not write an integer of thousands of digits, which a hexadecimal one may have; 1:1:1 is base 60.
        is_number = node.tag in (f"{_STANDARD}int", f"{_STANDARD}float")
        if isinstance(node, yaml.ScalarNode) and is_number and len(node.value) > MOST_DIGITS:
            raise _Refused(Sentence("has a number of more than %(most)s digits", most=MOST_DIGITS), place)
        if isinstance(node, yaml.ScalarNode) and (why := why_no_text(node.value)):
            raise _Refused(why, place)
        return node

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        # Merging copies: a few nested merges multiply into millions of keys.
        for key, _ in node.value:
            if key.tag == _MERGE:
                raise _Refused(Sentence("has a merge key (<<), which is not allowed here"), key.start_mark)

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        try:
            return super().construct_object(node, deep)
        except _FAULTS as error:
            values = {"kind": _shown_tag(node.tag), "value": reprlib.repr(node.value)}
            why = Sentence("has a value that is no %(kind)s: %(value)s (in quotes, a value is text)", **values)
            raise _Refused(why, node.start_mark) from error

    def construct_equals(self, node: yaml.ScalarNode) -> str:
        """Return a lone "=" as the text that it is; YAML 1.1 has a tag for it."""
        return self.construct_yaml_str(node)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        names = [key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
        self.doubled += sorted(name for name, count in Counter(names).items() if count > 1)
        return super().construct_mapping(node, deep)


_Loader.add_constructor(f"{_STANDARD}value", _Loader.construct_equals)


def _shown_tag(tag: str) -> str:
    """Return the tag as a file writes it: "!!bool"."""
    return printable(f"!!{tag.removeprefix(_STANDARD)}" if tag.startswith(_STANDARD) else tag, _MOST_SHOWN)


def parse_yaml(text: str, most_nodes: int = MOST_NODES) -> tuple[object, list[str]]:
    """Return the data of the text's one document, and the keys that a mapping has twice. Raises YamlProblem."""
    loader = None
    try:
        loader = _Loader(text, most_nodes)
        node = loader.get_single_node()
        return (None if node is None else loader.construct_document(node)), loader.doubled
    except yaml.MarkedYAMLError as error:
        problem, mark = str(error.problem or error), error.problem_mark
        if mark is None:
            why = Sentence("is not valid YAML: %(problem)s", problem=problem)
        elif "'\\t'" in problem or _INDENTATION_WITH_TAB.match(_LINE_END.split(text)[mark.line]):
            line = mark.line + 1
            why = Sentence("is not valid YAML: line %(line)s has a tab; YAML indents with spaces only", line=line)
        else:
            why = Sentence("is not valid YAML: %(problem)s (line %(line)s)", problem=problem, line=mark.line + 1)
        raise YamlProblem(why) from error
    except yaml.reader.ReaderError as error:
        code, line = f"U+{ord(text[error.position]):04X}", text.count("\n", 0, error.position) + 1
        why = Sentence("is not valid YAML: it holds the character %(code)s (line %(line)s)", code=code, line=line)
        raise YamlProblem(why) from error
    except _Refused as error:
        why = Sentence("cannot be read as YAML: it %(error)s (line %(line)s)", error=error.why, line=error.line)
        raise YamlProblem(why) from error
    except (ValueError, OverflowError) as error:  # of chr(): "\UFFFFFFFF"
        line = loader.line + 1 if loader else 1
        why = Sentence("is not valid YAML: it has an escape that is no character (line %(line)s)", line=line)
        raise YamlProblem(why) from error


def read_yaml(
    path: Path,
    name: str,
    report: Report,
    constants: Mapping[str, str] = MappingProxyType({}),
    most_nodes: int = MOST_NODES,
) -> dict[str, object]:
    """Return the mapping in the file `path` (called `name` in messages), with text keys; {} for an empty file.

    `constants` are replaced first. Raises PackageError if it is too large, not UTF-8, not YAML or no mapping. A key
    given twice goes into the report.
    """
    text = replaced(read_text(path, name, MOST_BYTES).encode(), constants).decode()
    if len(text) > MOST_BYTES:
        why = Sentence("has more than %(most)s KiB with its constants in place", most=MOST_BYTES // 1024)
        raise PackageError(name, "", why)
    try:
        data, doubled = parse_yaml(text, most_nodes)
    except YamlProblem as problem:
        raise PackageError(name, "", problem.why) from problem
    for key in doubled:
        report.notice(name, key, Sentence("is given more than once; the last one counts"))
    if data is None:
        return {}
    if not isinstance(data, dict):
        why = Sentence("must hold keys and values (name: value), not %(data)s", data=reprlib.repr(data))
        raise PackageError(name, "", why)
    return {str(key): value for key, value in data.items()}


def read_text(path: Path, name: str, most_bytes: int) -> str:
    """Return the file's text. Raises PackageError, under `name`, if it exceeds `most_bytes` or is not UTF-8."""
    with path.open("rb") as file:
        raw = file.read(most_bytes + 1)
    if len(raw) > most_bytes:
        raise PackageError(name, "", Sentence("has more than %(most)s KiB", most=most_bytes // 1024))
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line, encoding = raw.count(b"\n", 0, error.start) + 1, likely_encoding(raw)
        why = Sentence("is not UTF-8 text (line %(line)s): save it as UTF-8", line=line)
        if encoding:
            why = Sentence(
                "is not UTF-8 text (line %(line)s): it looks like %(encoding)s; save it as UTF-8",
                line=line,
                encoding=encoding,
            )
        raise PackageError(name, "", why) from error
