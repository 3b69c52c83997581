"""Where a packet's event is, by a CometBFT node's index, which a node need not have."""

from collections.abc import Callable
from functools import partial

from ibc_core.comet_json.fields import Json, read_integer
from ibc_relayer.errors import EndpointRefused
from ibc_relayer.packets import EventKey
from ibc_relayer.rpc_calls import Rpc
from ibc_relayer.rpc_read import read_answer

_SEARCHES: tuple[tuple[str, Callable[[Json], list[int]]], ...] = (
    ("tx_search", lambda said: [read_integer(each["height"]) for each in said["txs"] or ()]),
    (
        "block_search",
        lambda said: [read_integer(each["block"]["header"]["height"]) for each in said["blocks"] or ()],
    ),
)


def find_event(rpc: Rpc, chain_id: str, key: EventKey) -> int | None:
    """Height of the first block that the node's index has the packet event in; None: it does not tell.

    What it tells is a hint: the block must be read, and the event compared with state.

    Raises:
        EndpointUnavailable, MalformedAnswer: no answer, or one that cannot be decoded.
    """
    kind, end, sequence = key
    names = ("packet_source_client",) if len(end) == 1 else ("packet_src_port", "packet_src_channel")
    pairs = [*zip(names, end, strict=True), ("packet_sequence", str(sequence))]
    query = " AND ".join(f"{kind}.{name}='{value}'" for name, value in pairs)
    for method, heights in _SEARCHES:
        try:
            said = rpc.call(method, query=query, page="1", per_page="1", order_by="asc")
        except EndpointRefused:  # no index, or none of blocks
            continue
        found = read_answer(chain_id, method, partial(heights, said), rpc)
        if found:
            return found[0]
    return None
