"""The judges agree with Python in native code's place, and notice every way of accepting too much."""

import pytest

from conformance.native import events, headers, proofs, results, signatures
from conformance.native.stand_in import FUNCTIONS, read_header, stand_in
from conformance.native.trial import asking, run_trials
from conformance.vectors import synthetic_headers as make
from light_client.tendermint import codec, header_cache
from light_client.tendermint.types import ABSENT
from light_client.tendermint.verifier import TrustLevel

FAMILIES = {
    "signatures": signatures.trials,
    "headers": headers.trials,
    "present": proofs.present,
    "absent": proofs.absent,
    "events": events.trials,
    "results": results.trials,
}
CASES = 60
MANY = 200


@pytest.mark.parametrize("family", FAMILIES)
def test_h197_the_same_comes_out_with_whatever_accepts_what_python_accepts(family):
    with asking(stand_in()):
        result = run_trials(FAMILIES[family], MANY)
    assert result.disagreements == []
    assert 0 < result.accepted < MANY


@pytest.mark.parametrize("family", FAMILIES)
def test_h197_the_same_comes_out_where_nothing_is_accepted(family):
    refusing = {each.__name__: lambda *_: None for each in FUNCTIONS}
    with asking(stand_in(**refusing)):
        result = run_trials(FAMILIES[family], CASES)
    assert result.accepted == 0
    honest = [trial for trial in result.disagreements if trial.reference is not True]
    assert honest == []  # a batch alone has no reference behind it


def test_h197_a_yes_is_remembered_for_its_question_alone():
    """Clients of other trust levels follow one chain: what one of them took says nothing for the other."""
    ring = make.keyring([5, 4, 3, 2, 1])
    block = make.signed("gaia-1", 20, ring)
    votes = (*block.commit.signatures[:4], ABSENT)
    header = make.client_header(block._replace(commit=block.commit._replace(signatures=votes)), ring, 10)
    with asking(stand_in()):
        found = header_cache.parse_native(codec.encode_client_header(header))
        assert found.verify_commit(False, TrustLevel(2, 3))
        assert not found.verify_commit(False, TrustLevel(1, 1))
        assert found.verify_commit(False, TrustLevel(2, 3))
    with asking(None):
        assert found.verify_commit(False, TrustLevel(2, 3))
        assert not found.verify_commit(False, TrustLevel(1, 3))


def after(height):
    """A header that says another height than its bytes."""

    def read(raw):
        found = read_header(raw)
        return found and ((found[0][0], found[0][1] + height, *found[0][2:]), *found[1:])

    return read


def poorer(raw):
    """One vote fewer to pay for."""
    found = read_header(raw)
    return found and (*found[:3], (found[3][0] - 1, *found[3][1:]))


@pytest.mark.parametrize(
    ("family", "name", "wrong"),
    [
        ("signatures", "verify_batch", lambda _: True),
        ("headers", "verify_commit", lambda *_: True),
        ("headers", "read_header", after(1)),
        ("headers", "read_header", poorer),
        ("present", "shows", lambda *_: True),
        ("absent", "shows_absence", lambda *_: True),
        ("events", "encode_events", lambda *_: b""),
        ("results", "read_results", lambda _: (1, b"", (), ())),
    ],
)
def test_h197_whoever_accepts_too_much_is_noticed(family, name, wrong):
    with asking(stand_in(**{name: wrong})):
        assert run_trials(FAMILIES[family], CASES).disagreements != []
