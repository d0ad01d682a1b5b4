"""Prints to stdout that are left out: those on given lines, as whole statements."""

from collections.abc import Collection, Iterator

from tree_sitter import Node

from judge.grading.reading.places import Deed, Stream
from judge.grading.reading.rewriting.cppcode import CppCode
from judge.grading.reading.rewriting.editing import Edit
from judge.grading.reading.rewriting.pycode import PyCode
from judge.grading.reading.rewriting.rustcode import RustCode, tokens_of
from judge.grading.reading.syntax.walking import Site

CODE = "leftover-print"  # before the lines: "leftover-print:5,7"


def without_prints(code: PyCode | CppCode | RustCode, lines: Collection[int]) -> tuple[Edit, ...]:
    """Take out what prints on these lines, where leaving it out changes nothing else. None of it stays, or all."""
    sites = [site for site in code.sites if site.place.line in lines and site.place.stream is Stream.STDOUT]
    prints = [site for site in sites if site.place.deed in (Deed.PRINT, Deed.WRITE)]
    if isinstance(code, PyCode):
        return tuple(_in_python(code, prints))
    if isinstance(code, CppCode):
        return tuple(_in_cpp(code, prints))
    edits = (code.without(site.node) for site in prints if (tokens := tokens_of(site.node)) and code.is_pure(tokens))
    return tuple(edit for edit in edits if edit)


def _in_python(code: PyCode, prints: list[Site]) -> Iterator[Edit]:
    statements = {}
    for site in prints:
        statement, values = code.statement_of(site.node), site.node.child_by_field_name("arguments")
        if statement is not None and values is not None and code.is_pure(values):
            statements[statement.id] = statement
    return code.without(list(statements.values()))


def _in_cpp(code: CppCode, prints: list[Site]) -> Iterator[Edit]:
    for site in prints:
        expression: Node = site.node
        while expression.parent is not None and expression.parent.type == "binary_expression":
            expression = expression.parent  # the whole chain of `<<`
        is_call, statement = expression.type == "call_expression", code.statement_of(expression)
        values = expression.child_by_field_name("arguments") if is_call else expression
        if statement is not None and values is not None and code.is_pure(values):
            yield code.without(statement)
