"""A problem package as values: the result of `loading.load_package`, and its errors.

Source: the ICPC/Kattis problem package format, legacy and 2025-09. Sizes in bytes, times in milliseconds.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from problems.jsonvalues import SPARSE
from problems.testgroups import Dialect, TestGroup
from problems.translation import Sentence, quoted

ARCHIVE = Sentence("the archive")  # in place of a file's name


class PackageError(Exception):
    """One error in a package: the file, the key or entry, and the expectation. The setter's fault.

    `file` and `key` are names, or a Sentence where there is none. `sentence` has all three: as a string it is the
    error's own text, in English.
    """

    def __init__(self, file: str, key: str, why: Sentence) -> None:
        self.sentence = Sentence("%(file)s: %(why)s", file=file, why=why)
        if key:
            self.sentence = Sentence("%(file)s: %(key)s: %(why)s", file=file, key=key, why=why)
        super().__init__(str(self.sentence))
        self.file, self.key, self.why = file, key, why

    @property
    def record(self) -> "ErrorRecord":
        """The row's record of it."""
        return ErrorRecord(file=self.file, key=self.key, reason=self.why, why=str(self.why))


@dataclass(frozen=True, kw_only=True, slots=True)
class ErrorRecord:
    """An error of a package in a row. `why` is the English text of `reason`, which older rows lack."""

    file: Sentence | str
    key: Sentence | str
    why: str
    reason: Sentence | None = None


class PackageErrors(Exception):
    """All errors of a package, in the order in which they were found; never empty."""

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
    cores: int = 1  # how many cores a run may use at once
    stdout: str = "file"  # what stdout is for the program: "file", "pipe" or "terminal"
    # the most calls of a test case (see judge.grading.submission.budget); 0: as many as one likes
    write_calls: int = 0
    read_calls: int = 0
    write_factor: float = 0.0  # the same as a multiple of what the jury's accepted submission makes; 0: no such limit
    score_policy: str = "groups"  # of a scoring problem, which points count: see problems.models.ScorePolicy
    # of a legacy one, how its points are read (problems.groups.dialects); "": as in the package
    score_dialect: str = ""
    exact_numbers: bool = False  # an open problem: what runs on secret cases did is shown to everybody as it is


@dataclass(frozen=True, kw_only=True, slots=True)
class TimeRule:
    """The rule for a time limit from the jury's submissions if the package gives none; defaults are of 2025-09.

    Source: "limits.time_multipliers" (2025-09), `time_multiplier` and `time_safety_margin` (legacy).
    """

    ac_to_time_limit: float = 2.0  # the slowest accepted one times this is the limit
    time_limit_to_tle: float = 1.5  # the limit times this is what a too slow one must exceed
    resolution_ms: int = 1_000  # the limit is rounded up to a multiple of this


@dataclass(frozen=True, kw_only=True, slots=True)
class TestCase:
    """One input and answer pair. `name` is the path below data/ without extension, e.g. "secret/03-big"."""

    __test__ = False

    name: str
    input: Path
    answer: Path
    is_sample: bool
    args: tuple[str, ...] = ()  # the program's command-line arguments
    files: tuple[tuple[str, Path], ...] = ()  # what it finds in its working folder: name without folder, and the file
    validator_args: tuple[str, ...] = ()  # all: the default validator's flags, or the output validator's arguments
    input_validator_args: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # by name; "": all others
    digest: str = ""  # over all that decides the verdict: cases of the same digest need one run only
    description: str = ""  # what it tests, for staff
    hint: str = ""  # for a contestant whose program failed here
    has_full_feedback: bool = False  # the setter allows to show input, output and answer of this secret case


@dataclass(frozen=True, kw_only=True, slots=True)
class SampleInteraction:
    """A conversation shown on the statement page; with or without a test case of the same name."""

    name: str  # e.g. "sample/1"
    path: Path


@dataclass(frozen=True, kw_only=True, slots=True)
class Statement:
    """One statement source in one language ("en"); `format` is "markdown", "latex", or "pdf" (download only)."""

    language: str
    path: Path
    format: str
    title: str = ""  # in this language; "": the package's name


@dataclass(frozen=True, kw_only=True, slots=True)
class PackageProgram:
    """A program of the package (checker, interactor, input validator): files in one folder, or one file.

    `language`: "python", "cpp", "rust"; "script": the folder has `build` (optional) and `run`; "checktestdata", "viva":
    `path` is the one file with the grammar.
    """

    path: Path
    language: str
    entry: str  # file name of the program's main file
    name: str = ""  # below the package, e.g. "output_validators/check.cpp"
    constants: Mapping[str, str] = field(default_factory=dict, hash=False)  # to replace in its files


@dataclass(frozen=True, kw_only=True, slots=True)
class Expectation:
    """The expected result of a jury submission on a part of the cases; an empty field expects nothing.

    Source: "submissions.yaml" of the format 2025-09.
    """

    cases: str = ""  # a pattern of names below data/ ("secret/1*", also of groups); "": the whole submission
    permitted: frozenset[str] = frozenset()  # every verdict that occurs is one of these
    required: frozenset[str] = frozenset()  # at least one of these occurs
    score: tuple[float, float] | None = None  # least and most
    message: str = ""  # occurs in some message of the checker
    time_limit_bound: str = ""  # "lower": on these cases within the time limit; "upper": over it on one; "": neither


@dataclass(frozen=True, kw_only=True, slots=True)
class JurySubmission:
    """A submission of the setter. `expected` holds the acceptable verdict names, from its folder, e.g. {"TLE"}."""

    path: Path  # its main file
    name: str  # relative to submissions/, e.g. "accepted/fast.cpp"
    language: str | None  # by extension: "python", "cpp", "rust"; None: one that we do not run
    expected: frozenset[str]
    files: tuple[tuple[str, Path], ...] = ()  # all its files by name, main file included; empty: `path` alone
    expectations: tuple[Expectation, ...] = ()  # beside `expected`
    time_limit_bound: str = ""  # "lower": must be within the time limit; "upper": must be over it; "": neither


@dataclass(frozen=True, kw_only=True, slots=True)
class Attachment:
    """A file that everybody who sees the problem may download, or a picture of a statement."""

    name: str  # below attachments/ or below the statement's folder
    path: Path


@dataclass(frozen=True, kw_only=True, slots=True)
class SubmittedFile:
    """The expectations of a package of the one file of a submission in a language.

    `name`: the package's own files name it so, "": any name will do. `usual`: its name where the sender gives none, "":
    the language's usual one. `reserved`: names of the package's own files beside it. `entry`: the one of them that is
    the program, "": the submission itself is. `starter`: the text to begin with.
    """

    name: str = ""
    usual: str = ""
    reserved: tuple[str, ...] = ()
    entry: str = ""
    starter: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Package:
    """A problem package without errors. All paths are absolute and exist."""

    path: Path
    short_name: str
    name: str  # title for people, in the statement's first language
    digest: str  # sha256 over relative names and contents, hex: the version's identity
    limits: ProblemLimits
    test_cases: tuple[TestCase, ...]  # samples first, then secret, each by name
    statements: tuple[Statement, ...]
    validator_flags: tuple[str, ...]  # of problem.yaml; what counts is TestCase.validator_args
    output_validator: PackageProgram | None  # None: the default validator
    submissions: tuple[JurySubmission, ...]
    is_interactive: bool = False  # the output validator is the interactor: it talks to the program while that runs
    interactions: tuple[SampleInteraction, ...] = ()  # of an interactive problem, by name
    is_legacy: bool = True  # of the format; decides what a score.txt beside a rejection means, for one
    is_time_limit_given: bool = True  # False: limits.time_limit_ms is only the default, to be calibrated
    time_rule: TimeRule = TimeRule()
    groups: TestGroup | None = None  # data/ as a tree with its points; None: not a scoring problem
    domjudge_groups: TestGroup | None = None  # the same in DOMjudge's dialect, if that gives other points
    dialect: Dialect | None = None  # the one that the package is in, if there are both
    has_checker_scores: bool = False  # of a scoring problem: the checker may give points itself (score.txt)
    most_passes: int = 1  # of a multi-pass problem, how often a case may run; 1: an ordinary problem
    languages: tuple[str, ...] | None = None  # the only ones that may be submitted; None: all
    input_validators: tuple[PackageProgram, ...] = ()
    growth_generator: PackageProgram | None = None  # prints an input of the size that is its argument
    included: Mapping[str, tuple[tuple[str, Path], ...]] = field(default_factory=dict)  # by language: compiled along
    submitted: Mapping[str, SubmittedFile] = field(default_factory=dict)  # language -> what is said of the file sent
    invalid_inputs: tuple[TestCase, ...] = ()  # each must be rejected by an input validator (`answer` is not there)
    invalid_outputs: tuple[tuple[TestCase, Path], ...] = ()  # a case and an output that the checker must reject
    valid_outputs: tuple[tuple[TestCase, Path], ...] = ()  # likewise, to accept
    attachments: tuple[Attachment, ...] = ()
    pictures: tuple[Attachment, ...] = ()  # beside the statements, which may show them
    drawings: tuple[Attachment, ...] = ()  # likewise, but no browser shows them: PDF, EPS
    constants: Mapping[str, str] = field(default_factory=dict)  # "NAME" and "NAME.VARIANT" -> what stands for it
    source: str = ""  # where the problem comes from, for people
    credits: Sentence = field(default=quoted(""))  # authors and license in one line, for people
    keywords: tuple[str, ...] = ()  # its topics, as `problems.tags` writes them
    warnings: tuple[Sentence, ...] = ()
    original: Callable[[str], str] = field(default=str, compare=False)  # puts text into the names of its setter's files


@dataclass(frozen=True, kw_only=True, slots=True)
class Spoken:
    """One turn: `speaker` is "program", "interactor", or "" for neither."""

    speaker: str
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Sample:
    """A sample as the page shows it: either `dialogue`, or `input` and `answer`."""

    name: str
    input: str | None = field(default=None, metadata=SPARSE)
    answer: str | None = field(default=None, metadata=SPARSE)
    dialogue: tuple[Spoken, ...] | None = field(default=None, metadata=SPARSE)
    args: str = field(default="", metadata=SPARSE)  # the command line's, as a shell would be given them
    is_cut: bool = field(default=False, metadata=SPARSE)  # it is longer, and the page shows its beginning
    downloads: tuple[str, ...] = field(default=(), metadata=SPARSE)  # names in the package


@dataclass(frozen=True, kw_only=True, slots=True)
class PageFile:
    """A file of the package that the site may serve; `kind` is one of the four of `problems.statement.rendering`."""

    kind: str
    bytes: int
    language: str | None = field(default=None, metadata=SPARSE)  # of a PDF statement


@dataclass(frozen=True, kw_only=True, slots=True)
class Translation:
    """A further statement. `html` is empty where the language has only a PDF."""

    language: str
    title: str
    html: str
