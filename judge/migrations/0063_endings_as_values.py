"""How a case ended and why a compiler left no program, as codes and values, where rows had English sentences.

The sentences are those of the versions until now. One that is none of them stays as it is, as the `text` of an ending,
which only those read who may see all of a case. Some rows at a time; can be done again after an interruption.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from django.db import migrations

from judge.migrations._rows import change_rows

_FEW = 20  # rows with all runs of an experiment
_MIB = 1024 * 1024
_NUMBER = r"\d+(?:\.\d+)?"
_DISTURBED = "the machine, or a part of it, stood still during this run"
_RUNS = re.compile(r"; run \d+ times: (?P<times>[\d., ]+) s of CPU time")
_COUNT = r"\d{1,3}(?:,\d{3})*"
_QUOTED = r"'.*'(?:\.\.\.)?|\".*\"(?:\.\.\.)?"

Values = dict[str, Any]


def _of_limit(how: str, per_unit: int) -> Callable[[re.Match[str]], Values]:
    return lambda match: {
        "how": how,
        "limit": round(float(match["limit"]) * per_unit),
        "stream": match.groupdict().get("stream", ""),
    }


def _of_signal(match: re.Match[str]) -> Values:
    return {"how": "signalled", "signal": match["name"] or match["number"] or ""}


def _of_exit(match: re.Match[str]) -> Values:
    return {"how": "exited", "exit_code": int(match["code"]) if match["code"] else None}


def _of_calls(match: re.Match[str]) -> Values:
    made, most = (int(match[name].replace(",", "")) for name in ("made", "most"))
    return {"how": "exited", "exit_code": 0, "calls": {"what": match["what"], "made": made, "most": most}}


def _of_some_calls(match: re.Match[str]) -> Values:
    return {"how": "exited", "exit_code": 0, "calls": {"what": match["what"], "made": None, "most": None}}


def _of_token(match: re.Match[str]) -> Values:
    difference = {"number": int(match["number"]), "expected": match["expected"], "got": match["got"]}
    return {"how": "exited", "exit_code": 0, "difference": difference}


_ENDINGS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Values]], ...] = tuple(
    (re.compile(pattern, re.DOTALL), read)
    for pattern, read in (
        (rf"CPU time limit of (?P<limit>{_NUMBER}) s", _of_limit("cpu_limit", 1_000)),
        (rf"wall time limit of (?P<limit>{_NUMBER}) s", _of_limit("wall_limit", 1_000)),
        (rf"memory limit of (?P<limit>{_NUMBER}) MiB", _of_limit("memory_limit", _MIB)),
        (
            rf"output limit of (?P<limit>{_NUMBER}) MiB on (?P<stream>stdout|stderr)",
            _of_limit("output_limit", _MIB),
        ),
        (r"killed by (?:(?P<name>SIG[A-Z0-9]+)(?: \([^()]*\))?|signal (?P<number>\d{1,2})|a signal)", _of_signal),
        (r"(?:exit code (?P<code>\d{1,3})|non-zero exit code)", _of_exit),
        (
            rf"(?P<made>{_COUNT}) (?P<what>write|read) calls where at most (?P<most>{_COUNT}) are allowed",
            _of_calls,
        ),
        (r"more (?P<what>write|read) calls than the problem allows", _of_some_calls),
        (
            rf"token (?P<number>\d+): expected (?:the end of the output|(?P<expected>{_QUOTED})), "
            rf"got (?:the end of the output|(?P<got>{_QUOTED}))",
            _of_token,
        ),
    )
)
_ENDED = {"TLE": "cpu_limit", "MLE": "memory_limit", "OLE": "output_limit"}  # where the sentence does not say

_COMPILE_PROBLEMS: tuple[tuple[re.Pattern[str], str, int], ...] = tuple(
    (re.compile(pattern), code, per_unit)
    for pattern, code, per_unit in (
        (rf"The compiler was stopped: it used more than (?P<limit>{_NUMBER}) s of CPU time\.", "cpu-time", 1_000),
        (rf"The compiler was stopped: it took more than (?P<limit>{_NUMBER}) s\.", "wall-time", 1_000),
        (rf"The compiler was stopped: it needed more than (?P<limit>{_NUMBER}) MiB of memory\.", "memory", _MIB),
        (rf"The compiler was stopped: it wrote more than (?P<limit>{_NUMBER}) MiB of messages\.", "messages", _MIB),
        (rf"The compiler was stopped: it wrote a file of more than (?P<limit>{_NUMBER}) MiB\.", "file-size", _MIB),
        (rf"The compiler left no program, or one of more than (?P<limit>{_NUMBER}) MiB\.", "no-program", _MIB),
        (r"The compiler left a file that is not a program\.", "not-a-program", 0),
        (r"The compiler refused the program without a word\.", "silent", 0),
        (r"The compiler crashed \(killed by (?P<signal>.{1,80})\)\.", "crashed", 0),
    )
)


def ending_of(detail: str, verdict: str) -> Values:
    """Return the values of an English sentence on how a case ended; else the sentence as their `text`."""
    for pattern, read in _ENDINGS:
        match = pattern.fullmatch(detail)
        if match is not None:
            return read(match)
    return {"how": _ENDED.get(verdict), "text": detail}


def compile_problem_of(message: str) -> tuple[Values | None, str]:
    """Return what the first line of a compiler's message says, if it is ours, and the rest."""
    first, _line_end, rest = message.partition("\n")
    for pattern, code, per_unit in _COMPILE_PROBLEMS:
        match = pattern.fullmatch(first)
        if match is not None:
            values = match.groupdict()
            limit = round(float(values.get("limit") or 0) * per_unit)
            return {"code": code, "limit": limit, "signal": values.get("signal", "")}, rest
    return None, message


def _read_endings(apps: Any, schema_editor: Any) -> None:
    for name in ("TestCaseResult", "RejudgedCase", "CustomRunCase"):
        model = apps.get_model("judge", name)
        rows = model.objects.exclude(detail="").only("detail", "ending", "verdict", "run_times")
        change_rows(rows, _read_ending, ["detail", "ending", "run_times"])


def _read_ending(row: Any) -> None:
    runs = _RUNS.search(row.detail)
    if runs is not None:  # a case at its time limit, with the times of all its runs
        row.run_times = row.run_times or [round(float(time) * 1e6) for time in runs["times"].split(",")]
        row.detail = row.detail[: runs.start()] + row.detail[runs.end() :]
    values = ending_of(row.detail, row.verdict)
    if row.ending is None:
        row.ending = values
    else:  # an exit code or a signal that it leaves out stays out
        row.ending |= {key: value for key, value in values.items() if key not in ("how", "exit_code", "signal")}
    row.detail = ""


def _read_findings(apps: Any, schema_editor: Any) -> None:
    for name in ("Submission", "RejudgedSubmission", "CustomRun"):
        model = apps.get_model("judge", name)
        rows = model.objects.filter(explanation__0__evidence__has_key="detail").only("explanation", "verdict")
        change_rows(rows, _read_finding, ["explanation"])
        rows = model.objects.filter(compile_message__startswith="The compiler ", compile_problem__isnull=True)
        columns = ["compile_message", "compile_problem"]
        change_rows(rows.only(*columns), _read_message, columns)


def _read_finding(row: Any) -> None:
    evidence = row.explanation[0]["evidence"]
    ending = ending_of(str(evidence.pop("detail")), row.verdict)
    if "ending" not in evidence and "text" not in ending:
        evidence["ending"] = ending


def _read_message(row: Any) -> None:
    row.compile_problem, row.compile_message = compile_problem_of(row.compile_message)


def _read_experiments(apps: Any, schema_editor: Any) -> None:
    model = apps.get_model("judge", "ExperimentRun")
    change_rows(model.objects.only("runs", "failed"), _read_runs, ["runs", "failed"], _FEW)


def _read_runs(row: Any) -> None:
    row.runs = [_run_of(run) for run in row.runs]
    for variant in row.failed:
        if "problem" not in variant:
            variant["problem"], variant["message"] = compile_problem_of(variant["message"])


def _run_of(run: Mapping[str, Any]) -> Values:
    if "detail" not in run:
        return dict(run)
    detail = str(run["detail"])
    is_disturbed = detail.endswith(_DISTURBED)
    words = detail.removesuffix(_DISTURBED).removesuffix("; ")
    end = ending_of(words, run["verdict"]) if words else None
    rest = {key: value for key, value in run.items() if key != "detail"}
    return {**rest, "end": end, "is_disturbed": is_disturbed}


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ("judge", "0062_ending_columns"),
    ]

    operations = [
        migrations.RunPython(_read_endings, migrations.RunPython.noop),
        migrations.RunPython(_read_findings, migrations.RunPython.noop),
        migrations.RunPython(_read_experiments, migrations.RunPython.noop),
    ]
