"""Find the runtimes: the host files that a run jail or a reader's jail shows. It shows nothing else of the host's disk.

An allow-list. Of Python: the interpreter in /usr/bin (else /usr/local/bin) and its standard library, as sources,
compiled files and extension modules; not what `_LEFT_OUT` names, and no third party's packages. For compiled programs:
the C, C++ and Rust runtimes of `_LIBRARIES`. The dynamic loader itself finds all libraries that these need. Besides
locales and time zones. No shell, no tools, no archives, headers or documents.

A reader's jail (`sandbox.image.reading`) shows the interpreter that we run under, the two programs of binutils that
read a program's file, and the packages with our own code for the reader.

A program runs in the locale C.UTF-8 and in UTC unless it asks for others. For that it finds, on all hosts the same,

- the locales that `native/Makefile` compiles from the host's descriptions: `en_US`, which most programs name; `ko_KR`,
  `ja_JP` and `zh_CN`, whose letters and order C.UTF-8 does not know; `de_DE` and `fr_FR`, with which books show what
  `std::locale` does to numbers. All are UTF-8. Together 9 MiB, since those of Europe share their order: each further
  one that does not takes 1 to 3;
- every time zone of the Python package tzdata. A host's own folder of zones also has links to what it has chosen.

`make -C native` leaves the locales in a folder named for the C library, whose format they have. Without
them, or without the package, a jail opens all the same, and the doctor says what programs miss.
"""

import json
import os
import platform
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from sandbox.errors import ImageError
from sandbox.types import HostRuntime

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
ADDR2LINE, OBJDUMP = Path("/usr/bin/addr2line"), Path("/usr/bin/objdump")  # a reader's
_PACKAGE_SUFFIXES = (".py", ".so")
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
_LIBC = (os.confstr("CS_GNU_LIBC_VERSION") or "none").replace(" ", "-")
LOCALES = Path(__file__).parents[1] / "native" / "build" / f"locales-{_LIBC}"
_LOCALES_SHOWN, _ZONES_SHOWN = Path("/usr/lib/locale"), Path("/usr/share/zoneinfo")
_OF_THE_PACKAGE = (".py", ".pyc")  # what makes the folders of zones importable


@dataclass(frozen=True, kw_only=True, slots=True)
class Contents:
    """The parts of an image, beside the C, C++ and Rust runtimes."""

    interpreters: tuple[Path, ...]  # the first that exists is shown with its standard library
    programs: tuple[Path, ...]  # those that exist are shown
    folders: tuple[Path, ...] = ()  # likewise, with all that is in them
    own_parts: tuple[Path, ...] = ()  # our own files
    packages: tuple[str, ...] = ()  # Python packages by name, with all modules below them
    has_regions: bool = False  # with locales and time zones


@dataclass(frozen=True, kw_only=True, slots=True)
class Runtimes:
    """Host files to show under their own paths, files of packages with their places, and files that tell of changes."""

    interpreter: Path | None
    files: tuple[Path, ...]  # real files and links
    packages: tuple[tuple[Path, str], ...]  # a file, and its path below the folder of packages
    data: tuple[tuple[Path, Path], ...]  # real files that are shown elsewhere: each with its path in the jail
    library_folders: tuple[Path, ...]  # where the loader found libraries
    watched: tuple[Path, ...]  # when none of these changes, the files are the same; some may be absent


def of_runs(own_parts: tuple[Path, ...], runtime: HostRuntime) -> Contents:
    """Return what the jails of programs of this runtime show."""
    return Contents(
        interpreters=_INTERPRETERS,
        programs=(*_SHELL, *runtime.programs),
        folders=runtime.folders,
        own_parts=own_parts,
        has_regions=True,
    )


def of_readers(packages: tuple[str, ...]) -> Contents:
    """Return what the jails of readers show: our own interpreter, since the packages are installed for that one."""
    return Contents(interpreters=(reader_interpreter(),), programs=(ADDR2LINE, OBJDUMP), packages=packages)


def reader_interpreter() -> Path:
    """Return the path of a reader's Python, on the host and in the jail."""
    return Path(sys.executable).resolve()


def find_runtimes(contents: Contents) -> Runtimes:
    """Find the files, and the libraries that they need. Raises ImageError."""
    loader = _LOADERS.get(platform.machine())
    if loader is None or not loader.exists():
        raise ImageError(f"there is no dynamic loader for {platform.machine()} where one is looked for")
    interpreter = next((path for path in contents.interpreters if path.is_file()), None)
    modules, folders = _standard_library(interpreter) if interpreter else ([], [])
    packages = [file for name in contents.packages for file in _package(name)]
    extensions = [path for path in (*modules, *(path for path, _ in packages)) if path.suffix == ".so"]
    programs = [path for path in (interpreter, *contents.programs) if path is not None and path.is_file()]
    libraries = _libraries(loader, interpreter or NOTHING, (*extensions, *contents.own_parts))
    libraries += [library for program in programs for library in _libraries(loader, program, ())]
    locale = next((path for path in _LOCALES if path.is_dir()), None)
    locales = [path for path in sorted(locale.rglob("*")) if path.is_file()] if locale else []
    inside = [path for folder in contents.folders for path in sorted(folder.rglob("*"))]
    shared = [path for path in libraries if path not in (*extensions, *contents.own_parts)]
    looked_up = [*contents.interpreters, *contents.programs, loader, Path("/etc/ld.so.cache")]
    looked_up += [*contents.folders, *inside]
    looked_up += filter(None, (LOCALES, zones())) if contents.has_regions else []
    return Runtimes(
        interpreter=interpreter,
        files=tuple(dict.fromkeys([*programs, loader, *shared, *modules, *locales, *filter(Path.is_file, inside)])),
        packages=tuple(dict.fromkeys(packages)),
        data=tuple(regional_files()) if contents.has_regions else (),
        library_folders=tuple(dict.fromkeys(path.parent for path in shared)),
        watched=tuple(dict.fromkeys([*looked_up, *shared, *folders, *(path for path, _ in packages)])),
    )


def _package(name: str) -> Iterator[tuple[Path, str]]:
    """Yield the modules of a package and of those above it, each with its path below the folder of packages."""
    above = name.split(".")[:-1]
    for depth in range(1, len(above) + 1):
        folder = _folder_of(".".join(above[:depth]))
        yield folder / "__init__.py", "/".join((*above[:depth], "__init__.py"))
    folder = _folder_of(name)
    for path in sorted(folder.rglob("*")):
        if path.suffix in _PACKAGE_SUFFIXES and path.is_file():
            yield path, "/".join((*name.split("."), *path.relative_to(folder).parts))


def _folder_of(package: str) -> Path:
    try:
        spec = find_spec(package)
    except ImportError:
        spec = None
    if spec is None or not spec.submodule_search_locations:
        raise ImageError(f"the Python package {package} is not installed")
    return Path(next(iter(spec.submodule_search_locations)))


def _standard_library(interpreter: Path) -> tuple[list[Path], list[Path]]:
    """Return Python's standard library: its files and all folders of them."""
    try:
        answer = subprocess.run(
            [interpreter, "-I", "-S", "-c", _ASK], env={}, capture_output=True, timeout=_ASK_S, check=True
        )
        pure, platform_own, version, names = json.loads(answer.stdout)
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        raise ImageError(f"{interpreter} does not say where its standard library is: {error}") from error
    compiled = f".cpython-{version[0]}{version[1]}.pyc"  # not those of python -O, which no program here is run with
    allowed = set(names) - _LEFT_OUT.keys()
    files: list[Path] = []
    folders: list[Path] = []
    for root in sorted({Path(pure), Path(platform_own)}):
        for folder, below, file_names in os.walk(root):
            place = Path(folder)
            tops = {*allowed, "lib-dynload", "__pycache__"}
            entered = tops if place == root else {*below} - _TEST_FOLDERS
            below[:] = [name for name in sorted(below) if name in entered]
            inside = place.relative_to(root).parts
            is_package = bool(inside) and inside[0] not in ("lib-dynload", "__pycache__")
            suffixes = (compiled,) if place.name == "__pycache__" else (".py", ".so")
            paths = []
            for path in (place / name for name in sorted(file_names) if name.endswith(suffixes)):
                first = inside[0] if is_package else path.name.partition(".")[0]
                if (first in allowed or first.startswith(_BESIDES)) and path.is_file():
                    paths.append(path)
            if paths or place == root:
                folders.append(place)
            files += paths
    return files, folders


def _libraries(loader: Path, program: Path, also: tuple[Path, ...]) -> list[Path]:
    """Return everything the loader would load for these programs together. Source: --list and --preload of ld.so(8)."""
    preload = ":".join([*_LIBRARIES, *map(str, also)])
    try:
        answer = subprocess.run(
            [loader, "--preload", preload, "--list", program], env={}, capture_output=True, timeout=_ASK_S, check=True
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise ImageError(f"{loader} does not say which libraries {program} needs: {error}") from error
    return [Path(match) for match in _TOLD_BY_LOADER.findall(os.fsdecode(answer.stdout))]


def stamps(paths: Iterable[Path | str]) -> Iterator[tuple[str, int, int]]:
    """Return values that change with these files and folders: name, size and time of change in ns."""
    for path in paths:
        try:
            status = os.stat(path)  # noqa: PTH116 - dozens of them, for each jail that opens
        except OSError:
            yield str(path), -1, -1
        else:
            yield str(path), status.st_size, status.st_mtime_ns


def zones() -> Path | None:
    """Return the folder of time zones; None if the package is not installed."""
    spec = find_spec("tzdata")
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


def what_is_missing() -> str:
    """Return what programs do without on this host, as part of a sentence; "" if nothing."""
    missing = ("" if LOCALES.is_dir() else "no locales but C.UTF-8", "" if zones() else "no time zones but UTC")
    return ", ".join(part for part in missing if part)
