"""Message routes by type URL: decode, stateless checks, validate, execute, response."""

from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from handlers.channel import close_confirm, close_init
from handlers.channel import open_ack as channel_ack
from handlers.channel import open_confirm as channel_confirm
from handlers.channel import open_init as channel_init
from handlers.channel import open_try as channel_try
from handlers.client import (
    create,
    delete_creator,
    recover,
    register_counterparty,
    software_upgrade,
    update,
    update_config,
    upgrade,
)
from handlers.client import update_params as client_params
from handlers.connection import open_ack as connection_ack
from handlers.connection import open_confirm as connection_confirm
from handlers.connection import open_init as connection_init
from handlers.connection import open_try as connection_try
from handlers.connection import update_params as connection_params
from handlers.packet import acknowledge, recv, timeout, timeout_on_close
from handlers.packet_v2 import acknowledge as acknowledge_v2
from handlers.packet_v2 import recv as recv_v2
from handlers.packet_v2 import send as send_v2
from handlers.packet_v2 import timeout as timeout_v2
from keepers.client import ClientKeeper
from keepers.keepers import Keepers
from pyibc.core.checking import HasAddresses
from pyibc.core.client.messages import MsgSubmitMisbehaviour
from pyibc.core.host.context import MessageRoute, ReadContext, WriteContext
from pyibc.core.packet.messages import Outcome, Redundant
from pyibc.core.wire.message import Msg, route_of


class AnyKeepers(HasAddresses, Protocol):
    """The keepers of a protocol."""

    @property
    def clients(self) -> ClientKeeper:
        """The client keeper, whose light clients define the types allowed in messages."""


_K = TypeVar("_K", bound=AnyKeepers)


class Handler(NamedTuple, Generic[_K]):
    """The handler of one message type."""

    validate: Callable[[_K, ReadContext, Any], Any]
    """Reads and verifies; returns `REDUNDANT` if there is nothing to do."""
    execute: Callable[[_K, WriteContext, Any], Any]
    """Writes the verified changes; returns the response."""


def handlers_of(*modules: ModuleType) -> dict[type[Msg], Handler[Any]]:
    """Return the handlers of modules, by the message class that `validate` takes."""
    handlers = [Handler(module.validate, module.execute) for module in modules]
    return {handler.validate.__annotations__["msg"]: handler for handler in handlers}


HANDLERS: dict[type[Msg], Handler[Keepers]] = {
    **handlers_of(create, update, upgrade, recover, client_params, delete_creator, software_upgrade),
    MsgSubmitMisbehaviour: Handler(update.validate, update.execute),
    **handlers_of(connection_init, connection_try, connection_ack, connection_confirm, connection_params),
    **handlers_of(channel_init, channel_try, channel_ack, channel_confirm, close_init, close_confirm),
    **handlers_of(recv, acknowledge, timeout, timeout_on_close),
    **handlers_of(register_counterparty, update_config, send_v2, recv_v2, acknowledge_v2, timeout_v2),
}
"""Handlers of all messages."""


def routes(keepers: _K, handlers: Mapping[type[Msg], Handler[_K]]) -> Mapping[str, MessageRoute]:
    """Return the message routes of one chain, by type URL."""
    return {cls.TYPE_URL: _route(keepers, cls, handler) for cls, handler in handlers.items()}


def _route(keepers: _K, cls: type[Msg], handler: Handler[_K]) -> MessageRoute:
    validate, execute = handler
    respond = cls.RESPONSE.encode

    def deliver(ctx: WriteContext, msg: Any) -> bytes:
        verified = validate(keepers, ctx, msg)
        if isinstance(verified, Redundant):
            return respond(Outcome.NOOP)
        return respond(execute(keepers, ctx, verified))

    return route_of(cls, keepers, deliver, keepers.clients.registry.known)
