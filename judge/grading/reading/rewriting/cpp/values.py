"""C++ values that are copied, or measured, again and again: references in the place of copies, `strlen` before a loop.

A copy that nobody changes may be a reference if nobody changes the original meanwhile. So the original has to be a
variable of a function's own, that no pointer and no lambda reaches. That the copy itself is not changed, `const` says.
"""

import re
from collections.abc import Iterator

from tree_sitter import Node

from judge.grading.reading.rewriting.cppcode import CppCode, parameters_of
from judge.grading.reading.rewriting.editing import Edit, indentation, line_end_of
from judge.grading.reading.syntax.walking import nodes_of

_LARGE = re.compile(r"(std\s*::\s*)?(vector|string|deque|list|(unordered_)?(multi)?(map|set)|queue|stack|tuple)\b")
_LARGE_PART = re.compile(r"<.*\b(string|vector|pair|tuple|map|set|array|deque)\b", re.DOTALL)
_READS = frozenset(
    {"size", "length", "empty", "begin", "end", "rbegin", "rend", "cbegin", "cend", "front", "back", "at", "find"}
    | {"count", "substr", "c_str", "compare", "lower_bound", "upper_bound", "find_first_of", "contains", "rfind"}
)
_CHANGES = re.compile(
    r"(std::)?(sort|stable_sort|swap|reverse|fill|iota|getline|next_permutation|prev_permutation|partial_sort|rotate"
    r"|nth_element|unique|remove|shuffle|random_shuffle|replace|transform|make_heap|push_heap|pop_heap|move|ref|copy)\Z"
)
_CONCURRENT = frozenset({"thread", "jthread", "async", "pthread_create", "goto", "const_cast", "co_await", "co_yield"})
_LOOPS = frozenset({"for_statement", "while_statement", "do_statement", "for_range_loop"})


def reference_parameters(code: CppCode) -> tuple[Edit, ...]:
    """`int f(vector<int> a)` -> `int f(const vector<int>& a)`, where `f` only reads it, and so does everybody else."""
    if code.names & _CONCURRENT:
        return ()
    edits: list[Edit] = []
    for name, declarators in code.functions.items():
        definition = declarators[-1].parent
        calls = _calls(code, name, declarators)
        is_defined_once = [it.parent.type for it in declarators if it.parent].count("function_definition") == 1
        body = definition.child_by_field_name("body") if definition is not None else None
        if calls is None or body is None or not is_defined_once or name == "main":
            continue
        for number, parameter in enumerate(parameters_of(declarators[-1])):
            variable = parameter.child_by_field_name("declarator")
            is_large = _LARGE.match(code.text(parameter.child_by_field_name("type"))) is not None
            if not is_large or variable is None or variable.type != "identifier" or not _is_read(code, body, variable):
                continue
            if all(_is_own_value(code, call, number, name) for call in calls):
                edits += [edit for it in declarators for edit in _as_reference(code, parameters_of(it)[number])]
    return tuple(edits)


def _calls(code: CppCode, name: str, declarators: list[Node]) -> list[Node] | None:
    """Return the calls of a function; None if it is used otherwise too, or a macro may call it."""
    if re.search(rf"#\s*define\b.*\b{re.escape(name)}\b".encode(), code.source):
        return None
    calls: list[Node] = []
    for use in code.uses(name):
        above = use.parent
        if above is None or above in declarators:
            continue
        if above.type != "call_expression" or above.child_by_field_name("function") != use:
            return None
        calls.append(above)
    return calls


def _is_read(code: CppCode, body: Node, variable: Node) -> bool:
    """Return whether a variable is only read in a body."""
    name = code.text(variable)
    return all(_is_one_read(code, use) for use in code.uses(name, body))


def _is_one_read(code: CppCode, use: Node) -> bool:
    inner, above = use, use.parent
    while above is not None:
        if above.type == "field_expression" and above.child_by_field_name("argument") == inner:
            call = above.parent
            if call is not None and call.type == "call_expression" and call.child_by_field_name("function") == above:
                if code.text(above.child_by_field_name("field")) not in _READS:
                    return False
                inner, above = call, call.parent
                continue
        elif above.type not in ("subscript_expression", "parenthesized_expression", "subscript_argument_list"):
            break
        elif above.type != "parenthesized_expression" and above.child_by_field_name("argument") != inner:
            return True  # only an index
        inner, above = above, above.parent
    if above is None:
        return False
    operator = code.text(above.child_by_field_name("operator"))
    if above.type in ("update_expression", "pointer_expression", "lambda_capture_specifier"):
        return above.type == "pointer_expression" and operator == "*"
    if above.type == "cast_expression":
        return not re.search(r"[&*]", code.text(above.child_by_field_name("type")))
    if above.type == "assignment_expression":
        return above.child_by_field_name("right") == inner
    if above.type == "binary_expression":
        return operator != ">>" or above.child_by_field_name("left") == inner
    if above.type == "argument_list" and above.parent is not None:
        return _is_read_by(code, above.parent, above.named_children.index(inner))
    if above.type == "init_declarator":
        declarator = above.child_by_field_name("declarator")
        return declarator is not None and declarator.type == "identifier"
    if above.type == "for_range_loop":
        declarator = above.child_by_field_name("declarator")
        is_const = code.text(above).partition(":")[0].find("const") >= 0
        return above.child_by_field_name("right") == inner and (
            is_const or (declarator is not None and declarator.type == "identifier")
        )
    return above.type in ("return_statement", "condition_clause", "conditional_expression", "expression_statement")


def _is_read_by(code: CppCode, call: Node, number: int) -> bool:
    """Return whether a call does not change what it is given there, as far as its name or its declaration tells."""
    if call.type != "call_expression":
        return True  # the initial value of a variable
    function = code.text(call.child_by_field_name("function"))
    if _CHANGES.match(function):
        return False
    declarators = code.functions.get(function)
    if declarators is None:
        return True
    parameters = parameters_of(declarators[-1])
    text = code.text(parameters[number]) if number < len(parameters) else "&"
    return "const" in text or not re.search(r"[&*]", text)


def _is_own_value(code: CppCode, call: Node, number: int, name: str) -> bool:
    """Return whether a call gives a new value, or a variable of the caller's own that nobody can change meanwhile."""
    argument_list = call.child_by_field_name("arguments")
    arguments = argument_list.named_children if argument_list is not None else []
    if len(arguments) <= number:
        return False
    argument = arguments[number]
    root = argument
    while root.type in ("subscript_expression", "field_expression") and (inner := root.child_by_field_name("argument")):
        root = inner
    if root.type in ("string_literal", "initializer_list"):
        return True
    if root.type == "call_expression":
        return (
            re.search(r"(^|\.)(substr|to_string|vector<.*>|string)$", code.text(root.child_by_field_name("function")))
            is not None
        )
    others = [other for place, other in enumerate(arguments) if place != number]
    is_alone = not any(code.uses(code.text(root), other) for other in others if other.type == "identifier")
    return root.type == "identifier" and is_alone and is_value_of_its_function(code, root)


def is_value_of_its_function(code: CppCode, use: Node) -> bool:
    """Return whether an identifier is a variable that only its own function can reach: no reference, no global one."""
    function, name = _function_around(use), code.text(use)
    if function is None:
        return False
    uses = code.uses(name, function)
    declared = [node for node in uses if _declaration_of(node)]
    if not declared or not all(_is_value(node) for node in declared):
        return False
    reached = rf"&\s*{re.escape(name)}\b|&\s*\w+\s*[=({{]\s*{re.escape(name)}\b|\*\s*\w+\s*=\s*{re.escape(name)}\b"
    text = code.text(function)
    is_kept = all(_function_around(other) == function for other in uses)
    return is_kept and re.search(reached, text.replace("&&", "  ")) is None


def _function_around(node: Node) -> Node | None:
    """Return the function that a node stands in; None in a lambda, and outside of functions."""
    above = node.parent
    while above is not None and above.type != "function_definition":
        above = above.parent if above.type != "lambda_expression" else None
    return above


def _declaration_of(node: Node) -> Node | None:
    """Return what declares a variable by this identifier: as a value, or by a reference or a pointer; None: nothing."""
    above = node.parent
    while above is not None and above.type.endswith("declarator"):
        if node not in above.children_by_field_name("declarator") and above.type != "reference_declarator":
            return None
        node, above = above, above.parent
    kinds = ("declaration", "parameter_declaration", "for_range_loop", "optional_parameter_declaration")
    is_one = above is not None and above.type in kinds and node in above.children_by_field_name("declarator")
    return above if is_one else None


def _is_value(node: Node) -> bool:
    """Return whether an identifier is declared as a value. `vector<int> v(n);` looks like a function."""
    declaration, above = _declaration_of(node), node.parent
    if declaration is None or above is None or declaration.type not in ("declaration", "parameter_declaration"):
        return False
    is_made = above.type == "function_declarator" and above.parent == declaration
    return above == declaration or is_made or (above.type == "init_declarator" and above.parent == declaration)


def _as_reference(code: CppCode, parameter: Node) -> Iterator[Edit]:
    kind = parameter.child_by_field_name("type")
    if kind is not None:
        is_const = any(child.type == "type_qualifier" for child in parameter.named_children)
        if not is_const:
            yield Edit(kind.start_byte, kind.start_byte, b"const ")
        yield Edit(kind.end_byte, kind.end_byte, b"&", is_place=False)


def reference_elements(code: CppCode) -> tuple[Edit, ...]:
    """`for (auto p : t)` -> `for (const auto& p : t)`, where elements are large, and neither changes in the loop."""
    if code.names & _CONCURRENT:
        return ()
    own = set(code.functions)
    edits = []
    for loop in nodes_of(code.root):
        if loop.type != "for_range_loop":
            continue
        kind, variable, whole, body = (
            loop.child_by_field_name(name) for name in ("type", "declarator", "right", "body")
        )
        if kind is None or variable is None or variable.type != "identifier" or whole is None or body is None:
            continue
        root = whole
        while root.type in ("subscript_expression", "field_expression") and root.child_by_field_name("argument"):
            root = root.child_by_field_name("argument") or root
        is_large = code.text(kind) == "auto" and _LARGE_PART.search(_declared_as(code, root))
        if root.type != "identifier" or not (is_large or _LARGE.match(code.text(kind))):
            continue
        calls = {
            code.text(node.child_by_field_name("function")) for node in nodes_of(body) if node.type == "call_expression"
        }
        is_safe = is_value_of_its_function(code, root) or (not calls & own and _is_global(code, code.text(root)))
        if is_safe and not code.uses(code.text(root), body) and _is_read(code, body, variable):
            is_const = any(child.type == "type_qualifier" for child in loop.named_children)
            edits += [] if is_const else [Edit(kind.start_byte, kind.start_byte, b"const ")]
            edits.append(Edit(kind.end_byte, kind.end_byte, b"&", is_place=False))
    return tuple(edits)


def _declared_as(code: CppCode, use: Node) -> str:
    """Return the type of a variable's only declaration, in its function or in the file; "" without one."""
    name, function = code.text(use), use.parent
    while function is not None and function.type != "function_definition":
        function = function.parent
    for whole in (function, code.root):
        kinds = [
            code.text(node.child_by_field_name("type"))
            for node in (nodes_of(whole) if whole is not None else ())
            if node.type in ("declaration", "parameter_declaration")
            and any(name == _name_of(code, child) for child in node.children_by_field_name("declarator"))
        ]
        if kinds:
            return kinds[0] if len(kinds) == 1 else ""
    return ""


def _name_of(code: CppCode, declarator: Node) -> str:
    inner: Node | None = declarator
    while inner is not None and inner.type != "identifier":
        inner = inner.child_by_field_name("declarator")
    return code.text(inner)


def _is_global(code: CppCode, name: str) -> bool:
    return any(
        name == _name_of(code, child)
        for node in code.root.named_children
        if node.type == "declaration"
        for child in node.children_by_field_name("declarator")
    )


def strlen_before_loop(code: CppCode) -> tuple[Edit, ...]:
    """`i < strlen(s)` as the condition of a loop that does not write `s` -> a variable before the loop."""
    if code.declares("strlen"):
        return ()
    edits: list[Edit] = []
    for loop in nodes_of(code.root):
        condition = loop.child_by_field_name("condition") if loop.type in _LOOPS else None
        if condition is None or loop.type == "do_statement" or loop.parent is None:
            continue
        calls = [node for node in nodes_of(condition) if node.type == "call_expression"]
        arguments = [code.text(call.child_by_field_name("arguments"))[1:-1].strip() for call in calls]
        names = [code.text(call.child_by_field_name("function")).removeprefix("std::") for call in calls]
        if names != ["strlen"] or not arguments[0].isidentifier() or loop.parent.type != "compound_statement":
            continue
        name, length = arguments[0], f"length_of_{arguments[0]}"
        if length in code.names or not _stays(code, loop, name):
            continue
        blanks = line_end_of(code.source) + indentation(code.source, loop.start_byte)
        before = f"const size_t {length} = {code.text(calls[0])};".encode() + blanks
        edits.append(Edit(loop.start_byte, loop.start_byte, before, is_place=False))
        edits.append(Edit(calls[0].start_byte, calls[0].end_byte, length.encode()))
    return tuple(edits)


def _stays(code: CppCode, loop: Node, name: str) -> bool:
    """Return whether a loop leaves a text as it is: it is an array of its own, and only read by its places there."""
    own = set(code.functions)
    calls = {
        code.text(node.child_by_field_name("function")) for node in nodes_of(loop) if node.type == "call_expression"
    }
    is_reached = calls & own or re.search(
        rf"&\s*{re.escape(name)}\b|=\s*{re.escape(name)}\s*[;,+]".encode(), code.source
    )
    if is_reached or not re.search(rf"\bchar\s+(\w+\[[^\]]*\]\s*,\s*)*{re.escape(name)}\s*\[".encode(), code.source):
        return False
    for use in code.uses(name, loop):
        above = use.parent
        call = above.parent if above is not None and above.type == "argument_list" else None
        if call is not None and code.text(call.child_by_field_name("function")).removeprefix("std::") == "strlen":
            continue
        if above is None or above.type != "subscript_expression" or not _is_one_read(code, use):
            return False
        if above.parent is not None and above.parent.type == "argument_list" and above.parent.parent is not None:
            function = above.parent.parent.child_by_field_name("function")
            if code.text(function).endswith("scanf"):
                return False
    return True
