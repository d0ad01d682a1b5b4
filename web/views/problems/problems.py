"""A problem's page, and the files of its package that the page shows or offers: pictures, PDF statements, samples."""

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.utils.cache import patch_vary_headers

from judge.models import CustomRun, Status, Submission
from problems.jsonvalues import from_row
from problems.languages import any_of
from problems.models import Problem, ProblemQuerySet, ProblemVersion
from problems.package import PageFile
from problems.statement.rendering import PDF, PICTURE
from problems.statement.samples import offered_name
from problems.statement.statement_files import PICTURE_TYPES
from problems.store.stores import package_store
from problems.translation import translated
from web import access
from web.access.visibility import with_rounding
from web.forms.submissions import OWN, Mismatch, RunForm, SubmitForm
from web.identity import language
from web.presentation.paging import id_key
from web.presentation.result.sentences import language_name
from web.presentation.statement import of_version, shown_statement
from web.server.streaming import file_response

Person = AbstractBaseUser | AnonymousUser
# columns that taking a submission needs
_TAKING = ("slug", "audience", "is_archived", "owner", "current_version__languages", "current_version__code_bytes")
_FOREVER = "private, max-age=31536000, immutable"  # the address names a version or an upload: neither changes
_KEPT = ("test", "input")  # fields of a run that a refused submission does not lose


def problem(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the statement, its samples and the editor.

    With `?edit=` or `?run=` the editor has the source of that submission or custom run, with `?fix=` the changed one.
    """
    problem = open_problem(request.user, slug)
    edited = fixed = tested = None
    sent: Submission | CustomRun | None = None
    text = ""
    if key := id_key(request.GET.get("run", "")):
        runs = access.readable_custom_runs(request.user).filter(problem_version__problem=problem)
        if run := runs.filter(pk=key).first():
            sent, text = run, run.source_text
            test = {"test": run.sample} if run.sample else {}
            if run.input is not None:
                test = {"test": OWN, "input": bytes(run.input).decode("utf-8", "replace")}
            tested = run_form(problem, initial=test)
    if "edit" in request.GET:
        own, key = access.own_submissions(request.user), id_key(request.GET["edit"])
        sent = edited = get_object_or_404(own, pk=key or 0, problem=problem)
        text = edited.source_text
    if "fix" in request.GET:
        readable = access.readable_fixes(request.user, problem).select_related("submission")
        case = get_object_or_404(readable, pk=id_key(request.GET["fix"]) or 0)
        fixed = case.submission
        if case.fix:
            sent, text = fixed, case.fix.source
    initial = {"language": sent.language, "source": text, "file_name": sent.file_name} if sent else {}
    form = submit_form(problem, request.user, initial=initial)
    return problem_page(request, problem, form, tested, edited=edited, fixed=fixed)


def open_problem(user: Person, slug: str) -> Problem:
    """Return the problem if this user may see it. Raises Http404."""
    return get_object_or_404(_open_problems(user), slug=slug)


def problem_to_take_for(user: Person, slug: str) -> Problem:
    """Return the problem with all columns that `submit_form` and `intake.submit` need, read at once."""
    return get_object_or_404(_open_problems(user).only(*_TAKING), slug=slug)


def submit_form(problem: Problem, user: Person, *sent: Any, initial: Mapping[str, object] | None = None) -> SubmitForm:
    """Return the form below the statement; its language is the one this user used last, unless `initial` has one."""
    version = _version(problem)
    sent_before = Submission.objects.filter(user=user.pk).order_by("-id")
    last_language = sent_before.values_list("language", flat=True).first
    max_bytes = min(settings.MAX_SOURCE_BYTES, version.code_bytes)
    return SubmitForm(
        *sent, version=version, max_bytes=max_bytes, initial={"language": last_language, **(initial or {})}
    )


def run_form(problem: Problem, *sent: Any, initial: Mapping[str, object] | None = None) -> RunForm:
    """Return the form that says what to run a program on."""
    return RunForm(*sent, version=_version(problem), initial=initial)


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
    names = [name for language in form.languages if (name := version.submitted_file(language.id).name)]
    is_alive = form.offer.is_alive
    typed = {name: request.POST[name] for name in _KEPT if name in request.POST}
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
        "asked_name": translated(any_of(names)) if names else "",
        "form": form,
        **more,
        "run_form": run or run_form(problem, initial=typed),
        "own_submissions": shown_own,
        "judge": {
            "is_alive": is_alive,
            "waiting": 0 if is_alive else Submission.objects.exclude(status=Status.DONE).count(),
        },
        "nav": "problems",
    }
    page = render(request, "problems/problem.html", context, status=status)
    patch_vary_headers(page, ["Accept-Language"])
    return page


def _open_problems(user: Person) -> ProblemQuerySet:
    problems = access.visible_problems(user).filter(current_version__isnull=False)
    return problems.select_related("current_version").with_titles()


def _version(problem: Problem) -> ProblemVersion:
    assert problem.current_version is not None, "open_problem finds only published ones"
    return problem.current_version


def problem_file(request: HttpRequest, slug: str, number: int, path: str) -> HttpResponseBase:
    """Return one file of a version that `ProblemVersion.files` names, to whoever may see the problem."""
    problem = open_problem(request.user, slug)
    version = get_object_or_404(access.readable_versions(request.user, problem), number=number)
    return _file(request, version.digest, version.files, path)


def upload_file(request: HttpRequest, upload_id: int, path: str) -> HttpResponseBase:
    """Return one file of a package that is not published, of those that its problem's page would serve."""
    upload = get_object_or_404(access.manageable_uploads(request.user).exclude(digest=""), pk=upload_id)
    files = from_row(dict[str, PageFile], upload.columns.get("files", {}))
    return _file(request, upload.digest, files, path)


def _file(request: HttpRequest, digest: str, files: Mapping[str, PageFile], path: str) -> HttpResponseBase:
    entry = files.get(path)
    if entry is None:
        raise Http404
    file, name = package_store().file(digest, path), offered_name(path)
    picture_type = PICTURE_TYPES.get(PurePosixPath(path).suffix.lower()) if entry.kind == PICTURE else None
    media_type = picture_type or ("application/pdf" if entry.kind == PDF else "application/octet-stream")
    response = file_response(request, file, name=name, media_type=media_type, inline=picture_type is not None)
    response["Cache-Control"] = _FOREVER
    return response
