"""Read DMOJ problems: a folder with `init.yml` and usually an archive of the tests.

The format: `test_cases` is a list of cases (`in`, `out`, `points`) and batches (`batched`, `points`, `dependencies`),
or says by patterns which files of the `archive` are cases. A batch is worth all of its points or none; a case or batch
worth 0 ends the judging when it fails. `checker` names a checker of DMOJ's, of the package, or a Python file. A key
that ends in + is Python. An unknown key is refused. There is no title, no statement, no time or memory limit.

How it works: a pattern is a regular expression from a stranger, which may take for ever. It is tried on all names in a
Python process of its own, with little time and memory, which gets nothing but the names and answers with numbers.

Source: DMOJ's documentation of its problem format, with "Specifying cases with regexes".
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from problems.convert.dmoj.checkers import Judging, read_judging
from problems.convert.dmoj.files import DmojFiles
from problems.convert.limited import asked
from problems.convert.native import NativeCase, NativeProblem
from problems.convert.scoring import CasesOfOthers, Part, scored
from problems.convert.source import Source, find_statement, title_of
from problems.diagnostics import Report
from problems.format.typed_mapping import Keys
from problems.format.yamlfile import read_yaml
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

_REFUSED_OF_A_CASE = (
    "generator", "generator_in", "checker", "custom_judge", "interactive", "file_io", "output_limit_length", "symlinks",
    "binary_data",
)  # fmt: skip
_WITHOUT_EFFECT_ON_A_CASE = ("output_prefix_length", "wall_time_factor")  # as for the whole problem
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
        keys.finish(_WITHOUT_EFFECT_ON_A_CASE)
        return Entry(cases=tuple(cases), points=points, has_points=has_points, batch=batch, dependencies=tuple(needed))

    def _case(self, keys: Keys, place: str) -> NativeCase:
        for key in _REFUSED_OF_A_CASE:
            if keys.has(key):
                keys.error(key, Sentence("cannot be given for one case in Tally"))
        input_name, answer = keys.text("in"), keys.text("out")
        if input_name is None and answer is None:
            keys.warn("in", Sentence("is missing, and so is out: both are taken as empty"))
        keys.finish((*_WITHOUT_EFFECT_ON_A_CASE, "points", "generator_args"))
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
            entries.append(Entry(cases=cases, points=float(value), has_points=isinstance(worth, list), batch=batch))
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


_FILE = "init.yml"
_MOST_NODES = 15_000  # a case has about eight
_REFUSED = {
    "generator": Sentence("makes the tests with a program while judging: put the tests themselves into the archive"),
    "custom_judge": Sentence("is a Python program for DMOJ's own judge, which Tally cannot run"),
    "signature_grader": Sentence("links submissions with a program of the problem, which Tally does not do"),
    "symlinks": Sentence("puts files beside the programs, which Tally does not do"),
    "file_io": Sentence("has programs read and write files instead of stdin and stdout, which Tally does not do"),
}
_WITHOUT_EFFECT = (
    "hints",  # for the compilers of old languages
    "meta",  # for a custom judge, which is refused
    "output_prefix_length",  # how much of an output people see
    "wall_time_factor",  # Tally has its own rule for programs that sleep
    "short_circuit",  # whether the rest is judged after a mistake, which changes no points
    "generator_args",  # of a generator, which is refused
)


def read_dmoj(source: Source) -> NativeProblem:
    """Return the problem; the report names what Tally does not support."""
    source.report.is_strict = True  # a key that nobody knows may be one that counts, mistyped
    data = read_yaml(source.files[_FILE], _FILE, source.report, most_nodes=_MOST_NODES)
    _refuse_python(data, "", source.report)
    keys = Keys(data, _FILE, source.report)
    for key, why in _REFUSED.items():
        if keys.any(key):
            keys.error(key, why)
    files = DmojFiles(source, keys.text("archive"), is_binary=keys.flag("binary_data") or False)
    entries = read_entries(keys, files, read_points(keys, 1.0))
    is_scoring = any(entry.has_points or entry.batch for entry in entries)
    judging = read_judging(keys, files, is_scoring=is_scoring)
    if keys.flag("unbuffered"):
        why = Sentence("is not part of the package: choose a terminal as stdout in the problem's settings")
        keys.warn("unbuffered", why)
    if keys.any("validator"):
        keys.warn("validator", Sentence("is not run: it checks inputs in a way of DMOJ's own"))
    keys.finish(_WITHOUT_EFFECT)
    statement = find_statement(source)
    source.warn_left_out(files.unused({*statement.names, _FILE}))
    most_bytes = keys.number("output_limit_length", least=1, most=1 << 30, whole=True)
    problem = NativeProblem(
        title=statement.title or title_of(source.short_name),
        statements=statement.statements,
        pictures=statement.pictures,
        output_bytes=None if most_bytes is None else int(most_bytes),
        validator_flags=judging.flags,
        checker=judging.files,
        is_interactive=judging.is_interactive,
    )
    if is_scoring:
        return _with_groups(problem, entries, judging, keys)
    cases = [case for entry in entries for case in entry.cases]
    return replace(problem, cases=tuple(replace(case, name=f"{n:04}") for n, case in enumerate(cases, 1)))


def _with_groups(problem: NativeProblem, entries: Sequence[Entry], judging: Judging, keys: Keys) -> NativeProblem:
    count = next((n for n, entry in enumerate(entries) if entry.points), len(entries))
    first, rest = entries[:count], entries[count:]  # all of `first` must pass before any other is run
    if any(not entry.points for entry in rest):
        why = Sentence("has cases worth 0 points after others: a failure there does not end the judging")
        keys.warn("test_cases", why)
    if not rest:
        keys.error("test_cases", Sentence("has no case that is worth points"))
    by_batch = {entry.batch: entry for entry in entries if entry.batch}
    others = CasesOfOthers()
    parts = [_part(entry, by_batch, others) for entry in rest]
    before = [_part(entry, by_batch, others) for entry in first]
    grouped = scored(parts, first=before, tells_worth=judging.wants_worth)
    return replace(
        problem, cases=grouped.cases, groups=grouped.groups, is_scoring=True, has_checker_scores=judging.gives_points
    )


def _part(entry: Entry, by_batch: Mapping[int, Entry], others: CasesOfOthers) -> Part:
    """Return the entry as a part. It includes the cases of batches it depends on, which run only once."""
    if not entry.batch:
        return Part(cases=entry.cases, points=entry.points)
    needed: set[int] = set()
    waiting = list(entry.dependencies)
    while waiting:
        batch = waiting.pop()
        if batch in by_batch and batch not in needed:
            needed.add(batch)
            waiting += by_batch[batch].dependencies
    before = [case for n in sorted(needed) for case in others.of(by_batch[n].cases, f"batch-{n}")]
    return Part(cases=(*before, *entry.cases), points=entry.points, name="batch")


def _refuse_python(value: object, place: str, report: Report) -> None:
    """Refuse keys that end in + or ++, whose values DMOJ runs as Python."""
    if isinstance(value, dict):
        for key, inner in value.items():
            name = f"{place}.{key}".strip(".")
            if str(key).endswith("+"):
                why = Sentence("is Python that DMOJ would run (the key ends in +), which Tally never does")
                report.error(_FILE, name[:100], why)
            _refuse_python(inner, name, report)
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            _refuse_python(inner, f"{place}[{number}]", report)
