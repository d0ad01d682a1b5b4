"""The sandbox on the command line: `python -m sandbox doctor`, `... run -- CMD` and `... pair -- CMD -- CMD`."""

import argparse
import dataclasses
import json
import shutil
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from sandbox.doctor.doctor import examine, why_unfit
from sandbox.errors import CommandError, SandboxError
from sandbox.jail.nsjail import NsjailSandbox
from sandbox.jail.pair import PairOutcome, Side, run_pair
from sandbox.types import MIB, Command, Destination, Ending, Image, JailSpec, Limits, Mount, Outcome, Profile
from sandbox.workdir import fresh_folder

_INTERRUPTED = 128 + signal.SIGINT
_PROGRAM = "/program"  # where a jail shows what was copied in
_FILES = "/files"
_MOST_MEMORY = {
    Ending.MEMORY_LIMIT: "when it was stopped: the kernel's limit is higher than this one by the room for its output"
}
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


def _copied(sources: Sequence[Path], folder: Path) -> Path:
    folder.mkdir()
    folder.chmod(0o755)  # whatever our umask is
    for source in sources:
        shutil.copy(source, folder / source.name)
        (folder / source.name).chmod(0o755)
    return folder


@contextmanager
def _staged(words: Sequence[str], options: argparse.Namespace) -> Iterator[tuple[Command, JailSpec]]:
    """Stage a program with its jail: a host program runs in place; other files, and those of `--file`, are copied."""
    program = words[0]
    path = program if "/" in program else shutil.which(program, path="/usr/bin:/bin:/usr/local/bin") or program
    mounts = []
    with fresh_folder(options.work_dir, "program-") as folder:
        if not path.startswith(("/usr/", "/bin/")) and Path(path).is_file():
            mounts.append(Mount(source=_copied([Path(path)], folder / "program"), target=_PROGRAM))
            path = f"{_PROGRAM}/{Path(path).name}"
        if options.file:
            mounts.append(Mount(source=_copied(options.file, folder / "files"), target=_FILES))
        command = Command(
            argv=(path, *words[1:]),
            files=tuple((file.name, f"{_FILES}/{file.name}") for file in options.file),
            stderr=folder / "stderr",
        )
        image = Image.TOOLS if options.tools else Image.RUN
        yield command, JailSpec(mounts=tuple(mounts), image=image, cpu=options.cpu)


def _run(options: argparse.Namespace) -> tuple[Outcome, Profile | None]:
    sandbox, limits = NsjailSandbox(options.work_dir), limits_of(options)
    with (
        fresh_folder(options.work_dir, "run-") as folder,
        _staged(options.command, options) as (staged, spec),
        sandbox.open_jail(spec) as jail,
    ):
        command = dataclasses.replace(
            staged,
            stdin=Path("/dev/stdin") if options.stdin == Path("-") else options.stdin,
            stdout=options.stdout or folder / "stdout",
            destination=Destination(options.destination),
            coalesce_output=options.coalesce,
            sample_ms=options.sample_ms,
        )
        outcome = jail.run(command, limits)
        if not options.json:
            _copy(folder / "stdout", sys.stdout)
            _copy(command.stderr, sys.stderr)
        if not options.profile:
            return outcome, None
        return outcome, jail.profile(dataclasses.replace(command, stdout=None, stderr=None), limits)[1]


def _run_pair(options: argparse.Namespace, programs: Sequence[Sequence[str]]) -> PairOutcome:
    sandbox, limits = NsjailSandbox(options.work_dir), limits_of(options)
    with ExitStack() as stack:
        sides = []
        for words in programs:
            command, spec = stack.enter_context(_staged(words, options))
            jail = stack.enter_context(sandbox.open_jail(spec))
            sides.append(Side(jail=jail, command=command, limits=limits))
        pair = run_pair(*sides, is_profiled=options.profile)
        for side in () if options.json else sides:
            _copy(side.command.stderr, sys.stderr)
        return pair


def _copy(source: Path | None, target: Any) -> None:
    if source and source.exists():
        with source.open("rb") as file:
            shutil.copyfileobj(file, target.buffer)
        target.flush()


def _show(options: argparse.Namespace, values: dict[str, Any], lines: list[str]) -> None:
    if options.json:
        print(json.dumps(values, indent=2), flush=True)
    else:
        print("\n".join(lines), file=sys.stderr)


def _doctor(options: argparse.Namespace) -> int:
    checks = examine(options.work_dir)
    if options.json:
        print(json.dumps([dataclasses.asdict(check) for check in checks], indent=2))
    for check in [] if options.json else checks:
        sign = "ok     " if check.ok else "FAILED " if check.needed else "missing"
        print(f"{sign}  {check.name}: {check.detail}{'' if check.ok else f' -> {check.remedy}'}")
    sys.stdout.flush()
    return 1 if why_unfit(checks) else 0


def as_json(outcome: Outcome, profile: Profile | None = None) -> dict[str, Any]:
    """Return the outcome as JSON values; the keys are the fields of sandbox.types, with `profile`, possibly None."""
    values = dataclasses.asdict(outcome)
    values["ending"], values["detail"] = outcome.ending.value, outcome.detail
    values["usage"]["cpu_time_us"] = outcome.usage.cpu_time_us
    values["profile"] = dataclasses.asdict(profile) if profile else None
    return values


def pair_as_json(pair: PairOutcome) -> dict[str, Any]:
    """Return the fields of sandbox.jail.pair.PairOutcome; the program has the profile."""
    return {
        "program": as_json(pair.program, pair.profile),
        "interactor": as_json(pair.interactor),
        "interactor_ended_first": pair.interactor_ended_first,
        "program_left_early": pair.program_left_early,
    }


def lines(outcome: Outcome, profile: Profile | None = None) -> list[str]:
    """Return lines for people: the ending, the usage, then the calls by name, most frequent first."""
    usage, io = outcome.usage, outcome.io
    rows = [
        f"{outcome.ending.value} {outcome.detail}".strip(),
        f"CPU time   {usage.cpu_time_us / 1e6:.3f} s (user {usage.user_time_us / 1e6:.3f}, "
        f"system {usage.system_time_us / 1e6:.3f}), wall {usage.wall_time_us / 1e6:.3f} s",
        f"memory     {usage.peak_memory_bytes / MIB:.1f} MiB {_MOST_MEMORY.get(outcome.ending, 'at most')}",
        f"reads      {io.read_calls:,} calls, {io.read_bytes:,} bytes",
        f"writes     {io.write_calls:,} calls, {io.write_bytes:,} bytes",
        f"switches   {usage.voluntary_switches:,} voluntary, {usage.involuntary_switches:,} involuntary",
    ]
    watch = outcome.watch
    for us, words in (
        (watch.gap_us, "s not counted, because its watcher stood still"),
        (watch.stopped_us, "s in which the program was stopped"),
        (watch.suspended_us, "s in which the machine was suspended"),
        (watch.host_gap_us, "s in which the host process stood still"),
    ):
        rows += [f"disturbed  {us / 1e6:.3f} {words}"] if us else []
    if profile is not None:
        uses = [(name, use) for name, use in profile.streams.items() if use.calls]
        rows += [f"{name:<10} {use.calls:,} calls, {use.bytes:,} bytes" for name, use in uses]
        calls = sorted(profile.syscalls.items(), key=lambda item: -item[1])
        rows += [f"{count:>12,}  {name}" for name, count in calls]
    return rows


def pair_lines(pair: PairOutcome) -> list[str]:
    """Return lines for both sides, and which ended first."""
    return [
        f"{'interactor' if pair.interactor_ended_first else 'program'} ended first",
        *(f"program    {line}" for line in lines(pair.program, pair.profile)),
        *(f"interactor {line}" for line in lines(pair.interactor)),
    ]


def main(words: list[str] | None = None) -> int:
    """Carry out one command line and return its exit code."""
    options = parse(words)
    try:
        if options.verb == "doctor":
            return _doctor(options)
        if options.verb == "pair":
            pair = _run_pair(options, split(options.command))
            _show(options, pair_as_json(pair), pair_lines(pair))
        else:
            outcome, profile = _run(options)
            _show(options, as_json(outcome, profile), lines(outcome, profile))
        return 0
    except KeyboardInterrupt:
        print("sandbox: it was interrupted (SIGINT)", file=sys.stderr)
        return _INTERRUPTED
    except (SandboxError, OSError) as error:  # of our own output too
        program = Path(str(error).partition(" cannot be started: ")[0])
        is_hidden = isinstance(error, CommandError) and not options.tools and program.is_file()
        hint = "; a jail shows only runtimes, or all of /usr with --tools" if is_hidden else ""
        print(f"sandbox: {error}{hint}", file=sys.stderr)
        if isinstance(error, OSError):
            sys.stdout = None  # or the end of Python tries once more to write, and fails with words of its own
        return 1
