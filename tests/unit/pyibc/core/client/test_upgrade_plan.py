"""The plan of a chain's upgrade: Go's zero time, impossible times, fields that must not be set."""

import pytest

from pyibc.codec import anys
from pyibc.core.client.messages import MsgIbcSoftwareUpgrade
from pyibc.core.client.types import UpgradePlan, decode_plan_height, encode_plan
from pyibc.core.errors import TxDecode
from pyibc.core.wire.message import decode_msg
from pyibc.proto.cosmos.upgrade.v1beta1 import upgrade_pb2
from pyibc.proto.google.protobuf import timestamp_pb2
from pyibc.proto.ibc.core.client.v1 import tx_pb2
from pyibc.proto.ibc.lightclients.tendermint.v1 import tendermint_pb2


def plan_of(**fields):
    wire = tx_pb2.MsgIBCSoftwareUpgrade(plan=upgrade_pb2.Plan(**fields))
    return decode_msg(MsgIbcSoftwareUpgrade, wire.SerializeToString()).plan


def test_a_plan_without_a_time_has_gos_zero_time():
    plan = plan_of(name="v2", height=7)
    assert plan == UpgradePlan("v2", -62_135_596_800 * 10**9, 7, "", False)
    assert decode_plan_height(encode_plan(plan)) == 7
    assert b"\x08\x80\x92\xb8\xc3\x98\xfe\xff\xff\xff\x01" in encode_plan(plan)


@pytest.mark.parametrize(("seconds", "nanos"), [(2**62, 0), (-(2**62), 0), (0, -1), (0, 10**9)])
def test_a_plan_with_an_impossible_time_is_refused(seconds, nanos):
    with pytest.raises(TxDecode, match="timestamp"):
        plan_of(time=timestamp_pb2.Timestamp(seconds=seconds, nanos=nanos))


def test_a_plan_says_whether_it_holds_a_client_state():
    state = anys.pack_any(anys.pack(tendermint_pb2.ClientState(chain_id="a-1")))
    assert plan_of(upgraded_client_state=state).has_client_state
    assert not plan_of(name="v2").has_client_state


def test_bytes_that_are_no_plan_have_no_height():
    assert decode_plan_height(b"\xff") is None
