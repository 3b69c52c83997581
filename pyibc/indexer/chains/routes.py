"""Routes of packets with the names of the chains at both ends, and SQL of the steps of a packet.

A packet is identified by its route (a path and the sending chain, `way` in the SQL) and its sequence. An
event of the sending chain determines the route itself; for an event of the receiving chain, the table `ends`
does. Unpaired ends have routes of their own, whose sending chain is null. Events are not joined with each
other. The names of the chains come from packets or from client claims.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from pyibc.apps.interchain_accounts.packet_data import HOST_PORT
from pyibc.indexer.blocks.block import is_unknown
from pyibc.indexer.chains.ends import Ends, Pairs, path_of
from pyibc.indexer.chains.progress import Tip
from pyibc.indexer.chains.resolve import REGISTRY, Named, Names
from pyibc.indexer.errors import Skipped
from pyibc.indexer.events.packet_facts import ACK, KINDS, RECV, SEND, TIMEOUT, V1, V2, Path, number_of

TX_KINDS = (SEND, RECV, ACK, TIMEOUT)
"""Steps whose transaction hash is in the packet's row."""
ENDS = (("end_id", "bigint"), ("way", "bigint"), ("height_base", "bigint"))
"""Columns of the ends: their route, and what the heights of their events are raised by."""

OWN_END = {
    "port": "CASE WHEN receiving THEN dst_port ELSE src_port END",
    "channel": "CASE WHEN receiving THEN dst_channel ELSE src_channel END",
}
"""SQL expressions: the channel end of a packet event on its own chain."""
OTHER_END = {
    "other_port": "CASE WHEN receiving THEN src_port ELSE dst_port END",
    "other_channel": "CASE WHEN receiving THEN src_channel ELSE dst_channel END",
}
"""SQL expressions: the channel end of a packet event on the other chain."""

PACKETS = "packets"
"""Evidence for a chain name: the chain's own events, packets with events from both chains, or packets that
contain their chains, as in queues."""

MAX_NOTES = 20


class PacketRoute(NamedTuple):
    """Path from a sending chain, or to a receiving chain if the sender is not known."""

    path: Path
    src_chain: str | None
    dst_chain: str | None

    def key(self, origin: Callable[[str], str]) -> str:
        """Return the identifier of the route, 16 hex digits; `origin` returns a lineage's first chain.

        It changes only if the sender becomes known or unknown, or older chains of its lineage become known.
        """
        src, dst = (origin(chain) if chain else None for chain in (self.src_chain, self.dst_chain))
        side = ("to", dst) if src is None else ("from", src)
        return f"{number_of(*side, *self.path) & (1 << 64) - 1:016x}"


def find_routes(ends: Ends, pairs: Pairs) -> tuple[list[PacketRoute], dict[int, int]]:
    """Find the route of every end; return all routes, and the index of the route by the number of an end."""
    ways, of_end = dict[PacketRoute, int](), dict[int, int]()
    for number, end in sorted(ends.by_number.items()):
        sender = pairs.senders.get(end) if end.receiving else end.chain
        path = path_of(end)
        receiver = end.chain if sender is None else pairs.receivers.get((path, sender))
        of_end[number] = ways.setdefault(PacketRoute(path, sender, receiver), len(ways))
    return list(ways), of_end


def of_ends(rows: str) -> str:
    """Select all rows of `rows` (with `end_id`), with `way` and `height_base`, which orders revisions."""
    return (
        f"SELECT ends.way, ends.height_base, {rows}.*\nFROM {rows}\nJOIN ends ON {rows}.end_id = ends.end_id"
    )


def first_seen(kind: str) -> list[str]:
    """Aggregate to height, position and time of the first event of a kind; others are redundant relays."""
    number = KINDS.index(kind)
    position = f"CASE WHEN kind = {number} THEN position END"
    return [
        f"min_by(height, {position}) AS {kind}_height",
        f"min({position}) AS {kind}_position",
        f"min(CASE WHEN kind = {number} THEN time_ns END) AS {kind}_ns",
    ]


class RouteNames(NamedTuple):
    """Chains of a route."""

    src: Named
    dst: Named
    account: str | None = None  # interchain account that executes the packets


def name_chains(ways: Sequence[PacketRoute], names: Names) -> tuple[list[RouteNames], list[Skipped]]:
    """Name the chains of every route, and return notes about conflicting facts. Routes are never merged."""
    notes = list[str]()
    found = [_named(names, way, notes) for way in ways]
    notes += [
        f"{chain}: conflicting facts about the counterparty of {end}: {reason}"
        for (chain, end), reason in names.conflicts.items()
    ]
    shown = [Skipped("", note) for note in sorted(set(notes))]
    if len(shown) > MAX_NOTES:
        shown[MAX_NOTES:] = [Skipped("", f"{len(shown) - MAX_NOTES} more ends with conflicting facts")]
    return found, shown


def _named(names: Names, way: PacketRoute, notes: list[str]) -> RouteNames:
    there = _claim(names, way.src_chain, way.path, receiving=False)
    back = _claim(names, way.dst_chain, way.path, receiving=True)
    for chain, claim, seen in (way.src_chain, there, way.dst_chain), (way.dst_chain, back, way.src_chain):
        if claim.chain and seen and claim.chain.partition("@")[0] != seen.partition("@")[0]:
            says = f"your file names {claim.chain} at an end of {chain}" if claim.by == REGISTRY else ""
            says = says or f"{chain} claims {claim.chain} at an end"
            notes.append(f"{says} with packets of {seen}, which take precedence")
    src, dst = (Named(chain, PACKETS) if chain else None for chain in (way.src_chain, way.dst_chain))
    return RouteNames(src or back, dst or there, _account(names, way))


def _account(names: Names, way: PacketRoute) -> str | None:
    """Return the account that the receiving chain registered; None if that chain is known only by a claim."""
    protocol, src_port, src_channel, dst_port, dst_channel = way.path
    if protocol != V1 or dst_port != HOST_PORT or not way.dst_chain or is_unknown(way.dst_chain):
        return None
    return names.account(way.dst_chain, dst_port, dst_channel or "", src_port or "", src_channel or "")


def _claim(names: Names, chain: str | None, path: Path, *, receiving: bool) -> Named:
    """Return the claim of `chain` about the counterparty of `path`."""
    protocol, *ends = path
    port, channel, other_port, other_channel = (
        end or "" for end in (ends[2:] + ends[:2] if receiving else ends)
    )
    if not chain or is_unknown(chain):
        return Named()
    if protocol == V2:
        return names.of_client(chain, channel, other_channel)
    return names.of_channel(chain, port, channel, other_port, other_channel) if protocol == V1 else Named()


class RouteRow(NamedTuple):
    """Inputs of a route's packet rows other than events."""

    key: str
    fixed: list[str | int | None]  # names and their evidence
    moving: list[int | None]  # last blocks, missing blocks and progress of both chains


def route_rows(
    ways: Iterable[PacketRoute],
    chains: Iterable[RouteNames],
    tips: Mapping[str, Tip],
    origin: Callable[[str], str],
) -> list[RouteRow]:
    """Collect the names and last blocks of every route; `origin` returns a lineage's first chain.

    Last blocks are those of chains with events of the packets: a claimed chain does not affect packet states.
    """
    rows = []
    for way, names in zip(ways, chains, strict=True):
        src, dst = (tips.get(chain or "") for chain in (way.src_chain, way.dst_chain))
        src_seen = (src.base, src.position, src.time_ns, src.lacks) if src else (0, None, None, 0)
        dst_seen = (dst.revision, dst.height, dst.position, dst.time_ns) if dst else (None,) * 4
        progress = (_overdue_ns(src, dst), dst.whole_ns if dst else None)
        known_by = (names.src.by or None, names.dst.by or None)
        ends = (names.src.chain, names.dst.chain, *way.path)
        fixed, moving = [*ends, *known_by, names.account], [*src_seen, *dst_seen, *progress]
        rows.append(RouteRow(way.key(origin), fixed, moving))
    return rows


def _overdue_ns(src: Tip | None, dst: Tip | None) -> int | None:
    """Return the time since which both chains made blocks for `OVERDUE_AFTER_S`; None if not known.

    A receiving chain that is not in the inputs, or whose blocks have no times, does not count.
    """
    clocks = [src, dst] if dst and dst.time_ns is not None else [src]
    times = [tip.overdue_ns for tip in clocks if tip and tip.overdue_ns is not None]
    return min(times) if len(times) == len(clocks) else None
