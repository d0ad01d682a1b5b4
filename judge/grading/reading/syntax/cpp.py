"""Find what a C++ source does where. Macros are expanded before, see `macros`."""

import re
from collections.abc import Sequence

import tree_sitter_cpp
from tree_sitter import Language, Node, Parser

from judge.grading.reading.places import Deed, Place, Stream, TokenKind
from judge.grading.reading.syntax import (
    cppconstructs,
    cppcosts,
    endless,
    hashing,
    keeping,
    local_arrays,
    loops,
    patterns,
    progress,
    retries,
    stuck,
)
from judge.grading.reading.syntax.macros import expand
from judge.grading.reading.syntax.walking import Kinds, Reader, Scope, Site

PARSER = Parser(Language(tree_sitter_cpp.language()))
TOKENS = (
    {"comment": TokenKind.COMMENT, "number_literal": TokenKind.NUMBER, "preproc_directive": TokenKind.DIRECTIVE}
    | dict.fromkeys(("string_literal", "raw_string_literal", "char_literal", "system_lib_string"), TokenKind.STRING)
    | dict.fromkeys(("true", "false", "null"), TokenKind.NUMBER)
    | dict.fromkeys(("this", "auto", "type_qualifier", "storage_class_specifier"), TokenKind.KEYWORD)
    | dict.fromkeys(
        ("primitive_type", "sized_type_specifier", "type_identifier", "namespace_identifier"), TokenKind.TYPE
    )
)
_STREAMS = {"cout": Stream.STDOUT, "cerr": Stream.STDERR, "clog": Stream.STDERR, "cin": Stream.STDIN}
_FILES = {"stdout": Stream.STDOUT, "stderr": Stream.STDERR, "stdin": Stream.STDIN}
_DESCRIPTORS = {"0": Stream.STDIN, "1": Stream.STDOUT, "2": Stream.STDERR} | {
    "STDIN_FILENO": Stream.STDIN,
    "STDOUT_FILENO": Stream.STDOUT,
    "STDERR_FILENO": Stream.STDERR,
}
_OTHER_TYPES = ("fstream", "stringstream", "strstream", "syncstream")  # ofstream, ostringstream and so on
_REPEATERS = frozenset({"for_each", "for_each_n", "transform", "generate", "generate_n", "accumulate", "sort", "visit"})
_PRINTS = frozenset({"printf", "puts", "putchar", "vprintf", "putchar_unlocked"})
_PRINTS_TO = {"fprintf": 0, "fputs": -1, "fputc": -1, "putc": -1, "fwrite": -1}  # the argument that is the stream
_READS = frozenset({"scanf", "getchar", "gets", "getchar_unlocked"})
_THREADS = frozenset({"thread", "jthread", "async", "pthread_create"})
_THREAD_LIST = re.compile(r"<\s*(?:std::)?j?thread\s*>")  # of a vector of them
_ALLOCATES = frozenset({"malloc", "calloc", "realloc", "free", "mmap", "munmap", "shrink_to_fit"})
_QUITS = frozenset({"_exit", "_Exit", "quick_exit", "abort"})
_DEEDS = (  # of functions that use no stream
    dict.fromkeys(("sleep", "usleep", "nanosleep", "sleep_for", "sleep_until"), Deed.SLEEP)
    | dict.fromkeys(_THREADS, Deed.THREAD)
    | dict.fromkeys(("fork", "system", "popen"), Deed.PROCESS)
    | dict.fromkeys(_ALLOCATES, Deed.ALLOCATE)
)
_REFERENCE = re.compile(r"[(,]\s*(?!const\b)[^,&]*&(?!&)")  # a parameter that is one, and not to a constant
_DIVISIONS = frozenset({"/", "%", "/=", "%="})
_OTHER_THAN_ZERO = re.compile(r"[\d.']*[1-9]|0[xX].*[1-9a-fA-F]")  # how such a number begins
_MANIPULATORS = {"endl": Deed.FLUSH, "flush": Deed.FLUSH, "unitbuf": Deed.UNBUFFER}


class CppReader(Reader):
    """Reads one C++ source."""

    LOOPS = {
        "for_statement": frozenset({"body", "condition", "update"}),
        "for_range_loop": frozenset({"body"}),
        "while_statement": frozenset(),
        "do_statement": frozenset(),
    }
    FUNCTIONS = frozenset({"function_definition"})
    CLOSURES = frozenset({"lambda_expression"})
    STRINGS = frozenset({"string_literal", "raw_string_literal"})

    def __init__(self, source: bytes) -> None:
        super().__init__(source)
        self._streams: dict[str, Stream] = dict(_STREAMS)
        self._kinds = Kinds()
        self._own: set[str] = set()  # names that the source gives to something else
        self._spine: set[int] = set()  # ids of the `<<` and `>>` that belong to one that was seen

    def function_name(self, node: Node) -> str:
        return self._declared(node)

    def take(self, other: "CppReader") -> None:
        """Use the names that another pass has found."""
        self._streams, self._own, self.names = other._streams, other._own, other.names
        self._kinds = other._kinds

    def declare(self, node: Node) -> None:
        """Record in a first pass what names stand for."""
        cppcosts.declare(self, self._kinds, node)
        if node.type in ("declaration", "parameter_declaration", "field_declaration"):
            for declarator in node.children_by_field_name("declarator"):
                self._kinds.set_type(self._declared(declarator), self.text(node.child_by_field_name("type")))
        if node.type == "function_declarator" and _REFERENCE.search(self.text(node.child_by_field_name("parameters"))):
            self._kinds.takes_references.add(self._declared(node))
        cppconstructs.declare(self, self._kinds, node)
        keeping.declare(self, node, self._kinds.numbers)
        if node.type not in ("function_definition", "init_declarator", "parameter_declaration", "declaration"):
            return
        name = self._declared(node)
        if name and node.type != "declaration":
            self._own.add(name)
        kind = self.text(node.child_by_field_name("type"))
        if any(word in kind for word in _OTHER_TYPES):
            for child in node.named_children[1:]:
                self._set_stream(self._declared(child) or self.text(child), Stream.OTHER)
        elif kind.endswith("ostream") and node.type == "parameter_declaration":
            self._set_stream(name, Stream.UNKNOWN)
        elif node.type == "init_declarator":
            value = node.child_by_field_name("value")
            if value is not None and value.type == "lambda_expression":
                self.names[value.id] = name
            elif value is not None and (stream := self._streams.get(self._last(value))):
                self._set_stream(name, stream)

    def _set_stream(self, name: str, stream: Stream) -> None:
        if name and name not in _STREAMS:
            self._streams[name] = stream if self._streams.get(name, stream) is stream else Stream.UNKNOWN

    def visit(self, node: Node, scope: Scope) -> None:
        endless.look_at_loop(self, node, scope, endless.CPP)
        for shown in (progress, stuck, retries):
            shown.look(self, node, scope, loops.CPP, self._kinds)
        cppcosts.look(self, self._kinds, node, scope)
        patterns.look(self, node, scope)
        local_arrays.look(self, node, scope)
        cppconstructs.look(self, self._kinds, node, scope)
        keeping.look(self, node, scope, self._kinds.numbers)
        hashing.look(self, self._kinds, node, scope)
        match node.type:
            case "function_definition":
                endless.look_at_function(self, node, scope, endless.CPP, self.function_name(node))
            case "binary_expression" if node.id not in self._spine:
                self._chain(node, scope)
            case "assignment_expression":
                self._divide(node, scope)
            case "call_expression":
                self._called(node, scope)
            case "new_expression" | "delete_expression":
                self.note(node, scope, Deed.ALLOCATE, Stream.OTHER, node.type.removesuffix("_expression"))
            case "declaration":
                kind = node.child_by_field_name("type")
                if self._last(kind) in _THREADS or _THREAD_LIST.search(self.text(kind)):
                    self.note(node, scope, Deed.THREAD, Stream.OTHER, "thread")

    def _declared(self, node: Node) -> str:
        """Return the name that a declaration or a definition gives; of several the first."""
        inner: Node | None = node
        for _ in range(12):
            if inner is None:
                return ""
            if inner.type in ("identifier", "field_identifier", "operator_name", "destructor_name"):
                return self.text(inner)
            if inner.type == "qualified_identifier":
                inner = inner.child_by_field_name("name")
                continue
            following = inner.child_by_field_name("declarator")
            if following is None and inner.type in ("reference_declarator", "pointer_declarator"):
                following = inner.named_children[-1] if inner.named_children else None
            inner = following
        return ""

    def _last(self, node: Node | None) -> str:
        """Return the last part of a name: `cout` of `std::cout`, `flush` of `cout.flush`."""
        for _ in range(12):
            if node is None:
                return ""
            if node.type in ("qualified_identifier", "template_function", "dependent_name", "template_type"):
                node = node.child_by_field_name("name")
            elif node.type == "field_expression":
                node = node.child_by_field_name("field")
            elif node.type in ("parenthesized_expression", "argument_list", "template_method"):
                node = node.named_children[0] if node.named_child_count else None
            else:
                return self.text(node)
        return ""

    def _chain(self, node: Node, scope: Scope) -> None:
        """Read `cout << a << endl`, or `cin >> a`, from right to left, as it is nested."""
        operands, operator, inner = [], self._operator(node), node
        if operator not in ("<<", ">>"):
            self._divide(node, scope)
            return
        while inner.type == "binary_expression" and self._operator(inner) == operator:
            self._spine.add(inner.id)
            right, first = inner.child_by_field_name("right"), inner.child_by_field_name("left")
            if right is None or first is None:
                return
            operands.append(right)
            inner = first
            while inner.type == "parenthesized_expression" and inner.named_child_count:
                inner = inner.named_children[0]
        stream = self._streams.get(self._last(inner))
        if stream is None:
            return
        name = self._last(inner)
        if operator == ">>":
            if stream is Stream.STDIN:
                self.note(inner, scope, Deed.READ, stream, name)
            return
        self.call("operator<<", scope)
        words = [self.text(operand).strip('"') for operand in reversed(operands) if operand.type in self.STRINGS]
        self.note(inner, scope, Deed.PRINT, stream, name, words)
        for operand in operands:
            name = self._last(operand) if operand.type in ("identifier", "qualified_identifier") else ""
            if name in _MANIPULATORS and name not in self._own:
                self.note(operand, scope, _MANIPULATORS[name], stream, name)

    def _divide(self, node: Node, scope: Scope) -> None:
        operator, divisor = self._operator(node), self.text(node.child_by_field_name("right"))
        if operator in _DIVISIONS and not _OTHER_THAN_ZERO.match(divisor) and not self._kinds.numbers.get(divisor):
            self.note(node, scope, Deed.DIVIDE, Stream.OTHER, operator)

    def _operator(self, node: Node) -> str:
        return self.text(node.child_by_field_name("operator"))

    def _called(self, node: Node, scope: Scope) -> None:
        function, argument_list = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        name = self._last(function)
        children = argument_list.named_children if argument_list else []
        arguments = [argument for argument in children if argument.type != "comment"]
        self.call(name, scope)
        again = name in _REPEATERS
        for argument in arguments:
            if argument.type == "lambda_expression" and again:
                self.looped.add(argument.id)
            elif argument.type == "identifier":
                self.call(self.text(argument), Scope(scope.function, in_loop=scope.in_loop or again))
        if function is not None and function.type == "field_expression":
            self._method(node, name, function, arguments, scope)
        elif name not in self._own:
            self._function(node, name, arguments, scope)

    def _method(self, node: Node, name: str, function: Node, arguments: Sequence[Node], scope: Scope) -> None:
        owner = self._last(function.child_by_field_name("argument"))
        stream = self._streams.get(owner)
        if name == "sync_with_stdio":
            self._unsync(node, arguments, scope)
            return
        if stream is None:
            if name == "shrink_to_fit":
                self.note(node, scope, Deed.ALLOCATE, Stream.OTHER, name)
        elif name == "tie" and arguments and stream is Stream.STDIN:
            self.note(node, scope, Deed.UNTIE, stream, "cin.tie")
        elif name == "flush":
            self.note(node, scope, Deed.FLUSH, stream, "flush")
        elif name in ("put", "write"):
            self.note(node, scope, Deed.PRINT, stream, owner)
        elif name in ("get", "getline", "read", "ignore", "peek") and stream is Stream.STDIN:
            self.note(node, scope, Deed.READ, stream, owner)
        elif name == "setf" and arguments and "unitbuf" in self.text(arguments[0]):
            self.note(node, scope, Deed.UNBUFFER, stream, "unitbuf")

    def _unsync(self, node: Node, arguments: Sequence[Node], scope: Scope) -> None:
        if arguments and self.text(arguments[0]) in ("false", "0"):
            self.note(node, scope, Deed.UNSYNC, Stream.OTHER, "sync_with_stdio")

    def _function(self, node: Node, name: str, arguments: Sequence[Node], scope: Scope) -> None:
        first = self.text(arguments[0]) if arguments else ""
        if name in _PRINTS:
            self.note(node, scope, Deed.PRINT, Stream.STDOUT, name, self.strings(node))
        elif name in _PRINTS_TO and arguments:
            stream = _FILES.get(self.text(arguments[_PRINTS_TO[name]]), Stream.OTHER)
            self.note(node, scope, Deed.PRINT, stream, name, self.strings(node))
        elif name == "sync_with_stdio":
            self._unsync(node, arguments, scope)
        elif name == "perror":
            self.note(node, scope, Deed.PRINT, Stream.STDERR, name)
        elif name in ("endl", "flush") and arguments:
            self.note(node, scope, Deed.FLUSH, self._streams.get(self._last(arguments[0]), Stream.UNKNOWN), name)
        elif name == "fflush":
            self.note(node, scope, Deed.FLUSH, _FILES.get(first, Stream.UNKNOWN), name)
        elif name in ("write", "read") and first in _DESCRIPTORS and len(arguments) == 3:
            self.note(node, scope, Deed.WRITE if name == "write" else Deed.FETCH, _DESCRIPTORS[first], f"{name}()")
        elif name == "freopen" and len(arguments) == 3 and self.text(arguments[2]) in _FILES:
            self.note(node, scope, Deed.REOPEN, _FILES[self.text(arguments[2])], name)
        elif name in ("setvbuf", "setbuf") and first in _FILES:
            rest = [self.text(argument) for argument in arguments[1:]]
            is_none = bool(rest) and rest[0] in ("NULL", "nullptr", "0") if name == "setbuf" else "_IONBF" in rest
            if is_none or "_IOLBF" in rest:
                self.note(node, scope, Deed.UNBUFFER, _FILES[first], name)
        elif name in _READS or (name == "getline" and first in ("cin", "std::cin")):
            self.note(node, scope, Deed.READ, Stream.STDIN, name)
        elif name in _QUITS:
            self.note(node, scope, Deed.QUIT, Stream.OTHER, f"{name}()")
        elif name in _DEEDS:
            self.note(node, scope, _DEEDS[name], Stream.OTHER, name)


class _Declarations(CppReader):
    """The first pass: it only declares."""

    def visit(self, node: Node, scope: Scope) -> None:
        self.declare(node)


def read(source: bytes) -> tuple[Place, ...]:
    """Return every place of a C++ source."""
    _, sites = sites_in_cpp(expand(source, PARSER))
    return tuple(site.place for site in sites)


def sites_in_cpp(source: bytes) -> tuple[Node, tuple[Site, ...]]:
    """Return the tree of a C++ source as it is written, with its macros as they are, and the places in it."""
    root = PARSER.parse(source).root_node
    declarations, reader = _Declarations(source), CppReader(source)
    declarations.read(root)
    reader.take(declarations)
    return root, reader.sites(root)
