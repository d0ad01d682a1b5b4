"""How commands end that cannot do their work: by one sentence and an exit code, without a traceback."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError, OperationalError, connection
from psycopg import errors

from tests.waiting import wait_for
from tests.web.fresh import fresh_settings
from web import command_line
from web.settings import environment

ROOT = Path(__file__).resolve().parents[2]
NOBODY = 65_534
LOOPS = "while True: pass\n"
SUM = ROOT / "problems" / "library" / "sumoftwo"
AWAY = {"DATABASE_URL": "postgresql://nobody:pw@127.0.0.1:1/none"}


def ended(*command: object, **variables: str) -> tuple[int, str]:
    """The exit code of a command with these variables, and what it said on stderr."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("TALLY_SM", "REDIS"))}
    done = subprocess.run(
        [sys.executable, *map(str, command)],
        cwd=ROOT,
        env={**kept, **variables},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert "Traceback" not in done.stderr
    return done.returncode, done.stderr


@pytest.mark.parametrize("verb", ["make_instructor ada", "migrate", "prepare", "createsuperuser", "backup /tmp/none"])
def test_a_command_without_a_database_says_so(verb: str) -> None:
    code, said = ended("manage.py", *verb.split(), **AWAY)
    why = 'connection to server at "127.0.0.1", port 1 failed: Connection refused'
    assert (code, said) == (1, f"The database cannot be used: {why}. Check DATABASE_URL.\n")


def test_without_a_running_tally_a_command_says_how_to_start_it(tmp_path: Path) -> None:
    kept = {"DATABASE_URL": "", "TALLY_SECRET_KEY": "x", "TALLY_VAR_DIR": str(tmp_path)}
    command = f"unset DATABASE_URL; exec {sys.executable} manage.py make_instructor ada"
    done = subprocess.run(
        ["sh", "-c", command], cwd=ROOT, env={**os.environ, **kept}, capture_output=True, text=True, check=False
    )
    assert (done.returncode, "Traceback" in done.stderr) == (1, False)
    assert done.stderr.endswith(". Start Tally with make run, or set DATABASE_URL.\n")


WRONG = {
    "DATABASE_URL": "mysql://ada:secret@host/tally",
    "REDIS_URL": "http://ada:secret@host",
    "TALLY_PORT": "99999",
    "TALLY_WEB_PROCESSES": "many",
    "TALLY_SIGN_UP": "perhaps",
    "TALLY_SMTP_URL": "ftp://ada:secret@host",
    "TALLY_PACKAGES": "here",
    "TALLY_ALLOWED_HOSTS": "http://host",
    "TALLY_TRUSTED_PROXIES": "all",
    "TALLY_DISABLED_LANGUAGES": "java",
    "TALLY_RESULTS_KEPT_DAYS": "3",
    "TALLY_DEBUG": "maybe",
    "TALLY_METRICS_TOKEN_FILE": "/nowhere/token",
    "TALLY_OPENID_CLIENT": "tally",
}


@pytest.mark.parametrize("command", [("manage.py", "migrate"), ("manage.py", "grade", "x", "y"), ("-m", "web.stack")])
def test_all_wrong_settings_are_said_at_once_and_no_secret(command: tuple[str, ...]) -> None:
    code, said = ended(*command, **WRONG)
    lines = [line.removeprefix("tally: ") for line in said.splitlines()]
    assert code == 2
    assert len(lines) == len(WRONG)
    assert all(any(name in line for line in lines) for name in WRONG), lines
    assert "secret" not in said
    assert "DATABASE_URL must be postgresql://user:password@host/name, not mysql://..." in lines


def test_settings_that_are_read_again_forget_what_was_wrong(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(ImproperlyConfigured, match=r"^TALLY_PORT must be 65535 or less, not 70000$"):
        fresh_settings(monkeypatch, tmp_path, TALLY_PORT="70000")
    assert fresh_settings(monkeypatch, tmp_path, TALLY_PORT="7000")["PORT"] == 7_000
    monkeypatch.setenv("TALLY_PORT", "70000")
    with pytest.raises(ImproperlyConfigured):  # at once, where nobody gathers
        environment.integer("TALLY_PORT", 1, most=65_535)


@pytest.mark.parametrize("address", ["", "nothing", "postgresql://[::1/x", "postgresql://host:port/x", "sqlite://"])
def test_an_address_that_is_none_of_postgresql_stops_the_start(
    address: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with pytest.raises(ImproperlyConfigured, match="DATABASE_URL must be postgresql://user:password@host/name"):
        fresh_settings(monkeypatch, tmp_path, DATABASE_URL=address)


@pytest.mark.django_db
def test_a_database_that_was_not_prepared_is_said_to_be_so() -> None:
    with pytest.raises(DatabaseError) as failure, connection.cursor() as cursor:
        cursor.execute("SELECT * FROM not_there")
    assert command_line.ending_of(failure.value) == (
        1,
        "The database lacks what this version of Tally needs: run manage.py prepare.",
    )


def test_what_the_database_says_itself_is_passed_on_and_a_mistake_of_ours_is_not() -> None:
    full = OperationalError("could not extend file: no space left\nHINT: check")
    full.__cause__ = errors.DiskFull("could not extend file")
    assert command_line.ending_of(full) == (1, "The database failed: could not extend file: no space left")
    assert command_line.ending_of(ValueError("ours")) is None


def _as_nobody() -> None:
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)


@pytest.mark.parametrize("verb", ["grade", "verify"])
def test_another_user_than_root_gets_one_sentence(verb: str, tmp_path: Path) -> None:
    (tmp_path / "secret_key").write_text("x")
    (tmp_path / "secret_key").chmod(0o600)
    source = [str(SUM / "submissions" / "accepted" / "sum.py")] if verb == "grade" else []
    kept = {name: value for name, value in os.environ.items() if name != "TALLY_SECRET_KEY"}
    for variables, code, sentence in (
        ({"TALLY_VAR_DIR": str(tmp_path)}, 2, "Run this command as root, or set TALLY_SECRET_KEY and TALLY_VAR_DIR"),
        ({"TALLY_SECRET_KEY": "x"}, 3, "the sandbox failed: "),
    ):
        done = subprocess.run(
            [sys.executable, "manage.py", verb, str(SUM), *source],
            cwd=ROOT,
            env={**kept, **variables},
            capture_output=True,
            text=True,
            preexec_fn=_as_nobody,
            timeout=100,
            check=False,
        )
        assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (code, "", 1), done.stderr
        assert sentence in done.stderr


@pytest.mark.jail
@pytest.mark.each
@pytest.mark.parametrize(
    ("kind", "number"),
    [("grade", signal.SIGINT), ("grade", signal.SIGTERM), ("run", signal.SIGINT), ("pair", signal.SIGINT)],
)
def test_a_command_that_is_interrupted_ends_in_one_sentence(kind: str, number: signal.Signals, tmp_path: Path) -> None:
    work = tmp_path / "work"
    for folder in (work, *work.parents[:3]):
        folder.mkdir(exist_ok=True)
        folder.chmod(0o755)
    (tmp_path / "loops.py").write_text(LOOPS)
    loop = ["--", "python3", "-c", LOOPS]
    command, begun, sentence = {
        "grade": (["manage.py", "grade", str(SUM), str(tmp_path / "loops.py")], "grade-*/source", "it was"),
        "run": (["-m", "sandbox", "--work-dir", str(work), "run", "--cpu-ms", "90000", *loop], "run-*", "sandbox: it"),
        "pair": (
            ["-m", "sandbox", "--work-dir", str(work), "pair", "--cpu-ms", "90000", *loop, *loop],
            "program-*",
            "sandbox: it",
        ),
    }[kind]
    with subprocess.Popen(
        [sys.executable, *command],
        cwd=ROOT,
        env={**os.environ, "TALLY_WORK_DIR": str(work)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        wait_for(lambda: list(work.glob(begun)) or process.poll() is not None, "it works")
        os.killpg(process.pid, number)
        out, said = process.communicate(timeout=60)
    assert process.returncode == 128 + number
    assert (out, said.count("\n")) == ("", 1), said
    assert said.startswith(sentence)
    assert f"interrupted ({number.name})" in said
