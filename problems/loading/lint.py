"""Lint a package: warnings for the setter about a package that can be judged, without running anything.

Few and true: each sentence names the file and what a contestant would notice. What is missing altogether was told when
the package was read.
"""

import hashlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from problems.encodings import Encoding, UnknownEncoding, decode, title_of
from problems.format.datatext import TextForm, odd_forms
from problems.format.files import content_digest, printable
from problems.format.flags import parse_flags
from problems.groups.points import rules_of
from problems.package import JurySubmission, Package, PackageError, TestCase
from problems.translation import Sentence, listed

_PAGE_LINES = 60
_PAGE_BYTES = 8 * 1024
_LONG_NAME = 80
_MOST_NAMED = 5
_STRICT_LINE_ENDS = Sentence(
    "has lines that end in CR LF, as on Windows, and every space counts: an output with plain ones gets WA; convert it "
    "to LF, for example with dos2unix"
)


def lint(package: Package) -> tuple[Sentence, ...]:
    """Return the warnings, each "file: key: why" like a PackageError."""
    long = [case for case in package.test_cases if len(case.name) > _LONG_NAME]
    why = Sentence("has a name of more than %(most)s characters: pages and tables cut it off", most=_LONG_NAME)
    warnings = (
        *_about_submissions(package),
        *_about_samples(package),
        *_about_data_text(package),
        *_about_answers(package),
        *_about_equal_cases(package),
        *([(_names(long, ".in"), why)] if long else []),
    )
    return tuple(PackageError(file, "", why).sentence for file, why in warnings)


def input_digest(case: TestCase) -> str:
    """Return a digest that is equal for cases with the same stdin, arguments and files."""
    parts = [content_digest(case.input).hex(), *case.args]
    parts += [part for name, path in case.files for part in (name, content_digest(path).hex())]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _about_submissions(package: Package) -> Iterator[tuple[str, Sentence]]:
    rules = rules_of(package)
    most = rules.most_of(rules.counted) if rules else None
    if not any(_falls_short(submission, most) for submission in package.submissions):
        why = Sentence("hold none that must fail: nothing proves that the test data finds mistakes")
        if package.groups is not None:
            why = Sentence(
                "hold none that must fail or get fewer points: nothing proves that the test data finds mistakes"
            )
        yield "submissions", why
    for submission in package.submissions:
        if submission.language:
            try:
                _, encoding = decode(submission.path.read_bytes())
            except UnknownEncoding:
                why = Sentence("is neither UTF-8 nor CP949 text: a contestant could not submit it")
                yield printable(f"submissions/{submission.name}"), why
                continue
            if encoding is not Encoding.UTF_8:
                title = title_of(encoding)
                why = Sentence(
                    "is %(encoding)s text: it is judged as UTF-8, in which it should be saved", encoding=title
                )
                yield printable(f"submissions/{submission.name}"), why


def _falls_short(submission: JurySubmission, most: float | None) -> bool:
    """Return whether the submission must not be accepted or not get all points. `most`: all points; None: no bound."""
    return "AC" not in submission.expected or any(
        (expectation.permitted and "AC" not in expectation.permitted)
        or (expectation.required and "AC" not in expectation.required)
        or (expectation.score is not None and (most is None or expectation.score[1] < most))
        for expectation in submission.expectations
    )


def _about_samples(package: Package) -> Iterator[tuple[str, Sentence]]:
    samples = [case for case in package.test_cases if case.is_sample]
    if not samples and not package.interactions:
        yield "data/sample", Sentence("holds no sample: a contestant sees no example of the input and output")
    paths = [] if package.is_interactive else [path for case in samples for path in (case.input, case.answer)]
    for path in paths:
        with path.open("rb") as file:
            content = file.read(_PAGE_BYTES + 1)
        if len(content) > _PAGE_BYTES or content.count(b"\n") > _PAGE_LINES:
            why = Sentence("is longer than a page: nobody reads a sample of that size")
            yield f"data/sample/{printable(path.name)}", why


def _about_answers(package: Package) -> Iterator[tuple[str, Sentence]]:
    if package.is_interactive or package.most_passes > 1:
        return
    most = package.limits.output_bytes
    if too_large := [case for case in package.test_cases if case.answer.stat().st_size > most]:
        limit = f"{most:,}"
        why = Sentence(
            "is larger than the output limit of %(limit)s bytes: a right output of that size gets OLE", limit=limit
        )
        yield _names(too_large, ".ans"), why
    strict = [case for case in package.test_cases if _counts_every_space(package, case)]
    if unended := [case for case in strict if not _ends_with_newline(case.answer)]:
        why = Sentence("does not end with a line end, and every space counts: an output that ends with one gets WA")
        yield _names(unended, ".ans"), why


def _about_data_text(package: Package) -> Iterator[tuple[str, Sentence]]:
    """Warn of inputs and answers that are written oddly, each reason once with its files."""
    files: dict[Sentence, list[str]] = {}
    for case in package.test_cases:
        for form in odd_forms(case.input):
            files.setdefault(form.value, []).append(printable(f"data/{case.name}.in"))
        for form in odd_forms(case.answer):
            is_strict = form is TextForm.CR_LF and _counts_every_space(package, case)
            why = _STRICT_LINE_ENDS if is_strict else form.value
            files.setdefault(why, []).append(printable(f"data/{case.name}.ans"))
    for why, names in files.items():
        yield listed(names, _MOST_NAMED), why


def _counts_every_space(package: Package, case: TestCase) -> bool:
    """Return whether the default checker compares the case's white space, too."""
    return package.output_validator is None and parse_flags(case.validator_args).space_change_sensitive


def _about_equal_cases(package: Package) -> Iterator[tuple[str, Sentence]]:
    """Warn of equal inputs among a folder's secret cases. Groups share cases on purpose; samples recur as secret."""
    cases: dict[tuple[str, str], list[TestCase]] = {}
    for case in package.test_cases:
        if not case.is_sample:
            cases.setdefault((str(PurePosixPath(case.name).parent), input_digest(case)), []).append(case)
    for _, equal in sorted(cases.items()):
        if len(equal) > 1:
            yield _names(equal, ".in"), Sentence("hold the same input: all but one prove nothing")


def _names(cases: list[TestCase], suffix: str) -> str:
    return listed([printable(f"data/{case.name}{suffix}") for case in cases], _MOST_NAMED)


def _ends_with_newline(path: Path) -> bool:
    with path.open("rb") as file:
        size = path.stat().st_size
        file.seek(max(0, size - 1))
        return size == 0 or file.read(1) == b"\n"
