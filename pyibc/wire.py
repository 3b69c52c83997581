"""Protobuf as chains write it: Anys, proofs, transactions, messages of one's own without a compiler."""

from ibc_core.wire.anys import decode_any as decode_any
from ibc_core.wire.anys import encode_any as encode_any
from ibc_core.wire.anys import pack as pack
from ibc_core.wire.anys import type_url as type_url
from ibc_core.wire.budget import Budget as Budget
from ibc_core.wire.merkle import encode_merkle_proof as encode_merkle_proof
from ibc_core.wire.tx import decode_tx as decode_tx
from ibc_proto.pool import build as build
from ibc_proto.pool import message_class as message_class
