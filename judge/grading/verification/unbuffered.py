"""Measure what a right solution would use if it flushed its output line by line, so that the setter knows.

How it works: a tiny program of ours in each language reads what a right solution prints on the case with the largest
answer and prints it again, once buffered and once with a flush per line, under the problem's own destination of stdout.
Both run in turns, three times each; the difference of the medians is what the flushes cost. It is added to what the
accepted submissions in that language used on that case, unless one of them makes a write call per line itself. The
slowest sum is the forecast; of a language in which nobody solved the problem nothing is said.

With the default validator an answer is what is to be printed. The answer of another one may be a hint for it only: then
the case is the one with the largest output of an accepted submission, and that is printed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from judge.grading.case_ending import end_of
from judge.grading.compiling.compilation import Compiler, Executable, compile_limits, single_file
from judge.grading.ending_words import brief
from judge.grading.languages import LANGUAGES, Language
from judge.grading.verdicts import Verdict
from judge.grading.verification.jury import Jury
from judge.grading.verification.pace import Pace
from judge.grading.verification.verified import Forecast, SubmissionVerified, Unbuffered
from judge.grading.words import duration, size, time_limit
from problems.package import Package, ProblemLimits
from problems.translation import Sentence, SentenceError
from sandbox.types import MIB, Command, Destination, Ending, Jail, Limits
from sandbox.workdir import fresh_folder

COSTS_NOTHING = Sentence("Flushing each line costs nothing here: the answers are short.")
_LEAST_SHARE = 0.02  # of the limit: what flushing adds below that is nothing to speak of
_ROUNDS = 3
_FLUSH = "flush"
_CPU_MS = 20_000
_MEMORY_FACTOR = 48  # of the answer's size: what Python needs for a list of very short lines
_MOST_BYTES = 64 * MIB
_CHUNK_BYTES = MIB


class NotMeasured(SentenceError):
    """Our own program came to no end; `why` says of what it ended, as half a sentence."""


def why_skipped(package: Package, submissions: Sequence[SubmissionVerified]) -> Sentence | None:
    """Return why there is nothing to forecast, None if there is."""
    if package.is_interactive:
        return Sentence("In a conversation every line has to be flushed: there is nothing to compare with.")
    if package.most_passes > 1:
        return Sentence("A multi-pass problem's answer is not what a solution prints.")
    if not any(submission.accepted_cases for submission in submissions if submission.verdict is Verdict.AC):
        return Sentence("No accepted submission was run, so nothing is known of what a right solution uses.")
    return None


@dataclass(frozen=True, kw_only=True, slots=True)
class Printed:
    """The output of a right solution on a case, in the file `path`."""

    case: str
    path: Path
    lines: int


def find_printed(jury: Jury, submissions: Sequence[SubmissionVerified], folder: Path) -> Printed:
    """Return the longest output, perhaps kept in `folder`. Raises NotMeasured, SandboxError."""
    if jury.package.output_validator is None:
        counted = [(_count_lines(case.answer), case.answer.stat().st_size, case) for case in jury.package.test_cases]
        lines, _, case = max(counted, key=lambda entry: entry[:2])
        printed = Printed(case=case.name, path=case.answer, lines=lines)
    else:
        outputs = [
            (time.stdout_bytes, -time.cpu_time_us, name, submission)
            for submission in submissions
            if submission.verdict is Verdict.AC
            for name, time in submission.accepted_cases.items()
        ]
        _, _, name, fastest = max(outputs, key=lambda entry: entry[:2])
        target = folder / "printed"
        if not jury.keep_output(fastest.submission, name, target):
            by = fastest.submission.name
            raise NotMeasured(Sentence("%(submission)s was accepted on it once, and then no more", submission=by))
        printed = Printed(case=name, path=target, lines=_count_lines(target))
    bytes_printed, most = printed.path.stat().st_size, jury.package.limits.output_bytes
    words = {"case": printed.case, "size": size(bytes_printed)}
    if bytes_printed > most:
        why = Sentence("the answer of %(case)s has %(size)s, the output limit is %(most)s", most=size(most), **words)
        raise NotMeasured(why)
    if bytes_printed > _MOST_BYTES:
        words["most"] = size(_MOST_BYTES)
        raise NotMeasured(Sentence("on %(case)s %(size)s are to be printed, which is more than %(most)s", **words))
    return printed


def languages_of(package: Package, submissions: Sequence[SubmissionVerified]) -> tuple[Language, ...]:
    """Return the languages of the accepted submissions that this host has and the problem allows."""
    allowed = package.languages
    accepted = {submission.submission.language for submission in submissions if submission.verdict is Verdict.AC}
    return tuple(
        language
        for language in LANGUAGES.values()
        if language.id in accepted and (allowed is None or language.id in allowed) and not language.detect().problem
    )


def measured(printed: Printed, stdout: Destination, forecasts: Sequence[Forecast], limit_ms: int) -> Unbuffered:
    """Return the forecasts and their subject; one sentence instead if flushing adds hardly anything."""
    if not forecasts:
        return Unbuffered(skipped=Sentence("No accepted submission is in a language that contestants may use."))
    costs_nothing = all(
        forecast.verdict is Verdict.AC and forecast.flushing_us - forecast.buffered_us < limit_ms * 1_000 * _LEAST_SHARE
        for forecast in forecasts
    )
    return Unbuffered(
        skipped=COSTS_NOTHING if costs_nothing else "",
        case=printed.case,
        lines=printed.lines,
        bytes=printed.path.stat().st_size,
        stdout=stdout.value,
        forecasts=() if costs_nothing else tuple(forecasts),
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Printing:
    """The CPU time of printing the answer."""

    buffered_us: int
    flushing_us: int

    @property
    def difference_us(self) -> int:
        """The cost of the flushes; noise is no gain."""
        return max(0, self.flushing_us - self.buffered_us)


def time_printing(language: Language, printed: Path, stdout: Destination, compiler: Compiler, pace: Pace) -> Printing:
    """Print the file both ways, in turns. Raises NotMeasured, SandboxError, OutOfTime."""
    times: dict[bool, list[int]] = {False: [], True: []}
    with fresh_folder(compiler.work_root, "unbuffered-") as folder:
        sources = single_file(language, language.printing_program.encode())
        compilation = compiler.compile(sources, compile_limits(ProblemLimits()), folder)
        executable = compilation.executable
        if executable is None:
            raise NotMeasured(Sentence("it does not compile: %(message)s", message=compilation.words))
        with compiler.sandbox.open_jail(executable.jail(cpu=compiler.cpu)) as jail:
            for _ in range(_ROUNDS):
                for flushes in times:
                    times[flushes].append(_print(jail, executable, folder, printed, stdout, flushes=flushes))
                pace.pause()
    return Printing(buffered_us=round(median(times[False])), flushing_us=round(median(times[True])))


def forecast(
    language: Language, printing: Printing, printed: Printed, submissions: Sequence[SubmissionVerified], limit_ms: int
) -> Forecast | None:
    """Return what a right solution in the language would use on the case with flushes; None: nobody solved it."""
    sums: list[tuple[int, SubmissionVerified]] = []
    for submission in submissions:
        time = submission.accepted_cases.get(printed.case)
        if submission.verdict is Verdict.AC and submission.submission.language == language.id and time:
            flushes_itself = time.write_calls >= max(2, printed.lines * 0.9)
            sums.append((time.cpu_time_us + (0 if flushes_itself else printing.difference_us), submission))
    if not sums:
        return None
    total_us, base = max(sums, key=lambda entry: entry[0])
    verdict = Verdict.TLE if total_us > limit_ms * 1_000 else Verdict.AC
    return Forecast(
        language=language.id,
        buffered_us=printing.buffered_us,
        flushing_us=printing.flushing_us,
        base_path=base.submission.name,
        base_us=base.accepted_cases[printed.case].cpu_time_us,
        forecast_us=total_us,
        verdict=verdict,
        text=Sentence(
            "A right %(language)s solution that flushes each line would need %(time)s of %(limit)s: %(verdict)s.",
            language=language.short_name,
            time=duration(total_us),
            limit=time_limit(limit_ms),
            verdict=verdict.value,
        ),
    )


def _print(
    jail: Jail, executable: Executable, folder: Path, printed: Path, destination: Destination, *, flushes: bool
) -> int:
    """Return the CPU time of one run, in microseconds; one that is stopped used at least that."""
    stdout = folder / "stdout"
    stdout.unlink(missing_ok=True)
    content_bytes = printed.stat().st_size
    limits = Limits(
        cpu_time_ms=_CPU_MS,
        wall_time_ms=3 * _CPU_MS,
        memory_bytes=256 * MIB + _MEMORY_FACTOR * content_bytes,
        output_bytes=2 * content_bytes + MIB,
    )
    command = Command(
        argv=(*executable.argv(limits.memory_bytes), *((_FLUSH,) if flushes else ())),
        stdin=printed,
        stdout=stdout,
        destination=destination,
    )
    outcome = jail.run(command, executable.within(limits))
    if outcome.ending is not Ending.CPU_LIMIT and (outcome.ending, outcome.exit_code) != (Ending.EXITED, 0):
        why = Sentence("exit code %(code)s", code=str(outcome.exit_code))
        raise NotMeasured(brief(end_of(outcome)) or why)
    return outcome.usage.cpu_time_us


def _count_lines(path: Path) -> int:
    """Line ends, and a last line without one."""
    lines, last = 0, b"\n"
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK_BYTES):
            lines += chunk.count(b"\n")
            last = chunk[-1:]
    return lines + (last != b"\n")
