"""Vectors of Ed25519 as one batch: all valid ones, and each invalid one among them."""

import pytest

from conformance.files import vector_files
from conformance.vectors import wycheproof, zip215
from pyibc.core import native

pytestmark = [
    pytest.mark.vectors,
    pytest.mark.skipif(native.NATIVE is None, reason=f"pyibc-native is {native.WHY}: make native"),
]
FAMILIES = {"zip215": zip215.cases_of, "wycheproof": wycheproof.cases_of}


@pytest.fixture(params=FAMILIES)
def votes(request, vectors_dir):
    """(key, message, signature) and whether it is valid."""
    found = {}
    for path in vector_files(vectors_dir / request.param):
        for name, case in FAMILIES[request.param](path) or ():
            if name.endswith(" native"):
                _, key, message, signature, valid = case.args
                found[key, message, signature] = valid
    return found


def test_the_valid_ones_are_a_batch_that_verifies(votes):
    valid = [vote for vote, fine in votes.items() if fine]
    assert len(valid) >= 9
    assert native.all_verify(valid)
    assert native.all_verify(valid[::-1])


def test_an_invalid_one_spoils_the_batch(votes):
    valid = [vote for vote, fine in votes.items() if fine][:12]
    for vote, fine in votes.items():
        assert native.all_verify([*valid, vote]) is fine
