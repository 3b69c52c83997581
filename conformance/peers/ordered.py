"""Our counterparts for the ordered channels of ibc-go's testing application.

Its `mock` port accepts any channel but sends nothing by itself; its interchain accounts (ICS-27) send on a
channel that they open to a port `icahost`. So ours has a `mock` port that sends on request, and an `icahost`
port that accepts everything and executes nothing.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from conformance.kit.registered import registered
from conformance.kit.scripted_app import PORT, STORE, ScriptedApp
from ibc_core.address import AddressCodec
from ibc_core.any_message import AnyMessage
from ibc_core.application.classic import IbcApp
from ibc_core.application.services import PacketSender, Services
from ibc_core.channel.types import ChannelCounterparty, Order
from ibc_core.errors import InvalidVersion, TxDecode
from ibc_core.height import Height
from ibc_core.host.context import WriteContext
from ibc_core.host.routes import MessageRoute
from ibc_module import hookimpl

HOST_PORT = "icahost"
SAY = "/pyibc.testkit.v1.MsgSay"


class MsgSay(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Sends `data` over a channel of port `mock`; JSON, for tests only."""

    signer: str
    channel_id: str
    data: str
    timeout_revision: int = 0
    timeout_height: int = 0
    timeout_ns: int = 0


def say(message: MsgSay) -> AnyMessage:
    """The MsgSay as Any."""
    return AnyMessage(SAY, msgspec.json.encode(message))


class HostApp(ScriptedApp):
    """An interchain accounts host whose packets succeed without any effect."""

    def on_chan_open_try(
        self,
        ctx: WriteContext,  # noqa: ARG002 - signature of the callback, as below
        order: Order,  # noqa: ARG002
        connection_id: str,  # noqa: ARG002
        port_id: str,  # noqa: ARG002
        channel_id: str,
        counterparty: ChannelCounterparty,  # noqa: ARG002
        counterparty_version: str,
    ) -> str:
        """Adds the account's address to the version, as in ICS-27; raises InvalidVersion."""
        try:
            metadata: dict[str, Any] = msgspec.json.decode(counterparty_version, type=dict[str, Any])
        except msgspec.DecodeError as error:
            raise InvalidVersion(counterparty_version[:80]) from error
        return msgspec.json.encode({**metadata, "address": "account" + channel_id.replace("-", "")}).decode()


class OrderedPlugin:
    """The two ports, and the message that makes `mock` send."""

    def __init__(self) -> None:
        self._sender: PacketSender | None = None
        self._addresses: AddressCodec | None = None

    @hookimpl
    def chain_stores(self) -> Sequence[str]:
        """The scripted application's store."""
        return (STORE,)

    @hookimpl
    def ibc_register_apps(self, services: Services) -> Mapping[str, IbcApp]:
        """The applications on `mock` and `icahost`."""
        self._sender, self._addresses = services.sender, services.addresses
        return {PORT: ScriptedApp(), HOST_PORT: HostApp()}

    @hookimpl
    def chain_messages(self) -> Mapping[str, MessageRoute]:
        """The route of MsgSay."""
        return {SAY: MessageRoute(_decode, self._signers, self._deliver, SAY + "Response")}

    def _signers(self, message: MsgSay) -> tuple[bytes, ...]:
        addresses = registered(self._addresses, "plugin of ordered channels")
        return (addresses.decode(message.signer, "signer").raw,)

    def _deliver(self, ctx: WriteContext, message: MsgSay) -> bytes:
        sender = registered(self._sender, "plugin of ordered channels")
        height = Height(message.timeout_revision, message.timeout_height)
        data = message.data.encode()
        sender.send_packet(ctx, PORT, message.channel_id, height, message.timeout_ns, data)
        return b""


def _decode(raw: bytes) -> MsgSay:
    try:
        return msgspec.json.decode(raw, type=MsgSay)
    except msgspec.DecodeError as error:
        raise TxDecode(str(error)) from error


def plugins() -> Sequence[object]:
    """For `pyibc localnet up --plugin conformance.peers.ordered:plugins`."""
    return (OrderedPlugin(),)
