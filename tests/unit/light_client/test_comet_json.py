"""Headers, commits and validators in JSON; those of real nodes are in tests/vectors/test_comet_json.py."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from light_client.tendermint import comet_json
from light_client.tendermint.types import (
    ED25519,
    NO_BLOCK,
    SECP256K1,
    BlockId,
    Commit,
    CommitSig,
    Header,
    SignedHeader,
    Validator,
)
from pyibc.codec.gotime import GO_ZERO_TIME_NS

some_bytes = st.binary(max_size=33)
heights = st.integers(-(2**63), 2**63 - 1)
times = st.integers(GO_ZERO_TIME_NS, 253_402_300_799 * 10**9)
block_ids = st.builds(BlockId, some_bytes, st.integers(0, 2**32 - 1), some_bytes)
header_values = st.builds(
    Header,
    st.text(max_size=8),
    heights,
    times,
    block_ids,
    *[some_bytes] * 9,
    version_block=st.integers(0, 2**64 - 1),
    version_app=st.integers(0, 2**64 - 1),
)
votes = st.lists(st.builds(CommitSig, st.integers(1, 3), some_bytes, times, some_bytes), max_size=3)
commits = st.builds(Commit, heights, st.integers(0, 9), block_ids, votes.map(tuple))
members = st.builds(
    Validator, some_bytes, st.sampled_from([ED25519, SECP256K1]), some_bytes, heights, heights
)


@given(st.builds(SignedHeader, header_values, commits))
def test_what_is_written_is_read_back(signed):
    assert comet_json.read_signed_header(comet_json.write_signed_header(signed)) == signed


@given(st.lists(members, max_size=3))
def test_validators_are_read_back(given_members):
    written = [comet_json.write_validator(member) for member in given_members]
    assert comet_json.read_validators(written) == tuple(given_members)


def test_what_is_empty_may_be_null_or_absent():
    empty = comet_json.read_header({"height": "3"})
    assert (empty.chain_id, empty.height, empty.time_ns) == ("", 3, GO_ZERO_TIME_NS)
    assert (empty.last_block_id, empty.app_hash) == (NO_BLOCK, b"")
    assert (empty.version_block, empty.version_app) == (0, 0)
    null = {"height": 3, "time": None, "last_block_id": None, "app_hash": None, "version": None}
    assert comet_json.read_header(null) == empty
    vote = {"block_id_flag": 1, "validator_address": "", "timestamp": None, "signature": None}
    commit = comet_json.read_commit({"height": 3, "signatures": [vote]})
    assert commit == Commit(3, 0, NO_BLOCK, (CommitSig(1),))
    assert comet_json.read_commit({"height": "3", "signatures": None}) == Commit(3, 0, NO_BLOCK, ())
    assert comet_json.read_validators(None) == ()


def test_older_names_of_fields():
    parts = {"total": "1", "hash": "AB"}
    assert comet_json.read_block_id({"hash": "cd", "part_set_header": parts}) == BlockId(b"\xcd", 1, b"\xab")
    key = {"type": "tendermint/PubKeyEd25519", "value": "AQI="}
    (member,) = comet_json.read_validators([{"address": "0F", "pub_key": key, "power": "7"}])
    assert member == Validator(b"\x0f", ED25519, b"\x01\x02", 7)


@pytest.mark.parametrize(
    "spoilt",
    [
        {},
        {"height": "three"},
        {"height": "3", "app_hash": "0"},
        {"height": "3", "app_hash": "0 "},
        {"height": "3", "app_hash": 5},
        {"height": "3", "time": "yesterday"},
        {"height": "3", "version": {"block": "1_1"}},
    ],
)
def test_what_is_no_header(spoilt):
    with pytest.raises((ValueError, KeyError, TypeError)):
        comet_json.read_header(spoilt)
