"""Find the runtimes: the host files that a run jail shows. It shows nothing else of the host's disk.

An allow-list. Of Python: the interpreter in /usr/bin (else /usr/local/bin) and its standard library, as sources,
compiled files and extension modules; not what `_LEFT_OUT` names, and no third party's packages. For compiled programs:
the C, C++ and Rust runtimes of `_LIBRARIES`. The dynamic loader itself finds all libraries that these need. Besides the
locales and time zones of `sandbox.image.regions`. No shell, no tools, no archives, headers or documents.
"""

import json
import os
import platform
import re
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from sandbox.errors import ImageError
from sandbox.image.regions import regional_files, regional_folders

_INTERPRETERS = (Path("/usr/bin/python3"), Path("/usr/local/bin/python3"))  # the first that is there
_LOADERS = {"x86_64": Path("/lib64/ld-linux-x86-64.so.2"), "aarch64": Path("/lib/ld-linux-aarch64.so.1")}
_LIBRARIES = (  # what g++ and rustc link programs with; some are there with an older C library only
    "libc.so.6",
    "libm.so.6",
    "libgcc_s.so.1",
    "libstdc++.so.6",
    "libatomic.so.1",  # std::atomic of more than a word
    "libpthread.so.0",  # these three are empty since glibc 2.34, but programs that name them want them there
    "libdl.so.2",
    "librt.so.1",
)
_LOCALES = (Path("/usr/lib/locale/C.utf8"), Path("/usr/lib/locale/C.UTF-8"))  # LANG of every program
NOTHING = Path("/usr/bin/true")  # what a jail adds to a program that does nothing: sandbox/doctor/overhead.py
# system(3) and popen(3) are part of the languages and fail without a shell; the others are what it is asked for
_SHELL = tuple(Path("/usr/bin", name) for name in ("sh", "cat", "echo", "env", "false", "sleep", "true"))
_LEFT_OUT = {  # of the standard library, and why
    "antigravity": "opens a browser",
    "distutils": "builds and installs packages",
    "ensurepip": "installs packages; brings archives",
    "idlelib": "an editor with windows",
    "lib2to3": "rewrites programs",
    "nis": "asks the network; brings six libraries of Kerberos",
    "ossaudiodev": "plays sound",
    "pydoc_data": "documents",
    "tkinter": "windows",
    "_tkinter": "windows",
    "turtle": "windows",
    "turtledemo": "windows",
    "venv": "installs packages; brings programs for other systems",
    "webbrowser": "opens a browser",
}
_BESIDES = "_sysconfigdata"  # how the interpreter was built: `sysconfig` reads it, the list of modules does not name it
_TEST_FOLDERS = {"test", "tests", "idle_test"}
_TOLD_BY_LOADER = re.compile(r"^\s*(?:\S+ => )?(/\S+) \(0x[0-9a-f]+\)$", re.MULTILINE)
_ASK = """
import json, sys, sysconfig
path = sysconfig.get_path
print(json.dumps([path("stdlib"), path("platstdlib"), sys.version_info[:2], sorted(sys.stdlib_module_names)]))
"""
_ASK_S = 20.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Runtimes:
    """Host files to show under their own paths, and the files to check for changes."""

    files: tuple[Path, ...]  # real files and links
    data: tuple[tuple[Path, Path], ...]  # real files that are shown elsewhere: each with its path in the jail
    library_folders: tuple[Path, ...]  # where the loader found libraries
    watched: tuple[Path, ...]  # when none of these changes, the files are the same; some may be absent


def find_runtimes(own_parts: tuple[Path, ...]) -> Runtimes:
    """Find the files, and the libraries that our `own_parts` need. Raises ImageError."""
    loader = _LOADERS.get(platform.machine())
    if loader is None or not loader.exists():
        raise ImageError(f"there is no dynamic loader for {platform.machine()} where one is looked for")
    interpreter = next((path for path in _INTERPRETERS if path.is_file()), None)
    modules, folders = _standard_library(interpreter) if interpreter else ([], [])
    extensions = [path for path in modules if path.suffix == ".so"]
    programs = [path for path in (interpreter, *_SHELL) if path is not None and path.is_file()]
    libraries = _libraries(loader, interpreter or NOTHING, (*extensions, *own_parts))
    libraries += [library for program in programs for library in _libraries(loader, program, ())]
    locale = next((path for path in _LOCALES if path.is_dir()), None)
    locales = [path for path in sorted(locale.rglob("*")) if path.is_file()] if locale else []
    shared = [path for path in libraries if path not in (*extensions, *own_parts)]
    return Runtimes(
        files=tuple(dict.fromkeys([*programs, loader, *shared, *modules, *locales])),
        data=tuple(regional_files()),
        library_folders=tuple(dict.fromkeys(path.parent for path in shared)),
        watched=tuple(
            dict.fromkeys(
                [*_INTERPRETERS, *_SHELL, loader, Path("/etc/ld.so.cache"), *shared, *folders, *regional_folders()]
            )
        ),
    )


def _standard_library(interpreter: Path) -> tuple[list[Path], list[Path]]:
    """Return Python's standard library: its files and all folders of them."""
    try:
        asked = subprocess.run(
            [interpreter, "-I", "-S", "-c", _ASK], env={}, capture_output=True, timeout=_ASK_S, check=True
        )
        pure, platform_own, version, names = json.loads(asked.stdout)
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        raise ImageError(f"{interpreter} does not say where its standard library is: {error}") from error
    compiled = f".cpython-{version[0]}{version[1]}.pyc"  # not those of python -O, which no program here is run with
    allowed = set(names) - _LEFT_OUT.keys()
    files: list[Path] = []
    folders: list[Path] = []
    for root in sorted({Path(pure), Path(platform_own)}):
        for folder, below, found in os.walk(root):
            place = Path(folder)
            below[:] = [name for name in sorted(below) if _is_wanted_folder(place.relative_to(root), name, allowed)]
            kept = [place / name for name in sorted(found) if _is_wanted_file(place, root, name, allowed, compiled)]
            if kept or place == root:
                folders.append(place)
            files += kept
    return files, folders


def _is_wanted_folder(place: Path, name: str, allowed: set[str]) -> bool:
    if place.parts:
        return name not in _TEST_FOLDERS
    return name in allowed or name in ("lib-dynload", "__pycache__")


def _is_wanted_file(place: Path, root: Path, name: str, allowed: set[str], compiled: str) -> bool:
    inside = place.relative_to(root).parts
    is_module = name.endswith((".py", ".so")) if place.name != "__pycache__" else name.endswith(compiled)
    is_package = bool(inside) and inside[0] not in ("lib-dynload", "__pycache__")
    first = inside[0] if is_package else name.partition(".")[0]
    return is_module and (first in allowed or first.startswith(_BESIDES)) and (place / name).is_file()


def _libraries(loader: Path, program: Path, also: tuple[Path, ...]) -> list[Path]:
    """Return everything the loader would load for these programs together. Source: --list and --preload of ld.so(8)."""
    preload = ":".join([*_LIBRARIES, *map(str, also)])
    try:
        asked = subprocess.run(
            [loader, "--preload", preload, "--list", program], env={}, capture_output=True, timeout=_ASK_S, check=True
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise ImageError(f"{loader} does not say which libraries {program} needs: {error}") from error
    return [Path(match) for match in _TOLD_BY_LOADER.findall(os.fsdecode(asked.stdout))]


def stamps(paths: Iterable[Path | str]) -> Iterator[tuple[str, int, int]]:
    """Return values that change with these files and folders: name, size and time of change in ns."""
    for path in paths:
        try:
            status = os.stat(path)  # noqa: PTH116 - dozens of them, for each jail that opens
        except OSError:
            yield str(path), -1, -1
        else:
            yield str(path), status.st_size, status.st_mtime_ns
