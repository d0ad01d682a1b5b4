"""Find where a source asks a hash table, in Python and C++: Rust's takes a new secret in each run.

Only statements that do nothing else of unknown length are noted: what stands in a table may be a list, so that
`sum(d[k])`, `d[k] + [x]` and `for y in d[k]` take as long as it is. So may looks where equal keys stay side by side.
"""

import re

from tree_sitter import Node

from judge.grading.reading.places import Deed, Stream
from judge.grading.reading.syntax.walking import Kinds, Reader, Scope

_TABLES = re.compile(
    r"^(?:const\s+)?(?:std::)?unordered_(?:map|set)\s*<(?!.*\bstring\s*>)[^<>]*>$"
    r"|^(?:dict|set|defaultdict|Counter|OrderedDict)$"
)
_ASKS = frozenset(
    {"get", "add", "discard", "remove", "setdefault", "pop", "insert", "emplace", "count", "find", "contains", "at"}
)
_FEW_STEPS = frozenset({"append", "push_back", "int", "input", "end"})
_ARGUMENTS = frozenset({"argument_list", "arguments"})
_AROUND = frozenset(  # a statement
    {"module", "block", "translation_unit", "compound_statement", "if_statement", "elif_clause", "else_clause"}
    | {"while_statement", "for_statement", "for_range_loop", "do_statement", "try_statement", "with_statement"}
)
_LONG = frozenset(
    {"slice", "list_comprehension", "set_comprehension", "dictionary_comprehension", "generator_expression", "list"}
)
_SUMS = frozenset({"binary_operator", "binary_expression", "augmented_assignment"})
_COMPARES = frozenset({"==", "!=", "<", ">", "<=", ">=", "&&", "||", "<<", ">>"})
_INTEGERS = frozenset({"integer", "number_literal"})
_LONG_STATEMENT = 120  # nodes
_OWNERS = {"subscript": "value", "subscript_expression": "argument"}


def look(reader: Reader, kinds: Kinds, node: Node, scope: Scope) -> None:
    """Note a look into a hash table. `kinds`: by what the values of names are made, or how they are declared."""
    if _is_look(reader, kinds, node) and _is_all(reader, kinds, node):
        reader.note(node, scope, Deed.HASH, Stream.OTHER, "hash")


def _is_look(reader: Reader, kinds: Kinds, node: Node) -> bool:
    owner: Node | None = None
    if node.type in _OWNERS:
        owner = node.child_by_field_name(_OWNERS[node.type])
    elif node.type == "comparison_operator" and {child.type for child in node.children} & {"in", "not in"}:
        owner = node.named_children[-1]
    elif node.type in ("call", "call_expression"):
        function = node.child_by_field_name("function")
        if function is not None and function.type in ("attribute", "field_expression"):
            parts = ("object", "attribute") if function.type == "attribute" else ("argument", "field")
            if reader.text(function.child_by_field_name(parts[1])) in _ASKS:
                owner = function.child_by_field_name(parts[0])
    made = kinds.made_by.get(reader.text(owner), set()) if owner is not None else set()
    return bool(made) and all(_TABLES.match(each) for each in made)


def _is_all(reader: Reader, kinds: Kinds, node: Node) -> bool:
    """Return whether the statement around a look does nothing that takes more steps the longer what was found is."""
    statement, above = node, node.parent
    if above is not None and (above.type in _ARGUMENTS or _goes_through(above, node)):
        return False
    while above is not None and above.type not in _AROUND:
        statement, above = above, above.parent
    if statement.descendant_count > _LONG_STATEMENT:
        return False
    for part in reader.below(statement):
        if part.type in _LONG:
            return False
        if part.type in ("call", "call_expression") and not _is_look(reader, kinds, part):
            called = re.split(r"\.|::", reader.text(part.child_by_field_name("function")))[-1]
            if called not in _FEW_STEPS:
                return False
        is_sum = part.type in _SUMS and reader.text(part.child_by_field_name("operator")) not in _COMPARES
        operands = part.named_children if is_sum else []
        is_of_looks = any(_is_look(reader, kinds, operand) for operand in operands)
        if is_of_looks and not any(operand.type in _INTEGERS for operand in operands):
            return False
    return True


def _goes_through(above: Node, node: Node) -> bool:
    """Return whether a loop, or a search, goes through what was found."""
    if above.type in ("for_statement", "for_in_clause", "for_range_loop"):
        return above.child_by_field_name("right") == node
    return above.type == "comparison_operator" and above.named_children[-1] == node
