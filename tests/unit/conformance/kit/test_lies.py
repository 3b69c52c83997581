"""Every lie is refused by the name it is listed with; what the true keys sign is taken, and then freezes."""

from fractions import Fraction

import pytest

from conformance.kit.forged_headers import EQUIVOCATIONS, FORGERIES, YEAR_NS
from conformance.kit.headers import header_of, signed, signers
from ibc_core import paths
from ibc_core.client.update import MsgUpdateClient
from ibc_core.errors import HeaderVerificationError, NextValidatorsHashMismatch, WrongValidatorAddress
from ibc_core.wire.message import pack_msg
from light_client.tendermint.codec import pack_client_header
from light_client.tendermint.hashing import validator_set_hash
from light_client.tendermint.state_codec import load_client_state
from light_client.tendermint.verifier import Options, Trusted, verify_header
from light_client.tendermint.voting import TrustLevel
from localnet.consensus.keys import Keyring, ValidatorKey

OPTIONS = Options(TrustLevel(1, 3), 14 * 86_400 * 10**9, 10 * 10**9)


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


@pytest.mark.parametrize("name", FORGERIES)
def test_refused_by_name(busy, name):
    lie = FORGERIES[name]
    told = lie.forge(header_of(busy, 6, 2), busy.keyring)
    with pytest.raises(HeaderVerificationError) as caught:
        verify(busy, told, busy.tip().time_ns)
    assert type(caught.value) is lie.error


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


def test_the_future_arrives_in_time(busy):
    told = FORGERIES["from_the_future"].forge(header_of(busy, 6, 2), busy.keyring)
    assert told.header.time_ns - busy.record(6).header.time_ns == YEAR_NS


@pytest.mark.parametrize("name", EQUIVOCATIONS)
def test_what_the_true_keys_sign_verifies(busy, name):
    told = EQUIVOCATIONS[name](header_of(busy, 6, 2), busy.keyring)
    verify(busy, told, busy.tip().time_ns)
    assert told.header != busy.record(6).header


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


@pytest.mark.parametrize("name", EQUIVOCATIONS)
def test_a_client_on_chain_freezes_when_it_sees_both(pair, path, name):
    chain = pair.b.chain
    client = path.a.client_id
    state = load_client_state(pair.a.chain.get(paths.client_state_path(client)))
    latest = state.latest_height.revision_height
    honest = header_of(chain, latest, min(held(pair, client)))
    told = EQUIVOCATIONS[name](honest, chain.keyring)
    message = MsgUpdateClient(client, pack_client_header(told), pair.a.address("relayer"))
    assert pair.a.execute("relayer", pack_msg(message)).code == 0
    assert not load_client_state(pair.a.chain.get(paths.client_state_path(client))).frozen_height.is_zero


@pytest.mark.parametrize("name", sorted(set(FORGERIES) - {"from_the_past"}))
def test_a_client_on_chain_refuses_and_stays_as_it_was(pair, path, name):
    chain, client = pair.b.chain, path.a.client_id
    base = max(held(pair, client))
    for _ in range(3):
        chain.make_block()
    told = FORGERIES[name].forge(header_of(chain, base + 2, base), chain.keyring)
    before = pair.a.chain.get(paths.client_state_path(client))
    message = MsgUpdateClient(client, pack_client_header(told), pair.a.address("relayer"))
    outcome = pair.a.execute("relayer", pack_msg(message))
    assert outcome.code
    assert outcome.codespace in {"cometbft", "07-tendermint", "client"}, outcome.log
    assert pair.a.chain.get(paths.client_state_path(client)) == before


def held(pair, client):
    """Heights of the client's consensus states."""
    prefix = paths.iteration_prefix(client)
    found = pair.a.chain.app.store.store("ibc").iterate(prefix, paths.prefix_end(prefix))
    return [int.from_bytes(key[-8:], "big") for key, _ in found]


def test_a_keyring_without_keys_signs_nothing(busy):
    told = EQUIVOCATIONS["other_state"](header_of(busy, 6, 2), Keyring([]))
    assert signers(told) == []
