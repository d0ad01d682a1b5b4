"""How much a run of the tests takes: a share of the large corpora, or each of them whole with TALLY_TESTS=all."""

import os

import pytest

_SAID = os.environ.get("TALLY_TESTS", "")
RUNS_ALL = _SAID == "all"
if _SAID not in ("", "all"):
    pytest.exit(f"TALLY_TESTS is {_SAID!r}: leave it away, or say all", returncode=4)
