"""Run every input validator on every input, and the output validator on outputs whose judgement is known.

Inputs are judged ones, those that must be rejected, and generated ones by size. The verdicts do not hang on their
generator, so that what is wrong with it is a warning.

The output validator must accept the answers of samples, which people see. The others may be mere hints for a validator
of the package: where it accepts none of them they are, and where it rejects some that is worth a look.

Source: "Validation of shared test case files" of the ICPC/Kattis problem package format 2025-09.
"""

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from judge.grading.checkers.checking import Checker, open_checker
from judge.grading.explain.evidence.growth import LEAST_POINTS, LEAST_SPAN, are_enough
from judge.grading.verification.generated import WHOLE_STEPS, open_generator, size_at
from judge.grading.verification.jury import Jury
from judge.grading.verification.validation import BuiltValidator, Opinion, name_of, open_input_validator
from judge.grading.verification.verified import Findings, InputsChecked, Step, about
from problems.format.datatext import odd_forms
from problems.loading.lint import input_digest
from problems.package import PackageError, TestCase
from problems.translation import CountedSentence, Sentence, joined
from sandbox.workdir import fresh_folder

_MOST_REJECTED = 10  # named for one validator


class InputsCheck:
    """The phase `inputs` of one package. `checked` summarises it at the end."""

    def __init__(self, jury: Jury, validators: Sequence[BuiltValidator], findings: Findings) -> None:
        self._jury = jury
        self._package = package = jury.package
        self._validators = validators
        self._findings = findings
        good = [case for case, _ in (*package.valid_outputs, *package.invalid_outputs)]
        self._good = [*package.test_cases, *good]
        self._rejected: set[str] = set()  # names of cases, by any validator
        self._has_words_of_all = True
        self._runs = 0
        self._shown: set[str] = set()  # names of cases

    @property
    def checked(self) -> InputsChecked:
        """The summary of what was done."""
        return InputsChecked(
            validators=tuple(validator.name for validator in self._validators),
            files=len(self._shown),
            runs=self._runs,
            rejected=sum(case.name in self._rejected for case in self._good),
        )

    def run(self) -> Iterator[Step]:
        """Run all, one validator after the other. Raises SandboxError, OutOfTime."""
        cases = [*self._good, *self._package.invalid_inputs]
        digests = {case.name: input_digest(case) for case in cases} if self._validators else {}
        total = len(cases) * len(self._validators)
        for place, validator in enumerate(self._validators):
            jail = open_input_validator(validator, self._package.limits, self._jury.sandbox, self._jury.cpu)
            with jail as opened:
                opinions: dict[tuple[str, tuple[str, ...]], Opinion] = {}
                refused = 0
                for number, case in enumerate(cases, start=place * len(cases) + 1):
                    key = digests[case.name], opened.args_of(case)
                    if key not in opinions:
                        opinions[key] = opened.ask(case)
                        self._runs += 1
                        self._jury.pace.pause()
                    self._shown.add(case.name)
                    problem = self._note(case, opinions[key], validator.name, is_named=refused < _MOST_REJECTED)
                    refused += bool(problem)
                    yield Step(phase="inputs", name=_file(case), done=number, total=total, problem=problem or "")
                    if not opinions[key].is_certain:
                        self._has_words_of_all = False
                        break
                if refused > _MOST_REJECTED:
                    more = refused - _MOST_REJECTED
                    why = CountedSentence(
                        "rejects %(number)s inputs more", "rejects %(number)s inputs more", more, number=more
                    )
                    self._findings.error(about(validator.name, why))
        for case in self._package.invalid_inputs if self._has_words_of_all else ():
            if case.name not in self._rejected:
                problem = Sentence("is rejected by no input validator, though it must be")
                self._findings.error(about(_file(case), problem))

    def _note(self, case: TestCase, opinion: Opinion, validator: str, *, is_named: bool) -> Sentence | None:
        """Return the error in this opinion; None if there is none."""
        if not opinion.is_certain:
            problem = Sentence(
                "gives no word on %(file)s, and is asked no further: %(words)s", file=_file(case), words=opinion.words
            )
            self._findings.error(about(validator, problem))
            return problem
        if opinion.is_accepted:
            return None
        self._rejected.add(case.name)
        if case.name.startswith("invalid_input/"):
            return None
        problem = Sentence("is rejected by %(validator)s: %(words)s", validator=validator, words=opinion.words)
        if is_named:
            problem = joined((problem, *(form.value for form in odd_forms(case.input))))
            self._findings.error(about(_file(case), problem))
        return problem


def _file(case: TestCase) -> str:
    return f"data/{case.name}.in"


def check_growth_inputs(jury: Jury, findings: Findings) -> Iterator[Step]:
    """Generate inputs of doubling sizes up to the first that is refused. Raises SandboxError, OutOfTime."""
    package = jury.package
    if package.growth_generator is None:
        return
    name, total, sizes, why = name_of(package.growth_generator), len(WHOLE_STEPS), list[int](), ""
    try:
        with (
            fresh_folder(jury.work_root, "sizes-") as folder,
            open_generator(package, jury.sandbox, jury.work_root, folder / "generator", jury.cpu) as generator,
        ):
            for number, step in enumerate(WHOLE_STEPS, start=1):
                generated = generator.make(size_at(step))
                jury.pace.pause()
                if generated.case is not None:
                    sizes.append(generated.size)
                    yield Step(phase="inputs", name=f"{name} {size_at(step)}", done=number, total=total)
                    continue
                why = generated.why
                if sizes:
                    break
    except PackageError as error:
        findings.warn(error.sentence)
        return
    if not are_enough(sizes):
        sentence = Sentence(
            "does not suffice to measure growth: the input validators must accept inputs of at least %(least)s sizes, "
            "the largest %(span)s times as long as the smallest (accepted: %(number)s; the last refusal: %(why)s)",
            number=str(len(set(sizes))),
            least=str(LEAST_POINTS),
            span=f"{LEAST_SPAN:g}",
            why=why,
        )
        findings.warn(about(name, sentence))


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


def check_outputs(jury: Jury, findings: Findings) -> Generator[Step, None, str]:
    """Check all of them; none for an interactive or a multi-pass problem. Raises SandboxError, OutOfTime.

    Returns the first failure of the output validator, after which it is asked no further; "" if it always had a word.
    """
    package = jury.package
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
    with open_checker(package, jury.sandbox, jury.work_root, jury.cpu) as checker:
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
            jury.pace.pause()
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
