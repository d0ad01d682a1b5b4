"""The facts of the help page: languages as this site's workers run them, and the usual limits."""

import shlex
from dataclasses import dataclass

from judge.grading.languages import BOX, LANGUAGES, PROGRAM_FOLDER
from judge.grading.languages.runtime import Start
from judge.models import WorkerNode
from problems.package import ProblemLimits

_HIDDEN_CODE = 60  # characters: an argument that is longer is a program of ours, not a flag


@dataclass(frozen=True, kw_only=True, slots=True)
class LanguageInUse:
    """One language: the versions that the running workers have, and its command lines without paths of the host."""

    name: str
    extensions: tuple[str, ...]
    versions: list[str]
    compile_command: str  # "": it is checked for mistakes of syntax only
    run_command: str


def languages_in_use() -> list[LanguageInUse]:
    """Return the languages of submissions, with what the workers say of them."""
    workers = [node.languages for node in WorkerNode.objects.grading().only("languages")]
    languages = []
    for language in LANGUAGES.values():
        compiling = language.runtime.compile_argv(language.tool.name, language.compile_flags, (language.source_name,))
        visible = [part.removeprefix(f"{BOX}/") for part in compiling if len(part) < _HIDDEN_CODE]
        start = Start(tool=language.tool.name, flags=language.run_flags, source=language.source_name)
        running = language.runtime.run_argv(start, ProblemLimits().memory_bytes)
        languages.append(
            LanguageInUse(
                name=language.name,
                extensions=language.extensions,
                versions=sorted({worker[language.id] for worker in workers if language.id in worker}),
                compile_command=shlex.join(visible) if language.runtime.product else "",
                run_command=shlex.join([part.replace(f"{PROGRAM_FOLDER}/", "./") for part in running]),
            )
        )
    return languages
