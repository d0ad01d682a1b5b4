"""Find sentences that are glued from parts: a translator sees only the parts, and Korean has another order of words.

`python -m tests.glued` checks the templates and modules of web, judge and problems for `make lint`, and prints each
place. A part that is meant is in ALLOWED with the reason.

How it works: in templates, a translated text is glued to what stands beside it in the same line of text if it stops
before a sentence or a label ends ("Rounds" but not "Rounds:"), or begins in lower case. Elements without a class such
as <strong> and <a> are part of a line of text; all others, and one right after another, begin a new one. In modules,
the result of a call of gettext, or a name that holds it in the same function, is glued if "+", an f-string, "%" or join
puts it beside other words. What comes from another function is not known.
"""

import ast
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

from django.template.base import Lexer, Token, TokenType

ROOT = Path(__file__).parent.parent
ROOMS = ("web", "judge", "problems")
MARKS = frozenset(
    {"_", "gettext", "gettext_lazy", "ngettext", "ngettext_lazy", "pgettext", "pgettext_lazy", "npgettext", "Sentence"}
)
ALLOWED: Mapping[str, str] = {  # "path: part": reason
    "web/templates/rejudges/matrix.html: before + after": "two labels, of the rows and of the columns",
}

_INLINE = frozenset({"a", "abbr", "b", "code", "em", "i", "kbd", "small", "span", "strong"})
_SILENT = ("blocktranslate", "if", "endif", "for", "endfor", "with", "endwith", "url", "load", "csrf_token")
_END_OF_UNIT = re.compile(r"[.!?:…]$")
_FRAME = re.compile(r"^(?:\s|<[^<>]*>)+|(?:\s|<[^<>]*>)+$")
_LITERAL = re.compile(r"""^translate\s+(?:"([^"]*)"|'([^']*)')(?P<rest>.*)$""", re.DOTALL)
_BETWEEN_UNITS = re.compile(r"[^\s]")  # any character but space between two parts sets them apart: "·", ",", "("


@dataclass(frozen=True, kw_only=True, slots=True)
class Part:
    """A piece of a line of text: a translated text, or (None) a value that nobody knows here."""

    text: str | None
    is_link: bool = False  # a link's own words

    @property
    def begins_small(self) -> bool:
        """Return whether it begins in the middle of a sentence."""
        return self.text is not None and self.text[:1].islower()

    @property
    def is_open(self) -> bool:
        """Return whether it ends before a sentence or a label does."""
        return self.text is not None and not self.is_link and not _END_OF_UNIT.search(self.text)


def in_template(source: str) -> list[str]:
    """Return the glued parts of a template, as "first + second"."""
    return list(_glued(_lines_of_text(source)))


def _glued(lines: Iterator[list[Part]]) -> Iterator[str]:
    for line in lines:
        for before, after in pairwise(line):
            if after.begins_small or (before.is_open and after.text is None):
                yield f"{_shown(before)} + {_shown(after)}"


def _shown(part: Part) -> str:
    return "{}" if part.text is None else part.text


class _Lines(HTMLParser):
    """Cuts HTML into lines of text. Of each token of the template it gets a mark: "\\1 number \\2"."""

    def __init__(self, parts: list[Part]) -> None:
        super().__init__(convert_charrefs=False)
        self.lines: list[list[Part]] = [[]]
        self._parts = parts
        self._inside: list[tuple[str, bool]] = []  # the open inline elements, and whether each began a line
        self._has_just_ended = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for _, value in attrs:
            self.lines[-1:-1] = _cut(value or "", self._parts)
        begins = tag not in _INLINE or bool(dict(attrs).get("class")) or self._has_just_ended
        if tag in _INLINE:
            self._inside.append((tag, begins))
        if begins:
            self.lines.append([])
        self._has_just_ended = False

    def handle_endtag(self, tag: str) -> None:
        _, has_begun = self._inside.pop() if tag in _INLINE and self._inside else (tag, True)
        if has_begun:
            self.lines.append([])
        self._has_just_ended = True

    def handle_data(self, data: str) -> None:
        self._has_just_ended = False
        first, *others = _cut(data, self._parts, is_link=any(tag == "a" for tag, _ in self._inside))
        self.lines[-1] += first
        self.lines += others

    def handle_entityref(self, name: str) -> None:
        if name != "nbsp":
            self.lines.append([])

    def handle_charref(self, name: str) -> None:
        self.lines.append([])


def _cut(text: str, parts: list[Part], *, is_link: bool = False) -> list[list[Part]]:
    """Return the lines of parts in a text with marks; whatever is no space begins a new one."""
    lines: list[list[Part]] = [[]]
    for piece in re.split(r"(\x01\d+\x02)", text):
        if piece[:1] == "\1":
            part = parts[int(piece[1:-1])]
            lines[-1].append(Part(text=part.text, is_link=is_link))
        elif _BETWEEN_UNITS.search(piece):
            lines.append([])
    return lines


def _lines_of_text(source: str) -> Iterator[list[Part]]:
    parts: list[Part] = []
    html: list[str] = []
    for part in _parts(Lexer(source).tokenize()):
        if isinstance(part, str):
            html.append(part)
        else:
            html.append(f"\1{len(parts)}\2")
            parts.append(part)
    reader = _Lines(parts)
    reader.feed("".join(html))
    reader.close()
    yield from reader.lines


def _parts(tokens: list[Token]) -> Iterator[Part | str]:
    """Yield HTML as it is, a character where a line of text ends, and the parts."""
    words: list[str] = []  # of the blocktranslate around
    inside: list[str] = []
    for token in tokens:
        if not words:
            words = token.split_contents() if _is_block(token, "blocktranslate") else []
            yield from _outside(token)
        elif token.token_type is TokenType.TEXT:
            inside.append(token.contents)
        elif token.token_type is TokenType.VAR:
            inside.append("{}")
        else:  # its plural, or its end
            text, inside = _FRAME.sub("", "".join(inside)), []
            if token.contents == "endblocktranslate":
                yield "" if "asvar" in words else Part(text=text)
                words = []


def _is_block(token: Token, *names: str) -> bool:
    return token.token_type is TokenType.BLOCK and token.contents.partition(" ")[0] in names


def _outside(token: Token) -> Iterator[Part | str]:
    """Yield what a token shows that is in no blocktranslate."""
    if token.token_type is TokenType.TEXT:
        yield token.contents
    elif token.token_type is TokenType.VAR or _is_block(token, "problem_link"):
        yield Part(text=None)
    elif _is_block(token, "translate"):
        yield _of_translate(token.contents)
    elif token.token_type is TokenType.BLOCK and not _is_block(token, *_SILENT):
        yield "\3"  # a character that is no space: of branches one is shown, and what others show is not known


def _of_translate(contents: str) -> Part | str:
    literal = _LITERAL.match(contents)
    if literal is None:
        return "" if " as " in contents else Part(text=None)
    return "" if literal["rest"].strip().startswith("as ") else Part(text=literal[1] or literal[2] or "")


def in_module(source: str) -> list[str]:
    """Return the glued parts of a module."""
    whole = _Inlined().visit(ast.parse(source))
    return [ast.unparse(node) for node in ast.walk(whole) if _is_glued(node)]


class _Inlined(ast.NodeTransformer):
    """Puts the calls of gettext in the place of the names that hold them in a function."""

    def __init__(self) -> None:
        self._held: dict[str, ast.expr] = {}

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """Look into a function."""
        outer, self._held = self._held, _held_in(node)
        self.generic_visit(node)
        self._held = outer
        return node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Replace a name."""
        return self._held.get(node.id, node) if isinstance(node.ctx, ast.Load) else node


def _held_in(function: ast.FunctionDef) -> dict[str, ast.expr]:
    """Return the calls of gettext by the names that hold them and nothing else."""
    values: dict[str, list[ast.expr]] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Assign):
            for target in (target for target in node.targets if isinstance(target, ast.Name)):
                values.setdefault(target.id, []).append(node.value)
    return {name: those[0] for name, those in values.items() if len(those) == 1 and _marked(those[0])}


def _is_glued(node: ast.AST) -> bool:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _is_text(node.left) and _is_text(node.right) and _are_glued([node.left, node.right])
    if isinstance(node, ast.JoinedStr):
        return _are_glued([each.value if isinstance(each, ast.FormattedValue) else each for each in node.values])
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        values = node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]
        is_plain = isinstance(node.left, ast.Constant) and isinstance(node.left.value, str)
        return is_plain and any(map(_marked, values))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "join" and node.args:
        listed = node.args[0].elts if isinstance(node.args[0], ast.List | ast.Tuple) else []
        is_space = isinstance(node.func.value, ast.Constant) and str(node.func.value.value).strip() == ""
        return is_space and _are_glued(listed)
    return False


def _is_text(node: ast.AST) -> bool:
    return not isinstance(node, ast.List | ast.Tuple | ast.ListComp)


def _are_glued(expressions: list[ast.expr]) -> bool:
    """Return whether a translated text among these, which stand side by side, is glued to its neighbour."""
    line: list[Part] = []
    lines = [line]
    for each in expressions:
        if call := _marked(each):
            line.append(Part(text=_first_text(call)))
        elif not isinstance(each, ast.Constant):
            line.append(Part(text=None))
        elif words := str(each.value).strip():
            if words[0].isalnum():
                line.append(Part(text=None))
            if not (words[0].isalnum() and words[-1].isalnum()):
                line = [Part(text=None)] if words[-1].isalnum() else []
                lines.append(line)
    return any(_glued(iter(lines)))


def _marked(node: ast.AST) -> ast.Call | None:
    """Return the call of gettext that the expression is, also with its values put in; None if it is none."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        return _marked(node.left)
    if isinstance(node, ast.Call):
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        return node if name in MARKS else None
    return None


def _first_text(call: ast.Call) -> str:
    """Return the text that is translated; "" for one of another name."""
    place = 1 if "pgettext" in ast.unparse(call.func) else 0
    first = call.args[place] if len(call.args) > place else None
    return first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else ""


def all_glued() -> dict[str, list[str]]:
    """Return the glued parts of each file that has some, by its path."""
    found = {}
    for path in (path for room in ROOMS for path in sorted((ROOT / room).rglob("*"))):
        parts = path.relative_to(ROOT).parts
        if {"library", "migrations", "collected", "static"} & {*parts} or path.suffix not in (".py", ".html", ".txt"):
            continue
        wrong = (in_module if path.suffix == ".py" else in_template)(path.read_text("utf-8"))
        if wrong:
            found["/".join(parts)] = wrong
    return found


def main() -> int:
    """Print what is glued and not allowed, and what is allowed but is not there any more."""
    found = {f"{path}: {part}" for path, parts in all_glued().items() for part in parts}
    for place in sorted(found - {*ALLOWED}):
        print(f"lint: glued from parts: {place}")
    for place in sorted({*ALLOWED} - found):
        print(f"lint: not there any more, remove it from tests/glued.py: {place}")
    return 1 if found ^ {*ALLOWED} else 0


if __name__ == "__main__":
    sys.exit(main())
