"""Read environment variables: one function per type. Only the modules of `web.settings` call them.

A secret may also come as a file, whose path is in the variable NAME_FILE: the way of Docker's and Kubernetes' secrets,
which keeps it out of process lists and out of what a container's description shows. Whatever is wrong raises
ImproperlyConfigured with a sentence that names the variable, never its value where that is a secret. While the settings
are read, `gather` keeps these sentences, and what is wrong has its default meanwhile; `stop_if_wrong` raises them all.
"""

import os
import re
from collections.abc import Callable, Collection
from functools import wraps
from ipaddress import ip_network
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from django.core.exceptions import ImproperlyConfigured

_P = ParamSpec("_P")
_T = TypeVar("_T")
_wrong: list[str] | None = None  # the sentences so far; None: each is raised at once


def gather() -> None:
    """Keep what is wrong from now on, until `stop_if_wrong`."""
    global _wrong
    _wrong = []


def stop_if_wrong() -> None:
    """Raise ImproperlyConfigured with every sentence that was kept, one a line."""
    global _wrong
    sentences, _wrong = _wrong, None
    if sentences:
        raise ImproperlyConfigured("\n".join(dict.fromkeys(sentences)))


def gathered(default_of: Callable[..., Any]) -> Callable[[Callable[_P, _T]], Callable[_P, _T]]:
    """Have a function that reads variables keep what is wrong while that is gathered, and return what
    `default_of` returns."""

    def decorate(read: Callable[_P, _T]) -> Callable[_P, _T]:
        @wraps(read)
        def reading(*args: _P.args, **how: _P.kwargs) -> _T:
            try:
                return read(*args, **how)
            except ImproperlyConfigured as wrong:
                if _wrong is None:
                    raise
                _wrong.append(str(wrong))
                value: _T = default_of(*args, **how)
                return value

        return reading

    return decorate


_HOST = re.compile(r"[\w.*-]+|\[[0-9a-fA-F:.]+\]", re.ASCII)  # "*" and ".example.org" mean what Django says


def text(name: str, default: str) -> str:
    """Return the variable, or the default."""
    return os.environ.get(name, default)


@gathered(lambda name, default, **bounds: default)
def integer(name: str, default: int, *, least: int = 1, most: int | None = None) -> int:
    """Return the variable as a whole number from `least` to `most`."""
    value = os.environ.get(name, str(default))
    try:
        number = int(value)
    except ValueError:
        raise ImproperlyConfigured(f"{name} must be a whole number, not {value!r}") from None
    if number < least:
        raise ImproperlyConfigured(f"{name} must be {least} or more, not {number}")
    if most is not None and number > most:
        raise ImproperlyConfigured(f"{name} must be {most} or less, not {number}")
    return number


@gathered(lambda name, **bounds: 0)
def days(name: str, *, least: int) -> int:
    """Return the variable as a number of days, `least` or more; 0, the default, stands for ever."""
    number = integer(name, 0, least=0, most=36_500)
    if 0 < number < least:
        raise ImproperlyConfigured(f"{name} must be 0, for ever, or {least} or more, not {number}")
    return number


@gathered(lambda name, default: default)
def boolean(name: str, default: bool) -> bool:
    """Return the variable as yes or no."""
    value = os.environ.get(name, "1" if default else "0").lower()
    if value not in {"0", "1", "true", "false", "yes", "no"}:
        raise ImproperlyConfigured(f"{name} must be 0 or 1, not {value!r}")
    return value in {"1", "true", "yes"}


@gathered(lambda name, default, allowed: default)
def choice(name: str, default: str, allowed: tuple[str, ...]) -> str:
    """Return the variable, which must be one of these words."""
    value = os.environ.get(name, default)
    if value not in allowed:
        raise ImproperlyConfigured(f"{name} must be one of {', '.join(allowed)}, not {value!r}")
    return value


@gathered(lambda name, default="", allowed=(): [])
def words(name: str, default: str = "", allowed: Collection[str] = ()) -> list[str]:
    """Return the variable's words, separated by commas; only these words, if any are given."""
    listed = [word for part in os.environ.get(name, default).split(",") if (word := part.strip())]
    unknown = [word for word in listed if allowed and word not in allowed]
    if unknown:
        raise ImproperlyConfigured(f"{name} must be of {', '.join(allowed)}, not {', '.join(map(repr, unknown))}")
    return listed


@gathered(lambda name: [])
def hosts(name: str) -> list[str]:
    """Return the variable as host names, separated by commas: without a scheme, a port or a path."""
    names = words(name)
    for host in names:
        if not _HOST.fullmatch(host):
            raise ImproperlyConfigured(f"{name} must be names of hosts like judge.example.org, not {host!r}")
    return names


@gathered(lambda name, default: [])
def networks(name: str, default: str) -> list[str]:
    """Return the variable as addresses and networks, separated by commas."""
    addresses = words(name, default)
    for address in addresses:
        try:
            ip_network(address)
        except ValueError:
            raise ImproperlyConfigured(
                f"{name} must be addresses or networks like 10.0.0.0/8, not {address!r}"
            ) from None
    return addresses


@gathered(lambda name, default="": default)
def secret(name: str, default: str = "") -> str:
    """Return the variable, or the content of the file that NAME_FILE names, without surrounding space."""
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
    """Return whether the variable or its file is set."""
    return name in os.environ or bool(os.environ.get(f"{name}_FILE"))


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
