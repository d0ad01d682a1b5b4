"""The test cases of a DMOJ problem, from a list or by patterns.

How it works: a pattern is a regular expression from a stranger, which may take for ever. It is tried on all names in a
Python process of its own, with little time and memory, which gets nothing but the names and answers with numbers.

Source: `test_cases`, `pretest_test_cases` and "Specifying cases with regexes" in DMOJ's documentation of its problem
format.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from problems.convert.dmoj.files import DmojFiles
from problems.convert.limited import asked
from problems.convert.native import NativeCase
from problems.format.typed_mapping import Keys
from problems.package import PackageError
from problems.translation import Sentence

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

_REFUSED = (
    "generator", "generator_in", "checker", "custom_judge", "interactive", "file_io", "output_limit_length", "symlinks",
    "binary_data",
)  # fmt: skip
_WITHOUT_EFFECT = ("output_prefix_length", "wall_time_factor")  # as in dmoj.py
_MOST_POINTS = 1_000_000

Number = tuple[bool, int, str]  # sorts as DMOJ does: texts before numbers


def matches(pattern: str, names: Sequence[str], key: str) -> list[tuple[str, Number | None, Number]]:
    """Return the matching names, each with its batch, None for none, and its case.

    Raises PackageError, naming the `key` in init.yml.
    """
    if len(pattern) > _PATTERN_LENGTH:
        raise PackageError("init.yml", key, Sentence("has more than %(most)s characters", most=_PATTERN_LENGTH))
    too_much = PackageError("init.yml", key, Sentence("is a pattern that takes too much time or memory"))
    matched = asked(_MATCH, [pattern, list(names)], too_much)
    if isinstance(matched, str):
        raise PackageError("init.yml", key, Sentence("is no regular expression: %(error)s", error=matched[:200]))
    if any(case is None for _, _, case in matched):
        why = Sentence("must have a group (?P<case>...) that says which case a file belongs to")
        raise PackageError("init.yml", key, why)
    return [(name, None if batch is None else _number(batch), _number(case)) for name, batch, case in matched]


def _number(text: str) -> Number:
    is_number = text.isdigit() and text.isascii() and len(text) < 1_000
    return (True, int(text), "") if is_number else (False, 0, text)


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """A case, or a batch of cases that counts as a whole. `batch` counts batches from 1; 0 for a case."""

    cases: tuple[NativeCase, ...]
    points: float
    has_points: bool  # it says itself what it is worth
    batch: int = 0
    dependencies: tuple[int, ...] = ()


def read_entries(keys: Keys, files: DmojFiles, default: float) -> list[Entry]:
    """Return pretests, then all other cases and batches, in the order of judging. `default` is the worth of one."""
    pretests = keys.any("pretest_test_cases")
    reading = _Reading(keys, files, default)
    first = reading.listed("pretest_test_cases", pretests) if isinstance(pretests, list) else []
    first = [Entry(cases=entry.cases, points=0.0, has_points=True, batch=entry.batch) for entry in first]
    value = keys.any("test_cases")
    if isinstance(value, list):
        entries = reading.listed("test_cases", value)
    elif value is None or isinstance(value, dict):
        entries = reading.matched(keys.section("test_cases"))
    else:
        keys.error("test_cases", Sentence("must be a list of cases, or hold patterns for them"))
        return []
    if not entries:
        keys.error("test_cases", Sentence("has no case"))
    return first + entries


class _Reading:
    def __init__(self, keys: Keys, files: DmojFiles, default: float) -> None:
        self._keys = keys
        self._files = files
        self._default = default
        self._batches = 0

    def listed(self, key: str, items: list[object]) -> list[Entry]:
        entries = []
        for number, item in enumerate(items):
            place = f"{key}[{number}]"
            if isinstance(item, dict):
                entries.append(self._entry(self._keys.like_section(place, item), place))
            else:
                self._keys.error(place, Sentence("must hold keys and values"))
        return entries

    def _entry(self, keys: Keys, place: str) -> Entry:
        has_points = keys.has("points")
        points = read_points(keys, self._default)
        batched = keys.any("batched")
        if batched is None:
            return Entry(cases=(self._case(keys, place),), points=points, has_points=has_points)
        self._batches += 1
        cases = []
        for number, item in enumerate(batched if isinstance(batched, list) else []):
            inner = f"{place}.batched[{number}]"
            if isinstance(item, dict) and "batched" not in item:
                cases.append(self._case(self._keys.like_section(inner, item), inner))
            else:
                self._keys.error(inner, Sentence("must be a case, not a list or another batch"))
        if not cases:
            self._keys.error(place, Sentence("is a batch without cases"))
        batch, value = self._batches, keys.any("dependencies")
        needed: list[Any] = value if isinstance(value, list) else [] if value is None else [value]
        if any(isinstance(n, bool) or not isinstance(n, int) or not 0 < n < batch for n in needed):
            keys.error("dependencies", Sentence("must be numbers of earlier batches, counted from 1"))
            needed = []
        keys.finish(_WITHOUT_EFFECT)
        return Entry(cases=tuple(cases), points=points, has_points=has_points, batch=batch, dependencies=tuple(needed))

    def _case(self, keys: Keys, place: str) -> NativeCase:
        for key in _REFUSED:
            if keys.has(key):
                keys.error(key, Sentence("cannot be given for one case in Tally"))
        input_name, answer = keys.text("in"), keys.text("out")
        if input_name is None and answer is None:
            keys.warn("in", Sentence("is missing, and so is out: both are taken as empty"))
        keys.finish((*_WITHOUT_EFFECT, "points", "generator_args"))
        return NativeCase(
            name="",
            input=self._files.text(input_name, f"{place}.in") if input_name else b"",
            answer=self._files.text(answer, f"{place}.out") if answer else b"",
        )

    def matched(self, keys: Keys) -> list[Entry]:
        """Return the entries whose files match the patterns, batches and cases by number."""
        names = self._files.names()
        try:
            inputs = matches(keys.text("input_format") or DEFAULT_INPUT, names, "test_cases.input_format")
            outputs = matches(keys.text("output_format") or DEFAULT_OUTPUT, names, "test_cases.output_format")
        except PackageError as error:
            self._files.report.add(error)
            return []
        worth = keys.any("case_points")
        points = iter(worth if isinstance(worth, list) else ())
        keys.finish()
        # in DMOJ's order; a case without a batch has its own place, under its number
        groups: dict[Number, dict[Number, list[str]]] = defaultdict(lambda: defaultdict(lambda: ["", ""]))
        for side, files in enumerate((inputs, outputs)):
            for name, batch_number, case in files:
                groups[batch_number or case][case][side] = name
        batches = {batch_number for _, batch_number, _ in (*inputs, *outputs)}
        entries = []
        for place, group in sorted(groups.items()):
            value = next(points, self._default)
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= _MOST_POINTS:
                keys.error("case_points", Sentence("must be numbers from 0 to %(most)s", most=_MOST_POINTS))
                value = self._default
            cases = tuple(self._matched_case(*group[number]) for number in sorted(group))
            self._batches += place in batches
            batch = self._batches if place in batches else 0
            has_points = isinstance(worth, list)
            entries.append(Entry(cases=cases, points=float(value), has_points=has_points, batch=batch))
        return entries

    def _matched_case(self, input_name: str, answer: str) -> NativeCase:
        """Return the case of these files, "" for a missing one."""
        if not input_name:
            self._files.report.error(answer, "", Sentence("belongs to a case of init.yml that has no input"))
        if not answer:
            self._files.report.error(input_name, "", Sentence("belongs to a case of init.yml that has no output"))
        return NativeCase(
            name="",
            input=self._files.text(input_name, "test_cases") if input_name else b"",
            answer=self._files.text(answer, "test_cases") if answer else b"",
        )


def read_points(keys: Keys, default: float) -> float:
    """Return what the key `points` says, the default if it says nothing of use."""
    value = keys.any("points")
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= _MOST_POINTS:
        keys.error("points", Sentence("must be a number from 0 to %(most)s", most=_MOST_POINTS))
        return default
    return float(value)
