"""Write the tables of E5 and E6 into docs/experiments.md."""

from collections.abc import Mapping
from typing import Any

from bench.experiment.page import machine_line, placed, table
from bench.load.stack import ROOT

PAGE = ROOT / "docs" / "experiments.md"
_WRITERS = {"e5-web-tier": "bench/web_load.py", "e6-limit": "bench/draining.py"}


def rewrite_page(key: str, figures: str) -> None:
    """Put the figures in their place. Raises ValueError when there is none."""
    PAGE.write_text(placed(PAGE.read_text("utf-8"), key, figures, _WRITERS[key]), "utf-8")


def web_figures(report: Mapping[str, Any]) -> str:
    """E5: a row for each arrangement and load."""
    rows: list[tuple[str, ...]] = [
        (
            cell["load"],
            f"{cell['instances']} x {cell['processes']}",
            f"{cell['requests_per_s']:g}",
            f"{cell['mean_ms']:g} ms",
            f"{cell['median_ms']:g} ms",
            f"{cell['p95_ms']:g} ms",
            f"{cell['failures_pct']:g} %",
            _cores(cell["cores"]),
        )
        for cell in sorted(report["cells"], key=lambda cell: str(cell["load"]))
    ]
    heading = ("load", "instances x processes", "requests/s", "mean", "median", "p95", "failures", "cores kept busy")
    first = f"**Recommended here: {report['because']}.**"
    return "\n\n".join((first, table(heading, rows), f"{report['took_s']} s; {machine_line(report)}."))


def draining_figures(report: Mapping[str, Any]) -> str:
    """E6, the limit."""
    missed = ", missed" if report["of_machine_speed_pct"] < report["at_least_pct"] else ""
    cpu_ms = report["cpu_ms"]
    return (
        f"{report['programs']} programs of a mix of C++, Python and Rust that were never compiled before, 12 test "
        f"cases each: drained in {report['drained_s']:.1f} s by one process, and graded by the sandbox alone on the "
        f"same core in {report['direct_s']:.1f} s. **The queue drains at {report['of_machine_speed_pct']:g} % of the "
        f"machine's speed** (median of the rounds; bar: {report['at_least_pct']} %{missed}), which is "
        f"{report['submissions_per_core_and_hour']:,} such submissions per core and hour.\n\n"
        f"A submission takes {report['more_ms']:g} ms longer through the queue (median of the rounds). Its CPU time is "
        f"{cpu_ms['direct']:g} ms directly; through the queue {cpu_ms['worker']:g} ms in the worker and its jails, "
        f"{cpu_ms['database']:g} ms in PostgreSQL and {cpu_ms['broker']:g} ms in Redis.\n\n"
        f"{report['took_s']} s; {machine_line(report)}."
    )


def _cores(cores: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {used:.2f}" for name, used in cores.items())
