"""What the commands that grade share: opening what the user named, and saying what is wrong in one sentence.

They work without a server and without a database. Exit codes: 0 done; 1 the package's fault or ours; 2 usage.
"""

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from django.conf import settings
from django.core.management.base import BaseCommand

from judge.languages import LANGUAGES, Language, language_of_file, source_problem
from judge.words import harmless
from problems.loading import load_package
from problems.package import Package, PackageErrors
from problems.upload import staged_package
from sandbox.errors import SandboxError
from sandbox.nsjail import NsjailSandbox

FAULT, USAGE = 1, 2


class Refused(Exception):
    """The command ends here, with these sentences on stderr and this exit code."""

    def __init__(self, code: int, *sentences: str) -> None:
        super().__init__("\n".join(sentences))
        self.code = code


class GradingCommand(BaseCommand):
    """A command that needs the sandbox and a package, nothing else."""

    requires_system_checks: list[str] = []

    def say(self, text: str) -> None:
        """Print what strangers may have written: a compiler's words, a package's names."""
        self.stdout.write(harmless(text))

    def complain(self, text: str) -> None:
        """The same on stderr."""
        self.stderr.write(harmless(text))

    @contextmanager
    def fail_plainly(self) -> Iterator[None]:
        """Turn what is wrong into sentences on stderr and an exit code."""
        try:
            yield
        except Refused as refused:
            self.complain(str(refused))
            sys.exit(refused.code)
        except PackageErrors as errors:
            self.complain("\n".join(map(str, errors.errors)))
            sys.exit(FAULT)
        except SandboxError as error:
            self.complain(f"the sandbox failed: {error}")
            sys.exit(FAULT)


@contextmanager
def open_package(path: Path) -> Iterator[Package]:
    """The package in a folder or a zip, of any format that Tally takes. Raises Refused, PackageErrors."""
    if not path.exists():
        raise Refused(USAGE, f"there is no {path}")
    with staged_package(path, staging_root=Path(tempfile.gettempdir())) as staged:
        package = load_package(staged.folder.resolve())
        yield replace(package, warnings=(*staged.warnings, *package.warnings))


def open_sandbox() -> tuple[NsjailSandbox, Path]:
    """The real sandbox and its work folder. Raises SandboxError."""
    return NsjailSandbox(settings.WORK_DIR), settings.WORK_DIR


def read_source(path: Path, package: Package) -> bytes:
    """A submission's source. Raises Refused."""
    try:
        source = path.read_bytes()
    except OSError as error:
        raise Refused(USAGE, f"cannot read {path}: {error.strerror}") from error
    problem = source_problem(source, package.limits.code_bytes)
    if problem:
        raise Refused(USAGE, problem)
    return source


def choose_language(chosen: str | None, path: Path) -> Language:
    """The language asked for, or the one of the file's extension. Raises Refused."""
    language = LANGUAGES[chosen] if chosen else language_of_file(path.name)
    if language is None:
        raise Refused(
            USAGE, f"{path.name} has no extension that tells the language: use --language {'|'.join(LANGUAGES)}"
        )
    return language
