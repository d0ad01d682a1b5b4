"""Turn checkers, interactors and validators that follow testlib's rules into programs of a package.

How it works: their sources stay as they are. A script `build` compiles them, a script `run` calls them with their
arguments in their order and turns their exit code into the package format's 42 and 43, so that the package can be used
elsewhere too; what each code stands for is told in `judge.grading.checkers.testlib`, which says the same of a checker
that comes without the script. An interactor's output file is then judged by the checker, as Polygon does it.

Source: the comments of testlib.h (exit codes, "points N"), and its functions registerTestlibCmd, registerInteraction
and registerValidation (arguments: input, output, answer).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from problems.convert.native import Content, Files

_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*"([^"\n]{1,200})"', re.MULTILINE)

HEADER = "#!/bin/sh\n# Made by Tally when this problem was converted.\n"
FEEDBACK = """here=$(dirname "$0")
input=$1 answer=$2 feedback=${3%/}
message=$feedback/judgemessage.txt words=$feedback/words
"""
_CHECKER = """output=$feedback/output
cat > "$output"
{checker} "$input" "$output" "$answer" > /dev/null 2> "$words"
code=$?
rm -f "$output"
"""
_INTERACTOR = """talk=$feedback/talk
trap '' PIPE  # a program that is gone must not kill the interactor
: > "$talk"
{interactor} {arguments} 2> "$words"
code=$?
"""
_CHECK_TALK = """if [ $code -eq 0 ]; then
    cat "$words" >> "$message"
    {checker} "$input" "$talk" "$answer" > /dev/null 2> "$words"
    code=$?
fi
"""
_ENDING = r"""says=$(LC_ALL=C awk -v code=$code -v most=1.797693134862315e308 '
NF {
    gsub(/[\r\f\v]/, " ")
    sub(/^[ \t]+/, "")
    if (match($0, /^partially correct \([0-9]+\)/)) {
        number = substr($0, 20, RLENGTH - 20) + 0
        if (code == number || code == number + 50) print "partial " number
    } else if ($1 == "points" && $2 ~ /^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$/) {
        if (-most <= $2 + 0 && $2 + 0 <= most) print "points " $2
    }
    exit
}' "$words")
cat "$words" >> "$message"
rm -f "$words"
case "$code $says" in
    *" partial 0") exit 43 ;;
"""
_POINTS = """    *" partial "* | "7 points "*) echo "${says#* }" > "$feedback/score.txt"; exit 42 ;;
"""
_NO_POINTS = """    *" partial "*) exit 43 ;;  # partly right: a problem without points does not accept that
"""
_FAULT = """    "0 "*) exit 42 ;;
    "1 "* | "2 "* | "4 "* | "8 "*) exit 43 ;;
esac
cat "$message" >&2
echo "the program exited with $code" >&2
exit 1
"""
_VALIDATOR = """here=$(dirname "$0")
{validator} > /dev/null
code=$?
case $code in
    0) exit 42 ;;
    1 | 2 | 3 | 4 | 8) exit 43 ;;
esac
echo "the validator exited with $code" >&2
exit 1
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Program:
    """A program that follows testlib's rules: its main file's name and content, and included files by name."""

    name: str  # "check.cpp", "check.c", "check.py"
    content: Content
    standard: str = "c++17"  # of C++
    others: Mapping[str, Content] = field(default_factory=dict)

    @property
    def is_python(self) -> bool:
        """Return whether it runs without compiling."""
        return self.name.endswith(".py")

    def command(self, binary: str) -> str:
        """Return the command with which a script in the folder `here` starts the program."""
        return f'/usr/bin/env python3 "$here/{self.name}"' if self.is_python else f'"$here/{binary}"'

    def build(self, binary: str) -> str:
        """Return the line that compiles the program; nothing for Python."""
        if self.name.endswith(".c"):
            return f"gcc -std=gnu11 -O2 -pipe -o {binary} {self.name} -lm\n"
        return "" if self.is_python else f"g++ -std={self.standard} -O2 -pipe -o {binary} {self.name}\n"


def source_name(name: str, ending: str = ".cpp") -> str:
    """Return a name for a program's main file that a script can hold without quotes, with its language's extension."""
    stem = re.sub(r"[^A-Za-z0-9_]+", "-", PurePosixPath(name).stem).strip("-") or "main"
    return f"{stem}{ending}"


def includes(source: bytes) -> list[str]:
    """Return the names of files beside a C++ source that it includes."""
    return [name.decode("utf-8", "replace") for name in _INCLUDE.findall(source)]


def checker_files(checker: Program, *, gives_points: bool) -> Files:
    """Return an output validator that calls a checker."""
    run = HEADER + FEEDBACK + _CHECKER.format(checker=checker.command("checker.bin")) + _ending(gives_points)
    return script_folder("checker", run, {"checker.bin": checker})


def interactor_files(
    interactor: Program, checker: Program | None, *, gives_points: bool, arguments: str = '"$input" "$talk" "$answer"'
) -> Files:
    """Return an output validator that talks to the program and lets the checker judge the interactor's record."""
    run = HEADER + FEEDBACK + _INTERACTOR.format(interactor=interactor.command("interactor.bin"), arguments=arguments)
    programs = {"interactor.bin": interactor}
    if checker is not None:
        programs["checker.bin"] = checker
        run += _CHECK_TALK.format(checker=checker.command("checker.bin"))
    return script_folder("interactor", run + _ending(gives_points), programs)


def validator_files(validator: Program, folder: str) -> Files:
    """Return an input validator that calls a validator, which reads the input from stdin."""
    run = HEADER + _VALIDATOR.format(validator=validator.command("validator.bin"))
    return script_folder(folder, run, {"validator.bin": validator})


def _ending(gives_points: bool) -> str:
    return _ENDING + (_POINTS if gives_points else _NO_POINTS) + _FAULT


def script_folder(name: str, run: str, programs: Mapping[str, Program]) -> Files:
    """Return a program's folder of this name: the script `run`, these programs by the name of their binary, and
    `build`.
    """
    files: dict[str, Content] = {f"{name}/run": run}
    lines = [program.build(binary) for binary, program in programs.items()]
    if any(lines):
        files[f"{name}/build"] = HEADER + "set -e\n" + "".join(lines)
    for program in programs.values():
        files |= {f"{name}/{other}": content for other, content in program.others.items()}
        files[f"{name}/{program.name}"] = program.content
    return files
