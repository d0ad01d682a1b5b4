"""How the site is served: uvicorn, with as many processes as the settings say."""

import ctypes
import multiprocessing
import os
import shutil
import signal
import sys
from collections.abc import Iterable
from pathlib import Path

from django.conf import settings

_GOODBYE_S = 2  # live pages hold their streams open: they are not waited for for long
_PR_SET_PDEATHSIG = 1  # prctl(2)


def command() -> list[str]:
    """The command that serves the site as the settings say; to be started in settings.BASE_DIR, once."""
    return command_for(
        host=settings.HOST,
        port=settings.PORT,
        processes=settings.WEB_PROCESSES,
        proxies=settings.TRUSTED_PROXIES,
        counts=settings.VAR_DIR / f"counts-{settings.PORT}",  # nobody else listens on this port
    )


def command_for(
    *,
    host: str,
    port: int,
    counts: Path,
    processes: int = 1,
    proxies: Iterable[str] = (),
    application: str = "web.asgi:application",
) -> list[str]:
    """The same whatever the settings say. `counts` is made anew, empty: what the processes of this one site count."""
    shutil.rmtree(counts, ignore_errors=True)
    counts.mkdir(parents=True)
    argv = [
        "/usr/bin/env",
        f"PROMETHEUS_MULTIPROC_DIR={counts.absolute()}",
        sys.executable,
        "-m",
        "uvicorn",
        application,
    ]
    argv += ["--host", host, "--port", str(port), "--lifespan", "off", "--no-server-header"]
    argv += ["--forwarded-allow-ips", ",".join(proxies)]
    argv += ["--timeout-graceful-shutdown", str(_GOODBYE_S), "--log-level", "warning"]
    return argv + (["--workers", str(processes)] if processes > 1 else [])


def end_with_parent() -> None:
    """Of several processes each ends when the one that started them is killed: the port is free for the next start."""
    parent = multiprocessing.parent_process()
    if parent is None:
        return
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent.pid:  # it died before this was said
        sys.exit(1)
