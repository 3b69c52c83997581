from enum import IntEnum
from types import UnionType
from typing import Annotated, ClassVar, get_args, get_origin, get_type_hints

import pytest
from hypothesis import strategies as st

from pyibc.apps.rate_limit.limit import INT, PERCENT
from pyibc.codec import anys
from pyibc.codec.anys import ROLES, AnyMessage, Role
from pyibc.codec.gotime import GO_ZERO_TIME_NS
from pyibc.codec.protojson import RANGES
from pyibc.core.client.types import PLAN, UpgradePlan
from pyibc.core.height import Height
from pyibc.core.wire.columns import Absent, Wire
from pyibc.proto.ibc.lightclients.tendermint.v1 import tendermint_pb2
from pyibc.queues.packet import MAX_HEIGHT

# -- messages of every class, made of what their annotations and the wire's fields allow

ENUM = (-(2**31), 2**31 - 1)
"""What an enum holds on the wire, for a value that keeps numbers without a name."""
TEXT = st.text(max_size=8)
RAW = st.binary(max_size=20)
STATES = {
    Role.CLIENT_STATE: anys.pack(tendermint_pb2.ClientState(chain_id="a-1")),
    Role.CONSENSUS_STATE: anys.pack(tendermint_pb2.ConsensusState()),
    Role.CLIENT_MESSAGE: anys.pack(tendermint_pb2.Header()),
}
BY_CODEC = {
    PLAN: st.builds(
        UpgradePlan,
        TEXT,
        st.integers(GO_ZERO_TIME_NS, 2**62),
        st.integers(-(2**63), 2**63 - 1),
        TEXT,
        st.just(False),
    ),
    INT: st.integers(-(2**256) + 1, 2**256 - 1),
    PERCENT: st.integers(-(2**256) + 1, 2**256 - 1),
    MAX_HEIGHT: st.builds(Height, st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1)),
}
BY_FIELD = {
    "ibc.applications.transfer.v1.MsgTransfer.token.amount": st.sampled_from(["", "0", "12", "0x1f"]),
}


def field_at(descriptor, path):
    for name in path.split("."):
        field = descriptor.fields_by_name[name]
        descriptor = field.message_type
    return field


def values_at(cls, name, hint):
    marks = get_args(hint)[1:] if get_origin(hint) is Annotated else ()
    told = get_args(hint)[0] if marks else hint
    absent = next((mark for mark in marks if isinstance(mark, Absent)), None)
    if absent is not None:
        return st.just(absent.content)
    where = next((mark for mark in marks if isinstance(mark, Wire)), Wire(name))
    wire = cls.TABLE.wire.DESCRIPTOR
    known = BY_FIELD.get(f"{wire.full_name}.{where.path}", BY_CODEC.get(where.codec))
    return values_of_type(told, field_at(wire, where.path)) if known is None else known


def values_of_type(told, field):
    arguments = get_args(told)
    if get_origin(told) is tuple:
        return st.lists(values_of_type(arguments[0], field), max_size=2).map(tuple)
    if get_origin(told) is UnionType:
        return st.none() | values_of_type(arguments[0], field)
    if told is AnyMessage:
        return st.sampled_from([anys.EMPTY, STATES[ROLES[field.full_name]]])
    if hasattr(told, "TABLE"):
        return values_of(told)
    if issubclass(told, IntEnum):
        return st.sampled_from(told)
    if told is int:
        return st.integers(*RANGES.get(field.type, ENUM))
    return {str: TEXT, bytes: RAW, bool: st.booleans()}[told]


def values_of(cls):
    hints = get_type_hints(cls, include_extras=True).items()
    return st.builds(cls, *(values_at(cls, *hint) for hint in hints if get_origin(hint[1]) is not ClassVar))


@pytest.fixture(scope="session", name="values_of")
def _values_of():
    """Class of values -> strategy."""
    return values_of
