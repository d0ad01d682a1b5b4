"""The scoring keys of a legacy package: those of a testdata.yaml, and the section `grading` of problem.yaml.

Source: "Test data groups" and "Default grader specification" of the legacy package format.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from problems.diagnostics import Report
from problems.format.typed_mapping import Keys
from problems.translation import Sentence

_NUMBER = re.compile(r"[+-]?(?:[0-9]{1,15}(?:\.[0-9]{0,15})?|\.[0-9]{1,15}|inf)", re.ASCII | re.IGNORECASE)
VERDICTS = {name: name for name in ("worst_error", "first_error", "always_accept")} | {"no_errors": "worst_error"}
SCORES = ("sum", "avg", "min", "max")
IGNORE_SAMPLE, ANY = "ignore_sample", "accept_if_any_accepted"
_OLD_POLICIES = {"first_error": "break", "grade": "continue", "worst_error": "continue"}  # of problem.yaml


@dataclass(frozen=True, kw_only=True, slots=True)
class GradingYaml:
    """The content of one file; None: not set here, the folder above decides."""

    on_reject: str | None = None
    flags: tuple[str, ...] | None = None
    accept_score: float | None = None
    reject_score: float | None = None
    range: tuple[float, float] | None = None


NO_GRADING = GradingYaml()


def read_grading(keys: Keys) -> GradingYaml:
    """Read the scoring keys of a testdata.yaml."""
    on_reject = keys.text("on_reject")
    if on_reject not in (None, "break", "continue"):
        why = Sentence("must be break or continue, not %(on_reject)r", on_reject=on_reject[:40])
        keys.error("on_reject", why if on_reject else Sentence("is empty"))
        on_reject = None
    if keys.text("grading") not in (None, "", "default"):
        why = Sentence("must be default: Tally runs no graders of packages, use the default grader with grader_flags")
        keys.error("grading", why)
    flags = keys.words("grader_flags")
    for flag in flags or ():
        if flag not in (*VERDICTS, *SCORES, IGNORE_SAMPLE, ANY):
            why = Sentence("%(flag)r is no flag of the default grader: it changes nothing", flag=flag[:40])
            keys.warn("grader_flags", why)
    return GradingYaml(on_reject=on_reject, flags=flags, **_scores(keys))


def read_old_grading(keys: Keys) -> GradingYaml:
    """Read the section `grading` of an old legacy problem.yaml, which applies to all groups."""
    if keys.text("objective") not in (None, "", "max"):
        keys.error("objective", Sentence("must be max: in Tally more points are always better"))
    if keys.flag("show_test_data_groups") is not None:
        why = Sentence("is not used: the problem's settings here say what contestants see")
        keys.warn("show_test_data_groups", why)
    policy = keys.text("on_reject")
    if policy not in (None, *_OLD_POLICIES):
        keys.error("on_reject", Sentence("must be one of %(names)s", names=", ".join(_OLD_POLICIES)))
    return GradingYaml(on_reject=_OLD_POLICIES.get(policy or ""), **_scores(keys))


def gives_points(grading: GradingYaml) -> bool:
    """Return whether the file has keys of scoring problems only."""
    return (grading.accept_score, grading.reject_score, grading.range) != (None, None, None)


def is_of_kattis(grading: GradingYaml) -> str:
    """Return a key or flag of the file that only Kattis's dialect has; "" for none."""
    if grading.reject_score is not None:
        return Sentence("a reject_score")
    flag = next((flag for flag in grading.flags or () if flag in (*VERDICTS, ANY)), "")
    return Sentence("the grader flag %(flag)s", flag=flag) if flag else ""


def warn_of_misplaced(gradings: Mapping[str, GradingYaml], report: Report) -> None:
    """Warn of flags that only have a meaning in data/. `said` is by folder, "" for data/."""
    for name, grading in gradings.items():
        if name and IGNORE_SAMPLE in (grading.flags or ()):
            why = Sentence("%(flag)s means something in data/testdata.yaml only", flag=IGNORE_SAMPLE)
            report.warn(f"data/{name}/testdata.yaml", "grader_flags", why)


def _scores(keys: Keys) -> dict[str, Any]:
    scores: dict[str, Any] = {}
    for key in ("accept_score", "reject_score"):
        text = keys.text(key)
        if text and (not _NUMBER.fullmatch(text) or not math.isfinite(float(text))):
            keys.error(key, Sentence("must be a finite number, not %(text)r", text=text[:40]))
        elif text:
            scores[key] = float(text)
    if not (words := keys.words("range")):
        return scores
    if len(words) != 2 or not all(_NUMBER.fullmatch(word) for word in words) or float(words[0]) > float(words[1]):
        bounds = " ".join(words)[:60]
        keys.error("range", Sentence("must be two numbers, the least and the most points, not %(words)r", words=bounds))
        return scores
    return {**scores, "range": (float(words[0]), float(words[1]))}
