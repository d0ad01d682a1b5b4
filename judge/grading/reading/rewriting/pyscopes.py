"""Which identifiers of a Python source stand for the same variable, by function.

A comprehension and a class have no scope of their own here: what they bind counts as a use of the variable around them,
so that a variable has too many uses rather than too few.
"""

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property

from tree_sitter import Node

from judge.grading.reading.syntax.walking import nodes_of

FUNCTIONS = frozenset({"function_definition", "lambda"})
_PARAMETERS = frozenset({"parameters", "lambda_parameters"})
_PATTERNS = frozenset(
    {"pattern_list", "tuple_pattern", "list_pattern", "list_splat_pattern", "dictionary_splat_pattern"}
    | {"typed_parameter", "as_pattern_target"}
)
_BINDING = {  # type of a node -> the field that holds what it binds
    "assignment": "left",
    "augmented_assignment": "left",
    "for_statement": "left",
    "for_in_clause": "left",
    "named_expression": "name",
    "default_parameter": "name",
    "typed_default_parameter": "name",
    "function_definition": "name",
    "class_definition": "name",
    "aliased_import": "alias",
}


def is_name(node: Node) -> bool:
    """Return whether an identifier is one of a variable, and not the name of an attribute or of a keyword."""
    above = node.parent
    if node.type != "identifier" or above is None:
        return False
    field = {"attribute": "attribute", "keyword_argument": "name"}.get(above.type)
    return field is None or above.child_by_field_name(field) != node


def is_bound(node: Node) -> bool:
    """Return whether this identifier gives its variable a value."""
    above = node.parent
    while above is not None and above.type in _PATTERNS:
        if above.type in ("typed_parameter", "as_pattern_target"):
            return above.named_children[0] == node
        node, above = above, above.parent
    if above is None:
        return False
    if above.type in _PARAMETERS or above.type == "dotted_name":
        return True
    field = _BINDING.get(above.type)
    return field is not None and above.child_by_field_name(field) == node


@dataclass(frozen=True)
class Scopes:
    """The variables of a source."""

    source: bytes
    root: Node

    def name(self, node: Node) -> str:
        """Return an identifier's text."""
        return self.source[node.start_byte : node.end_byte].decode("utf-8", "replace")

    @cached_property
    def _identifiers(self) -> list[tuple[Node, tuple[int, ...]]]:
        """Each with the functions around it, the outermost first."""
        around: list[Node] = []
        identifiers = []
        for node in nodes_of(self.root):
            while around and node.start_byte >= around[-1].end_byte:
                around.pop()
            if node.type in FUNCTIONS:
                around.append(node)
            elif is_name(node):
                is_outside = bool(around) and _belongs_outside(node, around[-1])
                identifiers.append((node, tuple(inner.id for inner in around[: -1 if is_outside else None])))
        return identifiers

    @cached_property
    def _bound(self) -> dict[int, set[str]]:
        """The names that each function binds; of 0, the module."""
        bound: dict[int, set[str]] = defaultdict(set)
        for node, around in self._identifiers:
            if is_bound(node):
                bound[around[-1] if around else 0].add(self.name(node))
        for node, around in self._identifiers:
            above = node.parent
            if above is not None and above.type in ("global_statement", "nonlocal_statement") and around:
                bound[around[-1]].discard(self.name(node))
        return bound

    @cached_property
    def _uses(self) -> dict[tuple[int, str], list[Node]]:
        uses: dict[tuple[int, str], list[Node]] = defaultdict(list)
        for node, around in self._identifiers:
            uses[self._variable(self.name(node), around)].append(node)
        return uses

    @cached_property
    def _variables(self) -> dict[int, tuple[int, str]]:
        return {node.id: variable for variable, nodes in self._uses.items() for node in nodes}

    def _variable(self, name: str, around: tuple[int, ...]) -> tuple[int, str]:
        return next((function for function in reversed(around) if name in self._bound[function]), 0), name

    def uses(self, identifier: Node) -> list[Node]:
        """Return every identifier that stands for the same variable, in order; none of what is no variable."""
        return self._uses.get(self._variables.get(identifier.id, (0, "")), [])

    def owner(self, identifier: Node) -> int:
        """Return the id of the function that a variable belongs to; 0: the module."""
        return self._variables.get(identifier.id, (0, ""))[0]


def _belongs_outside(node: Node, function: Node) -> bool:
    """Return whether an identifier in a function's head belongs to what is around it: its name, a default value."""
    if node == function.child_by_field_name("name"):
        return True
    body = function.child_by_field_name("body")
    if body is not None and node.start_byte >= body.start_byte:
        return False
    return not is_bound(node)
