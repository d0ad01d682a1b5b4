"""Every address of the site. Who may load it and post to it: `web.access.ADDRESSES`."""

from django.contrib.auth.views import LogoutView
from django.urls import URLPattern, path

from web.access import ADDRESSES
from web.guard import guarded
from web.views import accounts, assignments, operations
from web.views.experiments import experiments, making, runs
from web.views.problems import edit, files, manage, preview, problems, rejudges, uploads, wizard
from web.views.submissions import comparison, results

_EVERY: list[URLPattern] = [
    path("", problems.problem_list, name="problem_list"),
    path("problems/archive/upload/", uploads.upload, name="upload"),
    path("problems/mine/", manage.mine, name="mine"),
    path("problems/new/", wizard.new_problem, name="new_problem"),
    path("problems/preview/", preview.preview, name="preview"),
    path("problems/<slug:slug>/", problems.problem, name="problem"),
    path("problems/<slug:slug>/files/<int:number>/<path:path>", files.problem_file, name="problem_file"),
    path("problems/<slug:slug>/submit", results.submit, name="submit"),
    path("problems/<slug:slug>/replace", uploads.replace, name="replace"),
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
    path("submissions/csv", results.submission_csv, name="submission_csv"),
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
    path("experiments/", experiments.experiment_list, name="experiment_list"),
    path("experiments/new/", making.experiment_new, name="experiment_new"),
    path("experiments/runs/<int:run_id>/", runs.experiment_run, name="experiment_run"),
    path("experiments/runs/<int:run_id>/live", runs.experiment_run_live, name="experiment_run_live"),
    path("experiments/runs/<int:run_id>/events", runs.experiment_run_events, name="experiment_run_events"),
    path("experiments/runs/<int:run_id>/json", runs.experiment_run_json, name="experiment_run_json"),
    path("experiments/runs/<int:run_id>/csv", runs.experiment_run_csv, name="experiment_run_csv"),
    path("experiments/runs/<int:run_id>/again", runs.experiment_run_again, name="experiment_run_again"),
    path("experiments/runs/<int:run_id>/change", runs.experiment_run_change, name="experiment_run_change"),
    path("experiments/runs/<int:run_id>/share", runs.experiment_run_share, name="experiment_run_share"),
    path("experiments/e5-web-tier/", experiments.experiment_web_tier, name="experiment_web_tier"),
    path("experiments/e6-accepting/", experiments.experiment_accepting, name="experiment_accepting"),
    path("experiments/<slug:key>/", experiments.experiment, name="experiment"),
    path("experiments/<slug:key>/run", experiments.experiment_start, name="experiment_start"),
    path("experiments/<slug:key>/change", experiments.experiment_change, name="experiment_change"),
    path("experiments/<slug:key>/edit", making.experiment_edit, name="experiment_edit"),
    path("experiments/<slug:key>/publish", making.experiment_publish, name="experiment_publish"),
    path("experiments/<slug:key>/delete", making.experiment_delete, name="experiment_delete"),
    path("compare/", comparison.compare, name="compare"),
    path("compare/again", comparison.run_again, name="run_again"),
    path("compare/share", comparison.share_comparison, name="share_comparison"),
    path("compare/shared/", comparison.shared_comparisons, name="shared_comparisons"),
    path("compare/shared/<str:link_token>/", comparison.shared_comparison, name="shared_comparison"),
    path("compare/shared/<str:link_token>/revoke", comparison.revoke_shared, name="revoke_shared"),
    path("login/", accounts.SignIn.as_view(), name="login"),
    path("logout/", LogoutView.as_view(), name="logout"),
    path("signup/", accounts.signup, name="signup"),
    path("invitations/", accounts.invitation_list, name="invitation_list"),
    path("invitations/<int:invitation_id>/revoke", accounts.revoke_invitation, name="revoke_invitation"),
    path("workers/", operations.workers, name="workers"),
    path("stuck/", operations.stuck_work, name="stuck"),
    path("stuck/<slug:kind>/<int:number>/again", operations.try_again, name="try_again"),
    path("healthz", operations.healthz, name="healthz"),
    path("readyz", operations.readyz, name="readyz"),
    path("metrics", operations.metrics, name="metrics"),
]
urlpatterns = guarded(_EVERY, ADDRESSES)

handler400 = "web.views.errors.bad_request"
handler403 = "web.views.errors.forbidden"
handler404 = "web.views.errors.not_found"
handler500 = "web.views.errors.server_error"
