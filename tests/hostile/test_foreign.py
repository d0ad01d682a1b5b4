"""Another corpus is run whole by `TALLY_HOSTILE_CORPUS=DIR`: all its cases, and its failures are failures."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.hostile.corpus.corpora import CASE, make_corpus
from tests.hostile.corpus.corpus import FOLDER, OF_OUR_CORPUS

pytestmark = [OF_OUR_CORPUS, pytest.mark.timeout(600)]

_PROJECT = FOLDER.parents[1]
_MORE = """
[[case]]
id = "tells"
file = "told.py"
language = "python"
category = "odd"
attempts = "tells what it must not"
verdicts = ["AC"]
forbid = ['TOLD \\d+']

[[case]]
id = "late"
file = "honest.py"
language = "python"
category = "odd"
attempts = "cannot be so quick"
verdicts = ["AC"]
deadline_ms = 1

[[case]]
id = "refused"
file = "long.py"
language = "python"
category = "odd"
attempts = "too long for the form"
verdicts = ["REJECTED"]
limits = { source_kb = 1 }

[[web]]
id = "by_hand"
input = "something"
expect = "something"
"""


def _run(corpus: Path, *more: str, only: str = "test_corpus.py") -> tuple[int, str]:
    """Exit code and words of a run of that corpus."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("TALLY_", "DJANGO_"))}
    environment |= {"TALLY_TESTS": "all", "TALLY_HOSTILE_CORPUS": str(corpus)}
    for name in ("DATABASE_URL", "REDIS_URL"):
        environment.pop(name, None)
    arguments = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", f"tests/hostile/{only}", *more]
    run = subprocess.run(
        arguments,
        cwd=_PROJECT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=500,
        text=True,
    )
    return run.returncode, run.stdout


@pytest.mark.thorough
def test_every_case_of_another_corpus_is_run_and_what_is_not_is_told(tmp_path: Path) -> None:
    corpus = make_corpus(tmp_path, _MORE + CASE)
    (corpus / "long.py").write_text("#" * 2_000)
    (corpus / "spare.py").write_text("print(3)\n")
    code, words = _run(corpus)
    assert "4 of 4 cases were run, " in words, words
    report = _PROJECT / "var" / "hostile" / f"{corpus.name}.md"
    text = report.read_text()
    report.unlink()
    assert code == pytest.ExitCode.TESTS_FAILED
    assert f"read from {corpus}" in words
    assert "not run: 1 of [[web]] (by_hand): described in words" in words
    assert "not run: 1 programs (spare.py): no [[case]] names them" in words
    assert f"written: {report}" in words
    assert "| honest | AC | AC |" in text
    assert "| refused | by the form | REJECTED |" in text
    assert "TOLD 17" in next(line for line in text.splitlines() if line.startswith("| tells "))
    assert "the verdict took" in next(line for line in text.splitlines() if line.startswith("| late "))
    assert text.index("| honest |") < text.index("| tells |")  # controls first


@pytest.mark.thorough
def test_a_corpus_that_is_not_understood_is_not_run(tmp_path: Path) -> None:
    code, words = _run(make_corpus(tmp_path, CASE + "dead_line_ms = 3\n"))
    assert code == pytest.ExitCode.USAGE_ERROR
    assert f"{tmp_path / 'manifest.toml'}: [[case]] honest: dead_line_ms: is not known here" in words
    assert "Traceback" not in words


def test_no_case_chosen_is_a_failure(tmp_path: Path) -> None:
    code, _ = _run(make_corpus(tmp_path), "-k", "nobody")
    assert code == pytest.ExitCode.NO_TESTS_COLLECTED
