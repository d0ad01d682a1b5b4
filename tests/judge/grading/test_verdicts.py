"""Each verdict has one record, and what other places know of verdicts by their letters is complete."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from django.utils.translation import override

from judge.grading.verdicts import Verdict, verdict_of_ending
from judge.models import Submission
from problems.jury.expectations import ALL
from problems.models import Difficulty, Problem
from sandbox.types import Ending, Outcome

CSS = Path(__file__).resolve().parents[3] / "web" / "frontend" / "css"
EVERY = pytest.mark.parametrize("verdict", Verdict)


@EVERY
def test_verdict_has_words_and_its_letters_fit_the_column(verdict: Verdict) -> None:
    assert verdict.meaning
    assert verdict.record.sentence.endswith(".")
    assert len(verdict.value) <= 3
    assert (verdict, f"{verdict}", Verdict(verdict.value)) == (verdict.value, verdict.value, verdict)


@pytest.mark.parametrize(
    ("model", "column", "values"), [(Submission, "verdict", Verdict), (Problem, "difficulty", Difficulty)]
)
@pytest.mark.parametrize("language", ["en", "ko"])
def test_a_row_says_its_choice_as_django_would(
    model: type[Any], column: str, values: Iterable[str], language: str
) -> None:
    field = model._meta.get_field(column)
    with override(language):
        for value in ("", *values):
            row = model(**{column: value})
            assert getattr(row, f"get_{column}_display")() == row._get_FIELD_display(field)


def test_meanings_and_severities_tell_verdicts_apart() -> None:
    assert len({verdict.meaning for verdict in Verdict}) == len(Verdict)
    assert len({verdict.record.severity for verdict in Verdict}) == len(Verdict)
    assert min(Verdict, key=lambda verdict: verdict.record.severity) is Verdict.AC
    assert max(Verdict, key=lambda verdict: verdict.record.severity) is Verdict.JE


@pytest.mark.parametrize("ending", [ending for ending in Ending if ending is not Ending.EXITED])
def test_every_other_ending_belongs_to_one_verdict(ending: Ending) -> None:
    owners = [verdict for verdict in Verdict if ending in verdict.record.endings]
    assert [verdict_of_ending(Outcome(ending=ending))] == owners


@EVERY
def test_verdict_of_an_ending_says_what_a_buffered_run_with_it_means(verdict: Verdict) -> None:
    assert bool(verdict.record.when_buffered_stopped) is bool(verdict.record.endings)
    assert bool(verdict.record.when_buffered) is (verdict is not Verdict.CE)


@EVERY
def test_verdict_has_its_colours_in_both_schemes(verdict: Verdict) -> None:
    name = verdict.value.lower()
    for sheet in (CSS / "site/tokens.css", CSS.parent / "dark.css"):
        for variable in (f"--{name}", f"--{name}-tint"):
            assert re.search(rf"^  {variable}: #[0-9a-f]{{6}};$", sheet.read_text(), re.MULTILINE)
    rule = f".{verdict.value} {{\n  --v: var(--{name});\n  --v-tint: var(--{name}-tint);\n}}"
    assert rule in (CSS / "site/verdicts.css").read_text()


def test_packages_may_expect_every_verdict_but_an_error_of_ours() -> None:
    assert ALL | {Verdict.CE} == set(Verdict) - {Verdict.JE}
