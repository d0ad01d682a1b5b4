"""Small corpora for the tests of how corpora are read and run."""

from pathlib import Path

CASE = """
[[case]]
id = "honest"
file = "honest.py"
language = "python"
category = "control"
attempts = "nothing"
verdicts = ["AC"]
"""
_HEAD = """
schema = 1
[verdicts]
AC = "accepted"
[defaults]
problem = "aplusb"
tests = 1
deadline_ms = 300000
forbid = ['(?m)^LEAK', 'OJ-CANARY-[A-Z]+-[0-9a-f]{32}']
invariants = ["no_procs", "no_files"]
[limits]
time_ms = 1000
memory_mb = 256
output_kb = 1024
processes = 64
source_kb = 64
compile_time_ms = 10000
compile_memory_mb = 1024
[problem.aplusb]
stdin = "1 2\\n"
answer = "3\\n"
[canary]
host_file = "a file"
[invariant]
no_procs = "no process is left"
no_files = "no file is left"
"""
_PROGRAMS = {
    "honest.py": "print(sum(map(int, input().split())))\n",
    "told.py": "import sys\nprint('TOLD 17', file=sys.stderr)\nprint(3)\n",
}


def make_corpus(folder: Path, cases: str = CASE, *, more: str = "", without: str = "", instead: str = "") -> Path:
    """A folder with programs and a manifest: `more` ends its head, `instead` takes the place of `without`."""
    head = _HEAD + more
    assert without in head + cases
    (folder / "manifest.toml").write_text((head + cases).replace(without, instead, 1) if without else head + cases)
    for name, source in _PROGRAMS.items():
        (folder / name).write_text(source)
    (folder / "support").mkdir(exist_ok=True)
    (folder / "support" / "asker.py").write_text("import sys\nsys.exit(0)\n")
    return folder
