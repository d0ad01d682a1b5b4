"""Read one untrusted YAML file of a package: bounded in size, depth and aliases; plain data only."""

import reprlib
from collections import Counter
from collections.abc import Hashable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import yaml

from problems.diagnostics import Report
from problems.format.constants import replaced
from problems.package import PackageError
from problems.translation import Sentence

MOST_BYTES = 128 * 1024
MOST_ALIASES = 16
MOST_DEPTH = 20
MOST_DIGITS = 100
MOST_NODES = 2_000  # keys, values, lists: the parser is slow, and a package may hold thousands of such files


class _RefusedYaml(yaml.YAMLError):
    """The reason why the file is not read, as half a sentence."""

    def __init__(self, why: Sentence) -> None:
        super().__init__(str(why))
        self.why = why


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
        if self.check_event(yaml.AliasEvent):
            self.aliases += 1
            if self.aliases > MOST_ALIASES:
                raise _RefusedYaml(Sentence("has more than %(most)s aliases (*name)", most=MOST_ALIASES))
        self.nodes += 1
        if self.nodes > self.most_nodes:
            raise _RefusedYaml(Sentence("has more than %(most)s keys and values", most=f"{self.most_nodes:,}"))
        self.depth += 1
        if self.depth > MOST_DEPTH:
            raise _RefusedYaml(Sentence("is nested more than %(most)s deep", most=MOST_DEPTH))
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        # Merging copies: a few nested merges multiply into millions of keys.
        if any(key.tag == "tag:yaml.org,2002:merge" for key, _ in node.value):
            raise _RefusedYaml(Sentence("has a merge key (<<), which is not allowed here"))

    def construct_yaml_int(self, node: yaml.ScalarNode) -> int:
        # Python refuses to write an integer of thousands of digits, which a hexadecimal one may have.
        if len(node.value) > MOST_DIGITS:
            raise _RefusedYaml(Sentence("has a number of more than %(most)s digits", most=MOST_DIGITS))
        return super().construct_yaml_int(node)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        names = [key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
        self.doubled += sorted(name for name, count in Counter(names).items() if count > 1)
        return super().construct_mapping(node, deep)


_Loader.add_constructor("tag:yaml.org,2002:int", _Loader.construct_yaml_int)


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
        raise PackageError(
            name, "", Sentence("has more than %(most)s KiB with its constants in place", most=MOST_BYTES // 1024)
        )
    try:
        loader = _Loader(text, most_nodes)
        data = loader.get_single_data()
    except yaml.MarkedYAMLError as error:
        problem = str(error.problem or error)
        why = (
            Sentence(
                "is not valid YAML: %(problem)s (line %(line)s)", problem=problem, line=error.problem_mark.line + 1
            )
            if error.problem_mark
            else Sentence("is not valid YAML: %(problem)s", problem=problem)
        )
        raise PackageError(name, "", why) from error
    except _RefusedYaml as error:
        raise PackageError(name, "", Sentence("cannot be read as YAML: %(error)s", error=error.why)) from error
    except (yaml.YAMLError, ValueError, TypeError, RecursionError) as error:
        raise PackageError(name, "", Sentence("cannot be read as YAML: %(error)s", error=str(error)[:200])) from error
    for key in loader.doubled:
        report.notice(name, key, Sentence("is given more than once; the last one counts"))
    if data is None:
        return {}
    if not isinstance(data, dict):
        raise PackageError(
            name, "", Sentence("must hold keys and values (name: value), not %(data)s", data=reprlib.repr(data))
        )
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
        raise PackageError(name, "", Sentence("is not UTF-8 text (byte %(start)s)", start=error.start)) from error
