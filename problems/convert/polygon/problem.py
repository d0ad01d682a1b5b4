"""Read problems of Codeforces' Polygon: a full package with `problem.xml`.

The format: `problem.xml` names the problem in several languages and lists test sets (limits, patterns for file names,
one element per test), groups with points, checker, interactor, validators, and solutions with tags. The statement is
LaTeX in sections. Checker, interactor and validators follow testlib. A standard package has no tests, only what makes
them. The XML is untrusted: no document types, so no entities; bounded in size, depth and elements.

Source: packages as Polygon makes them; the testlib documentation.
"""

from pathlib import Path
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from problems.convert.native import NativeProblem
from problems.convert.polygon.programs import read_judging, read_solutions, read_validators
from problems.convert.polygon.statements import read_statements
from problems.convert.polygon.tests import read_tests, refuse_standard
from problems.convert.source import Source, title_of
from problems.convert.statementfiles import language_code
from problems.diagnostics import Report
from problems.format.files import printable
from problems.package import PackageError
from problems.translation import Sentence

_MOST_XML_BYTES = 8 * 1024 * 1024
_MOST_ELEMENTS = 100_000
_MOST_DEPTH = 50
FILE = "problem.xml"
_STANDARD_IO = ("", "stdin", "stdout")
_MOST_MS = 300_000
_MOST_BYTES = 1 << 36
# The known parts: what is read below or elsewhere, or why it need not be read. Any other part is refused by name.
_CHILDREN = {  # of elements that say how it is judged
    "judging": {"testset"},
    "judging/testset": {
        "time-limit", "memory-limit", "tests", "groups", "input-path-pattern", "answer-path-pattern",
        "test-count",  # the tests are listed
        "output-path-pattern",  # where a program's output would be written
    },
    "judging/testset/groups": {"group"},
    "judging/testset/groups/group": {"dependencies"},
    "assets": {"checker", "interactor", "validators", "solutions"},
    "assets/checker": {"source", "binary", "copy", "testset"},  # the last: tests of the checker itself
    "assets/interactor": {"source", "binary", "runs"},
}  # fmt: skip
_ATTRIBUTES = {
    "judging": {
        "input-file", "output-file", "run-count", "treat-points-from-checker-as-percent",
        "cpu-name", "cpu-speed", "os",  # of Polygon's machines
    },
    "judging/testset": {"name"},
    "judging/testset/groups/group": {"name", "points", "points-policy", "feedback-policy"},  # the last: what people see
    "assets/checker": {"type", "name"},
    "assets/interactor": {"type", "name"},
}  # fmt: skip
_OF_A_TEST = {"sample", "points", "group", "description", "method", "cmd", "from-file"}  # the last three: who made it
_POLICIES = ("complete-group", "each-test")
_FOLDERS = (
    "files/", "solutions/", "tests/", "statements/", "statement-sections/",  # problem.xml says what of these counts
    "scripts/", "documents/", "materials/",  # what makes the tests, which are there; words for authors
)  # fmt: skip
_NAMES = ("check.", "doall.", "wipe.", "doc.")  # at the top: a copy of the checker, scripts of Polygon
_SCORER = Sentence("has a scorer, a program that gives points: Tally adds up the points of tests and groups only")


class _Refused(Exception):
    def __init__(self, why: Sentence) -> None:
        super().__init__(str(why))
        self.why = why


def read_xml(path: Path, name: str) -> Element:
    """Return the root element of the file, called `name` in messages. Raises PackageError."""
    with path.open("rb") as file:
        raw = file.read(_MOST_XML_BYTES + 1)
    if len(raw) > _MOST_XML_BYTES:
        raise PackageError(name, "", Sentence("has more than %(most)s MiB", most=_MOST_XML_BYTES // 1024 // 1024))
    tree = _Tree()
    try:
        tree.parser.Parse(raw, True)
        return tree.close()
    except _Refused as error:
        raise PackageError(name, "", error.why) from error
    except (expat.ExpatError, ValueError, LookupError, AssertionError) as error:
        raise PackageError(name, "", Sentence("is not valid XML: %(error)s", error=str(error)[:200])) from error


class _Tree(TreeBuilder):
    """A tree that a parser builds, within bounds."""

    def __init__(self) -> None:
        super().__init__()
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.data
        self.parser.StartDoctypeDeclHandler = self.doctype
        self._elements = 0
        self._depth = 0

    def start(self, tag: str, attributes: dict[str, str], /) -> Element:
        self._elements += 1
        self._depth += 1
        if self._elements > _MOST_ELEMENTS or self._depth > _MOST_DEPTH:
            why = Sentence(
                "has more than %(elements)s elements or more than %(depth)s inside each other",
                elements=f"{_MOST_ELEMENTS:,}",
                depth=_MOST_DEPTH,
            )
            raise _Refused(why)
        return super().start(tag, attributes)

    def end(self, tag: str, /) -> Element:
        self._depth -= 1
        return super().end(tag)

    def doctype(self, *_: object) -> None:
        raise _Refused(Sentence("declares a document type, which is not allowed here"))


def read_polygon(source: Source) -> NativeProblem:
    """Return the problem; the report names what Tally does not support."""
    root = read_xml(source.files[FILE], FILE)
    if root.tag != "problem":
        why = Sentence("is a %(tag)s, not a problem: upload the package of one problem", tag=root.tag[:40])
        raise PackageError(FILE, "", why)
    testset = _testset(root, source.report)
    _refuse_unknown(root, source)
    is_interactive = root.find("assets/interactor/source") is not None
    refuse_standard(testset, source)
    statements = read_statements(root, source)
    tests = read_tests(testset, source, statements.examples if is_interactive else {})
    checker = read_judging(root, source, gives_points=bool(tests.groups))
    names = {language_code(name.get("language", "")): name.get("value", "") for name in root.findall("names/name")}
    title = (names.get("en") or next(iter(names.values()), ""))[:200]
    attachments = [file.get("path", "") for file in root.findall("files/attachments/file")]
    return NativeProblem(
        title=title or statements.title or title_of(source.short_name),
        short_name=root.get("short-name", ""),
        cases=tests.cases,
        statements=statements.statements,
        pictures=statements.pictures,
        time_limit_ms=_number(testset, "time-limit", _MOST_MS, source.report),
        memory_bytes=_number(testset, "memory-limit", _MOST_BYTES, source.report),
        checker=checker,
        is_interactive=is_interactive,
        has_checker_scores=bool(tests.groups) and bool(checker),
        input_validators=read_validators(root, source),
        submissions=read_solutions(root, source),
        attachments={name.rpartition("/")[2]: source.files[name] for name in attachments if name in source.files},
        is_scoring=bool(tests.groups),
        groups=tests.groups,
        source=root.get("url", "")[:200],
    )


def _testset(root: Element, report: Report) -> Element:
    """Return the test set called "tests", or the only one; refuse settings that change how a program is run."""
    judging = root.find("judging")
    testsets = judging.findall("testset") if judging is not None else []
    if judging is None or not testsets:
        raise PackageError(FILE, "judging", Sentence("has no test set"))
    chosen = next((testset for testset in testsets if testset.get("name") == "tests"), testsets[0])
    for testset in testsets:
        if testset is not chosen:
            why = Sentence("has a test set %(name)r, which is left out", name=testset.get("name", "")[:40])
            report.warn(FILE, "judging", why)
    for key in ("input-file", "output-file"):
        if (name := judging.get(key, "")) not in _STANDARD_IO:
            why = Sentence(
                "is %(name)r: Tally runs programs with standard input and output only; choose those in Polygon",
                name=name[:40],
            )
            report.error(FILE, f"judging.{key}", why)
    if judging.get("run-count", "1") != "1":
        why = Sentence("is not 1: problems that run a program several times are not converted")
        report.error(FILE, "judging.run-count", why)
    return chosen


def _number(testset: Element, tag: str, most: int, report: Report) -> int | None:
    text = (testset.findtext(tag) or "").strip()
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 20 and 0 < int(text) <= most):
        why = Sentence("must be a whole number from 1 to %(most)s, not %(text)r", most=most, text=text[:40])
        report.error(FILE, f"testset.{tag}", why)
        return None
    return int(text)


def _refuse_unknown(root: Element, source: Source) -> None:
    """Report every unread part that could change a verdict as an error, other files as a warning."""
    report = source.report
    for place, tags in _CHILDREN.items():
        for tag in sorted({child.tag for element in root.findall(place) for child in element} - tags):
            why = _SCORER if tag == "scorer" else Sentence("has %(name)r, which Tally does not know", name=tag[:60])
            report.error(FILE, place.replace("/", "."), why)
    for place, tags in _ATTRIBUTES.items():
        for name in sorted({name for element in root.findall(place) for name in element.attrib} - tags):
            why = Sentence("has %(name)r, which Tally does not know", name=name[:60])
            report.error(FILE, place.replace("/", "."), why)
    of_tests = {name for test in root.findall("judging/testset/tests/test") for name in test.attrib}
    for name in sorted(of_tests - _OF_A_TEST):
        report.warn(FILE, "testset.tests", Sentence("has %(name)r, which is left out", name=name[:60]))
    for group in root.findall("judging/testset/groups/group"):
        if (policy := group.get("points-policy", _POLICIES[-1])) not in _POLICIES:
            why = Sentence("has the points policy %(policy)r, which is not known", policy=policy[:40])
            report.error(FILE, "judging.testset.groups", why)
    _refuse_judging(root, report)
    for file in root.findall("files/resources/file"):  # for a language, unless for other programs than submissions
        assets = {asset.get("name", "").lower() for asset in file.findall("assets/asset")}
        if "solution" in assets or (file.get("for-types") and not assets):
            why = Sentence("is compiled along with submissions (a grader): Tally judges whole programs only")
            report.error(printable(file.get("path", "")) or FILE, "", why)
    rest = [name for name in source.files if not name.startswith(_FOLDERS) and name not in (FILE, "tags")]
    source.warn_left_out([name for name in rest if "/" in name or not name.startswith(_NAMES)])


def _refuse_judging(root: Element, report: Report) -> None:
    for judging in root.findall("judging"):
        if judging.get("treat-points-from-checker-as-percent", "false") != "false":
            why = Sentence("is set: points of a checker are percent of the test's, which Tally does not convert")
            report.error(FILE, "judging.treat-points-from-checker-as-percent", why)
    if any(run.text != "1" for run in root.findall("assets/interactor/runs/run")):
        why = Sentence("has more than the first run: programs are run once per test")
        report.error(FILE, "assets.interactor.runs", why)
    if any(tag.get("value", "") == "run-twice" for tag in root.findall("tags/tag")):
        why = Sentence("has run-twice: problems that run a program several times are not converted")
        report.error(FILE, "tags", why)
    kind = next((checker.get("type", "testlib") for checker in root.findall("assets/checker")), "testlib")
    if kind != "testlib":
        why = Sentence("is %(kind)r: Tally runs checkers that follow testlib", kind=kind[:40])
        report.error(FILE, "assets.checker.type", why)
