"""The report of a run of the whole corpus: one line per case."""

import platform
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from judge.grading.languages import detect_all
from tests.hostile.corpus.corpus import CASES, CORPUS, EXCLUDED, SOURCE, Case
from tests.hostile.grading import Graded

_FOLDER = Path(__file__).parent
REPORT = _FOLDER / "REPORT.md" if CORPUS is None else _FOLDER.parents[1] / "var" / "hostile" / f"{CORPUS.name}.md"


@dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    """What became of one case."""

    id: str
    category: str
    expected: str
    verdict: str
    seconds: float
    problems: tuple[str, ...]

    @staticmethod
    def of(case: Case, gradings: list[Graded], problems: list[str]) -> "Line":
        """The line of a case with all its gradings, the slowest of which counts; none if the form was to refuse it."""
        return Line(
            id=case.id,
            category=case.category,
            expected=" ".join(sorted([*case.verdicts, *(["REJECTED"] if case.may_be_refused else [])])),
            verdict=" ".join(sorted({graded.verdict for graded in gradings})) or "by the form",
            seconds=max((graded.seconds for graded in gradings), default=0.0),
            problems=tuple(problems),
        )


def write_report(lines: list[Line], through_site: Mapping[str, tuple[int, int]]) -> None:
    """Write the report; `through_site`: of a test file, how many tests passed, and of how many."""
    failed = [line for line in lines if line.problems]
    text = [
        "# The acceptance corpus, last run in full",
        "",
        f"Written by `make test-hostile` on Linux {platform.release()}, Python {platform.python_version()}: "
        f"{len(lines) - len(failed)} of {len(CASES)} cases pass, {len(CASES) - len(lines)} were not run. "
        "Times are from the start of compilation to the verdict, of the slowest grading.",
        f"The programs are those of {SOURCE}; "
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
    text += ["", "Not run:"]
    text += [f"- {what}: {why}" for what, why in EXCLUDED.items()]
    text += ["", "| case | verdict | expected | seconds | |", "| --- | --- | --- | --- | --- |"]
    for line in lines:
        problems = "ok" if not line.problems else f"**{_in_one_row('; '.join(line.problems))}**"
        text.append(f"| {line.id} | {line.verdict} | {line.expected} | {line.seconds:.1f} | {problems} |")
    REPORT.parent.mkdir(parents=True, exist_ok=True)
    REPORT.write_text("\n".join(text) + "\n")


def _in_one_row(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
