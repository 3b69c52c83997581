"""Plugin of ICS-27 GMP."""

from collections.abc import Mapping, Sequence
from typing import Any

from ibc_module import hookimpl
from ibc_module.registration import AtWiring
from pyibc.apps.gmp import packet_data, queries, state
from pyibc.apps.gmp.app_v2 import CallExecutor, GmpApp
from pyibc.apps.gmp.messages import MsgSendCall
from pyibc.apps.gmp.packet_data import PORT_ID, VERSION, GmpPacketData
from pyibc.apps.gmp.state import CallAccounts, GmpGenesis
from pyibc.core.application.services import Services
from pyibc.core.application.v2 import IbcAppV2
from pyibc.core.host.context import MessageRoute, QueryRoute, ReadContext, WriteContext
from pyibc.core.packet_v2.types import ABI, Payload
from pyibc.core.wire.message import route_of
from pyibc.isolation.isolate import builtin


@builtin
class GmpPlugin:
    """ICS-27 GMP for hosts with accounts: application, message, queries and store."""

    _services = AtWiring[Services]()
    _accounts = AtWiring[CallAccounts]()
    _genesis = AtWiring[GmpGenesis]()

    @hookimpl
    def chain_stores(self) -> Sequence[str]:
        """Declare the store `gmp`."""
        return (state.STORE_NAME,)

    @hookimpl
    def ibc_register_apps_v2(self, services: Services) -> Mapping[str, IbcAppV2]:
        """Register the IBC v2 application on port `gmpport`; GMP has no channels.

        Raises:
            ValueError: the host offers no accounts.
        """
        if services.accounts is None:
            raise ValueError("GMP needs a host that offers its accounts through the hook ibc_accounts")
        self._services = services
        self._accounts = CallAccounts(services.accounts, services.addresses)
        self._genesis = GmpGenesis(services.addresses)
        calls = CallExecutor(services.messages, services.addresses)
        return {PORT_ID: GmpApp(self._accounts, calls, services.addresses)}

    @hookimpl
    def chain_messages(self) -> Mapping[str, MessageRoute]:
        """Route MsgSendCall."""
        return {MsgSendCall.TYPE_URL: route_of(MsgSendCall, self._services, self._send)}

    @hookimpl
    def chain_queries(self) -> Mapping[str, QueryRoute]:
        """Route the queries for accounts by owner and owners by account."""
        return queries.routes(self._accounts, self._services.addresses)

    @hookimpl
    def chain_init_genesis(self, ctx: WriteContext, genesis: Mapping[str, Any]) -> None:
        """Restore an exported state.

        Raises:
            InvalidGenesis: the entry is malformed; the message has key and value.
        """
        self._genesis.init(ctx, genesis)

    @hookimpl
    def chain_export_genesis(self, ctx: ReadContext) -> Mapping[str, Any]:
        """Export every entry of the store."""
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
