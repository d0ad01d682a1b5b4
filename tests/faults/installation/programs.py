"""The problem judged under faults, and programs for it."""

from collections.abc import Sequence
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

SLUG = "tinysum"
CASES = ("sample/1", "secret/1", "secret/2", "secret/3")
SLOW_SLUG = "slowsum"
SLOW_CASES = 3

SUM_CPP = b"#include <iostream>\nint main() { long a, b; std::cin >> a >> b; std::cout << a + b << '\\n'; }\n"
SUM_PYTHON = b"print(sum(map(int, input().split())))\n"
NUL_BYTES = b"import sys\nsys.stdout.buffer.write(b'\\0\\0\\xff\\xfe\\n')\nsys.stderr.buffer.write(b'\\0\\xc3\\x28')\n"
NUL_IN_ERROR = b'#include <iostream>\n#error "\xff\xfe\xc3\x28"\nint main() {}\n'


def slow_sum(seconds: float) -> bytes:
    """A right program that takes so long for each case."""
    return f"import time\na, b = map(int, input().split())\ntime.sleep({seconds})\nprint(a + b)\n".encode()


def slow_cpp(seconds: float) -> bytes:
    """The same in C++."""
    return (
        "#include <iostream>\n#include <unistd.h>\n"
        f"int main() {{ long a, b; std::cin >> a >> b; usleep({int(seconds * 1e6)}); std::cout << a + b << '\\n'; }}\n"
    ).encode()


def hard_to_compile(number: int) -> bytes:
    """A right program that no cache has yet and that takes the compiler a while."""
    deep = 260
    return (
        f"// {number}\n#include <bits/stdc++.h>\n#include <regex>\n"
        "template <int N> struct Sum { static long of(long a) { return Sum<N - 1>::of(a) + N; } };\n"
        "template <> struct Sum<0> { static long of(long a) { return a; } };\n"
        f'int main() {{ long a, b; std::cin >> a >> b; std::regex word("[a-z]+");\n'
        f"  std::cout << Sum<{deep}>::of(a) - {deep * (deep + 1) // 2} + b << '\\n'; }}\n"
    ).encode()


def write_package(folder: Path, extra_cases: int = 0, *, slug: str = SLUG, time_limit_s: float = 2.0) -> Path:
    """The package in `folder`: a sum of two numbers, with so many cases more."""
    package = folder / slug
    names = [*CASES, *(f"secret/{4 + number}" for number in range(extra_cases))]
    _write_cases(package, names)
    (package / "problem.yaml").write_text(
        f"problem_format_version: 2025-09\nname: Tiny Sum\nuuid: {uuid5(NAMESPACE_URL, slug)}\n"
        f"limits:\n  time_limit: {time_limit_s}\n  memory: 256\n  compilation_time: 60\n"
    )
    (package / "statement").mkdir(exist_ok=True)
    (package / "statement" / "problem.en.md").write_text("Print the sum of two numbers.\n")
    return package


def _write_cases(package: Path, names: Sequence[str]) -> None:
    for number, name in enumerate(names):
        case = package / "data" / name
        case.parent.mkdir(parents=True, exist_ok=True)
        case.with_suffix(".in").write_text(f"{number} {7 * number}\n")
        case.with_suffix(".ans").write_text(f"{8 * number}\n")


def write_slow_package(folder: Path) -> Path:
    """The same sum with a slow checker of its own, in Python, and limits that are shorter than the longest pause."""
    package = folder / SLOW_SLUG
    _write_cases(package, ("sample/1", *(f"secret/{number}" for number in range(1, SLOW_CASES))))
    (package / "problem.yaml").write_text(
        "problem_format_version: 2025-09\nname: Slow Sum\nuuid: 0d0f3d0e-0f5c-4b5e-9d55-2f4f4f9d2c01\n"
        "limits:\n  time_limit: 0.5\n  time_resolution: 0.5\n  validation_time: 1\n  compilation_time: 20\n"
    )
    (package / "statement").mkdir()
    (package / "statement" / "problem.en.md").write_text("Print the sum of two numbers.\n")
    (package / "output_validator").mkdir()
    (package / "output_validator" / "check.py").write_text(
        "import sys, time\ntime.sleep(0.4)\nsys.exit(42 if open(sys.argv[2]).read() == sys.stdin.read() else 43)\n"
    )
    return package
