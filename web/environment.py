"""Reading environment variables: one function per type. `web.settings` and `web.package_storage` alone call them.

A secret may also come as a file, whose path is in the variable NAME_FILE: the way of Docker's and Kubernetes' secrets,
which keeps it out of process lists and out of what a container's description shows. Whatever is wrong raises
ImproperlyConfigured with a sentence that names the variable, never its value where that is a secret.
"""

import os
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured


def text(name: str, default: str) -> str:
    """The variable, or the default."""
    return os.environ.get(name, default)


def integer(name: str, default: int) -> int:
    """The variable as a whole number."""
    value = os.environ.get(name, str(default))
    try:
        return int(value)
    except ValueError:
        raise ImproperlyConfigured(f"{name} must be a whole number, not {value!r}") from None


def boolean(name: str, default: bool) -> bool:
    """The variable as yes or no."""
    value = os.environ.get(name, "1" if default else "0").lower()
    if value not in {"0", "1", "true", "false", "yes", "no"}:
        raise ImproperlyConfigured(f"{name} must be 0 or 1, not {value!r}")
    return value in {"1", "true", "yes"}


def choice(name: str, default: str, allowed: tuple[str, ...]) -> str:
    """The variable as one of these words."""
    value = os.environ.get(name, default)
    if value not in allowed:
        raise ImproperlyConfigured(f"{name} must be one of {', '.join(allowed)}, not {value!r}")
    return value


def secret(name: str, default: str = "") -> str:
    """The variable, or what the file that NAME_FILE names holds, without the space around it."""
    file = os.environ.get(f"{name}_FILE", "")
    if not file:
        return os.environ.get(name, default)
    if os.environ.get(name):
        raise ImproperlyConfigured(f"{name} and {name}_FILE are both set: keep one of them")
    try:
        value = Path(file).read_text().strip()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no text"
        raise ImproperlyConfigured(f"{name}_FILE names {file}, which cannot be read: {why}") from None
    if not value:
        raise ImproperlyConfigured(f"{name}_FILE names {file}, which is empty")
    return value


def is_given(name: str) -> bool:
    """Whether the variable or its file is set."""
    return name in os.environ or bool(os.environ.get(f"{name}_FILE"))
