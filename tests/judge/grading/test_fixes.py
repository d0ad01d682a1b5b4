"""Rewriting in a process of its own: what comes back, and what is too much for it."""

import pytest

from judge.grading.fixes import change_of, fixes_for, has_remedy, rewrite
from judge.grading.languages import LANGUAGES
from judge.grading.reading.rewriting.editing import Edit, applied
from sandbox.image.reading import Reader

CPP = LANGUAGES["cpp"]
SOURCE = "// ä\n#include <iostream>\nint main() { for (;;) std::cout << 1 << std::endl; }\n"


def test_fixes_are_applied_one_after_the_other(reader: Reader) -> None:
    rewritten = rewrite(reader, SOURCE.encode(), CPP, ["newline-for-endl", "append-in-place", "unsync"])
    assert rewritten is not None
    assert rewritten.codes == ("newline-for-endl", "unsync")
    main = "int main() { std::ios::sync_with_stdio(false); for (;;) std::cout << 1 << '\\n'; }"
    assert rewritten.source == f"// ä\n#include <iostream>\n{main}\n"
    assert rewritten.diff[-1] == f"+{main}"
    assert rewritten.diff[-2] == "-int main() { for (;;) std::cout << 1 << std::endl; }"
    assert rewritten.diff[0].startswith("@@")


def test_what_no_fix_applies_to_gives_nothing(reader: Reader) -> None:
    assert rewrite(reader, b"int main() {}\n", CPP, ["newline-for-endl"]) is None
    assert rewrite(reader, SOURCE.encode("latin-1"), CPP, ["newline-for-endl"]) is None  # a page could not show it


@pytest.mark.thorough
def test_a_source_that_is_too_much_gives_nothing(reader: Reader) -> None:
    assert rewrite(reader, b"int main() { cout << endl; " + b"a<" * 60_000 + b";}", CPP, ["newline-for-endl"]) is None


def test_edits_that_overlap_leave_the_later_one_out() -> None:
    edits = [Edit(1, 3, b"x"), Edit(2, 4, b"y"), Edit(4, 4, b"z"), Edit(1, 3, b"x")]
    assert applied(b"abcdef", edits) == b"axdzef"


def test_fixes_that_answer_a_finding_are_tried_first() -> None:
    codes = [fix.code for fix in fixes_for("rust", {"tiny-reads"})]
    assert codes[0] == "buffered-reader"
    assert len(codes) == len(set(codes)) == len(fixes_for("rust", ()))
    assert fixes_for("fortran", ()) == ()
    assert has_remedy("python", "flush-per-line")
    assert not has_remedy("python", "algorithm")
    assert change_of("cpp", "unsync")
    assert change_of("cpp", "unheard-of") == ""
