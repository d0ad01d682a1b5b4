"""What a call of a Python source prints to stdout, as one expression of a text and the end of it."""

import re
from dataclasses import dataclass

from tree_sitter import Node

from judge.grading.reading.rewriting.pycode import PyCode
from judge.grading.reading.syntax.walking import Site

_SAFE_IN_FSTRING = re.compile(r"[\w\s.+\-*/%,()\[\]]+\Z")
_SIMPLE = frozenset({"identifier", "attribute", "subscript", "binary_operator", "integer", "call", "unary_operator"})
_LINE_END = "\\n"
_ENDED = re.compile(r"""(?P<text>f?(?P<quote>["'])(?:[^"'\\]|\\[^\n])*?)(?<!\\)\\n(?P=quote)\Z""")


@dataclass(frozen=True, kw_only=True, slots=True)
class Written:
    """One piece of output. `text`: an expression; `end`: what follows, as a double-quoted string has it."""

    text: str
    end: str
    value: str = ""  # the one thing whose text it is, if `print` makes it

    def is_value_of(self, name: str) -> bool:
        """Return whether it is no more than the text of this variable."""
        return self.value == name


def written_by(code: PyCode, site: Site) -> Written | None:
    """Return what a `print` or a `write` of a text prints; None if no expression tells."""
    call, values = site.node, code.positional(site.node)
    if site.place.name == "write()":
        return _of_write(code, values[0]) if len(values) == 1 and not code.keywords(call) else None
    if site.place.name != "print" or code.text(call.child_by_field_name("function")) != "print":
        return None
    between, end = code.separators(call) or (None, "")
    if between is None or "__format__" in code.names:  # an f-string asks for that, and `print` for `__str__`
        return None
    text = text_of(code, values, between, "")
    value = code.text(values[0]) if len(values) == 1 else ""
    return Written(text=text, end=end, value=value) if text else None


def _of_write(code: PyCode, value: Node) -> Written | None:
    if value.type in ("list_splat", "generator_expression"):
        return None
    right, left = value.child_by_field_name("right"), value.child_by_field_name("left")
    is_sum = value.type == "binary_operator" and code.text(value.child_by_field_name("operator")) == "+"
    if is_sum and code.plain_string(right) == _LINE_END:
        return Written(text=code.text(left), end=_LINE_END)
    ended = _ENDED.match(code.text(value)) if value.type == "string" else None
    if ended:
        return Written(text=ended["text"] + ended["quote"], end=_LINE_END)
    return Written(text=code.text(value), end="")


def text_of(code: PyCode, values: list[Node], sep: str, end: str) -> str:
    """Return the expression of what `print` makes of these values; "" if it is not known.

    `sep`, `end`: as a double-quoted string has them.
    """
    texts = [code.text(value) for value in values]
    if len(values) == 1 and values[0].type == "list_splat":
        if code.binds("map") or code.binds("str"):
            return ""
        joined = f'"{sep}".join(map(str, {code.text(values[0].named_children[0])}))'
        return f'{joined} + "{end}"' if end else joined
    if any(value.type in ("list_splat", "generator_expression") for value in values):
        return ""
    if all(value.type in _SIMPLE and _SAFE_IN_FSTRING.match(text) for value, text in zip(values, texts, strict=True)):
        prefix = "f" if values else ""
        return prefix + '"' + sep.join(f"{{{text}}}" for text in texts) + end + '"'
    if len(texts) == 1 and not end:
        return texts[0] if values[0].type in ("string", "concatenated_string") else f"str({texts[0]})"
    places, comma = sep.join("%s" for _ in texts), "," * (len(texts) == 1)
    return f'"{places}{end}" % ({", ".join(texts)}{comma})'
