"""The thirty programs of this folder, ten in each language, and the package with the only case that they run on."""

from pathlib import Path

from problems.package import Package, ProblemLimits, TestCase
from sandbox.types import MIB

WORK_ROOT = Path("/var/lib/tally/bench")
TIMED = Path(__file__).parent
LANGUAGES = ("cpp", "rust", "python")
CASE = "secret/1"
NUMBER = 3_000_000  # what they read: how much they do
LIMITS = ProblemLimits(time_limit_ms=10_000, memory_bytes=512 * MIB, output_bytes=MIB)


def timed_programs(only: str = "") -> dict[str, Path]:
    """The source of each program by name ("cpp/sieve"), of those whose name has this part."""
    found = {f"{language}/{path.stem}": path for language in LANGUAGES for path in sorted((TIMED / language).iterdir())}
    return {name: path for name, path in found.items() if only in name}


def package_in(folder: Path) -> Package:
    """A package of one case, whose input is a number."""
    (folder / "input").write_text(f"{NUMBER}\n")
    (folder / "answer").write_text("")
    case = TestCase(name=CASE, input=folder / "input", answer=folder / "answer", is_sample=False)
    return Package(
        path=folder,
        short_name="timed",
        name="Timed",
        digest="0" * 64,
        limits=LIMITS,
        test_cases=(case,),
        statements=(),
        validator_flags=(),
        output_validator=None,
        submissions=(),
    )
