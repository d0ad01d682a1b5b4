"""A set beside a Python list that only grows and is searched, where all that is looked up can be in a set."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from tree_sitter import Node

from judge.grading.reading.rewriting.editing import Edit, indentation, is_alone, line_end_of
from judge.grading.reading.rewriting.pycode import PyCode
from judge.grading.reading.rewriting.pyscopes import is_bound
from judge.grading.reading.rewriting.python.lists import has_plain_lists, is_deleted
from judge.grading.reading.rewriting.python.values import MethodCall, Values, method_of
from judge.grading.reading.syntax.walking import nodes_of

_CALLS = frozenset({"int", "str", "float", "len", "ord", "chr", "bool", "round", "abs", "hex", "bin"})
_OF_TEXTS = frozenset(
    {"strip", "lstrip", "rstrip", "lower", "upper", "replace", "join", "readline", "read", "title", "zfill", "format"}
)
_LINES = frozenset({"split", "rsplit", "splitlines", "readlines"})
_ATOMS = frozenset({"integer", "float", "string", "concatenated_string", "true", "false", "none"})
_OF_THE_SAME = frozenset({"list", "sorted", "set", "reversed", "tuple", "iter"})
_READS = frozenset({"index", "count", "sort", "reverse"})  # methods that change nothing of what is in it
_BUILTINS = frozenset({"len", "sum", "max", "min", "sorted", "list", "tuple", "set", "print", "enumerate", "zip"})
_ASSIGNMENTS = frozenset({"assignment", "augmented_assignment"})
_MOST_ASKED = 5_000


def set_beside_list(code: PyCode) -> tuple[Edit, ...]:
    """`x in seen` -> `x in seen_set`, which gets what `seen.append` gets."""
    if not has_plain_lists(code) or any(map(code.binds, _CALLS)):
        return ()
    members, edits, done = _Members(code), list[Edit](), set[int]()
    for node in nodes_of(code.root):
        searched = _searched(code, node)
        if searched is None or searched.id in done:
            continue
        uses = code.scopes.uses(searched)
        done.update(use.id for use in uses)
        name = f"{code.text(searched)}_set"
        changes = list(_beside(members, uses, name)) if name not in code.names else [None]
        if None not in changes and any(_is_in_a_loop(use) for use in uses if _is_searched(code, use)):
            edits += [edit for edit in changes if edit is not None]
    return tuple(edits)


def _searched(code: PyCode, node: Node) -> Node | None:
    """Return the variable that is searched by `x in seen`."""
    is_one = node.type == "comparison_operator" and len(node.named_children) == 2
    operators = {child.type for child in node.children if not child.is_named or "in" in child.type}
    is_membership = is_one and bool(operators & {"in", "not in"})
    return node.named_children[1] if is_membership and node.named_children[1].type == "identifier" else None


def _is_searched(code: PyCode, use: Node) -> bool:
    return use.parent is not None and _searched(code, use.parent) == use


def _is_in_a_loop(node: Node) -> bool:
    above = node.parent
    while above is not None and above.type not in ("for_statement", "while_statement", "function_definition"):
        above = above.parent
    return above is not None  # a function may be called again and again


def _beside(members: "_Members", uses: list[Node], name: str) -> Iterator[Edit | None]:
    code = members.code
    for use in uses:
        above = use.parent
        call = method_of(code, use)
        if above is None:
            yield None
        elif is_bound(use):
            yield _begun(members, use, name)
        elif _is_searched(code, use):
            is_known = members.is_hashable(above.named_children[0])
            yield Edit(use.start_byte, use.end_byte, name.encode()) if is_known else None
        elif call is not None and call.name == "append":
            yield _added(members, uses, call, name)
        elif not _is_read(code, use, above) and not (call is not None and call.name in _READS):
            yield None


def _begun(members: "_Members", use: Node, name: str) -> Edit | None:
    code, above = members.code, use.parent
    value = above.child_by_field_name("right") if above is not None and above.type == "assignment" else None
    statement = above.parent if above is not None else None
    if value is None or statement is None or statement.type != "expression_statement":
        return None
    if not members.values.is_fresh_list(value) or not members.are_hashable(value):
        return None
    made = f"{name} = set({'' if code.text(value) == '[]' else code.text(use)})"
    return _next_to(code, statement, made)


def _added(members: "_Members", uses: list[Node], call: MethodCall, name: str) -> Edit | None:
    """Add to the set what the list gets: it is evaluated twice, the second time when the list has grown."""
    code, statement = members.code, members.code.statement_of(call.node)
    if statement is None or len(call.arguments) != 1:
        return None
    added = call.arguments[0]
    is_the_same = not any(node.type == "call" or node in uses for node in nodes_of(added))
    if not is_the_same or not code.is_pure(added) or not members.is_hashable(added):
        return None
    return _next_to(code, statement, f"{name}.add({code.text(added)})")


def _next_to(code: PyCode, statement: Node, added: str) -> Edit:
    """Put a second statement after one: on its line if that is shared."""
    end = line_end_of(code.source) + indentation(code.source, statement.start_byte)
    start = end if is_alone(code.source, statement.start_byte, statement.end_byte) else b"; "
    return Edit(statement.end_byte, statement.end_byte, start + added.encode(), is_place=False)


def _is_read(code: PyCode, use: Node, above: Node) -> bool:
    """Return whether this use leaves what is in the list as it is, and gives the list to nobody."""
    if above.type == "subscript":
        whole = above
        while whole.parent is not None and whole.parent.type == "parenthesized_expression":
            whole = whole.parent
        return above.child_by_field_name("value") == use and not is_bound(whole) and not is_deleted(whole)
    if above.type in ("for_statement", "for_in_clause"):
        return above.child_by_field_name("right") == use
    call = above.parent if above.type == "argument_list" else None
    if call is not None and call.type == "call":
        function = code.text(call.child_by_field_name("function"))
        return (function in _BUILTINS and not code.binds(function)) or function.endswith(".join")
    return above.type in ("list_splat", "if_statement", "while_statement", "not_operator")


@dataclass(frozen=True)
class _Members:
    """What can be in a set for sure: numbers, texts, tuples of these. What depends on itself is judged by the rest."""

    code: PyCode
    asked: set[tuple[int, bool]] = field(default_factory=set)
    spent: list[int] = field(default_factory=list)  # the questions so far

    @cached_property
    def values(self) -> Values:
        """The lists of the source."""
        return Values(self.code)

    def is_hashable(self, value: Node) -> bool:
        """Return whether an expression is such a value."""
        return self._ask(value, is_of_elements=False)

    def are_hashable(self, value: Node) -> bool:
        """Return whether all elements of an expression are."""
        return self._ask(value, is_of_elements=True)

    def _ask(self, value: Node, *, is_of_elements: bool) -> bool:
        key = value.id, is_of_elements
        if key in self.asked:
            return True
        self.spent.append(value.id)
        if len(self.spent) > _MOST_ASKED:
            return False
        self.asked.add(key)
        try:
            return self._has_elements(value) if is_of_elements else self._is_one(value)
        finally:
            self.asked.discard(key)

    def _is_one(self, value: Node) -> bool:
        children = [child for child in value.named_children if child.type != "comment"]
        match value.type:
            case "call":
                function = value.child_by_field_name("function")
                attribute = function.child_by_field_name("attribute") if function is not None else None
                name = self.code.text(function)
                is_line = name == "input" and self.code.bindings.full("input") in ("input", "sys.stdin.readline")
                return name in _CALLS or is_line or self.code.text(attribute) in _OF_TEXTS
            case "tuple" | "parenthesized_expression" | "unary_operator":
                return all(map(self.is_hashable, children))
            case "binary_operator":
                return all(map(self.is_hashable, children)) or (
                    self.code.text(value.child_by_field_name("operator")) == "%" and children[0].type == "string"
                )
            case "subscript":
                is_slice = any(child.type == "slice" for child in children)
                return self.is_hashable(children[0]) or (not is_slice and self.are_hashable(children[0]))
            case "identifier":
                bound = [use for use in self.code.scopes.uses(value) if is_bound(use)]
                return bool(bound) and all(map(self._is_bound_to_one, bound))
            case _:
                return value.type in _ATOMS or value.type == "comparison_operator"

    def _is_bound_to_one(self, use: Node) -> bool:
        above = use.parent
        if above is None:
            return False
        right = above.child_by_field_name("right")
        if above.type in _ASSIGNMENTS and right is not None:
            return self.is_hashable(right)
        if above.type in ("for_statement", "for_in_clause") and right is not None:
            return self.are_hashable(right) or self.is_hashable(right)
        outer = above.parent
        right = outer.child_by_field_name("right") if outer is not None else None
        if above.type not in ("pattern_list", "tuple_pattern") or outer is None or right is None:
            return False
        place = above.named_children.index(use)
        if outer.type == "assignment" and right.type == "expression_list":
            return place < len(right.named_children) and self.is_hashable(right.named_children[place])
        if outer.type == "assignment":
            return self.are_hashable(right)
        name, arguments = self.code.text(right.child_by_field_name("function")), self.code.positional(right)
        if outer.type not in ("for_statement", "for_in_clause") or name not in ("enumerate", "zip"):
            return False
        number = place - 1 if name == "enumerate" else place
        if number < 0:
            return True
        return number < len(arguments) and (self.are_hashable(arguments[number]) or self.is_hashable(arguments[number]))

    def _has_elements(self, value: Node) -> bool:
        children = [child for child in value.named_children if child.type != "comment"]
        match value.type:
            case "call":
                return self._are_made_by(value)
            case "list" | "set" | "tuple" | "expression_list":
                return all(map(self.is_hashable, children))
            case "list_comprehension" | "generator_expression":
                return self.is_hashable(children[0])
            case "subscript":
                return any(child.type == "slice" for child in children) and self.are_hashable(children[0])
            case "binary_operator":
                operator = self.code.text(value.child_by_field_name("operator"))
                return operator in ("+", "*") and all(map(self.are_hashable, children[: 1 if operator == "*" else 2]))
            case "identifier":
                uses = self.code.scopes.uses(value)
                return any(map(is_bound, uses)) and all(map(self._keeps_elements, uses))
            case _:
                return self.code.text(value) == "sys.stdin"

    def _are_made_by(self, call: Node) -> bool:
        function, arguments = call.child_by_field_name("function"), self.code.positional(call)
        name = self.code.text(function)
        if function is not None and function.type == "attribute":
            return self.code.text(function.child_by_field_name("attribute")) in _LINES
        if name == "map":
            return bool(arguments) and self.code.text(arguments[0]) in _CALLS
        return name == "range" or (name in _OF_THE_SAME and len(arguments) == 1 and self.are_hashable(arguments[0]))

    def _keeps_elements(self, use: Node) -> bool:
        """Return whether a use of a list puts nothing else into it."""
        above, call = use.parent, method_of(self.code, use)
        if above is None:
            return False
        if is_bound(use):
            right = above.child_by_field_name("right")
            return above.type in _ASSIGNMENTS and right is not None and self.are_hashable(right)
        if call is not None and call.name in ("append", "insert"):
            return bool(call.arguments) and self.is_hashable(call.arguments[-1])
        if call is not None:
            return call.name in _READS or call.name in ("pop", "remove", "clear")
        if above.type == "subscript" and (outer := above.parent) is not None and "assignment" in outer.type:
            right = outer.child_by_field_name("right")
            return outer.child_by_field_name("left") != above or (right is not None and self.is_hashable(right))
        return _is_read(self.code, use, above) or _is_searched(self.code, use)
