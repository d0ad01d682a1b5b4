"""Problems as rows: the problem people see, and the immutable versions of its package."""

from django.conf import settings
from django.db import models


class ProblemQuerySet(models.QuerySet["Problem"]):
    """Sets of problems."""

    def visible_to(self, user: object) -> "ProblemQuerySet":
        """Problems this user may see: published ones that are not hidden; staff see all."""
        if getattr(user, "is_staff", False):
            return self
        return self.filter(is_hidden=False, current_version__isnull=False)


class Problem(models.Model):
    """A problem by its slug. What is judged is `current_version`; old submissions keep theirs."""

    slug = models.SlugField(max_length=64, unique=True)
    title = models.CharField(max_length=200)
    is_hidden = models.BooleanField(default=False)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="problems"
    )
    current_version = models.ForeignKey(
        "ProblemVersion", null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    objects = ProblemQuerySet.as_manager()

    class Meta:
        ordering = ["title"]

    def __str__(self) -> str:
        return self.title


class ProblemVersion(models.Model):
    """One immutable package, named by its digest; the files lie in the package store under that name."""

    problem = models.ForeignKey(Problem, on_delete=models.CASCADE, related_name="versions")
    digest = models.CharField(max_length=64)
    title = models.CharField(max_length=200)
    statement_html = models.TextField(blank=True)  # sanitised, with MathML
    statement_language = models.CharField(max_length=8, default="en")  # for the page's lang attribute
    samples = models.JSONField(default=list)  # [publishing.Sample], for the page
    is_interactive = models.BooleanField(default=False)
    time_limit_ms = models.PositiveIntegerField()
    memory_bytes = models.PositiveBigIntegerField()
    output_bytes = models.PositiveBigIntegerField()
    code_bytes = models.PositiveIntegerField()
    test_case_count = models.PositiveIntegerField()
    warnings = models.JSONField(default=list)  # [str], for the setter
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )

    class Meta:
        constraints = [models.UniqueConstraint(fields=["problem", "digest"], name="one_row_per_package")]

    def __str__(self) -> str:
        return f"{self.title} ({self.digest[:12]})"
