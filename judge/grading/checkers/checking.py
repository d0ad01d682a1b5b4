"""Check outputs: the default output validator runs here, a package's own one in its own jail.

The default one compares the output with the answer, token by token. Source: "Default output validator" in the
ICPC/Kattis problem package format, 2025-09. Everything is bytes and ASCII: a token is a maximal run of bytes other than
space, \\t, \\n, \\v, \\f and \\r; a float is decimal, while hexadecimal, nan and inf are plain words. Whatever else
Python's own int() and float() accept is no number here. Both files are read in blocks; memory holds one block and one
token of each.
"""

import math
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from itertools import zip_longest
from pathlib import Path
from typing import BinaryIO, Protocol

from judge.grading.case_ending import TokenDifference
from judge.grading.checkers.validators import OpenValidator, open_validator
from judge.grading.ending_words import of_tokens
from judge.grading.verdicts import Judgement
from problems.format.flags import ValidatorFlags, parse_flags
from problems.package import Package, PackageError, TestCase
from problems.translation import Sentence
from sandbox.errors import LimitsError
from sandbox.types import Sandbox

_BLOCK = 1 << 16
_WHITE = b" \t\n\v\f\r"
_RUNS = re.compile(rb"[ \t\n\v\f\r]+|[^ \t\n\v\f\r]+")
_FLOAT = re.compile(rb"([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+))(?:[eE]([+-]?[0-9]+))?")
_FLOAT_BYTES = 1_000  # a longer token is a word, so that nobody makes us convert megabytes of digits
_EXPONENT = 10**9  # beyond it, all numbers of a sign are equally far away
# Exact for all digits of a token, whatever the exponents: no trap raises, no number grows with its exponent.
_ARITHMETIC = Context(prec=2 * _FLOAT_BYTES, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])

Tokens = Iterator[bytes]


def find_difference(answer: Path, output: Path, flags: ValidatorFlags) -> TokenDifference | None:
    """Return the first difference, which quotes the answer; None if the output is right."""
    with answer.open("rb") as answer_file, output.open("rb") as output_file:
        if _same_bytes(answer_file, output_file):
            return None
        answer_file.seek(0)
        output_file.seek(0)
        read = _read_runs if flags.space_change_sensitive else _read_tokens
        is_equal = _comparison(flags)
        tokens = zip_longest(read(answer_file), read(output_file))
        for number, (expected, got) in enumerate(tokens, start=1):
            if expected is None or got is None or (expected != got and not is_equal(expected, got)):
                return TokenDifference(number=number, expected=_quote(expected), got=_quote(got))
    return None


def _same_bytes(first: BinaryIO, second: BinaryIO) -> bool:
    while True:
        block = first.read(_BLOCK)
        if block != second.read(_BLOCK):
            return False
        if not block:
            return True


def _comparison(flags: ValidatorFlags) -> Callable[[bytes, bytes], bool]:
    """Return whether two different tokens count as equal."""

    def is_same_word(expected: bytes, got: bytes) -> bool:
        return not flags.case_sensitive and expected.lower() == got.lower()

    def is_close(expected: bytes, got: bytes) -> bool:
        number = _match_float(expected)
        if number is None:
            return is_same_word(expected, got)
        other = _match_float(got)
        if other is None:
            return False
        return _is_within(number, other, flags)

    return is_close if flags.compares_floats else is_same_word


def _match_float(token: bytes) -> re.Match[bytes] | None:
    return _FLOAT.fullmatch(token) if len(token) <= _FLOAT_BYTES else None


def _is_within(number: re.Match[bytes], other: re.Match[bytes], flags: ValidatorFlags) -> bool:
    absolute, relative = flags.float_absolute_tolerance, flags.float_relative_tolerance
    expected, got = float(number[0]), float(other[0])
    # what is within tolerance whatever doubles round: three times faster than exact arithmetic
    error = abs(expected - got) + 1e-15 * (abs(expected) + abs(got))
    tolerance = max(absolute or 0.0, (relative or 0.0) * abs(expected))
    if error < math.inf and error < tolerance * (1 - 1e-12):
        return True
    exact = _exact(number)
    exact_error = _ARITHMETIC.subtract(exact, _exact(other)).copy_abs()
    if absolute is not None and exact_error <= Decimal(repr(absolute)):
        return True
    return relative is not None and exact_error <= _ARITHMETIC.multiply(Decimal(repr(relative)), exact.copy_abs())


def _exact(number: re.Match[bytes]) -> Decimal:
    mantissa, exponent = number.groups()
    shift = max(-_EXPONENT, min(_EXPONENT, int(exponent or b"0")))
    return _ARITHMETIC.scaleb(Decimal(mantissa.decode("ascii")), Decimal(shift))


def _read_tokens(file: BinaryIO) -> Tokens:
    rest = b""
    while block := file.read(max(_BLOCK, len(rest))):  # grows with a giant token, or joining it would be quadratic
        block = rest + block
        tokens = block.split()  # without an argument: exactly the white space above
        rest = tokens.pop() if tokens and block[-1] not in _WHITE else b""
        yield from tokens
    if rest:
        yield rest


def _read_runs(file: BinaryIO) -> Tokens:
    """Yield words and white space alternately, for the comparison in which white space counts."""
    rest = b""
    while block := file.read(max(_BLOCK, len(rest))):
        runs = _RUNS.findall(rest + block)
        rest = runs.pop()
        yield from runs
    if rest:
        yield rest


def _quote(token: bytes | None) -> str | None:
    if token is None:
        return None
    excerpt = token[:40].decode("ascii", "backslashreplace")
    return repr(excerpt) + ("..." if len(token) > 40 else "")


class Checker(Protocol):
    """Judges outputs of one submission, one after the other."""

    @property
    def next_input(self) -> Path | None:
        """The next pass's input from the last judgement; None if there is none."""
        ...

    def check(self, case: TestCase, output: Path, *, goes_on: bool = False) -> Judgement:
        """Judge one output; `goes_on`: it is a further pass over the last case.

        Raises PackageError when the package's validator failed, SandboxError when we did.
        """
        ...


@contextmanager
def open_checker(package: Package, sandbox: Sandbox, work_root: Path, cpu: int | None = None) -> Iterator[Checker]:
    """Prepare the package's checker on the core `cpu`. Raises PackageError when it does not compile."""
    if package.output_validator is None:
        yield DefaultChecker()
        return
    with open_validator(package, sandbox, work_root, cpu) as validator:
        yield ValidatorChecker(validator)


class DefaultChecker:
    """The format's default output validator."""

    next_input: Path | None = None

    def check(self, case: TestCase, output: Path, *, goes_on: bool = False) -> Judgement:
        """Compare with the answer, token by token."""
        difference = find_difference(case.answer, output, parse_flags(case.validator_args))
        message = of_tokens(difference) if difference else ""
        return Judgement(is_accepted=difference is None, message=message, difference=difference)


class NoChecker:
    """Accepts every output: of an input that has no answer."""

    next_input: Path | None = None

    def check(self, case: TestCase, output: Path, *, goes_on: bool = False) -> Judgement:
        """Compare with nothing."""
        return Judgement(is_accepted=True)


class ValidatorChecker:
    """A package's own output validator."""

    def __init__(self, validator: OpenValidator) -> None:
        self._validator = validator

    @property
    def next_input(self) -> Path | None:
        """The validator's input for the next pass."""
        return self._validator.next_input

    def check(self, case: TestCase, output: Path, *, goes_on: bool = False) -> Judgement:
        """Run the validator on one output."""
        validator = self._validator
        with blaming_package(case):
            outcome = validator.jail.run(validator.command(case, stdin=output, goes_on=goes_on), validator.limits)
        judgement = validator.judgement(case, outcome)
        if judgement is None:
            raise validator.failure(case, outcome)
        return judgement


@contextmanager
def blaming_package(case: TestCase) -> Iterator[None]:
    """Wrap a run whose arguments and files the package chose. Raises PackageError when no jail accepts them."""
    try:
        yield
    except LimitsError as error:
        why = Sentence("cannot be given to a program: %(error)s", error=str(error))
        raise PackageError(f"data/{case.name}.in", "", why) from error
