"""Client types and status (ICS-2), and upgrade plans as x/upgrade of the Cosmos SDK has them."""

from enum import Enum
from typing import Any

from google.protobuf.message import DecodeError

from pyibc.codec.encoding import encode
from pyibc.codec.gotime import GO_ZERO_TIME_NS, NANOSECONDS, is_timestamp
from pyibc.core.errors import TxDecode
from pyibc.core.value import value
from pyibc.core.wire.columns import Codec
from pyibc.proto.cosmos.upgrade.v1beta1 import upgrade_pb2


class Status(Enum):
    """The status of a client; only an `ACTIVE` one verifies anything."""

    ACTIVE = "Active"
    FROZEN = "Frozen"
    EXPIRED = "Expired"
    UNKNOWN = "Unknown"
    UNAUTHORIZED = "Unauthorized"


TENDERMINT = "07-tendermint"
SOLOMACHINE = "06-solomachine"
LOCALHOST = "09-localhost"

ALLOW_ALL_CLIENTS = "*"
"""Wildcard for every registered client type in the parameter `allowed_clients`."""


@value
class UpgradePlan:
    """Plan of this chain's upgrade to its next revision."""

    name: str
    time_ns: int  # deprecated on the wire: must be Go's zero time
    height: int  # the first height that this chain does not commit
    info: str
    has_client_state: bool  # deprecated on the wire: must be False


def encode_plan(plan: UpgradePlan) -> bytes:
    """Return the stored `cosmos.upgrade.v1beta1.Plan` of a plan."""
    return encode(upgrade_pb2.Plan(**_write_plan(plan)))


def decode_plan(raw: bytes) -> UpgradePlan | None:
    """Return a stored `Plan` without its deprecated fields; None if it is malformed."""
    try:
        plan = upgrade_pb2.Plan.FromString(raw)
    except DecodeError:
        return None
    return UpgradePlan(plan.name, GO_ZERO_TIME_NS, plan.height, plan.info, has_client_state=False)


def decode_plan_height(raw: bytes) -> int | None:
    """Return the height of a stored `Plan`; None if it is malformed, so that BeginBlock does not fail."""
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
"""Codec of a plan: of the deprecated fields, a value only records whether they are set."""
