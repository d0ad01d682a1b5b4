"""A language as one record: every fact that differs between languages, each once.

How a new one comes in: docs/architecture.md, "Where a new thing goes". A field without a default is one that every
language has something to say to; mypy names it when it is missing.

Inside a jail, the sources lie under names that `file_name` lets through.
"""

import re
from collections.abc import Mapping, Set
from dataclasses import dataclass, field, replace
from itertools import chain, count
from pathlib import Path, PurePosixPath

from judge.grading.languages.runtime import PROGRAM_FOLDER, Runtime, Start
from judge.grading.languages.toolchain import (
    Tool,
    Toolchain,
    ToolchainMissing,
    find_toolchain,
    fingerprint,
    links_with_mold,
)
from judge.grading.reading.places import Deed, Stream
from problems.languages import PackageLanguage
from problems.package import SubmittedFile

_OTHER_STEM = "solution"


@dataclass(frozen=True, kw_only=True, slots=True)
class Costs:
    """The costs of a program in the language beside the kernel's time, for the rules of `judge.grading.explain`.

    `handling_ns_per_byte`: what turning a byte into a value or back can cost at most, as with one short number per
    line. `call_factor`: how many times the kernel's time a small read or write costs in all, with the language's own
    part of it; `call_percent`: the share of the CPU time that calls must have cost in the kernel to be named;
    `steps_per_s`: so often a plain line of a loop runs in a second, about.
    """

    handling_ns_per_byte: int
    call_factor: int
    call_percent: int
    steps_per_s: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Piecework:
    """What one call of a construct costs at least, in ns, and what to do instead, as a sentence.

    `least_ns`: about half of what was measured, so that it holds on faster machines. It runs once per line of the
    input; `is_per_word`: per word of it; `is_of_output`: per line of the output.
    """

    least_ns: int
    advice: str
    is_per_word: bool = False
    is_of_output: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Lookup:
    """What one look into a map with integer keys costs, in ns, and what to do instead, as a sentence.

    `least_ns`: half of what was measured for 1,000 keys, asked for in order: the median of five rounds, the lower one
    of two measurements. `most_ns`: the same for a million keys in random order, the dearer one of asking and inserting,
    the higher one of two measurements on a busy machine, rounded.
    """

    least_ns: int
    most_ns: int
    advice: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ReadsThatFlush:
    """Reads that hand over what was printed before. `construct`: what they are called in findings."""

    names: tuple[str, ...]
    construct: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Keepers:
    """The places in a source that keep output back while the program reads."""

    deed: Deed
    streams: tuple[Stream, ...] = ()  # (): any
    but_not: str = ""  # a name of which it is not true


@dataclass(frozen=True, kw_only=True, slots=True)
class Counting:
    """How a program is made to count how often each of its lines runs. `kind`: whose counts they are, of
    `judge.grading.reading.counting`.

    `notes`: the file beside the product that the compiler leaves for that, and the reader needs; "": the product.
    `table`: what a run leaves in its working folder. `runner`: a file that lies beside the program and starts it.
    """

    kind: str
    flags: tuple[str, ...] = ()  # of the compiler
    notes: str = ""
    table: str = ".tally-counts"
    environment: Mapping[str, str] = field(default_factory=dict)  # of the run
    runner: Path | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Header:
    """A standard header of gcc, as an #include names it; its `kind` for -x; a program that can only use it."""

    name: str
    kind: str
    probe: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Editor:
    """How the editor colours a source: `mode` of web/frontend/editor/modes.js, and names that the mode does not know.

    `atoms_are_types`: what the mode calls an atom is the name of a type.
    """

    mode: str
    keywords: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    atoms_are_types: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class InterpreterLock:
    """A lock that lets one thread at a time run: why threads take turns, and what to do instead, as sentences."""

    why: str
    advice: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Advice:
    """The advice of the rules of `judge.grading.explain` in this language: whole sentences, marked for translation."""

    constructs: Mapping[str, str]  # what hands over stdout piece by piece, as the reader names it -> what to do
    allocation: str
    larger_reads: str
    stderr: str
    flushing: str  # how a program flushes its stdout, in code and a few words
    keeps_question: str  # why a question may still be in its buffer, where `keepers` are found
    keepers: Keepers
    signals: Mapping[str, str]  # names that hide what they mean, such as SIGILL -> what it means here
    reads_that_flush: ReadsThatFlush | None  # None: reading flushes nothing
    interpreter_lock: InterpreterLock | None  # None: threads run side by side


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)  # each is itself, and hashable whatever it holds
class Language:
    """One language.

    `complaint` finds the compiler's words about a place in the sources: with them a refusal is the sources' fault.
    `mistake` is the pattern of each error of the compiler in one source, whose name stands for FILE, with the groups
    `message` and `line`; `warning` likewise that of its warnings, with `line` and the `flag` that each is for.
    """

    in_packages: PackageLanguage
    name: str  # for people, with its version and how it is compiled

    tool: Tool
    source_name: str  # of a program whose sender gives no name
    reserved_stems: frozenset[str] = frozenset()  # names without their ending that mean something else to the language
    runtime: Runtime
    compile_flags: tuple[str, ...]
    run_flags: tuple[str, ...]
    complaint: re.Pattern[str]
    mistake: str
    known_errors: Set[str]  # names that may be shown of an error on hidden input
    warning: str = ""
    warnings: Mapping[str, str] = field(default_factory=dict)  # of what is undefined: the flag -> what it means
    foreign_names: Set[str] = (
        frozenset()
    )  # of headers and functions, as the compiler names them, that Windows alone has
    compiles_each_file: bool  # the compiler is given all files of a program; False: the main one names the others
    encoding_declaration: re.Pattern[str] | None = None  # where a source names its encoding, in the group `name`
    header: Header | None = None  # worth precompiling
    mold_flags: tuple[str, ...] = ()  # make it link with mold, which takes a fifth of ld's time
    line_flags: tuple[str, ...] = ()  # make the compiler note which line each instruction comes from
    call_flags: tuple[str, ...] = ()  # keep it from turning a function's last call into a jump
    unbuffering: tuple[str, ...] = ()  # rewriters that take off the buffers a program itself makes around its output
    counting: Counting | None = None  # None: its lines cannot be counted
    notes: str = ""  # what else compiling leaves beside the product
    overflow_signal: int | None  # ends a program whose stack is full; None: no signal does

    # about so many read calls load what an empty program needs, as libraries or modules: counted with the program's own
    start_reads: int
    costs: Costs
    piecework: Mapping[str, Piecework]  # by construct, as the reader names it; "cin unsynced" of C++'s own streams
    lookups: Mapping[str, Lookup]  # by the map, as the reader names it; {}: no other container is much quicker
    grammar: str  # of tree-sitter, as a Python package: for the modules `id` of judge.grading.reading
    advice: Advice

    selftest_program: str  # does what its input says: "right", "spin", "wait", "grow", "shout", "fork"
    printing_program: str  # prints its input line by line: buffered, or with an argument with a flush per line

    # regular expressions of lines that no program in another language here begins with; ^ is the beginning of any line
    telltales: tuple[str, ...]
    editor: Editor

    @property
    def id(self) -> str:
        """Tally's own word for it, in rows, settings and addresses."""
        return self.in_packages.id

    @property
    def short_name(self) -> str:
        """Its name for people, without a version: "C++"."""
        return self.in_packages.name

    @property
    def extensions(self) -> tuple[str, ...]:
        """The endings of its source files, with the dot."""
        return self.in_packages.extensions

    def mistakes_in(self, file_name: str) -> re.Pattern[str]:
        """Return what finds the compiler's errors in the source of this name."""
        return re.compile(self.mistake.replace("FILE", re.escape(file_name)), re.MULTILINE)

    def warnings_in(self, file_name: str, message: str) -> list[tuple[str, int]]:
        """Return the flag and the line of each warning in the source of this name that `warnings` has."""
        if not self.warning:
            return []
        matches = re.finditer(self.warning.replace("FILE", re.escape(file_name)), message, re.MULTILINE)
        return [(match["flag"], int(match["line"])) for match in matches if match["flag"] in self.warnings]

    def with_lines(self, *, keeps_calls: bool = False) -> "Language":
        """Return the language compiled with line information, without the precompiled header, which has none.

        The code stays what it is, unless it `keeps_calls` that the optimiser would make jumps of.
        """
        flags = (*self.line_flags, *self.call_flags) if keeps_calls else self.line_flags
        return replace(self, compile_flags=(*self.compile_flags, *flags), header=None)

    def with_counts(self) -> "Language":
        """Return the language compiled so that a run counts its lines."""
        if self.counting is None:
            return self
        flags = (*self.compile_flags, *self.counting.flags)
        return replace(self, compile_flags=flags, notes=self.counting.notes, header=None)

    def detect(self) -> Toolchain:
        """Return the toolchain on this host, looked up once per process."""
        return find_toolchain(self.tool, self.name)

    def toolchain(self) -> Toolchain:
        """Return the toolchain on this host. Raises ToolchainMissing."""
        chain = self.detect()
        if chain.problem:
            raise ToolchainMissing(chain.problem)
        return chain

    def fingerprint(self) -> str:
        """Return a value that changes with the toolchain, also under a running worker. Raises ToolchainMissing."""
        return fingerprint(self.tool, self.toolchain())

    def fast_link_flags(self) -> tuple[str, ...]:
        """Return the flags that link with mold; none if this host lacks it or the compiler does not know it."""
        return self.mold_flags if self.mold_flags and links_with_mold() else ()

    def compile_argv(self, sources: tuple[str, ...], more_flags: tuple[str, ...] = ()) -> tuple[str, ...]:
        """Return the compile step's command line for sources named relative to /program. Raises ToolchainMissing."""
        paths = tuple(f"{PROGRAM_FOLDER}/{name}" for name in sources)
        return self.runtime.compile_argv(self.toolchain().path, (*self.compile_flags, *more_flags), paths)

    def start(self, entry: str) -> Start:
        """Return what starts a program; `entry` is the main source, relative to /program. Raises ToolchainMissing."""
        return Start(tool=self.toolchain().path, flags=self.run_flags, source=f"{PROGRAM_FOLDER}/{entry}")


def is_usable(language: Language, name: str) -> bool:
    """Return whether a program in the language may be called so: plain letters, its ending, nobody else's name."""
    return language.in_packages.is_file_name(name) and PurePosixPath(name).stem not in language.reserved_stems


def file_name(language: Language, sent: str, expected: SubmittedFile | None) -> str:
    """Return the file's name in the jail. `sent`: what its sender called it, "" for nothing; `expected`: by its
    package.

    A name that is not taken is no mistake of the sender's: it matters only to a program that its package's own files
    name.
    """
    expected = expected or SubmittedFile()
    if expected.name:
        return expected.name
    if is_usable(language, sent) and sent not in expected.reserved:
        return sent
    ending = language.extensions[0]
    others = (f"{_OTHER_STEM}{number or ''}{ending}" for number in count())
    names = chain((expected.usual, language.source_name), others)
    return next(name for name in names if name and name not in expected.reserved)
