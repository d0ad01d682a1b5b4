"""What was found wrong, or odd, while a package was read: everything is collected, nothing stops at the first."""

from problems.package import PackageError, PackageErrors

MOST_ERRORS = 100  # enough for any person to mend; a hostile package could have a million


class Report:
    """Errors and warnings of one package, in the order in which they were found.

    With `is_strict` (format 2025-09) an unknown key is an error, otherwise a warning.
    """

    def __init__(self) -> None:
        self.errors: list[PackageError] = []
        self.warnings: list[str] = []
        self.is_strict = False

    def error(self, file: str, key: str, why: str) -> None:
        """Note one thing that keeps the package from being used."""
        if len(self.errors) < MOST_ERRORS:
            self.errors.append(PackageError(file, key, why))

    def add(self, error: PackageError) -> None:
        """Note an error that was raised."""
        self.error(error.file, error.key, error.why)

    def warn(self, file: str, key: str, why: str) -> None:
        """Note one thing that the setter should know, though the package can be used."""
        if len(self.warnings) < MOST_ERRORS:
            self.warnings.append(str(PackageError(file, key, why)))

    def oddity(self, file: str, key: str, why: str) -> None:
        """Note a breach of the format that does no harm: an error where the format is strict, else a warning."""
        (self.error if self.is_strict else self.warn)(file, key, why)

    def stop_if_broken(self) -> None:
        """Raise PackageErrors with all errors so far, if there is one."""
        if self.errors:
            raise PackageErrors(self.errors)
