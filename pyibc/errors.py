"""Errors of chains, proofs and light clients (docs/errors.md): `IbcError`s, and `SetupError`."""

from importlib import import_module
from typing import TYPE_CHECKING

from pyibc.core.errors import *
from pyibc.core.setup_error import SetupError as SetupError

if TYPE_CHECKING:  # loaded on first use: a host without these options loads neither
    from pyibc.direct.errors import *
    from pyibc.queues.errors import *
else:
    _OPTIONS = ("pyibc.direct.errors", "pyibc.queues.errors")

    def __getattr__(name: str) -> object:
        """Return an error class of direct calls or of queues, or `__all__`, which includes both."""
        if name == "__all__":
            found = {
                each: value for module in _OPTIONS for each, value in vars(import_module(module)).items()
            }
            return [each for each, value in {**globals(), **found}.items() if isinstance(value, type)]
        if not name.startswith("_"):
            for module in _OPTIONS:
                value = vars(import_module(module)).get(name)
                if isinstance(value, type):
                    return value
        raise AttributeError(f"module {__name__!a} has no attribute {name!a}")
