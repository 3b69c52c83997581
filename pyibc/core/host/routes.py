"""Routes of messages and queries, by which a host calls the module."""

from collections.abc import Callable
from typing import Any, NamedTuple

from google.protobuf.message import Message

from pyibc.codec.budget import Budget
from pyibc.core.host.context import ReadContext, WriteContext
from pyibc.core.value import sealed


@sealed
class MessageRoute(NamedTuple):
    """Functions for one message type, resolved once at wiring."""

    decode: Callable[[bytes], Any]
    """Bytes -> message, including the stateless checks. Raises IbcError."""
    signers: Callable[[Any], tuple[bytes, ...]]
    """Message -> raw addresses of the required signers."""
    deliver: Callable[[WriteContext, Any], bytes]
    """Executes the message and returns the response's bytes. Raises IbcError, on which the host reverts."""
    response_type_url: str
    """Type URL of the response."""
    decode_in_tx: Callable[[bytes, Budget], Any] | None = None
    """Same as `decode`, within the rest of a transaction's budget; None if no budget counts the work."""
    is_lasting: bool = False
    """True if decoded messages are immutable and may be cached; set by the message pipeline."""
    read: Callable[[bytes, Budget], Any] | None = None
    """Same as `decode_in_tx`, without the stateless checks; None if decoding includes them."""
    check: Callable[[Any], Any] = lambda message: message
    """Result of `read`, which `signers` accepts -> the message as `decode` returns it.

    Runs the stateless checks (ValidateBasic). Raises IbcError.
    """
    wire: type[Message] | None = None
    """The message's protobuf class; None: the class of that name in this package's pool, if any."""

    def decode_within(self, raw: bytes, budget: Budget) -> Any:
        """Decode a message of a transaction, whose messages share one budget.

        Raises:
            IbcError: as `decode`.
            TxDecode: the budget is exhausted.
        """
        return self.decode(raw) if self.decode_in_tx is None else self.decode_in_tx(raw, budget)


@sealed
class CheckedMessage(NamedTuple):
    """A decoded message in CheckTx."""

    type_url: str
    message: Any


QueryRoute = Callable[[ReadContext, bytes], bytes]
"""Request bytes -> response bytes of one gRPC method; raises IbcError."""
