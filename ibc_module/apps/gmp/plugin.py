"""GMP as a plugin, registered through the hooks of every application."""

from collections.abc import Mapping, Sequence
from typing import Any

from ibc_core.application.services import Services
from ibc_core.application.v2 import IbcAppV2
from ibc_core.gmp import packet_data
from ibc_core.gmp.msg_send_call import MsgSendCall
from ibc_core.gmp.names import PORT_ID, VERSION
from ibc_core.gmp.packet_data import GmpPacketData
from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.host.routes import MessageRoute, QueryRoute
from ibc_core.host.shipped import shipped
from ibc_core.packet_v2.types import Payload
from ibc_core.transfer.encodings import ABI
from ibc_core.wire.message import route_of
from ibc_module import hookimpl
from ibc_module.apps.gmp import queries, state
from ibc_module.apps.gmp.accounts import CallAccounts
from ibc_module.apps.gmp.app_v2 import GmpApp
from ibc_module.apps.gmp.calls import Calls
from ibc_module.apps.gmp.genesis import GmpGenesis
from ibc_module.at_wiring import AtWiring


@shipped
class GmpPlugin:
    """Gives a host with accounts ICS-27 GMP: its application, its message and its store."""

    _services = AtWiring[Services]()
    _accounts = AtWiring[CallAccounts]()
    _genesis = AtWiring[GmpGenesis]()

    @hookimpl
    def chain_stores(self) -> Sequence[str]:
        """One store, `gmp`."""
        return (state.STORE_NAME,)

    @hookimpl
    def ibc_register_apps_v2(self, services: Services) -> Mapping[str, IbcAppV2]:
        """The application of IBC v2, on port `gmpport`: there are no channels of it.

        Raises:
            ValueError: the host offers no accounts.
        """
        if services.accounts is None:
            raise ValueError("GMP needs a host that offers its accounts through the hook ibc_accounts")
        self._services = services
        self._accounts = CallAccounts(services.accounts, services.addresses)
        self._genesis = GmpGenesis(services.addresses)
        calls = Calls(services.messages, services.addresses)
        return {PORT_ID: GmpApp(self._accounts, calls, services.addresses)}

    @hookimpl
    def chain_messages(self) -> Mapping[str, MessageRoute]:
        """MsgSendCall."""
        return {MsgSendCall.TYPE_URL: route_of(MsgSendCall, self._services, self._send)}

    @hookimpl
    def chain_queries(self) -> Mapping[str, QueryRoute]:
        """Accounts by their owners, and the other way round."""
        return queries.routes(self._accounts, self._services.addresses)

    @hookimpl
    def chain_init_genesis(self, ctx: WriteContext, genesis: Mapping[str, Any]) -> None:
        """Restores what was exported.

        Raises:
            InvalidGenesis: the entry is malformed; the message names key and value.
        """
        self._genesis.init(ctx, genesis)

    @hookimpl
    def chain_export_genesis(self, ctx: ReadContext) -> Mapping[str, Any]:
        """Every entry of the store."""
        return self._genesis.export(ctx)

    def _send(self, ctx: WriteContext, msg: MsgSendCall) -> bytes:
        data = GmpPacketData(msg.sender, msg.receiver, msg.salt, msg.payload, msg.memo)
        data.check()
        encoding = msg.encoding or ABI
        payload = Payload(PORT_ID, PORT_ID, VERSION, encoding, packet_data.encode(data, encoding))
        sender = self._services.addresses.decode(msg.sender, "sender")
        sequence = self._services.sender_v2.send_packet(
            ctx, msg.source_client, msg.timeout_s_on_b, (payload,), sender
        )
        return msg.RESPONSE.encode(sequence)
