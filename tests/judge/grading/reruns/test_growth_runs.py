"""Extra runs for the growth of a program, in the real jail: on generated inputs, and on the problem's own."""

import textwrap
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from judge.grading.events import Finding, GradingJob, RerunEnded
from judge.grading.explain import in_words
from judge.grading.languages import language_by_id
from judge.grading.reruns import growth_runs
from judge.grading.reruns.growth_runs import NO_LINE, ONE_RUN_ONLY, TOO_FEW, measure_growth
from judge.grading.verification.data import check_growth_inputs
from judge.grading.verification.generated import open_generator
from judge.grading.verification.jury import Jury
from judge.grading.verification.verified import Findings
from problems.package import Package, PackageProgram
from sandbox.jail.nsjail import NsjailSandbox
from tests.judge.packages import LIMITS, make_package

LIMIT_MS = 600
MOST = 40_000
GENERATOR = "import sys\nn = int(sys.argv[1])\nprint(n)\nprint('7' * n)\n"
VALIDATOR = f"""
    import sys
    n, digits = sys.stdin.read().split()
    sys.exit(42 if 4 <= int(n) == len(digits) <= {MOST} else 43)
    """
QUADRATIC = """
    n = int(input())
    for i in range(n // 6):
        for j in range(n // 6):
            pass
    """
ERRATIC = """
    import time
    n = int(input())
    seconds = (0.03, 0.12)[n.bit_length() % 2] if n > 4 else 0
    while time.process_time() < seconds: pass
    """
Measure = Callable[..., RerunEnded[Finding]]


def program_of(folder: Path, name: str, source: str) -> PackageProgram:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(textwrap.dedent(source))
    return PackageProgram(path=path, language="python", entry=path.name, name=name)


def package_of(folder: Path, sizes: tuple[int, ...], generator: str | None = GENERATOR) -> Package:
    """A problem with cases of these sizes, an input validator, and perhaps a generator of inputs by size."""
    cases = {f"secret/{size:06}": (f"{size}\n{'7' * size}\n", "\n") for size in sizes}
    return replace(
        make_package(folder, cases, limits=replace(LIMITS, time_limit_ms=LIMIT_MS)),
        input_validators=(program_of(folder, "input_validators/check.py", VALIDATOR),),
        growth_generator=program_of(folder, "generators/growth.py", generator) if generator else None,
    )


@pytest.fixture
def package(tmp_path: Path) -> Package:
    """One small case, and a large one that a quadratic program does not finish in time."""
    return package_of(tmp_path, (5, MOST))


@pytest.fixture
def measure(package: Package, sandbox: NsjailSandbox, work_root: Path) -> Measure:
    """A function that measures the growth of a program for the package, or for another one."""

    def run(source: str, given: Package = package, **changes: object) -> RerunEnded[Finding]:
        job = GradingJob(package=given, language="python", source=textwrap.dedent(source).encode(), cpu=0)
        return measure_growth(replace(job, **changes), "secret/000005", sandbox, work_root)  # type: ignore[arg-type]

    return run


def test_a_quadratic_program_that_the_limit_stopped_gets_its_power_from_generated_inputs(measure: Measure) -> None:
    tries = (measure(QUADRATIC).result for _ in range(5))  # of times that differ too much, nothing is said
    found = next(result for result in tries if result is not None)
    evidence = found.evidence
    assert evidence["low_percent"] <= 200 <= evidence["high_percent"]
    assert evidence["inputs"] == "generated"
    assert evidence["test_cases"] >= 6
    assert evidence["most_bytes"] <= MOST < evidence["largest_bytes"]
    text = in_words(found, language_by_id("python")).text
    assert f"from extra runs on {evidence['test_cases']} generated inputs of " in text
    assert "Such an input as large as the largest test case of the problem, 39.1 KiB, would take about" in text


@pytest.mark.thorough
def test_nothing_is_said_of_times_that_are_no_power_of_the_size(measure: Measure) -> None:
    found = measure(ERRATIC)
    assert (found.result, found.problem) == (None, NO_LINE)


def test_nothing_is_said_of_a_program_that_is_quick_on_every_input(measure: Measure) -> None:
    tries = (measure("print(1)") for _ in range(5))  # on a host whose speed changes, the runs seem to need time
    assert any((found.result, found.problem) == (None, TOO_FEW) for found in tries)


@pytest.mark.thorough
def test_nothing_is_said_where_the_largest_case_is_much_harder(measure: Measure) -> None:
    found = measure("n = int(input())\nif n == 40_000:\n    while True: pass\nsum(range(200 * n))")
    assert (found.result, found.problem) == (None, NO_LINE)


@pytest.mark.thorough
def test_without_a_generator_all_cases_are_run_also_those_that_were_not_judged(
    measure: Measure, tmp_path: Path
) -> None:
    sizes = (5, 4_000, 5_500, 8_000, 11_000, 16_500, MOST - 1, MOST)
    found = measure(QUADRATIC, package_of(tmp_path / "own", sizes, generator=None)).result
    assert found is not None
    assert found.evidence["inputs"] == "own"
    assert 160 <= found.evidence["power_percent"] <= 240
    assert "from extra runs on" in in_words(found, language_by_id("python")).text


def test_without_a_generator_and_with_few_cases_nothing_is_said(measure: Measure, tmp_path: Path) -> None:
    found = measure(QUADRATIC, package_of(tmp_path / "few", (5, 3_000), generator=None))
    assert (found.result, found.problem) == (None, TOO_FEW)


def test_others_may_go_first_before_each_run_and_time_is_limited(
    measure: Measure, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns: list[int] = []
    monkeypatch.setattr(growth_runs, "MOST_S", 0.0)
    assert measure(QUADRATIC, between=lambda: turns.append(1)).problem == TOO_FEW
    assert len(turns) == 1


def test_a_conversation_is_not_measured(measure: Measure, package: Package) -> None:
    assert measure(QUADRATIC, replace(package, is_interactive=True)).problem == ONE_RUN_ONLY


def test_no_input_counts_that_the_generator_or_a_validator_refuses(
    package: Package, sandbox: NsjailSandbox, work_root: Path, tmp_path: Path
) -> None:
    with open_generator(package, sandbox, work_root, work_root / "generator") as generator:
        made = generator.make(100)
        assert made.case is not None
        assert made.case.input.read_text() == f"100\n{'7' * 100}\n"
        too_large = generator.make(MOST + 1)
        assert too_large.case is None
        assert too_large.why.startswith("input_validators/check.py: exit code 43")
    fails = program_of(tmp_path, "generators/fails.py", "import sys\nsys.exit('no such size')")
    with open_generator(
        replace(package, growth_generator=fails), sandbox, work_root, work_root / "failing"
    ) as generator:
        refused = generator.make(100)
        assert refused.case is None
        assert refused.why == "exit code 1 no such size"


@pytest.mark.each
@pytest.mark.parametrize(
    ("generator", "warning"),
    [
        (GENERATOR, ""),
        ("print(7, '7' * 7)", "(accepted: 1; the last refusal: "),
        ("print(", "does not compile"),
        ("print('nonsense')", "(accepted: 0; the last refusal: input_validators/check.py: exit code 1"),
    ],
)
def test_verifying_a_package_tries_its_generator(
    generator: str, warning: str, sandbox: NsjailSandbox, work_root: Path, tmp_path: Path
) -> None:
    findings = Findings()
    package = package_of(tmp_path, (5,), generator)
    steps = list(check_growth_inputs(Jury(package=package, sandbox=sandbox, work_root=work_root, cpu=0), findings))
    assert not findings.errors
    if warning:
        (told,) = findings.warnings
        assert told.startswith("generators/growth.py: ")
        assert warning in told
    else:
        assert not findings.warnings
        assert steps[0].name == "generators/growth.py 4"
        assert steps[-1].name == "generators/growth.py 32768"
