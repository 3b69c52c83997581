"""Simulation: cosmos.tx.v1beta1.Service/Simulate, and pyibc.node.v1.Query/EstimateGas for gas alone.

Simulating a relayed packet yields 6 kB of events, which CometBFT would encode as JSON and no relayer reads.
"""

from collections.abc import Callable, Iterator
from time import monotonic
from typing import Protocol, TypeVar

from google.protobuf.message import DecodeError, Message

from pyibc.codec.encoding import encode
from pyibc.core.comet import NotDeflated, inflate
from pyibc.core.errors import IbcError, InvalidSdkRequest
from pyibc.core.host.block import TxOutcome
from pyibc.core.host.overlay import CommittedStore
from pyibc.core.numbers import MAX_U64
from pyibc.proto.cosmos.base.abci.v1beta1 import abci_pb2
from pyibc.proto.cosmos.tx.v1beta1 import service_pb2
from pyibc.proto.pyibc.node.v1.query_pb2 import QueryEstimateGasRequest, QueryEstimateGasResponse

M = TypeVar("M", bound=Message)


def parse_request(kind: type[M], raw: bytes) -> M:
    """Decode a request; raise InvalidSdkRequest if it is malformed."""
    try:
        return kind.FromString(raw)
    except DecodeError:
        raise InvalidSdkRequest(f"not a {kind.DESCRIPTOR.full_name}") from None


SIMULATE = "/cosmos.tx.v1beta1.Service/Simulate"
MAX_INFLATED_BYTES = 2 * 1024 * 1024
"""Size limit in bytes of an inflated transaction: twice CometBFT's default limit of a mempool transaction."""
ESTIMATE_GAS = "/pyibc.node.v1.Query/EstimateGas"


class Run(Protocol):
    """Function that simulates a transaction."""

    def __call__(self, raw: bytes, /, *, with_events: bool) -> TxOutcome:
        """Return the outcome that the transaction would have; nothing changes."""


class SimulationFailed(IbcError):
    """The transaction would fail; `reason` is the log that it would have in a block."""

    reason: str
    gas_used: int
    codespace = "sdk"
    code = 6  # ErrUnknownRequest: the SDK's code for status Unknown
    text = "{reason} with gas used: '{gas_used}'"  # the SDK's wording, which relayers parse


def simulate(run: Run, request: bytes) -> bytes:
    """Simulate the request's transaction with `run`.

    Raises:
        InvalidSdkRequest: the request contains no transaction.
        SimulationFailed: the transaction would fail.
    """
    asked = parse_request(service_pb2.SimulateRequest, request)
    raw = asked.tx_bytes or (encode(asked.tx) if asked.HasField("tx") else b"")
    outcome = _succeeding(run, raw, with_events=True)
    response = service_pb2.SimulateResponse()
    response.gas_info.gas_wanted = MAX_U64  # as the SDK: a simulation has no limit
    response.gas_info.gas_used = outcome.gas_used
    response.result.data = outcome.data
    for kind, attributes in outcome.events:
        event = response.result.events.add(type=kind)
        for key, text in attributes:
            event.attributes.add(key=key, value=text)  # without `index`: nothing is indexed
    response.result.msg_responses.extend(abci_pb2.TxMsgData.FromString(outcome.data).msg_responses)
    return encode(response)


def estimate_gas(run: Run, request: bytes) -> bytes:
    """Return the gas that the request's transaction uses when simulated with `run`.

    Raises:
        InvalidSdkRequest: the transaction is missing, wrongly deflated, or too large.
        SimulationFailed: the transaction would fail.
    """
    asked = parse_request(QueryEstimateGasRequest, request)
    outcome = _succeeding(run, asked.tx or _inflated(asked.deflated_tx), with_events=False)
    return encode(QueryEstimateGasResponse(gas_used=outcome.gas_used))


def _inflated(deflated: bytes) -> bytes:
    """Inflate a transaction to `MAX_INFLATED_BYTES` at most: a request of 1 MB could inflate to 1 GB."""
    try:
        return inflate(deflated, MAX_INFLATED_BYTES) if deflated else b""
    except NotDeflated as error:
        raise InvalidSdkRequest(f"deflated_tx: {error}") from None


def _succeeding(run: Run, raw: bytes, *, with_events: bool) -> TxOutcome:
    if not raw:
        raise InvalidSdkRequest("empty txBytes is not allowed")
    outcome = run(raw, with_events=with_events)
    if outcome.code:
        raise SimulationFailed(outcome.log, outcome.gas_used)
    return outcome


SIMULATIONS = {SIMULATE: simulate, ESTIMATE_GAS: estimate_gas}
"""Simulation methods by gRPC method path."""


# -- deadline of a simulation: gas bounds what an unpaid simulation reads, not how long reading takes


class Deadline:
    """Deadline on this node's clock; for work outside consensus only, never for a block."""

    def __init__(self, seconds: int, clock: Callable[[], float] = monotonic) -> None:
        """Start the deadline `seconds` from now by `clock`."""
        self._seconds = seconds
        self._clock = clock
        self._end = clock() + seconds

    def check(self) -> None:
        """Check that the deadline has not passed.

        Raises:
            InvalidSdkRequest: the deadline has passed.
        """
        # guard: h247-simulations-take-as-long-as-they-like drop
        #   test_h247_a_simulation_ends_at_its_deadline
        if self._clock() > self._end:
            raise InvalidSdkRequest(f"the simulation took longer than {self._seconds} s")


class TimedStore:
    """A committed store whose reads fail once a deadline has passed."""

    __slots__ = ("_deadline", "_store")

    def __init__(self, store: CommittedStore, deadline: Deadline) -> None:
        self._store = store
        self._deadline = deadline

    def get(self, key: bytes) -> bytes | None:
        """Return the value at `key`; raise InvalidSdkRequest after the deadline."""
        self._deadline.check()
        return self._store.get(key)

    def iterate(self, start: bytes, end: bytes | None) -> Iterator[tuple[bytes, bytes]]:
        """Iterate over entries with `start <= key < end`; raise InvalidSdkRequest after the deadline."""
        for entry in self._store.iterate(start, end):
            self._deadline.check()
            yield entry
