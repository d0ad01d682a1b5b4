"""Every address of the site."""

from django.contrib.auth.views import LoginView, LogoutView
from django.urls import URLPattern, URLResolver, path

from web.views import (
    accounts,
    assignments,
    comparison,
    edit,
    files,
    health,
    manage,
    packages,
    preview,
    problems,
    rejudges,
    results,
    shared_comparisons,
    submissions,
    uploads,
    wizard,
)
from web.views.posted import posted_from

urlpatterns: list[URLPattern | URLResolver] = [
    path("", problems.problem_list, name="problem_list"),
    path("problems/upload/", packages.upload, name="upload"),
    path("problems/mine/", manage.mine, name="mine"),
    path("problems/new/", wizard.new_problem, name="new_problem"),
    path("problems/preview/", preview.preview, name="preview"),
    path("problems/<slug:slug>/", problems.problem, name="problem"),
    path("problems/<slug:slug>/files/<int:number>/<path:path>", files.problem_file, name="problem_file"),
    path("problems/<slug:slug>/submit", submissions.submit, name="submit"),
    path("problems/<slug:slug>/replace", packages.replace, name="replace"),
    path("problems/<slug:slug>/edit/", edit.edit_problem, name="edit_problem"),
    path("problems/<slug:slug>/manage/", manage.manage, name="manage"),
    path("problems/<slug:slug>/manage/settings", manage.change_settings, name="change_settings"),
    path("problems/<slug:slug>/manage/change", manage.change_problem, name="change_problem"),
    path("problems/<slug:slug>/manage/versions/<int:number>/current", manage.make_current, name="make_current"),
    path("problems/<slug:slug>/manage/versions/<int:number>/zip", manage.version_package, name="version_package"),
    path("uploads/<int:upload_id>/", uploads.package_upload, name="package_upload"),
    path("uploads/<int:upload_id>/live", uploads.upload_live, name="upload_live"),
    path("uploads/<int:upload_id>/events", uploads.upload_events, name="upload_events"),
    path("uploads/<int:upload_id>/zip", uploads.upload_package, name="upload_package"),
    path("uploads/<int:upload_id>/publish", uploads.publish_upload, name="publish_upload"),
    path("uploads/<int:upload_id>/verify", uploads.verify_upload, name="verify_upload"),
    path("uploads/<int:upload_id>/discard", uploads.discard_upload, name="discard_upload"),
    path("problems/<slug:slug>/rejudges/", rejudges.rejudge_list, name="rejudge_list"),
    path("problems/<slug:slug>/rejudges/new", rejudges.rejudge_new, name="rejudge_new"),
    path("rejudges/<int:rejudge_id>/", rejudges.rejudge, name="rejudge"),
    path("rejudges/<int:rejudge_id>/live", rejudges.rejudge_live, name="rejudge_live"),
    path("rejudges/<int:rejudge_id>/events", rejudges.rejudge_events, name="rejudge_events"),
    path("rejudges/<int:rejudge_id>/results/<int:rejudged_id>/", rejudges.rejudge_result, name="rejudge_result"),
    path("rejudges/<int:rejudge_id>/apply", rejudges.rejudge_apply, name="rejudge_apply"),
    path("rejudges/<int:rejudge_id>/discard", rejudges.rejudge_discard, name="rejudge_discard"),
    path("rejudges/<int:rejudge_id>/again", rejudges.rejudge_try_again, name="rejudge_try_again"),
    path("submissions/", results.submission_list, name="submission_list"),
    path("submissions/<int:submission_id>/", results.submission, name="submission"),
    path("submissions/<int:submission_id>/live", results.submission_live, name="submission_live"),
    path("submissions/<int:submission_id>/events", results.submission_events, name="submission_events"),
    path(
        "submissions/<int:submission_id>/cases/<int:position>/<slug:examination>",
        results.examine_case,
        name="examine_case",
    ),
    path("problems/<slug:slug>/class/", assignments.problem_class_view, name="problem_class"),
    path("assignments/", assignments.assignment_list, name="assignment_list"),
    path("assignments/new/", assignments.new_assignment, name="new_assignment"),
    path("assignments/<int:assignment_id>/", assignments.assignment, name="assignment"),
    path("assignments/<int:assignment_id>/edit/", assignments.edit_assignment, name="edit_assignment"),
    path("assignments/<int:assignment_id>/change", assignments.change_assignment, name="change_assignment"),
    path("assignments/<int:assignment_id>/class/", assignments.assignment_class, name="assignment_class"),
    path("assignments/<int:assignment_id>/join/<str:token>/", assignments.join_assignment, name="join_assignment"),
    path("compare/", comparison.compare, name="compare"),
    path("compare/share", shared_comparisons.share_comparison, name="share_comparison"),
    path("compare/shared/", shared_comparisons.shared_comparisons, name="shared_comparisons"),
    path("compare/shared/<str:link_token>/", shared_comparisons.shared_comparison, name="shared_comparison"),
    path("compare/shared/<str:link_token>/revoke", shared_comparisons.revoke_shared, name="revoke_shared"),
    path(
        "login/", LoginView.as_view(template_name="accounts/login.html", extra_context={"nav": "login"}), name="login"
    ),
    path("logout/", posted_from("problem_list")(LogoutView.as_view()), name="logout"),
    path("signup/", accounts.signup, name="signup"),
    path("healthz", health.healthz, name="healthz"),
]

handler400 = "web.views.errors.bad_request"
handler403 = "web.views.errors.forbidden"
handler404 = "web.views.errors.not_found"
handler500 = "web.views.errors.server_error"
