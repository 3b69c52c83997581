"""Detects misbehaviour: compares the headers submitted to light clients with the chain that they track.

Since ibc-go v9 the events of an update do not contain the header, so headers are read from the transactions
of the host chain. A header that the validators signed and that is not the chain's own is evidence; every
client of that chain on the host is frozen with it (ICS-2, ICS-18).
"""

from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

from ibc_core import paths
from ibc_core.client.update import MsgUpdateClient
from ibc_core.errors import InvalidHeight
from ibc_core.height import ZERO_HEIGHT, Height, parse_height
from ibc_core.host.block import CommittedBlock, TxOutcome
from ibc_core.wire.anys import decode_any
from ibc_core.wire.message import pack_msg
from ibc_relayer.driver import ClientDriver, ConsensusStateWithHeight, Drivers, SubmittedHeader, only
from ibc_relayer.endpoint import ChainEndpoint
from ibc_relayer.ends import clients_of
from ibc_relayer.errors import EndpointRefused, WrongCounterparty
from ibc_relayer.foreign_client import ForeignClient
from ibc_relayer.listings import header_heights
from ibc_relayer.outcomes import lowest_kept
from ibc_relayer.submission import send
from ibc_relayer.tendermint import DRIVERS

MAX_WAITING = 1_000
"""Headers that are kept until the reference chain answers, or reaches their heights."""


class ConflictingHeader(NamedTuple):
    """A header submitted to a client that conflicts with the reference chain's own blocks."""

    host_height: int  # of the block whose transaction submitted it
    chain_id: str  # in the header
    submitted: SubmittedHeader
    newest: int  # the reference chain's last block when the conflict was detected
    driver: ClientDriver  # of the client type that accepts such headers


class FreezeResult(NamedTuple):
    """The outcome of submitting misbehaviour to one client."""

    client_id: str
    outcome: TxOutcome | None  # None: no consensus state from which both headers can be verified


class MisbehaviourMonitor:
    """Monitors the clients on `host` that track the chain `reference`."""

    def __init__(
        self, host: ChainEndpoint, reference: ChainEndpoint, start: int, drivers: Drivers = DRIVERS
    ) -> None:
        """Looks for headers of the client types in `drivers`, in the host's blocks from `start` on."""
        self._host = host
        self._reference = reference
        self._drivers = drivers
        self._next = max(1, start)
        self._waiting = deque[tuple[int, SubmittedHeader, ClientDriver]]()  # one thread adds, one takes
        self._found = list[ConflictingHeader]()  # not told yet
        self.missed = list[str]()  # what could not be looked at, since no node keeps it; for whoever tells it

    @property
    def waiting(self) -> int:
        """Headers that were observed and not judged yet."""
        return len(self._waiting)

    def detect(self) -> list[ConflictingHeader]:
        """Checks the headers in the blocks that the host has committed since the last call.

        Raises:
            EndpointUnavailable: a chain does not answer; the next call goes on from there.
        """
        tip = self._host.tip().height
        while self._next <= tip:
            try:
                self.observe(self._host.block(self._next))
            except EndpointRefused as error:
                kept = lowest_kept(error)
                if kept <= self._next:
                    raise
                self.missed.append(f"blocks {self._next} to {kept - 1} of {self._host.chain_id} are pruned")
                self._next = kept
        return self.judge()

    def observe(self, block: CommittedBlock) -> None:
        """Takes the headers that clients accepted in a block of the host; `judge` compares them."""
        for outcome in block.txs:
            accepted = _accepted(outcome)
            for driver in self._drivers if accepted else ():
                for submitted in driver.headers_in(outcome.tx, self._reference.chain_id):
                    if None in accepted or submitted.height in accepted:
                        self._keep((block.height, submitted, driver))
        self._next = max(self._next, block.height + 1)

    def judge(self) -> list[ConflictingHeader]:
        """The headers observed that conflict with the reference chain's own, each once.

        Raises:
            EndpointUnavailable: the chain does not answer; the next call judges the same headers.
        """
        newest, chain_id = self._reference.tip().height, self._reference.chain_id
        for _ in range(len(self._waiting)):
            height, submitted, driver = self._waiting[0]
            try:
                conflicting = driver.contradicts(submitted, self._reference, newest)
            except EndpointRefused as error:
                if not lowest_kept(error):
                    raise
                self.missed.append(f"header {submitted.height} cannot be compared: {error}")
                self._waiting.popleft()
                continue
            self._waiting.popleft()
            if conflicting:
                self._found.append(ConflictingHeader(height, chain_id, submitted, newest, driver))
            elif submitted.height.revision_height > newest:
                self._keep((height, submitted, driver))
        found, self._found = self._found, []
        return found

    def freeze(self, conflict: ConflictingHeader) -> list[FreezeResult]:
        """Submits the misbehaviour to every active client of this type that tracks the chain.

        Raises:
            EndpointUnavailable: a chain does not answer; calling again continues.
            TransactionFailed: the account cannot pay.
        """
        return [self._freeze(client_id, conflict) for client_id in self._clients(conflict.driver)]

    # -- inside

    def _keep(self, header: tuple[int, SubmittedHeader, ClientDriver]) -> None:
        # guard: h192-headers-without-bound always
        #   test_h192_headers_that_wait_are_bounded_and_those_dropped_are_told
        if len(self._waiting) < MAX_WAITING:
            self._waiting.append(header)
        else:
            self.missed.append(f"header {header[1].height}: {MAX_WAITING} wait already")

    def _clients(self, driver: ClientDriver) -> Iterator[str]:
        for client_id in clients_of(self._host, driver.client_type):
            try:
                view = ForeignClient(self._host, self._reference, client_id, only(driver)).view()
            except WrongCounterparty:  # no such client: the sequence belongs to another type
                continue
            if view.chain_id == self._reference.chain_id and not view.frozen:
                yield client_id

    def _freeze(self, client_id: str, conflict: ConflictingHeader) -> FreezeResult:
        evidence = conflict.driver.evidence(
            client_id, conflict.submitted, self._reference, conflict.newest, self._consensus_states(client_id)
        )
        if evidence is None:
            return FreezeResult(client_id, None)
        message = MsgUpdateClient(client_id, evidence, self._host.signer)
        return FreezeResult(client_id, send(self._host, [pack_msg(message)]))

    def _consensus_states(self, client_id: str) -> Iterator[ConsensusStateWithHeight]:
        """The consensus states that the client stores, newest first."""
        for height in sorted(header_heights(self._host, client_id), reverse=True):
            raw = self._host.get(paths.consensus_state_path(client_id, height))
            if raw is not None:
                yield ConsensusStateWithHeight(height, decode_any(raw))


def _accepted(outcome: TxOutcome) -> set[Height | None]:
    """The heights of the headers that clients accepted in a transaction; None: a client was frozen by one."""
    heights: set[Height | None] = set()
    for kind, attributes in outcome.events:
        if kind == "client_misbehaviour":
            heights.add(None)
        elif kind == "update_client":
            heights.update(map(_height, dict(attributes).get("consensus_heights", "").split(",")))
    return heights


def _height(text: str) -> Height:
    """Parses `R-H`; text that is not a height gives one that no header has."""
    try:
        return parse_height(text)
    except InvalidHeight:
        return ZERO_HEIGHT
