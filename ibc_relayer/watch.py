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
from ibc_core.wire.message import pack_msg
from ibc_proto.ibc.core.client.v1 import query_pb2
from ibc_proto.ibc.lightclients.tendermint.v1.tendermint_pb2 import Header
from ibc_relayer.client import TendedClient
from ibc_relayer.endpoint import ChainEndpoint, LightBlock
from ibc_relayer.ends import clients_of
from ibc_relayer.errors import EndpointRefused, WrongCounterparty
from ibc_relayer.evidence import contradicts, headers_in, height_of, misbehaviour
from ibc_relayer.submission import send
from ibc_relayer.tendermint import header_view, read_consensus_state

HEIGHTS = "/ibc.core.client.v1.Query/ConsensusStateHeights"
MAX_WAITING = 1_000
"""Headers above the chain's last block that are kept until it gets there."""


class Conflict(NamedTuple):
    """A header that somebody gave a client, and the chain's block that contradicts it."""

    host_height: int  # of the block in which it was given
    header: Header
    own: LightBlock


class Frozen(NamedTuple):
    """What came of evidence for one client."""

    client_id: str
    outcome: TxOutcome | None  # None: the client holds nothing that both headers could be checked from


class Watch:
    """Over the clients on `host` of the chain `target`."""

    def __init__(self, host: ChainEndpoint, target: ChainEndpoint, start: int) -> None:
        """Reads the host's blocks from `start` on."""
        self._host = host
        self._target = target
        self._next = max(1, start)
        self._waiting: list[tuple[int, Header]] = []

    def look(self) -> list[Conflict]:
        """Reads what the host has committed since the last look.

        Raises:
            EndpointUnavailable: a chain does not answer; the next look begins where this one did.
        """
        tip, conflicts = self._host.tip().height, []
        given = list(self._waiting)
        for height in range(self._next, tip + 1):
            given += [(height, header) for header in self._given(height)]
        newest, waiting = self._target.tip().height, []
        for height, header in given:
            own = self._target.light_block(min(newest, header.signed_header.header.height))
            if contradicts(header, own):
                conflicts.append(Conflict(height, header, own))
            elif header.signed_header.header.height > newest:
                waiting.append((height, header))
        self._next, self._waiting = tip + 1, waiting[-MAX_WAITING:]
        return conflicts

    def freeze(self, conflict: Conflict) -> list[Frozen]:
        """Submits the evidence for every client of the chain that is not frozen.

        Raises:
            EndpointUnavailable: a chain does not answer; calling again goes on.
            TransactionFailed: the account cannot pay.
        """
        return [self._freeze(client, conflict) for client in self._clients()]

    # -- inside

    def _given(self, height: int) -> Iterator[Header]:
        for outcome in self._host.block(height).txs:
            taken = _taken(outcome)
            for header in headers_in(outcome.tx, self._target.chain_id) if taken else ():
                if None in taken or height_of(header) in taken:
                    yield header

    def _clients(self) -> Iterator[TendedClient]:
        for client_id in clients_of(self._host):
            client = TendedClient(self._host, self._target, client_id)
            try:
                view = client.view()
            except WrongCounterparty:  # not of a kind that this evidence concerns
                continue
            if view.chain_id == self._target.chain_id and not view.frozen:
                yield client

    def _freeze(self, client: TendedClient, conflict: Conflict) -> Frozen:
        below = min(height_of(conflict.header).revision_height, conflict.own.height)
        trusted = self._common_ground(client, below)
        if trusted is None:
            return Frozen(client.client_id, None)
        evidence = misbehaviour(client.client_id, conflict.header, conflict.own, trusted)
        message = MsgUpdateClient(client.client_id, evidence, self._host.signer)
        return Frozen(client.client_id, send(self._host, [pack_msg(message)]))

    def _common_ground(self, client: TendedClient, below: int) -> LightBlock | None:
        """The block above the newest header under `below` that the client holds as the chain has it."""
        for height in sorted(self._heights(client.client_id), reverse=True):
            at = height.revision_height
            if at >= below:
                continue
            raw = self._host.get(paths.consensus_state_path(client.client_id, height))
            try:
                if raw is not None and read_consensus_state(raw) == header_view(self._target.light_block(at)):
                    return self._target.light_block(at + 1)
            except EndpointRefused:  # a block that the node keeps no more
                continue
        return None

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
