"""Misbehaviour detection: comparison of headers submitted to clients with the chain that they track.

Since ibc-go v9 the events of an update do not contain the header, so headers are read from the transactions
of the host chain. A header with a valid commit that is not the chain's own is evidence, with which every
client of that chain on the host is frozen (ICS-2, ICS-18).
"""

from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

from pyibc.codec.anys import AnyMessage, decode_any
from pyibc.core import paths
from pyibc.core.client.messages import MsgUpdateClient
from pyibc.core.errors import InvalidHeight
from pyibc.core.height import ZERO_HEIGHT, Height, parse_height
from pyibc.core.host.block import CommittedBlock, TxOutcome
from pyibc.core.wire.message import pack_msg
from pyibc.relayer.chain.endpoint import ChainEndpoint, Consumer
from pyibc.relayer.chain.listings import consensus_state_heights
from pyibc.relayer.clients.driver import (
    ClientDriver,
    ConsensusStateWithHeight,
    Drivers,
    SubmittedHeader,
    single_driver,
)
from pyibc.relayer.clients.evidence import MISBEHAVIOUR, consumer_client, consumer_misbehaviour
from pyibc.relayer.clients.foreign_client import ForeignClient
from pyibc.relayer.clients.tendermint import DRIVERS
from pyibc.relayer.errors import EndpointRefused, WrongCounterparty
from pyibc.relayer.links.outcomes import lowest_kept, send
from pyibc.relayer.paths.ends import clients_of

MAX_PENDING = 1_000
"""Maximum queued headers, until the reference chain answers or reaches their heights."""


class ConflictingHeader(NamedTuple):
    """Header submitted to a client that conflicts with the reference chain's own blocks."""

    host_height: int  # height of the block that includes it
    chain_id: str  # chain id in the header
    submitted: SubmittedHeader
    newest: int  # height of the reference chain when the conflict was detected
    driver: ClientDriver  # driver of the client type of the header


class FreezeResult(NamedTuple):
    """Result of submitting misbehaviour to one client."""

    client_id: str  # "": the provider that the user named does not know the consumer
    outcome: TxOutcome | None  # None: the client has no consensus state from which both headers are verified


class MisbehaviourMonitor:
    """Monitor of the clients on `host` that track the chain `reference`."""

    def __init__(
        self,
        host: ChainEndpoint,
        reference: ChainEndpoint,
        start: int,
        drivers: Drivers = DRIVERS,
        consumer: Consumer | None = None,
    ) -> None:
        """Start at the host's block `start`.

        Args:
            host: the chain with the clients.
            reference: the chain that they track.
            start: the first block of the host to read.
            drivers: the client types to monitor.
            consumer: the reference chain, if it is a consumer of another one.
        """
        self._host = host
        self._consumer = consumer
        self._reference = reference
        self._drivers = drivers
        self._next = max(1, start)
        self._pending = deque[tuple[int, SubmittedHeader, ClientDriver]]()  # one thread appends, one removes
        self._found = list[ConflictingHeader]()  # not returned by `check_pending` yet
        self.unchecked = list[
            str
        ]()  # texts about headers that could not be checked; the caller logs and clears them

    @property
    def pending(self) -> int:
        """Number of queued headers."""
        return len(self._pending)

    def detect(self) -> list[ConflictingHeader]:
        """Check the headers in the blocks that the host has committed since the last call.

        Raises:
            EndpointUnavailable: a chain does not answer; the next call continues.
        """
        tip = self._host.tip().height
        while self._next <= tip:
            try:
                self.observe(self._host.block(self._next))
            except EndpointRefused as error:
                earliest = lowest_kept(error)
                if earliest <= self._next:
                    raise
                self.unchecked.append(
                    f"blocks {self._next} to {earliest - 1} of {self._host.chain_id} are pruned"
                )
                self._next = earliest
        return self.check_pending()

    def observe(self, block: CommittedBlock) -> None:
        """Queue the headers that clients accepted in a block of the host, for `check_pending`."""
        for outcome in block.txs:
            accepted = _accepted(outcome)
            for driver in self._drivers if accepted else ():
                for submitted in driver.headers_in(outcome.tx, self._reference.chain_id):
                    if None in accepted or submitted.height in accepted:
                        self._queue((block.height, submitted, driver))
        self._next = max(self._next, block.height + 1)

    def check_pending(self) -> list[ConflictingHeader]:
        """Check the queued headers; return those that conflict with the reference chain, each once.

        Raises:
            EndpointUnavailable: the chain does not answer; the next call continues.
        """
        newest, chain_id = self._reference.tip().height, self._reference.chain_id
        for _ in range(len(self._pending)):
            height, submitted, driver = self._pending[0]
            try:
                conflicting = driver.contradicts(submitted, self._reference, newest)
            except EndpointRefused as error:
                if not lowest_kept(error):
                    raise
                self.unchecked.append(f"header {submitted.height} cannot be compared: {error}")
                self._pending.popleft()
                continue
            self._pending.popleft()
            if conflicting:
                self._found.append(ConflictingHeader(height, chain_id, submitted, newest, driver))
            elif submitted.height.revision_height > newest:
                self._queue((height, submitted, driver))
        found, self._found = self._found, []
        return found

    def freeze(self, conflict: ConflictingHeader) -> list[FreezeResult]:
        """Submit the misbehaviour to every active client of its type that tracks the chain.

        Raises:
            EndpointUnavailable: a chain does not answer; the next call continues.
            TransactionFailed: the account cannot pay the fee.
        """
        return [self._freeze(client_id, conflict) for client_id in self._clients(conflict.driver)]

    def report_consumer(self, conflict: ConflictingHeader) -> FreezeResult | None:
        """Submit the misbehaviour of a consumer chain to its provider, which slashes the validators at fault.

        Returns:
            The result; None: the chain is no consumer, or no provider is named and the host is none.

        Raises:
            EndpointUnavailable: a chain does not answer.
            TransactionFailed: the account cannot pay the fee.
        """
        if self._consumer is None:
            return None
        provider = self._host if self._consumer.provider is None else self._consumer.provider()
        client_id = consumer_client(self._consumer, provider, self._reference.chain_id)
        if client_id is None:
            # guard: a-provider-that-knows-no-consumer-is-silent {=> return None}
            #   test_a_named_provider_that_does_not_know_the_consumer_is_told
            return None if self._consumer.provider is None else FreezeResult("", None)
        evidence = self._evidence(provider, client_id, conflict)
        # guard: evidence-of-other-clients-for-a-provider drop:type_url
        #   test_evidence_of_another_kind_is_not_reported
        if evidence is None or evidence.type_url != MISBEHAVIOUR:
            return FreezeResult(client_id, None)
        message = consumer_misbehaviour(self._consumer, provider.signer, evidence)
        return FreezeResult(client_id, send(provider, [message]))

    # -- inside

    def _queue(self, header: tuple[int, SubmittedHeader, ClientDriver]) -> None:
        # guard: h192-headers-without-bound always
        #   test_h192_headers_that_wait_are_bounded_and_those_dropped_are_told
        if len(self._pending) < MAX_PENDING:
            self._pending.append(header)
        else:
            self.unchecked.append(
                f"header {header[1].height} is not checked: the queue of {MAX_PENDING} is full"
            )

    def _clients(self, driver: ClientDriver) -> Iterator[str]:
        for client_id in clients_of(self._host, driver.client_type):
            try:
                view = ForeignClient(self._host, self._reference, client_id, single_driver(driver)).view()
            except WrongCounterparty:  # the sequence belongs to a client of another type
                continue
            if view.chain_id == self._reference.chain_id and not view.frozen:
                yield client_id

    def _freeze(self, client_id: str, conflict: ConflictingHeader) -> FreezeResult:
        evidence = self._evidence(self._host, client_id, conflict)
        if evidence is None:
            return FreezeResult(client_id, None)
        message = MsgUpdateClient(client_id, evidence, self._host.signer)
        return FreezeResult(client_id, send(self._host, [pack_msg(message)]))

    def _evidence(
        self, host: ChainEndpoint, client_id: str, conflict: ConflictingHeader
    ) -> AnyMessage | None:
        states = _consensus_states(host, client_id)
        return conflict.driver.evidence(
            client_id, conflict.submitted, self._reference, conflict.newest, states
        )


def _consensus_states(host: ChainEndpoint, client_id: str) -> Iterator[ConsensusStateWithHeight]:
    """Yield the consensus states of a client, newest first."""
    for height in sorted(consensus_state_heights(host, client_id), reverse=True):
        raw = host.get(paths.consensus_state_path(client_id, height))
        if raw is not None:
            yield ConsensusStateWithHeight(height, decode_any(raw))


def _accepted(outcome: TxOutcome) -> set[Height | None]:
    """Return the heights of the headers that clients accepted in a transaction; None: one froze a client."""
    heights: set[Height | None] = set()
    for kind, attributes in outcome.events:
        if kind == "client_misbehaviour":
            heights.add(None)
        elif kind == "update_client":
            heights.update(map(_height, dict(attributes).get("consensus_heights", "").split(",")))
    return heights


def _height(text: str) -> Height:
    """Parse a height `R-H`; return the zero height, which no header has, for other text."""
    try:
        return parse_height(text)
    except InvalidHeight:
        return ZERO_HEIGHT
