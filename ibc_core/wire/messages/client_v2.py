"""Client messages of IBC v2."""

from ibc_core.messages_v2 import MsgRegisterCounterparty, MsgUpdateClientConfig
from ibc_core.wire.encoding import encode
from ibc_core.wire.interfaces import BUILTIN, KnownTypes
from ibc_core.wire.strict import parse
from ibc_proto.ibc.core.client.v2 import config_pb2, tx_pb2

REGISTER_COUNTERPARTY = "/ibc.core.client.v2.MsgRegisterCounterparty"
UPDATE_CONFIG = "/ibc.core.client.v2.MsgUpdateClientConfig"


def decode_register_counterparty(raw: bytes, known: KnownTypes = BUILTIN) -> MsgRegisterCounterparty:
    """`MsgRegisterCounterparty`.

    Raises:
        TxDecode: `raw` is refused.
    """
    wire = parse(tx_pb2.MsgRegisterCounterparty, raw, known=known)
    return MsgRegisterCounterparty(
        wire.client_id, tuple(wire.counterparty_merkle_prefix), wire.counterparty_client_id, wire.signer
    )


def encode_register_counterparty(msg: MsgRegisterCounterparty) -> bytes:
    """`MsgRegisterCounterparty`."""
    return encode(
        tx_pb2.MsgRegisterCounterparty(
            client_id=msg.client_id,
            counterparty_merkle_prefix=msg.counterparty_merkle_prefix,
            counterparty_client_id=msg.counterparty_client_id,
            signer=msg.signer,
        )
    )


def decode_update_config(raw: bytes, known: KnownTypes = BUILTIN) -> MsgUpdateClientConfig:
    """`MsgUpdateClientConfig`.

    Raises:
        TxDecode: `raw` is refused.
    """
    wire = parse(tx_pb2.MsgUpdateClientConfig, raw, known=known)
    return MsgUpdateClientConfig(wire.client_id, tuple(wire.config.allowed_relayers), wire.signer)


def encode_update_config(msg: MsgUpdateClientConfig) -> bytes:
    """`MsgUpdateClientConfig`."""
    config = config_pb2.Config(allowed_relayers=msg.allowed_relayers)
    return encode(tx_pb2.MsgUpdateClientConfig(client_id=msg.client_id, config=config, signer=msg.signer))
