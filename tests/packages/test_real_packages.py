"""Packages that nobody here wrote: each is imported and verified, or refused for a reason that names what is wrong."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from judge.grading.explain import OF_TIME
from judge.grading.verdicts import Verdict
from judge.grading.verification.verification import verify
from judge.grading.verification.verified import ReportRecord, SubmissionVerified
from judge.management.terminal import open_package
from problems.package import PackageErrors
from sandbox.jail.nsjail import NsjailSandbox
from tests.explain.grading import STATEMENTS
from tests.extent import RUNS_ALL
from tests.packages.report import Became
from tests.packages.sdists import real_packages

EXPECTED: dict[str, dict[str, Any]] = tomllib.loads(Path(__file__).with_name("expected.toml").read_text())
PACKAGES = real_packages()
REFUSED = {name: entry["refused"] for name, entry in EXPECTED.items() if "refused" in entry}
SLOW = {"bapctools/guess", "bapctools/testexpectations", "problemtools/guess"}  # half a minute and more each
JUDGED = sorted(PACKAGES.keys() - REFUSED.keys())
CHOSEN = JUDGED if RUNS_ALL else [name for name in JUDGED if name not in SLOW][::12]


def test_every_package_is_known_by_name() -> None:
    assert len(PACKAGES) == 35
    assert EXPECTED.keys() | SLOW <= PACKAGES.keys()


@pytest.mark.parametrize("name", sorted(REFUSED))
@pytest.mark.each
def test_a_package_is_refused_by_name(name: str, became: list[Became]) -> None:
    with pytest.raises(PackageErrors) as caught, open_package(PACKAGES[name]):
        pass
    assert any(REFUSED[name] in str(error) for error in caught.value.errors)
    became.append(Became(name=name, is_refused=True, words=tuple(str(error) for error in caught.value.errors)))


@pytest.mark.parametrize("name", sorted(SLOW))
def test_a_package_that_takes_long_is_read(name: str) -> None:
    with open_package(PACKAGES[name]) as package:
        assert package.submissions
        assert package.test_cases


@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", CHOSEN)
@pytest.mark.each
def test_a_package_judges_as_its_setter_says(
    name: str, sandbox: NsjailSandbox, work_root: Path, became: list[Became]
) -> None:
    with open_package(PACKAGES[name]) as package:
        *told, report = verify(package, sandbox, work_root)
    assert isinstance(report, ReportRecord)
    answer = report.as_json()
    run = [one for one in answer["submissions"] if one["verdict"] is not None]
    differs = {one["path"]: one["verdict"] for one in run if not one["ok"]}
    reasons = EXPECTED.get(name, {}).get("differs", {})
    too_slow = [one for one in told if isinstance(one, SubmissionVerified) and one.verdict is Verdict.TLE]
    words = tuple(f"{path} got {verdict}: {reasons.get(path, 'NOT KNOWN WHY')}" for path, verdict in differs.items())
    became.append(
        Became(
            name=name,
            is_refused=False,
            run=len(run),
            not_run=len(answer["submissions"]) - len(run),
            as_expected=len(run) - len(differs),
            too_slow=len(too_slow),
            with_cause=sum(bool(OF_TIME & set(one.findings)) for one in too_slow),
            unexplained=tuple(one.path for one in too_slow if not STATEMENTS & set(one.findings)),
            time_limit_ms=answer["time_limit_ms"],
            words=words,
        )
    )
    assert differs.keys() == reasons.keys(), answer["errors"]
    if not reasons:
        assert answer["ok"], answer["errors"]
