"""`manage.py record_example`: grade the two programs of the home page's example and keep the result.

It needs the sandbox, as `manage.py grade` does, and no database. Run it on an idle machine: the times are shown as they
are.
"""

import json
import platform
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from judge.grading.events import CaseJudged, CompileFinished, GradingFinished, GradingJob
from judge.grading.measures import STORED, numbers_of
from judge.grading.submission import grading
from judge.management.terminal import GradingCommand, choose_language, open_package, open_sandbox, read_source
from problems.management.commands.load_library import LIBRARY
from problems.package import Package
from web.presentation.welcome.example import CASE, COMMAND, EXAMPLE, PROBLEM, PROGRAMS


class Command(GradingCommand):
    """Writes the file that the home page reads."""

    exit_codes = "0: recorded; 1: the package is at fault; 3: the sandbox failed."
    help = "Grade the programs of the home page's example again and keep the result."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--to", type=Path, default=EXAMPLE, help="the file to write (default: %(default)s)")

    def handle(self, *args: Any, **options: Any) -> None:
        with self.fail_plainly(), open_package(LIBRARY / PROBLEM) as package:
            cpu = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
            processor = cpu[0].partition(":")[2].strip() if cpu else "unknown"
            programs = [_graded(package, LIBRARY / PROBLEM / "submissions" / name) for name in PROGRAMS]
            recorded = {
                "recorded_on": datetime.now(UTC).date().isoformat(),
                "command": COMMAND,
                "machine": {"processor": processor, "kernel": f"{platform.system()} {platform.release()}"},
                "problem": package.short_name,
                "title": package.name,
                "time_limit_ms": package.limits.time_limit_ms,
                "programs": programs,
            }
        options["to"].write_text(json.dumps(recorded, indent=1) + "\n")
        self.stdout.write(f"recorded {', '.join(program['verdict'] for program in programs)}")


def _graded(package: Package, path: Path) -> dict[str, Any]:
    """Return one program's verdict, its numbers on the case that is shown, and its findings."""
    language = choose_language(None, path)
    source = read_source(path, language, package).content
    events = list(grading.grade(GradingJob(package=package, language=language.id, source=source), *open_sandbox()))
    (compiled,) = (event for event in events if isinstance(event, CompileFinished))
    (finished,) = (event for event in events if isinstance(event, GradingFinished))
    (case,) = (event for event in events if isinstance(event, CaseJudged) and event.name == CASE)
    return {
        "file": f"{path.parent.name}/{path.name}",
        "language": language.id,
        "toolchain": compiled.toolchain,
        "source": source.decode(),
        "verdict": finished.verdict.value,
        "case": {"name": case.name, "verdict": case.verdict.value, **numbers_of(case, STORED)},
        "findings": [
            {"code": finding.code, "evidence": dict(finding.evidence), "lines": list(finding.lines)}
            for finding in finished.explanation
        ],
    }
