"""Responses of the application to a consensus engine, and estimates of the memory that cached blocks take.

An event takes several times its text in memory. The estimate is an upper bound, apart from strings that are
shared with other entries.
"""

from collections.abc import Iterable
from sys import getsizeof
from typing import NamedTuple

from pyibc.codec.anys import AnyMessage
from pyibc.codec.encoding import encode
from pyibc.core.host.block import CommittedBlock, Event, TxOutcome
from pyibc.proto.cosmos.base.abci.v1beta1 import abci_pb2
from pyibc.proto.tendermint.abci import types_pb2


class AppInfo(NamedTuple):
    """The response to ABCI Info."""

    height: int  # last committed; 0 before the first block
    app_hash: bytes


class FinalizedBlock(NamedTuple):
    """The response to ABCI FinalizeBlock."""

    outcomes: tuple[TxOutcome, ...]
    events: tuple[Event, ...]  # of begin block and end block
    app_hash: bytes


# -- what a transaction's result holds in ABCI (CometBFT 0.38)


def encode_tx_msg_data(responses: Iterable[AnyMessage]) -> bytes:
    """Return the encoded `TxMsgData`, a successful transaction's data: the response of each message."""
    data = abci_pb2.TxMsgData()
    for response in responses:
        data.msg_responses.add(type_url=response.type_url, value=response.value)
    return encode(data)


def pack_event(event: Event) -> types_pb2.Event:
    """Return the ABCI message of an event, with every attribute indexed."""
    kind, attributes = event
    packed = types_pb2.Event(type=kind)
    for key, text in attributes:
        packed.attributes.add(key=key, value=text, index=True)
    return packed


_OBJECT = 400
"""Bytes of a transaction's or a block's own tuples and numbers."""
_EVENT = 56 + 48
"""Bytes of an event without its type and attributes: two tuples."""
_ATTRIBUTE = 56 + 8
"""Bytes of an attribute without its strings: a tuple, and its slot in the event."""
_SHARED = 64
"""Maximum length of a key or type that is assumed to be a shared constant."""


def weight_of_block(block: CommittedBlock) -> int:
    """Return the weight of a block's results, its transactions included, in bytes."""
    return _OBJECT + sum(map(_weight_of_outcome, block.txs)) + _weight_of_events(block.block_events)


def _weight_of_outcome(outcome: TxOutcome) -> int:
    own = _OBJECT + len(outcome.tx) + len(outcome.data) + getsizeof(outcome.log)
    return own + _weight_of_events(outcome.events)


def _weight_of_events(events: Iterable[Event]) -> int:
    weight = 0
    for kind, attributes in events:
        weight += _EVENT + _weight_of_name(kind)
        for key, value in attributes:
            weight += _ATTRIBUTE + _weight_of_name(key) + getsizeof(value)
    return weight


def _weight_of_name(name: str) -> int:
    return getsizeof(name) if len(name) > _SHARED else 0
