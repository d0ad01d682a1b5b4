"""Every address of the site."""

from django.contrib.auth.views import LoginView, LogoutView
from django.urls import URLPattern, URLResolver, path

from web.views import accounts, comparison, files, health, packages, preview, problems, results, submissions

urlpatterns: list[URLPattern | URLResolver] = [
    path("", problems.problem_list, name="problem_list"),
    path("problems/upload/", packages.upload, name="upload"),
    path("problems/preview/", preview.preview, name="preview"),
    path("problems/<slug:slug>/", problems.problem, name="problem"),
    path("problems/<slug:slug>/files/<int:number>/<path:path>", files.problem_file, name="problem_file"),
    path("problems/<slug:slug>/submit", submissions.submit, name="submit"),
    path("submissions/", results.submission_list, name="submission_list"),
    path("submissions/<int:submission_id>/", results.submission, name="submission"),
    path("submissions/<int:submission_id>/live", results.submission_live, name="submission_live"),
    path("submissions/<int:submission_id>/events", results.submission_events, name="submission_events"),
    path("submissions/<int:submission_id>/cases/<int:position>/profile", results.profile_case, name="profile_case"),
    path("compare/", comparison.compare, name="compare"),
    path(
        "login/", LoginView.as_view(template_name="accounts/login.html", extra_context={"nav": "login"}), name="login"
    ),
    path("logout/", LogoutView.as_view(), name="logout"),
    path("signup/", accounts.signup, name="signup"),
    path("healthz", health.healthz, name="healthz"),
]

handler400 = "web.views.errors.bad_request"
handler403 = "web.views.errors.forbidden"
handler404 = "web.views.errors.not_found"
handler500 = "web.views.errors.server_error"
