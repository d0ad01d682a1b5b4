"""The figures in docs/experiments.md, between marks that say where they begin and end."""

from collections.abc import Mapping
from typing import Any

from bench import machine
from bench.experiment.report import ratio_in_words
from judge.grading.measures import BY_NAME

_BEGIN, _END = "<!-- figures of {}: written by {} -->", "<!-- end of figures -->"
_COLUMNS = ("user_time_us", "system_time_us", "wall_time_us", "write_calls", "voluntary_switches")


def with_figures(page: str, reports: Mapping[str, Any]) -> str:
    """The page with the figures of these reports in their places. Raises ValueError when it has no place for one."""
    for key, report in reports.items():
        page = placed(page, key, _figures(report))
    return page


def placed(page: str, key: str, figures: str, writer: str = "bench/experiments.py") -> str:
    """The page with these figures between their marks. Raises ValueError when it has no place for them."""
    before, begin, rest = page.partition(_BEGIN.format(key, writer))
    _, end, after = rest.partition(_END)
    if not begin or not end:
        raise ValueError(f"the page has no place for the figures of {key}")
    return f"{before}{begin}\n\n{figures}\n\n{end}{after}"


def _figures(report: Mapping[str, Any]) -> str:
    parts = [_claims(report["claims"]), _cells(report["cells"])]
    if report["latencies_ms"]:
        parts.append(_latencies(report["latencies_ms"]))
    return "\n\n".join([*parts, _made_on(report)])


def _claims(claims: list[dict[str, Any]]) -> str:
    rows: list[tuple[str, ...]] = [
        (
            each["text"],
            each["published"] or "-",
            f"{BY_NAME[each['metric']].label}: {ratio_in_words(each)}",
            each["outcome"],
        )
        for each in claims
    ]
    return table(("claim", "published", "times as much here", "outcome"), rows)


def _cells(cells: list[dict[str, Any]]) -> str:
    is_sampled = any(cell["voluntary_switches_per_s"] is not None for cell in cells)
    heading = ("variant", "stdout", *(BY_NAME[name].label for name in (*_COLUMNS, "bytes_per_write")))
    rows = [_row(cell) + ((f"{cell['voluntary_switches_per_s']:,}",) if is_sampled else ()) for cell in cells]
    return table((*heading, *(("voluntary context switches a second",) if is_sampled else ())), rows)


def _row(cell: dict[str, Any]) -> tuple[str, ...]:
    estimates = cell["estimates"]
    calls, size = (estimates[metric]["median"] for metric in ("write_calls", "write_bytes"))
    numbers = (_number(metric, estimates[metric]) for metric in _COLUMNS)
    return (cell["variant"], cell["destination"], *numbers, f"{size / calls:,.0f}" if calls else "-")


def _number(metric: str, estimate: dict[str, Any]) -> str:
    if metric.endswith("_us"):
        return f"{estimate['median'] / 1e6:.3f} s"
    return f"{'' if estimate['is_exact'] else 'about '}{estimate['median']:,.0f}"


def _latencies(latencies: dict[str, dict[str, float]]) -> str:
    figures = list(next(iter(latencies.values())))
    rows = [(variant, *(f"{found[figure]:.1f} ms" for figure in figures)) for variant, found in latencies.items()]
    return table(("variant", *figures), rows)


def _made_on(report: Mapping[str, Any]) -> str:
    return f"{report['rounds']} rounds in {report['took_s']} s; {machine_line(report)}."


def machine_line(report: Mapping[str, Any]) -> str:
    """What it was measured on."""
    return machine.in_words(report["machine"]).replace("\n", "; ")


def table(heading: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """A table of Markdown."""
    lines = [heading, tuple("---" for _ in heading), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
