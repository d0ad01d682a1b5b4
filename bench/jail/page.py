"""Write the table of the sandbox's report into sandbox/README.md."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bench.experiment.page import machine_line, placed, table

PAGE = Path(__file__).parents[2] / "sandbox" / "README.md"
_KEY, _WRITER = "the sandbox", "bench/sandbox.py"
_MET = {None: "open", True: "yes", False: "**no**"}


def rewrite_page(report: Mapping[str, Any]) -> None:
    """Put the figures in their place. Raises ValueError when there is none."""
    PAGE.write_text(with_cost_figures(PAGE.read_text("utf-8"), report), "utf-8")


def with_cost_figures(page: str, report: Mapping[str, Any]) -> str:
    """The page with the figures of this report. Raises ValueError when it has no place for them."""
    return placed(page, _KEY, cost_figures(report), _WRITER)


def cost_figures(report: Mapping[str, Any]) -> str:
    """Each figure with its spread and its bar."""
    heading = ("", "measured", "p5 to p95", "bar", "met")
    rows = [_row(name, figure) for name, figure in report["figures"].items()]
    return "\n\n".join((table(heading, rows), f"{report['rounds']} rounds; {machine_line(report)}."))


def _row(name: str, figure: Mapping[str, Any]) -> tuple[str, ...]:
    bar = "-" if figure["bar"] is None else f"{figure['bar']:g}"
    if figure["value"] is None:
        return (figure["meaning"], "-", "-", bar, "not measured")
    within = f"{figure['low']:.2f} to {figure['high']:.2f}"
    met = "-" if figure["bar"] is None else _MET[figure["is_met"]]
    return (figure["meaning"], f"{figure['value']:.2f}{_unit(name)}", within, bar, met)


def _unit(name: str) -> str:
    if name.endswith("_pct"):
        return " %"
    return " ms" if name.endswith("_ms_p50") else " of bare"
