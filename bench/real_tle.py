"""What Tally says of slow programs that nobody here wrote: `python -m bench.real_tle FOLDER ...`; writes a report.

Needs root and what the packages' languages need; takes up to some minutes for each slow program. FOLDER has problem
packages, as folders or zips, at any depth; nothing is fetched. Each jury program that is marked as too slow, may be, or
gets a part of the points is graded as a submission is; those over the time limit get the reruns that a result page
makes by itself.

    programs  of each program over the time limit: its package and name; whether the event of its verdict had a
              statement on its time; the code of the cause that was named in the end ("": none); all that was said, to
              be judged by hand, with `is_false` for who judges; seconds to the verdict and to the last word
    summary   how many programs there are, with a statement, with a named cause; how many sentences were judged false
              (null: nobody has judged them); medians of the seconds
    skipped   packages that cannot be read, each with the first reason
"""

import argparse
import json
import os
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "web.settings")
django.setup()

from bench import machine, reporting  # noqa: E402 - needs Django set up
from judge.grading.events import CaseJudged, CompileFinished, Event, Finding, GradingFinished, ProfilePolicy  # noqa: E402
from judge.grading.explain import ABOUT_NO_CASE, BY_CODE, REPEATING, in_words, main_cause  # noqa: E402
from judge.grading.jury_job import jury_job  # noqa: E402
from judge.grading.languages import LANGUAGES, language_by_id  # noqa: E402
from judge.grading.submission.conclusion import Graded, facts_of  # noqa: E402
from judge.grading.submission.grading import grade, source_of  # noqa: E402
from judge.grading.verdicts import Verdict  # noqa: E402
from judge.management.terminal import open_package  # noqa: E402
from judge.reruns.examination import Examination  # noqa: E402
from problems.package import JurySubmission, Package, PackageErrors  # noqa: E402
from sandbox.jail.nsjail import NsjailSandbox  # noqa: E402

WORK_ROOT = Path("/var/lib/tally/bench")
PARTIAL = "partially_accepted/"
STATEMENTS = BY_CODE.keys() - REPEATING - ABOUT_NO_CASE  # codes of what says more than the verdict
NAMED_PCT = 60  # at least, of the programs
UNNAMED = frozenset({"algorithm"})  # the cause is the program's own computing, which names nothing in it


def packages_below(folders: Sequence[Path]) -> Iterator[Path]:
    """The problem packages in these folders, by name."""
    for folder in folders:
        found = {path.parent for path in folder.rglob("problem.yaml")} | set(folder.rglob("*.zip"))
        yield from sorted(found)


def marked(package: Package) -> list[JurySubmission]:
    """The programs that may be too slow as their setter says, in languages that run here."""
    here = [submission for submission in package.submissions if submission.language in LANGUAGES]
    return [one for one in here if "TLE" in one.expected or one.name.startswith(PARTIAL)]


def told_of(package: Package, submission: JurySubmission) -> dict[str, Any] | None:
    """What is said of one program; None if it is within the time limit here."""
    job = replace(jury_job(package, submission, cpu=None), profile=ProfilePolicy.LATER)
    sandbox, began = NsjailSandbox(WORK_ROOT), time.monotonic()
    events: list[Event] = list(grade(job, sandbox, WORK_ROOT))
    verdict_s, finished = time.monotonic() - began, events[-1]
    judged = [event for event in events if isinstance(event, CaseJudged)]
    assert isinstance(finished, GradingFinished)
    if all(case.verdict is not Verdict.TLE for case in judged):
        return None
    message = next(event.message for event in events if isinstance(event, CompileFinished))
    graded = Graded(job=job, events=judged, source=source_of(job, sandbox, WORK_ROOT))
    examination = Examination(
        job=job,
        sandbox=sandbox,
        work_root=WORK_ROOT,
        cases=judged,
        facts=facts_of(graded, finished.verdict, message),
        event=finished,
    )
    reruns = [kind.value for kind, _ in examination.suggested()]
    cause = main_cause(examination.event.explanation, finished.verdict)
    return {
        "package": package.short_name,
        "program": submission.name,
        "has_statement_at_once": any(finding.code in STATEMENTS for finding in finished.explanation),
        "cause": "" if cause in UNNAMED else cause,
        "said": [_sentence(finding, job.language) for finding in examination.event.explanation],
        "is_false": None,
        "reruns": reruns,
        "verdict_s": round(verdict_s, 1),
        "last_word_s": round(time.monotonic() - began, 1),
    }


def _sentence(finding: Finding, language: str) -> str:
    said = in_words(finding, language_by_id(language))
    lines = f"[{', '.join(map(str, finding.lines))}]" if finding.lines else ""
    return " ".join(filter(None, (f"{finding.code}{lines}:", said.text, said.advice)))


def summary_of(programs: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the two scores, and what belongs beside them."""
    judged = [program["is_false"] for program in programs if program["is_false"] is not None]
    return {
        "programs": len(programs),
        "with_statement_at_once": sum(program["has_statement_at_once"] for program in programs),
        "with_named_cause": sum(bool(program["cause"]) for program in programs),
        "judged_by_hand": len(judged),
        "false": sum(judged) if judged else None,
        "verdict_s": statistics.median([program["verdict_s"] for program in programs] or [0]),
        "last_word_s": statistics.median([program["last_word_s"] for program in programs] or [0]),
    }


def is_kept(summary: dict[str, Any]) -> bool:
    """Return whether enough programs have a named cause, and nothing that was said was judged false."""
    return 100 * summary["with_named_cause"] >= NAMED_PCT * summary["programs"] and not summary["false"]


def main(arguments: list[str] | None = None) -> int:
    """Grade, write and print; 1 when too few programs have a named cause or something was judged false."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+", metavar="FOLDER", help="problem packages")
    reporting.add_switches(parser, "real_tle")
    options = parser.parse_args(arguments)
    WORK_ROOT.mkdir(parents=True, exist_ok=True)
    began_on = reporting.begin(options)
    programs: list[dict[str, Any]] = []
    skipped: dict[str, str] = {}
    for path in packages_below(options.folders):
        try:
            with open_package(path) as package:
                for submission in marked(package):
                    told = told_of(package, submission)
                    if told is not None:
                        programs.append(told)
                        print(json.dumps(told, indent=2, ensure_ascii=False), flush=True)
        except PackageErrors as errors:
            skipped[path.name] = str(errors.errors[0])
    print(summary := summary_of(programs), f"\n{len(skipped)} packages cannot be read")
    reporting.write({"machine": began_on, "summary": summary, "programs": programs, "skipped": skipped}, options)
    print(machine.in_words(began_on))
    return 0 if is_kept(summary) else 1


if __name__ == "__main__":
    sys.exit(main())
