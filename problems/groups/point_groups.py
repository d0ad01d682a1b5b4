"""Test groups of the format 2025-09: read points from test_group.yaml, and build data/ as a tree.

Source: "Test data groups", "Test data configuration" and "Result aggregation" of the package format 2025-09. A folder
without test_group.yaml is no group: its cases belong to the group above.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from problems.diagnostics import Report
from problems.format.typed_mapping import Keys
from problems.package import TestCase
from problems.testgroups import Points, TestGroup
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
        keys.error(
            "score_aggregation",
            Sentence(
                "must be one of %(aggregations)s, not %(aggregation)r",
                aggregations=", ".join(_AGGREGATIONS),
                aggregation=aggregation[:40],
            ),
        )
        aggregation = None
    if keys.has("static_validation_score"):
        keys.warn(
            "static_validation_score",
            Sentence("is not used: Tally runs no static validators, so nothing gives these points"),
        )
    keys.words("static_validator_args")
    return PointsYaml(
        max_score=_max_score(keys),
        aggregation=aggregation,
        requires=keys.words("require_pass") or (),
        names=tuple(key for key in KEYS if keys.has(key)),
    )


def _max_score(keys: Keys) -> float | str | None:
    value = keys.any("max_score")
    if value is None or value == _UNBOUNDED:
        return value if isinstance(value, str) else None
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= _MOST_POINTS:
        keys.error(
            "max_score",
            Sentence(
                "must be %(unbounded)s or a whole number from 0 to %(most)s",
                unbounded=_UNBOUNDED,
                most=f"{_MOST_POINTS:,}",
            ),
        )
        return None
    return float(value)


def points_tree(cases: tuple[TestCase, ...], settings: Mapping[str, PointsYaml], report: Report) -> TestGroup:
    """Return data/ as a tree: samples and secret, and the groups of secret. `said` is by folder ("secret/1-small")."""
    if SAMPLE in settings:
        for key in settings[SAMPLE].names:
            report.error(f"data/{SAMPLE}/{_FILE}", key, Sentence("is not for samples: they give no points"))
    secret = _secret_group([case.name for case in cases if not case.is_sample], settings, report)
    samples = tuple(case.name for case in cases if case.is_sample)
    parts: tuple[TestGroup, ...] = (secret,)
    if samples:
        sample = TestGroup(name=SAMPLE, rule=Points(max_score=0.0, aggregation=_ALL_OR_NOTHING), parts=samples)
        parts = (sample, secret)
    assert isinstance(secret.rule, Points)
    return TestGroup(name="", rule=Points(max_score=secret.rule.max_score), parts=parts)


def _secret_group(cases: list[str], settings: Mapping[str, PointsYaml], report: Report) -> TestGroup:
    rule = _rule(settings.get(SECRET, NO_POINTS), _SECRET_POINTS, "sum")
    names = sorted(name for name in settings if name.count("/") == 1 and name.startswith(f"{SECRET}/"))
    for name in settings:
        if name.count("/") > 1:
            report.error(
                f"data/{name}/{_FILE}", "", Sentence("lies too deep: only folders directly in data/secret are groups")
            )
    if not names:
        _check_requires(SECRET, rule, {SAMPLE}, report)
        return TestGroup(name=SECRET, rule=rule, parts=tuple(cases))
    folders: dict[str, list[str]] = {}
    for case in cases:
        folders.setdefault("/".join(case.split("/")[:2]), []).append(case)
    groups = [_group(name, folders.get(name, []), settings, rule, report) for name in names]
    _check_secret(rule, groups, cases, report)
    return TestGroup(name=SECRET, rule=rule, parts=tuple(groups))


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
        if (
            other in settings
            and other != SAMPLE
            and _rule(settings[other], None, _ALL_OR_NOTHING).aggregation != _ALL_OR_NOTHING
        ):
            report.error(file, "require_pass", Sentence("%(other)s must be pass-fail to be passed", other=other))
    return TestGroup(name=name, rule=rule, parts=tuple(inside))


def _rule(settings: PointsYaml, max_score: float | str | None, aggregation: str) -> Points:
    most = max_score if settings.max_score is None else settings.max_score
    return Points(
        max_score=None if isinstance(most, str) or most is None else float(most),
        aggregation=settings.aggregation or aggregation,
        requires=settings.requires,
    )


def _check_requires(name: str, rule: Points, earlier: Iterable[str], report: Report) -> None:
    names = set(earlier)
    for other in rule.requires:
        if other not in names:
            why = Sentence(
                "%(other)r is no earlier group (there are: %(known)s)", other=other[:60], known=", ".join(sorted(names))
            )
            report.error(f"data/{name}/{_FILE}", "require_pass", why)


def _check_secret(rule: Points, groups: list[TestGroup], cases: list[str], report: Report) -> None:
    file = f"data/{SECRET}"
    inside = {part for group in groups for part in group.parts}
    if outside := [case for case in cases if case not in inside]:
        why = Sentence(
            "has test groups, so %(case)s must lie in one of them: in a folder with %(file)s",
            case=outside[0],
            file=_FILE,
        )
        report.error(file, "", why)
    if rule.max_score is None and rule.aggregation == _ALL_OR_NOTHING:
        report.error(f"{file}/{_FILE}", "max_score", Sentence("must be a number where score_aggregation is pass-fail"))
    _check_requires(SECRET, rule, {SAMPLE}, report)
    most = [group.rule.max_score for group in groups if isinstance(group.rule, Points)]
    total = sum(points for points in most if points is not None)
    if rule.aggregation == "sum" and rule.max_score is not None and total > rule.max_score:
        why = Sentence(
            "is %(most)s, but the groups give up to %(total)s: more than it is a judge error",
            most=f"{rule.max_score:g}",
            total=f"{total:g}",
        )
        report.warn(f"{file}/{_FILE}", "max_score", why)
