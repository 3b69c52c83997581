"""Reasons of system errors as users read them, without the number of the error."""

import errno

_WORDS = {
    errno.EADDRINUSE: "the address is in use: stop the program that listens there, or choose another port",
    errno.ECONNREFUSED: "connection refused",
    errno.ENOSPC: "the disk is full",
}
"""Words for errors whose text of the system does not say what to do, or is in capitals inside a sentence."""


def reason_of(error: BaseException) -> str:
    """Return the reason of an error in words: for one of the system, without `[Errno N]` and file name."""
    if isinstance(error, OSError) and error.errno is not None:
        return _WORDS.get(error.errno) or error.strerror or str(error)
    return str(error) or type(error).__name__
