"""Right programs that are too long or oddly written: refused before anything is stored, or stored, judged and shown."""

import asyncio
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart

from judge.grading.verdicts import Verdict
from judge.models import Status, Submission
from tests.extent import RUNS_ALL
from tests.hostile.corpus import generated
from tests.hostile.corpus.corpus import CORPUS, GENERATED_HERE, OF_OUR_CORPUS
from tests.hostile.corpus.generated import Generated
from tests.hostile.corpus.manifest import GENERATED
from tests.hostile.pages import CODE_KIB, Live, judge, publish_sum, send
from web.asgi import application

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("worker"),
    pytest.mark.skipif(CORPUS is not None and not GENERATED_HERE, reason="the corpus asks for no generated sources"),
]

_LIMIT = CODE_KIB * 1024
_MOST_PER_BYTE = 40  # of a page, for each byte of the source that it shows
_PAGE_BYTES = 200_000  # and without any


def _chosen(programs: Iterable[Generated]) -> list[Generated]:
    """In an ordinary run those in Python, which take the least time."""
    return [program for program in programs if RUNS_ALL or program.language == "python"]


def _post_over_asgi(path: str, body: bytes) -> int:
    """The status of the answer when the site itself is asked, body limit and all."""
    answers: list[Mapping[str, Any]] = []
    pieces = [body[i : i + 65_536] for i in range(0, len(body), 65_536)]
    requests = [{"type": "http.request", "body": piece, "more_body": True} for piece in pieces]
    requests += [{"type": "http.request", "body": b"", "more_body": False}, {"type": "http.disconnect"}]

    async def receive() -> dict[str, Any]:
        return requests.pop(0)

    async def send_answer(message: Mapping[str, Any]) -> None:
        answers.append(message)

    headers = [(b"host", b"localhost"), (b"content-type", MULTIPART_CONTENT.encode())]
    scope = {"type": "http", "method": "POST", "path": path, "raw_path": path.encode(), "query_string": b""}
    scope |= {"headers": [*headers, (b"content-length", str(len(body)).encode())], "http_version": "1.1"}
    asyncio.run(application({**scope, "asgi": {"version": "3.0"}}, receive, send_answer))
    return next(int(message["status"]) for message in answers if message["type"] == "http.response.start")


@pytest.mark.parametrize("program", _chosen(generated.huge()), ids=lambda program: program.file)
def test_a_huge_source_is_refused_before_anything_is_read(program: Generated, author: Client, tmp_path: Path) -> None:
    publish_sum(tmp_path)
    body = encode_multipart(BOUNDARY, {"language": program.language, "source": program.source.decode()})
    assert _post_over_asgi("/problems/sum/submit", body) == 413
    assert send(author, program).status_code == 422  # where no such guard stands before the form
    assert not Submission.objects.exists()


@pytest.mark.parametrize("program", _chosen(generated.over_limit(_LIMIT)), ids=lambda program: program.file)
def test_a_byte_too_many_is_refused_with_a_sentence(program: Generated, author: Client, tmp_path: Path) -> None:
    publish_sum(tmp_path)
    answer = send(author, program)
    assert answer.status_code == 422
    assert f"{len(program.source):,} bytes; at most {_LIMIT:,} are allowed" in answer.content.decode("utf-8")
    assert not Submission.objects.exists()


@pytest.mark.parametrize(
    "program", _chosen([*generated.at_limit(_LIMIT), *generated.long_shapes()]), ids=lambda program: program.file
)
def test_a_long_source_is_judged_and_shown_in_bounds(program: Generated, author: Client, tmp_path: Path) -> None:
    judged = judge(author, program, tmp_path)
    assert judged.submission.verdict == Verdict.AC
    assert bytes(judged.submission.source) == program.source
    for page in (judged.page, judged.comparison):
        assert not Live(page).acting
        assert len(page) < _PAGE_BYTES + _MOST_PER_BYTE * len(program.source)


@pytest.mark.parametrize("program", _chosen(generated.line_ends()), ids=lambda program: program.file)
def test_the_ends_of_lines_stay_as_they_were_sent(program: Generated, author: Client, tmp_path: Path) -> None:
    judged = judge(author, program, tmp_path)
    assert judged.submission.status == Status.DONE
    assert judged.submission.verdict in (Verdict.AC, Verdict.CE)
    assert bytes(judged.submission.source) == program.source
    assert not Live(judged.page).acting
    assert not Live(judged.comparison).acting


@OF_OUR_CORPUS
def test_every_generated_case_of_the_manifest_is_here() -> None:
    assert GENERATED_HERE == GENERATED
