"""Divisions of C++ whose divisor may be 0."""

import pytest

from judge.grading.languages import CPP
from judge.grading.reading.places import Deed
from tests.judge.grading.reading.syntax.test_code import code_of


@pytest.mark.parametrize(
    ("statement", "operators"),
    [
        ("a / b;", ["/"]),
        ("cout << a % b << a / (b & 0);", ["%", "/"]),
        ("a /= b; a %= f(b);", ["/=", "%="]),
        ("RATIO(a, b);", ["/"]),
        ("a / 0; a % 0u; a / 0x0; a / NONE;", ["/", "%", "/", "/"]),
        ("a / 2; a %= 10; a % 1'000'000'007; a / 0x10; a / 0.5;", []),
        ("a % MOD; a / HALF;", []),
        ("a * b; a << b; a += b; *a; // a / b", []),
        ('puts("a / b");', []),
    ],
)
def test_a_division_is_noted_unless_its_divisor_is_a_number_other_than_0(statement: str, operators: list[str]) -> None:
    source = (
        "#include <bits/stdc++.h>\n#define RATIO(a, b) ((a) / (b))\n#define HALF 2\n"
        f"const int MOD = 998244353, NONE = 0;\nint main() {{ {statement} }}"
    )
    assert [place.name for place in code_of(source, CPP).find(Deed.DIVIDE)] == operators
