"""What the expressions of a Python source are worth, as far as its text tells for sure: lists, and new ones."""

from dataclasses import dataclass, field

from tree_sitter import Node

from judge.grading.reading.rewriting.pycode import PyCode
from judge.grading.reading.rewriting.pyscopes import is_bound
from judge.grading.reading.syntax.walking import nodes_of

_MAKES_A_LIST = frozenset({"list", "sorted"})
_METHODS_THAT_MAKE_ONE = frozenset({"split", "rsplit", "splitlines", "readlines"})
_READERS = frozenset({"len", "sum", "max", "min", "sorted", "list"})
_ONCE = frozenset({"return_statement", "expression_statement"})
_DEPTH = 12
_MOST_ASKED = 5_000


@dataclass(frozen=True, kw_only=True, slots=True)
class MethodCall:
    """A call of a method."""

    node: Node
    name: str
    attribute: Node
    arguments: list[Node]


def method_of(code: PyCode, node: Node) -> MethodCall | None:
    """Return the call of a method of this variable; None if it is used otherwise."""
    above = node.parent if node.type == "identifier" else None
    if above is None or above.type != "attribute" or above.child_by_field_name("object") != node:
        return None
    call, attribute = above.parent, above.child_by_field_name("attribute")
    if call is None or call.type != "call" or call.child_by_field_name("function") != above or attribute is None:
        return None
    arguments = [] if code.keywords(call) else code.positional(call)
    return MethodCall(node=call, name=code.text(attribute), attribute=attribute, arguments=arguments)


@dataclass(frozen=True)
class Values:
    """The values of a source. What depends on itself, by recursion, is judged by the rest."""

    code: PyCode
    asked: set[tuple[int, int]] = field(default_factory=set)
    spent: list[int] = field(default_factory=list)  # the questions so far

    def is_fresh_list(self, value: Node, place: int = -1) -> bool:
        """Return whether an expression makes a list that nobody else holds; `place`: of a tuple, that part of it."""
        if (value.id, place) in self.asked:
            return True
        self.spent.append(value.id)
        if len(self.spent) > _MOST_ASKED:
            return False
        self.asked.add((value.id, place))
        try:
            return self._is_fresh(value, place)
        finally:
            self.asked.discard((value.id, place))

    def _is_fresh(self, value: Node, place: int) -> bool:
        if value.type in ("expression_list", "tuple") and place >= 0:
            parts = [child for child in value.named_children if child.type != "comment"]
            return place < len(parts) and self.is_fresh_list(parts[place])
        if value.type == "call":
            return self._is_made_by(value, place)
        if place >= 0:
            return False
        if value.type in ("list", "list_comprehension"):
            return True
        if value.type == "parenthesized_expression":
            return self.is_fresh_list(value.named_children[0])
        if value.type == "subscript":
            sliced = value.child_by_field_name("value")
            is_slice = [child.type for child in value.children_by_field_name("subscript")] == ["slice"]
            return is_slice and sliced is not None and self.is_list(sliced)
        if value.type == "binary_operator":  # of lists, `+` and `*` make a new one
            operator = self.code.text(value.child_by_field_name("operator"))
            sides = [side for name in ("left", "right") if (side := value.child_by_field_name(name))]
            return operator in ("+", "*") and any(self.is_list(side) for side in sides)
        return False

    def _is_made_by(self, call: Node, place: int) -> bool:
        function = call.child_by_field_name("function")
        name = self.code.text(function)
        if place < 0 and name in _MAKES_A_LIST and not self.code.binds(name):
            return True
        if function is not None and function.type == "attribute" and place < 0:
            return self.code.text(function.child_by_field_name("attribute")) in _METHODS_THAT_MAKE_ONE
        definition = self._definition(name)
        if definition is None:
            return False
        returns = [node for node in nodes_of(definition) if node.type == "return_statement"]
        if not returns or any(node.type in ("yield", "lambda") for node in nodes_of(definition)):
            return False
        return all(
            bool(node.named_children) and self._is_fresh_return(definition, call, node.named_children[0], place)
            for node in returns
        )

    def _is_fresh_return(self, definition: Node, call: Node, value: Node, place: int) -> bool:
        """Return whether a call gives a new list by this `return`: one that it makes, or what only it was given."""
        if place >= 0 and value.type in ("expression_list", "tuple"):
            parts = [child for child in value.named_children if child.type != "comment"]
            if place >= len(parts):
                return False
            value, place = parts[place], -1
        if value.type != "identifier":
            return self.is_fresh_list(value, place)
        if place >= 0:
            return False
        parameters = definition.child_by_field_name("parameters")
        names = [self.code.text(child) for child in parameters.named_children] if parameters is not None else []
        uses = self.code.scopes.uses(value)
        if self.code.text(value) in names:
            arguments = self.code.positional(call)
            number = names.index(self.code.text(value))
            is_given = number < len(arguments) == len(names) and self.is_fresh_list(arguments[number])
            return is_given and all(self._keeps_to_itself(use) for use in uses)
        bound = [use for use in uses if is_bound(use)]
        is_local = bool(bound) and self.code.scopes.owner(value) == definition.id
        return is_local and all(self._keeps_to_itself(use) for use in uses) and all(map(self._is_given_fresh, bound))

    def _is_given_fresh(self, use: Node) -> bool:
        above = use.parent
        if above is None or above.type not in ("assignment", "augmented_assignment"):
            return False
        value = above.child_by_field_name("right")
        return above.type == "augmented_assignment" or (value is not None and self.is_fresh_list(value))

    def _keeps_to_itself(self, use: Node) -> bool:
        """Return whether a use of a list gives it to nobody: its length, its elements, its methods, as a result."""
        above = use.parent
        if above is None or is_bound(use):
            return above is not None
        if above.type in ("subscript", "attribute"):
            return use in (above.child_by_field_name("value"), above.child_by_field_name("object"))
        call = above.parent if above.type == "argument_list" else None
        if call is not None and call.type == "call":
            return self.code.text(call.child_by_field_name("function")) in _READERS
        if above.type == "expression_list":
            return above.parent is not None and above.parent.type == "return_statement"
        return above.type in ("return_statement", "if_statement", "while_statement", "binary_operator", "not_operator")

    def is_list(self, value: Node, depth: int = 0) -> bool:
        """Return whether an expression is a list for sure."""
        if depth > _DEPTH:
            return False
        if value.type == "identifier":
            bound = [use for use in self.code.scopes.uses(value) if is_bound(use)]
            return bool(bound) and all(self._is_given_list(use, depth) for use in bound)
        return self.is_fresh_list(value)

    def _is_given_list(self, use: Node, depth: int) -> bool:
        above = use.parent
        if above is None:
            return False
        if above.type == "augmented_assignment":
            return True  # of what is no list, its other values tell
        value = above.child_by_field_name("right") if above.type == "assignment" else None
        if value is not None and above.child_by_field_name("left") == use:
            return self.is_list(value, depth + 1)
        if above.type == "pattern_list" and above.parent is not None and above.parent.type == "assignment":
            value = above.parent.child_by_field_name("right")
            place = above.named_children.index(use)
            if value is None or value.type != "expression_list" or place >= len(value.named_children):
                return False
            return self.is_list(value.named_children[place], depth + 1)
        return above.type == "parameters" and self._is_parameter_list(use, above, depth)

    def _is_parameter_list(self, use: Node, parameters: Node, depth: int) -> bool:
        """Return whether every call of a function gives it a list there."""
        for argument in self._arguments(use, parameters) or (use,):
            sliced = argument.child_by_field_name("value") if argument.type == "subscript" else None
            is_own = sliced is not None and sliced in self.code.scopes.uses(use) and ":" in self.code.text(argument)
            if argument == use or (not is_own and not self.is_list(argument, depth + 1)):
                return False
        return True

    def _arguments(self, use: Node, parameters: Node) -> list[Node] | None:
        """Return what the calls of a function give to this parameter; None if not all of its uses are known."""
        definition = parameters.parent
        name = definition.child_by_field_name("name") if definition is not None else None
        if definition is None or name is None or self._definition(self.code.text(name)) != definition:
            return None
        number, given = parameters.named_children.index(use), []
        for other in self.code.scopes.uses(name):
            call = other.parent
            if other == name:
                continue
            if call is None or call.type != "call" or call.child_by_field_name("function") != other:
                return None
            arguments = self.code.positional(call)
            if len(arguments) <= number or self.code.keywords(call) or any("splat" in it.type for it in arguments):
                return None
            given.append(arguments[number])
        return given

    def is_given_fresh_lists(self, use: Node, parameters: Node) -> bool:
        """Return whether every call of a function gives it a list there that nobody else uses."""
        arguments = self._arguments(use, parameters)
        return arguments is not None and all(
            self.is_fresh_list(argument) or self._is_handed_over(argument) for argument in arguments
        )

    def _is_handed_over(self, argument: Node) -> bool:
        """Return whether a variable is made beside the call that it is given to, and used nowhere else."""
        uses = self.code.scopes.uses(argument) if argument.type == "identifier" else []
        above = uses[0].parent if len(uses) == 2 else None
        value = above.child_by_field_name("right") if above is not None and above.type == "assignment" else None
        if above is None or value is None or above.child_by_field_name("left") != uses[0] or uses[1] != argument:
            return False
        statement = argument.parent
        while statement is not None and statement.parent != (above.parent.parent if above.parent else None):
            is_outside = statement.type in ("for_statement", "while_statement", "function_definition", "lambda")
            statement = None if is_outside or statement.type.endswith("comprehension") else statement.parent
        return statement is not None and statement.type in _ONCE and self.is_fresh_list(value)

    def _definition(self, name: str) -> Node | None:
        """Return the only function of this name, of the source's own; None if there is none, or another thing."""
        definitions = [
            node
            for node in self.code.root.children
            if node.type == "function_definition" and self.code.text(node.child_by_field_name("name")) == name
        ]
        if len(definitions) != 1:
            return None
        names = self.code.scopes.uses(definitions[0].children_by_field_name("name")[0])
        return definitions[0] if sum(map(is_bound, names)) == 1 else None
