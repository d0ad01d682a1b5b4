"""Shared parts of the grading commands: open what the user named, show progress, and report errors in one sentence.

They work without a server and without a database.
"""

import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, TextIO

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from judge.grading.events import CaseJudged
from judge.grading.languages import LANGUAGES, Language, language_of_file
from judge.grading.source_text import SourceRefused, SourceText, take_source
from judge.grading.verification.verified import Step
from judge.grading.words import harmless
from problems.archive.upload import staged_package
from problems.format.files import printable
from problems.loading.loading import load_package
from problems.package import Package, PackageErrors
from problems.translation import Sentence
from sandbox.errors import SandboxError
from sandbox.jail.nsjail import NsjailSandbox

FAULT, USAGE, OURS = 1, 2, 3
SIGNALLED = 128  # and the number of the signal that ended it, as a shell says it
EVERY_S = 10.0  # between two lines where stderr is no terminal
_WIDTH = 100  # of the line on a terminal, which the next one replaces
_MINUTE_S = 60


class Stopped(KeyboardInterrupt):
    """The user (Ctrl-C) or the system (SIGTERM) ends the command."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.number = number


@contextmanager
def stoppable() -> Iterator[None]:
    """Make SIGINT, SIGTERM and SIGHUP raise Stopped the first time; a second one ends the process at once."""
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

    def stop(number: int, frame: object) -> None:
        for listed in numbers:
            signal.signal(listed, signal.SIG_DFL)
        raise Stopped(number)

    before = {number: signal.signal(number, stop) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class Refused(Exception):
    """Ends the command with these sentences on stderr and this exit code."""

    def __init__(self, code: int, *sentences: str) -> None:
        super().__init__("\n".join(sentences))
        self.code = code


class GradingCommand(BaseCommand):
    """A command that needs only the sandbox and a package."""

    requires_system_checks: list[str] = []
    exit_codes = ""  # in a sentence, for --help

    def create_parser(self, prog_name: str, subcommand: str, **how: Any) -> CommandParser:
        """Add the exit codes below the arguments."""
        return super().create_parser(prog_name, subcommand, epilog=f"Exit codes: {self.exit_codes}", **how)

    def say(self, text: str) -> None:
        """Print untrusted text: compiler messages, names in a package."""
        self.stdout.write(harmless(text))

    def complain(self, text: str) -> None:
        """Print untrusted text to stderr."""
        self.stderr.write(harmless(text))

    @contextmanager
    def fail_plainly(self) -> Iterator[None]:
        """Turn exceptions into sentences on stderr and an exit code."""
        try:
            with stoppable():
                yield
        except Stopped as stop:
            self.complain(stopped_by(stop))
            sys.exit(SIGNALLED + stop.number)
        except Refused as refused:
            self.complain(str(refused))
            sys.exit(refused.code)
        except PackageErrors as errors:
            self.complain("\n".join(map(str, errors.errors)))
            sys.exit(FAULT)
        except SandboxError as error:
            self.complain(sandbox_failed(error))
            sys.exit(OURS)


def stopped_by(stop: Stopped) -> Sentence:
    """Return that a signal ended the command, as half a sentence."""
    return Sentence("it was interrupted (%(signal)s)", signal=str(stop))


def sandbox_failed(error: SandboxError) -> Sentence:
    """Describe our own failure, as half a sentence."""
    return Sentence("the sandbox failed: %(error)s", error=str(error))


@contextmanager
def open_package(path: Path) -> Iterator[Package]:
    """Open the package in a folder or a zip, of any supported format. Raises Refused, PackageErrors."""
    if not path.exists():
        raise Refused(USAGE, f"there is no {path}")
    with staged_package(path, staging_root=Path(tempfile.gettempdir())) as staged:
        package = load_package(staged.folder.resolve())
        yield replace(package, warnings=(*staged.warnings, *package.warnings))


def open_sandbox() -> tuple[NsjailSandbox, Path]:
    """Return the real sandbox and its work folder. Raises SandboxError."""
    return NsjailSandbox(settings.WORK_DIR), settings.WORK_DIR


def read_source(path: Path, language: Language, package: Package) -> SourceText:
    """Return a submission's source. Raises Refused."""
    try:
        return take_source(path.read_bytes(), language, package.limits.code_bytes)
    except OSError as error:
        raise Refused(USAGE, f"cannot read {path}: {error.strerror}") from error
    except SourceRefused as refused:
        raise Refused(USAGE, str(refused)) from refused


def choose_language(chosen: str | None, path: Path) -> Language:
    """Return the requested language, or the one of the file's extension. Raises Refused."""
    language = LANGUAGES[chosen] if chosen else language_of_file(path.name)
    if language is None:
        raise Refused(
            USAGE, f"{path.name} has no extension that tells the language: use --language {'|'.join(LANGUAGES)}"
        )
    return language


class ProgressLine:
    """The progress of a verification: on a terminal one changing line, elsewhere a line now and then."""

    def __init__(self, out: TextIO | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._out = out or sys.stderr
        self._clock = clock
        self._begin = self._told_at = clock()
        self._what = ""
        self._cases = 0

    def step(self, step: Step) -> None:
        """Note the next file."""
        self._what = f"{step.phase} {step.done}/{step.total}  {printable(step.name)}"
        self._cases = 0
        self._tell(self._what)

    def case(self, case: CaseJudged) -> None:
        """Note a finished test case of the current submission."""
        self._cases += 1
        self._tell(f"{self._what}: {printable(case.name)}, test case {self._cases:,}")

    def clear(self) -> None:
        """Clear the terminal line for other output."""
        if self._out.isatty():
            self._out.write(f"\r{'':{_WIDTH}}\r")
            self._out.flush()

    def _tell(self, words: str) -> None:
        now = self._clock()
        minutes, seconds = divmod(int(now - self._begin), _MINUTE_S)
        line = harmless(f"{minutes}:{seconds:02} {words}")[:_WIDTH]
        if self._out.isatty():
            self._out.write(f"\r{line:{_WIDTH}}\r")
        elif now - self._told_at >= EVERY_S:
            self._told_at = now
            self._out.write(f"{line}\n")
        self._out.flush()
