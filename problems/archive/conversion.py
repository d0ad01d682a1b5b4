"""Convert a folder in another format to a problem as values."""

from collections.abc import Callable, Mapping

from problems.convert.cms.problem import read_cms
from problems.convert.detection import CMS, DMOJ, PLAIN, POLYGON
from problems.convert.dmoj.problem import read_dmoj
from problems.convert.native import NativeProblem
from problems.convert.plain import read_plain
from problems.convert.polygon.problem import read_polygon
from problems.convert.source import Source

READERS: Mapping[str, Callable[[Source], NativeProblem]] = {
    PLAIN: read_plain,
    DMOJ: read_dmoj,
    POLYGON: read_polygon,
    CMS: read_cms,
}


def read_problem(source: Source, origin: str) -> NativeProblem:
    """Return the problem of that format; the source's report has the warnings.

    Its files are the source's. Raises PackageError and PackageErrors with all that is wrong.
    """
    problem = READERS[origin](source)
    source.report.stop_if_broken()
    return problem
