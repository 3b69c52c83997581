"""Plugin of packet forwarding; list it next to ICS-20's: `PacketForwardPlugin()`."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ibc_module import hookimpl
from ibc_module.hookspecs import Middleware
from pyibc.apps.packet_forward import state
from pyibc.apps.packet_forward import state as forward_genesis
from pyibc.apps.packet_forward.middleware import Defaults, Forwarder, ForwardingApp, SendTransfer
from pyibc.apps.packet_forward.packet_data import MAX_RETRIES
from pyibc.apps.transfer.coins import EscrowMoves
from pyibc.apps.transfer.messages import MsgTransfer
from pyibc.core.application.classic import BoundApp, IbcApp
from pyibc.core.application.services import DecodedMessage, Messages, Services
from pyibc.core.host.context import ReadContext, WriteContext
from pyibc.isolation.isolate import builtin
from pyibc.proto.ibc.applications.transfer.v1 import tx_pb2

PORT_ID = "transfer"


@builtin
class PacketForwardPlugin:
    """Middleware on port `transfer` of IBC v1, with a store."""

    def __init__(self, retries: int = Defaults().retries, timeout_ns: int = Defaults().timeout_ns) -> None:
        """Set the defaults for memos without these fields: retries after timeouts, and the timeout.

        The timeout is in nanoseconds from the time of the block that sends the packet. All nodes of a chain
        need the same values.

        Raises:
            ValueError: `retries` is not 0 to 255, or `timeout_ns` is not above 0.
        """
        if not 0 <= retries <= MAX_RETRIES or timeout_ns <= 0:
            raise ValueError(
                f"retries must be 0 to 255 and timeout_ns positive, not {retries} and {timeout_ns}"
            )
        self._defaults = Defaults(retries, timeout_ns)

    @hookimpl
    def chain_stores(self) -> Sequence[str]:
        """Declare the store `packetfowardmiddleware`."""
        return (state.STORE_NAME,)

    @hookimpl
    def ibc_register_middleware(self) -> Iterable[Middleware]:
        """Register a layer around ICS-20; there is none for sending."""
        return [Middleware(PORT_ID, self._wrap, needs=("decode_packet_data",))]

    @hookimpl
    def chain_init_genesis(self, ctx: WriteContext, genesis: Mapping[str, Any]) -> None:
        """Restore an exported state.

        Raises:
            InvalidGenesis: the entry is malformed; the message has key and value.
        """
        forward_genesis.init(ctx, genesis)

    @hookimpl
    def chain_export_genesis(self, ctx: ReadContext) -> Mapping[str, Any]:
        """Export every entry of the store."""
        return forward_genesis.export(ctx)

    def _wrap(self, below: BoundApp, services: Services) -> IbcApp:
        if services.bank is None:
            raise ValueError("packet forwarding needs a host that offers its coins through the hook ibc_bank")
        moves = EscrowMoves(services.bank, services.addresses)
        forwarder = Forwarder(
            _transfer(services.messages), services.sender, moves, services.addresses, self._defaults
        )
        return ForwardingApp(below, forwarder)


def _transfer(messages: Messages) -> SendTransfer:
    """Return a function that executes MsgTransfer unchecked: ibc-go forwards to receivers of any length."""

    def send(ctx: WriteContext, msg: MsgTransfer) -> int:
        response = messages.execute(ctx, DecodedMessage(MsgTransfer.TYPE_URL, msg))
        return tx_pb2.MsgTransferResponse.FromString(response.value).sequence

    return send
