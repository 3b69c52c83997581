"""Ends of the paths of packets, each of one chain."""

from collections.abc import Container, Iterable, Mapping
from typing import NamedTuple

from pyibc.indexer.ids import End
from pyibc.indexer.lineage.lineages import Placed
from pyibc.indexer.packet_facts import QUEUE
from pyibc.indexer.problems import Skipped

Path = tuple[int, str | None, str | None, str | None, str | None]  # protocol, ports and channels


class Ends(NamedTuple):
    """All path ends in the inputs."""

    # An end may have several numbers, one for each revision of its chain; and one more if only some of the
    # blocks contain the incarnation of the chain.
    by_number: dict[int, End]
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


def all_ends(told: Iterable[tuple[int, End]], chains: Mapping[str, Placed]) -> Ends:
    """Return the ends with the chains in the results.

    Ends with the same 64-bit hash, which takes an attacker about 2^32 attempts, are left out and reported.

    Args:
        told: ends with their numbers.
        chains: chains in the results by their names in `told`.
    """
    numbers, bases = dict[int, set[End]](), dict[int, int]()
    for number, end in told:
        name, bases[number] = chains[end.chain]
        numbers.setdefault(number, set()).add(end._replace(chain=name))
    refused = [
        Skipped("", f"ends with the same hash are left out: {', '.join(sorted(map(_shown, found)))}")
        for found in numbers.values()
        if len(found) > 1
    ]
    kept = {number: end for number, found in numbers.items() if len(found) == 1 for end in found}
    return Ends(kept, refused, bases)


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
