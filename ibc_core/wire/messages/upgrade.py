"""The message that plans a chain's upgrade (ICS-2), and the plan as x/upgrade stores it (Cosmos SDK)."""

from google.protobuf.message import DecodeError

from ibc_core.errors import TxDecode
from ibc_core.messages import MsgIbcSoftwareUpgrade, UpgradePlan
from ibc_core.wire.anys import pack_any, unpack_any
from ibc_core.wire.encoding import encode
from ibc_core.wire.interfaces import BUILTIN, KnownTypes
from ibc_core.wire.strict import parse
from ibc_proto.cosmos.upgrade.v1beta1 import upgrade_pb2
from ibc_proto.google.protobuf import timestamp_pb2
from ibc_proto.ibc.core.client.v1 import tx_pb2

SOFTWARE_UPGRADE = "/ibc.core.client.v1.MsgIBCSoftwareUpgrade"

GO_ZERO_SECONDS = -62_135_596_800
"""Go's zero time, year 1, in unix seconds: what a time that nobody set is written as."""

_MAX_SECONDS = 253_402_300_800  # year 10000
_NANOSECONDS = 10**9


def decode_software_upgrade(raw: bytes, known: KnownTypes = BUILTIN) -> MsgIbcSoftwareUpgrade:
    """`MsgIBCSoftwareUpgrade`.

    Raises:
        TxDecode: `raw` is refused; also when the Any holds no known client state.
    """
    wire = parse(tx_pb2.MsgIBCSoftwareUpgrade, raw, known=known)
    return MsgIbcSoftwareUpgrade(
        _unpack_plan(wire.plan), unpack_any(wire, "upgraded_client_state"), wire.signer
    )


def encode_software_upgrade(msg: MsgIbcSoftwareUpgrade) -> bytes:
    """`MsgIBCSoftwareUpgrade`."""
    return encode(
        tx_pb2.MsgIBCSoftwareUpgrade(
            plan=_pack_plan(msg.plan),
            upgraded_client_state=pack_any(msg.upgraded_client_state),
            signer=msg.signer,
        )
    )


def encode_plan(plan: UpgradePlan) -> bytes:
    """`cosmos.upgrade.v1beta1.Plan`, as stored."""
    return encode(_pack_plan(plan))


def decode_plan_height(raw: bytes) -> int | None:
    """The height of a stored `Plan`; None for bytes that are none, because a block's start must not fail."""
    try:
        return upgrade_pb2.Plan.FromString(raw).height
    except DecodeError:
        return None


def _unpack_plan(plan: upgrade_pb2.Plan) -> UpgradePlan:
    time_ns = GO_ZERO_SECONDS * _NANOSECONDS
    if plan.HasField("time"):
        seconds, nanos = plan.time.seconds, plan.time.nanos
        if not (GO_ZERO_SECONDS <= seconds < _MAX_SECONDS and 0 <= nanos < _NANOSECONDS):
            raise TxDecode("plan: not a timestamp")
        time_ns = seconds * _NANOSECONDS + nanos
    has_client_state = plan.HasField("upgraded_client_state")
    return UpgradePlan(plan.name, time_ns, plan.height, plan.info, has_client_state)


def _pack_plan(plan: UpgradePlan) -> upgrade_pb2.Plan:
    seconds, nanos = divmod(plan.time_ns, _NANOSECONDS)
    when = timestamp_pb2.Timestamp(seconds=seconds, nanos=nanos)
    return upgrade_pb2.Plan(name=plan.name, time=when, height=plan.height, info=plan.info)
