"""Find the locales and time zones that run jails show. None of them is the host's own: all hosts show the same.

A program runs in the locale C.UTF-8 and in UTC unless it asks for others. For that it finds

- the locales that `native/Makefile` compiles from the host's descriptions: `en_US`, which most programs name; `ko_KR`,
  `ja_JP` and `zh_CN`, whose letters and order C.UTF-8 does not know; `de_DE` and `fr_FR`, with which books show what
  `std::locale` does to numbers. All are UTF-8. Together 9 MiB, since those of Europe share their order: each further
  one that does not takes 1 to 3;
- every time zone of the Python package tzdata. A host's own folder of zones also has links to what it has chosen.

How it works: `make -C native` leaves the locales in a folder named for the C library, whose format they have. Without
them, or without the package, a jail opens all the same, and the doctor says what programs miss.
"""

import importlib.util
import os
from collections.abc import Iterator
from pathlib import Path

_LIBC = (os.confstr("CS_GNU_LIBC_VERSION") or "none").replace(" ", "-")
LOCALES = Path(__file__).parents[1] / "native" / "build" / f"locales-{_LIBC}"
_LOCALES_SHOWN, _ZONES_SHOWN = Path("/usr/lib/locale"), Path("/usr/share/zoneinfo")
_OF_THE_PACKAGE = (".py", ".pyc")  # what makes the folders of zones importable


def zones() -> Path | None:
    """Return the folder of time zones; None if the package is not installed."""
    spec = importlib.util.find_spec("tzdata")
    folders = [Path(folder) / "zoneinfo" for folder in (spec.submodule_search_locations or ())] if spec else []
    return next((folder for folder in folders if folder.is_dir()), None)


def regional_files() -> Iterator[tuple[Path, Path]]:
    """Return each file of a locale or a time zone, and where a jail shows it."""
    for folder, target in ((LOCALES, _LOCALES_SHOWN), (zones(), _ZONES_SHOWN)):
        if folder is None:
            continue
        for path in sorted(folder.rglob("*")):
            if path.is_file() and path.suffix not in _OF_THE_PACKAGE:
                yield path, target / path.relative_to(folder)


def regional_folders() -> tuple[Path, ...]:
    """Return the folders that change when these files do."""
    return tuple(folder for folder in (LOCALES, zones()) if folder)


def what_is_missing() -> str:
    """Return what programs do without on this host, as part of a sentence; "" if nothing."""
    missing = ("" if LOCALES.is_dir() else "no locales but C.UTF-8", "" if zones() else "no time zones but UTC")
    return ", ".join(part for part in missing if part)
