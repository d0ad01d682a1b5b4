"""How much work a fix is grows with a source as its length does."""

import sys
from collections.abc import Callable
from types import FrameType, ModuleType

import pytest

from judge.grading.reading.rewriting import cpp, rust
from judge.grading.reading.rewriting.__main__ import rewritten

TIMES = 8
MOST_TIMES = 12  # eight times the source takes eight times the steps; 64 times them, if each name walks through it


def cpp_source(functions: int) -> str:
    """As many functions, each with its own names, one that is called with a text and one that moves a vector."""
    pieces = (
        f"int f{i}(string s{i}, int k{i}) {{ int a{i} = k{i}, b{i} = a{i}; return b{i} + (int)s{i}.size(); }}\n"
        f"void g{i}() {{ vector<int> v{i}(3); map<int, int> m{i}; v{i}.erase(v{i}.begin()); m{i}[1] = 2;\n"
        f'    string t{i} = "a"; f{i}(t{i}, 1); for (string e{i} : w) cout << e{i}; }}\n'
        for i in range(functions)
    )
    head = "#include <bits/stdc++.h>\nusing namespace std;\nvector<string> w;\n"
    return head + "".join(pieces) + "int main() {}\n"


def rust_source(functions: int) -> str:
    """As many functions, each with its own names."""
    pieces = (
        f"fn f{i}(v{i}: Vec<i32>) -> i32 {{ let a{i} = 1; let b{i} = a{i}; let c{i} = vec![b{i}]; c{i}[0] }}\n"
        f"fn g{i}() {{ let mut q{i} = vec![1, 2]; q{i}.remove(0); let r{i} = vec![3]; f{i}(r{i}.clone()); }}\n"
        for i in range(functions)
    )
    return "".join(pieces) + "fn main() {}\n"


def steps(source: str, language: ModuleType, code: str) -> int:
    """How often Python calls or resumes a function while a source is changed."""
    count = 0

    def counted(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal count
        count += event == "call"

    before = sys.getprofile()
    sys.setprofile(counted)
    try:
        rewritten(source.encode(), language, [code])
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize(
    ("made", "language", "code"),
    [
        (cpp_source, cpp, "deque-for-vector"),
        (cpp_source, cpp, "unordered-for-map"),
        (cpp_source, cpp, "reference-parameters"),
        (cpp_source, cpp, "reference-elements"),
        (rust_source, rust, "deque-for-vec"),
        (rust_source, rust, "borrowed-parameters"),
    ],
)
def test_the_work_grows_as_the_source_does(made: Callable[[int], str], language: ModuleType, code: str) -> None:
    assert steps(made(10 * TIMES), language, code) < MOST_TIMES * steps(made(10), language, code)
