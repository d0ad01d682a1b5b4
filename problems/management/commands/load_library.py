"""`manage.py load_library`: publish the problems that ship with Tally, except those already published."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from problems.diagnostics import Report
from problems.format.files import package_digest
from problems.format.yamlfile import read_yaml
from problems.models import Difficulty, Problem, ProblemVersion
from problems.package import PackageError, PackageErrors
from problems.store.publishing import publish, slug_of
from problems.store.stores import package_store
from problems.translation import Sentence, sentence_of

LIBRARY = Path(__file__).resolve().parents[2] / "library"
DIFFICULTIES = "difficulties.yaml"  # in the folder: short name -> Difficulty; the package format has no such key


class Command(BaseCommand):
    """Publishes every package of the library, or of another folder."""

    help = "Publish the problems of the library (problems/library) that are new or changed."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", nargs="?", type=Path, default=LIBRARY, help="a folder of package folders")
        parser.add_argument("--force", action="store_true", help="publish unchanged ones too (renders statements anew)")

    def handle(self, *args: Any, **options: Any) -> None:
        """Publish new packages; fails at the end if one is broken, after publishing all others."""
        folder: Path = options["folder"]
        if not folder.is_dir():
            raise CommandError(f"{folder} is not a folder")
        packages = sorted(path.parent for path in folder.glob("*/problem.yaml"))
        read = ProblemVersion.objects.filter(keywords__isnull=False)  # an older row has not what this version reads
        published = set(read.values_list("problem__slug", "digest"))
        outcomes = [self._load(path, published, options["force"]) for path in packages]
        try:
            for slug, difficulty in difficulties(folder).items():
                Problem.objects.filter(slug=slug, owner=None, difficulty="").update(difficulty=difficulty)
        except PackageError as error:
            raise CommandError(str(error)) from error
        counts = ", ".join(f"{outcomes.count(kind)} {kind}" for kind in ("published", "unchanged", "broken"))
        self.stdout.write(f"library: {counts}")
        if "broken" in outcomes:
            raise CommandError(f"{outcomes.count('broken')} of {len(packages)} packages are broken (see above)")

    def _load(self, path: Path, published: set[tuple[str, str]], is_forced: bool) -> str:
        try:
            digest = package_digest(path)
            # Also one that an instructor has replaced since: it stays replaced until the library brings a new one.
            is_known = (slug_of(path.name), digest) in published
            if is_known and package_store().has(digest) and not is_forced:
                return "unchanged"
            version = publish(path, owner=None)
        except PackageErrors as problems:
            for error in problems.errors:
                self.stderr.write(f"{path.name}: {error}")
            return "broken"
        self.stdout.write(f"published {version.problem.slug}: {version.title}, {version.test_case_count} test cases")
        for warning in version.warnings:
            self.stdout.write(f"  {sentence_of(warning)}")
        return "published"


def difficulties(folder: Path) -> dict[str, Difficulty]:
    """Return what the folder's file says, by slug; empty without one. Raises PackageError."""
    path = folder / DIFFICULTIES
    words = read_yaml(path, DIFFICULTIES, Report()) if path.is_file() else {}
    for name, word in words.items():
        if word not in Difficulty.values:
            names = ", ".join(Difficulty.values)
            raise PackageError(DIFFICULTIES, name, Sentence("must be one of %(names)s", names=names))
    return {slug_of(name): Difficulty(str(word)) for name, word in words.items()}
