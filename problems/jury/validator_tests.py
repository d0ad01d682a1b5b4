"""Test data for the validators: what input validators must reject, and what the checker must reject or accept.

Source: "Validation test data" of the package format 2025-09; BAPCtools also writes the folders' names in the plural.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from problems.diagnostics import Report
from problems.format.files import printable
from problems.groups.cases import CaseFiles, find_pair
from problems.package import TestCase
from problems.translation import Sentence

_UNUSED = ("invalid_answer", "invalid_answers")
Outputs = tuple[tuple[TestCase, Path], ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckData:
    """The three kinds of test data. An invalid input has no answer: the path names a file that does not exist."""

    invalid_inputs: tuple[TestCase, ...]
    invalid_outputs: Outputs
    valid_outputs: Outputs


def find_check_data(
    files: CaseFiles, cases: tuple[TestCase, ...], report: Report, *, has_outputs: bool, is_legacy: bool
) -> CheckData:
    """Return the data. `has_outputs`: the checker judges one whole output, not a conversation or several passes.

    Beside a test case, NAME.out is an output that must be accepted; legacy packages leave all kinds of files there.
    """
    for folder in _UNUSED:
        if files.stems(f"data/{folder}"):
            report.warn(f"data/{folder}", "", Sentence("is not used: Tally runs no validators of answers"))
    examples = () if is_legacy or not has_outputs else cases
    outputs = ((case, files.path(f"data/{case.name}.out")) for case in examples)
    invalid = tuple(_outputs("invalid_output", files, report, has_outputs=has_outputs))
    valid = tuple(_outputs("valid_output", files, report, has_outputs=has_outputs))
    inputs = (
        files.case(stem, path, path.with_suffix(".ans"))
        for folder in ("invalid_input", "invalid_inputs")
        for stem in files.stems(f"data/{folder}", (".in",))
        if (path := files.path(f"{stem}.in"))
    )
    return CheckData(
        invalid_inputs=tuple(inputs),
        invalid_outputs=invalid,
        valid_outputs=(*((case, path) for case, path in outputs if path), *valid),
    )


def _outputs(kind: str, files: CaseFiles, report: Report, *, has_outputs: bool) -> Iterator[tuple[TestCase, Path]]:
    for folder in (f"data/{kind}", f"data/{kind}s"):
        stems = files.stems(folder, (".in", ".ans", ".out"))
        if stems and not has_outputs:
            report.warn(folder, "", Sentence("is not used: the problem is interactive or multi-pass"))
            continue
        for stem in stems:
            pair = find_pair(stem, files, report)
            output = files.path(f"{stem}.out")
            if pair and output is None:
                report.error(printable(f"{stem}.in"), "", Sentence("has no output beside it: the file .out is missing"))
            elif pair and output:
                yield files.case(stem, *pair), output
