"""Every address of the site. Who may load it and post to it: `web.access.addresses.ADDRESSES`."""

from django.contrib.auth.views import LogoutView
from django.urls import URLPattern, path, register_converter
from django.urls.converters import StringConverter

from web.access.addresses import ADDRESSES
from web.access.guard import guarded
from web.settings.connections import PROVIDER_ID
from web.views import accounts, assignments, experiments, home, operations, people, statistics
from web.views.account import openid, page, second_factor
from web.views.problems import edit, listing, manage, preview, problems, rejudges, sending, uploads, wizard
from web.views.submissions import comparison, custom_runs, results


class _Base36(StringConverter):
    """The number of an account in a link of allauth's, which a "-" ends."""

    regex = "[0-9A-Za-z]{1,13}"


register_converter(_Base36, "base36")

_EVERY: list[URLPattern] = [
    path("", home.home, name="home"),
    path("help/", home.help_page, name="help"),
    path("language/", page.choose, name="language"),
    path("problems/", listing.problem_list, name="problem_list"),
    path("problems/archive/upload/", sending.upload, name="upload"),
    path("problems/mine/", manage.mine, name="mine"),
    path("problems/new/", wizard.new_problem, name="new_problem"),
    path("problems/preview/", preview.preview, name="preview"),
    path("problems/<slug:slug>/", problems.problem, name="problem"),
    path("problems/<slug:slug>/files/<int:number>/<path:path>", problems.problem_file, name="problem_file"),
    path("problems/<slug:slug>/statistics/", statistics.problem_statistics, name="problem_statistics"),
    path("problems/<slug:slug>/recognise", results.recognise, name="recognise"),
    path("problems/<slug:slug>/submit", results.submit, name="submit"),
    path("problems/<slug:slug>/run", custom_runs.start_run, name="start_run"),
    path("runs/<int:custom_run_id>/", custom_runs.custom_run, name="custom_run"),
    path("runs/<int:custom_run_id>/live", custom_runs.custom_run_live, name="custom_run_live"),
    path("runs/<int:custom_run_id>/events", custom_runs.custom_run_events, name="custom_run_events"),
    path("problems/<slug:slug>/replace", sending.replace, name="replace"),
    path("problems/<slug:slug>/edit/", edit.edit_problem, name="edit_problem"),
    path("problems/<slug:slug>/manage/", manage.manage, name="manage"),
    path("problems/<slug:slug>/manage/settings", manage.change_settings, name="change_settings"),
    path("problems/<slug:slug>/manage/listing", manage.change_listing, name="change_listing"),
    path("problems/<slug:slug>/manage/change", manage.change_problem, name="change_problem"),
    path("problems/<slug:slug>/manage/versions/<int:number>/current", manage.make_current, name="make_current"),
    path("problems/<slug:slug>/manage/versions/<int:number>/zip", manage.version_package, name="version_package"),
    path("uploads/discard", uploads.discard_uploads, name="discard_uploads"),
    path("uploads/<int:upload_id>/", uploads.package_upload, name="package_upload"),
    path("uploads/<int:upload_id>/live", uploads.upload_live, name="upload_live"),
    path("uploads/<int:upload_id>/events", uploads.upload_events, name="upload_events"),
    path("uploads/<int:upload_id>/zip", uploads.upload_package, name="upload_package"),
    path("uploads/<int:upload_id>/files/<path:path>", problems.upload_file, name="upload_file"),
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
    path("progress/", statistics.progress, name="progress"),
    path("submissions/", results.submission_list, name="submission_list"),
    path("submissions/csv", results.submission_csv, name="submission_csv"),
    path("submissions/<int:submission_id>/", results.submission, name="submission"),
    path("submissions/<int:submission_id>/source", results.submission_source, name="submission_source"),
    path("submissions/<int:submission_id>/live", results.submission_live, name="submission_live"),
    path("submissions/<int:submission_id>/events", results.submission_events, name="submission_events"),
    path(
        "submissions/<int:submission_id>/cases/<int:position>/cpu-time.speedscope.json",
        results.submission_speedscope,
        name="submission_speedscope",
    ),
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
    path("assignments/<int:assignment_id>/delete/", assignments.delete_assignment, name="delete_assignment"),
    path("assignments/<int:deleted_id>/restore", assignments.restore_assignment, name="restore_assignment"),
    path("assignments/<int:assignment_id>/leave", assignments.leave_assignment, name="leave_assignment"),
    path("assignments/<int:assignment_id>/class/", assignments.assignment_class, name="assignment_class"),
    path("assignments/<int:assignment_id>/join/<str:token>/", assignments.join_assignment, name="join_assignment"),
    path("experiments/", experiments.experiment_list, name="experiment_list"),
    path("experiments/new/", experiments.experiment_new, name="experiment_new"),
    path("experiments/runs/<int:run_id>/", experiments.experiment_run, name="experiment_run"),
    path("experiments/runs/<int:run_id>/live", experiments.experiment_run_live, name="experiment_run_live"),
    path("experiments/runs/<int:run_id>/events", experiments.experiment_run_events, name="experiment_run_events"),
    path("experiments/runs/<int:run_id>/json", experiments.experiment_run_json, name="experiment_run_json"),
    path("experiments/runs/<int:run_id>/csv", experiments.experiment_run_csv, name="experiment_run_csv"),
    path("experiments/runs/<int:run_id>/again", experiments.experiment_run_again, name="experiment_run_again"),
    path("experiments/runs/<int:run_id>/change", experiments.experiment_run_change, name="experiment_run_change"),
    path("experiments/runs/<int:run_id>/share", experiments.experiment_run_share, name="experiment_run_share"),
    path("experiments/<slug:key>/", experiments.experiment, name="experiment"),
    path("experiments/<slug:key>/run", experiments.experiment_start, name="experiment_start"),
    path("experiments/<slug:key>/change", experiments.experiment_change, name="experiment_change"),
    path("experiments/<slug:key>/edit", experiments.experiment_edit, name="experiment_edit"),
    path("experiments/<slug:key>/publish", experiments.experiment_publish, name="experiment_publish"),
    path("experiments/<slug:key>/delete", experiments.experiment_delete, name="experiment_delete"),
    path("compare/", comparison.compare, name="compare"),
    path("compare/again", comparison.run_again, name="run_again"),
    path("compare/share", comparison.share_comparison, name="share_comparison"),
    path("compare/shared/", comparison.shared_comparisons, name="shared_comparisons"),
    path("compare/shared/<str:link_token>/", comparison.shared_comparison, name="shared_comparison"),
    path("compare/shared/<str:link_token>/revoke", comparison.revoke_shared, name="revoke_shared"),
    path("login/", accounts.SignIn.as_view(), name="login"),
    path("logout/", LogoutView.as_view(), name="logout"),
    path("signup/", accounts.signup, name="signup"),
    # the names that allauth asks for; it leads nobody to the second one
    path("login/", accounts.SignIn.as_view(), name="account_login"),
    path("signup/", accounts.signup, name="account_signup"),
    path("login/code/", second_factor.SignInCode.as_view(), name="mfa_authenticate"),
    path("login/openid/", openid.start, {"provider_id": PROVIDER_ID}, name="openid_connect_login"),
    path("login/openid/back/", openid.back, {"provider_id": PROVIDER_ID}, name="openid_connect_callback"),
    path("login/reset/", page.ask_for_reset, name="account_reset_password"),
    path("login/reset/sent/", page.reset_is_sent, name="account_reset_password_done"),
    path("login/reset/<base36:uidb36>-<str:key>/", page.reset, name="account_reset_password_from_key"),
    path("account/", page.account, name="account"),
    path("account/remove/", page.remove_account, name="remove_account"),
    path("account/password/", page.change_password, name="account_change_password"),
    path("account/password/set/", page.set_password, name="account_set_password"),
    path("account/email/", page.email, name="account_email"),
    path("account/email/<str:link_key>/", page.ConfirmEmail.as_view(), name="account_confirm_email"),
    path("account/confirm/", second_factor.confirm_by_password, name="account_reauthenticate"),
    path("account/confirm/code/", second_factor.confirm_by_code, name="mfa_reauthenticate"),
    path("account/second-factor/", second_factor.second_factor, name="mfa_index"),
    path("account/second-factor/on/", second_factor.switch_on, name="mfa_activate_totp"),
    path("account/second-factor/off/", second_factor.switch_off, name="mfa_deactivate_totp"),
    path("account/second-factor/codes/", second_factor.recovery_codes, name="mfa_view_recovery_codes"),
    path("account/second-factor/codes/new/", second_factor.new_recovery_codes, name="mfa_generate_recovery_codes"),
    path("account/openid/", openid.Connections.as_view(), name="socialaccount_connections"),
    path("invitations/", accounts.invitation_list, name="invitation_list"),
    path("invitations/<int:invitation_id>/revoke", accounts.revoke_invitation, name="revoke_invitation"),
    path("workers/", operations.workers, name="workers"),
    path("stuck/", operations.stuck_work, name="stuck"),
    path("stuck/<slug:kind>/<int:number>/again", operations.try_again, name="try_again"),
    path("people/", people.people, name="people"),
    path("people/<int:person_id>/", people.person, name="person"),
    path("people/<int:person_id>/rights", people.change_rights, name="change_rights"),
    path("people/<int:person_id>/remove/", people.remove_person, name="remove_person"),
    path("healthz", operations.healthz, name="healthz"),
    path("readyz", operations.readyz, name="readyz"),
    path("metrics", operations.metrics, name="metrics"),
]
urlpatterns = guarded(_EVERY, ADDRESSES)

handler400 = "web.views.errors.bad_request"
handler403 = "web.views.errors.forbidden"
handler404 = "web.views.errors.not_found"
handler429 = "web.views.errors.too_many_requests"  # allauth's limits ask for it
handler500 = "web.views.errors.server_error"
