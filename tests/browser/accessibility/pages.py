"""Every page of the site as somebody sees it who may: what the accessibility tests look at.

`PAGES` has at least one page for each address of `web.access.addresses.ADDRESSES` that answers GET, with more for pages
that look another way in another state; `NO_PAGES` says of the other addresses why they have none. `test_pages.py`
compares both with the table.
"""

from dataclasses import dataclass
from typing import Any

from django.urls import reverse

from web.urls import urlpatterns

STUDENT, INSTRUCTOR, OPERATOR, GUARDED, WITHOUT = "reader", "teacher", "operator", "guarded", "without-password"
NOBODY = ""
_OF_NAME = {pattern.name: pattern for pattern in urlpatterns}


@dataclass(frozen=True, kw_only=True, slots=True)
class Page:
    """One page in one state. `values`: what replaces the values of the world; `title` is what the report calls it."""

    title: str
    address: str
    person: str
    values: tuple[tuple[str, str], ...] = ()  # parameter of the address, name of the world's value
    query: str = ""
    status: int = 200
    is_sent: bool = False  # its form is sent as it is, and comes back with errors

    def path(self, world: dict[str, Any]) -> str:
        """Return its path with the values of a world, which the query may name in braces."""
        known = {**world, **{parameter: world[name] for parameter, name in self.values}}
        parameters = {name: known[name] for name in _OF_NAME[self.address].pattern.converters}
        return reverse(self.address, kwargs=parameters) + self.query.format_map(known)


def _page(title: str, address: str, person: str = NOBODY, query: str = "", **values: str) -> Page:
    return Page(title=title, address=address, person=person, query=query, values=tuple(values.items()))


def _submission(title: str, name: str) -> Page:
    return _page(title, "submission", STUDENT, submission_id=name)


def _refused(title: str, address: str, person: str = NOBODY) -> Page:
    return Page(title=title, address=address, person=person, is_sent=True)


PAGES = [
    _page("Home", "home"),
    _page("Home, signed in", "home", STUDENT),
    _page("Help", "help"),
    _page("Problems", "problem_list"),
    _page("Problems, signed in", "problem_list", STUDENT),
    _page("Problem", "problem"),
    _page("Problem with the editor", "problem", STUDENT),
    _page("Problem with a submission to edit", "problem", STUDENT, "?edit={submission_id}"),
    _page("Problem with a run", "problem", STUDENT, "?run={custom_run_id}"),
    _page("Statistics of a problem", "problem_statistics", STUDENT),
    _submission("Result: time limit exceeded, with all reruns", "submission_id"),
    _page("Result, as staff", "submission", OPERATOR),
    _submission("Result: growth", "growing"),
    _submission("Result: accepted", "quick"),
    _submission("Result: wrong answer", "wrong"),
    _submission("Result: compile error", "broken"),
    _submission("Result: compiler warnings", "warned"),
    _submission("Result: points", "scored"),
    _submission("Result: judge error", "failed_by_us"),
    _submission("Result: judging", "running"),
    _page("Submissions", "submission_list", STUDENT),
    _page("Submissions, as staff", "submission_list", OPERATOR),
    _page("Progress", "progress", STUDENT),
    _page("Run", "custom_run", STUDENT),
    _page("Comparison", "compare", STUDENT, "?s={submission_id}&s={quick}"),
    _page("Comparison: what to compare with", "compare", STUDENT, "?s={submission_id}"),
    _page("Comparison: other problems", "compare", STUDENT, "?s={submission_id}&s={wrong}"),
    _page("Shared comparisons", "shared_comparisons", STUDENT),
    _page("Shared comparison", "shared_comparison", INSTRUCTOR),
    _page("Experiments", "experiment_list", STUDENT),
    _page("Experiment", "experiment", STUDENT, key="ready_key"),
    _page("Experiment of one's own", "experiment", INSTRUCTOR),
    _page("Experiment: change and run", "experiment_change", STUDENT, key="ready_key"),
    _page("Experiment: new", "experiment_new", INSTRUCTOR, "?from={ready_key}"),
    _page("Experiment: edit", "experiment_edit", INSTRUCTOR),
    _page("Experiment's run", "experiment_run", STUDENT),
    _page("Experiment's run: change and run", "experiment_run_change", STUDENT),
    _page("Assignments", "assignment_list", STUDENT),
    _page("Assignments, as an instructor", "assignment_list", INSTRUCTOR),
    _page("Assignment", "assignment", STUDENT),
    _page("Assignment, as an instructor", "assignment", INSTRUCTOR),
    _page("Assignment: new", "new_assignment", INSTRUCTOR),
    _page("Assignment: edit", "edit_assignment", INSTRUCTOR),
    _page("Assignment: delete", "delete_assignment", INSTRUCTOR),
    _page("Assignment: join", "join_assignment", STUDENT),
    _page("Class view of an assignment", "assignment_class", INSTRUCTOR),
    _page("Class view of a problem", "problem_class", OPERATOR),
    _page("My problems", "mine", INSTRUCTOR),
    _page("New problem", "new_problem", INSTRUCTOR),
    _page("Edit a problem", "edit_problem", INSTRUCTOR, slug="own_slug"),
    _page("Manage a problem", "manage", INSTRUCTOR, slug="own_slug"),
    _page("Upload a package", "upload", INSTRUCTOR),
    _page("Replace a package", "replace", INSTRUCTOR, slug="own_slug"),
    _page("Upload: report", "package_upload", INSTRUCTOR),
    _page("Upload: mistakes", "package_upload", INSTRUCTOR, upload_id="refused"),
    _page("Upload: a set, taken apart", "package_upload", INSTRUCTOR, upload_id="taken_apart"),
    _page("Upload: being verified", "package_upload", INSTRUCTOR, upload_id="under_way"),
    _page("Rejudges", "rejudge_list", OPERATOR),
    _page("Rejudge: new", "rejudge_new", OPERATOR),
    _page("Rejudge", "rejudge", OPERATOR),
    _page("Rejudge: one result", "rejudge_result", OPERATOR),
    _page("Invitations", "invitation_list", INSTRUCTOR),
    _page("Workers", "workers", OPERATOR),
    _page("Stuck work", "stuck", OPERATOR),
    _page("People", "people", OPERATOR),
    _page("People, searched", "people", OPERATOR, "?q=nobody-here"),
    _page("Person", "person", OPERATOR),
    _page("Remove a person", "remove_person", OPERATOR),
    _page("Sign in", "login"),
    _page("Sign up", "signup"),
    _page("Sign up by invitation", "signup", query="?invitation={invitation_token}"),
    _page("Reset the password", "account_reset_password"),
    _page("Reset the password: sent", "account_reset_password_done"),
    _page("Reset the password: link", "account_reset_password_from_key", key="link_key"),
    _page("Account", "account", STUDENT),
    _page("Remove the account", "remove_account", STUDENT),
    _page("Change the password", "account_change_password", STUDENT),
    _page("Set a password", "account_set_password", WITHOUT),
    _page("E-mail address", "account_email", STUDENT),
    _page("E-mail address: link", "account_confirm_email", STUDENT),
    _page("Confirm by password", "account_reauthenticate", STUDENT),
    _page("Confirm by code", "mfa_reauthenticate", GUARDED),
    _page("Second factor", "mfa_index", GUARDED),
    _page("Second factor: on", "mfa_activate_totp", STUDENT),
    _page("Second factor: off", "mfa_deactivate_totp", GUARDED),
    _page("Recovery codes", "mfa_view_recovery_codes", GUARDED),
    _page("Recovery codes: new", "mfa_generate_recovery_codes", GUARDED),
    _refused("Sign in, refused", "login"),
    _refused("Sign up, refused", "signup"),
    _refused("Problem, program refused", "problem", STUDENT),
    _refused("Assignment, refused", "new_assignment", INSTRUCTOR),
    _refused("Invitation, refused", "invitation_list", INSTRUCTOR),
    _refused("Removal, refused", "remove_account", STUDENT),
    _refused("Experiment, refused", "experiment_new", INSTRUCTOR),
    _refused("New problem, refused", "new_problem", INSTRUCTOR),
    Page(title="Error: access denied", address="upload", person=STUDENT, status=403),
    Page(title="Error: not found", address="problem", person=NOBODY, values=(("slug", "link_token"),), status=404),
]
_PART, _FILE, _STREAM = "a part of its page", "a file to download", "a stream of events"
_MACHINES = "an answer to machines"
_OPENID = "leads elsewhere; only where a provider is set: tests/web/identity/test_openid.py"
NO_PAGES = {
    **dict.fromkeys(
        ["upload_live", "rejudge_live", "submission_live", "custom_run_live", "experiment_run_live"], _PART
    ),
    **dict.fromkeys(
        ["upload_events", "rejudge_events", "submission_events", "custom_run_events", "experiment_run_events"], _STREAM
    ),
    **dict.fromkeys(
        ["problem_file", "upload_file", "version_package", "upload_package", "submission_csv", "submission_source"],
        _FILE,
    ),
    **dict.fromkeys(["submission_speedscope", "experiment_run_json", "experiment_run_csv"], _FILE),
    **dict.fromkeys(["healthz", "readyz", "metrics"], _MACHINES),
    **dict.fromkeys(["openid_connect_login", "openid_connect_callback", "socialaccount_connections"], _OPENID),
    **dict.fromkeys(["account_login", "account_signup"], "the same page under allauth's name"),
    "mfa_authenticate": "comes after a password: test_keyboard.py looks at it",
}
ERROR_PAGES = [
    "400",
    "403_csrf",
    "410",
    "413",
    "429",
    "500",
    "503",
    "busy",
    "mail",
]  # of web/templates/errors, drawn by themselves
