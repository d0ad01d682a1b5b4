"""Register workers as rows: capabilities, last sign of life, and why a worker takes no work."""

import logging
import os
import platform
import shutil
from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.db.models.functions import Now

from judge.grading import languages, selftest
from judge.models import WorkerNode
from judge.workers import naming
from problems.columns import clean_json
from problems.store.stores import package_store
from sandbox.doctor import doctor, health
from sandbox.doctor.overhead import Overhead, measure
from sandbox.errors import MeterProblem, MeterStop, SandboxError
from sandbox.jail.nsjail import NsjailSandbox, is_shown_in_jails

LEAST_FREE_BYTES = 256 * 1024 * 1024  # below this much free disk a run could fail for want of space
FORGOTTEN_AFTER = timedelta(days=7)
_logger = logging.getLogger(__name__)


def examine_and_register(name: str, processes: int | None = None) -> str:
    """Test this host, write the results into the worker's row, and return why it can take no work ("": it can)."""
    overhead, trials = None, list[selftest.Tried]()
    toolchains = {key: chain.version for key, chain in languages.detect_all().items() if not chain.problem}
    problem = why_unfit(settings.WORK_DIR)
    if not problem:
        overhead, problem = _measure_overhead()
    if not problem and not toolchains:
        problem = "; ".join(chain.problem for chain in languages.detect_all().values())
    if not problem and settings.SELF_TEST:
        trials, problem = _test_grading(toolchains)
    failed = selftest.failed_languages(trials)
    toolchains = {key: version for key, version in toolchains.items() if key not in failed}
    if problem and is_sick(name):
        problem = as_sick(problem)  # until it is well: the cause is the same, though this test words it otherwise
    forget_silent()
    measured: dict[str, int | None] = dict.fromkeys(WorkerNode.OVERHEAD_COLUMNS)
    if overhead is not None:
        numbers = (overhead.wall_us, overhead.cpu_us, overhead.empty_cpu_us, overhead.runs)
        measured = dict(zip(WorkerNode.OVERHEAD_COLUMNS, numbers, strict=True))
    WorkerNode.objects.update_or_create(
        name=name,
        defaults={
            "holder": naming.holder(),
            "started_at": Now(),
            "last_seen_at": Now(),
            "languages": toolchains,
            "processes": processes,
            "role": settings.WORKER_ROLE,
            "self_test": clean_json([trial.as_json() for trial in trials]),
            "cores": len(os.sched_getaffinity(0)),
            "memory_bytes": os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"),
            "kernel": f"{platform.system()} {platform.release()}"[:200],
            "meter_reason": None if problem else _meter_problem(),
            "problem": problem[:500],
            **measured,
        },
    )
    return problem


def why_unfit(work_root: Path) -> str:
    """Return why this host cannot judge now, as one sentence with the remedy; empty when it can."""
    for folder in (settings.BASE_DIR, settings.VAR_DIR, settings.STORE_DIR, work_root):
        if is_shown_in_jails(folder):
            return f"Every submission could read {folder}, the hidden tests too. Move it out of /usr."
    try:
        work_root.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        return f"The work folder {work_root} cannot be made: {error.strerror}. Set TALLY_WORK_DIR to another one."
    free = shutil.disk_usage(work_root).free
    if free < LEAST_FREE_BYTES:
        return f"The disk of {work_root} is full: {free // 1024**2} MiB are free. Make room on it."
    sick = health.why_kernel_sick()
    if sick:
        return as_sick(sick)
    return doctor.why_unfit(doctor.examine_host(work_root)) or package_store().why_unfit()


def as_sick(why: str) -> str:
    """Return the problem of a worker on a sick host, for its row."""
    return why if why.startswith(WorkerNode.SICK) else WorkerNode.SICK + why


def is_sick(name: str) -> bool:
    """Return whether this worker's row marks its host as sick."""
    return WorkerNode.objects.filter(name=name, problem__startswith=WorkerNode.SICK).exists()


def seen(name: str) -> None:
    """Record that this worker listens and works."""
    WorkerNode.objects.filter(name=name).update(last_seen_at=Now())


def forget_silent() -> None:
    """Delete workers silent for so long that they will not return by this name."""
    WorkerNode.objects.filter(last_seen_at__lt=Now() - FORGOTTEN_AFTER).delete()


def report_problem(name: str, problem: str) -> None:
    """Record why this worker must take no more work until it has tested its host again."""
    WorkerNode.objects.filter(name=name).update(problem=problem[:500])


def stopping(name: str) -> None:
    """Record that this worker takes no more work until it is restarted, unless a worse reason is recorded."""
    WorkerNode.objects.filter(name=name, problem="").update(problem=WorkerNode.TOLD_TO_STOP)


def _measure_overhead() -> tuple[Overhead | None, str]:
    """Return what the sandbox adds to a run on the first process's core, or why it cannot be measured."""
    try:
        overhead = measure(NsjailSandbox(settings.WORK_DIR), max(os.sched_getaffinity(0)))
    except SandboxError as error:
        return None, f"What the sandbox adds to a run cannot be measured: {error}"
    log = _logger.info if overhead.is_usual else _logger.warning
    log("the sandbox adds %.2f ms to each run", overhead.wall_us / 1_000)
    return overhead, ""


def _test_grading(languages: Iterable[str]) -> tuple[list[selftest.Tried], str]:
    """Return the self-test and, if so, why no work can be taken."""
    try:
        trials = selftest.run(
            languages, NsjailSandbox(settings.WORK_DIR), settings.WORK_DIR, max(os.sched_getaffinity(0))
        )
    except (SandboxError, OSError) as error:
        return [], f"The self-test did not come to its end: {error}"
    failed = selftest.failed_languages(trials)
    for language, why in failed.items():
        _logger.error("no %s here: the self-test got no right answer accepted: %s", language, why)
    problem = selftest.why_unfit(trials)
    if not problem and failed.keys() >= set(languages):
        problem = f"Self-test: a right answer is accepted in no language. {next(iter(failed.values()))}"
    return trials, problem


def _meter_problem() -> MeterProblem | None:
    try:
        return NsjailSandbox(settings.WORK_DIR).meter_problem()
    except SandboxError as error:
        return MeterProblem(code=MeterStop.OTHER, words=str(error))
