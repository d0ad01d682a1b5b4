"""Specs for the tests, small and allowed."""

from dataclasses import replace
from typing import Any

from judge.grading.experiment.spec import CaseRef, Claim, ExperimentSpec, RunSettings, Variant
from judge.models import Submission

FLUSHED = "#include <iostream>\nint main() { for (int i = 0; i < 20000; ++i) std::cout << i << std::endl; }\n"
GATHERED = "#include <iostream>\nint main() { for (int i = 0; i < 20000; ++i) std::cout << i << '\\n'; }\n"
SETTINGS = RunSettings(cpu_time_ms=1_000, memory_mib=64, output_mib=1)


def variant(name: str, source: str, language: str = "cpp", **more: Any) -> Variant:
    """A variant, in C++ unless told otherwise."""
    return Variant(name=name, language=language, source=source, **more)


def make_spec(*variants: Variant, **columns: Any) -> ExperimentSpec:
    """An experiment of these variants, or of one that flushes each line against one that does not."""
    chosen = variants or (variant("endl", FLUSHED), variant("newline", GATHERED))
    given = {"title": "Flushing", "question": "What does it cost?", "rounds": 4, "settings": SETTINGS, **columns}
    return ExperimentSpec(variants=chosen, **given)


def claiming(spec: ExperimentSpec, metric: str, more: str, less: str, **columns: Any) -> ExperimentSpec:
    """The spec with one claim."""
    return replace(spec, claims=(Claim(text="so it is", metric=metric, more=more, less=less, **columns),))


def of_submission(sent: Submission, /, **changes: Any) -> ExperimentSpec:
    """A submission on a case of its problem; keyword arguments change the variant."""
    own = replace(variant("mine", sent.source_text, sent.language, submission=sent.pk), **changes)
    return make_spec(own, case=CaseRef(version=sent.problem_version_id, case="secret/1"))


TINY = make_spec(variant("one", "print(1)", "python"), variant("two", "print(2)", "python"), rounds=2)
