"""Where a source names something, outside its comments and strings."""

import re

from judge.languages import Language

_C_LIKE = r"//[^\n]*|/\*.*?\*/"
_NOISE = {
    "python": re.compile(
        r'#[^\n]*|"""(?:\\.|.)*?"""|\'\'\'(?:\\.|.)*?\'\'\'|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S
    ),
    "cpp": re.compile(_C_LIKE + r'|R"([^(\s]*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.S),
    "rust": re.compile(_C_LIKE + r'|r(#*)".*?"\1|"(?:\\.|[^"\\])*"|\'(?:\\[^\']+|[^\'\\\n])\'', re.S),
}


def find_lines(source: bytes, language: Language, pattern: str) -> tuple[int, ...]:
    """The numbers, from 1, of the lines whose code matches the pattern."""
    code = _NOISE[language.id].sub(_blank, source.decode("utf-8", "replace"))
    found = re.compile(pattern)
    return tuple(number for number, line in enumerate(code.split("\n"), start=1) if found.search(line))


def _blank(noise: re.Match[str]) -> str:
    return "\n" * noise[0].count("\n") or " "
