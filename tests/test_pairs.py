"""`tests.pairs` finds the folders that import each other."""

from pathlib import Path

import pytest

from tests import pairs


def test_two_folders_that_import_each_other_are_a_pair(tmp_path: Path) -> None:
    for name, text in {
        "judge/__init__.py": "",
        "judge/rows.py": "import django",
        "judge/queue/__init__.py": "",
        "judge/queue/leases.py": "from judge import rows\nfrom judge.queue import turns",
        "judge/queue/turns.py": "from judge.workers import slots",
        "judge/workers/__init__.py": "",
        "judge/workers/slots.py": "def take() -> None:\n    import judge.queue.leases",
        "judge/migrations/first.py": "from judge.workers.slots import Slot",
        "judge/tasks.py": "from judge.migrations import first",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert pairs.pairs(tmp_path) == {("judge/queue", "judge/workers")}


def test_pairs_that_are_new_and_pairs_that_are_gone_fail(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(pairs, "pairs", lambda root: {("a", "b"), ("c", "d")})
    monkeypatch.setattr(pairs, "PAIRS", frozenset({("a", "b"), ("c", "d")}))
    assert pairs.main() == 0
    monkeypatch.setattr(pairs, "PAIRS", frozenset({("a", "b"), ("e", "f")}))
    assert pairs.main() == 1
    new, gone = capsys.readouterr().out.splitlines()
    assert new.startswith("lint: c and d import each other: ")
    assert gone == "lint: e and f import each other no more, remove them from tests/pairs.py"
