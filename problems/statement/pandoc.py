"""Run pandoc, which converts Markdown and LaTeX to HTML with MathML.

How it works: a program of its own, from a wheel. It reads the source from a pipe and writes HTML into a temporary file,
with `--sandbox` (it reads no other file, reaches no network), under a heap cap, resource limits and a time-out. What
comes out is as untrusted as the source.
"""

import json
import resource
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pypandoc

from problems.format.files import MIB
from problems.package import PackageError
from problems.statement.faults import why_unreadable
from problems.translation import Sentence

PANDOC = Path(pypandoc.__file__).parent / "files" / "pandoc"
_HEAP = "-M512m"
_CPU_S = 10
_WALL_S = 20
_HTML_BYTES = 8 * MIB


@dataclass(frozen=True, kw_only=True, slots=True)
class LogEntry:
    """One remark of pandoc: `kind` as pandoc names it, `contents` its subject, `text` for people.

    `reason` is why a formula cannot be converted.
    """

    kind: str
    contents: str
    text: str
    is_warning: bool
    reason: str = ""


def to_html(source: str, reader: str, name: str, shift: int = 0) -> tuple[str, list[LogEntry]]:
    """Return pandoc's HTML, headings `shift` levels down, ids beginning with "statement-", and its remarks.

    `name` is the file to blame. Raises PackageError when the source is unreadable or takes too much.
    """
    command = [str(PANDOC), "+RTS", _HEAP, "-RTS", "--sandbox", f"--from={reader}", "--to=html", "--mathml"]
    command += ["--id-prefix=statement-", "--syntax-highlighting=none", "--wrap=none", "--log=log.json"]
    command += [f"--shift-heading-level-by={shift}"]
    with tempfile.TemporaryDirectory(prefix="tally-statement-") as folder:
        out, log = Path(folder) / "out.html", Path(folder) / "log.json"
        with (
            out.open("wb") as out_file,
            subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=out_file,
                stderr=subprocess.PIPE,
                cwd=folder,
                env={"LANG": "C.UTF-8", "HOME": folder},
                start_new_session=True,
            ) as process,
        ):
            # Pandoc waits for its input, so these come in time.
            resource.prlimit(process.pid, resource.RLIMIT_CPU, (_CPU_S, _CPU_S))
            resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (_HTML_BYTES, _HTML_BYTES))
            resource.prlimit(process.pid, resource.RLIMIT_CORE, (0, 0))
            try:
                _, stderr = process.communicate(source.encode(), timeout=_WALL_S)
            except subprocess.TimeoutExpired as error:
                process.kill()
                why = Sentence("could not be turned into a page within %(most)s s", most=_WALL_S)
                raise PackageError(name, "", why) from error
        if process.returncode < 0 or (process.returncode and b"Heap exhausted" in stderr):
            raise PackageError(name, "", Sentence("takes too much time or memory to be turned into a page"))
        if process.returncode:
            raise PackageError(name, "", why_unreadable(stderr.decode("utf-8", "replace"), source))
        return out.read_text("utf-8"), [_entry(entry) for entry in json.loads(log.read_text("utf-8"))]


def _entry(entry: dict[str, object]) -> LogEntry:
    kind = str(entry.get("type"))
    return LogEntry(
        kind=kind,
        contents=str(entry.get("contents")).strip(),
        text=" ".join(str(entry.get("pretty", kind)).split()),
        is_warning=entry.get("verbosity") == "WARNING",
        reason=next((line for line in str(entry.get("message", "")).splitlines() if line.startswith("unexpected")), ""),
    )
