"""C++ macros, as far as they can hide a print, a flush or a loop: `#define endl '\\n'`, `#define rep(i, n) for (...)`.

Each use is replaced by what it stands for, and its line stays the same. Unlike the real preprocessor this knows no
conditions (of two definitions the last holds), no `#` and no `##`.
"""

import re
from dataclasses import dataclass

from tree_sitter import Node, Parser

from judge.grading.reading.syntax.walking import nodes_of

_ROUNDS = 4  # macros that use macros that use macros
_MOST_BYTES = 512 * 1024  # of a source when its macros are expanded; beyond, it is read as it is
_QUIET = frozenset({"comment", "string_literal", "raw_string_literal", "char_literal", "system_lib_string"})
_DIRECTIVES = frozenset({"preproc_def", "preproc_function_def", "preproc_include", "preproc_call"})
_WORD = re.compile(rb"\w+")
_WORDS = frozenset(
    {"identifier", "type_identifier", "field_identifier", "namespace_identifier", "statement_identifier"}
)


@dataclass(frozen=True, slots=True)
class _Macro:
    parameters: tuple[bytes, ...] | None  # None: it takes none
    body: bytes

    def filled(self, arguments: list[bytes]) -> bytes:
        """Return the body with these arguments for its parameters."""
        names = list(self.parameters or ())
        if names and names[-1] == b"...":
            at = len(names) - 1
            names[-1], arguments = b"__VA_ARGS__", [*arguments[:at], b",".join(arguments[at:])]
        values = {name: _one_line(value) for name, value in zip(names, arguments, strict=False)}
        return _WORD.sub(lambda word: values.get(word[0], word[0]), self.body)


def expand(source: bytes, parser: Parser) -> bytes:
    """Return the source with its macros expanded; every line keeps its number."""
    for _ in range(_ROUNDS):
        root = parser.parse(source).root_node
        macros: dict[bytes, _Macro] = {}
        uses: list[tuple[int, int]] = []
        for node in nodes_of(root, closed=_DIRECTIVES | _QUIET):
            if node.type in _DIRECTIVES:
                macros |= _defined(node, source)
            elif node.type in _WORDS:
                uses.append((node.start_byte, node.end_byte))
        expanded = _replaced(source, [use for use in uses if source[use[0] : use[1]] in macros], macros)
        if expanded == source or len(expanded) > _MOST_BYTES:
            return source
        source = expanded
    return source


def _defined(node: Node, source: bytes) -> dict[bytes, _Macro]:
    name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    if name is None or name.text is None:
        return {}
    parameters = node.child_by_field_name("parameters")
    children = parameters.children if parameters else []
    names = tuple(child.text or b"" for child in children if child.type in ("identifier", "..."))
    body = source[value.start_byte : value.end_byte] if value else b""
    body = _one_line(body if b'"' in body else body.partition(b"//")[0])
    return {name.text: _Macro(parameters=names if parameters else None, body=body)}


def _one_line(code: bytes) -> bytes:
    return code.replace(b"\\\r\n", b" ").replace(b"\\\n", b" ").replace(b"\n", b" ")


def _replaced(source: bytes, uses: list[tuple[int, int]], macros: dict[bytes, _Macro]) -> bytes:
    pieces, done = [], 0
    for start, end in uses:
        macro = macros[source[start:end]]
        if start < done:
            continue
        if macro.parameters is None:
            pieces += [source[done:start], macro.body]
            done = end
        elif (actual := _arguments(source, end)) is not None:
            arguments, after = actual
            used = source[start:after]
            pieces += [source[done:start], macro.filled(arguments), b"\n" * used.count(b"\n")]
            done = after
        if sum(map(len, pieces[-3:])) > _MOST_BYTES:
            return source
    return b"".join([*pieces, source[done:]])


def _arguments(source: bytes, start: int) -> tuple[list[bytes], int] | None:
    """Return the arguments in the parentheses that follow, split at commas, and their end. None without parentheses."""
    position = start
    while source[position : position + 1].isspace():
        position += 1
    if source[position : position + 1] != b"(":
        return None
    arguments: list[bytes] = []
    depth, begin, quote = 0, position + 1, b""
    for place in range(position, min(len(source), position + 4_096)):
        letter = source[place : place + 1]
        if quote or letter in b"\"'":
            if source[place - 1 : place] != b"\\" and (not quote or letter == quote):
                quote = b"" if quote else letter
        elif letter in b"([{":
            depth += 1
        elif letter in b")]}":
            depth -= 1
            if not depth:
                return [*arguments, source[begin:place]], place + 1
        elif letter == b"," and depth == 1:
            arguments.append(source[begin:place])
            begin = place + 1
    return None
