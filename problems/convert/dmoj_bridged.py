"""Bridged DMOJ checkers, which judge by their exit code: the arguments and the exit codes of each type.

| type | arguments | accepts, rejects | a part of the points |
| --- | --- | --- | --- |
| default | input, output, answer | 0, 1 | |
| testlib | input, output, answer | 0, 1 or 2 | code 7, `points N` on stderr |
| coci | input, output, answer | 0, 1 or 2 | code 7, `partial A/B` on stderr |
| peg | answer, output, input | 0, 1 | A and B as lines of stdout one after the other |

Any other code is the program's own fault. Source: DMOJ's documentation of bridged checkers, and its judge's modules.
"""

from problems.convert.native import Files
from problems.convert.testlib import FEEDBACK, HEADER, Program, checker_files, script_folder

TYPES = ("default", "testlib", "coci", "peg")
INTERACTOR_ARGUMENTS = {"default": '"$input" "$answer"', "testlib": '"$input" "$talk" "$answer"'}
_ARGUMENTS = {
    "default": '"$input" "$output" "$answer"',
    "coci": '"$input" "$output" "$answer"',
    "peg": '"$answer" "$output" "$input"',
}
_REJECTS = {"default": '"1 "*', "coci": '"1 "* | "2 "*', "peg": '"1 "*'}
_PARTS = {  # the file that may tell a part, and how; with which codes it does
    "default": ("/dev/null", "", '"- "'),
    "coci": (
        '"$words"',
        r"""/^partial [0-9]+\/[0-9]+$/ { split($2, of, "/"); if (of[2] + 0 > 0) tell(of[1] / of[2]) }""",
        '"7 "',
    ),
    "peg": (
        '"$said"',
        r"""{
    gsub(/[ \t\r\f\v]+/, " "); gsub(/^ | $/, "")
    is_number = $0 ~ /^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$/
    if (was_number && is_number && $0 + 0 != 0 && before / $0 > 0) tell(before / $0)
    was_number = is_number; before = $0
}""",
        '"0 " | "1 "',
    ),
}
_RUN = r"""worth=${{4:-0}} said=$feedback/said
output=$feedback/output
cat > "$output"
{checker} {arguments} > "$said" 2> "$words"
code=$?
part=$(LC_ALL=C awk -v worth="$worth" '
function tell(part) {{
    if (part > 1.000000001) print "more"
    else if (part > 0.999999999) print "all"
    else printf "%.9f", worth * part
    exit
}}
{part}' {file})
cat "$said" "$words" > "$message"
rm -f "$said" "$words" "$output"
case "$code " in
    {with_part}) ;;
    *) part= ;;
esac
case "$code $part" in
    *" more") ;;
    *" all") exit 42 ;;
{points}    {zero}) exit 42 ;;
    {rejects}) exit 43 ;;
esac
cat "$message" >&2
echo "the checker exited with $code" >&2
exit 1
"""
_POINTS = '    *" "[0-9]*) echo "$part" > "$feedback/score.txt"; exit 42 ;;\n'
_NO_POINTS = '    *" "[0-9]*) exit 43 ;;  # partly right: a problem without points does not accept that\n'


def bridged_files(program: Program, kind: str, *, gives_points: bool) -> Files:
    """Return an output validator that calls a checker of this type; for coci and peg its last argument is a case's
    worth.
    """
    if kind == "testlib":
        return checker_files(program, gives_points=gives_points)
    file, part, codes = _PARTS[kind]
    run = _RUN.format(
        checker=program.command("checker.bin"),
        arguments=_ARGUMENTS[kind],
        part=part,
        file=file,
        with_part=codes,
        points=_POINTS if gives_points else _NO_POINTS,
        zero='"0 "*',
        rejects=_REJECTS[kind],
    )
    return script_folder("checker", HEADER + FEEDBACK + run, {"checker.bin": program})
