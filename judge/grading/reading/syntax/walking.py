"""Walk a syntax tree with a cursor, never by recursion: a source may be nested as deep as it is long.

A `Reader` collects what a source does on which line, as values that the parsing process hands back.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import ClassVar, Self

from tree_sitter import Node

from judge.grading.reading.places import Deed, Place, Stream

LIST, TEXT, NONE = "list", "text", ""  # what a variable may hold


@dataclass(frozen=True, kw_only=True, slots=True)
class Site:
    """A place with its node of the tree, for whoever changes the source there."""

    place: Place
    node: Node


_MANY_FUNCTIONS = 2_000  # with more than these, only a function that calls itself directly is taken for a recursion
_LONG_TEXT = 200  # of a node, as far as anybody looks
_MANY_WORDS = 8
_NEAR = 8
_MOST_BELOW = 4_000  # nodes of one part that are looked at again
_NAMES = frozenset({"identifier", "field_identifier"})
_CALLED_BY_OTHERS = re.compile(r"main$|__|~|operator|(write|flush|fmt|drop|next|run)$")  # without being named anywhere


def nodes_of(root: Node, closed: Container[str] = ()) -> Iterator[Node]:
    """Yield all nodes, each before its children; nothing below nodes of the `closed` types."""
    cursor = root.walk()  # never leaves the root
    while True:
        node = cursor.node
        assert node is not None
        yield node
        if node.type not in closed and cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return


@dataclass(frozen=True, slots=True)
class Scope:
    """Where the walk is: in which function (the outermost is "") and whether inside a loop of it."""

    function: str = ""
    in_loop: bool = False


@dataclass(slots=True)
class Kinds:
    """Which variables hold a list, a text or a map: told by what they are made of, one table for the file.

    `of`: a name -> LIST, TEXT or NONE. `maps`: a name -> the map it is, if that has integer keys, or NONE. `types`: a
    name -> its type as it is written, if it is. A name that is given two kinds of things has none.
    `takes_references`: functions that may change what they are given.
    """

    of: dict[str, str] = field(default_factory=dict)
    maps: dict[str, str] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)
    takes_references: set[str] = field(default_factory=set)
    made_by: dict[str, set[str]] = field(default_factory=dict)  # a name -> the types or functions that made its values
    numbers: dict[str, int] = field(default_factory=dict)  # a name -> the whole number that it always stands for
    copied: dict[str, set[int]] = field(default_factory=dict)  # a function -> which of its arguments it takes by value

    def set(self, name: str, kind: str) -> None:
        """Note what a name is made of."""
        if name:
            self.of[name] = kind if self.of.get(name, kind) == kind else NONE

    def set_map(self, name: str, kind: str) -> None:
        """Note which map a name stands for; NONE: no map, or one with other keys."""
        if name:
            self.maps[name] = kind if self.maps.get(name, kind) == kind else NONE

    def set_type(self, name: str, written: str) -> None:
        """Note how a name's type is written."""
        if name:
            self.types[name] = written if self.types.get(name, written) == written else NONE

    def is_list(self, name: str) -> bool:
        """Return whether the name always stands for a list, an array that grows."""
        return self.of.get(name) == LIST

    def is_text(self, name: str) -> bool:
        """Return whether the name always stands for a text."""
        return self.of.get(name) == TEXT


class Reader:
    """Collects the places of one source. A language says what its nodes are by the class variables and `visit`."""

    LOOPS: ClassVar[Mapping[str, frozenset[str]]]  # node type -> fields that are repeated; an empty set: all of it
    FUNCTIONS: ClassVar[frozenset[str]]
    CLOSURES: ClassVar[frozenset[str]]
    STRINGS: ClassVar[frozenset[str]]

    def __init__(self, source: bytes) -> None:
        self._source = source
        self.names: dict[int, str] = {}  # id of a closure's node -> the variable that holds it
        self.looped: set[int] = set()  # ids of closures that something calls again and again
        self._noted: list[tuple[Site, str]] = []  # each with the function that it is in
        self._calls: dict[str, set[str]] = defaultdict(set)  # function -> what it calls
        self._looped_calls: set[str] = set()
        self._mentions: Counter[str] = Counter()  # of each name, the definition of a function of that name too
        self._definitions: Counter[str] = Counter()
        self._scopes: list[tuple[str, Scope]] = []
        self._made_in: dict[int, frozenset[str]] = {}  # id of a loop's node -> the names that it gives new values to

    def visit(self, node: Node, scope: Scope) -> None:
        """Look at one node, before its children."""
        raise NotImplementedError

    def function_name(self, node: Node) -> str:
        """Return the name of a function's node."""
        return self.text(node.child_by_field_name("name"))

    def text(self, node: Node | None) -> str:
        """Return a node's source text, up to the length that anybody examines; nothing without a node."""
        if node is None:
            return ""
        end = min(node.end_byte, node.start_byte + _LONG_TEXT)
        return self._source[node.start_byte : end].decode("utf-8", "replace")

    def whole(self, node: Node | None) -> str:
        """Return a node's source text, however long, without blanks; nothing without a node."""
        text = self._source[node.start_byte : node.end_byte] if node is not None else b""
        return "".join(text.decode("utf-8", "replace").split())

    def strings(self, node: Node | None) -> list[str]:
        """Return the texts of the string literals below a node, without their quotes; nothing without a node."""
        children = node.named_children[:_MANY_WORDS] if node is not None else []
        near = (part for child in children for part in (child, *child.named_children[:_NEAR]))
        return [self.text(part).lstrip("rbfuRBFUL").strip("\"'#") for part in near if part.type in self.STRINGS]

    def read(self, root: Node) -> tuple[Place, ...]:
        """Return every place of the source, in order."""
        return tuple(site.place for site in self.sites(root))

    def sites(self, root: Node) -> tuple[Site, ...]:
        """Return every place of the source with its node, in order."""
        cursor = root.walk()
        depth = 0
        while True:
            node = cursor.node
            assert node is not None
            del self._scopes[depth:]
            scope = self._enter(node, cursor.field_name)
            self._scopes.append((node.type, scope))
            if node.type in self.LOOPS:
                self.note(node, scope, Deed.LOOP, Stream.OTHER, node.type)
            if node.type in _NAMES:
                self._mentions[self.text(node)] += 1
            self.visit(node, scope)
            if cursor.goto_first_child():
                depth += 1
                continue
            while not cursor.goto_next_sibling():
                if not cursor.goto_parent():
                    return self._sites()
                depth -= 1

    def note_costly(self, node: Node, scope: Scope, name: str, head: int) -> None:
        """Keep a costly construct, and the line at which the loop around it begins."""
        self.note(node, scope, Deed.COSTLY, Stream.OTHER, name)
        site, function = self._noted[-1]
        self._noted[-1] = (replace(site, place=replace(site.place, head=head)), function)

    def note_span(self, node: Node, scope: Scope, name: str, most_lines: int) -> None:
        """Keep a costly construct at each line of a node, at most so many."""
        first, last = node.start_point.row, min(node.end_point.row, node.start_point.row + most_lines)
        for row in range(first, last + 1):
            self.note_costly(node, scope, name, 0)
            site, function = self._noted[-1]
            self._noted[-1] = (replace(site, place=replace(site.place, line=row + 1)), function)

    def made_in(self, loop: Node, makes: Callable[[Self, Node], set[str]]) -> frozenset[str]:
        """Return the names that a loop gives new values to: those that `makes` tells of each node of it."""
        if loop.id not in self._made_in:
            self._made_in[loop.id] = frozenset(name for node in self.below(loop) for name in makes(self, node))
        return self._made_in[loop.id]

    def note(self, node: Node, scope: Scope, deed: Deed, stream: Stream, name: str, words: Iterable[str] = ()) -> None:
        """Keep a place."""
        place = Place(
            line=node.start_point.row + 1,
            deed=deed,
            stream=stream,
            name=name,
            is_repeated=scope.in_loop,
            words=tuple(words)[:_MANY_WORDS],
        )
        self._noted.append((Site(place=place, node=node), scope.function))

    def call(self, name: str, scope: Scope) -> None:
        """Note that a function of that name is called here, if there is one."""
        self._calls[scope.function].add(name)
        if scope.in_loop:
            self._looped_calls.add(name)

    def below(self, node: Node) -> Iterator[Node]:
        """Yield a node and all nodes below it, in order; at most some thousand."""
        return islice(nodes_of(node), _MOST_BELOW)

    def is_large(self, node: Node) -> bool:
        """Return whether a node has more below it than `below` yields."""
        return node.descendant_count > _MOST_BELOW

    def _enter(self, node: Node, field: str | None) -> Scope:
        if not self._scopes:
            return Scope()
        above, scope = self._scopes[-1]
        if above in self.LOOPS and (not self.LOOPS[above] or field in self.LOOPS[above]):
            scope = Scope(scope.function, in_loop=True)
        if node.type in self.FUNCTIONS:
            return self._defined(self.function_name(node))
        if node.type in self.CLOSURES:
            if node.id in self.names:
                return self._defined(self.names[node.id])
            return Scope(scope.function, in_loop=True) if node.id in self.looped else scope
        return scope

    def _defined(self, name: str) -> Scope:
        self._definitions[name] += 1
        return Scope(name)

    def _sites(self) -> tuple[Site, ...]:
        # the functions that run more than once: called in a loop, by a recursion, or by one of these
        functions = list(self._calls)
        functions_in_loops = self._looped_calls | {name for name in functions if name in self._calls[name]}
        if len(functions) <= _MANY_FUNCTIONS:
            others = [name for name in functions if name not in functions_in_loops]
            functions_in_loops |= {name for name in others if name in self._closure(self._calls[name])}
        repeated = self._closure(functions_in_loops)
        sites = []
        for site, function in self._noted:
            name = function.removesuffix("!")
            is_named = self._mentions[name] > self._definitions[function]  # besides by its definition
            if not function or is_named or _CALLED_BY_OTHERS.match(name):
                place = replace(site.place, is_repeated=site.place.is_repeated or function in repeated)
                sites.append(Site(place=place, node=site.node))
        return tuple(sites)

    def _closure(self, start: Iterable[str]) -> set[str]:
        reached, waiting = set(start), list(start)
        while waiting:
            for called in self._calls.get(waiting.pop(), ()):
                if called not in reached:
                    reached.add(called)
                    waiting.append(called)
        return reached
