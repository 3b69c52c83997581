"""Client messages (ICS-2)."""

from ibc_core.messages import (
    MsgCreateClient,
    MsgDeleteClientCreator,
    MsgRecoverClient,
    MsgUpdateClient,
    MsgUpdateClientParams,
    MsgUpgradeClient,
)
from ibc_core.wire.anys import pack_any, unpack_any
from ibc_core.wire.encoding import encode
from ibc_core.wire.interfaces import BUILTIN, KnownTypes
from ibc_core.wire.strict import parse
from ibc_proto.ibc.core.client.v1 import client_pb2, tx_pb2

CREATE = "/ibc.core.client.v1.MsgCreateClient"
UPDATE = "/ibc.core.client.v1.MsgUpdateClient"
SUBMIT_MISBEHAVIOUR = "/ibc.core.client.v1.MsgSubmitMisbehaviour"
UPGRADE = "/ibc.core.client.v1.MsgUpgradeClient"
RECOVER = "/ibc.core.client.v1.MsgRecoverClient"
UPDATE_PARAMS = "/ibc.core.client.v1.MsgUpdateParams"
DELETE_CREATOR = "/ibc.core.client.v1.MsgDeleteClientCreator"


def decode_create(raw: bytes, known: KnownTypes = BUILTIN) -> MsgCreateClient:
    """`MsgCreateClient`.

    Raises:
        TxDecode: `raw` is refused; also when an Any holds no known client or consensus state.
    """
    wire = parse(tx_pb2.MsgCreateClient, raw, known=known)
    return MsgCreateClient(
        unpack_any(wire, "client_state"),
        unpack_any(wire, "consensus_state"),
        wire.signer,
    )


def encode_create(msg: MsgCreateClient) -> bytes:
    """`MsgCreateClient`."""
    return encode(
        tx_pb2.MsgCreateClient(
            client_state=pack_any(msg.client_state),
            consensus_state=pack_any(msg.consensus_state),
            signer=msg.signer,
        )
    )


def decode_update(raw: bytes, known: KnownTypes = BUILTIN) -> MsgUpdateClient:
    """`MsgUpdateClient`.

    Raises:
        TxDecode: `raw` is refused; also when the Any holds no known header or misbehaviour.
    """
    wire = parse(tx_pb2.MsgUpdateClient, raw, known=known)
    return MsgUpdateClient(wire.client_id, unpack_any(wire, "client_message"), wire.signer)


def encode_update(msg: MsgUpdateClient) -> bytes:
    """`MsgUpdateClient`."""
    return encode(
        tx_pb2.MsgUpdateClient(
            client_id=msg.client_id, client_message=pack_any(msg.client_message), signer=msg.signer
        )
    )


def decode_submit_misbehaviour(raw: bytes, known: KnownTypes = BUILTIN) -> MsgUpdateClient:
    """`MsgSubmitMisbehaviour`, an older name of MsgUpdateClient: in ibc-go until v10, and Hermes sends it.

    Raises:
        TxDecode: as `decode_update`.
    """
    wire = parse(tx_pb2.MsgSubmitMisbehaviour, raw, known=known)
    return MsgUpdateClient(wire.client_id, unpack_any(wire, "misbehaviour"), wire.signer)


def encode_submit_misbehaviour(msg: MsgUpdateClient) -> bytes:
    """`MsgSubmitMisbehaviour`."""
    return encode(
        tx_pb2.MsgSubmitMisbehaviour(
            client_id=msg.client_id, misbehaviour=pack_any(msg.client_message), signer=msg.signer
        )
    )


def decode_upgrade(raw: bytes, known: KnownTypes = BUILTIN) -> MsgUpgradeClient:
    """`MsgUpgradeClient`.

    Raises:
        TxDecode: `raw` is refused; also when an Any holds no known client or consensus state.
    """
    wire = parse(tx_pb2.MsgUpgradeClient, raw, known=known)
    return MsgUpgradeClient(
        wire.client_id,
        unpack_any(wire, "client_state"),
        unpack_any(wire, "consensus_state"),
        wire.proof_upgrade_client,
        wire.proof_upgrade_consensus_state,
        wire.signer,
    )


def encode_upgrade(msg: MsgUpgradeClient) -> bytes:
    """`MsgUpgradeClient`."""
    return encode(
        tx_pb2.MsgUpgradeClient(
            client_id=msg.client_id,
            client_state=pack_any(msg.client_state),
            consensus_state=pack_any(msg.consensus_state),
            proof_upgrade_client=msg.client_proof,
            proof_upgrade_consensus_state=msg.consensus_proof,
            signer=msg.signer,
        )
    )


def decode_recover(raw: bytes, known: KnownTypes = BUILTIN) -> MsgRecoverClient:
    """`MsgRecoverClient`.

    Raises:
        TxDecode: `raw` is refused.
    """
    wire = parse(tx_pb2.MsgRecoverClient, raw, known=known)
    return MsgRecoverClient(wire.subject_client_id, wire.substitute_client_id, wire.signer)


def encode_recover(msg: MsgRecoverClient) -> bytes:
    """`MsgRecoverClient`."""
    return encode(
        tx_pb2.MsgRecoverClient(
            subject_client_id=msg.subject_client_id,
            substitute_client_id=msg.substitute_client_id,
            signer=msg.signer,
        )
    )


def decode_update_params(raw: bytes, known: KnownTypes = BUILTIN) -> MsgUpdateClientParams:
    """`MsgUpdateParams` of clients.

    Raises:
        TxDecode: `raw` is refused.
    """
    wire = parse(tx_pb2.MsgUpdateParams, raw, known=known)
    return MsgUpdateClientParams(tuple(wire.params.allowed_clients), wire.signer)


def encode_update_params(msg: MsgUpdateClientParams) -> bytes:
    """`MsgUpdateParams` of clients."""
    params = client_pb2.Params(allowed_clients=msg.allowed_clients)
    return encode(tx_pb2.MsgUpdateParams(signer=msg.signer, params=params))


def decode_delete_creator(raw: bytes, known: KnownTypes = BUILTIN) -> MsgDeleteClientCreator:
    """`MsgDeleteClientCreator`.

    Raises:
        TxDecode: `raw` is refused.
    """
    wire = parse(tx_pb2.MsgDeleteClientCreator, raw, known=known)
    return MsgDeleteClientCreator(wire.client_id, wire.signer)


def encode_delete_creator(msg: MsgDeleteClientCreator) -> bytes:
    """`MsgDeleteClientCreator`."""
    return encode(tx_pb2.MsgDeleteClientCreator(client_id=msg.client_id, signer=msg.signer))
