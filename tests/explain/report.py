"""Precision and recall over all labelled programs, and the committed report."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.explain.corpus import CAUSES, Program
from tests.explain.grading import Said

REPORT = Path(__file__).parent / "REPORT.md"
_LANGUAGES = {"python": "Python", "cpp": "C++", "rust": "Rust"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Score:
    """Claims that are so, that are not, and that are missing."""

    right: int
    false: int
    missed: int

    @property
    def precision(self) -> float:
        """The share of what was said that is so; 1 when nothing was said."""
        return self.right / (self.right + self.false) if self.right + self.false else 1.0

    @property
    def recall(self) -> float:
        """The share of what is so that was said; 1 when nothing is."""
        return self.right / (self.right + self.missed) if self.right + self.missed else 1.0


def score_of(said: Sequence[Said], codes: Sequence[str] = CAUSES) -> Score:
    """How well these causes were found."""
    return Score(
        right=sum(code in codes for each in said for code in each.right),
        false=sum(code in codes for each in said for code in each.false),
        missed=sum(code in codes for each in said for code in each.missed),
    )


def line_precision(said: Sequence[Said]) -> float:
    """The share of the lines pointed at that are the cause's."""
    right, false = (sum(len(lines) for lines in part) for part in zip(*map(_pointed, said), strict=True))
    return Score(right=right, false=false, missed=0).precision


def line_recall(said: Sequence[Said]) -> float:
    """The share of the lines to point at that were pointed at."""
    missed = sum(len(each.missed_lines) for each in said)
    demanded = sum(each.demanded_lines for each in said)
    return Score(right=demanded - missed, false=0, missed=missed).recall


def _pointed(said: Said) -> tuple[tuple[int, ...], tuple[int, ...]]:
    return said.right_lines, said.false_lines


def write_report(said: Sequence[Said]) -> None:
    """Write tests/explain/REPORT.md: codes, lines and counts, which are the same on every machine."""
    REPORT.write_text("\n".join(_report(said)) + "\n")


def _report(said: Sequence[Said]) -> list[str]:
    innocent = sum(not each.program.is_guilty for each in said)
    text = [
        "# What Tally says of labelled programs",
        "",
        f"Written by `make test-explain`: {len(said)} programs through the real grader in the real jail, {innocent} of "
        "them without anything to find but, where they are slow, their algorithm. What is expected, and why, is in "
        "[labels.toml](labels.toml); the lines are marked in [programs/](programs). What a label only allows (in "
        "brackets) counts neither for nor against.",
        "",
        "| cause | right | false | missed | precision | recall |",
        "| --- | --: | --: | --: | --: | --: |",
        *(_row(code, score_of(said, (code,))) for code in CAUSES),
        _row("**all**", score_of(said)),
        f"| lines | {sum(len(each.right_lines) for each in said)} | {sum(len(each.false_lines) for each in said)} "
        f"| {sum(len(each.missed_lines) for each in said)} | {line_precision(said):.2f} | {line_recall(said):.2f} |",
        "",
        _coverage(said),
    ]
    for language, name in _LANGUAGES.items():
        text += [
            "",
            f"## {name}",
            "",
            "| program | what it does | expected | said | |",
            "| --- | --- | --- | --- | --- |",
        ]
        text += [_line(each) for each in said if each.program.language == language]
    return text


def unexplained(said: Sequence[Said]) -> list[str]:
    """The programs over the time limit of which nothing was said of where their time went."""
    return [each.program.file for each in _too_slow(said) if not each.statements]


def _too_slow(said: Sequence[Said]) -> list[Said]:
    return [each for each in said if each.is_too_slow]


def _coverage(said: Sequence[Said]) -> str:
    slow = _too_slow(said)
    named = sum(bool(each.statements - {"where-it-went", "growth"}) for each in slow)
    at_once = sum(bool(each.at_once) for each in slow)
    return (
        f"Of the {len(slow)} programs that exceeded the time limit, {len(slow) - len(unexplained(said))} have a "
        f"statement on where their time went, and {named} of them a cause; the others have the parts of the time as "
        f"measured (`where-it-went`). Of {at_once} a statement comes in the event of the verdict."
    )


def _row(what: str, score: Score) -> str:
    return f"| {what} | {score.right} | {score.false} | {score.missed} | {score.precision:.2f} | {score.recall:.2f} |"


def _line(said: Said) -> str:
    program = said.program
    name = program.file.split("/")[1]
    problems = [f"false: {code}" for code in said.false] + [f"missed: {code}" for code in said.missed]
    problems += [f"not line {line}" for line in said.false_lines]
    problems += [f"line {line} not named" for line in said.missed_lines if not said.missed]
    verdict = "**" + "; ".join(problems) + "**" if problems else "ok"
    cells = (f"[{name}](programs/{program.file})", program.why, _expected(program), _said(said), verdict)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _expected(program: Program) -> str:
    return ", ".join([*program.expect, *(f"({code})" for code in program.may)]) or "nothing"


def _said(said: Said) -> str:
    return ", ".join(_claim(code, lines) for code, lines in said.found.items()) or "nothing"


def _claim(code: str, lines: Sequence[int]) -> str:
    return f"{code}: {', '.join(map(str, lines))}" if lines else code
