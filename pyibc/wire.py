"""Protobuf as chains write it: Anys, proofs, transactions, messages of one's own without a compiler."""

from ibc_core.wire.anys import decode_any, encode_any, pack, type_url
from ibc_core.wire.budget import Budget
from ibc_core.wire.merkle import encode_merkle_proof
from ibc_core.wire.tx import decode_tx
from ibc_proto.pool import build, message_class

__all__ = [
    "Budget",
    "build",
    "decode_any",
    "decode_tx",
    "encode_any",
    "encode_merkle_proof",
    "message_class",
    "pack",
    "type_url",
]
