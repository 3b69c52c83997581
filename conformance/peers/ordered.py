"""Counterparts for the ordered channels of ibc-go's testing application.

Its `mock` port accepts any channel but does not send by itself; its interchain accounts (ICS-27) send on a
channel that they open to a port `icahost`. So our chain has a `mock` port that sends on request, and an
`icahost` port that accepts everything and executes nothing.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from conformance.kit.scripted_app import PORT, STORE, ScriptedApp
from ibc_module import hookimpl
from ibc_module.json_message import json_message, json_route
from ibc_module.registration import AtWiring
from pyibc.codec.anys import AnyMessage
from pyibc.core.application.classic import IbcApp, Opening
from pyibc.core.application.services import Services
from pyibc.core.errors import InvalidVersion
from pyibc.core.height import Height
from pyibc.core.host.context import MessageRoute, WriteContext

HOST_PORT = "icahost"
SAY = "/pyibc.testkit.v1.MsgSay"


class MsgSay(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Message that sends `data` over a channel of port `mock`; JSON, for tests only."""

    signer: str
    channel_id: str
    data: str
    timeout_revision: int = 0
    timeout_height: int = 0
    timeout_ns: int = 0


def say(message: MsgSay) -> AnyMessage:
    """Return the MsgSay as Any."""
    return json_message(SAY, message)


class HostApp(ScriptedApp):
    """An interchain accounts host whose packets succeed without any effect."""

    def on_chan_open_try(self, ctx: WriteContext, opening: Opening) -> str:
        """Add the account's address to the version, as in ICS-27; raises InvalidVersion."""
        super().on_chan_open_try(ctx, opening)
        try:
            metadata: dict[str, Any] = msgspec.json.decode(opening.version, type=dict[str, Any])
        except msgspec.DecodeError as error:
            raise InvalidVersion(opening.version[:80]) from error
        account = "account" + opening.channel_id.replace("-", "")
        return msgspec.json.encode({**metadata, "address": account}).decode()


class OrderedPlugin:
    """The two ports, and the message that makes `mock` send."""

    _services = AtWiring[Services]()

    @hookimpl
    def chain_stores(self) -> Sequence[str]:
        """Return the scripted application's store."""
        return (STORE,)

    @hookimpl
    def ibc_register_apps(self, services: Services) -> Mapping[str, IbcApp]:
        """Return the applications on `mock` and `icahost`."""
        self._services = services
        return {PORT: ScriptedApp(), HOST_PORT: HostApp()}

    @hookimpl
    def chain_messages(self) -> Mapping[str, MessageRoute]:
        """Return the route of MsgSay."""
        return {SAY: json_route(SAY, MsgSay, self._services.addresses, self._deliver)}

    def _deliver(self, ctx: WriteContext, message: MsgSay) -> bytes:
        height = Height(message.timeout_revision, message.timeout_height)
        data = message.data.encode()
        sender = self._services.sender
        sender.send_packet(ctx, PORT, message.channel_id, height, message.timeout_ns, data)
        return b""


def plugins() -> Sequence[object]:
    """Return the plugin, for `pyibc localnet up --plugin conformance.peers.ordered:plugins`."""
    return (OrderedPlugin(),)
