"""What became of the real packages, as a table that is committed."""

from dataclasses import dataclass
from pathlib import Path

REPORT = Path(__file__).parent / "REPORT.md"


@dataclass(frozen=True, kw_only=True, slots=True)
class Became:
    """What became of one package. `run` and `as_expected` count its jury submissions that were graded.

    `unexplained`: the names of those over the time limit without a statement on what their time was spent on.
    """

    name: str
    is_refused: bool
    run: int = 0
    not_run: int = 0  # in languages that Tally does not run
    as_expected: int = 0
    too_slow: int = 0  # got TLE
    with_cause: int = 0  # of these
    unexplained: tuple[str, ...] = ()
    time_limit_ms: int | None = None
    words: tuple[str, ...] = ()  # why it is refused, or what differs


def write_report(lines: list[Became]) -> None:
    """Write tests/packages/REPORT.md."""
    run, as_expected = sum(line.run for line in lines), sum(line.as_expected for line in lines)
    refused = sum(line.is_refused for line in lines)
    text = [
        "# Real problem packages",
        "",
        "Written by `make test-packages`. The packages come from the source distributions that `sdists.txt` pins.",
        "",
        f"{len(lines)} packages, {refused} of them refused; "
        f"{as_expected} of {run} jury submissions that were run ended as their setters say.",
        "",
        explained(lines),
        "",
        "| package | outcome | jury submissions as expected | not run | time limit | why |",
        "| --- | --- | --- | --- | --- | --- |",
        *(_row(line) for line in sorted(lines, key=lambda line: line.name)),
    ]
    REPORT.write_text("\n".join(text) + "\n")


def explained(lines: list[Became]) -> str:
    """Return the sentence on how many jury submissions that got TLE have a statement on their time."""
    too_slow = sum(line.too_slow for line in lines)
    without = [f"{line.name}/{path}" for line in lines for path in line.unexplained]
    words = f"{too_slow - len(without)} of {too_slow} jury submissions over the time limit have a statement on what "
    words += f"their time was spent on; {sum(line.with_cause for line in lines)} of these name a cause."
    return f"{words} Without one: {', '.join(without)}." if without else words


def _row(line: Became) -> str:
    outcome = "refused" if line.is_refused else "imported"
    counts = "" if line.is_refused else f"{line.as_expected} of {line.run}"
    limit = f"{line.time_limit_ms / 1_000:g} s" if line.time_limit_ms else ""
    words = "; ".join(line.words).replace("|", "\\|")
    return f"| {line.name} | {outcome} | {counts} | {line.not_run or ''} | {limit} | {words} |"
