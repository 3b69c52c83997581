"""The gas a transaction needs, by the chain's own simulation (cosmos.tx.v1beta1.Service/Simulate).

A transaction that would fail is not sent: its failure would be paid for.
"""

import re
from typing import NamedTuple

from google.protobuf.message import DecodeError

from ibc_core.errors import IbcError, NotEnoughTrust, OutOfGas, WrongSequence
from ibc_core.errors.queue import AdvanceBelowHead, NoSuchPacket, OutOfOrder
from ibc_core.host.block import TxOutcome
from ibc_proto.cosmos.tx.v1beta1 import service_pb2
from ibc_relayer.errors import EndpointUnavailable, MalformedAnswer
from ibc_relayer.fees import Query

SIMULATE = "/cosmos.tx.v1beta1.Service/Simulate"

WOULD_FAIL = "gas used: '"
"""What every SDK since 0.40 writes of a transaction that fails when simulated, and of nothing else."""

CODESPACE = "simulation"
"""Of a failure whose own codespace and code the SDK does not tell: it answers with the text alone."""

_KNOWN = (
    (re.compile("account sequence mismatch"), WrongSequence),
    (re.compile("trusted validators signed with power"), NotEnoughTrust),
    (re.compile(r"out of order: \d+, expected", re.ASCII), OutOfOrder),
    (re.compile(r"packet \d+ is not in the queue", re.ASCII), NoSuchPacket),
    (re.compile(r"cannot advance to \d+, the head is", re.ASCII), AdvanceBelowHead),
)
"""Failures that a relayer answers in a way of their own, by their texts."""

_EXPECTED = re.compile(r"account sequence mismatch, expected (\d{1,20}),", re.ASCII)


class Estimate(NamedTuple):
    """What a simulation said."""

    gas: int | None  # None: the chain does not simulate
    refusal: TxOutcome | None = None  # the transaction would fail


UNKNOWN = Estimate(None)


def simulate(query: Query, raw: bytes) -> Estimate:
    """Simulates the transaction `raw`, whose signature need not be valid.

    Raises:
        EndpointUnavailable: the node does not answer.
    """
    request = service_pb2.SimulateRequest(tx_bytes=raw).SerializeToString()
    try:
        answer = service_pb2.SimulateResponse.FromString(query(SIMULATE, request))
    except EndpointUnavailable:
        raise
    except (MalformedAnswer, DecodeError):
        return UNKNOWN
    except IbcError as error:  # by RPC EndpointRefused; in process the chain's own
        said = str(error)
        return Estimate(None, _failure(said)) if WOULD_FAIL in said else UNKNOWN
    return Estimate(answer.gas_info.gas_used or None)


def needs_more(limit: int) -> TxOutcome:
    """The outcome of a transaction that is not sent, since it needs more gas than one may have."""
    log = f"not sent: it needs more gas than the {limit} that a transaction may have"
    return TxOutcome(b"", OutOfGas.code, OutOfGas.codespace, (), 0, 0, log=log)


def expected_sequence(log: str) -> int | None:
    """The sequence that a chain expects, by the text of its refusal; None where it does not say."""
    found = _EXPECTED.search(log)
    return int(found[1]) if found else None


def _failure(said: str) -> TxOutcome:
    kind = next((each for text, each in _KNOWN if text.search(said)), None)
    codespace, code = (kind.codespace, kind.code) if kind else (CODESPACE, 1)
    return TxOutcome(b"", code, codespace, (), 0, 0, log=f"not sent, simulated: {said[:1000]}")
