"""web/settings/__init__.py read once more, with an environment that a test decides."""

import os
import runpy
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings


def fresh_settings(monkeypatch: pytest.MonkeyPatch, folder: Path, **variables: str) -> dict[str, Any]:
    """Its names and values with these variables and no other of Tally's; what it writes goes below `folder`."""
    for name in [*os.environ]:
        if name.startswith(("TALLY_", "AWS_")):
            monkeypatch.delenv(name)
    for name in ("VAR", "WORK", "STORE"):
        monkeypatch.setenv(f"TALLY_{name}_DIR", str(folder))
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    return runpy.run_path(str(settings.BASE_DIR / "web" / "settings" / "__init__.py"))
