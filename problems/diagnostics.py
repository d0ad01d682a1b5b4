"""Collect errors and warnings while a package is read; nothing stops at the first."""

from collections.abc import Callable

from problems.package import PackageError, PackageErrors
from problems.translation import Sentence

MOST_ERRORS = 100  # enough for any person to mend; a hostile package could have a million


def reason_of(warning: str) -> str:
    """Return the template of a warning's reason, which tells warnings apart; "" of plain text."""
    why = warning.values.get("why") if isinstance(warning, Sentence) else None
    return why.template if isinstance(why, Sentence) else ""


class Report:
    """Errors and warnings of one package, in the order in which they were found.

    With `is_strict` (format 2025-09) an unknown key is an error, otherwise a warning.
    """

    def __init__(self) -> None:
        self.errors: list[PackageError] = []
        self.warnings: list[Sentence] = []
        self.is_strict = False
        self.rename: Callable[[str], str] = str  # of files: to the names that the setter knows

    def error(self, file: str, key: str, why: Sentence) -> None:
        """Add an error: something that makes the package unusable."""
        if len(self.errors) < MOST_ERRORS:
            self.errors.append(self._renamed(file, key, why))

    def add(self, error: PackageError) -> None:
        """Add a raised error."""
        self.error(error.file, error.key, error.why)

    def warn(self, file: str, key: str, why: Sentence) -> None:
        """Add a warning: something that the setter should know about a usable package."""
        if len(self.warnings) < MOST_ERRORS:
            self.warnings.append(self._renamed(file, key, why).sentence)

    def _renamed(self, file: str, key: str, why: Sentence) -> PackageError:
        name = file if isinstance(file, Sentence) else self.rename(file)
        return PackageError(name, key, why.with_values(self.rename))

    def notice(self, file: str, key: str, why: Sentence) -> None:
        """Add a harmless breach of the format: an error where the format is strict, else a warning."""
        (self.error if self.is_strict else self.warn)(file, key, why)

    def stop_if_broken(self) -> None:
        """Raise PackageErrors with all errors so far, if there is one."""
        if self.errors:
            raise PackageErrors(self.errors)
