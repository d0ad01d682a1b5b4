"""Looks into hash tables: noted where nothing else at the place takes long, whatever stands in the table."""

import pytest

from judge.grading.languages import CPP, PYTHON
from judge.grading.reading.places import Deed
from tests.judge.grading.reading.syntax.test_code import code_of


@pytest.mark.parametrize(
    ("statement", "is_noted"),
    [
        ("seen[x] = seen.get(x, 0) + 1", True),
        ("seen[x] += 1", True),
        ("seen[x].append(1)", True),
        ("if x in seen: n += 1", True),
        ("n += sum(seen[x])", False),
        ("seen[x] = seen[x] + [x]", False),
        ("seen[x] += other", False),
        ("seen[x] = pow(3, x, n)", False),
        ("for y in seen[x]: n += y", False),
        ("if n in seen[x]: n += 1", False),
        ("last = seen[x][1:]", False),
        ("seen[x].sort()", False),
    ],
)
def test_python(statement: str, is_noted: bool) -> None:
    source = f"seen = {{}}\nfor x in map(int, input().split()):\n    {statement}\n"
    assert code_of(source, PYTHON).has(Deed.HASH) is is_noted


@pytest.mark.parametrize(
    ("table", "statement", "is_noted"),
    [
        ("unordered_map<long long, int>", "t[x]++;", True),
        ("std::unordered_set<int>", "if (t.count(x)) n++;", True),
        ("unordered_map<int, int>", "if (t.find(x) != t.end()) n++;", True),
        ("unordered_map<int, int>", "n = f(t[x]);", False),
        ("unordered_map<int, List>", "for (auto y : t[x]) n++;", False),
        ("unordered_map<int, vector<int>>", "auto list = t[x];", False),
        ("unordered_multiset<int>", "if (t.count(x)) n++;", False),
        ("map<int, int>", "t[x]++;", False),
    ],
)
def test_cpp(table: str, statement: str, is_noted: bool) -> None:
    source = f"int main() {{ {table} t; int n = 0, x; while (cin >> x) {{ {statement} }} }}"
    assert code_of(source, CPP).has(Deed.HASH) is is_noted
