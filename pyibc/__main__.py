"""Entry point of `python -m pyibc` and the command `pyibc`, whose imports take a moment.

SIGTERM and Ctrl-C end the process in the same way also during the imports: there is nothing to clean up yet,
and a KeyboardInterrupt would be raised inside an import.
"""

import os
import signal
import sys
from io import TextIOWrapper
from types import FrameType

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def main() -> None:
    """Run the command."""
    for each in (sys.stdout, sys.stderr):
        if isinstance(each, TextIOWrapper):  # e.g. a memo's characters that the terminal cannot encode
            each.reconfigure(errors="backslashreplace")
    handled = [each for each in _SIGNALS if signal.getsignal(each) is not signal.SIG_IGN]
    for each in handled:
        signal.signal(each, _leave)

    def begin() -> None:
        for each in handled:
            signal.signal(each, signal.default_int_handler)

    from pyibc.cli import main as command  # after the signal handlers

    command(obj=begin, prog_name="pyibc")


def _leave(_number: int, _frame: FrameType | None) -> None:
    if "--follow" in sys.argv:  # an interrupt is the normal exit
        os._exit(0)
    os.write(2, b"Aborted!\n")  # as click prints it
    os._exit(1)


if __name__ == "__main__":
    main()
