"""Evidence for and against lineages, from packets, clients and the user's file.

A packet that the older chain sent and the newer one completes, with the same timeouts and data, shows that
the newer chain continues the older one; so does a channel end of a third chain whose packets agree with both.
A client that claims both ids shows it if packets of one of them were verified by this client: then its claims
come from that chain's own upgrade, or from the governance of the chain with the client.

Sequences contradict it: a chain that keeps its state never sends a sequence, or receives a packet, again. A
receive that is relayed once more does nothing, but older versions of ibc-go emit its event: without an
acknowledgement, and anybody can have it emitted.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, pairwise
from typing import NamedTuple

from pyibc.indexer.chains.ends import TOLERATED, Ends, Pairs, path_of
from pyibc.indexer.chains.lineages import (
    CLIENT,
    PACKETS,
    REGISTRY,
    ChainSpan,
    Contradiction,
    Lineages,
    Link,
    candidates,
    lineages_of,
    ordered,
)
from pyibc.indexer.chains.resolve import Names
from pyibc.indexer.events.packet_facts import KINDS, QUEUE, RECV, SEND, V1, V2, WRITE_ACK, End, Path
from pyibc.indexer.sql import HAS_TIMEOUT, SqlEngine, columns_of, first

_REVISIONS = columns_of("end_id bigint, line bigint, member bigint, sending boolean, height_base bigint")
_BEGAN = f"kind IN ({KINDS.index(SEND)}, {KINDS.index(RECV)})"
_TIMEOUTS = ("timeout_revision", "timeout_height", "timeout_ns")
_TIMED = " OR ".join(f"{{0}}.{name} > 0" for name in _TIMEOUTS)
_SAME = " AND ".join(f"older.{name} = newer.{name}" for name in _TIMEOUTS)
_DISTINCT = "(older.timeout_ns > 0 OR coalesce(older.data_digest = newer.data_digest, FALSE))"
"""Condition: equal packets are one. A timeout by height alone may be that of another packet, too."""
_BOTH_TIMED = f"(({_TIMED.format('older')}) AND ({_TIMED.format('newer')}))"
_OTHER_DATA = "coalesce(older.data_digest <> newer.data_digest, FALSE)"
_TWICE = "(older.received + newer.received = 2 AND older.answered = newer.answered)"
"""Condition: both received a packet, and neither receive is known to be redundant."""
_COMMON = f"""
WITH told AS (
  SELECT line, member, sequence,
    max(CASE WHEN {_BEGAN} THEN 1 ELSE 0 END) AS began,
    max(CASE WHEN kind = {KINDS.index(RECV)} THEN 1 ELSE 0 END) AS received,
    max(CASE WHEN kind = {KINDS.index(WRITE_ACK)} THEN 1 ELSE 0 END) AS answered,
    {", ".join(f"coalesce({first(name, HAS_TIMEOUT)}, 0) AS {name}" for name in _TIMEOUTS)},
    {first("data_digest", "data_digest IS NOT NULL")} AS data_digest
  FROM events JOIN revisions ON events.end_id = revisions.end_id
  GROUP BY line, member, sequence
)
SELECT older.line, older.member AS one, newer.member AS other,
  count(CASE WHEN older.began = 1 AND newer.began = 0 AND {_BOTH_TIMED} AND {_SAME} AND {_DISTINCT}
    AND NOT {_OTHER_DATA} THEN 1 END) AS completed,
  count(CASE WHEN {_TWICE} OR ({_BOTH_TIMED} AND NOT ({_SAME})) OR {_OTHER_DATA} THEN 1 END) AS differing,
  count(*) AS compared
FROM told AS older JOIN told AS newer
  ON older.line = newer.line AND older.sequence = newer.sequence AND older.member < newer.member
GROUP BY older.line, older.member, newer.member
"""
"""Query for the packets with events from two revisions, on the same end of a path."""
_SENT = f"""
SELECT line, member, min(sequence) AS lowest, max(sequence) AS highest
FROM events JOIN revisions ON events.end_id = revisions.end_id
WHERE sending AND kind = {KINDS.index(SEND)}
GROUP BY line, member
"""


class Evidence(NamedTuple):
    """Evidence for and against lineages."""

    links: list[Link]
    contradictions: list[Contradiction]


class Comparisons(NamedTuple):
    """Comparisons of packets, which find evidence."""

    of_revisions: Callable[[Ends, Sequence[Sequence[str]]], Evidence]  # of groups of chains, ordered by age
    of_ends: Callable[[Ends], Pairs]


def find_lineages(
    compare: Comparisons,
    chains: Sequence[ChainSpan],
    ends: Ends,
    names: Callable[[], Names],
    stated: Iterable[Sequence[str]],
) -> Lineages:
    """Find which chains continue each other.

    Packets are compared only if the ids of several chains are revisions of one name, or the user states a
    lineage, and only those of these chains.

    Args:
        compare: compares packets.
        chains: all chains.
        ends: the ends of all paths, by chains without regard to lineages.
        names: returns the facts about clients and channels, likewise.
        stated: chains of a lineage in the user's file, the oldest first: chain ids or names.
    """
    groups, lines = candidates(chains), list(_stated_lines(chains, stated))
    links = [Link(one, other, REGISTRY) for line in lines for one, other in pairwise(line)]
    named = {chain.name: chain for chain in chains}
    together = [ordered(named[name] for name in line) for line in lines]
    compared = [[chain.name for chain in group] for group in (*groups, *together)]
    if not compared:
        return lineages_of(chains, (), ())
    of_packets = compare.of_revisions(ends, compared)
    links += of_packets.links
    if groups:
        kin = {chain.name: number for number, group in enumerate(groups) for chain in group}
        pairs = compare.of_ends(
            ends.over({path_of(end) for end in ends.by_number.values() if end.chain in kin})
        )
        links += _counterparty_links(pairs, kin)
        links += _client_links(ends, pairs, names(), [named[name] for name in kin], kin)
    return lineages_of(chains, links, of_packets.contradictions)


def _stated_lines(chains: Sequence[ChainSpan], stated: Iterable[Sequence[str]]) -> Iterator[list[str]]:
    """Yield the names of the chains in each stated lineage; an id of several chains is left out."""
    found = defaultdict[str, set[str]](set)
    for chain in chains:
        found[chain.chain_id].add(chain.name)
    for chain in chains:
        found[chain.name] = {chain.name}
    for line in dict.fromkeys(map(tuple, stated)):
        known = dict.fromkeys(next(iter(found[name])) for name in line if len(found.get(name, ())) == 1)
        if len(known) > 1:
            yield list(known)


class _Line(NamedTuple):
    """One end of a path on several chains that may be of one lineage."""

    path: Path
    receiving: bool
    group: int


def packet_evidence(engine: SqlEngine, ends: Ends, groups: Sequence[Sequence[str]]) -> Evidence:
    """Compare the packets of each group's chains, which are ordered by age."""
    rows, lines = list[tuple[int, int, int, bool, int]](), dict[_Line, int]()
    members = defaultdict[str, list[tuple[int, int]]](list)
    for group, names in enumerate(groups):
        for place, name in enumerate(names):
            members[name].append((group, place))
    for number, end in ends.by_number.items():
        for group, place in members.get(end.chain, ()) if end.protocol != QUEUE else ():
            line = lines.setdefault(_Line(path_of(end), end.receiving, group), len(lines))
            rows.append((number, line, place, not end.receiving, 0))
    return _compared(engine, list(lines), rows, groups)


def _compared(
    engine: SqlEngine,
    lines: Sequence[_Line],
    rows: Sequence[tuple[int, int, int, bool, int]],
    groups: Sequence[Sequence[str]],
) -> Evidence:
    found = Evidence([], [])
    shared = defaultdict[int, set[int]](set)
    for _, line, place, *_ in rows:
        shared[line].add(place)
    wanted = [row for row in rows if len(shared[row[1]]) > 1]
    if not wanted:
        return found
    engine.table("revisions", _REVISIONS, wanted)
    for row in engine.rows(_COMMON):
        line = lines[row.line]
        one, other = groups[line.group][row.one], groups[line.group][row.other]
        if row.differing * TOLERATED > row.compared:
            reason = (
                f"{row.differing} of {row.compared} packets of both contradict each other on {_shown(line)}"
            )
            found.contradictions.append(Contradiction(one, other, reason))
        elif row.completed:
            found.links.append(Link(one, other, PACKETS))
    found.contradictions.extend(_resent(engine, lines, groups))
    return found


def _resent(
    engine: SqlEngine, lines: Sequence[_Line], groups: Sequence[Sequence[str]]
) -> Iterator[Contradiction]:
    """Yield the pairs of chains of which the newer sent a sequence that is not above those of the older."""
    sent = defaultdict[int, list[tuple[int, int, int]]](list)
    for number, member, lowest, highest in engine.rows(_SENT):
        sent[number].append((member, lowest, highest))
    for number, found in sent.items():
        line = lines[number]
        for (one, _, highest), (other, lowest, _) in combinations(sorted(found), 2):
            # guard: revisions-that-send-a-sequence-again-are-joined {lowest <= highest => False}
            #   test_networks_of_one_name_that_send_the_same_sequences_stay_apart
            if lowest <= highest:
                names = groups[line.group]
                reason = f"it sent sequence {lowest} after {highest} on {_shown(line)}"
                yield Contradiction(names[one], names[other], reason)


def _shown(line: _Line) -> str:
    _, *ends = line.path
    port, channel = ends[2:] if line.receiving else ends[:2]
    return f"{port}/{channel}" if port else str(channel)


def _counterparty_links(pairs: Pairs, kin: Mapping[str, int]) -> Iterator[Link]:
    """Yield the chains of a group whose packets agree with the same end of another chain."""
    peers = defaultdict[tuple[Path, bool, str], list[str]](list)
    for end, senders in pairs.agreeing.items():
        for sender in sorted(senders):
            peers[path_of(end), True, end.chain].append(sender)
            peers[path_of(end), False, sender].append(end.chain)
    for found in peers.values():
        by_group = defaultdict[int, list[str]](list)
        for chain in found:
            if chain in kin:
                by_group[kin[chain]].append(chain)
        for names in by_group.values():
            for one, other in pairwise(names):
                yield Link(one, other, PACKETS)


def _client_links(
    ends: Ends, pairs: Pairs, names: Names, chains: Iterable[ChainSpan], kin: Mapping[str, int]
) -> Iterator[Link]:
    """Yield the chains that a client claims, if packets of one of them were verified by this client."""
    ids, known = defaultdict[str, list[str]](list), dict[str, str]()
    for chain in chains:
        ids[chain.chain_id].append(chain.name)
        known[chain.name] = chain.chain_id
    for end in dict.fromkeys(ends.by_number.values()):
        client = _client_of(end, names)
        other = pairs.senders.get(end) if end.receiving else pairs.receivers.get((path_of(end), end.chain))
        if not client or other is None or other not in known:
            continue
        claims = names.claims(end.chain, client)
        if known[other] not in claims:
            continue
        for claim in claims:
            if len(ids.get(claim, ())) == 1 and kin[ids[claim][0]] == kin[other]:
                yield Link(other, ids[claim][0], CLIENT)


def _client_of(end: End, names: Names) -> str | None:
    """Return the client that verifies the packets of an end; None if it is not known."""
    port, channel = (end.dst_port, end.dst_channel) if end.receiving else (end.src_port, end.src_channel)
    if end.protocol == V2:
        return channel
    return names.below(end.chain, port or "", channel or "") if end.protocol == V1 else None
