"""Find regular expressions that can read one text in very many ways, which their matchers try one after the other."""

import re

from tree_sitter import Node

from judge.grading.reading.places import Deed, Stream
from judge.grading.reading.syntax.walking import Reader, Scope

_SINGLE = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]")  # an escape, or a class of characters
_ATOM = r"[^()|+*?{}^$]"
# A repeated group of one repeated part, with parts behind it that may be missing: `(\w+)*`, `(?:a+b?)+`. What one turn
# of the group reads, two turns can read as well.
_AMBIGUOUS = re.compile(rf"\((?:\?:)?{_ATOM}[+*](?:{_ATOM}[?*])*\)(?:[+*]|\{{\d+,)")
_CALL_OF_PYTHON = re.compile(r"^re\.(?:compile|match|search|fullmatch|findall|finditer|sub|subn|split)$")
_TYPE_OF_CPP = re.compile(r"^(?:const )?(?:static )?(?:std::)?w?regex$")
_TEXTS = frozenset({"string", "string_literal", "raw_string_literal"})


def look(reader: Reader, node: Node, scope: Scope) -> None:
    """Note the first text of a call or a declaration that makes such an expression."""
    called = reader.text(node.child_by_field_name("function"))
    made = reader.text(node.child_by_field_name("type")) if node.type == "declaration" else called
    if not (_CALL_OF_PYTHON if node.type == "call" else _TYPE_OF_CPP).match(made):
        return
    for inner in reader.below(node):
        if inner.type in _TEXTS:
            text = reader.text(inner)
            if inner.type != "raw_string_literal" and not text.lower().startswith(("r", "br")):
                text = text.replace("\\\\", "\\")
            if _AMBIGUOUS.search(_SINGLE.sub("x", text)):
                reader.note(inner, scope, Deed.AMBIGUOUS, Stream.OTHER, "regex")
            return
