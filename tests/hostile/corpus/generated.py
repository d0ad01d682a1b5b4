"""Sources too long or too odd to keep: the manifest's `[[generated]]` cases and similar ones."""

from collections.abc import Iterator
from dataclasses import dataclass

_RIGHT = {
    "python": ("py", b"#", b"a, b = map(int, input().split())\nprint(a + b)\n"),
    "cpp": (
        "cpp",
        b"//",
        b'#include <cstdio>\nint main() { int a, b; scanf("%d%d", &a, &b); printf("%d\\n", a + b); }\n',
    ),
    "rust": (
        "rs",
        b"//",
        b"fn main() { let mut s = String::new(); std::io::stdin().read_line(&mut s).unwrap();\n"
        b'println!("{}", s.split_whitespace().map(|n| n.parse::<i64>().unwrap()).sum::<i64>()); }\n',
    ),
}
_HUGE_BYTES = 5 << 20
_LINE_BYTES = 60_000
_LINES = 60_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Generated:
    """One right program in an odd shape."""

    file: str
    language: str
    source: bytes


def huge() -> Iterator[Generated]:
    """Larger than any request may be."""
    for language in _RIGHT:
        yield _padded("huge", language, _HUGE_BYTES)


def at_limit(limit: int) -> Iterator[Generated]:
    """As many bytes as are allowed."""
    for language in _RIGHT:
        yield _padded("at_limit", language, limit)


def over_limit(limit: int) -> Iterator[Generated]:
    """One byte more; and too many bytes in few enough characters."""
    for language, (extension, comment, right) in _RIGHT.items():
        yield _padded("over_limit", language, limit + 1)
        wide = right + comment + "é".encode() * ((limit - len(right)) // 2 + 10) + b"\n"
        yield Generated(file=f"over_limit_in_bytes.{extension}", language=language, source=wide)


def long_shapes() -> Iterator[Generated]:
    """One line of 60 KB; 60,000 lines."""
    for language, (extension, _, right) in _RIGHT.items():
        yield _padded("one_line", language, _LINE_BYTES)
        yield Generated(file=f"many_lines.{extension}", language=language, source=b"\n" * _LINES + right)


def line_ends() -> Iterator[Generated]:
    """Ends of lines that some take for one and others do not."""
    for language, (extension, comment, right) in _RIGHT.items():
        shapes = {
            "cr": right.replace(b"\n", b"\r"),
            "crlf": right.replace(b"\n", b"\r\n"),
            "no_final": right.rstrip(b"\n"),
            "u2028": right + comment + " \u2028\n".encode(),
            "mixed": right.replace(b"\n", b"\r\n", 1) + comment + "\x0b\x0c\x1c\x85\u2029\r\r\n\n\r".encode(),
        }
        for name, source in shapes.items():
            yield Generated(file=f"{name}.{extension}", language=language, source=source)


def _padded(name: str, language: str, size: int) -> Generated:
    """The right program and one long comment, `size` bytes in all."""
    extension, comment, right = _RIGHT[language]
    padding = b"x" * (size - len(right) - len(comment) - 1)
    return Generated(file=f"{name}.{extension}", language=language, source=right + comment + padding + b"\n")
