"""Refused input is forgotten; verification is charged before it is done."""

import gc
import tracemalloc

import pytest

from conformance.vectors import synthetic_headers as make
from conformance.vectors.synthetic import chain_of
from ibc_module.plugin import Config, LightClientsPlugin
from light_client.interface import Claim
from light_client.tendermint import codec
from light_client.tendermint.client import TendermintLightClient, price_of_proof
from light_client.tendermint.header_cache import VERIFIED_MESSAGES, price_of_header
from light_client.tendermint.types import ADDRESSES, LEAVES, MAX_VALIDATORS, SignedHeader
from pyibc.codec.anys import AnyMessage
from pyibc.core import native
from pyibc.core.crypto import signatures
from pyibc.core.errors import (
    HeaderFromFuture,
    InvalidProof,
    MalformedCommit,
    MalformedHeader,
    MalformedValidatorSet,
    NotEnoughTrust,
    OutOfGas,
)
from pyibc.core.height import Height
from pyibc.core.host.gas import DEFAULT_PRICES, UNLIMITED, Prices
from pyibc.core.proofs import SDK_SPECS, fast
from pyibc.core.proofs.spec import IAVL_SPEC, InnerSpec
from pyibc.default_plugins import plugins
from pyibc.proto.ibc.lightclients.tendermint.v1 import tendermint_pb2
from pyibc.proto.tendermint.types import types_pb2, validator_pb2
from tests.sampling import rounds

CHAIN = "gaia-1"
CLIENT = "07-tendermint-0"
MEMORIES = (VERIFIED_MESSAGES, ADDRESSES, LEAVES, signatures.VERIFIED)


@pytest.fixture(autouse=True)
def empty():
    for memory in MEMORIES:
        memory.clear()


def update(height, ring, **change):
    header = make.header(CHAIN, height, ring)._replace(**change)
    block = SignedHeader(header, make.commit(header, ring))
    made = make.client_header(block, ring, 10)._replace(trusted_height=Height(1, 10))
    return codec.pack_client_header(made)


def test_h62_a_header_that_check_refuses_leaves_nothing(host):
    malformed = update(11, host.ring, proposer_address=b"short")
    with pytest.raises(MalformedHeader, match="proposer_address"):
        host.client.check_message(malformed)
    assert [len(memory) for memory in MEMORIES] == [0, 0, 0, 0]


def test_h62_a_header_that_check_alone_took_leaves_nothing(host):
    host.client.check_message(update(11, host.ring))
    assert [len(memory) for memory in MEMORIES] == [0, 0, 0, 0]


def test_h62_a_header_that_verification_refuses_leaves_no_header(host):
    before = host.entries()
    late = update(5_000, host.ring)
    host.client.check_message(late)
    with pytest.raises(HeaderFromFuture):
        host.client.verify_client_message(host.ctx, CLIENT, late)
    assert [len(memory) for memory in MEMORIES] == [0, 0, 0, 0]
    assert host.entries() == before


def test_h62_strangers_validators_are_not_kept(host):
    strangers = make.keyring([7, 6, 5], "strangers")
    header = make.header(CHAIN, 13, strangers)
    block = SignedHeader(header, make.commit(header, strangers))
    made = make.client_header(block, strangers, 10)._replace(
        trusted_height=Height(1, 10), trusted_validators=host.ring.validators
    )
    message = codec.pack_client_header(made)
    with pytest.raises(NotEnoughTrust):
        host.at(14).client.verify_client_message(host.ctx, CLIENT, message)
    assert (len(VERIFIED_MESSAGES), len(ADDRESSES), len(LEAVES)) == (0, 0, 0)


def test_h62_a_header_that_is_taken_is_decoded_once_from_then_on(host, monkeypatch):
    message = update(11, host.ring)
    host.update(message)
    assert list(VERIFIED_MESSAGES) == [message]
    members = 0 if native.NATIVE else len(host.ring.validators)  # native code makes none in Python
    assert len(ADDRESSES) == len(LEAVES) == members
    monkeypatch.setattr("light_client.tendermint.header_cache.decode_client_header", None)
    host.client.check_message(message)
    host.client.verify_client_message(host.ctx, CLIENT, message)
    assert VERIFIED_MESSAGES.weight >= len(message.value)


def test_h62_a_refused_proof_leaves_nothing(host):
    made = chain_of({b"k": b"v", b"l": b"w"})
    known = len(fast._SHARED)
    with pytest.raises(InvalidProof):
        host.client.verify_membership(
            host.ctx, CLIENT, Claim(Height(1, 10), made.prove(b"k"), (b"ibc", b"k"), b"v")
        )
    assert len(fast._SHARED) == known


def bulky(number, votes):
    """A header of many empty votes: two bytes each on the wire, objects of three hundred in memory."""
    message = tendermint_pb2.Header()
    message.signed_header.header.version.block = 11
    message.signed_header.header.height = number
    commit = types_pb2.Commit(height=number, signatures=[types_pb2.CommitSig()] * votes)
    message.signed_header.commit.CopyFrom(commit)
    return AnyMessage(codec.HEADER_TYPE_URL, message.SerializeToString())


def refused_headers(count, votes):
    """The bytes that are still held after a client has refused `count` headers."""
    client = TendermintLightClient()
    gc.collect()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        for number in range(1, count + 1):
            with pytest.raises(MalformedHeader):
                client.check_message(bulky(number, votes))
        gc.collect()
        return tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()


def test_h62_refused_headers_are_not_held():
    assert refused_headers(60, votes=1_000) < 1_000_000


def test_h62_ten_thousand_refused_headers_leave_less_than_64_megabytes():
    """Or a part of them, which leave the same part: 6,400 bytes a header would be 64 megabytes."""
    count = rounds(200, 10_000)
    assert refused_headers(count, votes=200) < count * (64 << 20) // 10_000


def test_h61_a_commit_has_as_many_votes_as_cometbft_has_validators():
    within, beyond = bulky(5, MAX_VALIDATORS), bulky(5, MAX_VALIDATORS + 1)
    assert len(codec.decode_client_header(within.value).commit.signatures) == MAX_VALIDATORS
    with pytest.raises(MalformedCommit, match="more than 10000"):
        codec.decode_client_header(beyond.value)


def test_h61_a_set_has_as_many_validators_as_cometbft_has(monkeypatch):
    monkeypatch.setattr(codec, "_validator_from", lambda _: pytest.fail("a validator was looked at"))
    message = validator_pb2.ValidatorSet(validators=[validator_pb2.Validator()] * (MAX_VALIDATORS + 1))
    with pytest.raises(MalformedValidatorSet, match="more than 10000"):
        codec.validator_set_from(message)


def spent_on(host, client, message):
    """Gas of a verification."""
    host.ctx.gas.reset(UNLIMITED)
    client.verify_client_message(host.ctx, CLIENT, message)
    return host.ctx.gas.used


def test_h61_signatures_are_paid_for_before_one_is_verified(host, monkeypatch):
    verified = []
    monkeypatch.setattr(
        "light_client.tendermint.verifier.verify_signature", lambda *given: verified.append(given) or True
    )
    message, before = update(11, host.ring), host.entries()
    price = price_of_header(DEFAULT_PRICES, codec.decode_client_header(message.value))
    needed = spent_on(host, host.client, message)
    assert needed == spent_on(host, TendermintLightClient(Prices(0, 0, 0, 0)), message) + price
    verified.clear()
    VERIFIED_MESSAGES.clear()
    host.ctx.gas.reset(needed - 1)
    with pytest.raises(OutOfGas):
        host.client.verify_client_message(host.ctx, CLIENT, message)
    assert not verified
    assert not VERIFIED_MESSAGES
    assert host.entries() == before


def test_h61_evidence_pays_for_both_headers_before_a_signature_is_verified(host, monkeypatch):
    """Its commits were verified when it was decoded: for anybody, at the mempool's door."""
    verified, ask = [], signatures.verify_signature
    monkeypatch.setattr(
        "light_client.tendermint.verifier.verify_signature",
        lambda *given: verified.append(given) or ask(*given),
    )
    before = host.entries()
    one, two = update(12, host.ring), update(11, host.ring, app_hash=b"a" * 32)
    evidence = tendermint_pb2.Misbehaviour(client_id=CLIENT)
    evidence.header_1.ParseFromString(one.value)
    evidence.header_2.ParseFromString(two.value)
    message = AnyMessage(codec.MISBEHAVIOUR_TYPE_URL, evidence.SerializeToString())
    price = sum(
        price_of_header(DEFAULT_PRICES, codec.decode_client_header(each.value)) for each in (one, two)
    )
    host.client.check_message(message)
    host.ctx.gas.reset(price - 1)
    with pytest.raises(OutOfGas):
        host.client.verify_client_message(host.ctx, CLIENT, message)
    assert not VERIFIED_MESSAGES
    assert not verified
    assert host.entries() == before
    host.ctx.gas.reset(UNLIMITED)
    host.client.verify_client_message(host.ctx, CLIENT, message)
    assert list(VERIFIED_MESSAGES) == [message]
    assert host.ctx.gas.used > price
    assert len(verified) >= 2
    verified.clear()
    host.client.verify_client_message(host.ctx, CLIENT, message)  # its own commits are known to be right
    assert len(verified) == 2


def test_h61_a_header_costs_its_votes_and_its_validators(host):
    header = codec.decode_client_header(update(11, host.ring).value)
    assert price_of_header(Prices(0, 0, 0, 0), header) == 0
    assert price_of_header(Prices(signature=7, validator=100), header) == 7 * 4 + 100 * 8


def test_h61_proofs_are_paid_for_before_they_are_read(host, monkeypatch):
    read = []
    for name in ("verify_membership", "verify_non_membership"):
        monkeypatch.setattr(f"light_client.tendermint.client.{name}", lambda *given: read.append(given))
    claim = Claim(Height(1, 10), bytes(5_000), (b"ibc", b"k"), b"v")
    for verify in (host.client.verify_membership, host.client.verify_non_membership):
        host.ctx.gas.reset(UNLIMITED)
        verify(host.ctx, CLIENT, claim)
        price = host.ctx.gas.used
        host.ctx.gas.reset(price - 1)
        with pytest.raises(OutOfGas):
            verify(host.ctx, CLIENT, claim)
    assert len(read) == 2


def test_h61_proofs_by_foreign_specifications_cost_more_and_their_children_count():
    children = IAVL_SPEC._replace(inner_spec=InnerSpec(tuple(range(256)), 33, 4, 12, hash=4))
    assert price_of_proof(DEFAULT_PRICES, SDK_SPECS, bytes(1_000)) == 1_000
    assert price_of_proof(DEFAULT_PRICES, (children, IAVL_SPEC), bytes(1_000)) == 10 * (1_000 + 258)
    assert price_of_proof(Prices(0, 0, 0, 0), (children,), bytes(1_000)) == 0


def test_h61_a_host_sets_the_prices():
    prices = Prices(signature=7, validator=6, proof_byte=5, foreign_proof_byte=4)
    (light_clients,) = [
        part for part in plugins(Config(prices=prices)) if isinstance(part, LightClientsPlugin)
    ]
    tendermint, solomachine, _ = light_clients.ibc_register_light_clients()
    assert tendermint._prices == prices
    assert solomachine._price == 7
