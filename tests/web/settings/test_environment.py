"""Settings that come from the environment and from files: a wrong one stops the start with a sentence."""

from pathlib import Path

import pytest
from django.core.checks import run_checks
from django.core.exceptions import ImproperlyConfigured

from web.settings import environment
from web.settings.connections import package_storage

Patch = pytest.MonkeyPatch


@pytest.fixture(autouse=True)
def bare(monkeypatch: Patch) -> None:
    """None of the variables that the tests set is there."""
    for name in ("TALLY_PACKAGES", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "TOLD"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(f"{name}_FILE", raising=False)


def test_django_finds_nothing_wrong() -> None:
    assert run_checks() == []  # for one that a name of ours is a setting of its own


def test_secret_comes_from_the_variable_or_from_a_file(monkeypatch: Patch, tmp_path: Path) -> None:
    assert environment.secret("TOLD", "else") == "else"
    assert not environment.is_given("TOLD")
    (tmp_path / "told").write_text("  from a file\n")
    monkeypatch.setenv("TOLD_FILE", str(tmp_path / "told"))
    assert environment.secret("TOLD", "else") == "from a file"
    assert environment.is_given("TOLD")
    monkeypatch.setenv("TOLD", "")  # what a compose file makes of an unset variable
    assert environment.secret("TOLD", "else") == "from a file"
    monkeypatch.delenv("TOLD_FILE")
    monkeypatch.setenv("TOLD", "by itself")
    assert environment.secret("TOLD", "else") == "by itself"


def test_secret_that_is_given_twice_stops_the_start_and_is_not_told(monkeypatch: Patch, tmp_path: Path) -> None:
    (tmp_path / "told").write_text("hidden too\n")
    monkeypatch.setenv("TOLD_FILE", str(tmp_path / "told"))
    monkeypatch.setenv("TOLD", "hidden")
    with pytest.raises(ImproperlyConfigured, match="TOLD and TOLD_FILE are both set") as wrong:
        environment.secret("TOLD")
    assert "hidden" not in str(wrong.value)


@pytest.mark.parametrize(
    ("content", "why"),
    [(None, "cannot be read: No such file"), (b"", "is empty"), (b" \n", "is empty"), (b"\xff", "it is no text")],
)
def test_file_without_a_secret_stops_the_start(
    monkeypatch: Patch, tmp_path: Path, content: bytes | None, why: str
) -> None:
    if content is not None:
        (tmp_path / "told").write_bytes(content)
    monkeypatch.setenv("TOLD_FILE", str(tmp_path / "told"))
    with pytest.raises(ImproperlyConfigured, match=f"TOLD_FILE names .*/told, which .*{why}"):
        environment.secret("TOLD")


@pytest.mark.parametrize(("read", "value"), [(environment.integer, "many"), (environment.boolean, "perhaps")])
def test_value_of_the_wrong_kind_stops_the_start(monkeypatch: Patch, read: object, value: str) -> None:
    monkeypatch.setenv("TOLD", value)
    with pytest.raises(ImproperlyConfigured, match=f"TOLD must be .*, not '{value}'"):
        read("TOLD", 1)  # type: ignore[operator]


def test_nothing_lies_behind_the_store_unless_that_is_set(monkeypatch: Patch) -> None:
    assert package_storage() is None
    monkeypatch.setenv("TALLY_PACKAGES", "/mnt/packages")
    assert package_storage() == {
        "BACKEND": "problems.store.storages.MountedStorage",
        "OPTIONS": {"location": "/mnt/packages"},
    }


def test_bucket_with_all_in_one_address(monkeypatch: Patch) -> None:
    monkeypatch.setenv("TALLY_PACKAGES", "s3://key:se%2Fcret@room/a/b/?endpoint=http://minio:9000&region=here")
    storage = package_storage()
    assert storage is not None
    options = storage["OPTIONS"]
    assert (options["access_key"], options["secret_key"]) == ("key", "se/cret")
    assert (options["bucket_name"], options["location"]) == ("room", "a/b")
    assert (options["endpoint_url"], options["region_name"]) == ("http://minio:9000", "here")
    assert options["client_config"].s3 == {"addressing_style": "path"}


def test_keys_of_a_bucket_come_from_variables_or_files(monkeypatch: Patch, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("from a file\n")
    monkeypatch.setenv("TALLY_PACKAGES", "s3://room")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY_FILE", str(tmp_path / "secret"))
    storage = package_storage()
    assert storage is not None
    options = storage["OPTIONS"]
    assert (options["access_key"], options["secret_key"]) == ("key", "from a file")
    assert (options["endpoint_url"], options["client_config"].s3) == (None, {"addressing_style": "auto"})


@pytest.mark.parametrize(
    "address", ["packages", "s3://", "s3:///prefix", "s3://key@room", "s3://:x@room", "s3://room?endpont=http://x"]
)
def test_address_that_says_no_storage_stops_the_start(monkeypatch: Patch, address: str) -> None:
    monkeypatch.setenv("TALLY_PACKAGES", address)
    with pytest.raises(ImproperlyConfigured, match="TALLY_PACKAGES must"):
        package_storage()
