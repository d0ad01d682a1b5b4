"""Fixes of what Python sources read and print."""

from tree_sitter import Node

from judge.grading.reading.places import Deed, Stream
from judge.grading.reading.rewriting.editing import Edit
from judge.grading.reading.rewriting.pycode import PyCode
from judge.grading.reading.rewriting.python.portions import HELPERS
from judge.grading.reading.rewriting.python.written import text_of
from judge.grading.reading.syntax.walking import nodes_of

_OUT = (Stream.STDOUT, Stream.UNKNOWN)
_FUNCTIONS = frozenset({"function_definition", "lambda", "class_definition"})
_RAW = frozenset({"sys.stdin.buffer.raw", "sys.stdout.buffer.raw"})
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
        if not is_print or site.place.stream is not Stream.STDOUT or not code.statement_of(site.node):
            continue
        separators = code.separators(site.node)
        if _is_in_helper(code, site.node):
            continue
        is_by_name = code.text(site.node.child_by_field_name("function")) == "print"
        text = text_of(code, code.positional(site.node), *separators) if separators and is_by_name else ""
        if text:
            edits.append(Edit(site.node.start_byte, site.node.end_byte, f"{name}({text})".encode()))
    if not edits:
        return ()
    top = code.at_top(*([] if code.imports_sys else ["import sys"]), f"{name} = sys.stdout.write")
    return (*edits, top)


def _is_in_helper(code: PyCode, node: Node) -> bool:
    """Return whether this is what the fix of joined lines wrote."""
    above = node.parent
    while above is not None and above.type != "function_definition":
        above = above.parent
    return above is not None and code.text(above.child_by_field_name("name")) in HELPERS


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
