"""How a host reaches one message and one query of the module."""

from collections.abc import Callable
from typing import Any, NamedTuple

from google.protobuf.message import Message

from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.value import sealed
from ibc_core.wire.budget import Budget


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
    decode_in_tx: Callable[[bytes, Budget], Any] | None = None
    """As `decode`, within what is left of a transaction's budget; None where no budget counts the work."""
    is_lasting: bool = False
    """Whether a decoded message may be kept and used again: nobody can change it. The pipeline says so."""
    read: Callable[[bytes, Budget], Any] | None = None
    """As `decode_in_tx`, without the stateless checks; None where the two cannot be told apart."""
    check: Callable[[Any], Any] = lambda message: message
    """What `read` returned, of which `signers` can be asked already -> the message as `decode` returns it.

    These are the stateless checks (ValidateBasic). Raises IbcError.
    """
    wire: type[Message] | None = None
    """The message's protobuf class, of whatever pool; None: the one of its name in ours, if there is one."""

    def decode_within(self, raw: bytes, budget: Budget) -> Any:
        """As `decode`, for a message of a transaction, all of whose messages have one budget.

        Raises:
            IbcError: as `decode`; TxDecode: the budget is spent.
        """
        return self.decode(raw) if self.decode_in_tx is None else self.decode_in_tx(raw, budget)


@sealed
class CheckedMessage(NamedTuple):
    """A decoded message on its way through CheckTx."""

    type_url: str
    message: Any


QueryRoute = Callable[[ReadContext, bytes], bytes]
"""Request bytes -> response bytes of one gRPC method; raises IbcError."""
