"""The bounded reader of sources and programs, as grading uses it: `sandbox.image.reading` with the code of
`judge.grading.reading`.
"""

from concurrent.futures import Executor, Future
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from judge.grading.languages import LANGUAGES, Language
from judge.grading.reading.places import Code, Deed, Place, Stream, TokenKind
from judge.grading.reading.program_errors import ErrorKind, Errors, Origin, ProgramError, Said
from sandbox.image.reading import CannotBeRead, Reader, Reading
from sandbox.types import MIB, Limits, Sandbox

_SYNTAX, _STDERR = "judge.grading.reading.syntax", "judge.grading.reading.stderr"
_STDERR_LIMITS = Limits(  # of its last 256 KiB
    cpu_time_ms=1_000, wall_time_ms=5_000, memory_bytes=256 * MIB, output_bytes=MIB, overrun_percent=0
)
_SOURCE_LIMITS = Limits(  # 128 KiB of real code take a tenth to half of the CPU time
    cpu_time_ms=2_000, wall_time_ms=10_000, memory_bytes=1_024 * MIB, output_bytes=4 * MIB, overrun_percent=0
)


_GRAMMARS = tuple(language.grammar for language in LANGUAGES.values())
_PACKAGES = ("judge.grading.reading", "sandbox.unwinding", "tree_sitter", *_GRAMMARS)


def reader_in(sandbox: Sandbox, work_root: Path, cpu: int | None = None) -> Reader:
    """Return the reader. `work_root`: where it has its files meanwhile; `cpu`: the core that it runs on."""
    return Reader(sandbox=sandbox, work_root=work_root, packages=_PACKAGES, cpu=cpu)


@dataclass(frozen=True, kw_only=True, slots=True)
class SourceRead:
    """What a source does on which line, and its tokens as `syntax.tokens.tokens_in` lays them out; () if they cannot be
    read.
    """

    code: Code = field(default_factory=Code)
    tokens: tuple[int, ...] = ()


def read_source(reader: Reader, source: bytes, language: Language) -> SourceRead:
    """Read a source; nothing of one that cannot be read. Takes some 60 ms, at most some seconds; never raises."""
    reading = Reading(module=_SYNTAX, arguments=(language.id, "places", "tokens"), stdin=source, limits=_SOURCE_LIMITS)
    try:
        answer: Any = reader.read(reading)
        tokens = tuple(answer["tokens"])
        places = (
            Place(
                line=int(value["line"]),
                deed=Deed(value["deed"]),
                stream=Stream(value["stream"]),
                name=str(value["name"]),
                is_repeated=bool(value["is_repeated"]),
                words=tuple(str(word) for word in value["words"]),
                head=int(value["head"]),
            )
            for value in answer["places"]
        )
        return SourceRead(code=Code(tuple(places)), tokens=tokens if _are_tokens(tokens, len(source)) else ())
    except (CannotBeRead, ValueError, KeyError, TypeError):
        return SourceRead()


def read_errors(reader: Reader, language: Language, output: Said) -> Errors:
    """Read what a program said before it ended; nothing of what cannot be read. Takes some 40 ms; never raises."""
    ways = (str("-" if number is None else number) for number in (output.exit_code, output.signal))
    reading = Reading(
        module=_STDERR,
        arguments=(language.id, output.file, *ways),
        stdin=output.text.encode("utf-8", "replace"),
        limits=_STDERR_LIMITS,
    )
    try:
        answer: Any = reader.read(reading)
        return Errors(fatal=_error(answer["fatal"], language), lost=_error(answer["lost"], language))
    except (CannotBeRead, ValueError, KeyError, TypeError):
        return Errors()


def _error(value: dict[str, Any] | None, language: Language) -> ProgramError | None:
    if value is None:
        return None
    error = ProgramError(
        kind=ErrorKind(value["kind"]),
        name=str(value["name"]),
        line=int(value["line"]),
        message=str(value["message"]),
        origin=Origin(value["origin"]),
    )
    return named(error, language)


def named(error: ProgramError, language: Language) -> ProgramError:
    """Return the error; with the beginning of its message in its name, if the language knows an error of that name.

    So is a panic whose message says what it is about, and an exception whose type says less than its message.
    """
    if error.kind is ErrorKind.PANIC:
        return replace(error, name=next((name for name in language.known_errors if error.message.startswith(name)), ""))
    if error.kind is ErrorKind.EXCEPTION:
        name = next((name for name in language.known_errors if name.startswith(f"{error.name}: ")), "")
        beginning = name.removeprefix(f"{error.name}: ")
        if name and error.message.startswith(beginning):
            return replace(error, name=name, message=error.message.removeprefix(beginning).lstrip(";: "))
    return error


class SourceOnce:
    """A source that is read once: when somebody asks, or before, in another thread."""

    def __init__(self, reader: Reader, source: bytes, language: Language) -> None:
        self._reader, self._source, self._language = reader, source, language
        self._reading: Future[SourceRead] | None = None
        self._read: SourceRead | None = None

    def begin(self, beside: Executor) -> None:
        """Have it read by this executor, which is not closed before."""
        self._reading = beside.submit(read_source, self._reader, self._source, self._language)

    def read(self) -> SourceRead:
        """Return what it is made of."""
        if self._read is None and self._reading is not None:
            self._read = self._reading.result()
        elif self._read is None:
            self._read = read_source(self._reader, self._source, self._language)
        return self._read

    @property
    def tokens(self) -> tuple[int, ...] | None:
        """Its tokens; None if nobody had it read."""
        return self.read().tokens if self._read is not None or self._reading is not None else None


def _are_tokens(tokens: tuple[object, ...], size: int) -> bool:
    """Return whether these are whole tokens of known kinds, in a source of this size in bytes."""
    numbers = [number for number in tokens if type(number) is int and number >= 0]
    if len(numbers) != len(tokens) or len(numbers) % 3:
        return False
    return sum(numbers[0::3]) + sum(numbers[1::3]) <= size and max(numbers[2::3], default=0) < len(TokenKind)
