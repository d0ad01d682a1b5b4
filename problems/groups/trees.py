"""data/ of a scoring problem as a tree of test groups, in the order of judging; the points of test_group.yaml.

Source: "Test data groups", "Test data configuration" and "Result aggregation" of the package format 2025-09, where a
folder without test_group.yaml is no group: its cases belong to the group above; "Test data groups" and "Default grader
specification" of the legacy one, where every folder that holds cases is one.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from itertools import groupby

from problems.diagnostics import Report
from problems.format.grading import ANY, IGNORE_SAMPLE, NO_GRADING, SCORES, VERDICTS, GradingYaml
from problems.format.typed_mapping import Keys
from problems.package import TestCase
from problems.testgroups import Grading, Points, TestGroup
from problems.translation import Sentence

SAMPLE, SECRET = "sample", "secret"
_FILE = "test_group.yaml"
_ALL_OR_NOTHING = "pass-fail"
_AGGREGATIONS = (_ALL_OR_NOTHING, "sum", "min")
_UNBOUNDED = "unbounded"
_SECRET_POINTS = 100
_MOST_POINTS = 1_000_000_000
KEYS = ("max_score", "score_aggregation", "require_pass")


@dataclass(frozen=True, kw_only=True, slots=True)
class PointsYaml:
    """The content of one file. `max_score` is a number, "unbounded", or None: not set."""

    max_score: float | str | None = None
    aggregation: str | None = None
    requires: tuple[str, ...] = ()
    names: tuple[str, ...] = ()  # the keys that are there


NO_POINTS = PointsYaml()


def read_points(keys: Keys) -> PointsYaml:
    """Read the scoring keys of a test_group.yaml."""
    aggregation = keys.text("score_aggregation")
    if aggregation is not None and aggregation not in _AGGREGATIONS:
        names = {"aggregations": ", ".join(_AGGREGATIONS), "aggregation": aggregation[:40]}
        keys.error("score_aggregation", Sentence("must be one of %(aggregations)s, not %(aggregation)r", **names))
        aggregation = None
    if keys.has("static_validation_score"):
        why = Sentence("is not used: Tally runs no static validators, so nothing gives these points")
        keys.warn("static_validation_score", why)
    keys.words("static_validator_args")
    value = keys.any("max_score")
    max_score: float | str | None = None
    if value == _UNBOUNDED:
        max_score = _UNBOUNDED
    elif isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST_POINTS:
        max_score = float(value)
    elif value is not None:
        most = f"{_MOST_POINTS:,}"
        why = Sentence("must be %(unbounded)s or a whole number from 0 to %(most)s", unbounded=_UNBOUNDED, most=most)
        keys.error("max_score", why)
    requires, present = keys.words("require_pass") or (), tuple(key for key in KEYS if keys.has(key))
    return PointsYaml(max_score=max_score, aggregation=aggregation, requires=requires, names=present)


def points_tree(cases: tuple[TestCase, ...], settings: Mapping[str, PointsYaml], report: Report) -> TestGroup:
    """Return data/ as a tree: samples and secret, with its groups. `settings` is by folder ("secret/1-small")."""
    if SAMPLE in settings:
        for key in settings[SAMPLE].names:
            report.error(f"data/{SAMPLE}/{_FILE}", key, Sentence("is not for samples: they give no points"))
    for name in settings:
        if name.count("/") > 1:
            why = Sentence("lies too deep: only folders directly in data/secret are groups")
            report.error(f"data/{name}/{_FILE}", "", why)
    rule = _rule(settings.get(SECRET, NO_POINTS), _SECRET_POINTS, "sum")
    cases_in: dict[str, list[str]] = {}
    for case in cases:
        if not case.is_sample:
            cases_in.setdefault("/".join(case.name.split("/")[:2]), []).append(case.name)
    groups = [
        _group(name, cases_in.get(name, []), settings, rule, report)
        for name in sorted(settings)
        if name.count("/") == 1 and name.startswith(f"{SECRET}/")
    ]
    secret_cases = tuple(case.name for case in cases if not case.is_sample)
    if groups:
        _check_secret(rule, groups, secret_cases, report)
    _check_requires(SECRET, rule, {SAMPLE}, report)
    parts = [TestGroup(name=SECRET, rule=rule, parts=tuple(groups) or secret_cases)]
    if samples := tuple(case.name for case in cases if case.is_sample):
        parts.insert(0, TestGroup(name=SAMPLE, rule=Points(max_score=0.0, aggregation=_ALL_OR_NOTHING), parts=samples))
    return TestGroup(name="", rule=Points(max_score=rule.max_score), parts=tuple(parts))


def _group(
    name: str, inside: list[str], settings: Mapping[str, PointsYaml], secret: Points, report: Report
) -> TestGroup:
    rule = _rule(settings[name], _UNBOUNDED, _ALL_OR_NOTHING)
    file = f"data/{name}/{_FILE}"
    if not inside:
        report.error(file, "", Sentence("is a test group without a test case"))
    if rule.max_score is None and rule.aggregation == _ALL_OR_NOTHING:
        report.error(file, "max_score", Sentence("is missing: a group that is pass-fail gives all of it or nothing"))
    elif rule.max_score is None and secret.max_score is not None:
        why = Sentence("must be given, since all of secret gives %(most)s at most", most=f"{secret.max_score:g}")
        report.error(file, "max_score", why)
    if secret.aggregation == _ALL_OR_NOTHING and rule.aggregation != _ALL_OR_NOTHING:
        report.error(file, "score_aggregation", Sentence("must be pass-fail, since that of data/secret is"))
    earlier = {SAMPLE, *(other for other in settings if other.startswith(f"{SECRET}/") and other < name)}
    _check_requires(name, rule, earlier, report)
    for other in rule.requires:
        aggregation = settings.get(other, NO_POINTS).aggregation or _ALL_OR_NOTHING
        if other != SAMPLE and aggregation != _ALL_OR_NOTHING:
            report.error(file, "require_pass", Sentence("%(other)s must be pass-fail to be passed", other=other))
    return TestGroup(name=name, rule=rule, parts=tuple(inside))


def _rule(settings: PointsYaml, max_score: float | str | None, aggregation: str) -> Points:
    most = max_score if settings.max_score is None else settings.max_score
    return Points(
        max_score=None if isinstance(most, str) or most is None else float(most),
        aggregation=settings.aggregation or aggregation,
        requires=settings.requires,
    )


def _check_requires(name: str, rule: Points, earlier: set[str], report: Report) -> None:
    known = ", ".join(sorted(earlier))
    for other in rule.requires:
        if other not in earlier:
            why = Sentence("%(other)r is no earlier group (there are: %(known)s)", other=other[:60], known=known)
            report.error(f"data/{name}/{_FILE}", "require_pass", why)


def _check_secret(rule: Points, groups: list[TestGroup], cases: tuple[str, ...], report: Report) -> None:
    file = f"data/{SECRET}"
    inside = {part for group in groups for part in group.parts}
    if outside := [case for case in cases if case not in inside]:
        names = {"case": outside[0], "file": _FILE}
        why = Sentence("has test groups, so %(case)s must lie in one of them: in a folder with %(file)s", **names)
        report.error(file, "", why)
    if rule.max_score is None and rule.aggregation == _ALL_OR_NOTHING:
        report.error(f"{file}/{_FILE}", "max_score", Sentence("must be a number where score_aggregation is pass-fail"))
    total = sum(group.rule.max_score or 0 for group in groups if isinstance(group.rule, Points))
    if rule.aggregation == "sum" and rule.max_score is not None and total > rule.max_score:
        points = {"most": f"{rule.max_score:g}", "total": f"{total:g}"}
        why = Sentence("is %(most)s, but the groups give up to %(total)s: more than it is a judge error", **points)
        report.warn(f"{file}/{_FILE}", "max_score", why)


def legacy_tree(cases: tuple[TestCase, ...], said_of: Callable[[str], GradingYaml], above: GradingYaml) -> TestGroup:
    """Return data/ as a tree. `said_of` returns a folder's settings ("" is data/); `above` applies to all folders."""

    def rule(name: str, inherited: GradingYaml) -> tuple[Grading, GradingYaml]:
        own = said_of(name)
        values = {part.name: getattr(own, part.name) for part in fields(own)}
        merged = replace(inherited, **{name: value for name, value in values.items() if value is not None})
        return _legacy_rule(merged, is_root=not name), merged

    return _legacy_group("", [case.name for case in cases], rule, above)


def domjudge_tree(cases: tuple[TestCase, ...], gradings: Mapping[str, GradingYaml]) -> TestGroup:
    """Return the tree in DOMjudge's dialect, which inherits nothing, from the folders with a file ("" is data/)."""

    def rule(name: str, above: GradingYaml) -> tuple[Grading, GradingYaml]:
        own = gradings.get(name, NO_GRADING)
        score = own.accept_score
        grading = replace(
            _legacy_rule(own, is_root=not name),
            accept_score=score or 0.0,
            reject_score=0.0,
            verdict="first_error",
            accepts_if_any=False,
            is_whole=True,
            has_accept_score=score is not None,
            is_left_out=bool(name) and not any(f"{other}/".startswith(f"{name}/") for other in gradings),
        )
        return grading, above

    return _legacy_group("", [case.name for case in cases], rule, NO_GRADING)


def _legacy_group(
    name: str, cases: list[str], rule: Callable[[str, GradingYaml], tuple[Grading, GradingYaml]], above: GradingYaml
) -> TestGroup:
    """Return a folder's group. `rule` gives its rule, and what the folders in it inherit, from what is `above`."""
    own, below = rule(name, above)
    prefix = f"{name}/" if name else ""
    parts: list[TestGroup | str] = []
    for folder, group in groupby(cases, key=lambda case: case.removeprefix(prefix).split("/")[:-1][:1]):
        names = list(group)
        parts += [_legacy_group(f"{prefix}{folder[0]}", names, rule, below)] if folder else names
    return TestGroup(name=name, rule=own, parts=tuple(parts))


def _legacy_rule(grading: GradingYaml, *, is_root: bool) -> Grading:
    flags = grading.flags or ()
    least, most = grading.range or (-math.inf, math.inf)
    return Grading(
        on_reject=grading.on_reject or "break",
        accept_score=1.0 if grading.accept_score is None else grading.accept_score,
        reject_score=grading.reject_score or 0.0,
        least=least,
        most=most,
        verdict=["worst_error", *(VERDICTS[flag] for flag in flags if flag in VERDICTS)][-1],
        score=["sum", *(flag for flag in flags if flag in SCORES)][-1],
        ignores_sample=is_root and IGNORE_SAMPLE in flags,
        accepts_if_any=ANY in flags,
    )
