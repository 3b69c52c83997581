import pytest

from conformance.vectors import synthetic_headers as make
from conformance.vectors.synthetic import join_proofs
from light_client.interface import UpgradedStates
from light_client.registry import DuplicateLightClient, Registry, builtin_light_clients
from light_client.tendermint import states as state_codec
from light_client.tendermint import store, upgrade
from light_client.tendermint.codec import pack_client_header
from light_client.tendermint.states import (
    MAX_CHILDREN,
    MAX_PROOF_DEPTH,
    MAX_PROOF_SPECS,
    SENTINEL_ROOT,
    ClientState,
    ConsensusState,
    check_client_state,
    check_consensus_state,
)
from light_client.tendermint.types import SignedHeader
from light_client.tendermint.verifier import TrustLevel
from pyibc.codec.anys import AnyMessage, encode_any
from pyibc.core.errors import (
    ClientTypeNotFound,
    ConsensusStateNotFound,
    InvalidClient,
    InvalidConsensus,
    InvalidHeaderHeight,
    InvalidMaxClockDrift,
    InvalidProofSpecs,
    InvalidTendermintChainId,
    InvalidTrustingPeriod,
    InvalidTrustLevel,
    InvalidUnbondingPeriod,
    InvalidUpgradeClient,
    TxDecode,
    UnpackAny,
)
from pyibc.core.height import Height
from pyibc.core.proofs import IAVL_SPEC, SDK_SPECS, SMT_SPEC, ProofSpec

CLIENT = "07-tendermint-0"
DAY_NS = 86_400 * 10**9
STATE = ClientState("gaia-1", TrustLevel(1, 3), 14 * DAY_NS, 21 * DAY_NS, 10 * 10**9, Height(1, 10))
CONSENSUS = ConsensusState(1_700_000_000 * 10**9, b"r" * 32, b"n" * 32)


def spec_with(children):
    """A specification of so many children."""
    return IAVL_SPEC._replace(inner_spec=IAVL_SPEC.inner_spec._replace(child_order=tuple(range(children))))


UNSOUND = IAVL_SPEC._replace(inner_spec=IAVL_SPEC.inner_spec._replace(max_prefix_length=37))


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"frozen_height": Height(0, 1)},
        {"upgrade_path": ()},
        {"proof_specs": (SMT_SPEC, ProofSpec())},
        {"allow_update_after_expiry": True, "allow_update_after_misbehaviour": True},
        {"trust_level": TrustLevel(2**64 - 1, 2**64 - 1), "max_clock_drift_ns": -1},
    ],
)
def test_client_states_survive_their_bytes(change):
    state = STATE._replace(**change)
    assert state_codec.decode_client_state(state_codec.encode_client_state(state)) == state
    assert state_codec.load_client_state(state_codec.pack_client_state(state)) == state


def test_the_usual_specs_are_one_object():
    assert state_codec.decode_client_state(state_codec.encode_client_state(STATE)).proof_specs is SDK_SPECS


def test_fields_that_go_always_writes_are_written():
    empty = ClientState("", TrustLevel(0, 0), 0, 0, 0, Height(0, 0), proof_specs=(), upgrade_path=())
    assert state_codec.encode_client_state(empty).hex() == "12001a0022002a0032003a00"
    assert state_codec.encode_consensus_state(ConsensusState(0, b"", b"")).hex() == "0a001200"


def test_consensus_states_survive_their_bytes():
    raw = state_codec.encode_consensus_state(CONSENSUS)
    assert state_codec.decode_consensus_state(raw) == CONSENSUS
    assert state_codec.load_consensus_state(state_codec.pack_consensus_state(CONSENSUS)) == CONSENSUS


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"chain_id": ""}, InvalidTendermintChainId),
        ({"chain_id": " \t\u00a0"}, InvalidTendermintChainId),
        ({"chain_id": "c" * 51}, InvalidTendermintChainId),
        ({"chain_id": "\u00e9" * 26}, InvalidTendermintChainId),
        ({"chain_id": f"gaia-{2**64}", "latest_height": Height(0, 7)}, InvalidTendermintChainId),
        ({"trust_level": TrustLevel(0, 1)}, InvalidTrustLevel),
        ({"trust_level": TrustLevel(1, 4)}, InvalidTrustLevel),
        ({"trust_level": TrustLevel(2, 1)}, InvalidTrustLevel),
        ({"trust_level": TrustLevel(1, 0)}, InvalidTrustLevel),
        ({"trust_level": TrustLevel(1, 2**64 - 1)}, InvalidTrustLevel),
        ({"trust_level": TrustLevel(2**64 // 3 + 1, 2**64 // 3 + 1)}, InvalidTrustLevel),
        ({"trusting_period_ns": 0}, InvalidTrustingPeriod),
        ({"trusting_period_ns": -1}, InvalidTrustingPeriod),
        ({"trusting_period_ns": 21 * DAY_NS}, InvalidTrustingPeriod),
        ({"unbonding_period_ns": 0}, InvalidUnbondingPeriod),
        ({"max_clock_drift_ns": 0}, InvalidMaxClockDrift),
        ({"max_clock_drift_ns": -1}, InvalidMaxClockDrift),
        ({"max_clock_drift_ns": -(2**63)}, InvalidMaxClockDrift),
        ({"trusting_period_ns": -(2**63)}, InvalidTrustingPeriod),
        ({"unbonding_period_ns": -(2**63)}, InvalidUnbondingPeriod),
        ({"latest_height": Height(1, 0)}, InvalidHeaderHeight),
        ({"latest_height": Height(0, 10)}, InvalidHeaderHeight),
        ({"proof_specs": ()}, InvalidProofSpecs),
        ({"proof_specs": (IAVL_SPEC,) * (MAX_PROOF_SPECS + 1)}, InvalidProofSpecs),
        ({"proof_specs": (spec_with(MAX_CHILDREN + 1),)}, InvalidProofSpecs),
        ({"proof_specs": (IAVL_SPEC, IAVL_SPEC._replace(max_depth=MAX_PROOF_DEPTH + 1))}, InvalidProofSpecs),
        ({"proof_specs": (IAVL_SPEC._replace(min_depth=MAX_PROOF_DEPTH + 1),)}, InvalidProofSpecs),
        ({"upgrade_path": ("upgrade", " ")}, InvalidClient),
    ],
)
def test_h61_client_states_that_cannot_be(host, change, error):
    check_client_state(STATE)
    before = host.entries()
    with pytest.raises(error):
        host.create(STATE._replace(**change), CONSENSUS, "07-tendermint-5")
    assert host.entries() == before


@pytest.mark.parametrize(
    "spec",
    [
        ProofSpec(),
        IAVL_SPEC._replace(leaf_spec=None),
        IAVL_SPEC._replace(inner_spec=None),
        IAVL_SPEC._replace(inner_spec=IAVL_SPEC.inner_spec._replace(child_size=0)),
        UNSOUND,
    ],
)
def test_specifications_that_verify_next_to_nothing_are_taken(host, spec):
    """As by ibc-go; `test_h21_sizes_that_bound_nothing_verify_nothing` tries to prove something by them."""
    state = STATE._replace(proof_specs=(spec, SDK_SPECS[1]))
    host.create(state, CONSENSUS, "07-tendermint-5")
    stored = host.entries()[b"clients/07-tendermint-5/clientState"]
    assert state_codec.load_client_state(stored).proof_specs == state.proof_specs


def test_states_are_checked_without_a_store(host):
    raw, consensus = state_codec.encode_client_state(STATE), state_codec.encode_consensus_state(CONSENSUS)
    host.client.check_client_state(raw)
    host.client.check_consensus_state(consensus)
    with pytest.raises(InvalidProofSpecs):
        host.client.check_client_state(state_codec.encode_client_state(STATE._replace(proof_specs=())))
    with pytest.raises(InvalidConsensus):
        host.client.check_consensus_state(state_codec.encode_consensus_state(CONSENSUS._replace(root=b"")))


def test_client_states_at_the_bounds():
    for change in (
        {"proof_specs": (IAVL_SPEC,) * MAX_PROOF_SPECS},
        {"proof_specs": (spec_with(MAX_CHILDREN),)},
        {"proof_specs": (IAVL_SPEC._replace(max_depth=MAX_PROOF_DEPTH, min_depth=MAX_PROOF_DEPTH),)},
        {"trust_level": TrustLevel(1, 1)},
        {"chain_id": "c" * 48 + "-1"},
        {"upgrade_path": ()},
        {"proof_specs": (SMT_SPEC,)},
    ):
        check_client_state(STATE._replace(**change))


@pytest.mark.parametrize(
    "change",
    [
        {"root": b""},
        {"root": b"r" * 31},
        {"root": b"r" * 33},
        {"next_validators_hash": b"n" * 31},
        {"time_ns": 0},
        {"time_ns": 10**9 - 1},
        {"time_ns": -1},
    ],
)
def test_consensus_states_that_cannot_be(host, change):
    check_consensus_state(CONSENSUS)
    check_consensus_state(CONSENSUS._replace(root=SENTINEL_ROOT))
    check_consensus_state(CONSENSUS._replace(next_validators_hash=b""))
    before = host.entries()
    with pytest.raises(InvalidConsensus):
        host.create(STATE, CONSENSUS._replace(**change), "07-tendermint-5")
    assert host.entries() == before


@pytest.mark.parametrize("raw", [b"\xff", b"\x0a\x05a", b"\x0a\x01\xff", b"\x1a\x02\x10\xff"])
def test_bytes_that_are_no_client_state(raw):
    with pytest.raises(InvalidClient):
        state_codec.decode_client_state(raw)


@pytest.mark.parametrize("period", ["0880a2f0ef9709", "108094ebdc03", "080110ffffffffffffffffff01"])
def test_durations_that_are_none(period):
    raw = bytes.fromhex(period)
    with pytest.raises(TxDecode, match="not a duration"):
        state_codec.decode_client_state(b"\x1a" + bytes([len(raw)]) + raw)


def test_stored_states_of_another_type():
    foreign = encode_any(AnyMessage("/x", b""))
    with pytest.raises(InvalidClient):
        state_codec.load_client_state(foreign)
    with pytest.raises(InvalidConsensus):
        state_codec.load_consensus_state(foreign)
    with pytest.raises(UnpackAny):
        state_codec.load_client_state(b"\xff")
    with pytest.raises(InvalidConsensus):
        state_codec.decode_consensus_state(b"\x0a\x02\x10\xff\xff")


class TestUpgrade:
    """The chain commits to its next revision's states, below its last height."""

    NEXT = STATE._replace(
        chain_id="gaia-2",
        latest_height=Height(2, 1),
        trust_level=TrustLevel(0, 0),
        trusting_period_ns=0,
        max_clock_drift_ns=0,
    )
    NEXT_CONSENSUS = ConsensusState(make.START_NS + 16 * 10**9, b"\x00" * 32, b"v" * 32)

    @pytest.fixture
    def committed(self, host, ring):
        return self.commit(host, ring, self.NEXT)

    def commit(self, host, ring, upgraded, consensus=NEXT_CONSENSUS):
        items = {
            b"upgradedIBCState/15/upgradedClient": state_codec.pack_client_state(upgraded),
            b"upgradedIBCState/15/upgradedConsState": state_codec.pack_consensus_state(consensus),
        }
        chain = _with_store(items)
        header = make.header("gaia-1", 15, ring, app_hash=chain.root)
        block = SignedHeader(header, make.commit(header, ring))
        host.at(20).update(pack_client_header(make.client_header(block, ring, 10)))
        return {key: chain.prove(key) for key in items}

    def move(self, host, proofs, upgraded, consensus=NEXT_CONSENSUS):
        states = state_codec.encode_client_state(upgraded), state_codec.encode_consensus_state(consensus)
        shown = UpgradedStates(*states, *proofs.values())
        host.client.verify_upgrade_and_update_state(host.ctx, CLIENT, shown)

    def test_a_shorter_unbonding_period_shortens_the_trust(self, host, ring):
        shorter = self.NEXT._replace(unbonding_period_ns=7 * DAY_NS)
        self.move(host, self.commit(host, ring, shorter), shorter)
        assert store.client_state(host.ctx, CLIENT).trusting_period_ns == 14 * DAY_NS // 3

    def test_a_client_without_an_upgrade_path_follows_none(self, host, committed):
        state = store.client_state(host.ctx, CLIENT)
        store.set_client_state(host.ctx, CLIENT, state._replace(upgrade_path=()))
        with pytest.raises(InvalidUpgradeClient):
            self.move(host, committed, self.NEXT)

    def test_a_client_without_its_newest_state_follows_none(self, host, committed):
        store.delete_consensus_state(host.ctx, CLIENT, Height(1, 15))
        with pytest.raises(ConsensusStateNotFound):
            self.move(host, committed, self.NEXT)

    def test_bytes_that_are_no_states(self, host, committed):
        for states, error in (((b"\xff", b""), InvalidClient), ((b"", b"\xff"), InvalidConsensus)):
            with pytest.raises(error):
                host.client.verify_upgrade_and_update_state(
                    host.ctx, CLIENT, UpgradedStates(*states, b"", b"")
                )

    def test_an_invalid_next_state_is_refused(self, host, ring):
        broken = self.NEXT._replace(latest_height=Height(3, 1))
        with pytest.raises(InvalidHeaderHeight):
            self.move(host, self.commit(host, ring, broken), broken)

    @pytest.mark.parametrize(
        ("trusting", "new", "old", "expected"),
        [(14, 7, 21, 4), (2, 1, 3, 0), (9, 2, 3, 6), (10**15, 1, 3, 333_333_333_333_333)],
    )
    def test_the_scaled_period_is_cut(self, trusting, new, old, expected):
        assert upgrade._scaled(trusting, new, old) == expected


def _with_store(items):
    """A chain whose store `upgrade` holds `items`."""
    from conformance.vectors.synthetic import MultiStore, StoreTree

    tree = StoreTree(items)
    stores = MultiStore({b"upgrade": tree.root, b"ibc": b"i" * 32})

    class Chain:
        root = stores.root

        def prove(self, key):
            return join_proofs(tree.prove(key), stores.prove(b"upgrade"))

    return Chain()


def test_the_registry_knows_each_type_once():
    registry = Registry(builtin_light_clients())
    assert list(registry) == ["07-tendermint", "06-solomachine", "09-localhost"]
    assert registry["07-tendermint"].client_type == "07-tendermint"
    with pytest.raises(KeyError):
        registry["08-wasm"]
    for find in (registry.by_client_state, registry.by_consensus_state, registry.by_message):
        with pytest.raises(UnpackAny):
            find("")  # the localhost has no types: no message without one is for it
        with pytest.raises(ClientTypeNotFound):
            find("/nobody.State")
    with pytest.raises(DuplicateLightClient):
        Registry([*builtin_light_clients(), *builtin_light_clients()])
