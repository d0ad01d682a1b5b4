"""A worker whose rerun hangs in code that lets no other thread run: `python -m tests.judge.workers.hanging_worker`.

Everything else is as in production: only what the rerun does, and how long it may take, is changed.
"""

import re
import sys
from pathlib import Path

import django


def main() -> None:
    """Start it with the arguments of `manage.py worker`."""
    django.setup()
    from django.core.management import execute_from_command_line

    from judge.grading.events import GradingJob, RerunEnded, TimelineRun
    from judge.reruns.examination import RUNNERS
    from judge.reruns.kinds import RerunKind
    from judge.workers import tasks
    from sandbox.types import Sandbox

    def hang(_job: GradingJob, name: str, _sandbox: Sandbox, _work_root: Path) -> RerunEnded[TimelineRun]:
        re.match(r"(a|a)*b", "a" * 60)  # for ages
        return RerunEnded(name=name, result=None, problem="it came to its end")

    RUNNERS[RerunKind.TIMELINE] = hang
    vars(tasks)["longest_s"] = lambda _kind, _job: 1.0
    execute_from_command_line(["manage.py", "worker", *sys.argv[1:]])


if __name__ == "__main__":
    main()
