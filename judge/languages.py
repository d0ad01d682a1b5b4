"""The languages a submission may be written in: how each is compiled and run inside a jail, and which version is here.

A jail shows /usr, /lib, /lib64 and /bin of the host read-only, so only a toolchain that lies below /usr can be used.
Inside, the sources lie in /program (read-only) under fixed names, never the sender's; what the compiler makes lands
in /box.

Why C++ is compiled with a check of integer divisors: at -O2 g++ turns `1 / z` into a comparison that never traps, and a
student whose divisor is zero gets a wrong answer without a hint. The check ends the program with SIGILL. Code without
such a division stays the same to the byte; bench/compile.py measures what it costs elsewhere. The other way,
-fnon-call-exceptions, keeps SIGFPE but also keeps loops from being vectorised: 3.3 times the CPU time of such a loop.
"""

import re
import subprocess
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from problems.programs import LANGUAGE_OF_EXTENSION, language_of
from sandbox.errors import SandboxError
from sandbox.types import MIB

PROGRAM_FOLDER = "/program"
BOX = "/box"
_PACKAGES_STATUS = Path("/var/lib/dpkg/status")  # written with every package that comes, changes or goes

# CPython has no compile step of its own: this finds what would stop the program before its first statement.
_SYNTAX_CHECK = """
import importlib.util, sys, traceback
for path in sys.argv[1:]:
    try:
        with open(path, "rb") as file:
            source = file.read()
        importlib.util.decode_source(source)  # compile() overlooks undecodable comments, running the file does not
        compile(source, path, "exec", dont_inherit=True)
    except (MemoryError, RecursionError) as error:  # so its parser and its compiler say, however much memory there is
        sys.exit(f"{path}: an expression or a block nests too deeply for Python ({type(error).__name__})")
    except Exception as error:
        sys.exit("".join(traceback.format_exception_only(error)).rstrip())
"""


class ToolchainMissing(SandboxError):
    """This host cannot run the language; the message says why and what to do. Another worker may be able to."""


class UnknownLanguage(LookupError):
    """This version of Tally does not know the language: no sign of a broken host."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Toolchain:
    """What this host has for a language: `version` as the compiler says it, or `problem`, with the remedy."""

    path: str = ""
    version: str = ""
    problem: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Language:
    """One language. `program_name` is the file that compiling leaves in /box; None: the source itself is run.

    `complaint` finds the compiler's words about a place in the sources: with them a refusal is the sources' fault.
    """

    id: str
    name: str
    source_name: str
    program_name: str | None
    tool: str  # the compiler's or interpreter's file name
    compile_flags: tuple[str, ...]
    run_flags: tuple[str, ...]
    package: str  # the Debian package that brings the tool, for the remedy
    complaint: re.Pattern[str]
    companions: tuple[str, ...] = ()  # other programs that the compiler starts
    header: str = ""  # the standard header that is worth precompiling, as an #include names it
    mold_flags: tuple[str, ...] = ()  # make it link with mold, which takes a fifth of ld's time
    stack_bytes: int = 0  # of a run; 0: as much as its memory limit
    line_flags: tuple[str, ...] = ()  # make the compiler note which line each instruction comes from

    @property
    def extensions(self) -> tuple[str, ...]:
        """The endings of its source files, with the dot."""
        return tuple(extension for extension, language in LANGUAGE_OF_EXTENSION.items() if language == self.id)

    def with_lines(self) -> "Language":
        """The same, compiled with line information; with the header precompiled without it nothing could be done."""
        return replace(self, compile_flags=(*self.compile_flags, *self.line_flags), header="")

    def detect(self) -> Toolchain:
        """The toolchain on this host, looked up once per process."""
        return _detect(self)

    def toolchain(self) -> Toolchain:
        """The toolchain on this host. Raises ToolchainMissing."""
        found = self.detect()
        if found.problem:
            raise ToolchainMissing(found.problem)
        return found

    def fingerprint(self) -> str:
        """Changes when the toolchain does, also under a running worker. Raises ToolchainMissing.

        Compilers, headers and libraries are many files; the package system's own record changes with each of them.
        """
        chain = self.toolchain()
        others = [_find(tool) or tool for tool in (*self.companions, "mold")]
        files = [chain.path, *others, str(_PACKAGES_STATUS)]
        return "\n".join([chain.version, *(_stamp(Path(file)) for file in files)])

    def fast_link_flags(self) -> tuple[str, ...]:
        """What makes it link with mold; nothing on a host without it, or with a compiler that does not know it."""
        return self.mold_flags if self.mold_flags and _links_with_mold() else ()

    def compile_argv(self, sources: tuple[str, ...], more_flags: tuple[str, ...] = ()) -> tuple[str, ...]:
        """The compile step's command line for sources named relative to /program. Raises ToolchainMissing."""
        paths = tuple(f"{PROGRAM_FOLDER}/{name}" for name in sources)
        output = ("-o", f"{BOX}/{self.program_name}") if self.program_name is not None else ()
        return (self.toolchain().path, *self.compile_flags, *more_flags, *output, *paths)

    def run_argv(self, entry: str) -> tuple[str, ...]:
        """The run's command line; `entry` is the main source, relative to /program. Raises ToolchainMissing."""
        if self.program_name is not None:
            return (f"{PROGRAM_FOLDER}/{self.program_name}",)
        return (self.toolchain().path, *self.run_flags, f"{PROGRAM_FOLDER}/{entry}")


PYTHON = Language(
    id="python",
    name="Python (CPython 3)",
    source_name="main.py",
    program_name=None,
    tool="python3",
    compile_flags=("-I", "-B", "-X", "utf8", "-c", _SYNTAX_CHECK),
    run_flags=("-E", "-s", "-B", "-X", "utf8"),  # not -I: a validator imports the modules beside it
    package="python3",
    complaint=re.compile(r'^ *File "[^"]+", line \d+', re.MULTILINE),
    # endless recursion through C code searches all it has on the stack: 256 MiB took 9 s, a time limit,
    # 64 took 1 s, 32 take 0.3 and hold 50,000 levels of a cached function; plain functions need none of it (3.11)
    stack_bytes=32 * MIB,
)
CHECK_OF_DIVISORS = ("-fsanitize=integer-divide-by-zero", "-fsanitize-undefined-trap-on-error")
CPP = Language(
    id="cpp",
    name="C++20 (g++ -O2)",
    source_name="main.cpp",
    program_name="main",
    tool="g++",
    compile_flags=("-x", "c++", "-std=c++20", "-O2", "-pipe", *CHECK_OF_DIVISORS),
    run_flags=(),
    package="g++",
    complaint=re.compile(r"^[^\s:]+:\d+:\d+: (fatal )?error: ", re.MULTILINE),
    header="bits/stdc++.h",
    mold_flags=("-fuse-ld=mold",),
    # a helper that ends with `cout << endl` or `fflush` must still be there when these write
    line_flags=("-g1", "-fno-optimize-sibling-calls"),
)
RUST = Language(
    id="rust",
    name="Rust (rustc -O, edition 2021)",
    source_name="main.rs",
    program_name="main",
    tool="rustc",
    compile_flags=("-O", "--edition", "2021", "--crate-name", "main"),
    run_flags=(),
    package="rustc",
    complaint=re.compile(r"^error(\[E\d+\])?: .*\n +--> ", re.MULTILINE),
    companions=("cc",),
    mold_flags=("-C", "link-arg=-fuse-ld=mold"),
    line_flags=("-C", "debuginfo=1"),
)
LANGUAGES = {language.id: language for language in (PYTHON, CPP, RUST)}


def language_by_id(language_id: str) -> Language:
    """The language of that id. Raises UnknownLanguage for one that this version does not know."""
    if language_id not in LANGUAGES:
        raise UnknownLanguage(f"there is no language {language_id!r}; known are {', '.join(LANGUAGES)}")
    return LANGUAGES[language_id]


def language_of_file(name: str) -> Language | None:
    """The language by a file name's extension; None when there is none for it."""
    return LANGUAGES.get(language_of(name) or "")


def host_fingerprint() -> str:
    """Changes with everything that the package system brings, changes or removes on this host."""
    return _stamp(_PACKAGES_STATUS)


def detect_all() -> dict[str, Toolchain]:
    """What this host has, by language id."""
    return {language.id: language.detect() for language in LANGUAGES.values()}


def source_problem(source: bytes, max_bytes: int) -> str | None:
    """Why this source is not worth grading, as one sentence for its author; None when it is."""
    if not source.strip():
        return "The source is empty."
    if len(source) > max_bytes:
        return f"The source has {len(source):,} bytes; at most {max_bytes:,} are allowed."
    return None


@cache
def _detect(language: Language) -> Toolchain:
    remedy = f"install it with: apt-get install {language.package}"
    path = _find(language.tool)
    if path is None:
        return Toolchain(problem=f"{language.name}: there is no {language.tool} below /usr; {remedy}")
    for companion in language.companions:
        if _find(companion) is None:
            return Toolchain(problem=f"{language.name}: {language.tool} needs {companion}; apt-get install gcc")
    try:
        # An empty environment, as in the jail: a version that some variable selects would not be the one that runs.
        asked = subprocess.run([path, "--version"], env={}, capture_output=True, timeout=20, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        return Toolchain(problem=f"{language.name}: {path} does not start ({error}); {remedy}")
    lines = asked.stdout.decode("utf-8", "replace").splitlines()
    return Toolchain(path=path, version=lines[0].strip() if lines else language.tool)


@cache
def _links_with_mold() -> bool:
    """Whether cc, which g++ and rustc link with, takes mold for its linker: gcc does from 12.1 on."""
    compiler = _find("cc")
    if compiler is None or _find("mold") is None:
        return False
    try:
        command = [compiler, "-fuse-ld=mold", "-Wl,--version"]
        asked = subprocess.run(command, env={"PATH": "/usr/bin:/bin"}, capture_output=True, timeout=20, check=True)
    except (OSError, subprocess.SubprocessError):
        return False
    return asked.stdout.startswith(b"mold")


def _stamp(path: Path) -> str:
    """What changes with a file."""
    try:
        status = path.stat()
    except OSError:
        return f"{path}: none"
    return f"{path}: {status.st_size} {status.st_mtime_ns}"


def _find(tool: str) -> str | None:
    """The tool's path if the file behind it lies below /usr: a link to a home folder leads nowhere in a jail."""
    for folder in ("/usr/bin", "/usr/local/bin"):
        path = Path(folder, tool)
        if path.is_file() and path.resolve().is_relative_to("/usr"):
            return str(path)
    return None
