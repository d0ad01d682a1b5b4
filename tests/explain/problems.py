"""The problems that the labelled programs solve: an input of a size, and its answer."""

import random
from collections.abc import Callable
from functools import cache
from pathlib import Path

from problems.package import Package, ProblemLimits
from tests.judge.packages import make_package

_SAMPLE_SIZE = 5
_MOST = 999_999


def _numbers(n: int) -> list[int]:
    return random.Random(n).choices(range(1, _MOST), k=n)  # noqa: S311


def _as_input(values: list[int]) -> str:
    return _column([len(values), *values])


def _column(values: list[int]) -> str:
    return "".join(f"{value}\n" for value in values)


def _lines(n: int) -> tuple[str, str]:
    return f"{n}\n", _column(list(range(1, n + 1)))


def _sum(n: int) -> tuple[str, str]:
    values = _numbers(n)
    return _as_input(values), f"{sum(values)}\n"


def _doubles(n: int) -> tuple[str, str]:
    values = _numbers(n)
    return _as_input(values), _column([2 * value for value in values])


def _sort(n: int) -> tuple[str, str]:
    values = _numbers(n)
    return _as_input(values), _column(sorted(values))


def _distinct(n: int) -> tuple[str, str]:
    values = _numbers(n)
    return _as_input(values), f"{sum(set(values))}\n"


def _primes(n: int) -> tuple[str, str]:
    sieve = bytearray([1]) * (n + 1)
    sieve[:2] = b"\0\0"
    for i in range(2, int(n**0.5) + 1):
        if sieve[i]:
            sieve[i * i :: i] = bytes(len(range(i * i, n + 1, i)))
    return f"{n}\n", f"{sum(sieve)}\n"


def _stations(m: int) -> tuple[str, str]:
    """Experiment E1: n flats, m stations that reach w flats to both sides; how many more are needed?"""
    w, gap = 1, 10
    stations = [gap * (i + 1) for i in range(m)]
    n = gap * (m + 1)
    count, start = 0, 1
    for station in [*stations, n + w + 1]:
        count += -(-max(0, station - w - start) // (2 * w + 1))
        start = station + w + 1
    return f"{n} {m} {w}\n{' '.join(map(str, stations))}\n", f"{count}\n"


PROBLEMS: dict[str, Callable[[int], tuple[str, str]]] = {
    "lines": _lines,  # n -> the numbers from 1 to n
    "sum": _sum,  # n numbers -> their sum
    "doubles": _doubles,  # n numbers -> each of them doubled
    "sort": _sort,  # n numbers -> in order
    "distinct": _distinct,  # n numbers -> the sum of the different ones
    "primes": _primes,  # n -> how many primes there are up to n
    "stations": _stations,
}
_content = cache(lambda problem, n: PROBLEMS[problem](n))


def package_of(problem: str, n: int, folder: Path, limits: ProblemLimits) -> Package:
    """The problem with a small sample and one hidden test of size `n`, below a folder of its own."""
    small = min(n, _SAMPLE_SIZE)
    return make_package(folder, {"sample/1": _content(problem, small), "secret/1": _content(problem, n)}, limits=limits)
