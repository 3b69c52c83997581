"""The plugin: hooks, pipeline, wiring, applications, genesis, queries.

`hookimpl` marks what a host or an extension implements; `__version__` tells the release.
"""

from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from runpy import run_path

run_path(str(Path(__file__).parents[1] / "ibc_core" / "installation.py"))["check"]()  # found without sys.path

import pluggy  # noqa: E402 - first whether our packages are ours

__distribution__ = "pyibc"
PROJECT = "pyibc"

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)
"""Marks a method that implements a hook (docs/hooks.md)."""

try:
    __version__ = version("pyibc")
    """The release, as installed."""
except PackageNotFoundError:  # run from a source tree that was never installed
    __version__ = "0.0.0"

__all__ = ["PROJECT", "__version__", "hookimpl", "hookspec"]
