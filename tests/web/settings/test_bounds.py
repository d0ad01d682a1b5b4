"""A setting that would keep Tally from working stops the start with a sentence that names it."""

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from tests.web.fresh import fresh_settings

Patch = pytest.MonkeyPatch
NUMBERS = re.findall(r'_int\("(TALLY_\w+)"', (settings.BASE_DIR / "web" / "settings" / "__init__.py").read_text())
MAY_BE_ZERO = {"TALLY_MOST_STREAMS", "TALLY_PACKAGE_CACHE_BYTES", "TALLY_SENT_AGAIN_S", "TALLY_STOP_GRACE_S"}


@pytest.mark.parametrize("name", NUMBERS)
def test_number_that_nothing_works_with_stops_the_start(monkeypatch: Patch, tmp_path: Path, name: str) -> None:
    assert len(NUMBERS) > 12
    least = {"TALLY_LEASE_S": 3}.get(name, 0 if name in MAY_BE_ZERO else 1)
    with pytest.raises(ImproperlyConfigured, match=f"^{name} must be {least} or more, not {least - 1}$"):
        fresh_settings(monkeypatch, tmp_path, **{name: str(least - 1)})
    fresh_settings(monkeypatch, tmp_path, **{name: str(least)})


@pytest.mark.parametrize(
    ("name", "most"),
    [
        ("TALLY_PORT", 65_535),
        ("TALLY_LEASE_S", 86_400),
        ("TALLY_STOP_GRACE_S", 86_400),
        ("TALLY_SWEEP_EVERY_S", 86_400),
        ("TALLY_LOGIN_COOLOFF_MINUTES", 1_440),
    ],
)
def test_number_above_all_reason_stops_the_start(monkeypatch: Patch, tmp_path: Path, name: str, most: int) -> None:
    with pytest.raises(ImproperlyConfigured, match=f"^{name} must be {most} or less, not {most + 1}$"):
        fresh_settings(monkeypatch, tmp_path, **{name: str(most + 1)})
    fresh_settings(monkeypatch, tmp_path, **{name: str(most)})


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("TALLY_DISABLED_LANGUAGES", "cpp, pyhton", "must be of python, cpp, rust, not 'pyhton'"),
        ("TALLY_ALLOWED_HOSTS", "a.org, https://b.example.org", "must be names .*, not 'https://b.example.org'"),
        ("TALLY_ALLOWED_HOSTS", "judge.example.org:8443", "must be names .*, not 'judge.example.org:8443'"),
        ("TALLY_TRUSTED_PROXIES", "10.0.0.1, proxy", "must be addresses or networks .*, not 'proxy'"),
        ("TALLY_TRUSTED_PROXIES", "10.0.0.1/8", "must be addresses or networks .*, not '10.0.0.1/8'"),
    ],
)
def test_word_of_a_list_that_means_nothing_stops_the_start(
    monkeypatch: Patch, tmp_path: Path, name: str, value: str, sentence: str
) -> None:
    with pytest.raises(ImproperlyConfigured, match=f"^{name} {sentence}$"):
        fresh_settings(monkeypatch, tmp_path, **{name: value})


def test_lists_may_have_spaces_and_be_empty(monkeypatch: Patch, tmp_path: Path) -> None:
    lists = {
        "TALLY_ALLOWED_HOSTS": "a.example.org , .b.org,",
        "TALLY_DISABLED_LANGUAGES": " rust, cpp",
        "TALLY_TRUSTED_PROXIES": "10.0.0.0/8, fd00::1",
    }
    found = fresh_settings(monkeypatch, tmp_path, **lists)
    assert found["ALLOWED_HOSTS"] == ["a.example.org", ".b.org", "localhost", "127.0.0.1", "[::1]"]
    assert found["DISABLED_LANGUAGES"] == ["rust", "cpp"]
    assert found["TRUSTED_PROXIES"] == ["10.0.0.0/8", "fd00::1"]
    found = fresh_settings(monkeypatch, tmp_path, **dict.fromkeys(lists, ""))
    assert found["ALLOWED_HOSTS"] == found["LOOPBACK_HOSTS"]
    assert found["DISABLED_LANGUAGES"] == found["TRUSTED_PROXIES"] == []
