"""Problems of DMOJ."""

from problems.convert.native import NativeProblem
from problems.convert.source import Source
from problems.package import PackageError


def read_dmoj(source: Source) -> NativeProblem:
    """Refuse the problem."""
    raise PackageError("init.yml", "", "is of DMOJ, whose problems are not converted yet")
