"""Chains at both ends of every path: from manifests, otherwise by comparison of a sample of packets."""

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Mapping
from typing import NamedTuple

from pyibc.indexer.engines import SqlEngine
from pyibc.indexer.event_order import HAS_TIMEOUT, first
from pyibc.indexer.lineage.lineages import Placed
from pyibc.indexer.packet_facts import QUEUE
from pyibc.indexer.pairing import PacketSample, Pairing, pair
from pyibc.indexer.problems import Skipped
from pyibc.indexer.segments.manifest import SealedEnd
from pyibc.indexer.segments.numbers import End

SAMPLE = 500  # packets per path and chain that are compared first
_STEPS = (("end_id", "bigint"), ("same_end_id", "bigint"), ("step", "bigint"), ("height_base", "bigint"))
Path = tuple[int, str | None, str | None, str | None, str | None]  # protocol, ports and channels


class Ends(NamedTuple):
    """All path ends in the inputs."""

    # An end may have several numbers, one for each revision of its chain; and one more if only some of the
    # blocks contain the incarnation of the chain.
    by_number: dict[int, End]
    events: Counter[End]
    refused: list[Skipped]
    bases: dict[int, int]  # what the heights of an end's events are raised by, by number

    def over(self, paths: Container[Path]) -> "Ends":
        """Return the ends of some paths."""
        kept = {number: end for number, end in self.by_number.items() if path_of(end) in paths}
        return self._replace(by_number=kept)


class Pairs(NamedTuple):
    """Chains at both ends of the paths."""

    senders: dict[End, str]  # by receiving end
    receivers: dict[tuple[Path, str], str]  # by path and sending chain
    undecided: int  # receiving ends whose sender is unknown although their path has senders
    differing: list[Skipped]  # notes about paths with packets that differ between the two chains
    agreeing: dict[End, set[str]]  # all chains whose packets agree with those of a receiving end


def all_ends(sealed: Iterable[SealedEnd], chains: Mapping[str, Placed]) -> Ends:
    """Merge the ends of all segments; `chains` has the chains in the results by their names in segments.

    Ends with the same 64-bit hash, which takes an attacker about 2^32 attempts, are left out and reported.
    """
    events, numbers, bases = Counter[End](), dict[int, set[End]](), dict[int, int]()
    for one in sealed:
        name, bases[one.number] = chains[one.end.chain]
        end = one.end._replace(chain=name)
        events[end] += one.events
        numbers.setdefault(one.number, set()).add(end)
    refused = [
        Skipped(
            "",
            f"{sum(events[end] for end in found)} events of ends with the same hash are left out: "
            + ", ".join(sorted(map(_shown, found))),
        )
        for found in numbers.values()
        if len(found) > 1
    ]
    kept = {number: end for number, found in numbers.items() if len(found) == 1 for end in found}
    return Ends(kept, events, refused, bases)


def pair_ends(engine: SqlEngine, ends: Ends) -> Pairs:
    """Pair the ends of all paths with events from both chains; packet events are registered as `events`.

    A path with more than `SAMPLE` packets is sampled by sequence, with the same sequences on both chains. If
    the sample is inconclusive because the recordings overlap little, all packets of the path are compared. A
    path whose name contains the chains needs no comparison.
    """
    every = dict.fromkeys(ends.by_number.values())
    named = {path: chains for path in map(path_of, every) if (chains := named_chains(path))}
    paths = _Paths(ends._replace(by_number=_unnamed(ends)))
    compared = paths.compared(engine)
    senders = {paths.receiver(*place): paths.chains[sender] for place, sender in compared.senders.items()}
    receivers = {(path_of(end), sender): end.chain for end, sender in senders.items()}
    receivers |= {(path, sender): receiver for path, (sender, receiver) in named.items()}
    for end in every:
        sender, receiver = named.get(path_of(end), ("", ""))
        if end.receiving and end.chain == receiver:
            senders[end] = sender
    differing = [
        differing_note(paths.receiver(*place), *found) for place, found in sorted(compared.differing.items())
    ]
    agreeing = {
        paths.receiver(*place): {paths.chains[sender] for sender in found}
        for place, found in compared.agreeing.items()
    }
    return Pairs(senders, receivers, len(compared.undecided), differing, agreeing)


def _unnamed(ends: Ends) -> dict[int, End]:
    return {number: end for number, end in ends.by_number.items() if end.protocol != QUEUE}


def differing_note(end: End, some: int, compared: int) -> Skipped:
    """Describe a receiving end some of whose packets differ from those of its sender."""
    return Skipped("", f"{_shown(end)}: {some} of {compared} compared packets differ on both chains")


def _shown(end: End) -> str:
    return f"{end.chain} {'/'.join(str(part) for part in path_of(end))}"


def path_of(end: End) -> Path:
    """Return the path of an end."""
    return (end.protocol, end.src_port, end.src_channel, end.dst_port, end.dst_channel)


def named_chains(path: Path) -> tuple[str, str] | None:
    """Return the chains in the name of a queue path: the part of each end before the first slash."""
    protocol, _, source, _, destination = path
    if protocol != QUEUE:
        return None
    return ((source or "").partition("/")[0], (destination or "").partition("/")[0])


class _Paths:
    """Paths and chains numbered from 0, for pairing."""

    def __init__(self, found: Ends) -> None:
        ends = list(dict.fromkeys(found.by_number.values()))
        self.chains = sorted({end.chain for end in ends})
        self._paths = {
            path: number for number, path in enumerate(dict.fromkeys(path_of(end) for end in ends))
        }
        self._numbers = {name: number for number, name in enumerate(self.chains)}
        self._ends, self._bases = found.by_number, found.bases
        self._sides: dict[Path, Counter[bool]] = defaultdict(Counter)
        for end in ends:
            self._sides[path_of(end)][end.receiving] += found.events[end]

    def receiver(self, path: int, chain: int) -> End:
        """Return the receiving end of a path on a chain."""
        protocol, *names = list(self._paths)[path]
        return End(self.chains[chain], True, protocol, *names)

    def compared(self, engine: SqlEngine) -> Pairing:
        """Pair the ends by packets with events from both chains."""
        steps = {
            path: max(1, min(sides[True], sides[False]) // SAMPLE)
            for path, sides in self._sides.items()
            if len(sides) == 2
        }
        first = self._paired(engine, steps)
        unclear = {path for path, _ in first.undecided}
        again = {path: 1 for path, step in steps.items() if step > 1 and self._paths[path] in unclear}
        if not again:
            return first
        redone = {self._paths[path] for path in again}
        second = self._paired(engine, again)
        kept = {end: sender for end, sender in first.senders.items() if end[0] not in redone}
        undecided = {end for end in first.undecided if end[0] not in redone}
        differing = {end: found for end, found in first.differing.items() if end[0] not in redone}
        return Pairing(
            kept | second.senders,
            undecided | second.undecided,
            differing | second.differing,
            first.agreeing | second.agreeing,
        )

    def _paired(self, engine: SqlEngine, steps: dict[Path, int]) -> Pairing:
        same = {end: number for number, end in self._ends.items()}  # ends may have several numbers
        rows = [
            (number, same[end], steps[path_of(end)], self._bases[number])
            for number, end in self._ends.items()
            if path_of(end) in steps
        ]
        if not rows:
            return Pairing({}, set(), {}, {})
        engine.table("steps", _STEPS, rows)
        return pair(map(self._sample, engine.rows(_SAMPLE)), self._back())

    def _sample(self, row: tuple[int, ...]) -> PacketSample:
        number, sequence, *timeouts, data = row
        end = self._ends[number]
        path, chain = self._paths[path_of(end)], self._numbers[end.chain]
        return PacketSample(path, end.receiving, chain, sequence, tuple(timeouts), data)

    def _back(self) -> dict[int, int]:
        opposite = {path: (path[0], *path[3:], *path[1:3]) for path in self._paths}
        return {
            number: self._paths[opposite[path]]
            for path, number in self._paths.items()
            if opposite[path] in self._paths
        }


_SAMPLE = f"""
SELECT same_end_id, sequence,
  {first("timeout_revision", HAS_TIMEOUT)} AS timeout_revision,
  {first("timeout_height", HAS_TIMEOUT)} AS timeout_height,
  {first("timeout_ns", HAS_TIMEOUT)} AS timeout_ns,
  {first("data_digest", "data_digest IS NOT NULL")} AS data_digest
FROM events JOIN steps ON events.end_id = steps.end_id
WHERE sequence % step = 0
GROUP BY same_end_id, sequence
"""
