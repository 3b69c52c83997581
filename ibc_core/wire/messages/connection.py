"""Connection handshake messages (ICS-3).

`MsgConnectionOpenTry` and `MsgConnectionOpenAck` still have fields for a proof of the other chain's client
of us. ibc-go stopped verifying them; they are read strictly, like all, and dropped.
"""

from ibc_core.connection.types import Version
from ibc_core.messages import (
    MsgConnectionOpenAck,
    MsgConnectionOpenConfirm,
    MsgConnectionOpenInit,
    MsgConnectionOpenTry,
    MsgUpdateConnectionParams,
)
from ibc_core.wire.encoding import encode
from ibc_core.wire.interfaces import BUILTIN, KnownTypes
from ibc_core.wire.messages.packet import pack_height, unpack_height
from ibc_core.wire.states import (
    pack_connection_counterparty,
    pack_version,
    unpack_connection_counterparty,
    unpack_version,
)
from ibc_core.wire.strict import parse
from ibc_proto.ibc.core.connection.v1 import connection_pb2, tx_pb2

OPEN_INIT = "/ibc.core.connection.v1.MsgConnectionOpenInit"
OPEN_TRY = "/ibc.core.connection.v1.MsgConnectionOpenTry"
OPEN_ACK = "/ibc.core.connection.v1.MsgConnectionOpenAck"
OPEN_CONFIRM = "/ibc.core.connection.v1.MsgConnectionOpenConfirm"
UPDATE_PARAMS = "/ibc.core.connection.v1.MsgUpdateParams"


def decode_open_init(raw: bytes, known: KnownTypes = BUILTIN) -> MsgConnectionOpenInit:
    """`MsgConnectionOpenInit`.

    Raises:
        TxDecode: `raw` is refused.
    """
    wire = parse(tx_pb2.MsgConnectionOpenInit, raw, known=known)
    return MsgConnectionOpenInit(
        wire.client_id,
        unpack_connection_counterparty(wire.counterparty),
        unpack_version(wire.version) if wire.HasField("version") else None,
        wire.delay_period,
        wire.signer,
    )


def encode_open_init(msg: MsgConnectionOpenInit) -> bytes:
    """`MsgConnectionOpenInit`."""
    return encode(
        tx_pb2.MsgConnectionOpenInit(
            client_id=msg.client_id_on_a,
            counterparty=pack_connection_counterparty(msg.counterparty),
            version=_optional(msg.version),
            delay_period=msg.delay_period_ns,
            signer=msg.signer,
        )
    )


def decode_open_try(raw: bytes, known: KnownTypes = BUILTIN) -> MsgConnectionOpenTry:
    """`MsgConnectionOpenTry`.

    Raises:
        TxDecode: `raw` is refused.
    """
    wire = parse(tx_pb2.MsgConnectionOpenTry, raw, known=known)
    return MsgConnectionOpenTry(
        wire.client_id,
        unpack_connection_counterparty(wire.counterparty),
        wire.delay_period,
        tuple([unpack_version(version) for version in wire.counterparty_versions]),
        wire.proof_init,
        unpack_height(wire.proof_height),
        wire.signer,
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
        )
    )


def decode_open_ack(raw: bytes, known: KnownTypes = BUILTIN) -> MsgConnectionOpenAck:
    """`MsgConnectionOpenAck`.

    Raises:
        TxDecode: `raw` is refused.
    """
    wire = parse(tx_pb2.MsgConnectionOpenAck, raw, known=known)
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
            version=_optional(msg.version),
            proof_try=msg.proof_try,
            proof_height=pack_height(msg.proof_height),
            signer=msg.signer,
        )
    )


def decode_open_confirm(raw: bytes, known: KnownTypes = BUILTIN) -> MsgConnectionOpenConfirm:
    """`MsgConnectionOpenConfirm`.

    Raises:
        TxDecode: `raw` is refused.
    """
    wire = parse(tx_pb2.MsgConnectionOpenConfirm, raw, known=known)
    return MsgConnectionOpenConfirm(
        wire.connection_id, wire.proof_ack, unpack_height(wire.proof_height), wire.signer
    )


def encode_open_confirm(msg: MsgConnectionOpenConfirm) -> bytes:
    """`MsgConnectionOpenConfirm`."""
    return encode(
        tx_pb2.MsgConnectionOpenConfirm(
            connection_id=msg.connection_id_on_b,
            proof_ack=msg.proof_ack,
            proof_height=pack_height(msg.proof_height),
            signer=msg.signer,
        )
    )


def decode_update_params(raw: bytes, known: KnownTypes = BUILTIN) -> MsgUpdateConnectionParams:
    """`MsgUpdateParams` of connections.

    Raises:
        TxDecode: `raw` is refused.
    """
    wire = parse(tx_pb2.MsgUpdateParams, raw, known=known)
    return MsgUpdateConnectionParams(wire.params.max_expected_time_per_block, wire.signer)


def encode_update_params(msg: MsgUpdateConnectionParams) -> bytes:
    """`MsgUpdateParams` of connections."""
    params = connection_pb2.Params(max_expected_time_per_block=msg.max_expected_time_per_block_ns)
    return encode(tx_pb2.MsgUpdateParams(signer=msg.signer, params=params))


def _optional(version: Version | None) -> connection_pb2.Version | None:
    return None if version is None else pack_version(version)
