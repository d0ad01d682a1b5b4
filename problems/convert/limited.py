"""Process untrusted text that may take forever in a separate Python process with little time and memory."""

import json
import subprocess
import sys
from typing import Any

from problems.package import PackageError

_SECONDS = 2
_LIMITS = f"""
import resource
resource.setrlimit(resource.RLIMIT_AS, (512 << 20, 512 << 20))
resource.setrlimit(resource.RLIMIT_CPU, ({_SECONDS}, {_SECONDS}))
"""


def asked(script: str, question: object, refusal: PackageError) -> Any:
    """Run the script, which reads the question as JSON from stdin; return the JSON it prints.

    Raises the refusal if that takes too much time or memory.
    """
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", _LIMITS + script],
            input=json.dumps(question),
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=True,
            env={},
        )
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError) as error:
        raise refusal from error
    return json.loads(done.stdout)
