"""The real problem packages that nobody here wrote: fetched once per machine, checked against their hashes, unpacked.

How it works: pip downloads the three source distributions that `sdists.txt` pins into var/sdists, which git ignores.
The folder's name is the hash of that list, and it is made by one rename, so that a half one is never seen. Processes
that want it at the same time wait for the first.
"""

import fcntl
import hashlib
import subprocess
import sys
import tempfile
from pathlib import Path

_ROOT = Path(__file__).parents[2]
_PINS = Path(__file__).with_name("sdists.txt")
_NOT_PACKAGES = ("bapctools/resources/", "problemtools/config/")  # templates, and the tool's own configuration
_FETCH_S = 300


def real_packages() -> dict[str, Path]:
    """Every problem package in the three: its name ("bapctools/hello") to its folder or archive."""
    found = {}
    for sdist in sorted(_fetched().iterdir()):
        tool = sdist.name.rpartition("-")[0]
        for path in sorted([*sdist.rglob("problem.yaml"), *sdist.rglob("*.zip")]):
            inside = path.relative_to(sdist).as_posix()
            if not inside.startswith(_NOT_PACKAGES):
                package = path if path.suffix == ".zip" else path.parent
                found[f"{tool}/{package.name}"] = package
    return found


def _fetched() -> Path:
    """The folder with the unpacked distributions."""
    folder = _ROOT / "var" / "sdists" / hashlib.sha256(_PINS.read_bytes()).hexdigest()[:16]
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.is_dir():
            with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
                _fetch(Path(scratch))
                (Path(scratch) / "unpacked").rename(folder)
    return folder


def _fetch(scratch: Path) -> None:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes"]
    command += ["--no-binary", "bapctools,p2d,problemtools", "--requirement", str(_PINS), "--dest", str(scratch)]
    subprocess.run(command, check=True, timeout=_FETCH_S, cwd=scratch)
    unpacked = scratch / "unpacked"
    unpacked.mkdir()
    for archive in sorted(scratch.glob("*.tar.gz")):
        subprocess.run(["/bin/tar", "-xzf", archive, "-C", unpacked], check=True)
