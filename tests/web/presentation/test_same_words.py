"""The same number is written the same wherever it is the same measure: result, comparison, experiment, lists, terminal.

How it works: every number with a unit on a page is read back. One that is nearly a number of the run, in whatever
unit, has to be written as `judge.grading.words` writes that number (`web.access.rounding` before it, where the
reader sees rounded ones). So "1.2 s", "1,235 ms" and "1.23456 s" beside "1.23 s" fail. The table of all numbers tells
bytes as exact counts, and files and JSON have numbers without units.
"""

import html
import re
from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from judge.grading.events import CaseJudged, CompileFinished, Event, Finding, GradingFinished
from judge.grading.explain import in_words
from judge.grading.languages import LANGUAGES
from judge.grading.measures import BY_NAME, MEASURES, STORED, Kind
from judge.grading.verdicts import Verdict
from judge.management import report
from judge.models import Submission
from problems.models import ProblemVersion
from sandbox.types import IoProfile, Usage
from tests.web.conftest import ResultMaker, SubmissionMaker
from tests.web.experiment_rows import make_run
from web.access.rounding import EXACT, Rounding, Under
from web.presentation.units import of_kind

USER_US, SYSTEM_US = 1_734_567, 1_098_765
CPU_US = USER_US + SYSTEM_US
NUMBERS = {measure.name: 0 for measure in STORED} | {
    "user_time_us": USER_US,
    "system_time_us": SYSTEM_US,
    "wall_time_us": 4_767_891,
    "peak_memory_bytes": 77_654_321,
    "write_calls": 2_345_678,
    "write_bytes": 23_456_789,
    "read_calls": 3_456,
    "read_bytes": 987_654,
    "stdout_bytes": 23_456_789,
    "voluntary_switches": 5_432,
    "involuntary_switches": 6_543,
    "minor_faults": 8_765,
}
LIMITS = {"time_limit_ms": 10_000, "memory_bytes": 1 << 30}
WAITING_US = NUMBERS["wall_time_us"] - CPU_US
EVIDENCE = {
    "verdict": "AC",
    "test_case": "secret/01",
    "accepted": 1,
    "test_cases": 1,
    "cpu_time_us": CPU_US,
    "waiting_time_us": WAITING_US,
    "kernel_percent": 38,
    "time_limit_ms": LIMITS["time_limit_ms"],
    "bytes_per_write": 10.0,
    **NUMBERS,
}
UNITS = {
    "us": 1,
    "µs": 1,
    "ms": 1_000,
    "s": 1_000_000,
    "byte": 1,
    "bytes": 1,
    "KiB": 1_024,
    "MiB": 1_024**2,
    "GiB": 1_024**3,
}
TOKEN = re.compile(r"(?<![\w.,/-])(\d[\d,]*(?:\.\d+)?)(?: (us|µs|ms|s|bytes?|[KMG]iB))?(?![\w/%\u00d7]| times|[.,]\d)")
NEAR = 0.013  # less than any two numbers of the run differ by; more than three digits leave out
NEAR_ROUNDED = 0.03

pytestmark = pytest.mark.django_db


@pytest.fixture(params=[True, False], ids=["exact", "rounded"])
def shown(request: pytest.FixtureRequest, problem: object) -> Rounding:
    """Of an open problem, and of one whose numbers are rounded."""
    ProblemVersion.objects.update(exact_numbers=request.param, **LIMITS)
    version = ProblemVersion.objects.get()
    return (
        EXACT
        if request.param
        else Rounding(
            is_exact=False,
            time_limit_us=version.time_limit_ms * 1_000,
            memory_limit_bytes=version.memory_bytes,
            write_calls_limit=version.write_calls,
            read_calls_limit=version.read_calls,
        )
    )


@pytest.fixture
def submission(make_submission: SubmissionMaker, make_result: ResultMaker, shown: Rounding) -> Submission:
    """With one hidden case, and findings about it."""
    findings = [{"code": code, "evidence": EVIDENCE, "lines": [1]} for code in ("summary", "flush-per-line", "waiting")]
    used = {"max_cpu_time_us": CPU_US, "max_peak_memory_bytes": 77_654_321, "total_write_calls": 2_345_678}
    submission = make_submission(
        explanation=findings, test_case_count=1, problem_version=ProblemVersion.objects.get(), **used
    )
    make_result(submission, name="secret/01", **NUMBERS)
    return submission


def values() -> Iterator[tuple[Kind, float]]:
    """The numbers of the run that are large enough to be told apart."""
    result = SimpleNamespace(**NUMBERS, cpu_time_us=CPU_US, waiting_time_us=WAITING_US)
    for measure in MEASURES:
        if measure.mean_of is None and getattr(result, measure.name) > 1_000:
            yield measure.kind, getattr(result, measure.name)


def expected(shown: Rounding) -> dict[tuple[str, float], set[str]]:
    """By dimension and number: how it may be written."""
    words: dict[tuple[str, float], set[str]] = {}
    by_name = {number: name for name, number in reversed([*NUMBERS.items(), ("cpu_time_us", CPU_US)])}
    for kind, number in values():
        name = by_name.get(int(number), "waiting_time_us")
        rounded = shown.measured(BY_NAME[name], number)
        assert not isinstance(rounded, Under)
        key = dimension(kind), float(rounded if not shown.is_exact else number)
        words.setdefault(key, set()).add(of_kind(kind, rounded).replace("\u00a0", " "))
    return words


def dimension(kind: Kind) -> str:
    return {Kind.TIME: "time", Kind.MEMORY: "size", Kind.BYTES: "size", Kind.SIZE: "size"}.get(kind, "count")


def wrong_words(text: str, shown: Rounding) -> list[str]:
    """What is nearly a number of the run, and written otherwise."""
    known, near, found = expected(shown), NEAR if shown.is_exact else NEAR_ROUNDED, []
    for number, unit in TOKEN.findall(text):
        value = float(number.replace(",", "")) * UNITS.get(unit, 1)
        kind = "time" if unit.endswith("s") and "byte" not in unit else "size" if unit else "count"
        told = f"{number} {unit}" if unit else number
        alike = [words for (what, each), words in known.items() if what == kind and abs(each - value) <= near * each]
        if alike and not any(told in words for words in alike):
            found.append(told)
    return found


def words_of(page: str) -> str:
    """The words of a page: what is read, with what is read out, without the table of exact counts and scripts."""
    page = re.sub(r"<script.*?</script>|<style.*?</style>", " ", page, flags=re.DOTALL)
    page = re.sub(r'id="all-numbers".*?</details>', " ", page, flags=re.DOTALL)
    page = re.sub(r'<svg class="distribution histogram".*?</figure>', " ", page, flags=re.DOTALL)  # bounds of columns
    labels = " ".join(re.findall(r'(?:aria-label|title|content|alt)="([^"]*)"', page))
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", page) + " " + labels).replace("\u00a0", " "))


def page_of(client: Client, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200
    return words_of(answer.content.decode())


def pages(client: Client, submission: Submission, other: Submission) -> Iterator[tuple[str, str]]:
    """The places that tell of the submission."""
    slug = submission.problem.slug
    yield "result", page_of(client, reverse("submission", args=[submission.pk]))
    yield "comparison", page_of(client, f"{reverse('compare')}?s={submission.pk}&s={other.pk}")
    yield "list", page_of(client, reverse("submission_list"))
    yield "statistics", page_of(client, reverse("problem_statistics", args=[slug]))
    yield "progress", page_of(client, reverse("progress"))


def test_no_page_writes_a_number_of_the_run_in_another_way(
    as_student: Client,
    submission: Submission,
    shown: Rounding,
    make_submission: SubmissionMaker,
    make_result: ResultMaker,
) -> None:
    other = make_submission(problem_version=submission.problem_version, test_case_count=1)
    make_result(other, name="secret/01")
    cpu = of_kind(Kind.TIME, shown.cpu_time_us(CPU_US)).replace("\u00a0", " ")
    for place, text in pages(as_student, submission, other):
        assert wrong_words(text, shown) == [], place
        if place != "progress":
            assert cpu in text, place
        if place in ("result", "comparison"):
            assert [words for words in expected(shown).values() if not any(each in text for each in words)] == []


def test_an_experiment_writes_them_in_the_same_way(as_student: Client, student: User) -> None:
    run = make_run(student)
    given = {**NUMBERS, "cpu_time_us": CPU_US, "waiting_time_us": WAITING_US}
    runs = [
        replace(each, numbers={name: given.get(name, 0) for name in each.numbers}) if place % 2 else each
        for place, each in enumerate(run.runs)
    ]
    type(run).objects.filter(pk=run.pk).update(runs=runs)
    text = page_of(as_student, reverse("experiment_run", args=[run.pk]))
    assert of_kind(Kind.TIME, CPU_US).replace("\u00a0", " ") in text
    assert wrong_words(text, EXACT) == []


def test_the_terminal_writes_them_in_the_same_way() -> None:
    fields = {name: NUMBERS[name] for name in ("user_time_us", "system_time_us", "wall_time_us", "peak_memory_bytes")}
    io = IoProfile(**{name: NUMBERS[name] for name in ("read_calls", "write_calls", "read_bytes", "write_bytes")})
    case = CaseJudged(
        name="secret/01",
        is_sample=False,
        verdict=Verdict.AC,
        usage=Usage(**fields),
        io=io,
        exit_code=0,
        signal=None,
        stdout_bytes=NUMBERS["stdout_bytes"],
        stderr_bytes=0,
        run_times=(10_098_765, CPU_US),
    )
    compiled = CompileFinished(ok=True, message="", wall_time_us=None, toolchain="g++", cases=1)
    finding = Finding(code="summary", evidence=EVIDENCE)
    finished = GradingFinished(verdict=Verdict.AC, explanation=(finding,))
    package = SimpleNamespace(name="Sum", is_time_limit_given=True, limits=SimpleNamespace(time_limit_ms=10_000))
    language, events = LANGUAGES["cpp"], list[Event]([compiled, case, finished])
    text = report.judged_as_text(package, language, events)  # type: ignore[arg-type]
    text = f"{text}\n{report.findings_as_text(language, finished.explanation)}"
    assert "secret/01: the fastest of 2 runs counts: 10.1 s, 2.83 s; the limit is 10 s" in text
    assert in_words(finding, LANGUAGES["cpp"]).text in text
    assert "2.83 s" in text.partition("secret/01")[2]
    assert wrong_words(text, EXACT) == []


@pytest.mark.parametrize(
    "text", ["2.8 s", "2.833 s", "2,833 ms", "2.83333 s", "2,833,332 us", "74 MiB", "74.06 MiB", "2345678"]
)
def test_another_way_is_seen(text: str) -> None:
    assert wrong_words(f"It took {text} then.", EXACT) == [text]


@pytest.mark.parametrize("text", ["2.83 s", "74.1 MiB", "2,345,678", "3 s", "60 MiB"])
def test_the_usual_way_passes(text: str) -> None:
    assert wrong_words(f"It took {text} then.", EXACT) == []
