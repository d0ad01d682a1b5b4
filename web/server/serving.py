"""Serve the site: uvicorn, with as many processes as the settings say."""

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
    """Return the command that serves the site by the settings; start it in settings.BASE_DIR, once."""
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
    """Return the command for explicit values. `counts` is created empty: the counters of this site's processes."""
    shutil.rmtree(counts, ignore_errors=True)
    counts.mkdir(parents=True)
    environment = f"PROMETHEUS_MULTIPROC_DIR={counts.absolute()}"
    argv = ["/usr/bin/env", environment, sys.executable, "-m", "uvicorn", application]
    argv += ["--host", host, "--port", str(port), "--lifespan", "off", "--no-server-header"]
    argv += ["--http", "web.server.slow_heads:BoundedProtocol", "--ws", "none"]
    argv += ["--forwarded-allow-ips", ",".join(proxies)]
    argv += ["--timeout-graceful-shutdown", str(_GOODBYE_S), "--log-level", "warning"]
    return argv + (["--workers", str(processes)] if processes > 1 else [])


def end_with_parent() -> None:
    """End each of several processes when their parent is killed, so that the port is free for the next start."""
    parent = multiprocessing.parent_process()
    if parent is None:
        return
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent.pid:  # it died before this was said
        sys.exit(1)
