"""Stores and genesis of controller and host: accounts, active channels, parameters.

The stores `icacontroller` and `icahost` have the same entries under the same keys. Keys hold the controller's
port (`icacontroller-{owner}`) and this chain's connection.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, NamedTuple

from pyibc.apps.interchain_accounts.messages import ALLOW_ALL, check_allow_list
from pyibc.apps.interchain_accounts.packet_data import HOST_PORT, MODULE_NAME, check_account_address
from pyibc.core import paths
from pyibc.core.channel.types import ChannelEnd, ChannelState
from pyibc.core.errors import ChannelNotFound, ConnectionNotFound, LogicFault
from pyibc.core.genesis import (
    OTHER,
    Entry,
    Section,
    entries_of,
    export_entries,
    export_store,
    part_of,
    require,
    single,
    state_of,
    write_store,
)
from pyibc.core.host.context import ReadContext, WriteContext
from pyibc.core.identifiers import validate_channel_id, validate_port_id
from pyibc.core.memo import memoize
from pyibc.core.value import sealed
from pyibc.core.wire import states
from pyibc.proto.ibc.applications.interchain_accounts.controller.v1 import controller_pb2
from pyibc.proto.ibc.applications.interchain_accounts.genesis.v1 import genesis_pb2 as pb
from pyibc.proto.ibc.applications.interchain_accounts.host.v1 import host_pb2


@sealed
class ControllerParams(NamedTuple):
    """Parameters of the controller."""

    controller_enabled: bool = True


@sealed
class HostParams(NamedTuple):
    """Parameters of the host."""

    host_enabled: bool = True
    allow_messages: tuple[str, ...] = (ALLOW_ALL,)  # type URLs

    def allows(self, type_url: str) -> bool:
        """Return whether interchain accounts may execute messages of this type."""
        # guard: h160-a-star-among-others-allows-all {self.allow_messages == (ALLOW_ALL,) => ALLOW_ALL in
        #   self.allow_messages} test_h160_only_what_is_allowed
        return self.allow_messages == (ALLOW_ALL,) or type_url in self.allow_messages


@memoize(16)
def controller_params(raw: bytes) -> ControllerParams:
    """Decode the controller's parameters."""
    return ControllerParams(controller_pb2.Params.FromString(raw).controller_enabled)


def encode_controller_params(params: ControllerParams) -> bytes:
    """Encode the controller's parameters: b"" if it is disabled."""
    return controller_pb2.Params(controller_enabled=params.controller_enabled).SerializeToString()


@memoize(16)
def host_params(raw: bytes) -> HostParams:
    """Decode the host's parameters."""
    found = host_pb2.Params.FromString(raw)
    return HostParams(found.host_enabled, tuple(found.allow_messages))


def encode_host_params(params: HostParams) -> bytes:
    """Encode the host's parameters."""
    wire = host_pb2.Params(host_enabled=params.host_enabled, allow_messages=params.allow_messages)
    return wire.SerializeToString()


CONTROLLER_STORE: Final = "icacontroller"
HOST_STORE: Final = "icahost"

CONTROLLER_INITIATES: Final = "channel handshake must be initiated by controller chain"

PARAMS = b"params"
ACTIVE_CHANNEL = b"activeChannel/"
OWNER = b"owner/"
PORT = b"port/"
MIDDLEWARE = b"isMiddlewareEnabled/"
ENABLED, DISABLED = b"\x01", b"\x02"
BOUND = b"\x01"


def key_of(kind: bytes, port_id: str, connection_id: str) -> bytes:
    """Return the key of a controller port on a connection."""
    return kind + f"{port_id}/{connection_id}".encode()


def split_key(kind: bytes, key: bytes) -> tuple[str, str]:
    """Return port and connection of a key with the prefix `kind`.

    Raises:
        ValueError: the key is malformed.
    """
    port_id, connection_id = key.removeprefix(kind).decode("ascii").split("/")
    return port_id, connection_id


class AccountsState:
    """Access to one of the two stores."""

    def __init__(self, store: str) -> None:
        self._store = store

    def params(self, ctx: ReadContext) -> bytes:
        """Return the encoded parameters.

        Raises:
            LogicFault: genesis did not set them.
        """
        raw = ctx.reader(self._store).get(PARAMS)
        if raw is None:
            raise LogicFault(f"{self._store} parameters are not set")
        return raw

    def set_params(self, ctx: WriteContext, raw: bytes) -> None:
        """Set the parameters."""
        ctx.store(self._store).set(PARAMS, raw)

    def active_channel(self, ctx: ReadContext, connection_id: str, port_id: str) -> str | None:
        """Return the last opened channel of a controller port, None if there was none."""
        raw = ctx.reader(self._store).get(key_of(ACTIVE_CHANNEL, port_id, connection_id))
        return raw.decode() if raw else None

    def set_active_channel(
        self, ctx: WriteContext, connection_id: str, port_id: str, channel_id: str
    ) -> None:
        """Set the active channel of a controller port."""
        ctx.store(self._store).set(key_of(ACTIVE_CHANNEL, port_id, connection_id), channel_id.encode())

    def address(self, ctx: ReadContext, connection_id: str, port_id: str) -> str | None:
        """Return the interchain account of a controller port, in the host's address format."""
        raw = ctx.reader(self._store).get(key_of(OWNER, port_id, connection_id))
        return raw.decode() if raw else None

    def set_address(self, ctx: WriteContext, connection_id: str, port_id: str, address: str) -> None:
        """Set the interchain account of a controller's port."""
        ctx.store(self._store).set(key_of(OWNER, port_id, connection_id), address.encode())

    def set_port(self, ctx: WriteContext, port_id: str) -> None:
        """Store a port as bound."""
        ctx.store(self._store).set(PORT + port_id.encode(), BOUND)

    def is_middleware_enabled(self, ctx: ReadContext, connection_id: str, port_id: str) -> bool:
        """Return whether the application below gets the callbacks of this account's channel."""
        return ctx.reader(self._store).get(key_of(MIDDLEWARE, port_id, connection_id)) == ENABLED

    def is_middleware_disabled(self, ctx: ReadContext, connection_id: str, port_id: str) -> bool:
        """Return whether the account was registered by message, with those callbacks disabled."""
        return ctx.reader(self._store).get(key_of(MIDDLEWARE, port_id, connection_id)) == DISABLED

    def set_middleware(self, ctx: WriteContext, connection_id: str, port_id: str, flag: bytes) -> None:
        """Set the flag of those callbacks: `ENABLED` or `DISABLED`."""
        ctx.store(self._store).set(key_of(MIDDLEWARE, port_id, connection_id), flag)


def find_channel(ctx: ReadContext, port_id: str, channel_id: str) -> ChannelEnd | None:
    """Return a channel end of this chain, None if it does not exist."""
    raw = ctx.ibc.get(paths.channel_path(port_id, channel_id))
    return None if raw is None else states.decode_channel_end(raw)


def get_channel(ctx: ReadContext, port_id: str, channel_id: str) -> ChannelEnd:
    """Return a channel end of this chain.

    Raises:
        ChannelNotFound: it does not exist.
    """
    found = find_channel(ctx, port_id, channel_id)
    if found is None:
        raise ChannelNotFound(port_id, channel_id)
    return found


def is_in_state(ctx: ReadContext, port_id: str, channel_id: str | None, state: ChannelState) -> bool:
    """Return whether a channel end exists and is in this state."""
    found = None if channel_id is None else find_channel(ctx, port_id, channel_id)
    return found is not None and found.state is state


def counterparty_connection(ctx: ReadContext, connection_id: str) -> str:
    """Return the counterparty's identifier of a connection.

    Raises:
        ConnectionNotFound: the connection does not exist.
    """
    raw = ctx.ibc.get(paths.connection_path(connection_id))
    if raw is None:
        raise ConnectionNotFound(connection_id)
    return states.decode_connection_end(raw).counterparty.connection_id


CONTROLLER_SECTION, HOST_SECTION = "controller_genesis_state", "host_genesis_state"


def init_controller(ctx: WriteContext, genesis: Mapping[str, Any]) -> None:
    """Write the controller's section; by default it is enabled.

    Raises:
        InvalidGenesis: it is malformed; nothing is written, and the message has key and value.
    """
    given = part_of(part_of(genesis, MODULE_NAME), CONTROLLER_SECTION, MODULE_NAME)
    key = f"{MODULE_NAME}.{CONTROLLER_SECTION}"
    found = state_of(pb.ControllerGenesisState, given, key)
    if not found.HasField("params"):
        found.params.CopyFrom(controller_pb2.Params.FromString(encode_controller_params(ControllerParams())))
    _check_common(found, key)
    for number, port in enumerate(found.ports):
        require(validate_port_id, port, f"{key}.ports[{number}]")
    write_store(ctx.store(CONTROLLER_STORE), _controller_entries(found), given, key)


def init_host(ctx: WriteContext, genesis: Mapping[str, Any]) -> None:
    """Write the host's section; by default it is enabled and allows all messages.

    Raises:
        InvalidGenesis: it is malformed; nothing is written, and the message has key and value.
    """
    given = part_of(part_of(genesis, MODULE_NAME), HOST_SECTION, MODULE_NAME)
    key = f"{MODULE_NAME}.{HOST_SECTION}"
    found = state_of(pb.HostGenesisState, given, key)
    if not found.HasField("params"):
        found.params.CopyFrom(host_pb2.Params.FromString(encode_host_params(HostParams())))
    found.port = found.port or HOST_PORT
    _check_common(found, key)
    require(validate_port_id, found.port, f"{key}.port")
    require(check_allow_list, tuple(found.params.allow_messages), f"{key}.params.allow_messages")
    write_store(ctx.store(HOST_STORE), entries_of(found, HOST), given, key)


def export_controller(ctx: ReadContext) -> dict[str, Any]:
    """Export every entry of the controller's store."""
    store = ctx.reader(CONTROLLER_STORE)
    exported = export_store(store, pb.ControllerGenesisState(params=controller_pb2.Params()), CONTROLLER)
    for channel in exported["active_channels"]:
        at = key_of(MIDDLEWARE, channel["port_id"], channel["connection_id"])
        channel["is_middleware_enabled"] = store.get(at) == ENABLED
    full = state_of(pb.ControllerGenesisState, exported, "")
    given = dict(_controller_entries(full))
    everything = store.iterate(b"\0", None)
    exported[OTHER] = export_entries(entry for entry in everything if given.get(entry[0]) != entry[1])
    return exported


def export_host(ctx: ReadContext) -> dict[str, Any]:
    """Export every entry of the host's store."""
    return export_store(ctx.reader(HOST_STORE), pb.HostGenesisState(params=host_pb2.Params()), HOST)


def _controller_entries(found: pb.ControllerGenesisState) -> list[Entry]:
    """Return the controller's entries, including the middleware flag of each active channel."""
    entries = list(entries_of(found, CONTROLLER))
    for each in found.active_channels:
        # guard: h164-a-genesis-forgets-the-flag drop:is_middleware_enabled
        #   test_what_ibc_go_exported_is_read_and_written_again
        flag = ENABLED if each.is_middleware_enabled else DISABLED
        entries.append((key_of(MIDDLEWARE, each.port_id, each.connection_id), flag))
    return entries


def _check_common(found: pb.ControllerGenesisState | pb.HostGenesisState, key: str) -> None:
    """Check what ibc-go's `Validate` checks in both sections."""
    for number, channel in enumerate(found.active_channels):
        require(validate_channel_id, channel.channel_id, f"{key}.active_channels[{number}].channel_id")
        require(validate_port_id, channel.port_id, f"{key}.active_channels[{number}].port_id")
    for number, account in enumerate(found.interchain_accounts):
        where = f"{key}.interchain_accounts[{number}]"
        require(validate_port_id, account.port_id, f"{where}.port_id")
        require(check_account_address, account.account_address, f"{where}.account_address")


# -- sections


def _named(kind: bytes, make: Callable[[str, str, str], Any]) -> Callable[[bytes, bytes], Any]:
    def read(key: bytes, value: bytes) -> Any:
        if not key.startswith(kind):
            return None
        port_id, connection_id = split_key(kind, key)
        return make(port_id, connection_id, value.decode("ascii"))

    return read


_read_channel = _named(
    ACTIVE_CHANNEL,
    lambda port, hop, text: pb.ActiveChannel(connection_id=hop, port_id=port, channel_id=text),
)
_read_account = _named(
    OWNER,
    lambda port, hop, text: pb.RegisteredInterchainAccount(
        connection_id=hop, port_id=port, account_address=text
    ),
)


def _channel(item: pb.ActiveChannel) -> Iterable[Entry]:
    yield key_of(ACTIVE_CHANNEL, item.port_id, item.connection_id), item.channel_id.encode()


def _account(item: pb.RegisteredInterchainAccount) -> Iterable[Entry]:
    yield key_of(OWNER, item.port_id, item.connection_id), item.account_address.encode()


def _read_port(key: bytes, value: bytes) -> str | None:
    is_port = key.startswith(PORT) and value == BOUND
    return key.removeprefix(PORT).decode("ascii") if is_port else None


def _port(port_id: str) -> Iterable[Entry]:
    yield PORT + port_id.encode(), BOUND


_BOTH = (
    Section("", "active_channels", _read_channel, _channel),
    Section("", "interchain_accounts", _read_account, _account),
)
CONTROLLER = (
    *_BOTH,
    Section("", "ports", _read_port, _port),
    single("", "params", PARAMS, controller_pb2.Params),
)
HOST = (
    *_BOTH,
    Section("", "port", _read_port, _port),
    single("", "params", PARAMS, host_pb2.Params),
)
