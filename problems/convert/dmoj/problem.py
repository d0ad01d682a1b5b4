"""Read DMOJ problems: a folder with `init.yml` and usually an archive of the tests.

The format: `test_cases` is a list of cases (`in`, `out`, `points`) and batches (`batched`, `points`, `dependencies`),
or says by patterns which files of the `archive` are cases. A batch is worth all of its points or none; a case or batch
worth 0 ends the judging when it fails. `checker` names a checker of DMOJ's, of the package, or a Python file. A key
that ends in + is Python. An unknown key is refused. There is no title, no statement, no time or memory limit.

Source: DMOJ's documentation of its problem format.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from problems.convert.dmoj.cases import Entry, read_entries, read_points
from problems.convert.dmoj.checkers import Judging, read_judging
from problems.convert.dmoj.files import DmojFiles
from problems.convert.native import NativeProblem
from problems.convert.scoring import CasesOfOthers, Part, scored
from problems.convert.source import Source, title_of
from problems.convert.statementfiles import find_statement
from problems.diagnostics import Report
from problems.format.typed_mapping import Keys
from problems.format.yamlfile import read_yaml
from problems.translation import Sentence

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
        problem,
        cases=grouped.cases,
        groups=grouped.groups,
        is_scoring=True,
        has_checker_scores=judging.gives_points,
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
