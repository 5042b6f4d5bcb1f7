"""The command line: ``vclean`` or ``python -m vclean``; see ``vclean --help``."""

import signal
import sys

from ._vclean import _run_command_line


def main() -> int:
    """Runs the command line and returns its exit code."""
    # The command line handles Ctrl-C itself.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _run_command_line(["vclean", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
