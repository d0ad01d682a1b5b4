"""Bound a process that parses whatever somebody sent: it has little time and memory, writes no file, and is nobody."""

import os
import resource
from contextlib import suppress

_CPU_S = 2  # 128 KiB of real code take a tenth of that to half of it
_MEMORY_BYTES = 1 << 30
_NOBODY = 65534


def bound_this_process() -> None:
    """Bound this process until its end. To be called before it reads anything, once all modules are loaded."""
    resource.setrlimit(resource.RLIMIT_CPU, (_CPU_S, _CPU_S))
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    if os.geteuid() == 0:
        with suppress(PermissionError):  # a worker without the capability for it
            os.setgroups([])
            os.setresgid(_NOBODY, _NOBODY, _NOBODY)
            os.setresuid(_NOBODY, _NOBODY, _NOBODY)
