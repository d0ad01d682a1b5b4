"""Run the output validator on known outputs: the jury's answers, and outputs with a known judgement.

It must accept the answers of samples, which people see. The others may be mere hints for a validator of the package:
where it accepts none of them they are, and where it rejects some that is worth a look.

Source: "Validation of shared test case files" of the ICPC/Kattis problem package format 2025-09.
"""

from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path

from judge.grading.checkers.checking import Checker, open_checker
from judge.grading.verification.pace import Pace
from judge.grading.verification.verified import Findings, Step, about
from problems.format.datatext import odd_forms
from problems.package import Package, PackageError, TestCase
from problems.translation import Sentence, joined
from sandbox.types import Sandbox


@dataclass(frozen=True, kw_only=True, slots=True)
class _Known:
    """An output with a known judgement. `file` is its name below the package.

    Without `is_certain` it is a secret answer, which may be no output at all.
    """

    case: TestCase
    output: Path
    file: str
    is_right: bool
    is_certain: bool = True


def check_outputs(
    package: Package, sandbox: Sandbox, work_root: Path, findings: Findings, cpu: int | None, pace: Pace
) -> Generator[Step, None, str]:
    """Check all of them; none for an interactive or a multi-pass problem. Raises SandboxError, OutOfTime.

    Returns the first failure of the output validator, after which it is asked no further; "" if it always had a word.
    """
    if package.is_interactive or package.most_passes > 1:
        return ""
    distinct: dict[str, TestCase] = {}  # equal cases once
    for case in package.test_cases:
        distinct.setdefault(case.digest or case.name, case)
    answers = [
        _Known(case=case, output=case.answer, file=f"data/{case.name}.ans", is_right=True, is_certain=case.is_sample)
        for case in distinct.values()
    ]
    for outputs, is_right in ((package.valid_outputs, True), (package.invalid_outputs, False)):
        answers += [
            _Known(case=case, output=output, file=f"data/{case.name}.out", is_right=is_right)
            for case, output in outputs
        ]
    hints: list[Sentence] = []  # what is wrong with answers that need not be outputs
    with open_checker(package, sandbox, work_root, cpu) as checker:
        for number, answer in enumerate(answers, start=1):
            try:
                problem = _ask(checker, answer)
            except PackageError as error:
                findings.error(error.sentence)
                yield Step(phase="outputs", name=answer.file, done=number, total=len(answers), problem=error.sentence)
                return error.sentence
            if problem and answer.is_certain:
                findings.error(about(answer.file, problem))
            elif problem:
                hints.append(about(answer.file, problem))
            certain = problem if answer.is_certain else None  # of the others it is not known before the last one
            yield Step(phase="outputs", name=answer.file, done=number, total=len(answers), problem=certain or "")
            pace.pause()
    if len(hints) < sum(not answer.is_certain for answer in answers):
        for hint in hints:
            findings.warn(hint)
    return ""


def _ask(checker: Checker, answer: _Known) -> Sentence | None:
    """Return what is wrong; None for nothing."""
    judgement = checker.check(answer.case, answer.output)
    if judgement.is_accepted == answer.is_right:
        return None
    why = Sentence("is accepted by the checker, though it must be rejected")
    if answer.is_right:
        why = Sentence("is rejected by the checker, though it must be accepted")
    if judgement.message:
        why = joined([why, judgement.message], ": ")
    return joined((why, *(form.value for form in odd_forms(answer.output)))) if answer.is_right else why
