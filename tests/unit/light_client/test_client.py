import pytest

from conformance.vectors import synthetic_headers as make
from conformance.vectors.synthetic import chain_of
from light_client.interface import Claim
from light_client.tendermint import store
from light_client.tendermint.codec import pack_client_header
from light_client.tendermint.states import ConsensusState
from light_client.tendermint.types import SignedHeader
from pyibc.codec.anys import AnyMessage
from pyibc.core import paths
from pyibc.core.errors import (
    ClientNotActive,
    ClientNotFound,
    ConsensusStateNotFound,
    DelayPeriodNotPassed,
    IbcError,
    InvalidClientType,
    InvalidHeight,
    InvalidProof,
    InvalidSubstitute,
    InvalidTendermintChainId,
    NonMonotonicTime,
    ProcessedHeightNotFound,
    ProcessedTimeNotFound,
    UpdateClientFailed,
)
from pyibc.core.height import Height

CHAIN = "gaia-1"
CLIENT = "07-tendermint-0"
DAY = 86_400


def update_at(height, ring, base=10, **change):
    header = make.header(CHAIN, height, ring)._replace(**change)
    block = SignedHeader(header, make.commit(header, ring))
    return pack_client_header(make.client_header(block, ring, base)._replace(trusted_height=Height(1, base)))


def test_no_header_is_taken_whose_time_does_not_grow(host, ring):
    """So a plain comparison tells whether a packet expired, on a chain whatever its own rules say."""
    before = host.entries()
    trusted_ns = make.START_NS + 10 * 10**9
    with pytest.raises(NonMonotonicTime):
        host.at(40).update(update_at(12, ring, time_ns=trusted_ns))
    assert host.entries() == before
    assert host.at(40).update(update_at(12, ring, time_ns=trusted_ns + 1)) == [Height(1, 12)]


def test_a_time_not_after_the_one_before_freezes(host, ring):
    host.at(40).update(update_at(15, ring))
    late = make.START_NS + 15 * 10**9
    assert host.client.check_for_misbehaviour(host.ctx, CLIENT, update_at(16, ring, time_ns=late))
    assert not host.client.check_for_misbehaviour(host.ctx, CLIENT, update_at(16, ring, time_ns=late + 1))


def test_a_time_not_before_the_one_after_freezes(host, ring):
    host.at(40).update(update_at(15, ring))
    late = make.START_NS + 15 * 10**9
    assert host.client.check_for_misbehaviour(host.ctx, CLIENT, update_at(14, ring, time_ns=late))
    assert not host.client.check_for_misbehaviour(host.ctx, CLIENT, update_at(14, ring, time_ns=late - 1))


@pytest.mark.parametrize("distance", [1, 63, 64, 65, 600, 5000, 100_000])
def test_the_state_before_is_found_at_any_distance(host, ring, distance):
    found = store.previous_consensus_state(host.ctx, CLIENT, Height(1, 10 + distance))
    assert found == store.consensus_state(host.ctx, CLIENT, Height(1, 10))
    assert store.previous_consensus_state(host.ctx, CLIENT, Height(1, 10)) is None
    assert store.previous_consensus_state(host.ctx, CLIENT, Height(2, 1)) == found
    assert store.next_consensus_state(host.ctx, CLIENT, Height(0, 99)) == found
    assert store.next_consensus_state(host.ctx, CLIENT, Height(1, 10)) is None


def test_states_of_another_client_are_not_its_own(host, ring):
    host.create(host.state, store.consensus_state(host.ctx, CLIENT, Height(1, 10)), "07-tendermint-01")
    assert store.previous_consensus_state(host.ctx, "07-tendermint-00", Height(9, 9)) is None
    assert store.oldest_height(host.ctx, "07-tendermint-00") is None


def test_only_the_oldest_expired_state_is_pruned(host, ring):
    for height in (11, 12):
        host.at(20).update(update_at(height, ring))
    host.at(15 + 14 * DAY)
    host.client.update_state(host.ctx, CLIENT, update_at(13, ring))
    for height, kept in ((10, False), (11, True), (12, True), (13, True)):
        assert (store.find_consensus_state(host.ctx, CLIENT, Height(1, height)) is not None) is kept
    for path in (paths.processed_time_path, paths.processed_height_path, paths.iteration_path):
        assert host.ctx.ibc.get(path(CLIENT, Height(1, 10))) is None


def test_a_header_whose_revision_no_height_can_hold_changes_nothing(host, ring):
    before = host.entries()
    with pytest.raises(InvalidTendermintChainId):
        host.at(20).update(update_at(15, ring, chain_id=f"gaia-{2**64}"))
    assert host.entries() == before


class TestProofs:
    """A proof is judged alike whether the client's status was asked before or is asked with it."""

    KEY, VALUE = b"commitments/1", b"v" * 32

    @pytest.fixture(params=["", "_if_active"], autouse=True)
    def _question(self, request):
        self.asked = request.param

    @pytest.fixture
    def proven(self, host, ring):
        state = chain_of({self.KEY: self.VALUE, b"z": b"z", b"a": b"a"})
        host.at(20).update(update_at(15, ring, app_hash=state.root))
        return state

    def check(self, host, state, height=15, delay=(0, 0), key=KEY, value=VALUE):
        claim = Claim(Height(1, height), state.prove(key), (b"ibc", key), value, *delay)
        getattr(host.client, f"verify_membership{self.asked}")(host.ctx, CLIENT, claim)

    def absent(self, host, state, height=15, delay=(0, 0), key=b"m"):
        claim = Claim(Height(1, height), state.prove(key), (b"ibc", key), b"", *delay)
        getattr(host.client, f"verify_non_membership{self.asked}")(host.ctx, CLIENT, claim)

    @pytest.mark.parametrize(
        ("height", "error"), [(16, InvalidHeight), (12, ConsensusStateNotFound), (10, InvalidProof)]
    )
    def test_heights(self, host, proven, height, error):
        for check in (self.check, self.absent):
            with pytest.raises(error):
                check(host, proven, height=height)

    def test_the_delay_in_time_includes_its_last_nanosecond(self, host, proven):
        came = host.ctx.time_ns
        host.ctx.time_ns = came + 100
        for check in (self.check, self.absent):
            check(host, proven, delay=(100, 0))
            with pytest.raises(DelayPeriodNotPassed):
                check(host, proven, delay=(101, 0))
            with pytest.raises(DelayPeriodNotPassed):
                check(host, proven, delay=(2**64 - 1, 2**64 - 1))

    def test_the_delay_in_blocks_includes_its_last_block(self, host, proven):
        host.ctx.height = Height(1, 7 + 3)
        self.check(host, proven, delay=(0, 3))
        with pytest.raises(DelayPeriodNotPassed):
            self.check(host, proven, delay=(0, 4))

    def test_missing_metadata(self, host, proven):
        host.ctx.ibc.delete(paths.processed_time_path(CLIENT, Height(1, 15)))
        host.ctx.ibc.delete(paths.processed_height_path(CLIENT, Height(1, 15)))
        with pytest.raises(ProcessedTimeNotFound):
            self.check(host, proven, delay=(1, 0))
        with pytest.raises(ProcessedHeightNotFound):
            self.check(host, proven, delay=(0, 1))


class TestActive:
    """A client that is not Active proves nothing, whatever its states say."""

    CLAIM = Claim(Height(1, 10), b"", (b"ibc", b"key"), b"v")

    def refuse(self, host, status):
        before = host.ctx.writes("ibc")
        for ask in (host.client.verify_membership_if_active, host.client.verify_non_membership_if_active):
            with pytest.raises(ClientNotActive) as refusal:
                ask(host.ctx, CLIENT, self.CLAIM)
            assert (refusal.value.client_id, refusal.value.status) == (CLIENT, status)
        assert host.ctx.writes("ibc") == before

    def test_h15_a_frozen_one_proves_nothing(self, host):
        host.client.update_state_on_misbehaviour(host.ctx, CLIENT, None)
        self.refuse(host, "Frozen")

    def test_h15_an_expired_one_proves_nothing(self, host):
        newest = store.consensus_state(host.ctx, CLIENT, Height(1, 10))
        host.ctx.time_ns = newest.time_ns + store.client_state(host.ctx, CLIENT).trusting_period_ns
        self.refuse(host, "Expired")

    def test_h15_one_without_its_newest_state_proves_nothing(self, host):
        store.delete_consensus_state(host.ctx, CLIENT, Height(1, 10))
        self.refuse(host, "Expired")

    def test_h15_one_that_is_not_there_proves_nothing(self, host):
        host.ctx.ibc.delete(paths.client_state_path(CLIENT))
        self.refuse(host, "Unknown")


class TestRecovery:
    OTHER = "07-tendermint-1"

    @pytest.fixture
    def pair(self, host, ring):
        host.create(
            host.state._replace(latest_height=Height(1, 50), trusting_period_ns=5 * DAY * 10**9),
            ConsensusState(make.START_NS + 50 * 10**9, b"r" * 32, ring.validators.hash),
            self.OTHER,
        )
        return host.at(60 + 14 * DAY)

    @pytest.mark.parametrize(
        "change",
        [
            {"unbonding_period_ns": 1},
            {"max_clock_drift_ns": 1},
            {"upgrade_path": ("x",)},
            {"proof_specs": ()},
        ],
    )
    def test_a_substitute_that_follows_otherwise_is_refused(self, pair, change):
        state = store.client_state(pair.ctx, self.OTHER)
        store.set_client_state(pair.ctx, self.OTHER, state._replace(**change))
        before = pair.entries()
        with pytest.raises(InvalidSubstitute):
            pair.client.recover(pair.ctx, CLIENT, self.OTHER)
        assert pair.entries() == before

    def test_substitutes_that_cannot_be(self, pair):
        for other, error in (("06-solomachine-0", InvalidClientType), ("07-tendermint-8", ClientNotFound)):
            with pytest.raises(error):
                pair.client.recover(pair.ctx, CLIENT, other)

    def test_a_substitute_without_its_newest_state(self, pair):
        pair.ctx.ibc.delete(paths.processed_time_path(self.OTHER, Height(1, 50)))
        with pytest.raises(UpdateClientFailed):
            pair.client.recover(pair.ctx, CLIENT, self.OTHER)
        pair.ctx.ibc.delete(paths.consensus_state_path(self.OTHER, Height(1, 50)))
        with pytest.raises(ConsensusStateNotFound):
            pair.client.recover(pair.ctx, CLIENT, self.OTHER)


def test_h13_every_message_and_method_raises_only_our_errors(host, ring):
    messages = [
        AnyMessage(url, body)
        for url in (
            "",
            "/ibc.lightclients.tendermint.v1.Header",
            "/ibc.lightclients.tendermint.v1.Misbehaviour",
        )
        for body in (b"", b"\x0a\x00", b"\x12\x00\x1a\x00", b"\xff")
    ]
    for message in messages:
        for method in ("verify_client_message", "check_for_misbehaviour", "update_state"):
            with pytest.raises(IbcError):
                getattr(host.client, method)(host.ctx, CLIENT, message)
