"""Find sentences that are glued from parts: `python -m tests.glued_sentences`, part of `make lint`.

A translator needs each sentence whole, with named placeholders, since another language has another order of words. In
templates this finds an unfinished translated part beside another part or a variable, in the same run of text. In
modules it finds a translated part that is added to something, stands in an f-string, or is joined by a comma.
"""

import ast
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from django.template.base import Lexer, Token, TokenType

ROOT = Path(__file__).parents[1]
MODULES = ("web", "judge", "problems")
MARKS = {"_", "gettext", "gettext_lazy", "ngettext", "ngettext_lazy", "pgettext", "pgettext_lazy", "npgettext"}
# What may stand as it is: place, words of the line, and why.
ALLOWED: Mapping[tuple[str, str], str] = {
    ("web/templates/experiments/beside.html", "Published: "): "the source is whole sentences with their stops",
    ("web/presentation/growth.py", "%(size)s: %(time)s"): "pairs of numbers, as a list",
    ("web/submission_filter.py", "verdict.meaning"): "a code and its name, as a pair",
    ("web/presentation/setter/verification.py", "DIALECTS"): "a name and the author's own words, as a pair",
    ("judge/grading/explain/rules/taking_turns.py", "lock.why"): "two whole sentences",
    ("judge/grading/explain/rules/tiny_reads.py", "larger_reads"): "two whole sentences",
    ("judge/grading/explain/rules/conversation.py", "keeps_question"): "two whole sentences",
}
_INLINE = re.compile(r"</?(?:a|b|code|em|i|kbd|strong)\b[^>]*>")
_SPACE = re.compile(r"[ ,(]*\Z")  # what may stand between two parts of a sentence
_ENDED = re.compile(r"[.?!:…][)\"'\u201d\u2019]*\Z")
_LITERAL = re.compile(r"""translate\s+(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')(?:\s+context\s+\S+)?\s*\Z""")
_TRANSPARENT = ("if", "endif", "with", "endwith")  # what such a tag holds stands in the same run


def glued_in_template(text: str) -> Iterator[tuple[int, str]]:
    """Yield line and words of each unfinished part that has another part or a variable beside it."""
    before: tuple[str, str] | None = None  # the last part of this run: its kind and words
    for kind, words, line in _pieces(Lexer(text).tokenize()):
        if kind == "text":
            if not _SPACE.match(_INLINE.sub("", words)):
                before = None
            continue
        if kind == "break":
            before = None
            continue
        if before and "part" in (before[0], kind) and _is_one_sentence(before, (kind, words)):
            yield line, f"{before[1]} | {words}"
        before = kind, words


def _is_one_sentence(first: tuple[str, str], second: tuple[str, str]) -> bool:
    if first[0] == "part":
        return not _ENDED.search(first[1])
    return second[1][:1].islower()


def _pieces(tokens: list[Token]) -> Iterator[tuple[str, str, int]]:
    """Yield the pieces of a template as kind, words and line. Kinds: text, value, part, break."""
    inside: list[str] | None = None  # of a blocktranslate: its words so far
    for token in tokens:
        name, line = token.contents.split(" ")[0], token.lineno or 0
        if inside is not None:
            if name == "endblocktranslate" and token.token_type is TokenType.BLOCK:
                yield "part", " ".join("".join(inside).split()), line
                inside = None
            elif token.token_type is not TokenType.BLOCK:
                inside.append(f"%({token.contents})s" if token.token_type is TokenType.VAR else token.contents)
        elif token.token_type is TokenType.TEXT:
            yield "text", token.contents, line
        elif token.token_type is TokenType.VAR:
            yield "value", token.contents, line
        elif token.token_type is TokenType.BLOCK and name == "blocktranslate":
            inside = []
        elif token.token_type is TokenType.BLOCK and (found := _LITERAL.match(token.contents)):
            yield "part", found[1] or found[2] or "", line
        elif token.token_type is TokenType.BLOCK and name not in _TRANSPARENT:
            yield "break", name, line


def glued_in_module(text: str) -> Iterator[tuple[int, str]]:
    """Yield line and source of each expression that glues a translated part to something."""
    for node in ast.walk(ast.parse(text)):
        if _glues(node):
            yield getattr(node, "lineno", 0), ast.unparse(node)


def _glues(node: ast.AST) -> bool:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _is_translated(node.left) or _is_translated(node.right)
    if isinstance(node, ast.JoinedStr):
        has_part = any(isinstance(each, ast.FormattedValue) and _is_translated(each.value) for each in node.values)
        others = [each for each in node.values if not (isinstance(each, ast.Constant) and not str(each.value).strip())]
        return has_part and len(others) > 1
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "join" and node.args:
        given, separator = node.args[0], node.func.value
        parts = given.elts if isinstance(given, ast.List | ast.Tuple) else [getattr(given, "elt", given)]
        is_comma = isinstance(separator, ast.Constant) and "," in str(separator.value)
        return is_comma and any(_is_translated(each) for each in parts)
    return False


def _is_translated(node: ast.expr) -> bool:
    """Return whether this is a call of gettext, filled or not."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        return _is_translated(node.left)
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in MARKS


def glued() -> Iterator[str]:
    """Yield each place of the source that glues, as "file:line: words", but for the allowed ones."""
    templates = [path for path in (ROOT / "web/templates").rglob("*") if path.suffix in (".html", ".txt")]
    modules = [path for name in MODULES for path in (ROOT / name).rglob("*.py")]
    for paths, find in ((templates, glued_in_template), (modules, glued_in_module)):
        for path in sorted(paths):
            place = path.relative_to(ROOT).as_posix()
            for line, words in find(path.read_text("utf-8")):
                if not any(place == known and part in words for known, part in ALLOWED):
                    yield f"{place}:{line}: {words}"


if __name__ == "__main__":
    found = list(glued())
    for each in found:
        print(f"lint: glued from parts: {each}", file=sys.stderr)
    sys.exit(bool(found))
