"""Why calls are not counted by name, and what comparisons compare, of rows that had English sentences.

The sentences are those of the versions until now. A reason that is none of them stays as the words of its code "other";
the title of another comparison stays as it is. Some rows at a time; can be done again after an interruption.
"""

import re
from typing import Any

from django.db import migrations

from judge.migrations._rows import change_rows

_FEW = 20  # rows with the programs of a comparison
_CAPABILITIES = " (grant CAP_BPF and CAP_PERFMON: see sandbox/privileges.md)"
_REASONS = tuple(
    (re.compile(pattern, re.DOTALL), code)
    for pattern, code in (
        (r"the meter cannot be read: (?P<words>.+)", "unreadable"),
        (r"the meter saw no program start in the jail", "no-start"),
        (r"the kernel skipped (?P<number>\d{1,15}) system calls", "skipped"),
        (r"system calls are counted by name on x86-64 and arm64 only, not on (?P<words>.+)", "architecture"),
        (r"counting system calls by name needs root", "not-root"),
        (r"this kernel does not describe its types \((?P<words>.+)\): use one built with BTF", "no-kernel-types"),
        (r"the meter is not built: install clang and libbpf-dev, then make -C sandbox/native", "not-built"),
        (r"the meter cannot be loaded: (?P<words>.+)", "not-loaded"),
        (r"the meter cannot be attached: (?P<words>.+)", "not-attached"),
        (r"the meter cannot count a run: (?P<words>.+)", "not-counting"),
        (r"the profile pass failed because of an error of ours", "failed"),
    )
)
_TITLE = re.compile(r"Submissions (?P<submissions>\d+(?:, \d+)*) to (?P<problem>.+)", re.DOTALL)


def reason_of(sentence: str) -> dict[str, Any]:
    """Return the values of an English sentence on why calls are not counted by name."""
    lacks_capabilities = sentence.endswith(_CAPABILITIES)
    for pattern, code in _REASONS:
        match = pattern.fullmatch(sentence.removesuffix(_CAPABILITIES))
        if match is not None:
            values = match.groupdict()
            words, number = values.get("words") or "", int(values.get("number") or 0)
            return {"code": code, "words": words, "number": number, "lacks_capabilities": lacks_capabilities}
    return {"code": "other", "words": sentence, "number": 0, "lacks_capabilities": False}


def compared_of(title: str, case: str) -> dict[str, Any] | None:
    """Return what a comparison with this English title compares; None if the title is another one."""
    match = _TITLE.fullmatch(title)
    if match is None:
        return None
    submissions = [int(number) for number in match["submissions"].split(", ")]
    return {"submissions": submissions, "problem": match["problem"], "case": case}


def _read_reasons(apps: Any, schema_editor: Any) -> None:
    for name in ("Submission", "RejudgedSubmission", "CustomRun", "WorkerNode"):
        rows = apps.get_model("judge", name).objects.exclude(meter_problem="").filter(meter_reason__isnull=True)
        change_rows(rows.only("meter_problem"), _read_reason, ["meter_reason"])


def _read_reason(row: Any) -> None:
    row.meter_reason = reason_of(row.meter_problem)


def _read_comparisons(apps: Any, schema_editor: Any) -> None:
    rows = apps.get_model("judge", "ExperimentRun").objects.filter(key="submissions", compared__isnull=True)
    change_rows(rows.only("spec"), _read_comparison, ["compared"], _FEW)


def _read_comparison(row: Any) -> None:
    row.compared = compared_of(row.spec["title"], (row.spec.get("case") or {}).get("case", ""))


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ("judge", "0065_reasons_as_values"),
    ]

    operations = [
        migrations.RunPython(_read_reasons, migrations.RunPython.noop),
        migrations.RunPython(_read_comparisons, migrations.RunPython.noop),
    ]
