import pytest

from conformance.vectors import synthetic_headers as make
from light_client.tendermint import misbehaviour
from light_client.tendermint.codec import HEADER_TYPE_URL, MISBEHAVIOUR_TYPE_URL, pack_client_header
from light_client.tendermint.types import Misbehaviour, SignedHeader
from light_client.tendermint.verifier import own_votes
from pyibc.codec.anys import AnyMessage
from pyibc.core.client.types import Status
from pyibc.core.errors import (
    ConsensusStateNotFound,
    InvalidHeader,
    InvalidHeaderHeight,
    InvalidMisbehaviour,
    InvalidValidatorSet,
    TrustingPeriodExpired,
    TxDecode,
    WrongBlockId,
)
from pyibc.core.height import Height

CHAIN = "gaia-1"
CLIENT = "07-tendermint-0"
DAY = 86_400


def header_at(height, ring, base=10, trusted=None, **change):
    header = make.header(change.pop("chain_id", CHAIN), height, ring)._replace(**change)
    made = make.client_header(SignedHeader(header, make.commit(header, ring)), ring, base, trusted)
    return made._replace(trusted_height=Height(1, base))


def evidence(one, two, client_id=CLIENT):
    return AnyMessage(
        MISBEHAVIOUR_TYPE_URL, misbehaviour.encode_misbehaviour(Misbehaviour(client_id, one, two))
    )


def fork(ring, **change):
    return evidence(header_at(15, ring, **change), header_at(15, ring, app_hash=b"b" * 32, **change))


def refused(host, message, error, match=None):
    before = host.entries()
    with pytest.raises(error, match=match):
        host.at(30).client.verify_client_message(host.ctx, CLIENT, message)
    assert host.entries() == before
    assert host.client.status(host.ctx, CLIENT) is Status.ACTIVE


def test_messages_are_checked_without_a_store(host, ring):
    honest = header_at(15, ring)
    edited = honest._replace(header=honest.header._replace(app_hash=b"b" * 32))
    host.client.check_message(fork(ring))
    host.client.check_message(pack_client_header(honest))
    with pytest.raises(InvalidMisbehaviour):
        host.client.check_message(evidence(edited, honest))
    with pytest.raises(WrongBlockId):
        host.client.check_message(pack_client_header(edited))


def test_a_clock_turned_back_freezes(host, ring):
    early = make.START_NS + 14 * 10**9
    assert host.at(30).update(evidence(header_at(16, ring, time_ns=early), header_at(15, ring))) == "frozen"
    same = make.START_NS + 15 * 10**9
    message = evidence(header_at(16, ring, time_ns=same), header_at(15, ring))
    assert host.client.check_for_misbehaviour(host.ctx, CLIENT, message)


def test_h32_an_edited_header_with_a_real_commit_does_not_freeze(host, ring):
    """CIB-005: each commit must be for exactly its header."""
    honest = header_at(15, ring)
    for field, change in (("app_hash", b"b" * 32), ("time_ns", make.START_NS), ("height", 16)):
        edited = honest._replace(header=honest.header._replace(**{field: change}))
        refused(host, evidence(edited, honest), InvalidMisbehaviour)


def test_h32_evidence_with_a_wrong_signature_does_not_freeze(host, ring):
    """The door lets it in, where nobody has paid for signatures."""
    honest = header_at(15, ring)
    forged = header_at(15, ring, app_hash=b"b" * 32)
    votes = forged.commit.signatures
    needed = own_votes(forged.commit, forged.validator_set)
    assert len(needed) > 1
    for place in range(len(needed)):
        wrong = votes[place]._replace(signature=bytes(64))
        spoilt = (*votes[:place], wrong, *votes[place + 1 :])
        message = evidence(honest, forged._replace(commit=forged.commit._replace(signatures=spoilt)))
        host.client.check_message(message)
        refused(host, message, InvalidMisbehaviour, "did not commit")


@pytest.mark.parametrize(
    ("one", "two", "error", "match"),
    [
        ({"height": 14}, {"height": 15}, InvalidMisbehaviour, "below"),
        ({"chain_id": "gaia-2"}, {}, InvalidMisbehaviour, "identical chain ids"),
        ({"base": 15}, {}, InvalidMisbehaviour, "trusted height"),
        ({"base": 9}, {}, ConsensusStateNotFound, "9"),
        ({}, {"base": 9}, ConsensusStateNotFound, "9"),
        ({"base": 0}, {}, InvalidHeaderHeight, "no trusted height"),
    ],
)
def test_pairs_that_are_refused(host, ring, one, two, error, match):
    message = evidence(
        header_at(**{"height": 15, "ring": ring} | one), header_at(**{"height": 15, "ring": ring} | two)
    )
    refused(host, message, error, match)


def test_missing_parts(host, ring):
    honest = header_at(15, ring)
    refused(host, evidence(honest._replace(trusted_validators=None), honest), InvalidValidatorSet, "header_1")
    one = misbehaviour.encode_misbehaviour(Misbehaviour(CLIENT, honest, honest))
    refused(host, AnyMessage(MISBEHAVIOUR_TYPE_URL, b""), InvalidHeader, "header_1")
    message = misbehaviour.tendermint_pb2.Misbehaviour.FromString(one)
    message.ClearField("header_2")
    refused(host, AnyMessage(MISBEHAVIOUR_TYPE_URL, message.SerializeToString()), InvalidHeader, "header_2")
    message = misbehaviour.tendermint_pb2.Misbehaviour.FromString(one)
    message.header_1.ClearField("signed_header")
    refused(host, AnyMessage(MISBEHAVIOUR_TYPE_URL, message.SerializeToString()), InvalidMisbehaviour, "nil")


def wrong_time_of_a_vote(header):
    votes = header.signed_header.commit.signatures
    (votes[1] if votes else votes.add()).timestamp.nanos = 10**9


def wrong_time(header):
    header.signed_header.header.time.seconds = 253_402_300_800


def nothing_else(_):
    pass


@pytest.mark.parametrize("spoil", [wrong_time_of_a_vote, wrong_time])
@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize(
    "also",
    [
        nothing_else,
        lambda evidence: evidence.header_1.ClearField("trusted_validators"),
        lambda evidence: evidence.header_1.ClearField("trusted_height"),
        lambda evidence: evidence.header_1.signed_header.ClearField("commit"),
        lambda evidence: setattr(evidence, "client_id", ""),
    ],
)
def test_an_impossible_time_comes_before_all_else(host, ring, spoil, number, also):
    """Go's decoder of transactions sees it, before anything is checked."""
    honest = header_at(15, ring)
    one = misbehaviour.encode_misbehaviour(Misbehaviour(CLIENT, honest, honest))
    message = misbehaviour.tendermint_pb2.Misbehaviour.FromString(one)
    also(message)
    spoil(getattr(message, f"header_{number}"))
    refused(host, AnyMessage(MISBEHAVIOUR_TYPE_URL, message.SerializeToString()), TxDecode, "timestamp|time")


@pytest.mark.parametrize("spoil", [wrong_time_of_a_vote, wrong_time])
def test_an_impossible_time_of_a_header_comes_first(host, ring, spoil):
    message = misbehaviour.client_header_to(header_at(15, ring))
    spoil(message)
    missing = "header" if spoil is wrong_time_of_a_vote else "commit"
    message.signed_header.ClearField(missing)
    refused(host, AnyMessage(HEADER_TYPE_URL, message.SerializeToString()), TxDecode, "is no time")


def test_evidence_older_than_the_trusting_period_is_refused(host, ring):
    end = 10 + 14 * DAY
    host.at(end - 1).client.verify_client_message(host.ctx, CLIENT, fork(ring))
    with pytest.raises(TrustingPeriodExpired):
        host.at(end).client.verify_client_message(host.ctx, CLIENT, fork(ring))


def test_a_fork_under_the_next_revision_is_verified_with_its_chain_id(host, ring):
    """The chain id's revision is taken from the headers, as ibc-go does."""
    assert host.at(30).update(fork(ring, chain_id="gaia-2")) == "frozen"
    assert misbehaviour._chain_id_at("gaia-1", 2) == "gaia-2"
    assert misbehaviour._chain_id_at("gaia", 2) == "gaia"
