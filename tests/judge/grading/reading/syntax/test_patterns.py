"""Regular expressions that can read one text in very many ways, by their text."""

import pytest

from judge.grading.languages import CPP, PYTHON, Language
from judge.grading.reading.places import Deed
from tests.judge.grading.reading.syntax.test_code import code_of


@pytest.mark.parametrize(
    ("language", "source", "is_ambiguous"),
    [
        (PYTHON, 're.match(r"(a+)+$", s)', True),
        (PYTHON, 're.compile("(?:\\\\w+\\\\s?)*")', True),
        (PYTHON, 're.fullmatch(r"([a-z]*){2,}", s)', True),
        (PYTHON, 're.match(r"(a+b)+$", s)', False),  # each turn has a `b` of its own
        (PYTHON, 're.match(r"\\w+(?:\\s\\w+)*", s)', False),
        (PYTHON, 're.match(r"(a+)?", s)', False),
        (PYTHON, 're.match(r"[(a+)+]", s)', False),
        (PYTHON, 'print("(a+)+")', False),
        (CPP, 'int main() { std::regex r("(a+)*"); }', True),
        (CPP, 'int main() { bool b = regex_match(s, regex("([a-z]+)+")); }', True),
        (CPP, 'int main() { std::string r("(a+)*"); }', False),
        (CPP, 'int main() { std::regex r("(ab)*"); }', False),
    ],
)
def test_a_repeated_group_that_repeats_itself_is_found(language: Language, source: str, is_ambiguous: bool) -> None:
    assert code_of(source, language).has(Deed.AMBIGUOUS) is is_ambiguous
