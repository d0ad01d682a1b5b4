"""A problem package as values: what `loading.load_package` returns and what can be wrong with it.

Source: the ICPC/Kattis problem package format, legacy and 2025-09. Sizes in bytes, times in milliseconds.
"""

from dataclasses import dataclass
from pathlib import Path


class PackageError(Exception):
    """One thing wrong with a package: the file it is in, the key or entry, what was expected. The setter's fault."""

    def __init__(self, file: str, key: str, why: str) -> None:
        super().__init__(f"{file}: {key}: {why}" if key else f"{file}: {why}")
        self.file = file
        self.key = key
        self.why = why


class PackageErrors(Exception):
    """All that is wrong with a package, in the order in which it was found; never empty."""

    def __init__(self, errors: list[PackageError]) -> None:
        super().__init__("; ".join(str(error) for error in errors))
        self.errors = errors


@dataclass(frozen=True, kw_only=True, slots=True)
class ProblemLimits:
    """Limits of a problem; the defaults are Kattis's, except memory and output (see the package notes in docs)."""

    time_limit_ms: int = 1_000
    memory_bytes: int = 2_048 * 1024 * 1024
    output_bytes: int = 8 * 1024 * 1024
    code_bytes: int = 128 * 1024
    compile_time_ms: int = 10_000
    compile_memory_bytes: int = 1_024 * 1024 * 1024
    validation_time_ms: int = 60_000
    validation_memory_bytes: int = 2_048 * 1024 * 1024
    validation_output_bytes: int = 8 * 1024 * 1024
    processes: int = 64


@dataclass(frozen=True, kw_only=True, slots=True)
class TestCase:
    """One input and answer pair. `name` is the path below data/ without extension, e.g. "secret/03-big"."""

    __test__ = False

    name: str
    input: Path
    answer: Path
    is_sample: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class SampleInteraction:
    """A conversation that the statement page shows; with or without a test case of the same name."""

    name: str  # e.g. "sample/1"
    path: Path


@dataclass(frozen=True, kw_only=True, slots=True)
class Statement:
    """One statement source in one language ("en"); `format` is "markdown" or "latex"."""

    language: str
    path: Path
    format: str


@dataclass(frozen=True, kw_only=True, slots=True)
class OutputValidator:
    """A checker of the package, in an interactive problem its interactor: source files in one folder, or one file."""

    path: Path
    language: str  # "python" or "cpp"
    entry: str  # file name of the program's main file


@dataclass(frozen=True, kw_only=True, slots=True)
class JurySubmission:
    """A submission of the setter. `expected` holds the acceptable verdict names, from its folder, e.g. {"TLE"}."""

    path: Path
    name: str  # relative to submissions/, e.g. "accepted/fast.cpp"
    language: str | None  # by extension: "python", "cpp", "rust"; None: one that we do not run
    expected: frozenset[str]


@dataclass(frozen=True, kw_only=True, slots=True)
class Package:
    """A problem package that was read and found whole. All paths are absolute and exist."""

    path: Path
    short_name: str
    name: str  # title for people, in the statement's first language
    digest: str  # sha256 over relative names and contents, hex: the version's identity
    limits: ProblemLimits
    test_cases: tuple[TestCase, ...]  # samples first, then secret, each by name
    statements: tuple[Statement, ...]
    validator_flags: tuple[
        str, ...
    ]  # as given in the package: default validator's flags or the output validator's arguments
    output_validator: OutputValidator | None  # None: the default validator
    submissions: tuple[JurySubmission, ...]
    is_interactive: bool = False  # the output validator is the interactor: it talks to the program while that runs
    interactions: tuple[SampleInteraction, ...] = ()  # of an interactive problem, by name
    source: str = ""  # where the problem comes from, for people
    warnings: tuple[str, ...] = ()
