"""Find what a Rust source does where. The grammar sees only words inside a macro's parentheses; these are examined."""

import re
from itertools import takewhile

import tree_sitter_rust
from tree_sitter import Language, Node, Parser

from judge.grading.reading.places import Deed, Place, Stream, TokenKind
from judge.grading.reading.syntax import endless, keeping, loops, progress, retries, rustconstructs, rustcosts, stuck
from judge.grading.reading.syntax.walking import Kinds, Reader, Scope, Site

PARSER = Parser(Language(tree_sitter_rust.language()))
TOKENS = (
    dict.fromkeys(("line_comment", "block_comment"), TokenKind.COMMENT)
    | dict.fromkeys(("string_literal", "raw_string_literal", "char_literal"), TokenKind.STRING)
    | dict.fromkeys(("integer_literal", "float_literal", "boolean_literal"), TokenKind.NUMBER)
    | dict.fromkeys(("self", "crate", "super", "mutable_specifier"), TokenKind.KEYWORD)
    | dict.fromkeys(("primitive_type", "type_identifier"), TokenKind.TYPE)
    | dict.fromkeys(("attribute_item", "inner_attribute_item"), TokenKind.DIRECTIVE)
)
_MACROS = dict.fromkeys(("println", "print"), Stream.STDOUT) | dict.fromkeys(
    ("eprintln", "eprint", "dbg"), Stream.STDERR
)
_KINDS = (  # what a value is made of, or a type named; the first that fits
    (re.compile(r"BufWriter::with_capacity\(\s*[01]?\d?\d\s*,"), "raw"),
    (re.compile(r"\bBufWriter\b"), "gathered"),
    (re.compile(r"\bLineWriter\b"), "lines"),
    (re.compile(r"\bstdout\s*\(\s*\)|\bStdout(Lock)?\b"), "lines"),
    (re.compile(r"\bstderr\s*\(\s*\)|\bStderr(Lock)?\b"), "stderr"),
    (re.compile(r"from_raw_fd\(\s*1\s*\)|\"/dev/stdout\""), "raw"),
    (re.compile(r"\bBufReader\b|\bstdin\s*\(\s*\)|\bStdin(Lock)?\b"), "reader"),
    (re.compile(r"from_raw_fd\(\s*0\s*\)|\"/dev/stdin\""), "source"),
    (re.compile(r"\bString\b|\bVec\b|\bvec!|\bformat!|\bFile\b|\bCursor\b|\bTcpStream\b"), "other"),
)
_TINY = re.compile(r"\b(BufReader|BufWriter|LineWriter)::with_capacity\(\s*\d{1,2}\s*,")
_QUITS = re.compile(r"\bprocess::(?:exit|abort)\Z|(?<!\w)_exit\Z|\b(?:mem::)?forget\Z|(?<![\w:])exit\Z")
_STREAM_OF = (
    dict.fromkeys(("raw", "lines", "gathered"), Stream.STDOUT)
    | dict.fromkeys(("reader", "source"), Stream.STDIN)
    | {"stderr": Stream.STDERR, "other": Stream.OTHER}
)
_REPEATERS = frozenset(
    {"for_each", "try_for_each", "map", "filter", "filter_map", "flat_map", "fold", "scan", "inspect", "take_while"}
    | {"skip_while", "any", "all", "position", "sort_by", "sort_by_key", "sort_unstable_by", "retain", "from_fn"}
    | {"successors", "map_while"}
)


class RustReader(Reader):
    """Reads one Rust source."""

    LOOPS = {"for_expression": frozenset({"body"}), "while_expression": frozenset(), "loop_expression": frozenset()}
    FUNCTIONS = frozenset({"function_item", "macro_definition"})
    CLOSURES = frozenset({"closure_expression"})
    STRINGS = frozenset({"string_literal", "raw_string_literal"})

    def __init__(self, source: bytes, kinds: dict[str, str] | None = None, holds: Kinds | None = None) -> None:
        super().__init__(source)
        self.kinds = kinds or {}  # of streams, by the names of variables, parameters and fields
        self.holds = holds or Kinds()

    def function_name(self, node: Node) -> str:
        name = self.text(node.child_by_field_name("name"))
        return f"{name}!" if node.type == "macro_definition" else name

    def visit(self, node: Node, scope: Scope) -> None:
        endless.look_at_loop(self, node, scope, endless.RUST)
        for shown in (progress, stuck, retries):
            shown.look(self, node, scope, loops.RUST, self.holds)
        rustcosts.look(self, self.holds, node, scope)
        rustconstructs.look(self, self.holds, node, scope)
        keeping.look(self, node, scope, self.holds.numbers)
        match node.type:
            case "function_item":
                endless.look_at_function(self, node, scope, endless.RUST, self.function_name(node))
            case "let_declaration":
                value, pattern = node.child_by_field_name("value"), node.child_by_field_name("pattern")
                if value is not None and value.type == "closure_expression":
                    self.names[value.id] = self.text(pattern)
            case "macro_invocation":
                name = self.text(node.child_by_field_name("macro")).rpartition("::")[2]
                tokens = next((child for child in node.children if child.type == "token_tree"), None)
                self._macro(node, name, tokens, scope)
            case "token_tree":
                self._tokens(node, scope)
            case "call_expression":
                self._called(node, scope)

    def _tokens(self, node: Node, scope: Scope) -> None:
        """Find calls and macros among a macro's words."""
        children = node.children
        for place, child in enumerate(children[:-1]):
            if child.type != "identifier":
                continue
            following = children[place + 1]
            if following.type == "!" and place + 2 < len(children):
                self._macro(child, self.text(child), children[place + 2], scope)
            elif following.type == "token_tree" and self.text(following).startswith("("):
                self.call(self.text(child), scope)
                if self.text(child) == "flush" and place > 1 and children[place - 1].type == ".":
                    self._flush(child, self.text(children[place - 2]), scope)

    def _macro(self, node: Node, name: str, tokens: Node | None, scope: Scope) -> None:
        self.call(f"{name}!", scope)
        children = tokens.children if tokens else []
        words = [self.text(child).strip('r#"') for child in children if child.type in self.STRINGS]
        if name in _MACROS:
            stream = _MACROS[name]
            self.note(node, scope, Deed.PRINT, stream, f"{name}!", words)
            if name == "println" or (name == "print" and _has_newline(words)):
                self.note(node, scope, Deed.FLUSH, stream, f"{name}!")
        elif name in ("writeln", "write") and tokens is not None:
            first = takewhile(lambda child: child.type != ",", children[1:30])
            kind = self._kind("".join(self.text(child) for child in first))
            stream = _STREAM_OF.get(kind, Stream.UNKNOWN)
            if kind == "other":
                return
            self.note(node, scope, Deed.PRINT, stream, f"{name}!", words)
            if kind == "raw" or (kind == "lines" and (name == "writeln" or _has_newline(words))):
                self.note(node, scope, Deed.FLUSH, stream, f"{name}!")

    def _kind(self, written: str) -> str:
        """Return what a target is: a known variable or an expression that says so."""
        bare = written.removeprefix("&").removeprefix("mut").strip("(*& ")
        for end in (".lock()", ".borrow_mut()", ".get_mut()", ".by_ref()"):
            bare = bare.removesuffix(end)
        bare = bare.removeprefix("self.")
        return self.kinds.get(bare) or kind_of(written)

    def _called(self, node: Node, scope: Scope) -> None:
        function, argument_list = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if function is None:
            return
        if function.type == "generic_function":
            function = function.child_by_field_name("function") or function
        written = self.text(function)
        is_method = function.type == "field_expression"
        last = self.text(function.child_by_field_name("field")) if is_method else written.rpartition("::")[2]
        self.call(last, scope)
        again = last in _REPEATERS
        for argument in argument_list.named_children if argument_list is not None else ():
            if argument.type == "closure_expression" and again:
                self.looped.add(argument.id)
            elif argument.type == "identifier":
                self.call(self.text(argument), Scope(scope.function, in_loop=scope.in_loop or again))
        if written.endswith("BufWriter::new"):
            self.note(node, scope, Deed.GATHER, Stream.STDOUT, "BufWriter")
        elif written.endswith("::with_capacity") and (tiny := _TINY.search(self.text(node))):
            stream = Stream.STDIN if tiny[1] == "BufReader" else Stream.STDOUT
            self.note(node, scope, Deed.UNBUFFER, stream, "with_capacity")
        elif written.endswith("BufWriter::with_capacity"):
            self.note(node, scope, Deed.GATHER, Stream.STDOUT, "BufWriter")
        if is_method:
            self._method(node, last, function.child_by_field_name("value"), scope)
        elif last == "sleep":
            self.note(node, scope, Deed.SLEEP, Stream.OTHER, "sleep")
        elif written.endswith("thread::spawn"):
            self.note(node, scope, Deed.THREAD, Stream.OTHER, "thread::spawn")
        elif last == "write" and self.text(argument_list).startswith(("(1,", "(1 ,")):
            self.note(node, scope, Deed.WRITE, Stream.STDOUT, "write()")
        elif quits := _QUITS.search(written):
            self.note(node, scope, Deed.QUIT, Stream.OTHER, f"{quits[0]}()")
        elif written.endswith("Command::new"):
            self.note(node, scope, Deed.PROCESS, Stream.OTHER, "Command")

    def _method(self, node: Node, last: str, owner: Node | None, scope: Scope) -> None:
        written = self.text(owner)
        if last == "flush":
            self._flush(node, written, scope)
        elif last in ("write_all", "write", "write_fmt"):
            kind = self._kind(written)
            if kind == "raw":
                self.note(node, scope, Deed.WRITE, Stream.STDOUT, f"{last}()")
            elif kind not in ("other", ""):
                self.note(node, scope, Deed.PRINT, _STREAM_OF.get(kind, Stream.UNKNOWN), f"{last}()")
        elif last in ("read_line", "lines", "read_to_string", "read_until", "split_whitespace"):
            if self._kind(written) == "reader":
                self.note(node, scope, Deed.READ, Stream.STDIN, f"{last}()")
        elif last in ("bytes", "read", "read_exact") and self._kind(written) == "source":
            lazily = Scope(scope.function, in_loop=scope.in_loop or last == "bytes")  # a call for each byte it gives
            self.note(node, lazily, Deed.FETCH, Stream.STDIN, f"{last}()")
        elif last == "spawn":
            self.note(node, scope, Deed.THREAD, Stream.OTHER, "spawn")

    def _flush(self, node: Node, written: str, scope: Scope) -> None:
        kind = self._kind(written)
        if kind != "other":
            self.note(node, scope, Deed.FLUSH, _STREAM_OF.get(kind, Stream.UNKNOWN), "flush()")


class _Declarations(RustReader):
    """The first pass: what variables, parameters and fields are made of."""

    def visit(self, node: Node, scope: Scope) -> None:
        rustcosts.declare(self, self.holds, node)
        if node.type in ("let_declaration", "parameter"):
            pattern = self.text(node.child_by_field_name("pattern")).removeprefix("mut ")
            self.holds.set_type(pattern, self.text(node.child_by_field_name("type")))
        match node.type:
            case "let_declaration":
                kind = kind_of(self.text(node.child_by_field_name("value")))
                kind = kind or self.kinds.get(self.text(node.child_by_field_name("value")).partition(".")[0], "")
                self._set(self.text(node.child_by_field_name("pattern")), kind)
            case "parameter":
                self._set(self.text(node.child_by_field_name("pattern")), self._typed(node))
            case "field_declaration":
                self._set(self.text(node.child_by_field_name("name")), self._typed(node))

    def _typed(self, node: Node) -> str:
        return kind_of(self.text(node.child_by_field_name("type")))

    def _set(self, name: str, kind: str) -> None:
        name = name.removeprefix("mut ")
        if name and kind:
            self.kinds[name] = kind if self.kinds.get(name, kind) == kind else "unknown"


def kind_of(written: str) -> str:
    """Return what an expression or a type is made of: a key of the streams; "" if it does not say."""
    return next((kind for pattern, kind in _KINDS if pattern.search(written)), "")


def _has_newline(words: list[str]) -> bool:
    return any("\\n" in word or "\n" in word for word in words)


def read(source: bytes) -> tuple[Place, ...]:
    """Return every place of a Rust source."""
    _, sites, _ = sites_in_rust(source)
    return tuple(site.place for site in sites)


def sites_in_rust(source: bytes) -> tuple[Node, tuple[Site, ...], dict[str, str]]:
    """Return the tree of a Rust source, the places in it, and what kind of stream its variables are."""
    root = PARSER.parse(source).root_node
    declarations = _Declarations(source)
    declarations.read(root)
    return root, RustReader(source, declarations.kinds, declarations.holds).sites(root), declarations.kinds
