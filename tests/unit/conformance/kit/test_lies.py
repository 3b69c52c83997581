"""Forged headers beside honest ones, as an adjacent block tells them."""

from fractions import Fraction

import pytest

from conformance.kit.forged_headers import FORGERIES
from conformance.kit.headers import header_of, signed, signers
from light_client.tendermint.hashing import validator_set_hash
from light_client.tendermint.verifier import Trusted, TrustLevel, VerifierOptions, verify_header
from localnet.consensus.sign_state import ValidatorKey
from pyibc.core.errors import NextValidatorsHashMismatch, WrongValidatorAddress

OPTIONS = VerifierOptions(TrustLevel(1, 3), 14 * 86_400 * 10**9, 10 * 10**9)


def verify(chain, told, now_ns):
    trusted = chain.record(told.trusted_height.revision_height).header
    verify_header(
        Trusted(trusted.chain_id, trusted.height, trusted.time_ns, trusted.next_validators_hash),
        told.trusted_validators,
        signed(told),
        told.validator_set,
        OPTIONS,
        now_ns,
    )


@pytest.fixture
def busy(make_chain):
    chain = make_chain()
    for _ in range(6):
        chain.make_block()
    return chain


def test_honest_headers_pass(busy):
    for height in range(3, busy.height + 1):
        for trusted in range(2, height):
            verify(busy, header_of(busy, height, trusted), busy.tip().time_ns)
    assert signers(header_of(busy, 3, 2)) == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("usurped", NextValidatorsHashMismatch),
        ("addresses_swapped", WrongValidatorAddress),
        ("voted_twice", WrongValidatorAddress),
    ],
)
def test_lies_that_an_adjacent_block_tells_otherwise(busy, name, error):
    told = FORGERIES[name].forge(header_of(busy, 3, 2), busy.keyring)
    with pytest.raises(error):
        verify(busy, told, busy.tip().time_ns)


def test_validators_that_changed_are_followed(busy):
    new = [ValidatorKey.from_text(f"new/{n}") for n in range(4)]
    at = busy.height
    busy.make_block([], updates={new[0]: 10})
    busy.make_block([], updates={new[1]: 10, busy.keys[0]: 0})
    for _ in range(3):
        busy.make_block()
    verify(busy, header_of(busy, busy.height, at), busy.tip().time_ns)
    overlap = Fraction(3, 5)
    assert validator_set_hash(busy.validators(busy.height)) != validator_set_hash(busy.validators(at))
    assert len(busy.validators(busy.height)) * overlap == 3
