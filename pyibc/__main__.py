"""`python -m pyibc`: the command `pyibc`, whose imports take a moment.

SIGTERM and Ctrl-C end it the same way, also during the imports: there is nothing to clean up yet, and a
KeyboardInterrupt would be raised inside an import.
"""

import os
import signal
import sys
from io import TextIOWrapper
from types import FrameType

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def main() -> None:
    """Runs the command."""
    for each in (sys.stdout, sys.stderr):
        if isinstance(each, TextIOWrapper):  # a stranger's memo may have signs that a terminal has not
            each.reconfigure(errors="backslashreplace")
    heard = [each for each in _SIGNALS if signal.getsignal(each) is not signal.SIG_IGN]
    for each in heard:
        signal.signal(each, _leave)

    def begin() -> None:
        for each in heard:
            signal.signal(each, signal.default_int_handler)

    from pyibc.cli import main as command  # signals first

    command(obj=begin)


def _leave(_number: int, _frame: FrameType | None) -> None:
    if "--follow" in sys.argv:  # an interrupt is its normal end
        os._exit(0)
    os.write(2, b"Aborted!\n")  # as click prints it
    os._exit(1)


if __name__ == "__main__":
    main()
