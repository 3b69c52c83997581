"""Packet forwarding as a plugin: put it beside ICS-20's, `PacketForwardPlugin()`."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ibc_core.application.classic import BoundApp, IbcApp
from ibc_core.application.services import DecodedMessage, Messages, Services
from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.host.shipped import shipped
from ibc_core.packet_forward.metadata import MAX_RETRIES
from ibc_core.transfer.msg_transfer import MsgTransfer
from ibc_module import hookimpl
from ibc_module.apps.packet_forward import genesis as forward_genesis
from ibc_module.apps.packet_forward import state
from ibc_module.apps.packet_forward.forwarder import Defaults, Forwarder, SendTransfer
from ibc_module.apps.packet_forward.layers import ForwardingApp
from ibc_module.apps.transfer.escrow_moves import EscrowMoves
from ibc_module.hookspecs import Middleware
from ibc_proto.ibc.applications.transfer.v1 import tx_pb2

PORT_ID = "transfer"


@shipped
class PacketForwardPlugin:
    """Declares the middleware on port `transfer` of IBC classic, and its store."""

    def __init__(self, retries: int = Defaults().retries, timeout_ns: int = Defaults().timeout_ns) -> None:
        """What memos leave out: how often a packet is sent once more after a timeout, and its timeout.

        The timeout is in nanoseconds from the block on that sends it. Every node of a chain needs the same.

        Raises:
            ValueError: `retries` is not 0 to 255, or `timeout_ns` is not above 0.
        """
        if not 0 <= retries <= MAX_RETRIES or timeout_ns <= 0:
            raise ValueError(f"no defaults of forwarding: {retries} retries, {timeout_ns} ns")
        self._defaults = Defaults(retries, timeout_ns)

    @hookimpl
    def chain_stores(self) -> Sequence[str]:
        """One store, `packetfowardmiddleware`."""
        return (state.STORE_NAME,)

    @hookimpl
    def ibc_register_middleware(self) -> Iterable[Middleware]:
        """One layer around ICS-20; what it sends passes by."""
        return [Middleware(PORT_ID, self._wrap, needs=("decode_packet_data",))]

    @hookimpl
    def chain_init_genesis(self, ctx: WriteContext, genesis: Mapping[str, Any]) -> None:
        """Restores what was exported.

        Raises:
            InvalidGenesis: the entry is malformed; the message names key and value.
        """
        forward_genesis.init(ctx, genesis)

    @hookimpl
    def chain_export_genesis(self, ctx: ReadContext) -> Mapping[str, Any]:
        """Every entry of the store."""
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
    """The chain's own MsgTransfer. Nobody checks it: ibc-go forwards to receivers of any length."""

    def send(ctx: WriteContext, msg: MsgTransfer) -> int:
        response = messages.execute(ctx, DecodedMessage(MsgTransfer.TYPE_URL, msg))
        return tx_pb2.MsgTransferResponse.FromString(response.value).sequence

    return send
