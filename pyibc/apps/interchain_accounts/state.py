"""Stores of controller and host, `icacontroller` and `icahost`: accounts, active channels, parameters.

Both have the same entries under the same keys. Keys hold the controller's port (`icacontroller-{owner}`) and
this chain's connection.
"""

from collections.abc import Iterable
from typing import Final, NamedTuple

from pyibc.apps.interchain_accounts.messages import ALLOW_ALL
from pyibc.core import paths
from pyibc.core.channel.types import ChannelEnd, ChannelState
from pyibc.core.errors import ChannelNotFound, ConnectionNotFound, LogicFault
from pyibc.core.host.context import ReadContext, WriteContext
from pyibc.core.memo import memoize
from pyibc.core.value import sealed
from pyibc.core.wire import states
from pyibc.proto.ibc.applications.interchain_accounts.controller.v1 import controller_pb2
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

    def set_entries(self, ctx: WriteContext, entries: Iterable[tuple[bytes, bytes]]) -> None:
        """Write the entries of a genesis."""
        store = ctx.store(self._store)
        for key, value in entries:
            store.set(key, value)


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
