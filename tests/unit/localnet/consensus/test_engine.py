"""Blocks that the light client of `light_client/tendermint` takes for CometBFT's."""

import pytest

from light_client.tendermint.codec import commit_from
from light_client.tendermint.hashing import commit_hash, header_hash, validator_set_hash
from light_client.tendermint.types import FLAG_ABSENT, SignedHeader, check_commit, check_header
from light_client.tendermint.verifier import check_commit_of, check_signed_header
from localnet.consensus.sign_state import ValidatorKey
from pyibc.core.errors import HeaderVerificationError, NotEnoughPower
from pyibc.proto.tendermint.types import types_pb2

SECOND = 1_000_000_000


def signed(chain, height):
    record = chain.record(height)
    return SignedHeader(record.header, commit_from(types_pb2.Commit.FromString(record.commit)))


def last_commit(chain, height):
    return commit_from(types_pb2.Commit.FromString(chain.record(height).last_commit))


@pytest.fixture
def busy(chain, sign):
    for sequence in range(6):
        chain.submit(sign(sequence=sequence))
        chain.make_block()
    return chain


def test_every_header_and_commit_verifies(busy):
    for height in range(1, busy.height + 1):
        block = signed(busy, height)
        check_header(block.header)
        check_commit(block.commit)
        check_signed_header(block, "chain-1")
        check_commit_of(block, "chain-1", busy.validators(height))


def test_headers_chain(busy):
    for height in range(2, busy.height + 1):
        before, here = busy.record(height - 1), busy.record(height).header
        assert here.last_block_id == before.block_id
        assert here.last_block_id.hash == header_hash(before.header)
        assert here.app_hash == before.result.app_hash
        assert here.last_commit_hash == commit_hash(last_commit(busy, height))
        assert here.validators_hash == before.header.next_validators_hash
        assert here.validators_hash == validator_set_hash(busy.validators(height))
        assert here.next_validators_hash == validator_set_hash(busy.validators(height + 1))


def test_block_time_is_the_median_of_the_last_commit(busy):
    for height in range(2, busy.height + 1):
        times = [(sig.time_ns, 10) for sig in last_commit(busy, height).signatures if sig.flag != FLAG_ABSENT]
        half = sum(power for _, power in times) // 2
        ordered = sorted(times)
        while half > ordered[0][1]:  # CometBFT's WeightedMedian
            half -= ordered.pop(0)[1]
        assert busy.record(height).header.time_ns == ordered[0][0]


def test_one_of_four_may_be_offline_two_may_not(chain):
    chain.offline = {chain.keys[0].address}
    chain.make_block()
    block = signed(chain, chain.height)
    assert [sig.flag for sig in block.commit.signatures].count(FLAG_ABSENT) == 1
    check_commit_of(block, "chain-1", chain.validators(chain.height))
    chain.make_block()
    assert last_commit(chain, chain.height).signatures.count(block.commit.signatures[0]) in {0, 1}
    chain.offline.add(chain.keys[1].address)
    before = chain.tip()
    with pytest.raises(NotEnoughPower):
        chain.make_block()
    assert chain.tip() == before
    chain.offline.clear()
    assert chain.make_block().height == before.height + 1


def test_validator_changes_take_effect_two_blocks_later(chain):
    new = ValidatorKey.from_text("newcomer")
    at = chain.make_block([], updates={new: 25, chain.keys[0]: 0, chain.keys[1]: 11}).height
    chain.make_block([])
    chain.make_block([])
    addresses = [
        {member.address for member in chain.validators(height).validators} for height in (at, at + 1, at + 2)
    ]
    assert new.address not in addresses[0] | addresses[1]
    assert addresses[2] == (addresses[0] | {new.address}) - {chain.keys[0].address}
    assert [member.power for member in chain.validators(at + 2).validators] == [25, 11, 10, 10]
    block = signed(chain, at + 2)
    check_commit_of(block, "chain-1", chain.validators(at + 2))
    with pytest.raises(HeaderVerificationError):
        check_commit_of(block, "chain-1", chain.validators(at + 1))


@pytest.mark.parametrize("powers", [{"newcomer": 0}, {f"localnet/chain-1/{n}": 0 for n in range(4)}])
def test_impossible_changes_are_refused_before_anything_happens(chain, powers):
    before = chain.tip()
    with pytest.raises(ValueError, match="validator"):
        chain.make_block([], updates={ValidatorKey.from_text(name): power for name, power in powers.items()})
    assert chain.tip() == before
    chain.make_block([])


def test_time_must_grow(chain):
    before = chain.tip()
    with pytest.raises(ValueError, match="not after"):
        chain.make_block([], time_ns=before.time_ns)
    assert chain.tip() == before
    assert chain.make_block([], time_ns=before.time_ns + 1).time_ns == before.time_ns + 1
