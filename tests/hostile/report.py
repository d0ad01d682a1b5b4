"""The report of a run of the whole corpus: one line per case."""

import platform
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from judge.languages import detect_all
from tests.hostile.corpus import CASES, EXCLUDED, HAS_SHARED, Case

REPORT = Path(__file__).parent / "REPORT.md"


@dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    """What became of one case."""

    file: str
    category: str
    expected: str
    verdict: str
    seconds: float
    problems: tuple[str, ...]

    @staticmethod
    def of(case: Case, verdict: str, seconds: float, problems: list[str]) -> "Line":
        """The line of a case that was run."""
        return Line(
            file=case.file,
            category=case.category,
            expected=" ".join(sorted(case.verdicts)),
            verdict=verdict,
            seconds=seconds,
            problems=tuple(problems),
        )


def write_report(lines: list[Line], through_site: Mapping[str, tuple[int, int]]) -> None:
    """Write tests/hostile/REPORT.md; `through_site`: of a test file, how many tests passed, and of how many."""
    failed = [line for line in lines if line.problems]
    text = [
        "# The acceptance corpus, last run in full",
        "",
        f"Written by `make test-hostile` on Linux {platform.release()}, Python {platform.python_version()}: "
        f"{len(lines) - len(failed)} of {len(CASES)} cases pass. Times are of the whole grading, compiler included.",
        f"The programs are those of {'shared/hostile as it stood' if HAS_SHARED else 'our copy of shared/hostile'}; "
        f"the compilers: {'; '.join(toolchain.version for toolchain in detect_all().values())}.",
        "",
        "| category | pass | of |",
        "| --- | --- | --- |",
    ]
    totals = Counter(line.category for line in lines)
    passed = Counter(line.category for line in lines if not line.problems)
    text += [f"| {category} | {passed[category]} | {total} |" for category, total in totals.items()]
    text += ["", "From the form on a problem's page to the pages of the result:"]
    text += [f"- {file}: {passed} of {total}" for file, (passed, total) in through_site.items()]
    text += ["", "Not in this corpus:"]
    text += [f"- {what}: {why}" for what, why in EXCLUDED.items()]
    text += ["", "| case | verdict | expected | seconds | |", "| --- | --- | --- | --- | --- |"]
    for line in lines:
        problems = "ok" if not line.problems else "**" + "; ".join(line.problems).replace("|", "\\|") + "**"
        text.append(f"| {line.file} | {line.verdict} | {line.expected} | {line.seconds:.1f} | {problems} |")
    REPORT.write_text("\n".join(text) + "\n")
