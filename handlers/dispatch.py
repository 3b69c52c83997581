"""The only way in: type URL -> decode, stateless checks, validate, execute, response."""

from collections.abc import Callable, Mapping
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from handlers.channel import close_confirm, close_init
from handlers.channel import open_ack as channel_ack
from handlers.channel import open_confirm as channel_confirm
from handlers.channel import open_init as channel_init
from handlers.channel import open_try as channel_try
from handlers.client import checks as client_checks
from handlers.client import create, delete_creator, recover, software_upgrade, update, upgrade
from handlers.client import update_params as client_params
from handlers.client_v2 import register_counterparty, update_config
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
from ibc_core import basic_checks as checks
from ibc_core import basic_checks_v2 as checks_v2
from ibc_core.address import AddressCodec
from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.host.routes import MessageRoute
from ibc_core.packet.outcome import Outcome, Redundant
from ibc_core.wire.interfaces import KnownTypes
from ibc_core.wire.messages import channel, client, client_v2, connection, packet, packet_v2, responses
from ibc_core.wire.messages import upgrade as upgrade_messages
from keepers.client.keeper import ClientKeeper
from keepers.keepers import Keepers


class AnyKeepers(Protocol):
    """Keepers of whatever protocol."""

    @property
    def addresses(self) -> AddressCodec:
        """The chain's spelling of addresses."""

    @property
    def clients(self) -> ClientKeeper:
        """The chain's clients, whose types its messages may hold."""


_K = TypeVar("_K", bound=AnyKeepers)


class Handler(NamedTuple, Generic[_K]):
    """How one type of message is handled; each part has one job."""

    decode: Callable[[bytes, KnownTypes], Any]
    """Bytes -> message; the Anys in it hold types that the chain knows."""
    check: Callable[[_K, Any], None]
    """Stateless checks."""
    validate: Callable[[_K, ReadContext, Any], Any]
    """Reads and proves; answers `REDUNDANT` where nothing is left to do."""
    execute: Callable[[_K, WriteContext, Any], Any]
    """Writes what was verified."""
    respond: Callable[[Any], bytes]
    """What `execute` returned -> the response's bytes."""


def basic(check: Callable[[Any, AddressCodec], None]) -> Callable[[AnyKeepers, Any], None]:
    """Stateless checks that need the chain's addresses."""
    return lambda keepers, msg: check(msg, keepers.addresses)


def _basic_v2(check: Callable[..., None]) -> Callable[[Keepers, Any], None]:
    return lambda keepers, msg: check(msg, keepers.addresses, several=keepers.v2.several_payloads)


def spread(respond: Callable[[str, str], bytes]) -> Callable[[tuple[str, str]], bytes]:
    """The response made of the two texts that `execute` returned."""
    return lambda result: respond(*result)


def empty(_: Any) -> bytes:
    """The response of a message that answers nothing."""
    return b""


HANDLERS: dict[str, Handler[Keepers]] = {
    client.CREATE: Handler(
        client.decode_create,
        client_checks.check_create,
        create.validate,
        create.execute,
        responses.create_client_response,
    ),
    client.UPDATE: Handler(
        client.decode_update, client_checks.check_update, update.validate, update.execute, empty
    ),
    client.SUBMIT_MISBEHAVIOUR: Handler(
        client.decode_submit_misbehaviour,
        client_checks.check_update,
        update.validate,
        update.execute,
        empty,
    ),
    client.UPGRADE: Handler(
        client.decode_upgrade, client_checks.check_upgrade, upgrade.validate, upgrade.execute, empty
    ),
    client.RECOVER: Handler(
        client.decode_recover, client_checks.check_recover, recover.validate, recover.execute, empty
    ),
    client.UPDATE_PARAMS: Handler(
        client.decode_update_params,
        client_checks.check_update_params,
        client_params.validate,
        client_params.execute,
        empty,
    ),
    client.DELETE_CREATOR: Handler(
        client.decode_delete_creator,
        client_checks.check_delete_creator,
        delete_creator.validate,
        delete_creator.execute,
        empty,
    ),
    upgrade_messages.SOFTWARE_UPGRADE: Handler(
        upgrade_messages.decode_software_upgrade,
        client_checks.check_software_upgrade,
        software_upgrade.validate,
        software_upgrade.execute,
        empty,
    ),
    connection.OPEN_INIT: Handler(
        connection.decode_open_init,
        basic(checks.connection_open_init),
        connection_init.validate,
        connection_init.execute,
        empty,
    ),
    connection.OPEN_TRY: Handler(
        connection.decode_open_try,
        basic(checks.connection_open_try),
        connection_try.validate,
        connection_try.execute,
        empty,
    ),
    connection.OPEN_ACK: Handler(
        connection.decode_open_ack,
        basic(checks.connection_open_ack),
        connection_ack.validate,
        connection_ack.execute,
        empty,
    ),
    connection.OPEN_CONFIRM: Handler(
        connection.decode_open_confirm,
        basic(checks.connection_open_confirm),
        connection_confirm.validate,
        connection_confirm.execute,
        empty,
    ),
    connection.UPDATE_PARAMS: Handler(
        connection.decode_update_params,
        basic(checks.update_connection_params),
        connection_params.validate,
        connection_params.execute,
        empty,
    ),
    channel.OPEN_INIT: Handler(
        channel.decode_open_init,
        basic(checks.channel_open_init),
        channel_init.validate,
        channel_init.execute,
        spread(responses.channel_open_init_response),
    ),
    channel.OPEN_TRY: Handler(
        channel.decode_open_try,
        basic(checks.channel_open_try),
        channel_try.validate,
        channel_try.execute,
        spread(responses.channel_open_try_response),
    ),
    channel.OPEN_ACK: Handler(
        channel.decode_open_ack,
        basic(checks.channel_open_ack),
        channel_ack.validate,
        channel_ack.execute,
        empty,
    ),
    channel.OPEN_CONFIRM: Handler(
        channel.decode_open_confirm,
        basic(checks.channel_open_confirm),
        channel_confirm.validate,
        channel_confirm.execute,
        empty,
    ),
    channel.CLOSE_INIT: Handler(
        channel.decode_close_init,
        basic(checks.channel_close_init),
        close_init.validate,
        close_init.execute,
        empty,
    ),
    channel.CLOSE_CONFIRM: Handler(
        channel.decode_close_confirm,
        basic(checks.channel_close_confirm),
        close_confirm.validate,
        close_confirm.execute,
        empty,
    ),
    packet.RECV_PACKET: Handler(
        packet.decode_recv_packet,
        basic(checks.recv_packet),
        recv.validate,
        recv.execute,
        responses.packet_response,
    ),
    packet.ACKNOWLEDGEMENT: Handler(
        packet.decode_acknowledgement,
        basic(checks.acknowledgement),
        acknowledge.validate,
        acknowledge.execute,
        responses.packet_response,
    ),
    packet.TIMEOUT: Handler(
        packet.decode_timeout,
        basic(checks.timeout),
        timeout.validate,
        timeout.execute,
        responses.packet_response,
    ),
    packet.TIMEOUT_ON_CLOSE: Handler(
        packet.decode_timeout_on_close,
        basic(checks.timeout_on_close),
        timeout_on_close.validate,
        timeout_on_close.execute,
        responses.packet_response,
    ),
    client_v2.REGISTER_COUNTERPARTY: Handler(
        client_v2.decode_register_counterparty,
        basic(checks_v2.register_counterparty),
        register_counterparty.validate,
        register_counterparty.execute,
        empty,
    ),
    client_v2.UPDATE_CONFIG: Handler(
        client_v2.decode_update_config,
        basic(checks_v2.update_client_config),
        update_config.validate,
        update_config.execute,
        empty,
    ),
    packet_v2.SEND_PACKET: Handler(
        packet_v2.decode_send_packet,
        _basic_v2(checks_v2.send_packet),
        send_v2.validate,
        send_v2.execute,
        packet_v2.encode_send_packet_response,
    ),
    packet_v2.RECV_PACKET: Handler(
        packet_v2.decode_recv_packet,
        _basic_v2(checks_v2.recv_packet),
        recv_v2.validate,
        recv_v2.execute,
        responses.packet_response,
    ),
    packet_v2.ACKNOWLEDGEMENT: Handler(
        packet_v2.decode_acknowledgement,
        _basic_v2(checks_v2.acknowledgement),
        acknowledge_v2.validate,
        acknowledge_v2.execute,
        responses.packet_response,
    ),
    packet_v2.TIMEOUT: Handler(
        packet_v2.decode_timeout,
        _basic_v2(checks_v2.timeout),
        timeout_v2.validate,
        timeout_v2.execute,
        responses.packet_response,
    ),
}
"""Every message this module handles."""


def routes(
    keepers: Keepers, handlers: Mapping[str, Handler[Keepers]] = HANDLERS
) -> Mapping[str, MessageRoute]:
    """The handlers of one chain, as its host takes them."""
    return {type_url: route_of(keepers, type_url, handler) for type_url, handler in handlers.items()}


def route_of(keepers: _K, type_url: str, handler: Handler[_K]) -> MessageRoute:
    """The route of one message: what its handler does, in the host's terms."""
    known = keepers.clients.registry.known

    def decode(raw: bytes) -> Any:
        msg = handler.decode(raw, known)
        handler.check(keepers, msg)
        return msg

    def signers(msg: Any) -> tuple[bytes, ...]:
        return (keepers.addresses.decode(msg.signer, "signer").raw,)

    def deliver(ctx: WriteContext, msg: Any) -> bytes:
        verified = handler.validate(keepers, ctx, msg)
        if isinstance(verified, Redundant):
            return responses.packet_response(Outcome.NOOP)
        return handler.respond(handler.execute(keepers, ctx, verified))

    return MessageRoute(decode, signers, deliver, f"{type_url}Response")
