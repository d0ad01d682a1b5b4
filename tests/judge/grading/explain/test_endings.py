"""How the deciding case ended, in the summary that a report keeps."""

from typing import Any

import pytest

from judge.grading.case_ending import CaseEnding
from judge.grading.events import Finding
from judge.grading.explain import as_sentence
from problems import translation
from problems.jsonvalues import to_json
from sandbox.types import Ending


def test_a_finding_that_a_report_keeps_is_said_in_the_readers_language(monkeypatch: pytest.MonkeyPatch) -> None:
    ending = CaseEnding(how=Ending.OUTPUT_LIMIT, limit=8 << 20, stream="stdout")
    evidence: dict[str, Any] = {"test_case": "secret/1", "accepted": 1, "test_cases": 2, "verdict": "OLE"}
    evidence |= {"ending": to_json(ending), "time_limit_ms": 1_000, "bytes_per_write": 4.0}
    evidence |= dict.fromkeys(("cpu_time_us", "wall_time_us", "write_calls", "read_calls"), 1)
    kept = as_sentence(Finding(code="summary", evidence=evidence), None).as_json()
    failed = (
        "{test_case} is the first test case to fail ({accepted} of {test_cases} accepted): it wrote more than is "
        "allowed ({detail})."
    )
    assert kept["text"] == failed.format(
        test_case="secret/1", accepted=1, test_cases=2, detail="output limit of 8 MiB on stdout"
    )
    korean = {failed: "{test_case}: {detail}", "output limit of %(limit)s on %(stream)s": "%(stream)s 제한 %(limit)s"}
    monkeypatch.setattr(translation, "_gettext", lambda template: korean.get(template, template))
    assert translation.translated(translation.sentence_of(kept)) == "secret/1: stdout 제한 8 MiB"
