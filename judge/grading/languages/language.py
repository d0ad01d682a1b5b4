"""A language as one record: every fact that differs between languages, each once.

How a new one comes in: docs/architecture.md, "Where a new thing goes". A field without a default is one that every
language has something to say to; mypy names it when it is missing.

Inside a jail, the sources lie in /program (read-only) under fixed names, never the sender's; what the compiler makes
lands in /box.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

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

PROGRAM_FOLDER = "/program"
BOX = "/box"


@dataclass(frozen=True, kw_only=True, slots=True)
class Costs:
    """The costs of a program in the language beside the kernel's time, for the rules of `judge.grading.explain`.

    `handling_ns_per_byte`: what turning a byte into a value or back can cost at most, as with one short number per
    line. `call_factor`: how many times the kernel's time a small read or write costs in all, with the language's own
    part of it; `call_percent`: the share of the CPU time that calls must have cost in the kernel to be named.
    """

    handling_ns_per_byte: int
    call_factor: int
    call_percent: int


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
    """One language. `program_name` is the file that compiling leaves in /box; None: the source itself is run.

    `complaint` finds the compiler's words about a place in the sources: with them a refusal is the sources' fault.
    `mistake` finds each error of the compiler in the main source, `crash` what a failing program says on stderr. Their
    groups: `message`, and of a mistake `line`.
    """

    in_packages: PackageLanguage
    name: str  # for people, with its version and how it is compiled

    tool: Tool
    source_name: str
    program_name: str | None
    compile_flags: tuple[str, ...]
    run_flags: tuple[str, ...]
    complaint: re.Pattern[str]
    mistake: re.Pattern[str]
    crash: re.Pattern[str]
    compiles_each_file: bool  # the compiler is given all files of a program; False: the main one names the others
    encoding_declaration: re.Pattern[str] | None = None  # where a source names its encoding, in the group `name`
    header: str = ""  # the standard header that is worth precompiling, as an #include names it
    mold_flags: tuple[str, ...] = ()  # make it link with mold, which takes a fifth of ld's time
    line_flags: tuple[str, ...] = ()  # make the compiler note which line each instruction comes from
    call_flags: tuple[str, ...] = ()  # keep it from turning a function's last call into a jump
    stack_bytes: int = 0  # of a run; 0: as much as its memory limit
    overflow_signal: int  # ends a program whose stack is full
    frames_bytes: int = (
        0  # of each piece of memory, by mmap, that keeps calls that have not returned; 0: the stack does
    )

    costs: Costs
    piecework: Mapping[str, Piecework]  # by construct, as the reader names it; "cin unsynced" of C++'s own streams
    lookups: Mapping[str, Lookup]  # by the map, as the reader names it; {}: no other container is much quicker
    grammar: str  # of tree-sitter, as a Python package: for the modules `id` of judge.grading.reading
    advice: Advice

    selftest_program: str  # does what its input says: "right", "spin", "wait", "grow", "shout", "fork"
    printing_program: str  # prints its input line by line: buffered, or with an argument with a flush per line
    buffering_program: str = ""  # runs the file that is its argument without its flushes; "": a preload is enough

    # Regular expressions of lines that no program in another language here begins with, each for Python and for
    # JavaScript, where ^ is the beginning of any line: web/frontend/mismatch.js has them too.
    telltales: tuple[str, ...]
    editor_mode: str  # of web/frontend/languages.js; "": plain text

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

    @property
    def is_compiled(self) -> bool:
        """Return whether compiling makes a program, and does more than check the source."""
        return self.program_name is not None

    def with_lines(self, *, keeps_calls: bool = False) -> "Language":
        """Return the language compiled with line information, without the precompiled header, which has none.

        The code stays what it is, unless it `keeps_calls` that the optimiser would make jumps of.
        """
        flags = (*self.line_flags, *self.call_flags) if keeps_calls else self.line_flags
        return replace(self, compile_flags=(*self.compile_flags, *flags), header="")

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
        output = ("-o", f"{BOX}/{self.program_name}") if self.program_name is not None else ()
        return (self.toolchain().path, *self.compile_flags, *more_flags, *output, *paths)

    def run_argv(self, entry: str) -> tuple[str, ...]:
        """Return the run's command line; `entry` is the main source, relative to /program. Raises ToolchainMissing."""
        if self.program_name is not None:
            return (f"{PROGRAM_FOLDER}/{self.program_name}",)
        return (self.toolchain().path, *self.run_flags, f"{PROGRAM_FOLDER}/{entry}")
