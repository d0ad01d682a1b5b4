"""Take the loops of any language apart: what each one's condition asks, and what changes in it.

Names only: a name that a call may change, or that is changed in a way that nobody follows here, counts as changed.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from tree_sitter import Node

from judge.grading.reading.syntax.walking import Kinds, Reader

NAME = re.compile(r"[A-Za-z_]\w*")
_BLANKS = re.compile(r"\s+")
_STEPS = re.compile(r"^([-+*/%]|//|>>|<<)(.+)$")


@dataclass(frozen=True, kw_only=True, slots=True)
class LoopShapes:
    """The node types of a language. `steps`: type -> the fields with what is set, and with its new value."""

    conditioned: frozenset[str]
    counted: Mapping[str, str]  # type -> the field with what is gone through
    steps: Mapping[str, tuple[str, str]]
    skips: frozenset[str]  # what leaves out the rest of a body
    calls: Mapping[str, str]  # type of a call -> the field with what is called
    together: frozenset[str]  # `and` of two conditions
    comparisons: frozenset[str]
    lends: frozenset[str]  # what lets others change a name below it
    is_exact: bool  # integers have no bounds, and `/` keeps the fraction


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """A name's new value: `i += 2` as ("i", "+", "2"), also if written `i = i + 2`; with "=", any other."""

    name: str
    operator: str
    value: str  # without blanks
    is_always: bool  # in each turn of the loop
    node: Node


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """A part of a condition: a comparison with its sides, or (`operator` "") any other text, all without blanks."""

    left: str
    operator: str
    right: str

    @property
    def text(self) -> str:
        """The part as a whole."""
        return self.left + self.operator + self.right


class Loop:
    """One loop with a condition."""

    def __init__(self, reader: Reader, node: Node, shapes: LoopShapes, kinds: Kinds) -> None:
        self.reader, self.node, self.shapes, self.kinds = reader, node, shapes, kinds
        self.body = node.child_by_field_name("body")
        self.update = node.child_by_field_name("update")
        self._condition = node.child_by_field_name("condition")

    @cached_property
    def asks(self) -> tuple[Asked, ...]:
        """The parts of the condition that all have to be true; () of a loop without one."""
        return tuple(self._asked(part) for part in self._parts(self._condition))

    def text(self, node: Node | None) -> str:
        """Return a node's text without blanks."""
        return _BLANKS.sub("", self.reader.text(node))

    def _parts(self, node: Node | None) -> Iterator[Node]:
        waiting = [node] if node is not None else []
        while waiting:
            part = waiting.pop()
            if part.type in ("condition_clause", "parenthesized_expression") and part.named_child_count == 1:
                waiting.append(part.named_children[0])
            elif part.type in self.shapes.together and self._operator(part) in ("&&", "and"):
                waiting += [part.named_children[-1], part.named_children[0]]
            else:
                yield part

    def _operator(self, node: Node) -> str:
        operator = node.child_by_field_name("operator") or node.child_by_field_name("operators")
        return self.text(operator)

    def _asked(self, node: Node) -> Asked:
        operator = self._operator(node) if node.type in self.shapes.comparisons and node.child_count == 3 else ""
        if operator not in ("<", "<=", ">", ">=", "!=", "=="):
            return Asked(left=self.text(node), operator="", right="")
        return Asked(left=self.text(node.children[0]), operator=operator, right=self.text(node.children[2]))

    @cached_property
    def nodes(self) -> tuple[Node, ...]:
        """All that is run again and again."""
        parts = (part for part in (self._condition, self.body, self.update) if part is not None)
        return tuple(node for part in parts for node in self.reader.below(part))

    @cached_property
    def changes(self) -> tuple[Change, ...]:
        """What changes in it, in order."""
        skips = any(node.type in self.shapes.skips for node in self.nodes)
        return tuple(change for node in self.nodes for change in self._changes(node, skips))

    def _changes(self, node: Node, skips: bool) -> Iterator[Change]:
        if node.type not in self.shapes.steps:
            return
        of_name, of_value = self.shapes.steps[node.type]
        target, value = node.child_by_field_name(of_name), node.child_by_field_name(of_value)
        operator = self.text(node.child_by_field_name("operator")).removesuffix("=")
        is_always = self.is_always(node) and (not skips or self.is_update(node))
        if node.type == "update_expression":
            yield Change(name=self.text(target), operator=operator[:1], value="1", is_always=is_always, node=node)
            return
        if target is None:
            return
        pairs = [(target, value)]
        if target.type == "pattern_list":
            values = value.named_children if value is not None and value.type == "expression_list" else []
            same = len(values) == target.named_child_count
            pairs = [(name, values[place] if same else None) for place, name in enumerate(target.named_children)]
        for name, right in pairs:
            written, new = self.text(name).removeprefix("mut"), _bare(self.text(right))
            step = _STEPS.match(new.removeprefix(written)) if new.startswith(written) else None
            if operator:
                yield Change(name=written, operator=operator, value=new, is_always=is_always, node=node)
            elif step and not NAME.match(new[len(written) :]):
                yield Change(name=written, operator=step[1], value=step[2], is_always=is_always, node=node)
            else:
                yield Change(name=written, operator="=", value=new, is_always=is_always, node=node)

    def is_update(self, node: Node) -> bool:
        """Return whether a node belongs to what a `for` does after each turn."""
        update = self.update
        return update is not None and update.start_byte <= node.start_byte and node.end_byte <= update.end_byte

    def is_always(self, node: Node) -> bool:
        """Return whether a node runs in each turn, unless a `continue` or an end comes before."""
        tops = [part.id for part in (self.body, self.update, self._condition) if part is not None]
        inner: Node | None = node
        while inner is not None and inner.id not in tops:
            inner = inner.parent
            if inner is not None and inner.id not in {*tops, self.node.id} and inner.type in _SOMETIMES:
                return False
        return True

    @cached_property
    def lent(self) -> frozenset[str]:
        """The names that something else in the loop may change: by reference, by reading into them, by a method."""
        lent: set[str] = set()
        for node in self.nodes:
            if node.type in self.shapes.lends:
                text = self.text(node)
                if node.type == "binary_expression":  # `cin >> x`
                    if self._operator(node) == ">>" and "cin" in text:
                        lent |= _bases(self.text(node.child_by_field_name("right")))
                elif text.startswith("&mut") or (node.type == "pointer_expression" and text.startswith("&")):
                    lent |= _bases(self.reader.text(node))
            elif node.type in self.shapes.calls:
                called = self.text(node.child_by_field_name(self.shapes.calls[node.type]))
                name = called.rpartition("::")[2]
                if name in _CHANGES or name in self.kinds.takes_references:
                    lent |= _bases(self.text(node.child_by_field_name("arguments")))
        return frozenset(lent)

    @cached_property
    def methods(self) -> tuple[tuple[str, str, bool], ...]:
        """The methods that it calls: of what, which, and whether in each turn."""
        methods = []
        for node in self.nodes:
            if node.type in self.shapes.calls:
                owner, _, name = self.text(node.child_by_field_name(self.shapes.calls[node.type])).rpartition(".")
                if owner:
                    methods.append((owner, name, self.is_always(node)))
        return tuple(methods)

    def of(self, name: str) -> tuple[Change, ...]:
        """Return the changes of a name."""
        return tuple(change for change in self.changes if change.name == name)

    def may_change(self, text: str) -> bool:
        """Return whether what this text stands for may change in the loop."""
        names = set(NAME.findall(text))
        if names & self.lent or any(set(NAME.findall(change.name)) & names for change in self.changes):
            return True
        return any(owner in names for owner, name, _ in self.methods if name not in _READING)


_SOMETIMES = frozenset(  # nodes that do not run all that is in them in each turn, in any language
    {"if_statement", "if_expression", "elif_clause", "else_clause", "switch_statement", "match_statement", "lambda"}
    | {"match_expression", "while_statement", "while_expression", "for_statement", "for_range_loop", "for_expression"}
    | {"do_statement", "loop_expression", "try_statement", "conditional_expression", "boolean_operator"}
    | {"lambda_expression", "closure_expression", "generator_expression", "list_comprehension", "function_definition"}
)
_READING = frozenset(  # methods that leave their owner what it is
    {"size", "length", "empty", "at", "front", "back", "top", "begin", "end", "find", "count", "substr", "c_str"}
    | {"len", "is_empty", "get", "iter", "chars", "abs", "min", "max", "contains", "index", "as_bytes", "unwrap"}
    | {"isdigit", "strip", "split", "startswith", "lower", "upper", "join", "keys", "items", "values", "last", "first"}
)
_CHANGES = frozenset({"swap", "exchange", "tie", "from_chars", "getline", "advance"})  # of the library, what is given


def _bases(text: str) -> set[str]:
    """Return the names in a text without those that stand in an index."""
    return set(NAME.findall(re.sub(r"\[[^\]]*\]", "", text)))


def _bare(text: str) -> str:
    """Return a text without parentheses around all of it."""
    while text.startswith("(") and text.endswith(")") and _is_closed(text[1:-1]):
        text = text[1:-1]
    return text


def _is_closed(text: str) -> bool:
    depth = 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if depth < 0:
            return False
    return depth == 0


PYTHON = LoopShapes(
    conditioned=frozenset({"while_statement"}),
    counted={"for_statement": "right", "for_in_clause": "right"},
    steps={
        "assignment": ("left", "right"),
        "augmented_assignment": ("left", "right"),
        "named_expression": ("name", "value"),
    }
    | {"for_statement": ("left", "right")},
    skips=frozenset({"continue_statement"}),
    calls={"call": "function"},
    together=frozenset({"boolean_operator"}),
    comparisons=frozenset({"comparison_operator"}),
    lends=frozenset(),
    is_exact=True,
)
CPP = LoopShapes(
    conditioned=frozenset({"while_statement", "do_statement", "for_statement"}),
    counted={"for_range_loop": "right"},
    steps=dict.fromkeys(("assignment_expression",), ("left", "right"))
    | {"update_expression": ("argument", ""), "init_declarator": ("declarator", "value")},
    skips=frozenset({"continue_statement", "goto_statement"}),
    calls={"call_expression": "function"},
    together=frozenset({"binary_expression"}),
    comparisons=frozenset({"binary_expression"}),
    lends=frozenset({"pointer_expression", "binary_expression"}),
    is_exact=False,
)
RUST = LoopShapes(
    conditioned=frozenset({"while_expression"}),
    counted={"for_expression": "value"},
    steps=dict.fromkeys(("assignment_expression", "compound_assignment_expr"), ("left", "right"))
    | {"let_declaration": ("pattern", "value")},
    skips=frozenset({"continue_expression"}),
    calls={"call_expression": "function"},
    together=frozenset({"binary_expression"}),
    comparisons=frozenset({"binary_expression"}),
    lends=frozenset({"reference_expression"}),
    is_exact=False,
)
