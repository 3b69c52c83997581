"""Every error of a chain, a proof or a light client (docs/errors.md): `IbcError`s, and `SetupError`."""

from ibc_core.errors import *
from ibc_core.setup_error import SetupError as SetupError
