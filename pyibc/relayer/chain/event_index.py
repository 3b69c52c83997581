"""Search for packet events in a node's event index, which saves reading blocks one by one."""

from collections.abc import Callable
from functools import partial
from typing import Protocol, runtime_checkable

from pyibc.codec.comet_json import Json, read_integer
from pyibc.relayer.errors import EndpointRefused
from pyibc.relayer.packets.packets import EventKey
from pyibc.relayer.rpc.calls import Rpc
from pyibc.relayer.rpc.reading import read_answer

_SEARCHES: tuple[tuple[str, Callable[[Json], list[int]]], ...] = (
    ("tx_search", lambda result: [read_integer(each["height"]) for each in result["txs"] or ()]),
    (
        "block_search",
        lambda result: [read_integer(each["block"]["header"]["height"]) for each in result["blocks"] or ()],
    ),
)


@runtime_checkable
class FindsEvents(Protocol):
    """Endpoint with an event index; optional, it only saves reading blocks one by one."""

    def find(self, key: EventKey) -> int | None:
        """Return the height of a block with the event, which the caller verifies; None: not found."""


def find_event(rpc: Rpc, chain_id: str, key: EventKey) -> int | None:
    """Return the height of the first indexed block with the packet event; None: not found, or no index.

    The height is a hint: the caller reads the block, and checks the event against state.

    Raises:
        EndpointUnavailable, MalformedAnswer: no response, or one that cannot be decoded.
    """
    kind, end, sequence = key
    names = ("packet_source_client",) if len(end) == 1 else ("packet_src_port", "packet_src_channel")
    pairs = [*zip(names, end, strict=True), ("packet_sequence", str(sequence))]
    query = " AND ".join(f"{kind}.{name}='{value}'" for name, value in pairs)
    for method, heights in _SEARCHES:
        try:
            result = rpc.call(method, query=query, page="1", per_page="1", order_by="asc")
        except EndpointRefused:  # this index is disabled
            continue
        found = read_answer(chain_id, method, partial(heights, result), rpc)
        if found:
            return found[0]
    return None
