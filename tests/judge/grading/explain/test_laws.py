"""The law of counts: the true one where counts follow it at all sizes, and none where another reading is left."""

import math
import random
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from judge.grading.explain.evidence.law_words import formula
from judge.grading.explain.evidence.laws import LawSearch, Told
from judge.grading.explain.evidence.sizes import sizes_of

_LARGE = (3, 5, 10, 50, 100, 200, 500, 1_000, 2_000, 4_000)
_SMALL = (1, 2, 5, 10, 15, 20, 25, 28, 30)


def values(n: int) -> dict[str, int]:
    """The sizes of n and a line of n numbers of some digits each."""
    size = 6 * n + n * 7_919 % (n + 1)
    return {"number1": n, "lines": 2, "words": n + 1, "bytes": size, "longest": size - 8}


def lone(n: int) -> dict[str, int]:
    return {"number1": n, "lines": 1, "words": 1, "bytes": len(str(n)) + 1, "longest": len(str(n))}


def told(count: Callable[[int], int], sizes: Callable[[int], Mapping[str, int]], case: int) -> Told | None:
    runs = _LARGE if sizes is values else _SMALL
    return LawSearch(runs=[sizes(n) for n in runs], case=sizes(case)).law_of([count(n) for n in runs])


def fibonacci_calls(n: int) -> int:
    before, calls = 1, 1
    for _ in range(n):
        before, calls = calls, before + calls + 1
    return before


EXACT: dict[str, Callable[[int], int]] = {
    "7": lambda n: 7,
    "n": lambda n: n,
    "3*n+5": lambda n: 3 * n + 5,
    "n*(n-1)/2": lambda n: n * (n - 1) // 2,
    "n*(n+1)/2": lambda n: n * (n + 1) // 2,
    "n^2": lambda n: n * n,
    "n*(n^2-3*n+2)/6": lambda n: math.comb(n, 3),
    "n^3": lambda n: n**3,
    "n*floor(log2(n))": lambda n: n * (n.bit_length() - 1),
    "floor(sqrt(n))": math.isqrt,
}
POWERS: dict[str, Callable[[int], int]] = {
    "2^n": lambda n: 2**n,
    "2*2^n-1": lambda n: 2 ** (n + 1) - 1,
    "n*2^n/2": lambda n: n * 2 ** (n - 1),
}


def seven_wide(n: int) -> dict[str, int]:
    """The sizes of n and a line of n numbers of six digits."""
    return {"number1": n, "lines": 2, "words": n + 1, "bytes": 7 * n + len(str(n)) + 1, "longest": 7 * n - 1}


def test_inputs_of_one_width_leave_the_law_of_the_values() -> None:
    """Their bytes go along with the values; those of the case, which was stopped, do not."""
    case = {"number1": 100_000, "lines": 2, "words": 100_001, "bytes": 588_902, "longest": 588_894}
    runs = (1, 2, 3, 4, 6, 8, 11, 16, 23, 32, 45, 64, 91, 128, 181)
    search = LawSearch(runs=[seven_wide(n) for n in runs], case=case)
    law = search.law_of([n * (n - 1) // 2 for n in runs])
    assert law is not None
    assert (formula(law.law), law.expected) == ("n*(n-1)/2", 4_999_950_000)
    characters = search.law_of([7 * n - 1 for n in runs])  # a loop over the line: its length, or nothing
    assert characters is None or characters.law.sizes == ("longest",)


@pytest.mark.parametrize("law", EXACT)
def test_an_exact_law_is_found_and_reckons_the_case(law: str) -> None:
    answer = told(EXACT[law], values, 100_000)
    assert answer is not None
    assert formula(answer.law) == law
    assert answer.expected == EXACT[law](100_000)


@pytest.mark.parametrize("law", POWERS)
def test_a_power_of_two_is_found(law: str) -> None:
    answer = told(POWERS[law], lone, 45)
    assert answer is not None
    assert formula(answer.law) == law
    assert answer.expected == POWERS[law](45)


RATIOS: dict[str, Callable[[int], int]] = {
    "n*log2(n)": lambda n: round(n * math.log2(n) * (1 + 0.01 * math.sin(n))),
    "0.25*n^2": lambda n: round(n * n * 0.25 * (1 + 0.01 * math.sin(n))),
    "0.0000044*n^3": lambda n: round(4.4e-6 * n**3),
    "n*sqrt(n)": lambda n: int(n**1.5),
}


@pytest.mark.parametrize("law", RATIOS)
def test_a_steady_ratio_is_told_as_about(law: str) -> None:
    answer = told(RATIOS[law], values, 100_000)
    assert answer is not None
    assert not answer.law.is_exact
    assert formula(answer.law).replace("words", "n") == law
    assert answer.expected == pytest.approx(RATIOS[law](100_000), rel=0.05)


def test_branching_calls_grow_by_a_factor() -> None:
    answer = told(fibonacci_calls, lone, 40)
    assert answer is not None
    assert formula(answer.law).endswith("1.618^n")
    assert answer.expected == pytest.approx(fibonacci_calls(40), rel=0.05)


def test_a_factor_too_large_for_any_number_is_no_law() -> None:
    runs = [{"number1": n} for n in range(10_000, 10_030, 5)]
    search = LawSearch(runs=runs, case={"number1": 10_040})
    assert search.law_of([10 * 3**step for step in range(3, 9)]) is None


def test_the_logarithm_is_that_of_the_last_size() -> None:
    """A run with no columns has none, whatever the number of rows."""
    pairs = [(3, 7), (10, 4), (20, 50), (100, 9), (64, 64), (300, 17), (7, 0)]
    runs = [{"number1": n, "number2": m} for n, m in pairs]
    search = LawSearch(runs=runs, case={"number1": 1_000, "number2": 2_000})
    assert search.law_of([n * (m.bit_length() - 1) for n, m in pairs]) is None


def test_nothing_is_said_of_counts_without_a_law() -> None:
    chance = random.Random(5)  # noqa: S311 - of numbers that follow no law
    assert told(lambda n: chance.randrange(n * n + 1), values, 100_000) is None
    assert told(lambda n: n if n < 1_000 else n * n, values, 100_000) is None


def test_a_number_that_nobody_counts_to_is_not_expected() -> None:
    answer = told(lambda n: 2**n, lone, 3_000)
    assert answer is not None
    assert answer.expected is None


def test_two_sizes_that_went_along_are_not_told_apart() -> None:
    """In all runs there were as many columns as rows: n*m and n*n fit alike, but not on the case."""
    runs = [{"number1": n, "number2": n} for n in _LARGE]
    assert LawSearch(runs=runs, case={"number1": 10, "number2": 100_000}).law_of([n * n for n in _LARGE]) is None
    same = LawSearch(runs=runs, case={"number1": 5_000, "number2": 5_000}).law_of([n * n for n in _LARGE])
    assert same is not None
    assert same.expected == 25_000_000


def test_two_sizes_that_differ_are_told() -> None:
    pairs = [(3, 7), (10, 4), (20, 50), (100, 9), (64, 64), (300, 17)]
    runs = [{"number1": n, "number2": m} for n, m in pairs]
    answer = LawSearch(runs=runs, case={"number1": 1_000, "number2": 2_000}).law_of([n * (m + 1) for n, m in pairs])
    assert answer is not None
    assert formula(answer.law) == "n*(m+1)"
    assert answer.expected == 2_001_000


def test_a_size_that_no_run_varied_decides_nothing() -> None:
    """A constant of the runs, which the case does not have, may be a factor."""
    runs = [{"number1": n, "number2": 10} for n in _LARGE]
    assert LawSearch(runs=runs, case={"number1": 100, "number2": 100_000}).law_of([10 * n for n in _LARGE]) is None


@given(
    st.lists(st.integers(1, 10_000), min_size=6, max_size=12, unique=True),
    st.tuples(*[st.integers(-9, 9)] * 3).filter(any),
)
def test_each_square_law_is_solved(sizes: list[int], parts: tuple[int, int, int]) -> None:
    def count(n: int) -> int:
        return parts[0] * n * n + parts[1] * n + parts[2]

    answer = LawSearch(runs=[{"number1": n} for n in sizes], case={"number1": 123_456}).law_of(
        [count(n) for n in sizes]
    )
    assert answer is not None
    assert answer.expected == count(123_456)


@given(st.binary(max_size=300))
def test_sizes_are_those_of_the_whole_input(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "input"
    path.write_bytes(content)
    sizes = sizes_of(path)
    assert sizes["bytes"] == len(content)
    assert sizes["words"] == len(content.split())
    assert sizes["longest"] == max(len(row) for row in content.split(b"\n"))


def test_sizes_of_a_long_input_are_read_across_its_pieces(tmp_path: Path) -> None:
    numbers = " ".join(str(number) for number in range(400_000))
    (tmp_path / "input").write_text(f"400000 7\n{numbers}\n")
    sizes = sizes_of(tmp_path / "input")
    assert (sizes["number1"], sizes["number2"], sizes["words"], sizes["lines"]) == (400_000, 7, 400_002, 2)
    assert sizes["longest"] == len(numbers)
