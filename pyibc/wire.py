"""Protobuf of Cosmos chains: Anys, proofs, transactions, and message classes without a compiler."""

from pyibc.codec.anys import decode_any as decode_any
from pyibc.codec.anys import encode_any as encode_any
from pyibc.codec.anys import pack as pack
from pyibc.codec.anys import type_url as type_url
from pyibc.codec.budget import Budget as Budget
from pyibc.core.wire.merkle import encode_merkle_proof as encode_merkle_proof
from pyibc.core.wire.tx import decode_tx as decode_tx
from pyibc.proto.pool import build as build
from pyibc.proto.pool import message_class as message_class
