"""Names of the chains at both ends of every route, from packets or from client claims."""

from collections.abc import Sequence
from typing import NamedTuple

from pyibc.apps.interchain_accounts.packet_data import HOST_PORT
from pyibc.indexer.blocks import is_unknown
from pyibc.indexer.ends import Path
from pyibc.indexer.lifecycle import PacketRoute
from pyibc.indexer.names.resolve import Named, Names
from pyibc.indexer.packet_facts import V1, V2
from pyibc.indexer.problems import Skipped

PACKETS = "packets"
"""Evidence for a chain name: the chain's own events, packets with events from both chains, or packets that
contain their chains, as in queues."""

MAX_NOTES = 20


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
    for chain, claim, seen in (
        (way.src_chain, there, way.dst_chain),
        (way.dst_chain, back, way.src_chain),
    ):
        if claim.chain and seen and _without_incarnation(claim.chain) != _without_incarnation(seen):
            notes.append(
                f"{chain} claims {claim.chain} at an end with packets of {seen}, which take precedence"
            )
    src, dst = (Named(chain, PACKETS) if chain else None for chain in (way.src_chain, way.dst_chain))
    return RouteNames(src or back, dst or there, _account(names, way))


def _without_incarnation(chain: str) -> str:
    return chain.partition("@")[0]


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
