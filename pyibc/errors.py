"""Every error of a chain, a proof or a light client (docs/errors.md); `pyibc.IbcError` is above them all."""

from ibc_core.errors import *  # noqa: F403 - all of them are public
from ibc_core.errors import __all__  # noqa: F401
