"""The key that signs sessions, where no variable gives one."""

from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

from web.settings.environment import gathered


@gathered(lambda folder: "")
def kept_secret_key(folder: Path) -> str:
    """Return the key in the folder, made at the first time. Raises ImproperlyConfigured."""
    file = folder / "secret_key"
    try:
        if not file.exists():
            from django.core.management.utils import get_random_secret_key

            folder.mkdir(parents=True, exist_ok=True)
            file.write_text(get_random_secret_key())
            file.chmod(0o600)
        return file.read_text().strip()
    except OSError as error:
        raise ImproperlyConfigured(
            f"{file} cannot be read or made: {error.strerror}. Run this command as root, or set TALLY_SECRET_KEY and"
            " TALLY_VAR_DIR"
        ) from error
