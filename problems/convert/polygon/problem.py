"""Read problems of Codeforces' Polygon: a full package with `problem.xml`.

The format: `problem.xml` names the problem in several languages and lists test sets (limits, patterns for file names,
one element per test), groups with points, checker, interactor, validators, and solutions with tags. The statement is
LaTeX in sections. Checker, interactor and validators follow testlib. A standard package has no tests, only what makes
them. The XML is untrusted: no document types, so no entities; bounded in size, depth and elements.

Source: packages as Polygon makes them; the testlib documentation.
"""

import re
from pathlib import Path, PurePosixPath
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from problems.convert.native import Content, Files, NativeProblem
from problems.convert.polygon.statements import read_statements
from problems.convert.polygon.tests import read_tests, refuse_standard
from problems.convert.source import Source, language_code, suffix_of, title_of
from problems.convert.testlib import Program, checker_files, includes, interactor_files, source_name, validator_files
from problems.diagnostics import Report
from problems.format.files import printable
from problems.package import PackageError
from problems.translation import Sentence, SentenceError

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


class _Refused(SentenceError):
    """XML that is not read."""


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


_HEADERS = (".h", ".hpp", ".hh", ".inc")
_FOLDERS_BY_TAG = {
    "main": "accepted", "accepted": "accepted", "wrong-answer": "wrong_answer", "presentation-error": "wrong_answer",
    "time-limit-exceeded": "time_limit_exceeded", "memory-limit-exceeded": "run_time_error", "rejected": "rejected",
    "failed": "rejected",
}  # fmt: skip
_RESULTS = {
    "accepted": "CORRECT", "wrong-answer": "WRONG-ANSWER", "presentation-error": "WRONG-ANSWER",
    "time-limit-exceeded": "TIMELIMIT", "memory-limit-exceeded": "RUN-ERROR",
}  # fmt: skip
_MIXED = "mixed"
_COMMENTS = {".py": "#", ".py2": "#", ".rb": "#", ".hs": "--", ".ml": ""}
_MOST_SOURCE = 1024 * 1024


def read_judging(root: Element, source: Source, *, gives_points: bool) -> Files:
    """Return checker and interactor as in NativeProblem; the report gets those that cannot run."""
    checker = _program(root.find("assets/checker"), Sentence("checker"), source)
    element = root.find("assets/interactor")
    if element is not None:
        interactor = _program(element, Sentence("interactor"), source)
        return {} if interactor is None else interactor_files(interactor, checker, gives_points=gives_points)
    if root.find("assets/checker") is None:
        source.report.warn(FILE, "assets.checker", Sentence("is missing: outputs are compared word by word"))
    return checker_files(checker, gives_points=gives_points) if checker else {}


def read_validators(root: Element, source: Source) -> Files:
    """Return the validators, each in its folder."""
    files: dict[str, Content] = {}
    for number, element in enumerate(root.findall("assets/validators/validator"), 1):
        if (program := _program(element, Sentence("validator"), source)) is not None:
            files |= validator_files(program, f"validator-{number}")
    return files


def read_solutions(root: Element, source: Source) -> Files:
    """Return the solutions in the folders that correspond to their tags."""
    files: dict[str, Content] = {}
    for element in root.findall("assets/solutions/solution"):
        tag, inner = element.get("tag", ""), element.find("source")
        path, kind = (inner.get("path", ""), inner.get("type", "")) if inner is not None else ("", "")
        if path not in source.files:
            why = Sentence("%(path)s is missing: it is left out", path=printable(path, 60))
            source.report.warn(FILE, "assets.solutions", why)
            continue
        name, file = PurePosixPath(path).name, source.files[path]
        if kind.startswith(("python.2", "python.pypy2")):
            name = f"{PurePosixPath(path).stem}.py2"
        results = [_RESULTS.get(part, "") for part in tag.split("-or-")]
        comment = _COMMENTS.get(PurePosixPath(name).suffix, "//")
        if tag in _FOLDERS_BY_TAG:
            files[f"{_FOLDERS_BY_TAG[tag]}/{name}"] = file
        elif len(results) > 1 and all(results) and comment and 0 < file.stat().st_size < _MOST_SOURCE:
            expected = f"\n{comment} @EXPECTED_RESULTS@: {', '.join(results)}\n"  # as DOMjudge writes it
            files[f"{_MIXED}/{name}"] = file.read_bytes() + expected.encode()
        else:
            source.report.warn(printable(path), "", Sentence("is left out: its tag is %(tag)r", tag=tag[:60]))
    return files


def _program(element: Element | None, what: Sentence, source: Source) -> Program | None:
    """Return the program of the element's <source>, with headers it may include; None after an error."""
    inner = element.find("source") if element is not None else None
    if inner is None:
        return None
    path, kind = inner.get("path", ""), inner.get("type", "")
    if path not in source.files:
        why = Sentence("is missing: problem.xml names it as the %(what)s", what=what)
        source.report.error(printable(path) or FILE, "", why)
        return None
    if not kind.startswith(("cpp.", "python.3", "python.pypy3")):
        language = kind[:40] or Sentence("an unknown language")
        why = Sentence("is a %(what)s in %(kind)s: Tally runs those in C++ and Python 3", what=what, kind=language)
        source.report.error(printable(path), "", why)
        return None
    name = source_name(path, ".py" if kind.startswith("python.") else ".cpp")
    if kind.startswith("python."):
        return Program(name=name, content=source.files[path])
    headers: dict[str, Content] = {
        PurePosixPath(other).name: source.files[other]
        for folder in ("files", PurePosixPath(path).parent.as_posix())
        for other in source.files
        if PurePosixPath(other).parent.as_posix() == folder and suffix_of(other) in _HEADERS
    }
    text = source.files[path].read_bytes() if source.files[path].stat().st_size < _MOST_SOURCE else b""
    if "testlib.h" in includes(text) and "testlib.h" not in headers:
        why = Sentence("is missing: the %(what)s %(name)s includes it", what=what, name=name)
        source.report.error("files/testlib.h", "", why)
    # of cpp.g++17, cpp.gcc14-64-msys2-g++23, cpp.ms2017
    match = re.search(r"g\+\+(\d{2})", kind) or re.search(r"ms20(\d{2})", kind)
    year = match[1] if match else ""
    standard = f"c++{year}" if year in ("11", "14", "17", "20", "23") else "c++17"
    return Program(name=name, content=source.files[path], standard=standard, others=headers)
