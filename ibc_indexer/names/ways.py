"""The chains at both ends of every way of packets, by the packets themselves or by what is claimed."""

from collections.abc import Sequence
from typing import NamedTuple

from ibc_core.interchain_accounts.names import HOST_PORT
from ibc_indexer.ends import Path
from ibc_indexer.lifecycle import Way
from ibc_indexer.names.resolve import Named, Names, is_unknown
from ibc_indexer.packet_facts import V1, V2
from ibc_indexer.scan import Skipped

PACKETS = "packets"
"""What a name is founded on where the chain's own events give it, or packets seen at both ends, or packets
that name their chains, as those of queues."""

MAX_NOTES = 20


class WayNames(NamedTuple):
    """The chains of a way."""

    src: Named
    dst: Named
    account: str | None = None  # the interchain account that its packets are for


def name_chains(ways: Sequence[Way], names: Names) -> tuple[list[WayNames], list[Skipped]]:
    """The chains of every way, and notes of facts that differ. No way becomes another's by its names."""
    notes = list[str]()
    found = [_named(names, way, notes) for way in ways]
    notes += [
        f"{chain}: what is known of the other end of {end} differs: {reason}"
        for (chain, end), reason in names.conflicts.items()
    ]
    shown = [Skipped("", note) for note in sorted(set(notes))]
    if len(shown) > MAX_NOTES:
        shown[MAX_NOTES:] = [Skipped("", f"{len(shown) - MAX_NOTES} more ends of which facts differ")]
    return found, shown


def _named(names: Names, way: Way, notes: list[str]) -> WayNames:
    there = _claim(names, way.src_chain, way.path, receiving=False)
    back = _claim(names, way.dst_chain, way.path, receiving=True)
    for chain, claim, seen in (
        (way.src_chain, there, way.dst_chain),
        (way.dst_chain, back, way.src_chain),
    ):
        if claim.chain and seen and claim.chain != seen.partition("@")[0]:  # of an incarnation
            notes.append(f"{chain} claims {claim.chain} at an end whose packets are of {seen}: these decide")
    src, dst = (Named(chain, PACKETS) if chain else None for chain in (way.src_chain, way.dst_chain))
    return WayNames(src or back, dst or there, _account(names, way))


def _account(names: Names, way: Way) -> str | None:
    """The account that the receiving chain itself gave; what a chain merely claims to be gives none."""
    protocol, src_port, src_channel, dst_port, dst_channel = way.path
    if protocol != V1 or dst_port != HOST_PORT or not way.dst_chain or is_unknown(way.dst_chain):
        return None
    return names.account(way.dst_chain, dst_port, dst_channel or "", src_port or "", src_channel or "")


def _claim(names: Names, chain: str | None, path: Path, *, receiving: bool) -> Named:
    """What `chain` claims of the other end of `path`."""
    protocol, *ends = path
    port, channel, other_port, other_channel = (
        end or "" for end in (ends[2:] + ends[:2] if receiving else ends)
    )
    if not chain or is_unknown(chain):
        return Named()
    if protocol == V2:
        return names.of_client(chain, channel, other_channel)
    return names.of_channel(chain, port, channel, other_port, other_channel) if protocol == V1 else Named()
