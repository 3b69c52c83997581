"""IBC for chains written in Python.

    from pyibc import Config, IbcError, Pipeline, plugins

The most used names are here; those of one topic are in a module below, such as `pyibc.apps` or
`pyibc.errors`. docs/api.md lists every public name. All other modules are internal and may change in any
release. Names are imported on first use; a name that needs an extra (`pyibc[relayer]`, ...) raises an error
that says so if it is not installed.
"""

from pyibc import installation

installation.check()  # before any other import

from pyibc._lazy import lazy_names, public_modules  # noqa: E402

__distribution__ = "pyibc"

__getattr__, __dir__, __all__ = lazy_names("pyibc", {"index": "indexer", "relay": "relayer"})
MODULES = public_modules("pyibc")
"""Names of the public modules."""
