import pytest

from conformance.vectors.synthetic import ProvableChain, chain_of


@pytest.fixture(scope="session")
def items() -> dict[bytes, bytes]:
    return {b"commitments/sequences/%d" % n: bytes([n % 251 + 1]) * 32 for n in range(1000, 1064)}


@pytest.fixture(scope="session")
def chain(items) -> ProvableChain:
    return chain_of(items, above=6, stores=12)


@pytest.fixture(scope="session")
def plain_chain(items) -> ProvableChain:
    return chain_of(items, stores=3)
