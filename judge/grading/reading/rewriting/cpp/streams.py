"""Fixes of what C++ sources read and print."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from judge.grading.reading.places import Deed, Stream
from judge.grading.reading.rewriting.cppcode import CppCode
from judge.grading.reading.rewriting.editing import Edit, line_end_of
from judge.grading.reading.syntax.walking import Site, nodes_of

_OUT = (Stream.STDOUT, Stream.UNKNOWN)
_ENDL_IN_MACRO = re.compile(r"(?P<quiet>\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|//.*)|(?P<it>\b(?:std\s*::\s*)?endl\b)")
_FILES_WITH_STDOUT = frozenset({"stdout", "NULL", "nullptr", "0"})
_CALL_OF_STDERR = re.compile(r"^\s*(?:std::)?fprintf\s*\(\s*stderr\b.*\)\s*;?\s*$", re.DOTALL)
_DOES_SOMETHING = re.compile(r"\+\+|--|[^=!<>]=[^=]|\w\s*\(")


def newline_for_endl(code: CppCode) -> tuple[Edit, ...]:
    """`endl` -> `'\\n'` on stdout, in the bodies of macros too."""
    if code.declares("endl") or _may_not_wait(code):
        return ()
    sites = _flushes(code, "endl")
    edits = [Edit(site.node.start_byte, site.node.end_byte, b"'\\n'") for site in sites if _is_name(site.node)]
    calls = [site.node for site in sites if site.node.type == "call_expression" and code.statement_of(site.node)]
    for call in calls:
        stream = code.text(call.child_by_field_name("arguments"))[1:-1].strip()
        edits.append(Edit(call.start_byte, call.end_byte, f"{stream} << '\\n'".encode()))
    for node in nodes_of(code.root):
        if node.type != "preproc_arg" or node.parent is None or not node.parent.type.startswith("preproc_"):
            continue
        body, macro = code.text(node), code.text(node.parent.child_by_field_name("name"))
        is_of_stderr = re.search(r"\b(cerr|clog)\b", body)
        for match in _ENDL_IN_MACRO.finditer(body) if macro in code.names and not is_of_stderr else ():
            if match["it"]:
                start = node.start_byte + len(body[: match.start()].encode())
                edits.append(Edit(start, start + len(match[0].encode()), b"'\\n'"))
    return tuple(edits)


def no_flush(code: CppCode) -> tuple[Edit, ...]:
    """Take out `<< flush`, `cout.flush()` and `fflush(stdout)`."""
    if code.declares("flush", "fflush") or _may_not_wait(code):
        return ()
    edits = []
    for node in (site.node for site in _flushes(code, "flush", "fflush")):
        statement, function = code.statement_of(node), node.child_by_field_name("function")
        if _is_name(node):
            edits.append(_without_operand(code, node))
        elif statement is not None:
            edits.append(code.without(statement))
        elif code.text(function).endswith("fflush"):
            edits.append(Edit(node.start_byte, node.end_byte, b"0"))
        elif function is not None and function.type == "field_expression":
            stream = code.text(function.child_by_field_name("argument")).encode()
            edits.append(Edit(node.start_byte, node.end_byte, stream))
    return tuple(edit for edit in edits if edit)


def _without_operand(code: CppCode, node: Node) -> Edit | None:
    """Take ` << flush` out of a chain, or the statement that is nothing else."""
    chain = node.parent
    operand = chain.child_by_field_name("left") if chain is not None else None
    if chain is None or operand is None or chain.type != "binary_expression":
        return None
    statement = code.statement_of(chain)
    if operand.type != "binary_expression" and statement is not None:
        return code.without(statement)
    return Edit(operand.end_byte, node.end_byte, b"")


def keep_buffer(code: CppCode) -> tuple[Edit, ...]:
    """Take out what takes the buffer of stdout or stdin away: `unitbuf`, `setvbuf`, `setbuf`."""
    edits = []
    for site in code.sites:
        is_free = site.place.stream is Stream.STDIN or (site.place.stream in _OUT and not _may_not_wait(code))
        if site.place.deed is not Deed.UNBUFFER or not is_free:
            continue
        if _is_name(site.node):
            edits.append(_without_operand(code, site.node))
        elif (statement := code.statement_of(site.node)) is not None:
            edits.append(code.without(statement))
    return tuple(edit for edit in edits if edit)


def unsync(code: CppCode) -> tuple[Edit, ...]:
    """End the coupling of `cin` and `cout` with stdio, and that of `cin` with `cout`, at the beginning of `main`.

    Not where `cin` or `cout` shares its stream with stdio: then the coupling keeps the order.
    """
    if code.declares("cin", "cout", "std", "ios") or code.needs_flushes or code.mixes_input or code.mixes_output:
        return ()
    if not code.names & {"cin", "cout"}:
        return ()
    prefix = "" if re.search(rb"^\s*using\s+namespace\s+std\s*;", code.source, re.MULTILINE) else "std::"
    statements = []
    if not code.is_unsynced:
        statements.append(f"{prefix}ios::sync_with_stdio(false);".encode())
    if "cin" in code.names and not any(site.place.deed is Deed.UNTIE for site in code.sites):
        statements.append(f"{prefix}cin.tie(nullptr);".encode())
    edit = code.first_in_main(*statements) if statements else None
    return (edit,) if edit else ()


def no_debugging(code: CppCode) -> tuple[Edit, ...]:
    """Take out what prints to stderr, where leaving it out changes nothing else."""
    if code.declares("cerr", "clog", "stderr", "fprintf"):
        return ()
    sites = [site for site in code.sites if site.place.deed is Deed.PRINT and site.place.stream is Stream.STDERR]
    if not code.hides_loops:
        sites = [site for site in sites if site.place.is_repeated]
    edits = []
    for expression in (site.node for site in sites):
        while expression.parent is not None and expression.parent.type == "binary_expression":
            expression = expression.parent  # the whole chain of `<<`
        is_call, statement = expression.type == "call_expression", code.statement_of(expression)
        values = expression.child_by_field_name("arguments") if is_call else expression
        if statement is not None and values is not None and code.is_pure(values):
            edits.append(code.without(statement))
    return (*edits, *_debugging_macros(code))


def _debugging_macros(code: CppCode) -> Iterator[Edit]:
    """`#define DEBUG(...) fprintf(stderr, __VA_ARGS__)` -> `((void)0)`, if no use of it does more than name values."""
    for node in nodes_of(code.root):
        value = node.child_by_field_name("value") if node.type == "preproc_function_def" else None
        if value is None or not _CALL_OF_STDERR.match(code.text(value)):
            continue
        name = code.text(node.child_by_field_name("name"))
        uses = re.findall(rf"\b{re.escape(name)}\s*\((.*)\)", code.source.decode("utf-8", "replace"))
        if not any(_DOES_SOMETHING.search(use) for use in uses if "__VA_ARGS__" not in use and "..." not in use):
            text = code.text(value)
            stripped = text.strip()
            start = value.start_byte + len(text[: text.index(stripped)].encode())
            yield Edit(start, start + len(stripped.encode()), b"((void)0)" + (b";" if stripped.endswith(";") else b""))


def quiet_stderr(code: CppCode) -> tuple[Edit, ...]:
    """Silence `cerr` and `clog`, and buffer stdio's stderr, at the beginning of `main`: whatever prints there stays."""
    if code.declares("cerr", "clog", "stderr", "std"):
        return ()
    streams = [name for name in ("cerr", "clog") if name in code.names]
    statements = [f"std::{name}.setstate(std::ios::failbit);".encode() for name in streams]
    if "stderr" in code.names and not code.needs_flushes:
        statements.append(b"setvbuf(stderr, nullptr, _IOFBF, 1 << 16);")
    edit = code.first_in_main(*statements) if statements else None
    return (edit,) if edit else ()


def buffered_calls(code: CppCode) -> tuple[Edit, ...]:
    """`write(1, ...)` -> `fwrite(..., stdout)`, `read(0, ...)` -> `fread(..., stdin)`, if nothing else uses those."""
    writes = not code.needs_flushes and not code.names & {"cout", "printf", "puts", "putchar", "stdout"}
    reads = not code.names & {"cin", "scanf", "getchar", "stdin", "fork"}
    edits = []
    for site in code.sites:
        if site.place.deed is Deed.WRITE and site.place.stream is Stream.STDOUT and writes:
            edits += _by_stdio(code, site.node, "fwrite", "stdout")
        elif site.place.deed is Deed.FETCH and site.place.stream is Stream.STDIN and reads:
            edits += _by_stdio(code, site.node, "fread", "stdin")
    if edits and not re.search(rb"#\s*include\s*<(cstdio|stdio\.h|bits/stdc\+\+\.h)>", code.source):
        edits.append(Edit(0, 0, b"#include <cstdio>" + line_end_of(code.source), is_place=False))
    return tuple(edits)


def _by_stdio(code: CppCode, call: Node, name: str, stream: str) -> list[Edit]:
    argument_list = call.child_by_field_name("arguments")
    children = argument_list.named_children if argument_list is not None else []
    arguments = [child for child in children if child.type != "comment"]
    if len(arguments) != 3:
        return []
    _, data, size = (code.text(argument) for argument in arguments)
    return [Edit(call.start_byte, call.end_byte, f"(ssize_t){name}({data}, 1, {size}, {stream})".encode())]


def _may_not_wait(code: CppCode) -> bool:
    """Return whether stdout needs its flushes, or may: two buffers for one stream keep their order by them."""
    return code.needs_flushes or (code.is_unsynced and code.mixes_output) or code.has(Deed.WRITE, Stream.STDOUT)


def _flushes(code: CppCode, *names: str) -> list[Site]:
    """Return the flushes of stdout with these names; in a source with files of its own only what is surely stdout."""
    streams = (Stream.STDOUT,) if code.names & {"ofstream", "fstream", "fopen"} else _OUT
    flushes = []
    for site in code.sites:
        if site.place.deed is not Deed.FLUSH or site.place.name not in names or site.place.stream not in streams:
            continue
        function, arguments = (code.text(site.node.child_by_field_name(field)) for field in ("function", "arguments"))
        is_fflush = site.node.type == "call_expression" and function.endswith("fflush")
        if not is_fflush or arguments[1:-1].strip() in _FILES_WITH_STDOUT:
            flushes.append(site)
    return flushes


def _is_name(node: Node) -> bool:
    return node.type in ("identifier", "qualified_identifier")
