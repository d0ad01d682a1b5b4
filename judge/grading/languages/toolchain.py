"""Find a language's toolchain on this host: its compiler or interpreter, its path inside a jail, and its version.

A compile jail shows /usr, /lib, /lib64 and /bin of the host read-only, so only a toolchain that lies below /usr can be
used; a run's jail shows what `sandbox.image.runtimes` names of it.
"""

import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from sandbox.errors import SandboxError
from sandbox.patience import output_of

_PATIENCE_S = 20  # for a compiler to say its version
_PACKAGES_STATUS = Path("/var/lib/dpkg/status")  # written with every package that comes, changes or goes


class ToolchainMissing(SandboxError):
    """This host cannot run the language; the message says why and what to do. Another worker may be able to."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Tool:
    """A language's compiler or interpreter: the file's name, how it is asked for its version, what it needs besides."""

    name: str
    version_argument: str
    debian_package: str  # brings it, for the remedy
    companions: tuple[str, ...] = ()  # other programs that it starts


@dataclass(frozen=True, kw_only=True, slots=True)
class Toolchain:
    """A language's toolchain on this host: `version` as the compiler says it, or `problem`, with the remedy."""

    path: str = ""
    version: str = ""
    problem: str = ""


@cache
def find_toolchain(tool: Tool, language_name: str) -> Toolchain:
    """Return the toolchain on this host, looked up once per process."""
    remedy = f"install it with: apt-get install {tool.debian_package}"
    path = _find(tool.name)
    if path is None:
        return Toolchain(problem=f"{language_name}: there is no {tool.name} below /usr; {remedy}")
    for companion in tool.companions:
        if _find(companion) is None:
            return Toolchain(problem=f"{language_name}: {tool.name} needs {companion}; apt-get install gcc")
    try:
        # An empty environment, as in the jail: a version that some variable selects would not be the one that runs.
        output = output_of([path, tool.version_argument], _PATIENCE_S, env={})
    except (OSError, subprocess.SubprocessError) as error:
        return Toolchain(problem=f"{language_name}: {path} does not start ({error}); {remedy}")
    lines = output.decode("utf-8", "replace").splitlines()
    return Toolchain(path=path, version=lines[0].strip() if lines else tool.name)


def fingerprint(tool: Tool, chain: Toolchain) -> str:
    """Return a value that changes with the toolchain, also under a running worker.

    Compilers, headers and libraries are many files; the package system's own record changes with each of them.
    """
    others = [_find(companion) or companion for companion in (*tool.companions, "mold")]
    files = [chain.path, *others, str(_PACKAGES_STATUS)]
    return "\n".join([chain.version, *(_stamp(Path(file)) for file in files)])


def host_fingerprint() -> str:
    """Return a value that changes with everything that the package system installs, changes or removes."""
    return _stamp(_PACKAGES_STATUS)


@cache
def links_with_mold() -> bool:
    """Return whether cc, which g++ and rustc link with, takes mold for its linker: gcc does from 12.1 on."""
    compiler = _find("cc")
    if compiler is None or _find("mold") is None:
        return False
    try:
        command = [compiler, "-fuse-ld=mold", "-Wl,--version"]
        return output_of(command, _PATIENCE_S, env={"PATH": "/usr/bin:/bin"}).startswith(b"mold")
    except (OSError, subprocess.SubprocessError):
        return False


def _stamp(path: Path) -> str:
    """Return what changes with a file."""
    try:
        status = path.stat()
    except OSError:
        return f"{path}: none"
    return f"{path}: {status.st_size} {status.st_mtime_ns}"


def _find(tool: str) -> str | None:
    """Return the tool's path if the file behind it lies below /usr: a link to a home folder leads nowhere in a jail."""
    for folder in ("/usr/bin", "/usr/local/bin"):
        path = Path(folder, tool)
        if path.is_file() and path.resolve().is_relative_to("/usr"):
            return str(path)
    return None
