import pytest

from conformance.vectors.synthetic import MultiStore, ProvableChain, chain_of, existence, join_proofs
from pyibc.core.proofs import IAVL_SPEC
from pyibc.core.proofs.spec import InnerOp, apply_inner, apply_leaf
from pyibc.proto.varint import encode_varint


@pytest.fixture(scope="session")
def items() -> dict[bytes, bytes]:
    return {b"commitments/sequences/%d" % n: bytes([n % 251 + 1]) * 32 for n in range(1000, 1064)}


@pytest.fixture(scope="session")
def chain(items) -> ProvableChain:
    return chain_of(items, above=6, stores=12)


@pytest.fixture(scope="session")
def plain_chain(items) -> ProvableChain:
    return chain_of(items, stores=3)


@pytest.fixture(scope="session")
def made_proof():
    """(leaf prefix, header of a node above, if any) -> the root that they hash to, and the proof."""

    def make(leaf_prefix: bytes, *headers: bytes) -> tuple[bytes, bytes]:
        node = apply_leaf(IAVL_SPEC.leaf_spec._replace(prefix=leaf_prefix), b"k", b"v")
        path = [(header + b"\x20", b"\x20" + b"s" * 32) for header in headers]
        for prefix, suffix in path:
            node = apply_inner(InnerOp(1, prefix, suffix), node)
        raw = existence(b"k", b"v", leaf_prefix, path)
        stores = MultiStore({b"ibc": node, b"x": b"y"})
        return stores.root, join_proofs(b"\x0a" + encode_varint(len(raw)) + raw, stores.prove(b"ibc"))

    return make
