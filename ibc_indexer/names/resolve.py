"""Facts of clients, connections and channels together: which chain is at the other end.

Client -> the chain id that its state or its headers claim; connection -> client; channel -> connection. A
channel whose connection's handshake was not recorded has the client of its proofs. Facts may come from any
file in any order: the result depends on the set of them alone. Where two differ nothing is decided, and that
is noted. What a client claims may be a lie of whoever created it; the result says what it is founded on.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ibc_core.identifiers import LOCALHOST_CLIENT_ID, LOCALHOST_CONNECTION_ID
from ibc_indexer.blocks import UNKNOWN_CHAIN
from ibc_indexer.names.facts import CHANNEL, CLIENT, CONNECTION, PROOF
from ibc_indexer.names.registry import Registered

HANDSHAKE, PROVED, CLIENT_ID, REGISTRY = "handshake", "proof", "client", "registry"
"""What the name of the chain at the other end is founded on: the channel's and connection's handshakes; the
client by which the channel's packets are proved; the client that an IBC v2 packet names; the user's file."""


class Told(NamedTuple):
    """What rows say together; null where they say nothing."""

    type: str  # a fact's type (`names/facts.py`)
    chain: str  # who says it
    client: str | None = None
    connection: str | None = None
    port: str | None = None  # a channel's end on that chain
    channel: str | None = None
    other_port: str | None = None
    other_channel: str | None = None
    other_chain: str | None = None  # as claimed
    other_client: str | None = None
    height: int = 0  # the last at which it was said
    account: str | None = None  # an interchain account that its host gave to the other end


class Named(NamedTuple):
    """The chain at the other end, and what its name is founded on; None and empty where nothing is known."""

    chain: str | None = None
    by: str = ""


class Conflict(Exception):
    """Two facts differ."""


_NONE = Named()


class Names:
    """All facts of a run."""

    def __init__(self, told: Iterable[Told], registered: Iterable[Registered] = ()) -> None:
        self.conflicts: dict[tuple[str, str], str] = {}  # chain and end -> what differs
        self._claims: dict[tuple[str, str], dict[str, int]] = defaultdict(dict)
        self._clients: dict[tuple[str, str], set[str]] = defaultdict(set)  # of connections
        self._proofs: dict[tuple[str, str, str], set[str]] = defaultdict(set)  # of channels, by proofs
        self._connections: dict[tuple[str, str, str], set[str]] = defaultdict(set)  # of channels
        self._over: dict[tuple[str, str], set[tuple[str, str, str]]] = defaultdict(set)  # channels of these
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
        """The chain at the other end of `chain`'s channel, whose packets name that end as given.

        Where the packets name no ports (packet tables), they and the other channel are empty.
        """
        ports = self._ports.get((chain, channel), set())
        port = port or (next(iter(ports)) if len(ports) == 1 else "")
        try:
            return self._of_channel(chain, port, channel, (other_port, other_channel))
        except Conflict as error:
            self.conflicts[chain, f"{port}/{channel}" if port else channel] = str(error)
            return _NONE

    def of_client(self, chain: str, client: str, other_client: str) -> Named:
        """The chain that `chain` sees by `client`, whose packets of IBC v2 name the other client as given."""
        try:
            self._check(self._counterparties.get((chain, client), set()), other_client)
            found, source = self._agreed(self._claimed(chain, client), self._given(chain, "", client))
        except Conflict as error:
            self.conflicts[chain, client] = str(error)
            return _NONE
        return Named(found, source or CLIENT_ID) if found else _NONE

    def channels(self) -> Iterator[tuple[str, str, str]]:
        """Every channel that is known, by chain, port and channel."""
        yield from sorted({*self._connections, *self._ends, *self._proofs})

    def clients(self) -> Iterator[tuple[str, str]]:
        """Every client of which a claim is known, by chain."""
        yield from sorted(self._claims)

    def claimed(self, chain: str, client: str) -> str | None:
        """The chain that a client claims to be of; None where its claims differ or are not known."""
        try:
            return self._claimed(chain, client)
        except Conflict:
            return None

    def account(self, host: str, port: str, channel: str, other_port: str, other_channel: str) -> str | None:
        """The interchain account that `host` gave to the other end of its channel.

        None where its handshake is not known, names another end, or is told in two ways.
        """
        found = self._accounts.get((host, port, channel), set())
        account, *end = next(iter(found)) if len(found) == 1 else (None, None, None)
        return account if end == [other_port, other_channel] else None

    def below(self, chain: str, port: str, channel: str) -> str | None:
        """The client below a channel; None where facts differ or it is not known."""
        try:
            return self.client_of(chain, port, channel)[0]
        except Conflict:
            return None

    def client_of(self, chain: str, port: str, channel: str) -> tuple[str | None, str]:
        """The client below a channel and how that is known.

        Raises:
            Conflict: two facts differ.
        """
        key = (chain, port, channel)
        connection = _single(self._connections.get(key, ()), "connections")
        below = _single(self._clients.get((chain, connection), ()), "clients") if connection else None
        beside = self._over.get((chain, connection), set()) if connection else set()
        proofs = self._proofs.get(key) or {c for other in beside for c in self._proofs.get(other, ())}
        proved = _single(proofs, "clients of proofs")
        if below and proved and below != proved:
            raise Conflict(f"its connection is of {below}, its proofs of {proved}")
        return (below, HANDSHAKE) if below else (proved, PROVED)

    def _take(self, fact: Told) -> None:
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

    def _take_channel(self, fact: Told, key: tuple[str, str, str]) -> None:
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
        """What a client says its chain is; of several revisions of one chain the last."""
        if client == LOCALHOST_CLIENT_ID:
            return chain
        claims = self._claims.get((chain, client), {})
        if len({_without_revision(claim) for claim in claims}) > 1:
            raise Conflict(f"{client} claims {' and '.join(sorted(claims))}")
        return max(claims, key=lambda claim: (claims[claim], claim), default=None)

    def _given(self, chain: str, port: str, name: str) -> str | None:
        """What the user's file says, by port and channel or by the channel (or client) alone."""
        given = (self._registered.get((chain, of, name), set()) for of in (port, ""))
        return _single(set().union(*given), "entries")

    @staticmethod
    def _check(known: set[str], named: str) -> None:
        strangers = known - {named}
        if strangers:
            raise Conflict(f"{min(strangers)} is its counterparty, packets name {named}")

    @staticmethod
    def _agreed(claimed: str | None, given: str | None) -> tuple[str | None, str]:
        if claimed and given and claimed != given:
            raise Conflict(f"it claims {claimed}, the user's file says {given}")
        return (claimed, "") if claimed else (given, REGISTRY)


def is_unknown(chain: str) -> bool:
    """Whether a chain is only what recordings without a header are counted under: it may be several."""
    return chain == UNKNOWN_CHAIN or chain.startswith(f"{UNKNOWN_CHAIN}-")


def _single(found: Iterable[str], what: str) -> str | None:
    names = sorted(found)
    if len(names) > 1:
        raise Conflict(f"{what} {' and '.join(names[:3])}")
    return names[0] if names else None


def _without_revision(chain: str) -> str:
    name, dash, digits = chain.rpartition("-")
    return name if dash and digits.isascii() and digits.isdigit() else chain
