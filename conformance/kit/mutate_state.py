"""Changes to a block's state that no message could make, for checks to detect."""

from dataclasses import replace
from typing import Any

from light_client.tendermint import store
from pyibc.core import paths
from pyibc.core.height import Height
from pyibc.core.host.context import WriteContext
from pyibc.core.wire import states


def change_channel(ctx: WriteContext, port_id: str, channel_id: str, **changes: Any) -> None:
    """Replace fields of a channel end."""
    key = paths.channel_path(port_id, channel_id)
    end = states.decode_channel_end(ctx.ibc.get(key) or b"")
    ctx.ibc.set(key, states.encode_channel_end(replace(end, **changes)))


def change_connection(ctx: WriteContext, connection_id: str, **changes: Any) -> None:
    """Replace fields of a connection end."""
    key = paths.connection_path(connection_id)
    end = states.decode_connection_end(ctx.ibc.get(key) or b"")
    ctx.ibc.set(key, states.encode_connection_end(replace(end, **changes)))


def freeze_client(ctx: WriteContext, client_id: str) -> None:
    """Freeze a 07-tendermint client."""
    state = store.client_state(ctx, client_id)
    store.set_client_state(ctx, client_id, state._replace(frozen_height=Height(0, 1)))


def forget_consensus_state(ctx: WriteContext, client_id: str, height: Height) -> None:
    """Delete the consensus state of a 07-tendermint client at `height`."""
    store.delete_consensus_state(ctx, client_id, height)


def allow_clients(ctx: WriteContext, *client_types: str) -> None:
    """Set the `allowed_clients` parameter."""
    ctx.ibc.set(paths.CLIENT_PARAMS, states.encode_client_params(client_types))
