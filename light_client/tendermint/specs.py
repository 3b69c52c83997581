"""Proof specifications between the wire and values."""

from typing import cast

from ibc_core.proofs import InnerSpec, LeafOp, ProofSpec
from ibc_proto.cosmos.ics23.v1 import proofs_pb2


def proof_spec_from(message: proofs_pb2.ProofSpec) -> ProofSpec:
    """The value of a parsed `ProofSpec`."""
    return ProofSpec(
        _leaf_from(message.leaf_spec) if message.HasField("leaf_spec") else None,
        _inner_from(message.inner_spec) if message.HasField("inner_spec") else None,
        message.max_depth,
        message.min_depth,
        message.prehash_key_before_comparison,
    )


def _leaf_from(message: proofs_pb2.LeafOp) -> LeafOp:
    return LeafOp(message.hash, message.prehash_key, message.prehash_value, message.length, message.prefix)


def _inner_from(message: proofs_pb2.InnerSpec) -> InnerSpec:
    return InnerSpec(
        tuple(message.child_order),
        message.child_size,
        message.min_prefix_length,
        message.max_prefix_length,
        message.empty_child,
        message.hash,
    )


def proof_spec_to(spec: ProofSpec) -> proofs_pb2.ProofSpec:
    """The message of a proof specification."""
    message = proofs_pb2.ProofSpec(
        max_depth=spec.max_depth,
        min_depth=spec.min_depth,
        prehash_key_before_comparison=spec.prehash_key_before_comparison,
    )
    if spec.leaf_spec is not None:
        message.leaf_spec.CopyFrom(_leaf_to(spec.leaf_spec))
    if spec.inner_spec is not None:
        message.inner_spec.CopyFrom(_inner_to(spec.inner_spec))
    return message


def _leaf_to(leaf: LeafOp) -> proofs_pb2.LeafOp:
    return proofs_pb2.LeafOp(
        hash=cast("proofs_pb2.HashOp", leaf.hash),
        prehash_key=cast("proofs_pb2.HashOp", leaf.prehash_key),
        prehash_value=cast("proofs_pb2.HashOp", leaf.prehash_value),
        length=cast("proofs_pb2.LengthOp", leaf.length),
        prefix=leaf.prefix,
    )


def _inner_to(shape: InnerSpec) -> proofs_pb2.InnerSpec:
    return proofs_pb2.InnerSpec(
        child_order=shape.child_order,
        child_size=shape.child_size,
        min_prefix_length=shape.min_prefix_length,
        max_prefix_length=shape.max_prefix_length,
        empty_child=shape.empty_child,
        hash=cast("proofs_pb2.HashOp", shape.hash),
    )
