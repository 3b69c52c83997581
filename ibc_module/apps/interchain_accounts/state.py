"""The stores of controller and host, `icacontroller` and `icahost`: what both keep is spelt alike.

Ports in them are the controller's (`icacontroller-{owner}`), connections those of this chain.
"""

from collections.abc import Iterable
from typing import Final

from ibc_core import paths
from ibc_core.channel.types import ChannelEnd, ChannelState
from ibc_core.errors import ChannelNotFound, ConnectionNotFound, LogicFault
from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.wire import states

CONTROLLER_STORE: Final = "icacontroller"
HOST_STORE: Final = "icahost"

PARAMS = b"params"
ACTIVE_CHANNEL = b"activeChannel/"
OWNER = b"owner/"
PORT = b"port/"
MIDDLEWARE = b"isMiddlewareEnabled/"
ENABLED, DISABLED = b"\x01", b"\x02"
BOUND = b"\x01"


def key_of(kind: bytes, port_id: str, connection_id: str) -> bytes:
    """The key of what is kept for a controller's port on a connection."""
    return kind + f"{port_id}/{connection_id}".encode()


def split_key(kind: bytes, key: bytes) -> tuple[str, str]:
    """Port and connection of a key that begins with `kind`.

    Raises:
        ValueError: it is no such key.
    """
    port_id, connection_id = key.removeprefix(kind).decode("ascii").split("/")
    return port_id, connection_id


class AccountsState:
    """The only writer of one of the two stores."""

    def __init__(self, store: str) -> None:
        self._store = store

    def params(self, ctx: ReadContext) -> bytes:
        """The parameters, encoded.

        Raises:
            LogicFault: genesis did not set them.
        """
        raw = ctx.reader(self._store).get(PARAMS)
        if raw is None:
            raise LogicFault(f"{self._store} parameters are not set")
        return raw

    def set_params(self, ctx: WriteContext, raw: bytes) -> None:
        """Sets the parameters."""
        ctx.store(self._store).set(PARAMS, raw)

    def active_channel(self, ctx: ReadContext, connection_id: str, port_id: str) -> str | None:
        """The channel that was opened last for a controller's port; None: none ever was."""
        raw = ctx.reader(self._store).get(key_of(ACTIVE_CHANNEL, port_id, connection_id))
        return raw.decode() if raw else None

    def set_active_channel(
        self, ctx: WriteContext, connection_id: str, port_id: str, channel_id: str
    ) -> None:
        """Sets the channel of a controller's port."""
        ctx.store(self._store).set(key_of(ACTIVE_CHANNEL, port_id, connection_id), channel_id.encode())

    def address(self, ctx: ReadContext, connection_id: str, port_id: str) -> str | None:
        """The interchain account of a controller's port, in the host's spelling."""
        raw = ctx.reader(self._store).get(key_of(OWNER, port_id, connection_id))
        return raw.decode() if raw else None

    def set_address(self, ctx: WriteContext, connection_id: str, port_id: str, address: str) -> None:
        """Sets the interchain account of a controller's port."""
        ctx.store(self._store).set(key_of(OWNER, port_id, connection_id), address.encode())

    def set_port(self, ctx: WriteContext, port_id: str) -> None:
        """Notes a port as ours."""
        ctx.store(self._store).set(PORT + port_id.encode(), BOUND)

    def has_middleware(self, ctx: ReadContext, connection_id: str, port_id: str) -> bool:
        """Whether the application below the controller is told of this account's channel."""
        return ctx.reader(self._store).get(key_of(MIDDLEWARE, port_id, connection_id)) == ENABLED

    def lacks_middleware(self, ctx: ReadContext, connection_id: str, port_id: str) -> bool:
        """Whether the account was registered by message, and the application below is not told."""
        return ctx.reader(self._store).get(key_of(MIDDLEWARE, port_id, connection_id)) == DISABLED

    def set_middleware(self, ctx: WriteContext, connection_id: str, port_id: str, flag: bytes) -> None:
        """Says whether the application below is told: `ENABLED` or `DISABLED`."""
        ctx.store(self._store).set(key_of(MIDDLEWARE, port_id, connection_id), flag)

    def set_entries(self, ctx: WriteContext, entries: Iterable[tuple[bytes, bytes]]) -> None:
        """Writes entries of a genesis."""
        store = ctx.store(self._store)
        for key, value in entries:
            store.set(key, value)


def find_channel(ctx: ReadContext, port_id: str, channel_id: str) -> ChannelEnd | None:
    """An end of a channel of this chain."""
    raw = ctx.ibc.get(paths.channel_path(port_id, channel_id))
    return None if raw is None else states.decode_channel_end(raw)


def channel_of(ctx: ReadContext, port_id: str, channel_id: str) -> ChannelEnd:
    """An end of a channel of this chain.

    Raises:
        ChannelNotFound: there is none.
    """
    found = find_channel(ctx, port_id, channel_id)
    if found is None:
        raise ChannelNotFound(port_id, channel_id)
    return found


def is_in_state(ctx: ReadContext, port_id: str, channel_id: str | None, state: ChannelState) -> bool:
    """Whether there is such an end, in this state."""
    found = None if channel_id is None else find_channel(ctx, port_id, channel_id)
    return found is not None and found.state is state


def other_connection(ctx: ReadContext, connection_id: str) -> str:
    """What the other chain calls a connection of this one.

    Raises:
        ConnectionNotFound: there is none.
    """
    raw = ctx.ibc.get(paths.connection_path(connection_id))
    if raw is None:
        raise ConnectionNotFound(connection_id)
    return states.decode_connection_end(raw).counterparty.connection_id
