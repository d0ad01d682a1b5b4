"""How the site is served: uvicorn, with as many processes as the settings say."""

import ctypes
import multiprocessing
import os
import shutil
import signal
import sys
from pathlib import Path

from django.conf import settings

_GOODBYE_S = 2  # live pages hold their streams open: they are not waited for for long
_PR_SET_PDEATHSIG = 1  # prctl(2)


def command() -> list[str]:
    """The command that serves the site on settings.HOST and settings.PORT; to be started in settings.BASE_DIR, once."""
    argv = ["/usr/bin/env", f"PROMETHEUS_MULTIPROC_DIR={_empty_folder_for_counts()}"]
    argv += [sys.executable, "-m", "uvicorn", "web.asgi:application"]
    argv += ["--host", settings.HOST, "--port", str(settings.PORT), "--lifespan", "off", "--no-server-header"]
    argv += ["--forwarded-allow-ips", ",".join(settings.TRUSTED_PROXIES)]
    argv += ["--timeout-graceful-shutdown", str(_GOODBYE_S), "--log-level", "warning"]
    return argv + (["--workers", str(settings.WEB_PROCESSES)] if settings.WEB_PROCESSES > 1 else [])


def _empty_folder_for_counts() -> Path:
    """Of this site alone: nobody else listens on its port."""
    folder: Path = settings.VAR_DIR.absolute() / f"counts-{settings.PORT}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def end_with_parent() -> None:
    """Of several processes each ends when the one that started them is killed: the port is free for the next start."""
    parent = multiprocessing.parent_process()
    if parent is None:
        return
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent.pid:  # it died before this was said
        sys.exit(1)
