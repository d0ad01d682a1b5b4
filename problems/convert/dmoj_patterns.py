"""Recognise the tests in a DMOJ archive by the patterns of its init.yml or by DMOJ's own.

How it works: a pattern is a regular expression from a stranger, which may take for ever. It is tried on all names in a
Python process of its own, with little time and memory, which is told nothing but the names and answers with numbers.

Source: "Specifying cases with regexes" in DMOJ's documentation of its problem format.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from problems.convert.limited import TooMuchError, asked
from problems.package import PackageError

DEFAULT_INPUT = r"^(?=.*?\.in|in).*?(?:(?:^|\W)(?P<batch>\d+)[^\d\s]+)?(?P<case>\d+)[^\d\s]*$"
DEFAULT_OUTPUT = r"^(?=.*?\.out|out).*?(?:(?:^|\W)(?P<batch>\d+)[^\d\s]+)?(?P<case>\d+)[^\d\s]*$"
_PATTERN_LENGTH = 1_000
_MATCH = """
import json, re, sys
pattern, names = json.load(sys.stdin)
try:
    compiled = re.compile(pattern, re.IGNORECASE)
except re.error as error:
    json.dump(str(error), sys.stdout)
    sys.exit()
found = []
for name in names:
    match = compiled.match(name)
    if match:
        groups = match.groupdict()
        found.append([name, groups.get("batch"), groups.get("case")])
json.dump(found, sys.stdout)
"""

Number = tuple[bool, int, str]  # sorts as DMOJ does: texts before numbers


@dataclass(frozen=True, kw_only=True, slots=True)
class Match:
    """A test's file: its case, and the case's batch, None for none."""

    name: str
    batch: Number | None
    case: Number


def matches(pattern: str, names: Sequence[str], key: str) -> list[Match]:
    """Return the matching names. Raises PackageError, naming the `key` in init.yml."""
    if len(pattern) > _PATTERN_LENGTH:
        raise PackageError("init.yml", key, f"has more than {_PATTERN_LENGTH} characters")
    try:
        found = asked(_MATCH, [pattern, list(names)])
    except TooMuchError as error:
        raise PackageError("init.yml", key, "is a pattern that takes too much time or memory") from error
    if isinstance(found, str):
        raise PackageError("init.yml", key, f"is no regular expression: {found[:200]}")
    if any(case is None for _, _, case in found):
        raise PackageError("init.yml", key, "must have a group (?P<case>...) that says which case a file belongs to")
    return [
        Match(name=name, batch=None if batch is None else _number(batch), case=_number(case))
        for name, batch, case in found
    ]


def _number(text: str) -> Number:
    is_number = text.isdigit() and text.isascii() and len(text) < 1_000
    return (is_number, int(text) if is_number else 0, text if not is_number else "")
