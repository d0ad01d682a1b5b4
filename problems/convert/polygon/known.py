"""The known parts of a Polygon package. Any other part that could change a verdict is refused by name.

The tables name what is read elsewhere, or why it need not be read. How a program is run and judged stands in <judging>
and <assets>, and in <files>, where a resource may be compiled along with submissions; what else is in the archive is
known by its folder.

Source: packages as Polygon makes them, and descriptions of them by those who read them.
"""

from xml.etree.ElementTree import Element

from problems.convert.source import Source
from problems.diagnostics import Report
from problems.format.files import printable
from problems.translation import Sentence

_FILE = "problem.xml"
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


def refuse_unknown(root: Element, source: Source) -> None:
    """Report every unread part that could change a verdict as an error, other files as a warning."""
    report = source.report
    for place, tags in _CHILDREN.items():
        for tag in sorted({child.tag for element in root.findall(place) for child in element} - tags):
            why = _SCORER if tag == "scorer" else Sentence("has %(name)r, which Tally does not know", name=tag[:60])
            report.error(_FILE, place.replace("/", "."), why)
    for place, tags in _ATTRIBUTES.items():
        for name in sorted({name for element in root.findall(place) for name in element.attrib} - tags):
            report.error(
                _FILE, place.replace("/", "."), Sentence("has %(name)r, which Tally does not know", name=name[:60])
            )
    of_tests = {name for test in root.findall("judging/testset/tests/test") for name in test.attrib}
    for name in sorted(of_tests - _OF_A_TEST):
        report.warn(_FILE, "testset.tests", Sentence("has %(name)r, which is left out", name=name[:60]))
    for group in root.findall("judging/testset/groups/group"):
        if (policy := group.get("points-policy", _POLICIES[-1])) not in _POLICIES:
            why = Sentence("has the points policy %(policy)r, which is not known", policy=policy[:40])
            report.error(_FILE, "judging.testset.groups", why)
    _refuse_judging(root, report)
    for file in root.findall("files/resources/file"):  # for a language, unless for other programs than submissions
        assets = {asset.get("name", "").lower() for asset in file.findall("assets/asset")}
        if "solution" in assets or (file.get("for-types") and not assets):
            why = Sentence("is compiled along with submissions (a grader): Tally judges whole programs only")
            report.error(printable(file.get("path", "")) or _FILE, "", why)
    rest = [name for name in source.files if not name.startswith(_FOLDERS) and name not in (_FILE, "tags")]
    source.warn_left_out([name for name in rest if "/" in name or not name.startswith(_NAMES)])


def _refuse_judging(root: Element, report: Report) -> None:
    for judging in root.findall("judging"):
        if judging.get("treat-points-from-checker-as-percent", "false") != "false":
            why = Sentence("is set: points of a checker are percent of the test's, which Tally does not convert")
            report.error(_FILE, "judging.treat-points-from-checker-as-percent", why)
    if any(run.text != "1" for run in root.findall("assets/interactor/runs/run")):
        why = Sentence("has more than the first run: programs are run once per test")
        report.error(_FILE, "assets.interactor.runs", why)
    if any(tag.get("value", "") == "run-twice" for tag in root.findall("tags/tag")):
        why = Sentence("has run-twice: problems that run a program several times are not converted")
        report.error(_FILE, "tags", why)
    kind = next((checker.get("type", "testlib") for checker in root.findall("assets/checker")), "testlib")
    if kind != "testlib":
        why = Sentence("is %(kind)r: Tally runs checkers that follow testlib", kind=kind[:40])
        report.error(_FILE, "assets.checker.type", why)
