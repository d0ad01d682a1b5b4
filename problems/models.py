"""Database rows of problems: the problem that people see, and the immutable versions of its package."""

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Any, Self, TypeVar

from django.conf import settings
from django.db import models
from django.db.models.functions import Coalesce, Collate, Lower
from django.utils.functional import cached_property
from django.utils.translation import get_language, gettext_lazy

from problems import testgroups
from problems.columns import RecordField
from problems.package import PageFile, ProblemLimits, Sample, SubmittedFile, Translation
from problems.roles import is_staff, may_publish
from problems.testgroups import GroupPoints
from problems.translation import sentence_of, translated

# columns of a version that an instructor may choose, named as in ProblemLimits
SETTINGS = (
    "time_limit_ms", "memory_bytes", "output_bytes", "code_bytes", "processes", "cores", "stdout", "write_calls",
    "read_calls", "write_factor", "score_policy", "score_dialect", "exact_numbers",
)  # fmt: skip

# The collation of titles: digits and Latin letters, then Hangul, whose syllables have their code points in the order of
# a Korean dictionary. Every PostgreSQL has it and orders by it alike; not every one has those of ICU.
IN_CODE_POINTS = "C"

_OwnedT = TypeVar("_OwnedT", bound=models.Model)


class AuthorsQuerySet(models.QuerySet[_OwnedT]):
    """Sets of rows owned by a problem author."""

    def manageable_by(self, user: object) -> Self:
        """Return the rows this user may change: their own while they may publish; all for staff."""
        if is_staff(user):
            return self
        return self.filter(owner=getattr(user, "pk", None)) if may_publish(user) else self.none()


class Audience(models.TextChoices):
    """The people who see a published problem, beside its owner and staff."""

    EVERYBODY = "everybody", gettext_lazy("Everybody: lists show it, and no account is needed.")
    ASSIGNMENTS = (
        "assigned",
        gettext_lazy(
            "Assignments only: the students of an assignment with it see it from the opening on, nobody else does."
        ),
    )
    HIDDEN = "hidden", gettext_lazy("Hidden: only its owner and staff see it, also where an assignment has it.")


_OPEN = models.Q(is_archived=False, current_version__isnull=False)
_OF_EVERYBODY = models.Q(_OPEN, audience=Audience.EVERYBODY)


class ProblemQuerySet(AuthorsQuerySet["Problem"]):
    """Sets of problems."""

    def visible_to(self, user: object, assigned: models.QuerySet[Any, Any]) -> "ProblemQuerySet":
        """Return the problems this user may see: published ones for them, not archived, and their own; all for staff.

        `assigned`: the keys of the problems that assignments show to them. `judge.models.assignments` knows those.
        """
        if is_staff(user):
            return self
        primary_key: int | None = getattr(user, "pk", None)
        if primary_key is None:
            return self.filter(_OF_EVERYBODY)
        is_assigned = models.Q(_OPEN, audience=Audience.ASSIGNMENTS, pk__in=assigned)
        return self.filter(_OF_EVERYBODY | is_assigned | models.Q(owner=primary_key))

    def of_everybody(self) -> "ProblemQuerySet":
        """Return the problems that everybody may see, without an account too."""
        return self.filter(_OF_EVERYBODY)

    def of_no_student(self) -> "ProblemQuerySet":
        """Return the problems that only their owners and staff see, whatever assignment has them."""
        return self.exclude(_OF_EVERYBODY | models.Q(_OPEN, audience=Audience.ASSIGNMENTS))

    def titled(self, title: str) -> "ProblemQuerySet":
        """Return the problems of this title, in small or capital letters: titles need not be unique."""
        return self.filter(title__iexact=title)

    def by_title(self, *before: str) -> "ProblemQuerySet":
        """Return the problems with `title_in_language` for the reader's language, in the order of these titles.

        Upper and lower case are alike; by code points, as `IN_CODE_POINTS` says. `before`: columns that go first.
        """
        return self.with_titles().order_by(*before, Collate(Lower("title_in_language"), IN_CODE_POINTS), "pk")

    def with_titles(self) -> "ProblemQuerySet":
        """Return the problems with `title_in_language`: the title in the reader's language, else the problem's own."""
        own = _title_in(get_language() or "", "current_version__translations")
        return self.annotate(title_in_language=Coalesce(own, "title") if own else models.F("title"))

    def about(self, tag: str) -> "ProblemQuerySet":
        """Return the problems with this tag: the instructor's tags count, and the package's keywords without any."""
        by_package = models.Q(tags=[], current_version__keywords__contains=[tag])
        return self.filter(by_package | models.Q(tags__contains=[tag]))


def _title_in(language: str, translations: str) -> models.Func | None:
    """Return the title in this language among a version's translations; None: it is the problem's own title."""
    spoken = language.split("-")[0]
    if spoken in ("", "en"):  # an English statement is the first, and the first has the problem's own title
        return None
    return models.Func(
        models.F(translations),
        models.Value(f'$[*] ? (@.language like_regex "^{spoken}(-|$)" flag "i").title'),
        template="(jsonb_path_query_first(%(expressions)s) #>> '{}')",
        output_field=models.CharField(),
    )


@lru_cache(maxsize=10_000)  # a version never changes, and a list of submissions names few problems
def _title_of_version(version: int | None, language: str) -> str | None:
    title = _title_in(language, "translations")
    if version is None or title is None:
        return None
    return ProblemVersion.objects.filter(pk=version).values_list(title, flat=True).first()


class CaseVisibility(models.TextChoices):
    """The part of the secret test cases that contestants see of their own submissions."""

    ALL = "all", gettext_lazy("every case with its time, memory and system calls")
    VERDICTS = "verdicts", gettext_lazy("every case with its verdict only")
    TOTALS = "totals", gettext_lazy("samples only, and the totals of the rest")


class Difficulty(models.TextChoices):
    """Levels of difficulty, the easiest first."""

    FIRST = "first", gettext_lazy("introduction")
    EASY = "easy", gettext_lazy("easy")
    MEDIUM = "medium", gettext_lazy("medium")
    HARD = "hard", gettext_lazy("hard")


class Statistics(models.TextChoices):
    """The statistics of accepted programs that everybody sees on a problem's page."""

    BOARDS = "boards", gettext_lazy("distributions, the fastest programs and those with the fewest calls")
    SPREAD = "spread", gettext_lazy("distributions only")
    NONE = "none", gettext_lazy("how many solved it, nothing else")


class ScorePolicy(models.TextChoices):
    """Which points of a scoring problem count."""

    GROUPS = "groups", gettext_lazy("every group that is right gives its points")
    ACCEPTED = "accepted", gettext_lazy("only an accepted submission has points, as on Kattis")


class ScoreDialect(models.TextChoices):
    """The reading of a legacy package's points, where that makes a difference: `problems.groups.dialects`."""

    KATTIS = testgroups.KATTIS, gettext_lazy(testgroups.DIALECTS[testgroups.KATTIS])
    DOMJUDGE = testgroups.DOMJUDGE, gettext_lazy(testgroups.DIALECTS[testgroups.DOMJUDGE])


class Problem(models.Model):
    """A problem, identified by its slug. `current_version` is judged; old submissions keep their version."""

    slug = models.SlugField(max_length=64, unique=True)
    title = models.CharField(max_length=200)
    audience = models.CharField(
        max_length=9, choices=Audience.choices, default=Audience.EVERYBODY, db_default=Audience.EVERYBODY
    )
    is_archived = models.BooleanField(default=False)  # out of every list; its submissions stay readable
    case_visibility = models.CharField(max_length=8, choices=CaseVisibility.choices, default=CaseVisibility.ALL)
    tags = models.JSONField(default=list, db_default=[])  # [str], the instructor's; none: the package's keywords
    difficulty = models.CharField(max_length=8, choices=Difficulty.choices, blank=True, default="", db_default="")
    statistics = models.CharField(
        max_length=8, choices=Statistics.choices, default=Statistics.BOARDS, db_default=Statistics.BOARDS
    )
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
        return self.shown_title

    def get_difficulty_display(self) -> str:  # type: ignore[no-redef]  # the plugin of the stubs adds one
        """Return the words for the difficulty. Django's own method translates every one to find it."""
        return str(Difficulty(self.difficulty).label) if self.difficulty else ""

    @cached_property
    def shown_title(self) -> str:
        """The title in the reader's language, else the problem's own; `with_titles` reads it with the rows."""
        title: str | None = vars(self).get("title_in_language")
        return title or _title_of_version(self.current_version_id, get_language() or "") or self.title

    @property
    def shown_tags(self) -> list[str]:
        """The instructor's tags, or the package's keywords without any."""
        keywords = self.current_version.keywords if self.current_version else None
        return self.tags or keywords or []

    def is_manageable_by(self, user: object) -> bool:
        """Return whether `manageable_by` finds it for this user; asks the database nothing."""
        is_own = self.owner_id is not None and self.owner_id == getattr(user, "pk", None)
        return is_staff(user) or (is_own and may_publish(user))

    def is_visible_to(self, user: object, is_assigned: Callable[[], bool]) -> bool:
        """Return whether `visible_to` finds it for this user. `is_assigned`, asked only where that counts: whether an
        assignment shows it to them.
        """
        if is_staff(user) or (self.owner_id is not None and self.owner_id == getattr(user, "pk", None)):
            return True
        if self.is_archived or self.current_version_id is None:
            return False
        return self.audience == Audience.EVERYBODY or (self.audience == Audience.ASSIGNMENTS and is_assigned())


class ProblemVersion(models.Model):
    """One immutable package, named by its digest, with its settings. Neither ever changes.

    The files lie in the package store under the digest. A change of settings makes a new version of the same digest.
    """

    problem = models.ForeignKey(Problem, on_delete=models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField(default=1)  # 1, 2, 3 within the problem, for people
    digest = models.CharField(max_length=64)
    title = models.CharField(max_length=200)
    statement_html = models.TextField(blank=True)  # sanitised, with MathML
    statement_language = models.CharField(max_length=8, default="en")  # for the page's lang attribute
    samples = RecordField(tuple[Sample, ...], default=list)  # for the page
    translations = RecordField(tuple[Translation, ...], default=list)  # other statements
    files = RecordField(dict[str, PageFile], default=dict)  # what the page may serve, by name in the package
    is_interactive = models.BooleanField(default=False)
    is_scoring = models.BooleanField(default=False)
    max_score = models.FloatField(null=True, blank=True)  # None: unbounded, or not a scoring problem
    groups = RecordField(tuple[GroupPoints, ...], default=list)  # of a scoring problem
    most_passes = models.PositiveIntegerField(default=1)
    languages = models.JSONField(null=True, blank=True)  # ids of the only ones allowed; None: all
    source = models.CharField(max_length=300, blank=True)
    credits = models.CharField(max_length=500, blank=True)  # in English
    attribution = models.JSONField(null=True, blank=True)  # `credits`, for problems.translation.sentence_of
    keywords = models.JSONField(null=True, blank=True)  # [str], of the package; None: not read yet, an older row
    # the settings: the package's own unless the instructor chose otherwise
    own_settings = models.JSONField(default=dict)  # what the package says (of the time limit: or what verifying found)
    processes = models.PositiveIntegerField(default=64)
    cores = models.PositiveSmallIntegerField(default=1)
    stdout = models.CharField(max_length=8, default="file")  # sandbox.types.Destination
    write_calls = models.PositiveIntegerField(default=0)  # 0: no limit; see problems.package.ProblemLimits
    read_calls = models.PositiveIntegerField(default=0)
    write_factor = models.FloatField(default=0.0)
    score_policy = models.CharField(max_length=8, choices=ScorePolicy.choices, default=ScorePolicy.GROUPS)
    score_dialect = models.CharField(  # "": there is no choice
        max_length=8, choices=ScoreDialect.choices, blank=True, default="", db_default=""
    )
    # an open problem: numbers of secret cases are rounded for nobody
    exact_numbers = models.BooleanField(default=False, db_default=False)
    time_limit_ms = models.PositiveIntegerField()
    memory_bytes = models.PositiveBigIntegerField()
    output_bytes = models.PositiveBigIntegerField()
    code_bytes = models.PositiveIntegerField()
    test_case_count = models.PositiveIntegerField()
    # by language: "name", "usual" and as "taken" what is reserved, of problems.package.SubmittedFile; "starter" apart
    submitted = models.JSONField(default=dict, db_default={})
    starters = models.JSONField(default=dict, db_default={})
    has_growth_generator = models.BooleanField(default=False, db_default=False)  # False too: an older row
    warnings = models.JSONField(default=list)  # for the setter: problems.translation.sentence_of; older rows: [str]
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )

    class Meta:
        constraints = [models.UniqueConstraint(fields=["problem", "number"], name="one_version_per_number")]

    def __str__(self) -> str:
        return f"{self.title} ({self.digest[:12]})"

    @property
    def shown_title(self) -> str:
        """The title in the reader's language, else the version's own."""
        return _title_of_version(self.pk, get_language() or "") or self.title

    @property
    def shown_credits(self) -> str:
        """The line of authors, license and rights owner in the reader's language."""
        return str(translated(sentence_of(self.attribution or self.credits)))

    def submitted_file(self, language: str) -> SubmittedFile:
        """Return what the package says of the file of a submission in this language."""
        record = self.submitted.get(language, {})
        reserved = tuple(record.get("taken", ()))
        return SubmittedFile(name=record.get("name", ""), usual=record.get("usual", ""), reserved=reserved)

    @property
    def remarks(self) -> list[str]:
        """The warnings in the reader's language."""
        return [translated(sentence_of(warning)) for warning in self.warnings]

    @property
    def settings(self) -> dict[str, Any]:
        """All settings by name."""
        return {name: getattr(self, name) for name in SETTINGS}

    @property
    def package_settings(self) -> dict[str, Any]:
        """All settings as given in the package."""
        return {**self.settings, **self.own_settings}

    @property
    def chosen_settings(self) -> dict[str, Any]:
        """The settings that the instructor chose; the package gives the others."""
        own = self.package_settings
        return {name: value for name, value in self.settings.items() if value != own[name]}

    def limits_over(self, limits: ProblemLimits) -> ProblemLimits:
        """Return the package's limits, overridden by this version's settings."""
        return replace(limits, **self.settings)
