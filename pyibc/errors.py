"""Every error of a chain, a proof or a light client (docs/errors.md); `pyibc.IbcError` is above them all."""

from ibc_core.errors import *
