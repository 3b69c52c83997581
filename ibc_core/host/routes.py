"""How a host reaches one message and one query of the module."""

from collections.abc import Callable
from typing import Any, NamedTuple

from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.value import sealed


@sealed
class MessageRoute(NamedTuple):
    """How a host handles one type of message; resolved once, at wiring."""

    decode: Callable[[bytes], Any]
    """Bytes -> message, stateless checks included. Raises IbcError."""
    signers: Callable[[Any], tuple[bytes, ...]]
    """Raw addresses that must sign the message."""
    deliver: Callable[[WriteContext, Any], bytes]
    """Executes the message; returns the response's bytes. Raises IbcError: the host reverts."""
    response_type_url: str
    """Type of the response."""
    is_lasting: bool = False
    """Whether a decoded message may be kept and used again: nobody can change it. The pipeline says so."""


@sealed
class CheckedMessage(NamedTuple):
    """A decoded message on its way through CheckTx."""

    type_url: str
    message: Any


QueryRoute = Callable[[ReadContext, bytes], bytes]
"""Request bytes -> response bytes of one gRPC method; raises IbcError."""
