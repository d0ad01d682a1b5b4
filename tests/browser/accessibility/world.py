"""Rows that make every page full, of people of their own; `manage.py shell` runs `main`, which prints them.

How it works: what a worker measures is measured by the worker of that Tally: a slow program with all its reruns, a
wrong one, one that does not compile, one for points, a custom run, an experiment, packages. The script waits for each.
What no worker leaves behind (work that goes on, a judge error, a class) is written as rows: `rows.py`.
"""

import io
import json
import time
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from allauth.account.internal.flows import login as login_flow
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import Permission, User
from django.contrib.sessions.backends.db import SessionStore

from judge import custom_runs
from judge.experiments import actions
from judge.grading.experiment.library import ready_experiments
from judge.grading.experiment.spec import Claim
from judge.models import (
    CaseRerun,
    Experiment,
    Status,
    Submission,
    TestCaseResult,
)
from judge.models.queue import QueuedWork
from judge.reruns.kinds import RerunKind
from judge.submissions import intake
from judge.uploads import uploads
from problems.models import Audience, Problem
from tests.browser.accessibility import rows
from tests.judge.grading.experiment.specs import FLUSHED, GATHERED, make_spec, variant
from tests.web.views.problems.edit.form import LEGACY

LIBRARY = Path(__file__).parents[3] / "problems/library"
PATIENCE_S = 240
PASSWORD = "the phrase of the second factor"
BROKEN = b"int main() { return missing; }\n"
WARNED = b"#include <iostream>\nint main() { int a, b, unused; std::cin >> a >> b; std::cout << a + b; }\n"


def main() -> None:
    """Make the rows and print their values and the sessions of all people, as one line of JSON."""
    student, instructor = (User.objects.create(username=name) for name in ("reader", "teacher"))
    teaching = Permission.objects.get(content_type__app_label="problems", codename="add_problem")
    instructor.user_permissions.add(teaching)
    operator = User.objects.create(username="operator", is_staff=True, is_superuser=True)
    guarded = User.objects.create_user("guarded", password=PASSWORD)
    without = User.objects.create(username="without-password")
    without.set_unusable_password()
    without.save()
    TOTP.activate(guarded, "A" * 32)
    RecoveryCodes.activate(guarded)
    people = {user.username: user for user in (student, instructor, operator, guarded, without)}
    values = {**_judged_programs(student), **_packages(instructor), **_experiments(student, instructor)}
    values |= rows.unfinished(student, instructor) | rows.of_class(student, instructor)
    values |= rows.rejudge(instructor, values["submission_id"])
    values["person_id"] = student.pk
    values |= rows.links(student, (values["submission_id"], values["quick"]))
    sessions = {name: _session(user) for name, user in people.items()}
    print(json.dumps({"values": values, "sessions": sessions}))


def _session(user: User) -> str:
    """Return the key of a session of somebody who has just given the password, and goes on having done so."""
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    given = {"method": "password", "at": time.time() + 24 * 3600, "reauthenticated": True}
    session[login_flow.AUTHENTICATION_METHODS_SESSION_KEY] = [given]
    session[login_flow._AUTHENTICATION_METHODS_USER_SESSION_KEY] = str(user.pk)
    session.save()
    return str(session.session_key)


def _wait(is_over: Callable[[], bool], what: object) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not is_over():
        if time.monotonic() > deadline:
            raise TimeoutError(f"{what} is not done after {PATIENCE_S} s")
        time.sleep(0.2)


def _done(row: QueuedWork) -> None:
    def is_over() -> bool:
        row.refresh_from_db()
        return row.is_done

    _wait(is_over, row)


def _send(user: User, slug: str, language: str, source: bytes) -> Submission:
    """Have a program judged, and wait for the reruns that the judge asks for by itself."""
    sent = intake.submit(user, Problem.objects.get(slug=slug), language, source)
    _done(sent)
    _wait_for_reruns(sent)
    return sent


def _wait_for_reruns(sent: Submission) -> None:
    open_requests = CaseRerun.objects.filter(result__submission=sent).exclude(status=Status.DONE)
    _wait(lambda: not open_requests.exists(), f"a rerun of {sent}")


def _examine(sent: Submission, result: TestCaseResult) -> None:
    """Have every kind of rerun of a case that may be asked for."""
    for kind in RerunKind:
        try:
            intake.request_examination(result, kind, sent.user)
        except intake.IntakeRefused:  # it is known already, or says nothing of this case
            continue
        _wait_for_reruns(sent)


def _program(slug: str, name: str) -> bytes:
    return (LIBRARY / slug / "submissions" / name).read_bytes()


def _judged_programs(student: User) -> dict[str, Any]:
    slow = _send(student, "countton", "cpp", _program("countton", "time_limit_exceeded/endl.cpp"))
    decisive = slow.results.filter(attempt=slow.attempt, verdict=slow.verdict)[0]
    for result in (slow.results.get(attempt=slow.attempt, name="sample/1"), decisive):
        _examine(slow, result)
    growing = _send(student, "inversions", "python", _program("inversions", "time_limit_exceeded/all_pairs.py"))
    _examine(growing, growing.results.filter(attempt=growing.attempt, verdict=growing.verdict)[0])
    quick = _program("countton", "accepted/newline.cpp")
    leftover = _program("basestations", "wrong_answer/leftover_print.py")
    stretch = _program("beststretch", "partially_accepted/all_stretches.cpp")
    samples = custom_runs.TestInput()
    program = intake.SentProgram(language="cpp", source=quick)
    custom = custom_runs.start(student, Problem.objects.get(slug="countton"), program, samples)
    _done(custom)
    return {
        "slug": "countton",
        "submission_id": slow.pk,
        "growing": growing.pk,
        "quick": _send(student, "countton", "cpp", quick).pk,
        "wrong": _send(student, "basestations", "python", leftover).pk,
        "scored": _send(student, "beststretch", "cpp", stretch).pk,
        "broken": _send(student, "sumoftwo", "cpp", BROKEN).pk,
        "warned": _send(student, "sumoftwo", "cpp", WARNED).pk,
        "custom_run_id": custom.pk,
    }


def _packages(instructor: User) -> dict[str, Any]:
    """Two uploads: one whose report is there, one with mistakes; and a published problem of the instructor's."""
    wrong = {**LEGACY, "problem.yaml": "name: [\n", "submissions/accepted/a.py": "print(1)\n"}
    odd = {**LEGACY, "submissions/wrong_answer/right.py": "print(2 * int(input()))\n"}
    sent = {}
    for name, files in (("refused", wrong), ("upload_id", odd), ("published", LEGACY)):
        archive = io.BytesIO()
        with zipfile.ZipFile(archive, "w") as packed:
            for path, text in files.items():
                packed.writestr(f"twice/{path}", text.encode())
        archive.seek(0)
        sent[name] = uploads.receive(archive, name=f"{name}.zip", owner=instructor)
        _done(sent[name])
    uploads.publish(sent["published"], by=instructor, slug="twice", audience=Audience.EVERYBODY, reason="for the tests")
    return {
        "upload_id": sent["upload_id"].pk,
        "refused": sent["refused"].pk,
        "own_slug": "twice",
        "number": 1,
        "path": "attachments/notes.txt",
    }


def _experiments(student: User, instructor: User) -> dict[str, Any]:
    variants = (variant("endl", FLUSHED), variant("newline", GATHERED), variant("broken", BROKEN.decode()))
    claims = (Claim(text="`endl` writes more often.", metric="write_calls", more="endl", less="newline"),)
    spec = make_spec(*variants, claims=claims)
    spec = replace(spec, settings=replace(spec.settings, sample_ms=10), mechanism="Each `endl` flushes.")
    own = Experiment.objects.create(owner=instructor, spec=spec)
    run = actions.start(student, spec, own.key, base=spec)
    _done(run)
    run.is_shared = True
    run.save(update_fields=["is_shared"])
    return {"key": own.key, "ready_key": next(iter(ready_experiments())), "run_id": run.pk}
