"""`python -m sandbox`: the command line of `sandbox.entry.command_line`."""

import sys

from sandbox.entry.command_line import main

if __name__ == "__main__":
    sys.exit(main())
