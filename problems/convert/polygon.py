"""Read problems of Codeforces' Polygon: a full package with `problem.xml`.

The format: `problem.xml` names the problem in several languages and lists test sets (limits, patterns for file names,
one element per test), groups with points, checker, interactor, validators, and solutions with tags. The statement is
LaTeX in sections. Checker, interactor and validators follow testlib. A standard package has no tests, only what makes
them.

Source: packages as Polygon makes them; the testlib documentation.
"""

from xml.etree.ElementTree import Element

from problems.convert.native import Content, NativeProblem
from problems.convert.polygon_known import refuse_unknown
from problems.convert.polygon_programs import read_judging, read_solutions, read_validators
from problems.convert.polygon_statements import language_code, read_statements
from problems.convert.polygon_tests import read_tests, refuse_standard
from problems.convert.source import Source, title_of
from problems.convert.xmlfile import read_xml
from problems.package import PackageError
from problems.report import Report

FILE = "problem.xml"
_STANDARD_IO = ("", "stdin", "stdout")
_MOST_MS = 300_000
_MOST_BYTES = 1 << 36


def read_polygon(source: Source) -> NativeProblem:
    """Return the problem; the report names what Tally does not support."""
    root = read_xml(source.files[FILE], FILE)
    if root.tag != "problem":
        raise PackageError(FILE, "", f"is a {root.tag[:40]}, not a problem: upload the package of one problem")
    judging = root.find("judging")
    testset = _testset(judging, source.report)
    if judging is None or testset is None:
        raise PackageError(FILE, "judging", "has no test set")
    _check_judging(judging, source.report)
    refuse_unknown(root, source)
    is_interactive = root.find("assets/interactor/source") is not None
    refuse_standard(testset, source)
    statements = read_statements(root, source)
    tests = read_tests(testset, source, statements.examples if is_interactive else {})
    programs = read_judging(root, source, gives_points=bool(tests.groups))
    return NativeProblem(
        title=_title(root) or statements.title or title_of(source.short_name),
        short_name=root.get("short-name", ""),
        cases=tests.cases,
        statements=statements.statements,
        pictures=statements.pictures,
        time_limit_ms=_number(testset, "time-limit", _MOST_MS, source.report),
        memory_bytes=_number(testset, "memory-limit", _MOST_BYTES, source.report),
        checker=programs.files,
        is_interactive=programs.is_interactive,
        has_checker_scores=bool(tests.groups) and bool(programs.files),
        input_validators=read_validators(root, source),
        submissions=read_solutions(root, source),
        attachments=_attachments(root, source),
        is_scoring=bool(tests.groups),
        groups=tests.groups,
        source=root.get("url", "")[:200],
    )


def _testset(judging: Element | None, report: Report) -> Element | None:
    """Return the test set called "tests", or the only one."""
    testsets = judging.findall("testset") if judging is not None else []
    chosen = next((testset for testset in testsets if testset.get("name") == "tests"), None)
    chosen = chosen if chosen is not None else testsets[0] if testsets else None
    for testset in testsets:
        if testset is not chosen:
            report.warn(FILE, "judging", f"has a test set {testset.get('name', '')[:40]!r}, which is left out")
    return chosen


def _check_judging(judging: Element, report: Report) -> None:
    """Refuse settings that change how a program is run."""
    for key in ("input-file", "output-file"):
        if (name := judging.get(key, "")) not in _STANDARD_IO:
            why = f"is {name[:40]!r}: Tally runs programs with standard input and output only; choose those in Polygon"
            report.error(FILE, f"judging.{key}", why)
    if judging.get("run-count", "1") != "1":
        report.error(FILE, "judging.run-count", "is not 1: problems that run a program several times are not converted")


def _title(root: Element) -> str:
    names = {language_code(name.get("language", "")): name.get("value", "") for name in root.findall("names/name")}
    return (names.get("en") or next(iter(names.values()), ""))[:200]


def _number(testset: Element, tag: str, most: int, report: Report) -> int | None:
    text = (testset.findtext(tag) or "").strip()
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 20 and 0 < int(text) <= most):
        report.error(FILE, f"testset.{tag}", f"must be a whole number from 1 to {most}, not {text[:40]!r}")
        return None
    return int(text)


def _attachments(root: Element, source: Source) -> dict[str, Content]:
    names = [file.get("path", "") for file in root.findall("files/attachments/file")]
    return {name.rpartition("/")[2]: source.files[name] for name in names if name in source.files}
