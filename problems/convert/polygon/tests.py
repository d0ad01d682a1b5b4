"""Read the tests of a Polygon package, with samples, groups and points.

Points: a group with the policy complete-group is worth all or nothing, otherwise each test is worth its own points.
What a group depends on must be passed too; for that, its folder gets those cases as well, which run only once. Samples
that are worth something count twice: they are shown, and they are in their group.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from xml.etree.ElementTree import Element

from problems.convert.native import Content, NativeCase
from problems.convert.scoring import CasesOfOthers, Part, Scored, scored
from problems.convert.source import Source
from problems.diagnostics import Report
from problems.package import PackageError
from problems.translation import Sentence, listed

_FILE = "problem.xml"
_PATTERN = re.compile(r"([^%]*)%(?:0([1-9]))?d([^%]*)")
_MOST_TESTS = 10_000
_POINTS = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?", re.ASCII)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Test:
    case: NativeCase
    points: float
    group: str


def read_tests(testset: Element, source: Source, examples: Mapping[int, Content]) -> Scored:
    """Return all cases, without groups for a problem without points.

    `examples` are conversations for the page, by the number of their test.
    """
    tests = _tests(testset, source, examples)
    samples = tuple(test.case for test in tests if test.case.is_sample)
    groups = testset.findall("groups/group")
    if not any(test.points for test in tests) and not any(_points(group, source.report) for group in groups):
        return Scored(cases=tuple(test.case for test in tests), groups=())
    secret = scored(_Groups(tests, groups, source.report).parts(), has_samples=bool(samples))
    return replace(secret, cases=(*samples, *secret.cases))


def refuse_standard(testset: Element, source: Source) -> None:
    """Raise PackageError for a package without all answers, or without all inputs that a program makes.

    Inputs that somebody wrote by hand are in a standard package too.
    """
    elements = testset.findall("tests/test")[:_MOST_TESTS]
    quiet = Report()
    inputs, answers = (_paths(testset, tag, len(elements), quiet) for tag in ("input", "answer"))
    generated = [name for name, test in zip(inputs, elements, strict=False) if test.get("method") == "generated"]
    if any(names and not any(name in source.files for name in names) for names in (inputs, answers, generated)):
        why = Sentence(
            "this is a standard package, which has no test data: in Polygon choose Full, and upload that package"
        )
        raise PackageError(_FILE, "", why)


def _tests(testset: Element, source: Source, examples: Mapping[int, Content]) -> list[_Test]:
    elements = testset.findall("tests/test")
    if not elements or len(elements) > _MOST_TESTS:
        why = Sentence("must have between 1 and %(most)s tests", most=_MOST_TESTS)
        source.report.error(_FILE, "testset.tests", why)
        return []
    paths = [_paths(testset, tag, len(elements), source.report) for tag in ("input", "answer")]
    if not all(paths):
        return []
    if missing := [name for names in paths for name in names if name not in source.files]:
        why = Sentence("lists tests whose files are missing: %(files)s", files=listed(missing, 3))
        source.report.error(_FILE, "testset.tests", why)
        return []
    width = max(2, len(str(len(elements))))
    tests = []
    for number, (element, input_name, answer) in enumerate(zip(elements, *paths, strict=True), 1):
        is_sample = element.get("sample") == "true"
        case = NativeCase(
            name=f"{number:0{width}}",
            input=source.files[input_name],
            answer=source.files[answer],
            is_sample=is_sample,
            description=" ".join(element.get("description", "").split())[:200],
            interaction=examples.get(number) if is_sample else None,
        )
        tests.append(_Test(case=case, points=_points(element, source.report), group=element.get("group", "")))
    return tests


def _paths(testset: Element, tag: str, count: int, report: Report) -> list[str]:
    pattern = (testset.findtext(f"{tag}-path-pattern") or "").strip()
    match = _PATTERN.fullmatch(pattern)
    if match is None:
        why = Sentence("must be like tests/%%02d, not %(pattern)r", pattern=pattern[:60])
        report.error(_FILE, f"testset.{tag}-path-pattern", why)
        return []
    return [f"{match[1]}{number:0{match[2] or 1}d}{match[3]}" for number in range(1, count + 1)]


def _points(element: Element, report: Report) -> float:
    text = element.get("points", "0")
    if not _POINTS.fullmatch(text):
        report.error(_FILE, element.tag, Sentence("has points %(text)r, which is no number from 0 up", text=text[:40]))
        return 0.0
    return float(text)


class _Groups:
    """The tests by group, in the order of their first tests."""

    def __init__(self, tests: Sequence[_Test], groups: Sequence[Element], report: Report) -> None:
        self._report = report
        self._others = CasesOfOthers()
        self._elements = {group.get("name", ""): group for group in groups}
        self._tests: dict[str, list[_Test]] = defaultdict(list)
        for test in tests:
            self._tests[test.group].append(test)

    def parts(self) -> list[Part]:
        """Return the parts with points, and those without, which may still fail."""
        parts = []
        for name, tests in self._tests.items():
            if all(test.case.is_sample and not test.points for test in tests) and not self._worth(name):
                continue
            element = self._elements.get(name)
            if element is None or element.get("points-policy") != "complete-group":
                parts += self._each(name, tests)
                continue
            points = self._worth(name) or sum(test.points for test in tests)
            before: list[NativeCase] = []
            for needed in self._needed(name):
                before += self._others.of([test.case for test in self._tests.get(needed, ())], needed)
            parts.append(Part(cases=(*before, *_secret(tests)), points=points, name=name))
        return parts

    def _worth(self, name: str) -> float:
        element = self._elements.get(name)
        return _points(element, self._report) if element is not None else 0.0

    def _each(self, name: str, tests: Sequence[_Test]) -> list[Part]:
        if name in self._elements and self._elements[name].find("dependencies/dependency") is not None:
            why = Sentence(
                "group %(name)r depends on others, but its tests are worth points one by one: each counts alone",
                name=name[:40],
            )
            self._report.warn(_FILE, "groups", why)
        total, worth = sum(test.points for test in tests), self._worth(name)
        share = worth / len(tests) if worth and not total else 0.0
        counted = [test for test in tests if test.points or share or not test.case.is_sample]
        return [Part(cases=_secret([test]), points=test.points or share, name=name) for test in counted]

    def _needed(self, name: str) -> list[str]:
        """Return all groups that must pass for this one, nearest last."""
        order = {name: None}  # a set that keeps its order
        waiting = [name]
        while waiting:
            element = self._elements.get(waiting.pop())
            for dependency in element.findall("dependencies/dependency") if element is not None else ():
                other = dependency.get("group", "")
                if other not in order:
                    order[other] = None
                    waiting.append(other)
        return [*order][:0:-1]


def _secret(tests: Sequence[_Test]) -> tuple[NativeCase, ...]:
    return tuple(replace(test.case, is_sample=False, interaction=None) for test in tests)
