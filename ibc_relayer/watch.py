"""A watch over a chain's light clients: what they were told is compared with the chain itself.

Since ibc-go v9 the events of an update tell its height only, so the headers are read where they must stand:
in the transactions of the client's host. A header that the chain does not have, but its validators have
signed, is evidence; every client of the chain on that host is frozen by it (ICS-2, ICS-18).
"""

from collections.abc import Iterator
from typing import NamedTuple

from ibc_core import paths
from ibc_core.client.update import MsgUpdateClient
from ibc_core.errors import InvalidHeight
from ibc_core.height import ZERO_HEIGHT, Height, parse_height
from ibc_core.host.block import TxOutcome
from ibc_core.wire.anys import decode_any
from ibc_core.wire.message import pack_msg
from ibc_proto.ibc.core.client.v1 import query_pb2
from ibc_relayer.client import TendedClient
from ibc_relayer.driver import ClientDriver, Drivers, Given, Held, only
from ibc_relayer.endpoint import ChainEndpoint
from ibc_relayer.ends import clients_of
from ibc_relayer.errors import WrongCounterparty
from ibc_relayer.submission import send
from ibc_relayer.tendermint import DRIVERS

HEIGHTS = "/ibc.core.client.v1.Query/ConsensusStateHeights"
MAX_WAITING = 1_000
"""Headers above the chain's last block that are kept until it gets there."""


class Conflict(NamedTuple):
    """A header that somebody gave a client, and that the chain's own blocks contradict."""

    host_height: int  # of the block in which it was given
    chain_id: str  # of the chain it is said to be of
    given: Given
    newest: int  # the chain's last block, when it was found
    driver: ClientDriver  # of the clients that take such headers


class Frozen(NamedTuple):
    """What came of evidence for one client."""

    client_id: str
    outcome: TxOutcome | None  # None: the client holds nothing that both headers could be checked from


class Watch:
    """Over the clients on `host` of the chain `target`."""

    def __init__(
        self, host: ChainEndpoint, target: ChainEndpoint, start: int, drivers: Drivers = DRIVERS
    ) -> None:
        """Reads the host's blocks from `start` on, for headers of clients of the types in `drivers`."""
        self._host = host
        self._target = target
        self._drivers = drivers
        self._next = max(1, start)
        self._waiting: list[tuple[int, Given, ClientDriver]] = []

    def look(self) -> list[Conflict]:
        """Reads what the host has committed since the last look.

        Raises:
            EndpointUnavailable: a chain does not answer; the next look begins where this one did.
        """
        tip, conflicts = self._host.tip().height, []
        found = list(self._waiting)
        for height in range(self._next, tip + 1):
            found += self._given(height)
        newest, waiting = self._target.tip().height, []
        for height, given, driver in found:
            if driver.contradicts(given, self._target, newest):
                conflicts.append(Conflict(height, self._target.chain_id, given, newest, driver))
            elif given.height.revision_height > newest:
                waiting.append((height, given, driver))
        self._next, self._waiting = tip + 1, waiting[-MAX_WAITING:]
        return conflicts

    def freeze(self, conflict: Conflict) -> list[Frozen]:
        """Submits the evidence for every client of the chain that takes such headers and is not frozen.

        Raises:
            EndpointUnavailable: a chain does not answer; calling again goes on.
            TransactionFailed: the account cannot pay.
        """
        return [self._freeze(client_id, conflict) for client_id in self._clients(conflict.driver)]

    # -- inside

    def _given(self, height: int) -> Iterator[tuple[int, Given, ClientDriver]]:
        for outcome in self._host.block(height).txs:
            taken = _taken(outcome)
            for driver in self._drivers if taken else ():
                for given in driver.headers_in(outcome.tx, self._target.chain_id):
                    if None in taken or given.height in taken:
                        yield height, given, driver

    def _clients(self, driver: ClientDriver) -> Iterator[str]:
        for client_id in clients_of(self._host, driver.client_type):
            try:
                view = TendedClient(self._host, self._target, client_id, only(driver)).view()
            except WrongCounterparty:  # no such client: the number is another type's
                continue
            if view.chain_id == self._target.chain_id and not view.frozen:
                yield client_id

    def _freeze(self, client_id: str, conflict: Conflict) -> Frozen:
        evidence = conflict.driver.evidence(
            client_id, conflict.given, self._target, conflict.newest, self._held(client_id)
        )
        if evidence is None:
            return Frozen(client_id, None)
        message = MsgUpdateClient(client_id, evidence, self._host.signer)
        return Frozen(client_id, send(self._host, [pack_msg(message)]))

    def _held(self, client_id: str) -> Iterator[Held]:
        """What the client holds, newest first."""
        for height in sorted(self._heights(client_id), reverse=True):
            raw = self._host.get(paths.consensus_state_path(client_id, height))
            if raw is not None:
                yield Held(height, decode_any(raw))

    def _heights(self, client_id: str) -> list[Height]:
        found, key = [], b""
        while True:
            request = query_pb2.QueryConsensusStateHeightsRequest(client_id=client_id)
            request.pagination.key = key
            raw = self._host.grpc(HEIGHTS, request.SerializeToString())
            page = query_pb2.QueryConsensusStateHeightsResponse.FromString(raw)
            found += [
                Height(each.revision_number, each.revision_height) for each in page.consensus_state_heights
            ]
            key = page.pagination.next_key
            if not key:
                return found


def _taken(outcome: TxOutcome) -> set[Height | None]:
    """The heights at which clients took headers in a transaction; None: one froze on what it was given."""
    heights: set[Height | None] = set()
    for kind, attributes in outcome.events:
        if kind == "client_misbehaviour":
            heights.add(None)
        elif kind == "update_client":
            heights.update(map(_height, dict(attributes).get("consensus_heights", "").split(",")))
    return heights


def _height(text: str) -> Height:
    """`R-H`; what is no height is one that no header has."""
    try:
        return parse_height(text)
    except InvalidHeight:
        return ZERO_HEIGHT
