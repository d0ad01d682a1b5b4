"""Which tests may open a jail: those marked `jail`, those with the fixture `sandbox`, and all of some folders.

Any other test that opens one fails.

Tests without a jail run in several processes at once (`make test`); what is in jails is measured, and runs one by one.
"""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from sandbox.jail.nsjail import NsjailSandbox

FOLDERS = frozenset({"bench", "browser", "explain", "faults", "hostile", "packages", "sandbox"})
_ROOT = Path(__file__).parent
_may_open = True  # between tests: what a fixture of the session ends


def mark(items: Iterable[pytest.Item]) -> None:
    """Mark the tests of these folders, and those with the real sandbox."""
    for item in items:
        has_sandbox = "sandbox" in getattr(item, "fixturenames", ())
        if has_sandbox or item.path.relative_to(_ROOT).parts[0] in FOLDERS:
            item.add_marker(pytest.mark.jail)


def watch() -> None:
    """From now on opening a jail asks whether the test may."""
    NsjailSandbox.open_jail = _guarded(NsjailSandbox.open_jail)  # type: ignore[method-assign]


def begin(item: pytest.Item) -> None:
    """This test runs now."""
    global _may_open
    _may_open = item.get_closest_marker("jail") is not None


def end() -> None:
    """No test runs now."""
    global _may_open
    _may_open = True


def _guarded(open_jail: Callable[..., Any]) -> Callable[..., Any]:
    def ask_first(*arguments: Any, **named: Any) -> Any:
        if not _may_open:
            pytest.fail("this test opens a jail: mark it with pytest.mark.jail")
        return open_jail(*arguments, **named)

    return ask_first
