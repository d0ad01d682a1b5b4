"""The pages requested over all these rows: every list, filter, export and statistics page; and the queue's queries."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.models import User
from django.db.models import Count, QuerySet

from bench.rows_of.two_years import People
from judge.models import KINDS, Assignment, Experiment, ExperimentRun, PackageUpload, Rejudge, Status, Submission
from judge.queue import fairness, leases, wakeup
from judge.uploads import uploads
from problems.models import Problem

FILTERS = "every combination of filters"  # one request each, of all that are possible


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """A query of a worker or the sweeper, without its later writes."""

    name: str
    ask: Callable[[], object]


@dataclass(frozen=True, kw_only=True, slots=True)
class Page:
    """One page. Pages of the same `group` are one figure together; `is_stream`: only the first rows count."""

    name: str
    path: str
    user: User
    group: str = ""
    is_stream: bool = False


def all_pages(people: People) -> list[Page]:
    """All of them."""
    return [*_lists(people), *_exports(people), *_filters(people), *_managing(people), *_others(people)]


def all_questions(people: People) -> Iterator[Question]:
    """Who is next, whose lease has run out, what turn a new submission gets, how many wait."""
    for kind in KINDS:
        rows: QuerySet[Any] = leases.waiting(kind)[: wakeup.MOST_WAKEUPS]
        yield Question(name=f"rings for {kind.__name__}", ask=partial(_read, rows))
        gone: QuerySet[Any] = kind._default_manager.filter(leases.run_out())
        yield Question(name=f"leases run out of {kind.__name__}", ask=partial(_read, gone))
    for who, user in (("many", people.many), ("few", people.few)):
        yield Question(name=f"turn of a new submission ({who})", ask=partial(fairness.take_turn, Submission(user=user)))
        unfinished = Submission.objects.filter(user=user).exclude(status=Status.DONE)
        yield Question(name=f"in flight ({who})", ask=unfinished.count)
    judged = Submission.objects.filter(status=Status.JUDGING).latest("pk")
    yield Question(
        name="who may pass", ask=lambda: fairness.who_may_pass(judged, 1_000, judged.worker.rpartition("/")[0])
    )
    yield Question(
        name="place in the queue", ask=Submission.objects.filter(status=Status.QUEUED, pk__lt=judged.pk).count
    )
    yield Question(name="sweeping uploads", ask=uploads.sweep)


def _read(rows: QuerySet[Any]) -> list[Any]:
    """Asked anew each time."""
    return list(rows.all())


def _lists(people: People) -> Iterator[Page]:
    """The list of submissions, at its beginning, its middle and its end."""
    last = Submission.objects.order_by("-pk").values_list("pk", flat=True)[0]
    for who, user in (("many", people.many), ("few", people.few), ("staff", people.staff)):
        keys = {"": "", "in the middle": f"before={last // 2}", "at the end": "before=30", "newer": "after=1"}
        for place, query in keys.items():
            yield Page(name=f"submissions {place} ({who})", path=f"/submissions/?{query}", user=user)
    for user_name in (people.many.username.upper(), people.few.username, "nobody-at-all"):
        yield Page(name=f"submissions of {user_name}", path=f"/submissions/?user={user_name}", user=people.staff)
    for verdict, query in (("JE", ""), ("JE", "&after=1"), ("OLE", f"&before={last // 2}")):
        path = f"/submissions/?verdict={verdict}{query}"
        yield Page(name=f"submissions {verdict}{query}", path=path, user=people.staff)


def _exports(people: People) -> Iterator[Page]:
    """The list as a file."""
    for who, user in (("many", people.many), ("few", people.few)):
        yield Page(name=f"export ({who})", path="/submissions/csv", user=user, is_stream=True)
    for query in ("", "verdict=JE", "language=rust&verdict=OLE", "user=few", "user=nobody-at-all", "status=queued"):
        yield Page(name=f"export {query} (staff)", path=f"/submissions/csv?{query}", user=people.staff, is_stream=True)


def _filters(people: People) -> Iterator[Page]:
    """Every combination of what a filter offers, as far as it behaves differently: each value stands for its like."""
    popular, *_, rare = _by_popularity()
    offered = {
        "problem": ("", popular.slug, rare.slug),
        "language": ("", "python", "rust"),
        "verdict": ("", "AC", "SLE", "JE"),
        "status": ("", *Status.values),
        "user": ("", people.many.username, people.few.username, "nobody"),
        "after": ("", "1"),
    }
    for values in product(*offered.values()):
        wanted = {name: value for name, value in zip(offered, values, strict=True) if value}
        path = f"/submissions/?{urlencode(wanted)}"
        yield Page(name=path, path=path, user=people.staff, group=f"{FILTERS} (staff)")
        if "user" not in wanted:
            yield Page(name=path, path=path, user=people.many, group=f"{FILTERS} (many)")


def _managing(people: People) -> Iterator[Page]:
    """An instructor's pages."""
    popular, *_, rare = _by_popularity()
    large = Rejudge.objects.annotate(size=Count("submissions")).latest("size")
    small = Rejudge.objects.earliest("pk")
    choices = ("", "asked=on&verdict=JE", "asked=on&language=rust", "asked=on&older=on", "asked=on&users=few")
    paths = {
        "rejudges": f"/problems/{large.problem.slug}/rejudges/",
        **{f"choice for a rejudge {each}": f"/problems/{popular.slug}/rejudges/new?{each}" for each in choices},
        "choice by date": f"/problems/{popular.slug}/rejudges/new?asked=on&since=2026-01-01&until=2026-06-01",
        "large rejudge": f"/rejudges/{large.pk}/",
        "large rejudge, all": f"/rejudges/{large.pk}/?show=all",
        "large rejudge, one cell": f"/rejudges/{large.pk}/?old=AC&new=WA",
        "small rejudge": f"/rejudges/{small.pk}/",
        "class of the popular problem": f"/problems/{popular.slug}/class/",
        "class of a rare problem": f"/problems/{rare.slug}/class/",
        "class of an assignment": f"/assignments/{Assignment.objects.earliest('pk').pk}/class/",
        "class of an old assignment": f"/assignments/{Assignment.objects.latest('pk').pk}/class/",
        "assignments": "/assignments/",
        "assignment": f"/assignments/{Assignment.objects.earliest('pk').pk}/",
        "new assignment": "/assignments/new/",
        "mine": "/problems/mine/",
        "manage": f"/problems/{popular.slug}/manage/",
        "statistics of the popular problem": f"/problems/{popular.slug}/statistics/",
        "statistics of a rare problem": f"/problems/{rare.slug}/statistics/",
        "upload": f"/uploads/{PackageUpload.objects.undecided().latest('pk').pk}/",
    }
    for name, path in paths.items():
        yield Page(name=name, path=path, user=people.owner)


def _others(people: People) -> Iterator[Page]:
    """Everybody's pages."""
    popular = _by_popularity()[0]
    experiment = Experiment.objects.filter(is_published=True).latest("pk")
    run = ExperimentRun.objects.latest("pk")
    for who, user in (("many", people.many), ("few", people.few), ("staff", people.staff)):
        own = Submission.objects.filter(user=user) if who != "staff" else Submission.objects.all()
        judged = own.filter(status=Status.DONE, verdict__in=("AC", "WA", "TLE"))
        last = judged.latest("pk")
        paths = {
            "problems": "/problems/",
            "problem": f"/problems/{popular.slug}/",
            "submission": f"/submissions/{last.pk}/",
            "first submission": f"/submissions/{own.earliest('pk').pk}/",
            "compare": f"/compare/?s={last.pk}",
            "compare two": f"/compare/?s={last.pk}&s={_earlier(last).pk}",
            "statistics": f"/problems/{last.problem.slug}/statistics/",
            "progress": "/progress/",
            "experiments": "/experiments/",
            "experiment": f"/experiments/{experiment.key}/",
            "assignments": "/assignments/",
            "shared comparisons": "/compare/shared/",
        }
        for name, path in paths.items():
            yield Page(name=f"{name} ({who})", path=path, user=user)
    for name, path in {"workers": "/workers/", "stuck": "/stuck/", "metrics": "/metrics"}.items():
        yield Page(name=name, path=path, user=people.staff)
    for status in (Status.QUEUED, Status.JUDGING):
        waiting = Submission.objects.filter(status=status).latest("pk")
        yield Page(name=f"submission that is {status}", path=f"/submissions/{waiting.pk}/", user=people.staff)
    assignment = Assignment.objects.earliest("pk")
    yield Page(name="assignment (many)", path=f"/assignments/{assignment.pk}/", user=people.many)
    for kind in ("", "csv", "json"):
        yield Page(name=f"run {kind}", path=f"/experiments/runs/{run.pk}/{kind}", user=people.staff)


def _earlier(submission: Submission) -> Submission:
    """The one before it to the same problem, of whom the reader may read."""
    own = Submission.objects.filter(problem=submission.problem_id, user=submission.user_id, status=Status.DONE)
    return own.filter(pk__lt=submission.pk).order_by("-pk").first() or submission


def _by_popularity() -> list[Problem]:
    return list(Problem.objects.annotate(number=Count("submissions")).order_by("-number"))
