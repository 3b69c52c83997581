"""`queryChannel` (ICS-4), with a proof on request."""

from collections.abc import Callable

from ibc_core import paths
from ibc_core.channel.types import ChannelEnd
from ibc_core.direct.calls import ProvenChannel, ProvenEntry
from ibc_core.host.context import ReadContext
from ibc_core.wire.states import decode_channel_end


def query_channel(ctx: ReadContext, port_id: str, channel_id: str) -> ChannelEnd | None:
    """The channel end `port_id`/`channel_id`, None if there is none."""
    raw = ctx.ibc.get(paths.channel_path(port_id, channel_id))
    return None if raw is None else decode_channel_end(raw)


def prove_channel(prove: Callable[[bytes], ProvenEntry], port_id: str, channel_id: str) -> ProvenChannel:
    """The channel end `port_id`/`channel_id` or its absence, with a proof against a committed state.

    `prove` is the host's: key of the `ibc` store -> entry with its proof. The current block cannot be proven.
    """
    found = prove(paths.channel_path(port_id, channel_id))
    end = None if found.value is None else decode_channel_end(found.value)
    return ProvenChannel(end, found.proof, found.height)
