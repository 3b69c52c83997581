"""Resolution of counterparty chains from the facts of clients, connections and channels.

A channel leads to its connection, the connection to its client, and the client to the chain id that its
client state or headers claim. If the handshake of a connection was not recorded, the client of the channel's
proofs is used. The result depends on the set of facts only, not on their order or files. Conflicting facts
decide nothing and are reported. A client's creator can claim any chain id; so the result contains its
evidence.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from pyibc.core.identifiers import LOCALHOST_CLIENT_ID, LOCALHOST_CONNECTION_ID
from pyibc.indexer.blocks.block import is_unknown
from pyibc.indexer.chains.lineages import Placed, base_name
from pyibc.indexer.chains.registry import Registered
from pyibc.indexer.events.facts import CHANNEL, CLIENT, CONNECTION, PROOF

HANDSHAKE, PROVED, CLIENT_ID, REGISTRY = "handshake", "proof", "client", "registry"
"""Evidence for the name of a counterparty chain: the handshakes of channel and connection; the client that
verified proofs of the channel's packets; the client in an IBC v2 packet; the user's file."""

PACKETS = "packets"
"""Value of `told_by` for channels that are known from packets, without a handshake."""


class ChainFact(NamedTuple):
    """Fact about a chain's client, connection or channel, merged over all events with the same content."""

    type: str  # type of the fact (`names/facts.py`)
    chain: str  # chain with the event
    client: str | None = None
    connection: str | None = None
    port: str | None = None  # channel end on that chain
    channel: str | None = None
    other_port: str | None = None
    other_channel: str | None = None
    other_chain: str | None = None  # as claimed
    other_client: str | None = None
    height: int = 0  # last height with such an event
    account: str | None = None  # interchain account that the host registered for the controller


class Named(NamedTuple):
    """Counterparty chain with the evidence for its name; None and "" if not known."""

    chain: str | None = None
    by: str = ""


class Conflict(Exception):
    """Two contradicting facts."""


_NONE = Named()


class Names:
    """Index of all facts of a run."""

    def __init__(self, told: Iterable[ChainFact], registered: Iterable[Registered] = ()) -> None:
        self.conflicts: dict[tuple[str, str], str] = {}  # chain and end -> description
        self._claims: dict[tuple[str, str], dict[str, int]] = defaultdict(dict)
        self._clients: dict[tuple[str, str], set[str]] = defaultdict(set)  # of connections
        self._proofs: dict[tuple[str, str, str], set[str]] = defaultdict(set)  # of channels, by proofs
        self._connections: dict[tuple[str, str, str], set[str]] = defaultdict(set)  # of channels
        self._over: dict[tuple[str, str], set[tuple[str, str, str]]] = defaultdict(set)  # by connection
        self._ports: dict[tuple[str, str], set[str]] = defaultdict(set)  # of channels
        self._ends: dict[tuple[str, str, str], set[tuple[str, str]]] = defaultdict(set)
        self._counterparties: dict[tuple[str, str], set[str]] = defaultdict(set)  # of clients
        self._registered: dict[tuple[str, str, str], set[str]] = defaultdict(set)
        self._accounts: dict[tuple[str, str, str], set[tuple[str, str | None, str | None]]] = defaultdict(set)
        for fact in told:
            if not is_unknown(fact.chain):
                self._take(fact)
        for entry in registered:
            self._registered[entry.chain, entry.port, entry.name].add(entry.other_chain)

    def of_channel(self, chain: str, port: str, channel: str, other_port: str, other_channel: str) -> Named:
        """Return the counterparty chain of a channel whose packets have the given counterparty end.

        For packets without ports, from packet tables, the ports and the counterparty channel are empty.
        """
        ports = self._ports.get((chain, channel), set())
        port = port or (next(iter(ports)) if len(ports) == 1 else "")
        try:
            return self._of_channel(chain, port, channel, (other_port, other_channel))
        except Conflict as error:
            self.conflicts[chain, f"{port}/{channel}" if port else channel] = str(error)
            return _NONE

    def of_client(self, chain: str, client: str, other_client: str) -> Named:
        """Return the chain that a client tracks; its IBC v2 packets have the given counterparty client."""
        try:
            self._check(self._counterparties.get((chain, client), set()), other_client)
            found, source = self._agreed(self._claimed(chain, client), self._given(chain, "", client))
        except Conflict as error:
            self.conflicts[chain, client] = str(error)
            return _NONE
        return Named(found, source or CLIENT_ID) if found else _NONE

    def channels(self) -> Iterator[tuple[str, str, str]]:
        """Yield all known channels as chain, port and channel."""
        yield from sorted({*self._connections, *self._ends, *self._proofs})

    def clients(self) -> Iterator[tuple[str, str]]:
        """Yield all clients with a claimed chain id, as chain and client."""
        yield from sorted(self._claims)

    def claims(self, chain: str, client: str) -> list[str]:
        """Return all chain ids that a client claims, in order."""
        return sorted(self._claims.get((chain, client), ()))

    def claimed(self, chain: str, client: str) -> str | None:
        """Return the chain id that a client claims to track; None if its claims differ or are not known."""
        try:
            return self._claimed(chain, client)
        except Conflict:
            return None

    def account(self, host: str, port: str, channel: str, other_port: str, other_channel: str) -> str | None:
        """Return the interchain account that `host` registered for the counterparty end of its channel.

        None if the handshake is not known, has another counterparty end, or is ambiguous.
        """
        found = self._accounts.get((host, port, channel), set())
        account, *end = next(iter(found)) if len(found) == 1 else (None, None, None)
        return account if end == [other_port, other_channel] else None

    def below(self, chain: str, port: str, channel: str) -> str | None:
        """Return the client of a channel; None if facts conflict or it is not known."""
        try:
            return self.client_of(chain, port, channel)[0]
        except Conflict:
            return None

    def client_of(self, chain: str, port: str, channel: str) -> tuple[str | None, str]:
        """Return the client of a channel and the evidence for it.

        Raises:
            Conflict: facts contradict each other.
        """
        key = (chain, port, channel)
        connection = _single(self._connections.get(key, ()), "connections")
        below = _single(self._clients.get((chain, connection), ()), "clients") if connection else None
        beside = self._over.get((chain, connection), set()) if connection else set()
        proofs = self._proofs.get(key) or {c for other in beside for c in self._proofs.get(other, ())}
        proved = _single(proofs, "clients of proofs")
        if below and proved and below != proved:
            raise Conflict(f"the connection has client {below}, the proofs have {proved}")
        return (below, HANDSHAKE) if below else (proved, PROVED)

    def _take(self, fact: ChainFact) -> None:
        chain, client, connection = fact.chain, fact.client, fact.connection
        if fact.type == CLIENT and client:
            if fact.other_chain:
                claims = self._claims[chain, client]
                claims[fact.other_chain] = max(fact.height, claims.get(fact.other_chain, 0))
            if fact.other_client:
                self._counterparties[chain, client].add(fact.other_client)
        elif fact.type == CONNECTION and client and connection:
            self._clients[chain, connection].add(client)
        elif fact.type in {CHANNEL, PROOF} and fact.channel:
            self._take_channel(fact, (chain, fact.port or "", fact.channel))

    def _take_channel(self, fact: ChainFact, key: tuple[str, str, str]) -> None:
        if fact.port:
            self._ports[fact.chain, key[2]].add(fact.port)
        if fact.type == PROOF and fact.client:
            self._proofs[key].add(fact.client)
        if fact.connection:
            self._connections[key].add(fact.connection)
            self._over[fact.chain, fact.connection].add(key)
        if fact.other_channel:
            self._ends[key].add((fact.other_port or "", fact.other_channel))
        if fact.account:
            self._accounts[key].add((fact.account, fact.other_port, fact.other_channel))

    def _of_channel(self, chain: str, port: str, channel: str, end: tuple[str, str]) -> Named:
        if LOCALHOST_CONNECTION_ID in self._connections.get((chain, port, channel), ()):
            return Named(chain, HANDSHAKE)
        if end[1]:
            known = self._ends.get((chain, port, channel), set())
            self._check({"/".join(other) for other in known}, "/".join(end))
        client, by = self.client_of(chain, port, channel)
        claimed = self._claimed(chain, client) if client else None
        found, source = self._agreed(claimed, self._given(chain, port, channel))
        return Named(found, source or by) if found else _NONE

    def _claimed(self, chain: str, client: str) -> str | None:
        """Return the chain id that a client claims; of several revisions of a chain the last one."""
        if client == LOCALHOST_CLIENT_ID:
            return chain
        claims = self._claims.get((chain, client), {})
        if len({base_name(claim) for claim in claims}) > 1:
            raise Conflict(f"{client} claims {' and '.join(sorted(claims))}")
        return max(claims, key=lambda claim: (claims[claim], claim), default=None)

    def _given(self, chain: str, port: str, name: str) -> str | None:
        """Return the chain in the user's file, by port and channel or by the channel (or client) alone."""
        given = (self._registered.get((chain, of, name), set()) for of in (port, ""))
        return _single(set().union(*given), "entries")

    @staticmethod
    def _check(known: set[str], named: str) -> None:
        others = known - {named}
        if others:
            raise Conflict(f"the counterparty is {min(others)}, packets have {named}")

    @staticmethod
    def _agreed(claimed: str | None, given: str | None) -> tuple[str | None, str]:
        if claimed and given and claimed != given:
            raise Conflict(f"the client claims {claimed}, the user's file has {given}")
        return (claimed, "") if claimed else (given, REGISTRY)


def _single(found: Iterable[str], what: str) -> str | None:
    names = sorted(found)
    if len(names) > 1:
        raise Conflict(f"{what} {' and '.join(names[:3])}")
    return names[0] if names else None


def named_facts(
    facts: Iterable[ChainFact], chains: Mapping[str, Placed], current: Callable[[str], str] = str
) -> Iterator[ChainFact]:
    """Yield facts with the chains in the results; heights are positions.

    Args:
        facts: the facts.
        chains: chains in the results by their names in the facts.
        current: returns the name in the results of a chain that a client claims.
    """
    for fact in facts:
        name, base = chains[fact.chain]
        claimed = current(fact.other_chain) if fact.other_chain else None
        yield fact._replace(chain=name, height=fact.height + base, other_chain=claimed)
