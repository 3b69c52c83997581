"""Every error of a chain, a proof or a light client (docs/errors.md): `IbcError`s, and `SetupError`."""

from typing import TYPE_CHECKING

from ibc_core.errors import *
from ibc_core.setup_error import SetupError as SetupError

if not TYPE_CHECKING:  # mypy reads the lines above; the modules that they come from are not for users
    __all__ = [name for name, value in globals().items() if isinstance(value, type)]
