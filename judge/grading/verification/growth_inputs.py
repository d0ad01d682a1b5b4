"""Try the package's generator of inputs by size: it must give enough inputs that the validators accept.

The verdicts do not hang on it, so that what is wrong with it is a warning.
"""

from collections.abc import Iterator
from pathlib import Path

from judge.grading.explain.evidence.growth import LEAST_POINTS, LEAST_SPAN, are_enough
from judge.grading.verification.generated import WHOLE_STEPS, open_generator, size_at
from judge.grading.verification.pace import Pace
from judge.grading.verification.validation import name_of
from judge.grading.verification.verified import Findings, Step, about
from problems.package import Package, PackageError
from problems.translation import Sentence
from sandbox.types import Sandbox
from sandbox.workdir import fresh_folder


def check_growth_inputs(
    package: Package, sandbox: Sandbox, work_root: Path, findings: Findings, cpu: int | None, pace: Pace
) -> Iterator[Step]:
    """Generate inputs of doubling sizes up to the first that is refused. Raises SandboxError, OutOfTime."""
    if package.growth_generator is None:
        return
    name, total, sizes, why = name_of(package.growth_generator), len(WHOLE_STEPS), list[int](), ""
    try:
        with (
            fresh_folder(work_root, "sizes-") as folder,
            open_generator(package, sandbox, work_root, folder / "generator", cpu) as generator,
        ):
            for number, step in enumerate(WHOLE_STEPS, start=1):
                generated = generator.make(size_at(step))
                pace.pause()
                if generated.case is not None:
                    sizes.append(generated.case.input.stat().st_size)
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
