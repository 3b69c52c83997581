"""IBC for chains written in Python.

This package is the public face: `hookimpl` marks what a host or an extension implements,
`__version__` tells the release. It imports nothing of the upper layers.
"""

from importlib.metadata import PackageNotFoundError, version

import pluggy

PROJECT = "pyibc"

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)

try:
    __version__ = version("pyibc")
except PackageNotFoundError:  # run from a source tree that was never installed
    __version__ = "0.0.0"

__all__ = ["PROJECT", "__version__", "hookimpl", "hookspec"]
