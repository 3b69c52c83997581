"""The errors that say nothing of a packet or message, in one tuple for every place that answers errors."""

from typing import Final

from ibc_core.errors.app import ApplicationFault
from ibc_core.errors.sdk import OutOfGas
from ibc_core.errors.shared import LogicFault

__all__ = ("NO_VERDICT",)

NO_VERDICT: Final = (OutOfGas, LogicFault, ApplicationFault)
"""Whoever answers an error, with an acknowledgement or a response, raises these again: the transaction fails,
nothing is answered, and the same may be brought again. ibc-go has panics there."""
