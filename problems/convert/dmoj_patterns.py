"""Which files of a DMOJ archive are tests, by the patterns of its init.yml or DMOJ's own.

How it works: a pattern is a regular expression from a stranger, which may take for ever. It is tried on all names in a
Python process of its own, with little time and memory, which is told nothing but the names and answers with numbers.

Source: "Specifying cases with regexes" in DMOJ's documentation of its problem format.
"""

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from problems.package import PackageError

DEFAULT_INPUT = r"^(?=.*?\.in|in).*?(?:(?:^|\W)(?P<batch>\d+)[^\d\s]+)?(?P<case>\d+)[^\d\s]*$"
DEFAULT_OUTPUT = r"^(?=.*?\.out|out).*?(?:(?:^|\W)(?P<batch>\d+)[^\d\s]+)?(?P<case>\d+)[^\d\s]*$"
_SECONDS = 2
_PATTERN_LENGTH = 1_000
_MATCH = """
import json, re, resource, sys
resource.setrlimit(resource.RLIMIT_AS, (512 << 20, 512 << 20))
resource.setrlimit(resource.RLIMIT_CPU, (2, 2))
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
    """A file that is a test's: its case, and the batch that this is in, None for none."""

    name: str
    batch: Number | None
    case: Number


def matches(pattern: str, names: Sequence[str], key: str) -> list[Match]:
    """Return the names that fit. Raises PackageError, naming the `key` in init.yml."""
    if len(pattern) > _PATTERN_LENGTH:
        raise PackageError("init.yml", key, f"has more than {_PATTERN_LENGTH} characters")
    try:
        asked = subprocess.run(
            [sys.executable, "-I", "-S", "-c", _MATCH],
            input=json.dumps([pattern, list(names)]),
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=True,
            env={},
        )
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError) as error:
        raise PackageError("init.yml", key, "is a pattern that takes too much time or memory") from error
    found = json.loads(asked.stdout)
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
