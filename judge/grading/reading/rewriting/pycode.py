"""A Python source for its rewriters: the tree, what prints and flushes, and what its names stand for."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from tree_sitter import Node

from judge.grading.reading.rewriting.editing import Edit, SourceCode, beginning_of, line_end_of, without
from judge.grading.reading.rewriting.pyscopes import Scopes
from judge.grading.reading.syntax.python import Names
from judge.grading.reading.syntax.walking import nodes_of

# with one of these, output that is still in a buffer may be lost, doubled, or come in another order
_NEEDS_FLUSHES = re.compile(
    r"\bos\s*\.\s*(_exit|fork|forkpty|abort|exec\w*|system|popen|kill|dup2?|posix_spawn\w*|spawn\w*)\b"
    r"|\bfrom\s+os\s+import\b|\b(multiprocessing|subprocess|ctypes|pty|signal|faulthandler|asyncio)\b|\bProcessPool"
    r"|\b(threading|ThreadPoolExecutor)\b|\bexec\s*\(|\beval\s*\("
)
_PURE = frozenset(
    {"identifier", "attribute", "integer", "float", "string", "string_start", "string_content", "string_end"}
    | {"escape_sequence", "interpolation", "format_specifier", "format_expression", "type_conversion"}
    | {"concatenated_string", "true", "false", "none", "binary_operator", "unary_operator", "boolean_operator"}
    | {"not_operator", "comparison_operator", "conditional_expression", "parenthesized_expression", "tuple", "list"}
    | {"subscript", "slice", "argument_list", "keyword_argument", "comment", "expression_list"}
)
_PURE_CALLS = frozenset({"len", "str", "repr", "round", "abs", "type", "format", "hex", "bin", "ord", "chr", "id"})
_BINDING = (  # type of a node -> the field that holds a name it binds; "": any
    dict.fromkeys(("global_statement", "nonlocal_statement", "as_pattern_target", "pattern_list"), "")
    | dict.fromkeys(("parameters", "lambda_parameters", "typed_parameter"), "")
    | dict.fromkeys(("named_expression", "default_parameter", "function_definition", "class_definition"), "name")
    | dict.fromkeys(("for_statement", "for_in_clause", "assignment", "augmented_assignment"), "left")
)
_PLAIN_STRING = re.compile(r"(?P<quote>[\"'])(?P<text>(?:[^\"'\\{}%\n]|\\[nt])*)(?P=quote)\Z")
_IN_FRONT = frozenset({"comment", "future_import_statement", "import_statement", "import_from_statement"})


@dataclass(frozen=True)
class PyCode(SourceCode):
    """One Python source."""

    bindings: Names

    @cached_property
    def code(self) -> str:
        """The source without comments and strings, except the code in f-strings."""
        quiet = ("comment", "string_content")
        return self.text_without(
            self.root,
            lambda node: node.type in quiet and not any(child.type == "interpolation" for child in node.children),
        )

    @cached_property
    def scopes(self) -> Scopes:
        """Its variables."""
        return Scopes(source=self.source, root=self.root)

    @cached_property
    def names(self) -> frozenset[str]:
        """Every name in the code."""
        return frozenset(self.text(node) for node in nodes_of(self.root) if node.type == "identifier")

    @property
    def needs_flushes(self) -> bool:
        """Return whether output that stays in a buffer could get lost or come in another order."""
        return _NEEDS_FLUSHES.search(self.code) is not None

    @property
    def replaces_stdout(self) -> bool:
        """Return whether it puts something of its own in the place of stdout."""
        return "sys.stdout=" in self.bindings.meanings or bool(
            re.search(r"__stdout__|redirect_stdout|setattr\s*\(\s*sys", self.code)
        )

    @property
    def has_module_sys(self) -> bool:
        """Return whether `sys` may be used as the module: it is imported, or means nothing yet."""
        return self.bindings.full("sys") == "sys" and not self._binds("sys")

    @property
    def imports_sys(self) -> bool:
        """Return whether it imports `sys` by this name, at its top."""
        return any(
            node.type == "import_statement" and re.search(r"\bsys\b(?!\s*(as|\.))", self.text(node))
            for node in self.root.children
        )

    def binds(self, name: str) -> bool:
        """Return whether the source gives this name, somewhere, to something of its own."""
        return self.bindings.full(name) != name or self._binds(name)

    def _binds(self, name: str) -> bool:
        for node in nodes_of(self.root):
            above = node.parent if node.type == "identifier" and self.text(node) == name else None
            if above is None:
                continue
            field = _BINDING.get(above.type)
            if field == "" or (field is not None and above.child_by_field_name(field) == node):
                return True
        return False

    def at_top(self, *lines: str) -> Edit:
        """Return the edit that puts lines before the first statement, after what has to come first."""
        at, end = beginning_of(self.source), line_end_of(self.source)
        for child in self.root.children:
            is_statement = child.type == "expression_statement"
            is_docstring = is_statement and bool(child.named_children) and child.named_children[0].type == "string"
            if child.type not in _IN_FRONT and not is_docstring:
                break
            at = child.end_byte
        text = b"".join(line.encode() + end for line in lines)
        if at == beginning_of(self.source):
            return Edit(at, at, text, is_place=False)
        after = self.source.find(b"\n", at)
        if after < 0:
            return Edit(len(self.source), len(self.source), end + text, is_place=False)
        return Edit(after + 1, after + 1, text, is_place=False)

    def statement_of(self, node: Node) -> Node | None:
        """Return the statement that is nothing but this expression; None if it is part of a larger one."""
        above = node.parent
        is_all = above is not None and above.type == "expression_statement" and above.named_child_count == 1
        return above if is_all else None

    def without(self, statements: list[Node]) -> Iterator[Edit]:
        """Yield the edits that take these statements out; what would leave an empty block leaves `pass` in it."""
        removed = {statement.id for statement in statements}
        for statement in statements:
            block = statement.parent
            rest = [child for child in block.named_children if child.id not in removed] if block is not None else []
            has_more = any(child.type != "comment" for child in rest)
            line_before = self.source[: statement.start_byte].rpartition(b"\n")[2]
            line_after = self.source[statement.end_byte :].partition(b"\n")[0].partition(b"#")[0]
            shares_line = line_before.strip().endswith(b";") or b";" in line_after
            is_free = block is not None and (has_more or block.type == "module") and not shares_line
            yield without(self.source, statement, is_free=is_free, replacement=b"pass")

    def is_pure(self, node: Node) -> bool:
        """Return whether to evaluate this does nothing but give a value, as far as the tree tells."""
        may_insert = "defaultdict" in self.names or "Counter" in self.names
        for inner in nodes_of(node):
            if not inner.is_named:
                continue
            if inner.type == "call":
                if self.text(inner.child_by_field_name("function")) not in _PURE_CALLS:
                    return False
            elif (inner.type == "subscript" and may_insert) or inner.type not in _PURE:
                return False
        return True

    def keywords(self, call: Node) -> dict[str, Node]:
        """Return the keyword arguments of a call, each with its name."""
        argument_list = call.child_by_field_name("arguments")
        children = argument_list.named_children if argument_list is not None else []
        keywords = [child for child in children if child.type == "keyword_argument"]
        return {self.text(keyword.child_by_field_name("name")): keyword for keyword in keywords}

    def plain_string(self, node: Node | None) -> str | None:
        """Return what stands between the quotes of a string that means the same in others; None of anything else."""
        plain = _PLAIN_STRING.match(self.text(node))
        return plain["text"] if plain is not None else None

    def separators(self, call: Node) -> tuple[str, str] | None:
        """Return the `sep` and `end` of a `print`, as a double-quoted string has them; None if it says more."""
        separators = {"sep": " ", "end": "\\n"}
        for key, keyword in self.keywords(call).items():
            plain = self.plain_string(keyword.child_by_field_name("value")) if key in separators else None
            if plain is None:
                return None
            separators[key] = plain
        return separators["sep"], separators["end"]

    def positional(self, call: Node) -> list[Node]:
        """Return the other arguments of a call."""
        argument_list = call.child_by_field_name("arguments")
        if argument_list is None or argument_list.type != "argument_list":
            return []
        return [child for child in argument_list.named_children if child.type not in ("keyword_argument", "comment")]

    def without_argument(self, argument: Node) -> Edit:
        """Return the edit that takes an argument out of its call, with the comma before it, or the one after it."""
        before = argument.prev_sibling
        if before is not None and before.type == ",":
            return Edit(before.start_byte, argument.end_byte, b"")
        after = argument.next_sibling
        end = after.end_byte if after is not None and after.type == "," else argument.end_byte
        while self.source[end : end + 1] == b" ":
            end += 1
        return Edit(argument.start_byte, end, b"")
