"""A problem's page."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.cache import patch_vary_headers

from judge.models import CustomRun, Status, Submission, TestCaseResult
from problems.languages import any_of
from problems.models import Problem, ProblemQuerySet, ProblemVersion
from problems.translation import translated
from web import access
from web.access.visibility import with_rounding
from web.forms.submissions import OWN, Mismatch, RunForm, SubmitForm
from web.identity import language
from web.presentation.result.sentences import language_name
from web.presentation.statement import of_version, shown_statement

Person = AbstractBaseUser | AnonymousUser
# columns that taking a submission needs
_TAKING = ("slug", "audience", "is_archived", "owner", "current_version__languages", "current_version__code_bytes")
_DIGITS_OF_A_KEY = 19
_KEPT = ("test", "input")  # fields of a run that a refused submission does not lose


def problem(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the statement, its samples and the editor.

    With `?edit=` or `?run=` the editor has the source of that submission or custom run, with `?fix=` the changed one.
    """
    problem = open_problem(request.user, slug)
    edited, run, fixed = _edited(request, problem), _own_run(request, problem), _fixed(request, problem)
    filled = edited or run
    initial = _filled(filled, filled.source_text) if filled else {}
    if fixed and fixed.fix:
        initial = _filled(fixed.submission, fixed.fix.source)
    tested = run_form(problem, initial=_tested(run)) if run else None
    form = submit_form(problem, request.user, initial=initial)
    return problem_page(request, problem, form, tested, edited=edited, fixed=fixed.submission if fixed else None)


def _filled(sent: Submission | CustomRun, text: str) -> dict[str, object]:
    """Return the form's fields for the program that was sent, with this text."""
    return {"language": sent.language, "source": text, "file_name": sent.file_name}


def _edited(request: HttpRequest, problem: Problem) -> Submission | None:
    """Return the user's own submission to this problem that `?edit=` names. Raises Http404."""
    number = request.GET.get("edit")
    if number is None:
        return None
    return get_object_or_404(access.own_submissions(request.user), pk=_key(number), problem=problem)


def _fixed(request: HttpRequest, problem: Problem) -> TestCaseResult | None:
    """Return the case of the user's own submission whose changed source `?fix=` names. Raises Http404."""
    number = request.GET.get("fix")
    if number is None:
        return None
    readable = access.readable_fixes(request.user, problem).select_related("submission")
    return get_object_or_404(readable, pk=_key(number))


def _key(number: str) -> int:
    """Return what an address says as a key; 0, which no row has, of anything else."""
    return int(number) if number.isascii() and number.isdecimal() and len(number) < _DIGITS_OF_A_KEY else 0


def open_problem(user: Person, slug: str) -> Problem:
    """Return the problem if this user may see it. Raises Http404."""
    return get_object_or_404(_open_problems(user), slug=slug)


def problem_to_take_for(user: Person, slug: str) -> Problem:
    """Return the problem with all columns that `submit_form` and `intake.submit` need, read at once."""
    return get_object_or_404(_open_problems(user).only(*_TAKING), slug=slug)


def submit_form(problem: Problem, user: Person, *sent: Any, initial: Mapping[str, object] | None = None) -> SubmitForm:
    """Return the form below the statement; its language is the one this user used last, unless `initial` has one."""
    version = _version(problem)
    return SubmitForm(
        *sent,
        version=version,
        max_bytes=min(settings.MAX_SOURCE_BYTES, version.code_bytes),
        initial={"language": partial(_last_language, user), **(initial or {})},
    )


def run_form(problem: Problem, *sent: Any, initial: Mapping[str, object] | None = None) -> RunForm:
    """Return the form that says what to run a program on."""
    return RunForm(*sent, version=_version(problem), initial=initial)


def _own_run(request: HttpRequest, problem: Problem) -> CustomRun | None:
    """Return the custom run of this problem that the address asks for, if this user may read it."""
    number = request.GET.get("run", "")
    if not (number.isascii() and number.isdecimal() and len(number) < _DIGITS_OF_A_KEY):
        return None
    return access.readable_custom_runs(request.user).filter(problem_version__problem=problem, pk=number).first()


def _tested(run: CustomRun) -> dict[str, object]:
    """Return what the run was run on as the form's fields."""
    if run.input is None:
        return {"test": run.sample} if run.sample else {}
    return {"test": OWN, "input": bytes(run.input).decode("utf-8", "replace")}


def _last_language(user: Person) -> str | None:
    return Submission.objects.filter(user=user.pk).order_by("-id").values_list("language", flat=True).first()


def problem_page(
    request: HttpRequest,
    problem: Problem,
    form: SubmitForm,
    run: RunForm | None = None,
    status: int = 200,
    **more: Submission | Mismatch | None,
) -> HttpResponse:
    """Return the problem's page with these forms; `shown_statement` chooses the language of the statement.

    Without a form for a run: a new one, with the input that was sent along with the program. `more`: "edited", the
    submission whose source the form has; "fixed", the one whose changed source it has; "mismatch", what is doubtful
    about its language.
    """
    version = _version(problem)
    own = Submission.objects.filter(user=request.user.pk, problem=problem).order_by("-id")
    shown_own = list(with_rounding(own)[:5])
    context = {
        "problem": problem,
        "version": version,
        "is_manageable": access.manages_problem(request.user, problem),
        "statement": shown_statement(
            version,
            of_version(problem.slug, version.number),
            request.GET.get("lang", "")[:16],
            language.accepted(request),
            has_tried=bool(shown_own),
        ),
        "only_languages": [language_name(language) for language in version.languages or ()],
        "asked_name": _asked_name(version, form),
        "form": form,
        **more,
        "run_form": run
        or run_form(problem, initial={name: request.POST[name] for name in _KEPT if name in request.POST}),
        "own_submissions": shown_own,
        "judge": _judge_now(form),
        "nav": "problems",
    }
    page = render(request, "problems/problem.html", context, status=status)
    patch_vary_headers(page, ["Accept-Language"])
    return page


def _asked_name(version: ProblemVersion, form: SubmitForm) -> str:
    """Return what the problem calls a program in the languages that it is offered in; "" if it does not say."""
    names = [name for language in form.languages if (name := version.submitted_file(language.id).name)]
    return translated(any_of(names)) if names else ""


def _open_problems(user: Person) -> ProblemQuerySet:
    problems = access.visible_problems(user).filter(current_version__isnull=False)
    return problems.select_related("current_version").with_titles()


def _version(problem: Problem) -> ProblemVersion:
    assert problem.current_version is not None, "open_problem finds only published ones"
    return problem.current_version


def _judge_now(form: SubmitForm) -> dict[str, int | bool]:
    """Return whether anybody takes work, and if not, how many programs wait."""
    is_alive = form.offer.is_alive
    waiting = 0 if is_alive else Submission.objects.exclude(status=Status.DONE).count()
    return {"is_alive": is_alive, "waiting": waiting}
