"""When a chain halts for its next revision: the plan, in messages and in x/upgrade's store (Cosmos SDK)."""

from typing import Any

from google.protobuf.message import DecodeError

from ibc_core.errors import TxDecode
from ibc_core.value import value
from ibc_core.wire.columns import Codec
from ibc_core.wire.encoding import encode
from ibc_core.wire.gotime import GO_ZERO_TIME_NS, NANOSECONDS, is_timestamp
from ibc_proto.cosmos.upgrade.v1beta1 import upgrade_pb2


@value
class UpgradePlan:
    """When this chain halts for its next revision."""

    name: str
    time_ns: int  # deprecated on the wire: must be Go's zero time
    height: int  # the first height that this chain does not commit
    info: str
    has_client_state: bool  # deprecated on the wire: must be False


def encode_plan(plan: UpgradePlan) -> bytes:
    """`cosmos.upgrade.v1beta1.Plan`, as stored."""
    return encode(upgrade_pb2.Plan(**_write_plan(plan)))


def decode_plan_height(raw: bytes) -> int | None:
    """The height of a stored `Plan`; None if it is malformed, because a block's start must not fail."""
    try:
        return upgrade_pb2.Plan.FromString(raw).height
    except DecodeError:
        return None


def _read_plan(plan: upgrade_pb2.Plan) -> UpgradePlan:
    time_ns = GO_ZERO_TIME_NS
    if plan.HasField("time"):
        seconds, nanos = plan.time.seconds, plan.time.nanos
        if not is_timestamp(seconds, nanos):
            raise TxDecode("plan: not a timestamp")
        time_ns = seconds * NANOSECONDS + nanos
    has_client_state = plan.HasField("upgraded_client_state")
    return UpgradePlan(plan.name, time_ns, plan.height, plan.info, has_client_state)


def _write_plan(plan: UpgradePlan) -> dict[str, Any]:
    seconds, nanos = divmod(plan.time_ns, NANOSECONDS)
    when = {"seconds": seconds, "nanos": nanos}
    return {"name": plan.name, "time": when, "height": plan.height, "info": plan.info}


PLAN = Codec(_read_plan, _write_plan)
"""Of the fields that must not be set a value keeps only whether they are: no table says that."""
