"""The sandbox on the command line: `python -m sandbox doctor` and `python -m sandbox run -- CMD`.

Exit codes: 0 the machine can judge, or the program was run, whatever became of it; 1 it cannot, or the sandbox failed;
2 usage.
"""

import argparse
import dataclasses
import json
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sandbox.doctor import examine, why_unfit
from sandbox.errors import SandboxError
from sandbox.nsjail import NsjailSandbox
from sandbox.types import MIB, Command, Destination, JailSpec, Limits, Mount, Outcome, Profile
from sandbox.workdir import fresh_folder

_PROGRAM = "/program"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m sandbox", description=__doc__.splitlines()[0])
    parser.add_argument("--work-dir", type=Path, default=Path("/var/lib/tally/work"), help="folder for jails")
    verbs = parser.add_subparsers(dest="verb", required=True)
    doctor = verbs.add_parser("doctor", help="can this machine judge?")
    doctor.add_argument("--json", action="store_true")
    run = verbs.add_parser("run", help="run one program in a jail and say what it did")
    run.add_argument("--cpu-ms", type=int, default=1_000, help="CPU time limit (default 1000)")
    run.add_argument(
        "--wall-ms", type=int, help="wall time limit (default: three times the CPU limit, plus 2 s at least)"
    )
    run.add_argument("--memory-mib", type=int, default=256)
    run.add_argument("--output-mib", type=int, default=64)
    run.add_argument("--processes", type=int, default=64)
    run.add_argument("--cpu", type=int, help="pin the program to this core")
    run.add_argument("--stdin", type=Path, help="file to read from (default: nothing)")
    run.add_argument("--stdout", type=Path, help="new file for the program's stdout (default: ours; with --json: none)")
    run.add_argument(
        "--destination",
        choices=[each.value for each in Destination],
        default=Destination.FILE.value,
        help="what stdout is for the program; its bytes end in the same place (default: file)",
    )
    run.add_argument("--profile", action="store_true", help="run it once more and count its system calls by name")
    run.add_argument("--coalesce", action="store_true", help="gather the program's small writes to stdout and stderr")
    run.add_argument("--json", action="store_true", help="print the outcome as JSON")
    run.add_argument("command", nargs="+", metavar="CMD", help="-- program and its arguments")
    return parser


def _limits(options: argparse.Namespace) -> Limits:
    return Limits(
        cpu_time_ms=options.cpu_ms,
        wall_time_ms=max(3 * options.cpu_ms, options.cpu_ms + 2_000) if options.wall_ms is None else options.wall_ms,
        memory_bytes=options.memory_mib * MIB,
        output_bytes=options.output_mib * MIB,
        processes=options.processes,
    )


@contextmanager
def _staged(program: str, work_root: Path) -> Iterator[tuple[str, tuple[Mount, ...]]]:
    """The program's path in the jail: a system program where it is, any other file copied in."""
    found = program if "/" in program else shutil.which(program, path="/usr/bin:/bin:/usr/local/bin") or program
    if found.startswith(("/usr/", "/bin/")) or not Path(found).is_file():
        yield found, ()
        return
    with fresh_folder(work_root, "program-") as folder:
        shutil.copy(found, folder / "program")
        (folder / "program").chmod(0o755)
        yield f"{_PROGRAM}/program", (Mount(source=folder, target=_PROGRAM),)


def _run(options: argparse.Namespace) -> tuple[Outcome, Profile | None]:
    sandbox = NsjailSandbox(options.work_dir)
    limits = _limits(options)
    with (
        fresh_folder(options.work_dir, "run-") as folder,
        _staged(options.command[0], options.work_dir) as (program, mounts),
        sandbox.open_jail(JailSpec(mounts=mounts, cpu=options.cpu)) as jail,
    ):
        command = Command(
            argv=(program, *options.command[1:]),
            stdin=options.stdin,
            stdout=options.stdout or folder / "stdout",
            stderr=folder / "stderr",
            destination=Destination(options.destination),
            coalesce_output=options.coalesce,
        )
        outcome = jail.run(command, limits)
        if not options.json:
            _copy(folder / "stdout", sys.stdout)
            _copy(folder / "stderr", sys.stderr)
        if not options.profile:
            return outcome, None
        return outcome, jail.profile(dataclasses.replace(command, stdout=None, stderr=None), limits)[1]


def _copy(source: Path, target: Any) -> None:
    if source.exists():
        with source.open("rb") as file:
            shutil.copyfileobj(file, target.buffer)
        target.flush()


def as_json(outcome: Outcome, profile: Profile | None) -> dict[str, Any]:
    """The outcome as JSON values; the keys are the fields of sandbox.types."""
    values = dataclasses.asdict(outcome)
    values["ending"] = outcome.ending.value
    values["usage"]["cpu_time_us"] = outcome.usage.cpu_time_us
    values["profile"] = dataclasses.asdict(profile) if profile else None
    return values


def _print_report(outcome: Outcome, profile: Profile | None) -> None:
    usage, io = outcome.usage, outcome.io
    lines = [
        f"{outcome.ending.value} {outcome.detail}".strip(),
        f"CPU time   {usage.cpu_time_us / 1e6:.3f} s (user {usage.user_time_us / 1e6:.3f}, "
        f"system {usage.system_time_us / 1e6:.3f}), wall {usage.wall_time_us / 1e6:.3f} s",
        f"memory     {usage.peak_memory_bytes / MIB:.1f} MiB at most",
        f"reads      {io.read_calls:,} calls, {io.read_bytes:,} bytes",
        f"writes     {io.write_calls:,} calls, {io.write_bytes:,} bytes",
        f"switches   {usage.voluntary_switches:,} voluntary, {usage.involuntary_switches:,} involuntary",
    ]
    if profile:
        calls = sorted(profile.syscalls.items(), key=lambda item: -item[1])
        lines += [f"{count:>12,}  {name}" for name, count in calls]
    print("\n".join(lines), file=sys.stderr)


def _doctor(options: argparse.Namespace) -> int:
    checks = examine(options.work_dir)
    if options.json:
        print(json.dumps([dataclasses.asdict(check) for check in checks], indent=2))
    for check in [] if options.json else checks:
        sign = "ok     " if check.ok else "FAILED " if check.needed else "missing"
        print(f"{sign}  {check.name}: {check.detail}{'' if check.ok else f' -> {check.remedy}'}")
    return 1 if why_unfit(checks) else 0


def main(arguments: list[str] | None = None) -> int:
    """Carry out one command line and return its exit code."""
    options = _parser().parse_args(arguments)
    try:
        if options.verb == "doctor":
            return _doctor(options)
        outcome, profile = _run(options)
        if options.json:
            print(json.dumps(as_json(outcome, profile), indent=2), flush=True)
        else:
            _print_report(outcome, profile)
    except (SandboxError, OSError) as error:  # of our own output too
        print(f"sandbox: {error}", file=sys.stderr)
        if isinstance(error, OSError):
            sys.stdout = None  # or the end of Python tries once more to write, and fails with words of its own
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
