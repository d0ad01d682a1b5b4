"""The fixes of Python sources."""

import re
from collections.abc import Callable, Iterator, Mapping

from tree_sitter import Node

from judge.grading.reading.places import Deed, Stream
from judge.grading.reading.rewriting.editing import Edit, indentation, line_end_of
from judge.grading.reading.rewriting.pycode import PyCode
from judge.grading.reading.syntax.python import sites_in_python
from judge.grading.reading.syntax.walking import nodes_of

_OUT = (Stream.STDOUT, Stream.UNKNOWN)
_SAFE_IN_FSTRING = re.compile(r"[\w\s.+\-*/%,()\[\]]+\Z")
_PLAIN_STRING = re.compile(r"(?P<quote>[\"'])(?P<text>(?:[^\"'\\{}%\n]|\\[nt])*)(?P=quote)\Z")
_FUNCTIONS = frozenset({"function_definition", "lambda", "class_definition"})
_RAW = frozenset({"sys.stdin.buffer.raw", "sys.stdout.buffer.raw"})
_SIMPLE = frozenset({"identifier", "attribute", "subscript", "binary_operator", "integer", "call", "unary_operator"})
_STRIPS = frozenset({"int", "float"})
_STRIPPING = frozenset({"split", "strip", "rstrip"})
_READLINE = "input = sys.stdin.readline"
_INPUT = (
    "def input():",
    "    line = sys.stdin.readline()",
    "    if not line:",
    "        raise EOFError",
    '    return line.removesuffix("\\n")',
)


def no_flush(code: PyCode) -> tuple[Edit, ...]:
    """Take out `flush=True`, `sys.stdout.flush()` and what makes stdout line-buffered."""
    if code.needs_flushes or code.replaces_stdout or code.binds("print"):
        return ()
    edits, statements = [], []
    for site in code.sites:
        node, name = site.node, site.place.name
        if site.place.stream not in _OUT or site.place.deed not in (Deed.FLUSH, Deed.UNBUFFER):
            continue
        if name == "flush=True":
            argument = node.parent if node.type != "call" else code.keywords(node).get("flush")
            if argument is not None and argument.type == "keyword_argument":
                edits.append(code.without_argument(argument))
        elif name == "flush()" and site.place.is_repeated and site.place.stream is Stream.STDOUT:
            statements += [statement] if (statement := code.statement_of(node)) else []
        elif name == "line_buffering=True" and (statement := code.statement_of(node)):
            statements.append(statement)
        elif name == "buffering" and (argument := code.keywords(node).get("buffering")):
            edits.append(code.without_argument(argument))
    return (*edits, *code.without(statements))


def fast_input(code: PyCode) -> tuple[Edit, ...]:
    """Read lines by `sys.stdin.readline`, which flushes nothing before it reads.

    If every use of `input()` ignores the end of its line and nobody waits for `EOFError`, `input` itself becomes that;
    else a function of three lines, which does what `input` does.
    """
    if code.needs_flushes or code.binds("input") or not code.has_module_sys or "input" not in code.names:
        return ()
    sites = [site for site in code.sites if site.place.name == "input()"]
    calls = [site.node for site in sites]
    if not any(site.place.is_repeated for site in sites) or any(
        code.positional(call) or code.keywords(call) for call in calls
    ):
        return ()  # a prompt is output
    lines = [] if code.imports_sys else ["import sys"]
    uses = sum(node.type == "identifier" and code.text(node) == "input" for node in nodes_of(code.root))
    catches = "EOFError" in code.names or any(node.type == "except_clause" for node in nodes_of(code.root))
    is_plain = uses == len(calls) and not catches and all(_ignores_line_end(code, call) for call in calls)
    top = code.at_top(*lines, *([_READLINE] if is_plain else ["", *_INPUT, ""]))
    return (Edit(top.start, top.end, top.text),)


def _ignores_line_end(code: PyCode, call: Node) -> bool:
    above = call.parent
    if above is None:
        return False
    if above.type == "attribute":
        outer = above.parent
        is_stripping = code.text(above.child_by_field_name("attribute")) in _STRIPPING
        return is_stripping and outer is not None and outer.type == "call" and not code.positional(outer)
    outer = above.parent if above.type == "argument_list" else None
    return outer is not None and outer.type == "call" and code.text(outer.child_by_field_name("function")) in _STRIPS


def direct_writes(code: PyCode) -> tuple[Edit, ...]:
    """`print(x)` in a loop -> `write(f"{x}\\n")` with `write = sys.stdout.write`, one call for each piece."""
    name = next((name for name in ("write", "write_out") if name not in code.names), "")
    if not name or code.replaces_stdout or code.binds("print") or not code.has_module_sys:
        return ()
    if "__format__" in code.names:  # an f-string asks for that, and `print` for `__str__`
        return ()
    edits: list[Edit] = []
    for site in code.sites:
        is_print = site.place.deed is Deed.PRINT and site.place.name == "print" and site.place.is_repeated
        if is_print and site.place.stream is Stream.STDOUT and code.statement_of(site.node):
            edits += _written(code, site.node, name)
    if not edits:
        return ()
    top = code.at_top(*([] if code.imports_sys else ["import sys"]), f"{name} = sys.stdout.write")
    return (*edits, top)


def _written(code: PyCode, call: Node, name: str) -> Iterator[Edit]:
    keywords, values = code.keywords(call), code.positional(call)
    if code.text(call.child_by_field_name("function")) != "print" or set(keywords) - {"sep", "end"}:
        return
    if any(value.type in ("list_splat", "generator_expression") for value in values):
        return
    separators = {"sep": " ", "end": "\\n"}  # each as a double-quoted string has it
    for key, keyword in keywords.items():
        plain = _PLAIN_STRING.match(code.text(keyword.child_by_field_name("value")))
        if plain is None:
            return
        separators[key] = plain["text"]
    sep, end = separators["sep"], separators["end"]
    texts = [code.text(value) for value in values]
    if all(value.type in _SIMPLE and _SAFE_IN_FSTRING.match(text) for value, text in zip(values, texts, strict=True)):
        prefix = "f" if values else ""
        written = prefix + '"' + sep.join(f"{{{text}}}" for text in texts) + end + '"'
    else:
        places, comma = sep.join("%s" for _ in texts), "," * (len(texts) == 1)
        written = f'"{places}{end}" % ({", ".join(texts)}{comma})'
    yield Edit(call.start_byte, call.end_byte, f"{name}({written})".encode())


def no_debugging(code: PyCode) -> tuple[Edit, ...]:
    """Take out what prints to stderr again and again, where leaving it out changes nothing else."""
    if code.binds("print"):
        return ()
    statements = []
    for site in code.sites:
        is_print = site.place.deed is Deed.PRINT and site.place.name in ("print", "write()")
        if not is_print or site.place.stream is not Stream.STDERR or not site.place.is_repeated:
            continue
        statement, argument_list = code.statement_of(site.node), site.node.child_by_field_name("arguments")
        if statement is not None and argument_list is not None and code.is_pure(argument_list):
            statements.append(statement)
    return tuple(code.without(statements))


def buffered_calls(code: PyCode) -> tuple[Edit, ...]:
    """`os.write(1, x)` -> `sys.stdout.buffer.write(x)`, `os.read(0, 1)` -> `sys.stdin.buffer.read(1)`, where nothing
    else uses the stream; raw and unbuffered streams -> buffered ones.
    """
    if code.needs_flushes or code.replaces_stdout or not code.has_module_sys:
        return ()
    prints = any(site.place.deed is Deed.PRINT and site.place.stream is Stream.STDOUT for site in code.sites)
    reads = any(site.place.deed is Deed.READ for site in code.sites)
    edits = []
    for node in nodes_of(code.root):
        written = code.text(node) if node.type == "attribute" else ""
        if written.endswith(".raw") and code.bindings.full(written) in _RAW:
            edits.append(Edit(node.end_byte - len(b".raw"), node.end_byte, b""))
    for site in code.sites:
        arguments = code.positional(site.node) if site.node.type == "call" else []
        if len(arguments) != 2 or code.text(site.node.child_by_field_name("function")) not in ("os.write", "os.read"):
            continue
        value = code.text(arguments[1])
        if site.place.deed is Deed.WRITE and site.place.stream is Stream.STDOUT and not prints:
            edits.append(Edit(site.node.start_byte, site.node.end_byte, f"sys.stdout.buffer.write({value})".encode()))
        elif site.place.deed is Deed.FETCH and site.place.stream is Stream.STDIN and not reads:
            edits.append(Edit(site.node.start_byte, site.node.end_byte, f"sys.stdin.buffer.read({value})".encode()))
    return (*edits, *([] if code.imports_sys else [code.at_top("import sys")])) if edits else ()


def joined_pieces(code: PyCode) -> tuple[Edit, ...]:
    """`s += x` in a loop -> a list of pieces, joined after the loop, where the loop uses `s` for nothing else."""
    edits: list[Edit] = []
    end = 0
    for loop in nodes_of(code.root):
        if loop.type not in ("for_statement", "while_statement") or loop.start_byte < end:
            continue
        end = loop.end_byte
        for name in _grown_in(code, loop):
            pieces = f"{name}_pieces"
            if pieces not in code.names and _is_text(code, loop, name) and not _is_seen_elsewhere(code, loop, name):
                edits += _collected(code, loop, name, pieces)
    return tuple(edits)


def _growths(code: PyCode, loop: Node) -> Iterator[tuple[str, Node, Node]]:
    """Yield each statement that only appends to a name: `s += x` or `s = s + x`, with the name and what is appended."""
    for node in nodes_of(loop):
        above = node.parent
        if above is None or above.type != "expression_statement" or above.named_child_count != 1:
            continue
        target, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if target is None or right is None or target.type != "identifier":
            continue
        if node.type == "augmented_assignment" and code.text(node.child_by_field_name("operator")) == "+=":
            yield code.text(target), node, right
        is_sum = node.type == "assignment" and right.type == "binary_operator"
        if is_sum and re.match(rf"{re.escape(code.text(target))}\s*\+", code.text(right)):
            yield code.text(target), node, right


def _grown_in(code: PyCode, loop: Node) -> list[str]:
    """Return the names that the loop uses for nothing but growing; not inside functions, where another may be meant."""
    grown: dict[str, int] = {}
    for name, node, _ in _growths(code, loop):
        grown[name] = grown.get(name, 0) + (2 if node.type == "assignment" else 1)
    used = [code.text(node) for node in nodes_of(loop) if node.type == "identifier"]
    has_functions = any(node.type in ("function_definition", "lambda") for node in nodes_of(loop))
    return [name for name, times in grown.items() if used.count(name) == times and not has_functions]


def _is_text(code: PyCode, loop: Node, name: str) -> bool:
    """Return whether the name holds a string just before the loop: the last assignment in the loop's own block says."""
    before = loop.prev_named_sibling
    while before is not None:
        inner = before.named_children[0] if before.type == "expression_statement" and before.named_children else None
        if inner is not None and inner.type == "assignment" and code.text(inner.child_by_field_name("left")) == name:
            value = inner.child_by_field_name("right")
            return value is not None and value.type == "string" and not code.text(value).lower().startswith(("b", "rb"))
        if re.search(rf"\b{re.escape(name)}\b", code.text(before)):
            return False
        before = before.prev_named_sibling
    return False


def _is_seen_elsewhere(code: PyCode, loop: Node, name: str) -> bool:
    """Return whether somebody may look at the name before the loop has ended: another function, or an `except`."""
    around, above = set[int](), loop.parent
    while above is not None:
        if above.type == "try_statement":
            return True
        around.add(above.id)
        above = above.parent
    others = [node for node in nodes_of(code.root) if node.type in _FUNCTIONS and node.id not in around]
    return any(re.search(rf"\b{re.escape(name)}\b", code.text(other)) for other in others)


def _collected(code: PyCode, loop: Node, name: str, pieces: str) -> Iterator[Edit]:
    end, blanks = line_end_of(code.source), indentation(code.source, loop.start_byte)
    yield Edit(loop.start_byte, loop.start_byte, f"{pieces} = [{name}]".encode() + end + blanks, is_place=False)
    for grown, node, right in _growths(code, loop):
        if grown == name:
            text = code.text(right)
            if node.type == "assignment":
                text = re.sub(rf"^{re.escape(name)}\s*\+\s*", "", text)
            yield Edit(node.start_byte, node.end_byte, f"{pieces}.append({text})".encode())
    joined = f'{name} = "".join({pieces})'.encode()
    yield Edit(loop.end_byte, loop.end_byte, end + blanks + joined, is_place=False)


def read_code(source: bytes) -> PyCode:
    """Parse the source."""
    root, sites, bindings = sites_in_python(source)
    return PyCode(source=source, root=root, sites=sites, bindings=bindings)


REWRITERS: Mapping[str, Callable[[PyCode], tuple[Edit, ...]]] = {
    "no-flush": no_flush,
    "fast-input": fast_input,
    "direct-writes": direct_writes,
    "no-debugging": no_debugging,
    "buffered-calls": buffered_calls,
    "joined-pieces": joined_pieces,
}
