"""The command line of `python -m sandbox`: options, limits and the program's own arguments."""

import argparse
from pathlib import Path

from sandbox.types import MIB, Destination, Limits

_PARTING = "--"  # between the two programs of a pair
_WORK_DIR = Path("/var/lib/tally/work")
_EXIT_CODES = """exit codes:
  0  the machine can judge (doctor); the program ran, however it ended (see `ending`)
  1  the machine cannot judge, or the sandbox failed: one sentence on stderr
  2  invalid options
  130  it was interrupted (Ctrl-C)"""
_LIMITS = (  # option, field of Limits, bytes or whatever in one of it, default, what it is a limit of
    ("--cpu-ms", "cpu_time_ms", 1, 1_000, "CPU time, user and system"),
    ("--memory-mib", "memory_bytes", MIB, 256, "memory"),
    ("--output-mib", "output_bytes", MIB, 64, "bytes on stdout"),
    ("--stderr-mib", "stderr_bytes", MIB, 16, "bytes on stderr"),
    ("--processes", "processes", 1, 64, "processes and threads at a time"),
    ("--open-files", "open_files", 1, 256, "descriptors of each process"),
    ("--scratch-mib", "scratch_bytes", MIB, 16, "the program's own files, together"),
    ("--file-mib", "file_bytes", MIB, 32, "the largest of these files"),
)


def parse(words: list[str] | None = None) -> argparse.Namespace:
    """Parse the command line; ends the process with exit code 2 when it is invalid."""
    parser = argparse.ArgumentParser(
        prog="python -m sandbox",
        description="Run programs in a jail and measure what they do.",
        epilog=_EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _add_work_dir(parser, _WORK_DIR)
    common = argparse.ArgumentParser(add_help=False)
    _add_work_dir(common, argparse.SUPPRESS)  # or its default would be put over what was said before the verb
    common.add_argument("--json", action="store_true", help="print the result as JSON")
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="doctor | run | pair")
    verbs.add_parser("doctor", parents=[common], help="check whether this machine can judge, by trying each limit")
    run = verbs.add_parser("run", parents=[common], help="run one program: run -- PROGRAM ARGUMENTS")
    pair = verbs.add_parser("pair", parents=[common], help="run a pair: pair -- PROGRAM ... -- INTERACTOR ...")
    _add_options(run, pair)
    options = parser.parse_args(words)
    if options.verb == "pair" and not all(split(options.command)):
        parser.error("a pair is two programs: pair -- PROGRAM ARGUMENTS -- INTERACTOR ARGUMENTS")
    names = [file.name for file in getattr(options, "file", [])]
    if len(set(names)) < len(names):
        parser.error("each --file needs a name of its own")
    return options


def _add_work_dir(parser: argparse.ArgumentParser, default: Path | str) -> None:
    what = f"folder for jails, which every user must be able to search (default: {_WORK_DIR})"
    parser.add_argument("--work-dir", type=Path, default=default, metavar="FOLDER", help=what)


def _add_options(run: argparse.ArgumentParser, pair: argparse.ArgumentParser) -> None:
    run.add_argument("--stdin", type=Path, metavar="FILE", help="the program's stdin; - is our own (default: nothing)")
    run.add_argument(
        "--stdout", type=Path, metavar="FILE", help="new file for its stdout (default: ours; with --json: none)"
    )
    run.add_argument(
        "--destination",
        choices=[destination.value for destination in Destination],
        default=Destination.FILE.value,
        help="kind of stdout that the program sees; its bytes go to the same place (default: %(default)s)",
    )
    run.add_argument("--coalesce", action="store_true", help="buffer the program's stdout and stderr")
    run.add_argument(
        "--sample-ms", type=int, default=0, metavar="N", help="sample CPU time every N ms: timeline in --json"
    )
    wall_help = "limit: wall time (default: 3 x --cpu-ms, at least 2 s more)"
    file_help = "a file for the program's working folder; can be repeated"
    for verb in (run, pair):
        for option, _, _, default, what in _LIMITS:
            help_text = f"limit: {what} (default: {default})"
            verb.add_argument(option, type=int, default=default, metavar="N", help=help_text)
        verb.add_argument("--wall-ms", type=int, metavar="N", help=wall_help)
        verb.add_argument("--tools", action="store_true", help="show all of /usr (default: only runtimes)")
        verb.add_argument("--cpu", type=int, metavar="CORE", help="pin the program to this core")
        verb.add_argument("--file", type=Path, action="append", default=[], metavar="FILE", help=file_help)
        verb.add_argument("--profile", action="store_true", help="count system calls by name, in a second run")
        verb.add_argument("command", nargs="+", metavar="PROGRAM", help="-- followed by the program and its arguments")


def limits_of(options: argparse.Namespace) -> Limits:
    """Return the limits of one run."""
    wall_ms = max(3 * options.cpu_ms, options.cpu_ms + 2_000) if options.wall_ms is None else options.wall_ms
    limits = {field: getattr(options, option[2:].replace("-", "_")) * unit for option, field, unit, _, _ in _LIMITS}
    return Limits(wall_time_ms=wall_ms, **limits)


def split(command: list[str]) -> tuple[list[str], list[str]]:
    """Split the arguments into the two programs of a pair."""
    place = command.index(_PARTING) if _PARTING in command else len(command)
    return command[:place], command[place + 1 :]
