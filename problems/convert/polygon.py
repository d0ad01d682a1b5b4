"""Problems of Polygon."""

from problems.convert.native import NativeProblem
from problems.convert.source import Source
from problems.package import PackageError


def read_polygon(source: Source) -> NativeProblem:
    """Refuse the problem."""
    raise PackageError("problem.xml", "", "is of Polygon, whose problems are not converted yet")
