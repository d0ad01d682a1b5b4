"""Lines of the log: what they are about, in both forms, and what never stands in them."""

import json
import logging
import sys
from contextvars import copy_context
from types import SimpleNamespace

from judge.models import CaseRerun, Submission
from judge.observability import logs
from judge.queue.leases import Lease


def _record(message: str = "said %s", *args: object, **extra: object) -> logging.LogRecord:
    record = logging.LogRecord("judge.tests", logging.INFO, __file__, 1, message, args or ("this",), None)
    record.__dict__.update(extra)
    return record


def test_json_line_has_its_fields_and_those_of_its_work() -> None:
    with logs.about(request="r1"), logs.about_work(Submission(pk=12, attempt=2)):
        line = json.loads(logs.JsonLines().format(_record()))
    assert set(line) == {"time", "level", "logger", "message", "request", "submission", "attempt"}
    assert (line["message"], line["submission"], line["attempt"], line["request"]) == ("said this", 12, 2, "r1")
    assert line["time"].endswith("+00:00")
    assert list(line)[-1] == "message"  # so that '"submission": 12,' finds the line whatever fields it has


def test_text_line_names_its_work_before_a_traceback() -> None:
    lease = Lease(model=CaseRerun, id=3, attempt=1, worker="tally@here/0")
    record = _record()
    try:
        raise ValueError("broken")
    except ValueError:
        record.exc_info = sys.exc_info()
    with logs.about_attempt(lease.model, lease.id, lease.attempt, lease.worker):
        first, *rest = logs.TextLines("%(levelname)s %(message)s").format(record).splitlines()
    assert first == "INFO said this [work=CaseRerun 3 attempt=1 worker=tally@here/0]"
    assert rest[-1] == "    ValueError: broken"


def test_text_of_strangers_makes_no_line_of_its_own_and_gives_a_terminal_no_order() -> None:
    record = _record(
        "refused: %s", "x\n2026-11-21 15:04:05,123 INFO judge.observability: verdict AC\r\x1b[2Kforged\x9b1m"
    )
    lines = logs.TextLines("%(levelname)s %(message)s").format(record).split("\n")
    assert lines == [
        "INFO refused: x",
        r"    2026-11-21 15:04:05,123 INFO judge.observability: verdict AC\x0d\x1b[2Kforged\x9b1m",
    ]


def test_work_in_the_middle_of_other_work_is_told_apart() -> None:
    def fields() -> dict[str, object]:
        return dict(logs._about.get())

    with logs.about_work(CaseRerun(pk=3, attempt=1)):
        with logs.about_work(Submission(pk=12, attempt=2)):
            assert fields() == {"submission": 12, "attempt": 2}
            assert copy_context().run(fields) == fields()
        assert fields() == {"work": "CaseRerun 3", "attempt": 1}
    assert fields() == {}


def test_request_of_django_is_no_field_and_tokens_of_links_are_left_out() -> None:
    request = SimpleNamespace(resolver_match=SimpleNamespace(kwargs={"link_token": "s3cret", "number": 1}))
    record = _record("%s: %s", "Internal Server Error", "/compare/shared/s3cret/", request=request)
    assert logs.WithoutTokens().filter(record)
    line = logs.JsonLines().format(record)
    assert "s3cret" not in line
    assert json.loads(line)["message"] == "Internal Server Error: /compare/shared/***/"
    assert "request" not in json.loads(line)
