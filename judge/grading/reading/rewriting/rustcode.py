"""A Rust source for its rewriters: the tree, what prints and flushes, and what its variables are."""

import re
from dataclasses import dataclass
from functools import cached_property

from tree_sitter import Node

from judge.grading.reading.places import Deed, Stream
from judge.grading.reading.rewriting.editing import Edit, SourceCode, line_end_of, without
from judge.grading.reading.syntax.walking import Site

PRINTS = ("println!", "print!")
# with one of these, output that is still in a buffer is lost, or comes in another order
_NEEDS_FLUSHES = re.compile(r"\b(abort|_exit|Command|fork|forget|ManuallyDrop|libc|asm|panic_handler|no_std|no_main)\b")
_LEAVES_AT_ONCE = re.compile(r"\bexit\s*\(")  # no destructor runs
_THREADS = re.compile(r"\b(spawn|scope|rayon|par_iter)\b")
_IMPORTS_WRITE = re.compile(r"\buse\s+std::io::(\{[^}]*\bWrite\b|Write\b|prelude::\*)|\buse\s+std::io::\*")
_CALL = re.compile(r"(\w+)\s*(!?)\s*\(")
_PURE_CALLS = frozenset(
    {"len", "is_empty", "abs", "min", "max", "pow", "trim", "to_string", "clone", "iter", "first", "last", "sum"}
    | {"join", "as_str"}
)
_READS = r"(?:len|is_empty|iter|contains|chars|as_str|trim)\b"
_STRINGS = frozenset({"string_literal", "raw_string_literal", "char_literal"})
_QUIET = frozenset({"line_comment", "block_comment", "string_literal", "raw_string_literal"})
_CHANGES = re.compile(r"&\s*mut\b|[-+*/%&|^<>]=(?!=)|\?|\b(?:return|break|continue|await)\b")


@dataclass(frozen=True)
class RustCode(SourceCode):
    """One Rust source."""

    kinds: dict[str, str]

    @cached_property
    def code(self) -> str:
        """The source without comments and strings."""
        return self.text_without(self.root, lambda node: node.type in _QUIET)

    @cached_property
    def names(self) -> frozenset[str]:
        """Every name in the code."""
        return frozenset(re.findall(r"[A-Za-z_]\w*", self.code))

    @property
    def needs_flushes(self) -> bool:
        """Return whether output that stays in a buffer could get lost or come in another order."""
        return _NEEDS_FLUSHES.search(self.code) is not None

    @property
    def leaves_at_once(self) -> bool:
        """Return whether it may end without dropping the variables of `main`."""
        return _LEAVES_AT_ONCE.search(self.code) is not None

    @property
    def has_threads(self) -> bool:
        """Return whether it may start threads."""
        return _THREADS.search(self.code) is not None

    def changes_in_macros(self, name: str, within: Node | None = None) -> bool:
        """Return whether a macro does more with a variable than to read it, as far as its words tell."""
        used = rf"\b{re.escape(name)}\b"
        changed = rf"&\s*mut\s+{used}|{used}\s*(?:\.\s*(?!{_READS})\w|[-+*/]?=[^=])"
        trees = (use.parent for use in self.uses(name, within) if use.parent is not None)
        return any(tree.type == "token_tree" and re.search(changed, self.text(tree)) for tree in trees)

    @property
    def prints(self) -> list[Site]:
        """The uses of `print!` and `println!`."""
        return [site for site in self.sites if site.place.deed is Deed.PRINT and site.place.name in PRINTS]

    @property
    def writers(self) -> list[Site]:
        """The other places that write to stdout."""
        sites = [site for site in self.sites if site.place.stream in (Stream.STDOUT, Stream.UNKNOWN)]
        writers = [site for site in sites if site.place.deed in (Deed.PRINT, Deed.WRITE)]
        return [site for site in writers if site.place.name not in PRINTS]

    @cached_property
    def main(self) -> Node | None:
        """The function `main`; None without one."""
        for node in self.root.children:
            if node.type == "function_item" and self.text(node.child_by_field_name("name")) == "main":
                return node
        return None

    def first_in_main(self, statement: bytes) -> Edit | None:
        """Return the edit that puts a statement at the beginning of `main`; None if there is no such place."""
        body = self.main.child_by_field_name("body") if self.main is not None else None
        return self.first_in(body, statement, is_place=False)

    def import_of_write(self) -> list[Edit]:
        """Return the edit that brings `write!` to streams into scope; none if the source has it."""
        if _IMPORTS_WRITE.search(self.code):
            return []
        return [self.at_top("use std::io::Write as _;")]

    def at_top(self, *lines: str) -> Edit:
        """Return the edit that puts lines before the first item, after what has to come first."""
        at = 0
        for child in self.root.children:
            if child.type not in ("inner_attribute_item", "line_comment", "block_comment", "shebang"):
                break
            after = self.source.find(b"\n", child.end_byte - 1)
            at = after + 1 if after >= 0 else len(self.source)
        return Edit(at, at, b"".join(line.encode() + line_end_of(self.source) for line in lines), is_place=False)

    def without(self, expression: Node) -> Edit | None:
        """Return the edit that takes out the statement that is this expression; None if it is part of another."""
        above = expression.parent
        if above is None:
            return None
        is_let = above.type == "let_declaration" and self.text(above.child_by_field_name("pattern")) == "_"
        if above.type in ("expression_statement", "block") or is_let:
            statement = expression if above.type == "block" else above
            return without(self.source, statement, is_free=True, replacement=b"")
        is_arm = above.type == "match_arm" and above.child_by_field_name("value") == expression
        return Edit(expression.start_byte, expression.end_byte, b"()") if is_arm else None

    def is_pure(self, tokens: Node) -> bool:
        """Return whether to evaluate the words in a macro's parentheses only gives values, as far as they tell."""
        words = self.text_without(tokens, lambda node: node.type in _STRINGS)
        return all(match[1] in _PURE_CALLS for match in _CALL.finditer(words)) and not _CHANGES.search(words)


def tokens_of(node: Node) -> Node | None:
    """Return what stands in the parentheses of a macro's use, with them."""
    return next((child for child in node.children if child.type == "token_tree"), None)


@dataclass(frozen=True, kw_only=True, slots=True)
class MethodCall:
    """A call of a method: of what, its name as a node and as a text, its arguments."""

    node: Node
    owner: Node
    field: Node
    name: str
    arguments: list[Node]


def method_call(code: RustCode, node: Node | None) -> MethodCall | None:
    """Return the call of a method that a node is; None if it is something else."""
    function = node.child_by_field_name("function") if node is not None and node.type == "call_expression" else None
    owner = function.child_by_field_name("value") if function is not None else None
    field = function.child_by_field_name("field") if function is not None else None
    arguments = node.child_by_field_name("arguments") if node is not None else None
    if node is None or owner is None or field is None or arguments is None:
        return None
    children = [child for child in arguments.named_children if "comment" not in child.type]
    return MethodCall(node=node, owner=owner, field=field, name=code.text(field), arguments=children)


def method_on(code: RustCode, use: Node) -> MethodCall | None:
    """Return the call of a method of this variable; None if it is used otherwise."""
    call = method_call(code, use.parent.parent) if use.parent is not None else None
    return call if call is not None and call.owner == use else None
