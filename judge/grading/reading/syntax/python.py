"""Find what a Python source does where."""

import re
from dataclasses import dataclass, field

import tree_sitter_python
from tree_sitter import Language, Node, Parser

from judge.grading.reading.places import Deed, Place, Stream, TokenKind
from judge.grading.reading.syntax import (
    endless,
    hashing,
    keeping,
    loops,
    patterns,
    progress,
    pyconstructs,
    pycosts,
    retries,
    stuck,
)
from judge.grading.reading.syntax.walking import Kinds, Reader, Scope, Site

PARSER = Parser(Language(tree_sitter_python.language()))
TOKENS = {"comment": TokenKind.COMMENT, "string": TokenKind.STRING, "type": TokenKind.TYPE} | dict.fromkeys(
    ("integer", "float", "true", "false", "none"), TokenKind.NUMBER
)
_STREAMS = {
    "sys.stdout": Stream.STDOUT,
    "sys.__stdout__": Stream.STDOUT,
    "sys.stderr": Stream.STDERR,
    "sys.__stderr__": Stream.STDERR,
    "sys.stdin": Stream.STDIN,
    "sys.__stdin__": Stream.STDIN,
}
_DESCRIPTORS = {"0": Stream.STDIN, "1": Stream.STDOUT, "2": Stream.STDERR}
_NAMED = {"/dev/stdin": "0", "/dev/stdout": "1", "/dev/stderr": "2"}
_FILENO = re.compile(r"^(.*)\.fileno\(\)$")
_REPEATERS = frozenset({"map", "filter", "sorted", "functools.reduce", "min", "max", "itertools.starmap", "iter"})
_SLEEPS = frozenset({"time.sleep", "asyncio.sleep"})
_THREADS = ("threading.Thread", "ThreadPoolExecutor", "multiprocessing.dummy.Pool", "ThreadPool")
_PROCESSES = ("multiprocessing.Process", "multiprocessing.Pool", "ProcessPoolExecutor", "subprocess.", "os.fork")
_QUITS = frozenset({"os._exit", "os.abort"})
_LOGS = frozenset({"debug", "info", "warning", "error", "critical", "exception", "log"})
_DEPTH = 8  # of names that stand for names
_OF_MANY = "?"
_TELLING = re.compile(r"\b(line_buffering|write_through)\s*=\s*True|\bbuffering\s*=\s*[01]\b")


@dataclass(slots=True)
class Names:
    """What names stand for, by imports and assignments: one table for the file, a name with two meanings has none.

    `meanings`: a name -> what it stands for, as dotted text or as the text of a call.
    """

    meanings: dict[str, str] = field(default_factory=dict)

    def set(self, name: str, meaning: str) -> None:
        """Note a meaning; a second one that differs makes the name mean nothing."""
        previous = self.meanings.get(name, meaning)
        self.meanings[name] = meaning if previous == meaning else _OF_MANY

    def full(self, name: str) -> str:
        """Return `sys.stdout.write` for `out.write` after `from sys import stdout as out`; "?" if nobody can tell."""
        for _ in range(_DEPTH):
            head, dot, rest = name.partition(".")
            meaning = self.meanings.get(head)
            if meaning is None or meaning == head:
                return name
            if meaning == _OF_MANY:
                return _OF_MANY
            name = f"{meaning}{dot}{rest}"
            if meaning.partition(".")[0] == head:
                return name
        return _OF_MANY

    def imported(self, node: Node, text: str) -> None:
        """Note what an import statement brings."""
        words = text.replace("(", " ").replace(")", " ").replace("\n", " ").replace(",", " , ").split()
        if words[:1] == ["from"] and "import" in words:
            module, parts = words[1], " ".join(words[words.index("import") + 1 :]).split(",")
            prefix = f"{module}."
        else:
            prefix, parts = "", " ".join(words[1:]).split(",")
        for part in parts:
            match part.split():
                case [name] if prefix:
                    self.set(name, prefix + name)
                case [name, "as", alias]:
                    self.set(alias, prefix + name)


class PythonReader(Reader):
    """Reads one Python source."""

    LOOPS = {
        "for_statement": frozenset({"body"}),
        "while_statement": frozenset(),
        "list_comprehension": frozenset(),
        "set_comprehension": frozenset(),
        "dictionary_comprehension": frozenset(),
        "generator_expression": frozenset(),
    }
    FUNCTIONS = frozenset({"function_definition"})
    CLOSURES = frozenset({"lambda"})
    STRINGS = frozenset({"string"})

    def __init__(self, source: bytes, known: Names | None = None, kinds: Kinds | None = None) -> None:
        super().__init__(source)
        self.known = known or Names()
        self.kinds = kinds or Kinds()

    def visit(self, node: Node, scope: Scope) -> None:
        if node.type == "call":
            self._called(node, scope)
        elif node.type == "assignment":
            target, right = node.child_by_field_name("left"), node.child_by_field_name("right")
            if target is not None and right is not None and right.type == "lambda" and target.type == "identifier":
                self.names[right.id] = self.text(target)
        elif node.type == "function_definition":
            endless.look_at_function(self, node, scope, endless.PYTHON, self.function_name(node))
        endless.look_at_loop(self, node, scope, endless.PYTHON)
        for shown in (progress, stuck, retries):
            shown.look(self, node, scope, loops.PYTHON, self.kinds)
        pycosts.look(self, self.kinds, node, scope)
        patterns.look(self, node, scope)
        pyconstructs.look(self, self.kinds, node, scope)
        keeping.look(self, node, scope, self.kinds.numbers)
        hashing.look(self, self.kinds, node, scope)

    def _called(self, node: Node, scope: Scope) -> None:
        function, argument_list = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if function is None or argument_list is None:
            return
        written = self.text(function)
        name = self.known.full(written) if function.type in ("identifier", "attribute") else written
        children = argument_list.named_children
        arguments = [child for child in children if child.type not in ("keyword_argument", "comment")]
        named = {
            self.text(child.child_by_field_name("name")): value
            for child in children
            if child.type == "keyword_argument" and (value := child.child_by_field_name("value")) is not None
        }
        last = written.rpartition(".")[2]
        self.call(last, scope)
        again = name in _REPEATERS or last == "sort"
        for value in (*arguments, *named.values()):
            if value.type == "lambda" and again:
                self.looped.add(value.id)
            elif value.type in ("identifier", "attribute"):
                called = self.text(value).rpartition(".")[2]
                self.call(called, Scope(scope.function, in_loop=scope.in_loop or again))
        if name == "print" or name.startswith("functools.partial(print"):
            self._print(node, name, named, scope)
        elif name == "functools.partial":
            is_print = bool(arguments) and self.text(arguments[0]) == "print"
            if is_print and self.text(named.get("flush")) == "True":
                self.note(node, scope, Deed.UNBUFFER, Stream.STDOUT, "flush=True")
        elif name == "input":
            self.note(node, scope, Deed.READ, Stream.STDIN, "input()")
        else:
            self._other(node, name, arguments, scope)

    def _print(self, node: Node, name: str, named: dict[str, Node], scope: Scope) -> None:
        file = named.get("file")
        stream = Stream.STDOUT if file is None or self.text(file) == "None" else self._stream(self.text(file))
        if "file=" in name.replace(" ", ""):
            stream = Stream.STDERR if "stderr" in name else Stream.UNKNOWN
        self.note(node, scope, Deed.PRINT, stream, "print", self.strings(node.child_by_field_name("arguments")))
        self.call("write", scope)  # of a class of the source's own that takes the place of sys.stdout
        flush = self.text(named.get("flush"))
        if flush in ("True", "1") or (not flush and "flush=True" in name.replace(" ", "")):
            self.note(named.get("flush") or node, scope, Deed.FLUSH, stream, "flush=True")

    def _stream(self, written: str) -> Stream:
        """Return what a name or a call stands for that is written to or read from."""
        full = self.known.full(written)
        for end in (".buffer.raw", ".buffer"):
            full = full.removesuffix(end)
        if full in _STREAMS:
            return _STREAMS[full]
        opened = self._opened(full)
        if opened is not None:
            return _DESCRIPTORS.get(opened, Stream.OTHER)
        if full.startswith("io.TextIOWrapper("):
            return next((stream for name, stream in _STREAMS.items() if name in full), Stream.UNKNOWN)
        return Stream.OTHER if full.startswith(("io.StringIO", "io.BytesIO")) else Stream.UNKNOWN

    def _opened(self, call: str) -> str | None:
        """Return what an `open(...)` opens: a descriptor's number or a name; None of anything else."""
        name, parenthesis, rest = call.partition("(")
        if not parenthesis or name not in ("open", "io.open", "os.fdopen"):
            return None
        first = rest.split(",")[0].strip(" )\"'")
        numbered = _FILENO.match(rest.split(",")[0].strip())
        if numbered and numbered[1] in _STREAMS:
            return next(number for number, stream in _DESCRIPTORS.items() if stream is _STREAMS[numbered[1]])
        return _NAMED.get(first, first)

    def _other(self, node: Node, name: str, arguments: list[Node], scope: Scope) -> None:
        owner, _, last = name.rpartition(".")
        first = self.text(arguments[0]) if arguments else ""
        if name in ("os.write", "os.read"):
            numbered = _FILENO.match(first)
            full = self.known.full(first)
            stream = self._stream(numbered[1]) if numbered else _DESCRIPTORS.get(full, Stream.OTHER)
            self.note(node, scope, Deed.WRITE if last == "write" else Deed.FETCH, stream, f"{name}()")
        elif name in _QUITS:
            self.note(node, scope, Deed.QUIT, Stream.OTHER, f"{name}()")
        elif name in _SLEEPS:
            self.note(node, scope, Deed.SLEEP, Stream.OTHER, name)
        elif any(word in name for word in _THREADS) and "(" not in name:
            self.note(node, scope, Deed.THREAD, Stream.OTHER, last)
        elif any(word in name for word in _PROCESSES) and "(" not in name:
            self.note(node, scope, Deed.PROCESS, Stream.OTHER, name)
        elif last in _LOGS and (owner == "logging" or owner.startswith("logging.getLogger")):
            words = self.strings(node.child_by_field_name("arguments"))
            self.note(node, scope, Deed.PRINT, Stream.STDERR, "logging", words)
        elif last in ("reconfigure", "TextIOWrapper") or name in ("open", "io.open", "os.fdopen"):
            self._made(node, name, owner, scope)
        elif owner:
            self._method(node, owner, last, scope)

    def _made(self, node: Node, name: str, owner: str, scope: Scope) -> None:
        """Record that a stream is opened or set up: buffered, unless the call says otherwise."""
        written = self.text(node)
        opening = name + written[written.find("(") :]
        stream = self._stream(owner if name.endswith("reconfigure") else opening)
        telling = _TELLING.search(written)
        if telling is None and name in ("open", "io.open", "os.fdopen"):
            telling = re.search(r",\s*[\"'][rwab+]+[\"']\s*,\s*[01]\s*[,)]", written)
        if telling and telling[0].startswith("write_through") and stream is Stream.STDOUT:
            return  # goes on to a buffer of bytes
        if telling and stream in (Stream.STDIN, Stream.STDOUT, Stream.UNKNOWN):
            setting = "line_buffering=True" if "line_buffering" in telling[0] else "buffering"
            self.note(node, scope, Deed.UNBUFFER, stream, setting)

    def _method(self, node: Node, owner: str, last: str, scope: Scope) -> None:
        stream = self._stream(owner)
        is_raw = owner.endswith(".raw")
        if last == "flush" and stream is not Stream.OTHER:
            self.note(node, scope, Deed.FLUSH, stream, "flush()")
        elif last in ("write", "writelines") and stream is not Stream.OTHER:
            words = self.strings(node.child_by_field_name("arguments"))
            self.note(node, scope, Deed.WRITE if is_raw else Deed.PRINT, stream, f"{last}()", words)
        elif last in ("read", "readline", "read1", "readinto") and stream is Stream.STDIN:
            self.note(node, scope, Deed.FETCH if is_raw else Deed.READ, stream, f"{last}()")


class _Declarations(PythonReader):
    """The first pass: what names stand for."""

    def visit(self, node: Node, scope: Scope) -> None:
        pycosts.declare(self, self.kinds, node)
        pyconstructs.declare(self, self.kinds, node)
        match node.type:
            case "import_statement" | "import_from_statement":
                self.known.imported(node, self.text(node))
            case "assignment":
                self._assigned(node)
            case "function_definition":
                name = self.text(node.child_by_field_name("name"))
                if name in ("print", "input", "open"):
                    self.known.set(name, f"{name}@own")
            case "as_pattern":
                parts = node.named_children
                if len(parts) == 2:
                    self.known.set(self.text(parts[1]), self._meaning(parts[0]))

    def _assigned(self, node: Node) -> None:
        target, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if target is None or right is None:
            return
        pairs = [(target, right)]
        if target.type == "pattern_list" and right.type == "expression_list":
            pairs = list(zip(target.named_children, right.named_children, strict=False))
        for name, value in pairs:
            if name.type == "identifier":
                self.known.set(self.text(name), self._meaning(value))
            elif self.text(name) in ("sys.stdout", "sys.stdin", "sys.stderr"):
                self.known.set(f"{self.text(name)}=", self._meaning(value))

    def _meaning(self, value: Node) -> str:
        """Return the text of a name or a call, its own first name followed later; "?" of anything else."""
        if value.type in ("identifier", "attribute", "integer"):
            return self.text(value)
        if value.type == "call":
            function, argument_list = value.child_by_field_name("function"), value.child_by_field_name("arguments")
            return self.known.full(self.text(function)) + self.text(argument_list)
        return f"?{value.type}"


def read(source: bytes) -> tuple[Place, ...]:
    """Return every place of a Python source."""
    _, sites, _ = sites_in_python(source)
    return tuple(site.place for site in sites)


def sites_in_python(source: bytes) -> tuple[Node, tuple[Site, ...], Names]:
    """Return the tree of a Python source, the places in it, and what its names stand for."""
    root = PARSER.parse(source).root_node
    declarations = _Declarations(source)
    declarations.read(root)
    return root, PythonReader(source, declarations.known, declarations.kinds).sites(root), declarations.known
