"""A malformed queue message is dropped with one log line, and the same worker goes on."""

import base64
import copy
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from celery.utils.nodenames import worker_direct
from django.contrib.auth.models import User

from judge.celery import QUEUE
from judge.models import Status, Submission
from judge.queue import wakeup
from judge.queue.transport import NotAWakeup, check
from judge.submissions import intake
from problems.management.commands.load_library import LIBRARY
from problems.models import Problem
from problems.store.publishing import publish
from tests.judge.workers.real_workers import Worker, set_up_workers

pytestmark = [pytest.mark.jail, pytest.mark.usefixtures("silent_wakeup")]
NODE = "tally@test"
RIGHT = b"print(sum(map(int, input().split())))\n"
LONG = 1_000_000
QUEUES = (QUEUE, worker_direct(NODE).name)
_LONGEST_LINE = 500

Message = dict[str, Any]


def _body(value: object) -> str:
    return base64.b64encode(json.dumps(value).encode()).decode()


def _rung(submission: Submission, node: str = "") -> Message:
    """A real wake-up, taken out of Redis again."""
    assert wakeup.notify(submission, node)
    with wakeup._client() as client:
        message: Message = json.loads(client.rpop(worker_direct(node).name if node else QUEUE))
    return message


def _with(*path: str, value: object) -> Callable[[Message], object]:
    def change(message: Message) -> object:
        inner = message
        for key in path[:-1]:
            inner = inner[key]
        inner[path[-1]] = value
        return message

    return change


def _without(*path: str) -> Callable[[Message], object]:
    def change(message: Message) -> object:
        inner = message
        for key in path[:-1]:
            inner = inner[key]
        del inner[path[-1]]
        return message

    return change


NO_RINGS: dict[str, Callable[[Message], object]] = {
    "a number": lambda _: 7,
    "nothing": lambda _: None,
    "a list": lambda message: [message],
    "an empty object": lambda _: {},
    "no headers": _without("headers"),
    "headers of another kind": _with("headers", value=["task"]),
    "no task": _without("headers", "task"),
    "an unknown task": _with("headers", "task", value="judge.no_such_task"),
    "a task of Celery's": _with("headers", "task", value="celery.chord_unlock"),
    "a task that is a list": _with("headers", "task", value=["judge.heartbeat"]),
    "a long task": _with("headers", "task", value="x" * LONG),
    "no id": _without("headers", "id"),
    "an id of another kind": _with("headers", "id", value=[1]),
    "a time that is none": _with("headers", "expires", value=7),
    "for later": _with("headers", "eta", value="2099-01-01T00:00:00+00:00"),
    "limits of another kind": _with("headers", "timelimit", value=5),
    "retries of another kind": _with("headers", "retries", value="many"),
    "no properties": _without("properties"),
    "no tag": _without("properties", "delivery_tag"),
    "no delivery": _without("properties", "delivery_info"),
    "another content": _with("content-type", value="application/x-python-serialize"),
    "another encoding": _with("properties", "body_encoding", value=None),
    "no body": _without("body"),
    "a body of another kind": _with("body", value=[]),
    "a body that is no base64": _with("body", value="}{"),
    "a body that is no JSON": _with("body", value=base64.b64encode(b"\xff").decode()),
    "a deep body": _with("body", value=base64.b64encode(b"[" * 3_000).decode()),
    "a long body": _with("body", value=_body([["x" * LONG], {}, {}])),
    "a body that is no call": _with("body", value=_body({"id": 1})),
    "two arguments": _with("body", value=_body([[1, 2], {}, {}])),
    "an argument of another kind": _with("body", value=_body([[None], {}, {}])),
    "a truth for a number": _with("body", value=_body([[True], {}, {}])),
    "named arguments": _with("body", value=_body([[1], {"x": 1}, {}])),
    "a chain": _with("body", value=_body([[1], {}, {"chain": [{"task": "x"}]}])),
}
NOT_READ: dict[str, bytes] = {
    "words": b"come here",
    "nothing": b"",
    "no text": b"\xff\xfe\x00",
    "deep": b"[" * 100_000,
    "long": b"x" * LONG,
    "long JSON": json.dumps("x" * LONG).encode(),
    "a type of kombu's": b'{"__type__": "uuid", "__value__": {}}',
    "a type of no kind": b'{"__type__": [], "__value__": 1}',
    "half a message": b'{"body": "W1sxXSw',
}


@pytest.mark.django_db
def test_rings_and_heartbeats_are_understood(make_submission: Callable[..., Submission]) -> None:
    check(_rung(make_submission()))
    assert wakeup.send_heartbeat(NODE)
    with wakeup._client() as client:
        check(json.loads(client.rpop(worker_direct(NODE).name)))


@pytest.mark.django_db
@pytest.mark.parametrize("change", NO_RINGS.values(), ids=NO_RINGS)
def test_what_is_no_ring_is_refused_in_a_few_words(
    make_submission: Callable[..., Submission], change: Callable[[Message], object]
) -> None:
    with pytest.raises(NotAWakeup) as refused:
        check(change(_rung(make_submission())))
    assert 0 < len(str(refused.value)) < 150


@pytest.fixture
def worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Worker]:
    """With one process."""
    set_up_workers(monkeypatch)
    worker = Worker(tmp_path / "worker.log", NODE, processes=1)
    yield worker
    worker.stop()


@pytest.fixture
def problem() -> Problem:
    """One to submit to."""
    return publish(LIBRARY / "sumoftwo", owner=None).problem


@pytest.mark.timeout(180)
@pytest.mark.django_db(transaction=True)
@pytest.mark.thorough
def test_worker_goes_on_whatever_lies_in_its_queues(
    worker: Worker, problem: Problem, student: User, tmp_path: Path
) -> None:
    notify = _rung(intake.submit(student, problem, "python", RIGHT), NODE)
    _fill_queues(notify)
    worker.start()
    pid = worker.pid
    _judge(worker, problem, student)
    _fill_queues(notify)
    with wakeup._client() as client:
        worker.wait_for(lambda: not any(map(client.llen, QUEUES)), "all of it was taken out")
    for _ in range(2):
        _judge(worker, problem, student)
    assert worker.pid == pid
    lines = (tmp_path / "worker.log").read_text().splitlines()
    claimed = {found[1] for line in lines if (found := re.search(r"claimed by process (\d+)", line))}
    assert len(claimed) == 1  # of the pool's processes, none ended either
    dropped = [line for line in lines if re.search(r"dropped (a message|what cannot be read)", line)]
    assert len(dropped) == 2 * len(QUEUES) * (len(NO_RINGS) + len(NOT_READ))
    assert max(map(len, lines)) < _LONGEST_LINE
    assert not any("Traceback" in line for line in lines)


def _fill_queues(notify: Message) -> None:
    """With messages that are no wake-ups."""
    with wakeup._client() as client:
        for queue in QUEUES:
            for change in NO_RINGS.values():
                client.lpush(queue, json.dumps(change(copy.deepcopy(notify))))
            for raw in NOT_READ.values():
                client.lpush(queue, raw)


def _judge(worker: Worker, problem: Problem, student: User) -> None:
    submission = intake.submit(student, problem, "python", RIGHT)
    done = Submission.objects.filter(pk=submission.pk, status=Status.DONE, verdict="AC", failures=0)
    worker.wait_for(done.exists, "a submission is judged")
