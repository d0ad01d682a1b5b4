"""A package with the settings that its problem's instructor chose: what is downloaded is what is judged by.

Only what a package can say is written: the processes, cores and stdout of a run, and which points count, are settings
of the site. problem.yaml is written anew (without its comments) where one of its values changes.
"""

import copy
import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from problems.convert.native import Content, seconds_of
from problems.diagnostics import Report
from problems.editing.editable import write_yaml
from problems.editing.editing import on_disk
from problems.format.files import MIB, package_files
from problems.format.problemyaml import STRICT_VERSION
from problems.format.yamlfile import read_yaml
from problems.package import Package

_YAML, _TIME_LIMIT = "problem.yaml", ".timelimit"
_KIB = 1024
_UNITS = {"memory_bytes": ("memory", MIB), "output_bytes": ("output", MIB), "code_bytes": ("code", _KIB)}
_OWN_KEYS = ("write_calls", "read_calls", "write_factor", "exact_numbers")  # of Tally's, in any version of the format


@contextmanager
def files_as_judged(package: Package, chosen: Mapping[str, Any]) -> Iterator[dict[str, Path]]:
    """Provide the package's files by name, with these settings, named as in ProblemLimits, in place of its own."""
    report = Report()
    files = package_files(package.path, report)
    report.stop_if_broken()
    values = read_yaml(files[_YAML], _YAML, Report())
    before = copy.deepcopy(values)
    limits = values.get("limits")
    limits = dict(limits) if isinstance(limits, dict) else {}
    changed: dict[str, Content] = dict(files)
    is_strict = values.get("problem_format_version") == STRICT_VERSION
    for name, (key, unit) in _UNITS.items():
        if name in chosen:
            size = chosen[name] / unit
            limits[key] = math.ceil(size) if is_strict or size == int(size) else size
    limits |= {key: chosen[key] for key in _OWN_KEYS if key in chosen}
    time_limit_ms = chosen.get("time_limit_ms")
    if time_limit_ms is not None and (limits.get("time_limit") is not None or not package.is_legacy):
        changed.pop(_TIME_LIMIT, None)
        seconds = time_limit_ms / 1_000
        limits["time_limit"] = int(seconds) if seconds == int(seconds) else seconds
        resolution = limits.get("time_resolution", 1.0 if is_strict else None)
        step_ms = round(resolution * 1_000) if isinstance(resolution, int | float) and resolution > 0 else None
        if step_ms is not None and time_limit_ms % max(1, step_ms):
            limits["time_resolution"] = 0.001
    elif time_limit_ms is not None:
        changed[_TIME_LIMIT] = f"{seconds_of(time_limit_ms)}\n"
    if limits:
        values["limits"] = limits
    if values != before:
        changed[_YAML] = write_yaml(values)
    with TemporaryDirectory(prefix="tally-chosen-") as folder:
        yield on_disk(dict(sorted(changed.items())), Path(folder, "files"))
