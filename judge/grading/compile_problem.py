"""Why there is no program, where the compiler's own messages do not tell it: a code and its values."""

from dataclasses import dataclass
from enum import StrEnum

from judge.grading.words import size, time_limit
from problems.translation import Sentence, gettext_noop, joined, quoted


class CompileStop(StrEnum):
    """How a compiler, or a package's `build`, ended without a program."""

    CPU_TIME = "cpu-time"
    WALL_TIME = "wall-time"
    MEMORY = "memory"
    MESSAGES = "messages"  # too many
    FILE_SIZE = "file-size"
    CRASHED = "crashed"
    NO_PROGRAM = "no-program"  # or one that is too large
    NOT_A_PROGRAM = "not-a-program"
    SILENT = "silent"
    BUILD_FAILED = "build-failed"
    BUILD_TOO_LARGE = "build-too-large"
    BUILD_UNUSABLE = "build-unusable"
    NOTHING_BUILT = "nothing-built"
    NOTHING_TO_RUN = "nothing-to-run"


_SENTENCES = {
    CompileStop.CPU_TIME: gettext_noop("The compiler was stopped: it used more than %(limit)s of CPU time."),
    CompileStop.WALL_TIME: gettext_noop("The compiler was stopped: it took more than %(limit)s."),
    CompileStop.MEMORY: gettext_noop("The compiler was stopped: it needed more than %(limit)s of memory."),
    CompileStop.MESSAGES: gettext_noop("The compiler was stopped: it wrote more than %(limit)s of messages."),
    CompileStop.FILE_SIZE: gettext_noop("The compiler was stopped: it wrote a file of more than %(limit)s."),
    CompileStop.CRASHED: gettext_noop("The compiler crashed: %(signal)s ended it."),
    CompileStop.NO_PROGRAM: gettext_noop("The compiler left no program, or one of more than %(limit)s."),
    CompileStop.NOT_A_PROGRAM: gettext_noop("The compiler left a file that is not a program."),
    CompileStop.SILENT: gettext_noop("The compiler refused the program without a message."),
    CompileStop.BUILD_FAILED: gettext_noop("build failed with exit code %(code)s."),
    CompileStop.BUILD_TOO_LARGE: gettext_noop("build left more than %(limit)s."),
    CompileStop.BUILD_UNUSABLE: gettext_noop("what build left cannot be used: %(reason)s"),
    CompileStop.NOTHING_BUILT: gettext_noop("there is no file run after build"),
    CompileStop.NOTHING_TO_RUN: gettext_noop("there is no file run"),
}
_OF_TIME = (CompileStop.CPU_TIME, CompileStop.WALL_TIME)


@dataclass(frozen=True, kw_only=True, slots=True)
class CompileProblem:
    """Why there is no program. `limit`: what was exceeded, in ms of a time, else in bytes; `signal`: its name."""

    code: CompileStop
    limit: int = 0
    signal: str = ""
    exit_code: int = 0
    reason: str = ""

    @property
    def sentence(self) -> Sentence:
        """The problem in words."""
        template = _SENTENCES[self.code]
        return Sentence(
            template,
            limit=time_limit(self.limit) if self.code in _OF_TIME else size(self.limit),
            signal=self.signal,
            code=str(self.exit_code),
            reason=self.reason,
        )


def compile_words(problem: CompileProblem | None, message: str) -> Sentence:
    """Return the problem and the compiler's message, one below the other; empty without either."""
    parts = [problem.sentence] if problem else []
    return joined([*parts, quoted(message)] if message or not parts else parts, "\n")
