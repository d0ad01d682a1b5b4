"""A C++ source for its rewriters: the tree, what prints and flushes, and what its names do."""

import re
from dataclasses import dataclass
from functools import cached_property

from tree_sitter import Node

from judge.grading.reading.places import Deed, Stream
from judge.grading.reading.rewriting.editing import Edit, SourceCode, without
from judge.grading.reading.syntax.walking import nodes_of

_NAMES = frozenset({"identifier", "type_identifier", "field_identifier", "namespace_identifier"})
_DECLARING = frozenset(
    {"init_declarator", "declaration", "parameter_declaration", "field_declaration", "reference_declarator"}
    | {"pointer_declarator", "function_declarator", "array_declarator", "namespace_definition", "struct_specifier"}
    | {"class_specifier", "alias_declaration", "enumerator", "preproc_def", "preproc_function_def"}
    | {"structured_binding_declarator"}
)
# with one of these, output that is still in a buffer may be lost, doubled, or come in another order
_NEEDS_FLUSHES = frozenset(
    {"fork", "vfork", "clone", "_exit", "_Exit", "quick_exit", "abort", "terminate", "execl", "execlp", "execle"}
    | {"execv", "execvp", "execve", "system", "popen", "posix_spawn", "raise", "kill", "signal", "sigaction"}
    | {"longjmp", "dup", "dup2", "rdbuf", "thread", "jthread", "async", "pthread_create", "alarm", "__builtin_trap"}
    | {"asm", "asm_volatile"}
)
_STDIO_IN = frozenset({"scanf", "vscanf", "getchar", "getchar_unlocked", "gets", "stdin"})
_STDIO_OUT = frozenset({"printf", "vprintf", "puts", "putchar", "putchar_unlocked", "stdout"})
_TEXT_OR_COMMENT = re.compile(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|//.*")
_LOOPING = re.compile(rb"^[ \t]*#[ \t]*define\b.*\b(?:for|while)\b", re.MULTILINE)
_PURE = frozenset(
    {"identifier", "qualified_identifier", "namespace_identifier", "field_identifier", "type_identifier"}
    | {"field_expression", "number_literal", "string_literal", "string_content", "escape_sequence"}
    | {"raw_string_literal", "raw_string_content", "raw_string_delimiter", "char_literal", "character", "true"}
    | {"false", "this", "binary_expression", "parenthesized_expression", "unary_expression", "pointer_expression"}
    | {"conditional_expression", "concatenated_string", "comment", "argument_list", "subscript_argument_list"}
    | {"cast_expression", "type_descriptor", "primitive_type", "sized_type_specifier", "preproc_arg"}
)
_PURE_CALLS = frozenset(
    {"size", "length", "c_str", "to_string", "abs", "str", "front", "back", "top", "count", "empty"}
)


@dataclass(frozen=True)
class CppCode(SourceCode):
    """One C++ source as it is written: its macros are not expanded."""

    @cached_property
    def names(self) -> frozenset[str]:
        """Every name in the code, those in the bodies of macros too, without those in calls of `freopen`."""
        names: set[str] = set()
        for node in nodes_of(self.root):
            if node.type == "preproc_arg":
                names.update(re.findall(r"[A-Za-z_]\w*", _TEXT_OR_COMMENT.sub(" ", self.text(node))))
            elif node.type in _NAMES:
                call = node.parent.parent if node.parent is not None and node.parent.type == "argument_list" else None
                function = self.text(call.child_by_field_name("function")) if call is not None else ""
                if not function.endswith("freopen"):
                    names.add(self.text(node))
        return frozenset(names)

    def declares(self, *names: str) -> bool:
        """Return whether the source gives one of these names to something of its own."""
        for node in nodes_of(self.root):
            above = node.parent if node.type in _NAMES and self.text(node) in names else None
            fields = ("declarator", "name") if above is not None and above.type in _DECLARING else ()
            if above is not None and any(above.child_by_field_name(field) == node for field in fields):
                return True
        return False

    @cached_property
    def functions(self) -> dict[str, list[Node]]:
        """The declarators of each function outside of classes: its prototypes, then its definition."""
        functions: dict[str, list[Node]] = {}
        for node in nodes_of(self.root):
            above = node.parent if node.type == "function_declarator" else None
            if above is None or above.type not in ("function_definition", "declaration") or above.parent is None:
                continue
            if above.parent.type in ("translation_unit", "declaration_list"):
                functions.setdefault(self.text(node.child_by_field_name("declarator")), []).append(node)
        return {
            name: declarators
            for name, declarators in functions.items()
            if len({len(parameters_of(declarator)) for declarator in declarators}) == 1
        }

    @property
    def needs_flushes(self) -> bool:
        """Return whether output that stays in a buffer could get lost or come in another order."""
        return bool(self.names & _NEEDS_FLUSHES)

    @property
    def mixes_output(self) -> bool:
        """Return whether it prints to stdout by `cout` and by stdio too."""
        return "cout" in self.names and bool(self.names & _STDIO_OUT or self.has(Deed.WRITE, Stream.STDOUT))

    @property
    def mixes_input(self) -> bool:
        """Return whether it reads stdin by `cin` and by stdio too."""
        return "cin" in self.names and bool(self.names & _STDIO_IN or self.has(Deed.FETCH, Stream.STDIN))

    @cached_property
    def is_unsynced(self) -> bool:
        """Return whether it already ends the coupling of its streams with stdio's."""
        return "sync_with_stdio" in self.names

    @property
    def hides_loops(self) -> bool:
        """Return whether a macro may stand for a loop, so that the tree does not tell what repeats."""
        return _LOOPING.search(self.source) is not None

    def has(self, deed: Deed, stream: Stream) -> bool:
        """Return whether there is such a place."""
        return any(site.place.deed is deed and site.place.stream is stream for site in self.sites)

    @cached_property
    def body_of_main(self) -> Node | None:
        """The braces of `main` with what they hold; None without them."""
        for node in nodes_of(self.root):
            if node.type == "function_definition":
                declarator = node.child_by_field_name("declarator")
                name = declarator.child_by_field_name("declarator") if declarator is not None else None
                if self.text(name) == "main":
                    body = node.child_by_field_name("body")
                    return body if body is not None and body.type == "compound_statement" else None
        return None

    def first_in_main(self, *statements: bytes) -> Edit | None:
        """Return the edit that puts statements at the beginning of `main`; None if there is no such place."""
        return self.first_in(self.body_of_main, *statements, is_place=True)

    def statement_of(self, node: Node) -> Node | None:
        """Return the statement that is nothing but this expression; None if it is part of a larger one."""
        above = node.parent
        return above if above is not None and above.type == "expression_statement" else None

    def without(self, statement: Node) -> Edit:
        """Return the edit that takes the statement out."""
        is_free = statement.parent is not None and statement.parent.type in ("compound_statement", "case_statement")
        return without(self.source, statement, is_free=is_free, replacement=b";")

    def is_pure(self, node: Node) -> bool:
        """Return whether to evaluate this does nothing but give a value, as far as the tree tells."""
        may_insert = bool(self.names & {"map", "unordered_map"})
        for inner in nodes_of(node):
            if not inner.is_named:
                continue
            if inner.type == "call_expression":
                name = self.text(inner.child_by_field_name("function")).rpartition(".")[2].rpartition(":")[2]
                if name not in _PURE_CALLS:
                    return False
            elif inner.type not in _PURE and (inner.type != "subscript_expression" or may_insert):
                return False
        return True


def parameters_of(declarator: Node) -> list[Node]:
    """Return the parameters of a function's declarator."""
    parameters = declarator.child_by_field_name("parameters")
    return [child for child in parameters.named_children if child.type != "comment"] if parameters is not None else []
