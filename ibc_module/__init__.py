"""The plugin: hooks, pipeline, wiring, applications, genesis, queries.

`hookimpl` marks the hook implementations of a host or an extension; `__version__` is the release.
"""

from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, cast

_CHECK = str(Path(__file__).parents[1] / "pyibc" / "installation.py")
_check: dict[str, Any] = {"__name__": "installation", "__file__": _CHECK}
# By path, not through sys.path, where another module may hide `pyibc`; the loader also reads from a zip file.
exec(compile(cast("Any", __spec__).loader.get_data(_CHECK), _CHECK, "exec"), _check)  # noqa: S102
_check["check"]()

import pluggy  # noqa: E402 - first whether our packages are ours

__distribution__ = "pyibc"
PROJECT = "pyibc"

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)
"""Mark a method as implementation of a hook (docs/hooks.md)."""

try:
    __version__ = version("pyibc")
    """Installed release."""
except PackageNotFoundError:  # run from a source tree that was never installed
    __version__ = "0.0.0"

__all__ = ["PROJECT", "__version__", "hookimpl", "hookspec"]
