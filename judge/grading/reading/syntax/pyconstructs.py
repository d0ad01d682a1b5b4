"""Find constructs in Python that take as many steps as what they work on is long, or that are dear at each step.

They are noted wherever they stand in a loop, or in what a loop or a recursion calls, and only where the loop does not
make what they work on anew. Whether they took any time, the text does not tell: a rule asks the samples of the line.
"""

import re
from collections.abc import Iterator

from tree_sitter import Node

from judge.grading.reading.syntax.walking import TEXT, Kinds, Reader, Scope

_LOOPS = frozenset({"for_statement", "while_statement"})
_COMPREHENSIONS = frozenset(
    {"list_comprehension", "set_comprehension", "dictionary_comprehension", "generator_expression"}
)
_FUNCTIONS = frozenset({"function_definition", "lambda"})
_LITERALS = {"dictionary": "dict", "set": "set", "dictionary_comprehension": "dict", "set_comprehension": "set"}
_NO_LIST = frozenset({"deque", "dict", "defaultdict", "OrderedDict", "Counter", "set", "frozenset", "SortedList"})
_OF_LISTS = frozenset({"remove", "sort", "copy"})  # or of sets, or deques, too
_OF_SEQUENCES = frozenset({"index", "count"})  # of lists, texts and tuples alone
_PASSES = frozenset({"sum", "max", "min", "any", "all"})
_COPIES = frozenset({"list", "tuple", "set", "dict", "reversed"})
_NUMBERS = frozenset({"Decimal", "Fraction"})
_SHORT_TEXT = 80  # characters of a literal that is searched
_WORD = re.compile(r"[A-Za-z_]\w*")


def declare(reader: Reader, kinds: Kinds, node: Node) -> None:
    """Note in a first pass by what a name's values are made."""
    if node.type != "assignment":
        return
    name, value = node.child_by_field_name("left"), node.child_by_field_name("right")
    if name is None or value is None or name.type != "identifier":
        return
    made = _LITERALS.get(value.type, value.type)
    if value.type == "call":
        made = reader.text(value.child_by_field_name("function")).rpartition(".")[2]
    kinds.made_by.setdefault(reader.text(name), set()).add(made)


def look(reader: Reader, kinds: Kinds, node: Node, scope: Scope) -> None:
    """Note the construct that a node is, if it is one."""
    match node.type:
        case "call":
            name, owner = _called(reader, kinds, node)
        case "comparison_operator":
            name, owner = _searched(reader, kinds, node)
        case "delete_statement":
            name, owner = _deleted(reader, kinds, node)
        case "assignment" | "augmented_assignment":
            name, owner = _assigned(reader, kinds, node, scope)
        case "subscript":
            owner = node.child_by_field_name("value")
            name = "slice" if _is_copied(reader, node) else ""
        case "binary_operator":
            name, owner = _added(reader, kinds, node), None
        case _:
            return
    if node.type == "call" and _unpacks(reader, node):
        reader.note_costly(node, Scope(scope.function, in_loop=True), "print(*)", 0)
    if name and not _is_made_anew(reader, node, owner):
        reader.note_costly(node, scope, name, _head_of(node))


def _called(reader: Reader, kinds: Kinds, node: Node) -> tuple[str, Node | None]:
    function, argument_list = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if function is None or argument_list is None:
        return "", None
    last = reader.text(function).rpartition(".")[2]
    arguments = argument_list.named_children if argument_list.type == "argument_list" else []
    first = arguments[0] if arguments else None
    if function.type == "attribute":
        owner = function.child_by_field_name("object")
        if last == "deepcopy":
            return "deepcopy()", first
        if last in ("insort", "insort_left", "insort_right"):
            return "insort()", first
        return _method(reader, kinds, owner, last, arguments), owner
    if last in _NUMBERS:
        return last, None
    is_generator = argument_list.type == "generator_expression"
    if (first is None and not is_generator) or last not in _PASSES | _COPIES | {
        "sorted",
        "deepcopy",
        "insort",
        "insort_left",
        "insort_right",
    }:
        return "", None
    if last.startswith("insort"):
        return "insort()", first
    if last in ("sorted", "deepcopy"):
        return f"{last}()", first
    over = _gone_through(argument_list) if is_generator else first
    is_alone = sum(child.type not in ("keyword_argument", "comment") for child in arguments) == 1
    if over is None or not (is_generator or is_alone) or over.type not in ("identifier", "attribute", "subscript"):
        return "", None
    if over.type == "subscript" and over.named_children[-1].type != "slice":
        return "", None  # another one each time, maybe
    return (f"{last}()", over) if last != "reversed" else ("", None)


def _unpacks(reader: Reader, node: Node) -> bool:
    """Return whether a call prints all values of something, each as an argument of its own."""
    argument_list = node.child_by_field_name("arguments")
    is_print = reader.text(node.child_by_field_name("function")) == "print"
    return (
        is_print
        and argument_list is not None
        and any(child.type == "list_splat" for child in argument_list.named_children)
    )


def _gone_through(generator: Node) -> Node | None:
    clause = next((child for child in generator.named_children if child.type == "for_in_clause"), None)
    return clause.child_by_field_name("right") if clause else None


def _method(reader: Reader, kinds: Kinds, owner: Node | None, last: str, arguments: list[Node]) -> str:
    """Return the construct of a method's call; "" of one that is none, or of what is no list and no text.

    Its name ends with "?" where nobody knows whether it is a list or a text: of a parameter, for one.
    """
    name, first = reader.text(owner), reader.text(arguments[0]) if arguments else ""
    made = kinds.made_by.get(name, set())
    if made & _NO_LIST or any(each[:1].isupper() for each in made):
        return ""
    is_list, is_text = kinds.is_list(name), kinds.is_text(name)
    if last == "pop" and first == "0" and len(arguments) == 1 and not is_text:
        return "pop(0)" if is_list else "pop(0)?"
    if last == "insert" and len(arguments) == 2 and not is_text:
        return ("insert(0)" if first == "0" else "insert()") + ("" if is_list else "?")
    if last in _OF_SEQUENCES and len(arguments) == 1 and owner is not None and owner.type == "identifier":
        return f"{last}()" if is_list or is_text else f"{last}()?"
    if is_text and ((last == "find" and len(arguments) == 1) or last == "replace"):
        return f"{last}()"
    if last == "join" and arguments and arguments[0].type == "identifier":
        return "join()" if is_text or (owner is not None and owner.type == "string") else ""
    return f"{last}()" if is_list and last in _OF_LISTS else ""


def _searched(reader: Reader, kinds: Kinds, node: Node) -> tuple[str, Node | None]:
    if not {child.type for child in node.children if not child.is_named} & {"in", "not in"}:
        return "", None
    container = node.named_children[-1]
    if container.type == "subscript" and container.named_children[-1].type == "slice":
        container = container.named_children[0]
    name = reader.text(container)
    if kinds.is_list(name):
        return "in", container
    return ("in text", container) if kinds.is_text(name) and container.type == "identifier" else ("", None)


def _deleted(reader: Reader, kinds: Kinds, node: Node) -> tuple[str, Node | None]:
    target = node.named_children[0] if node.named_children else None
    if target is None or target.type != "subscript":
        return "", None
    owner, inside = target.child_by_field_name("value"), target.named_children[-1]
    is_last = reader.text(inside) == "-1"
    return ("del", owner) if kinds.is_list(reader.text(owner)) and not is_last else ("", None)


def _assigned(reader: Reader, kinds: Kinds, node: Node, scope: Scope) -> tuple[str, Node | None]:
    target, value = node.child_by_field_name("left"), node.child_by_field_name("right")
    if target is None or value is None:
        return "", None
    name = reader.text(target)
    if target.type == "subscript":
        owner = target.child_by_field_name("value")
        is_sieve = kinds.is_list(reader.text(owner)) and value.type in ("true", "false", "integer", "none")
        loop = _loop_of(target)
        if is_sieve and loop is not None and _steps(reader, loop) and _asks(reader, loop, f"{reader.text(owner)}["):
            reader.note_costly(loop, scope, "list-sieve", 0)  # its head takes a step for each value, too
            return "list-sieve", None
        return "", None
    if node.type == "augmented_assignment":
        is_text = reader.text(node.child_by_field_name("operator")) == "+=" and kinds.is_text(name)
        return ("+=", target) if is_text and not scope.function else ("", None)
    kind = kinds.of.get(name, "")
    if not kind or value.type != "binary_operator" or reader.text(value.child_by_field_name("operator")) != "+":
        return "", None
    operands = list(_operands(value))
    if all(reader.text(operand) != name for operand in operands):
        return "", None
    # CPython appends to a function's own text in place, where it is the first of two
    is_in_place = kind == TEXT and scope.function and len(operands) == 2 and reader.text(operands[0]) == name
    return ("", None) if is_in_place else ("+" if kind == TEXT else "list +", target)


def _operands(value: Node) -> Iterator[Node]:
    while value.type == "binary_operator":
        left, right = value.child_by_field_name("left"), value.child_by_field_name("right")
        if left is None or right is None:
            return
        yield right
        value = left
    yield value


def _steps(reader: Reader, loop: Node) -> bool:
    """Return whether a loop goes through `range` in steps."""
    over = loop.child_by_field_name("right") if loop.type == "for_statement" else None
    if over is None or over.type != "call" or reader.text(over.child_by_field_name("function")) != "range":
        return False
    argument_list = over.child_by_field_name("arguments")
    return argument_list is not None and argument_list.named_child_count == 3


def _asks(reader: Reader, loop: Node, text: str) -> bool:
    """Return whether a loop runs only if a value of the list is set, in another loop."""
    test = loop.parent.parent if loop.parent is not None else None
    if test is None or test.type != "if_statement" or _loop_of(loop) is None:
        return False
    return text in reader.text(test.child_by_field_name("condition"))


def _is_copied(reader: Reader, node: Node) -> bool:
    """Return whether a subscript is a slice that may be long, and that nothing noted already works on."""
    inside, above = node.named_children[-1], node.parent
    if (
        inside.type != "slice"
        or above is None
        or (above.type == "assignment" and above.child_by_field_name("left") == node)
    ):
        return False
    if above.type in ("delete_statement", "augmented_assignment"):
        return False
    bounds = [child for child in inside.children if child.is_named]
    ends = reader.text(inside).split(":")
    if len(bounds) == 1 and bounds[0].type == "integer" and ends[0].strip() in ("", "0"):
        return False  # the first few
    begin, end = ends[0].strip(), ends[1].strip() if len(ends) > 1 else ""
    return not (begin and end.replace(" ", "") in {f"{begin}+{few}" for few in range(10)})


def _added(reader: Reader, kinds: Kinds, node: Node) -> str:
    """Return the class of exact numbers that an operator works on; "" of others."""
    for side in ("left", "right"):
        made = kinds.made_by.get(reader.text(node.child_by_field_name(side)), set())
        if made and made <= _NUMBERS:
            return min(made)
    return ""


def _loop_of(node: Node) -> Node | None:
    """Return the innermost loop whose body a node is in, in the same function."""
    below, above = node, node.parent
    while above is not None and above.type not in _FUNCTIONS:
        is_over = above.type == "for_statement" and below == above.child_by_field_name("right")
        if above.type in _LOOPS and not is_over:
            return above
        below, above = above, above.parent
    return None


def _head_of(node: Node) -> int:
    loop = _loop_of(node)
    return loop.start_point.row + 1 if loop is not None and loop.start_point.row != node.start_point.row else 0


def _is_made_anew(reader: Reader, node: Node, owner: Node | None) -> bool:
    """Return whether the innermost loop around a node makes the value that it works on, so that it may be short."""
    name = _WORD.match(reader.text(owner)) if owner is not None else None
    if name is None:
        return False
    above = node.parent
    while above is not None and above.type not in _COMPREHENSIONS | _LOOPS | _FUNCTIONS:
        above = above.parent
    if above is not None and above.type in _COMPREHENSIONS and name[0] in _targets(reader, above):
        return True
    loop = _loop_of(node)
    return loop is not None and name[0] in reader.made_in(loop, _makes)


def _targets(reader: Reader, loop: Node) -> set[str]:
    """Return the names that a comprehension's own clauses give values to."""
    clauses = (child for child in loop.named_children if child.type == "for_in_clause")
    return {word for clause in clauses for word in _WORD.findall(reader.text(clause.child_by_field_name("left")))}


def _makes(reader: Reader, node: Node) -> set[str]:
    """Return the names that a node gives a value that is not made of theirs."""
    if node.type not in ("assignment", "for_statement", "named_expression", "as_pattern"):
        return set()
    target, value = node.child_by_field_name("left"), node.child_by_field_name("right")
    if node.type == "named_expression":
        target, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    if target is None or target.type in ("subscript", "attribute"):
        return set()
    own = set(_WORD.findall(reader.text(value)))
    return {name for name in _WORD.findall(reader.text(target)) if node.type == "for_statement" or name not in own}
