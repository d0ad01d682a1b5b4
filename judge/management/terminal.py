"""Shared parts of the grading commands: open what the user named, and report errors in one sentence.

They work without a server and without a database.
"""

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from judge.grading.languages import LANGUAGES, Language, language_of_file
from judge.grading.source_text import SourceRefused, SourceText, take_source
from judge.grading.words import harmless
from judge.management.progress import Stopped, stoppable
from problems.archive.upload import staged_package
from problems.loading.loading import load_package
from problems.package import Package, PackageErrors
from problems.translation import Sentence
from sandbox.errors import SandboxError
from sandbox.jail.nsjail import NsjailSandbox

FAULT, USAGE, OURS = 1, 2, 3
SIGNALLED = 128  # and the number of the signal that ended it, as a shell says it


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
