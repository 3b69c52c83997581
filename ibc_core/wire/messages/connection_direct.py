"""Connection messages with chosen names (package `pyibc.connection.v1`)."""

from collections.abc import Callable

from ibc_core.messages import (
    MsgConnectionOpenAck,
    MsgConnectionOpenConfirm,
    MsgConnectionOpenInit,
    MsgConnectionOpenTry,
)
from ibc_core.wire.encoding import encode
from ibc_core.wire.messages import connection
from ibc_core.wire.messages.channel_direct import twin
from ibc_core.wire.messages.packet import pack_height, unpack_height
from ibc_core.wire.states import (
    pack_connection_counterparty,
    pack_version,
    unpack_connection_counterparty,
    unpack_version,
)
from ibc_core.wire.strict import parse
from ibc_proto.pyibc.connection.v1 import tx_pb2

OPEN_INIT = "/pyibc.connection.v1.MsgConnectionOpenInit"
OPEN_TRY = "/pyibc.connection.v1.MsgConnectionOpenTry"
OPEN_ACK = "/pyibc.connection.v1.MsgConnectionOpenAck"
OPEN_CONFIRM = "/pyibc.connection.v1.MsgConnectionOpenConfirm"


def decode_open_init(raw: bytes) -> MsgConnectionOpenInit:
    """`MsgConnectionOpenInit`.

    Raises:
        TxDecode: `raw` is refused.
    """
    wire = parse(tx_pb2.MsgConnectionOpenInit, raw)
    return MsgConnectionOpenInit(
        wire.client_id,
        unpack_connection_counterparty(wire.counterparty),
        unpack_version(wire.version) if wire.HasField("version") else None,
        wire.delay_period,
        wire.signer,
        wire.connection_id,
    )


def encode_open_init(msg: MsgConnectionOpenInit) -> bytes:
    """`MsgConnectionOpenInit`."""
    return encode(
        tx_pb2.MsgConnectionOpenInit(
            client_id=msg.client_id_on_a,
            counterparty=pack_connection_counterparty(msg.counterparty),
            version=None if msg.version is None else pack_version(msg.version),
            delay_period=msg.delay_period_ns,
            signer=msg.signer,
            connection_id=msg.connection_id_on_a,
        )
    )


def decode_open_try(raw: bytes) -> MsgConnectionOpenTry:
    """`MsgConnectionOpenTry`.

    Raises:
        TxDecode: `raw` is refused.
    """
    wire = parse(tx_pb2.MsgConnectionOpenTry, raw)
    return MsgConnectionOpenTry(
        wire.client_id,
        unpack_connection_counterparty(wire.counterparty),
        wire.delay_period,
        tuple([unpack_version(version) for version in wire.counterparty_versions]),
        wire.proof_init,
        unpack_height(wire.proof_height),
        wire.signer,
        wire.connection_id,
        wire.named_by_counterparty,
    )


def encode_open_try(msg: MsgConnectionOpenTry) -> bytes:
    """`MsgConnectionOpenTry`."""
    return encode(
        tx_pb2.MsgConnectionOpenTry(
            client_id=msg.client_id_on_b,
            counterparty=pack_connection_counterparty(msg.counterparty),
            delay_period=msg.delay_period_ns,
            counterparty_versions=[pack_version(version) for version in msg.versions_on_a],
            proof_init=msg.proof_init,
            proof_height=pack_height(msg.proof_height),
            signer=msg.signer,
            connection_id=msg.connection_id_on_b,
            named_by_counterparty=msg.named_on_a,
        )
    )


def decode_open_ack(raw: bytes) -> MsgConnectionOpenAck:
    """`MsgConnectionOpenAck`.

    Raises:
        TxDecode: `raw` is refused.
    """
    wire = parse(tx_pb2.MsgConnectionOpenAck, raw)
    return MsgConnectionOpenAck(
        wire.connection_id,
        wire.counterparty_connection_id,
        unpack_version(wire.version) if wire.HasField("version") else None,
        wire.proof_try,
        unpack_height(wire.proof_height),
        wire.signer,
    )


def encode_open_ack(msg: MsgConnectionOpenAck) -> bytes:
    """`MsgConnectionOpenAck`."""
    return encode(
        tx_pb2.MsgConnectionOpenAck(
            connection_id=msg.connection_id_on_a,
            counterparty_connection_id=msg.connection_id_on_b,
            version=None if msg.version is None else pack_version(msg.version),
            proof_try=msg.proof_try,
            proof_height=pack_height(msg.proof_height),
            signer=msg.signer,
        )
    )


decode_open_confirm: Callable[[bytes], MsgConnectionOpenConfirm] = twin(
    tx_pb2.MsgConnectionOpenConfirm, connection.decode_open_confirm
)
encode_open_confirm = connection.encode_open_confirm
