"""Arrays that a function of C++ keeps on its stack, with their sizes."""

import pytest

from judge.grading.languages import CPP
from judge.grading.reading.places import Deed
from tests.judge.grading.reading.syntax.test_code import code_of


@pytest.mark.parametrize(
    ("source", "sizes"),
    [
        ("int main() { int a[1000000]; }", ["4000000"]),
        ("int main() { double a[1000][1'000], b[9]; }", ["8000000"]),
        ("int main() { long long a[2000000] = {}; }", ["16000000"]),
        ("int main() { char s[100]; }", []),
        ("int main() { static int a[1000000]; }", []),
        ("int a[1000000]; int main() { a[0] = 1; }", []),
        ("int main() { int a[n]; }", []),
        (f"int main() {{ int a[{'9' * 5_000}]; }}", []),
        (f"int main() {{ int a{'[999999999999]' * 500}; }}", []),
        ("int main() { std::vector<int> a(1000000); }", []),
    ],
)
def test_large_local_arrays_are_found_with_their_size(source: str, sizes: list[str]) -> None:
    assert [place.words[0] for place in code_of(source, CPP).find(Deed.LOCAL)] == sizes


@pytest.mark.parametrize(
    ("declaration", "sizes"),
    [
        ("int table[1000][1000];", ["4000000"]),
        ("unsigned long long table[1000000];", ["8000000"]),
        ("long double table[1000000];", ["16000000"]),
        ("pair<int,int> table[1000000];", []),
        ("vector<int> table[1000000];", []),
    ],
)
def test_a_table_has_a_size_if_the_name_of_its_type_tells_it(declaration: str, sizes: list[str]) -> None:
    tables = code_of(f"{declaration} int main() {{}}", CPP).find(Deed.KEEP, names=("table",))
    assert [place.words[0] for place in tables] == sizes
