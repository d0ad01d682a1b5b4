"""Where a source names something, outside its comments and strings.

This is no parser, and a source may be made to fool it. So whatever opens and never closes goes on to the end, of the
source or of the line, and a character has few letters: looking for the close again from every opening would take
minutes in a source full of them.
"""

import re

from judge.languages import Language

_C_COMMENT = r"/\*.*?(?:\*/|\Z)"
_NOISE = {
    "python": re.compile(
        r'#[^\n]*|"""(?:\\.|.)*?(?:"""|\Z)|\'\'\'(?:\\.|.)*?(?:\'\'\'|\Z)'
        r'|"(?:\\.|[^"\\\n])*(?:"|$|\\\Z)|\'(?:\\.|[^\'\\\n])*(?:\'|$|\\\Z)',
        re.S | re.M,
    ),
    "cpp": re.compile(
        r"//(?:\\\n|[^\n])*|"
        + _C_COMMENT
        + r'|R"([^(\s]{0,16})\(.*?(?:\)\1"|\Z)|"(?:\\.|[^"\\\n])*(?:"|$|\\\Z)|\'(?:\\.|[^\'\\\n]){1,12}\'',
        re.S | re.M,
    ),
    "rust": re.compile(
        r"//[^\n]*|" + _C_COMMENT + r'|r(#*)".*?(?:"\1|\Z)|"(?:\\.|[^"\\])*(?:"|\Z)|\'(?:\\[^\']{1,12}|[^\'\\\n])\'',
        re.S,
    ),
}


def find_lines(source: bytes, language: Language, pattern: str) -> tuple[int, ...]:
    """The numbers, from 1, of the lines whose code matches the pattern."""
    code = _NOISE[language.id].sub(_blank, source.decode("utf-8", "replace"))
    found = re.compile(pattern)
    return tuple(number for number, line in enumerate(code.split("\n"), start=1) if found.search(line))


def _blank(noise: re.Match[str]) -> str:
    return "\n" * noise[0].count("\n") or " "
