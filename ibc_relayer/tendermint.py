"""07-tendermint clients as a relayer makes and reads them (ICS-7): states, headers, trust. Pure.

A header's `validators` is the set that signed it; `trusted validators` the one the trusted consensus
state names as next, which signed the block one above it.
"""

from typing import NamedTuple

from google.protobuf.any_pb2 import Any as PackedAny
from google.protobuf.message import DecodeError

from ibc_core.any_message import AnyMessage
from ibc_core.height import Height, revision_of
from ibc_core.wire.encoding import encode
from ibc_proto.cosmos.ics23.v1 import proofs_pb2
from ibc_proto.ibc.core.commitment.v1 import commitment_pb2
from ibc_proto.ibc.lightclients.tendermint.v1 import tendermint_pb2
from ibc_proto.tendermint.types import types_pb2, validator_pb2
from ibc_relayer.endpoint import LightBlock

CLIENT_STATE_URL = "/ibc.lightclients.tendermint.v1.ClientState"
CONSENSUS_STATE_URL = "/ibc.lightclients.tendermint.v1.ConsensusState"
HEADER_URL = "/ibc.lightclients.tendermint.v1.Header"
UPGRADE_PATH = ("upgrade", "upgradedIBCState")

SECOND = 10**9
DAY = 86_400 * SECOND


class ClientTerms(NamedTuple):
    """What a new client is to believe, and for how long."""

    unbonding_ns: int = 21 * DAY
    trusting_ns: int = 0  # 0: two thirds of the unbonding period
    max_clock_drift_ns: int = 40 * SECOND
    trust_level: tuple[int, int] = (1, 3)

    @property
    def trusting(self) -> int:
        """The trusting period, nanoseconds."""
        return self.trusting_ns or self.unbonding_ns * 2 // 3


class ClientView(NamedTuple):
    """What a relayer reads of a client's state."""

    chain_id: str
    latest: Height
    frozen: bool
    trusting_ns: int
    trust_level: tuple[int, int]


class ConsensusView(NamedTuple):
    """What a client holds of one header."""

    time_ns: int
    app_hash: bytes
    next_validators_hash: bytes


def height_on(chain_id: str, height: int) -> Height:
    """`height` with the revision number of the chain id."""
    return Height(revision_of(chain_id), height)


def client_state(chain_id: str, latest: int, terms: ClientTerms) -> AnyMessage:
    """The state of a new client of `chain_id`, whose latest header is that of `latest`."""
    revision = revision_of(chain_id)
    state = tendermint_pb2.ClientState(
        chain_id=chain_id,
        trust_level=tendermint_pb2.Fraction(numerator=terms.trust_level[0], denominator=terms.trust_level[1]),
        proof_specs=[IAVL_SPEC, SIMPLE_SPEC],
        upgrade_path=UPGRADE_PATH,
        allow_update_after_expiry=True,
        allow_update_after_misbehaviour=True,
    )
    state.trusting_period.FromNanoseconds(terms.trusting)
    state.unbonding_period.FromNanoseconds(terms.unbonding_ns)
    state.max_clock_drift.FromNanoseconds(terms.max_clock_drift_ns)
    state.latest_height.revision_number = revision
    state.latest_height.revision_height = latest
    return AnyMessage(CLIENT_STATE_URL, encode(state))


def consensus_state(block: LightBlock) -> AnyMessage:
    """What a new client holds of `block`."""
    header = signed_header(block).header
    state = tendermint_pb2.ConsensusState(
        timestamp=header.time,
        root=commitment_pb2.MerkleRoot(hash=header.app_hash),
        next_validators_hash=header.next_validators_hash,
    )
    return AnyMessage(CONSENSUS_STATE_URL, encode(state))


def client_header(target: LightBlock, trusted: LightBlock, chain_id: str) -> AnyMessage:
    """A header for MsgUpdateClient.

    Args:
        target: the block to make known.
        trusted: the block one above the trusted height: its validators are those the client trusts.
        chain_id: the chain of both.
    """
    revision = revision_of(chain_id)
    header = tendermint_pb2.Header(
        signed_header=signed_header(target),
        validator_set=validator_pb2.ValidatorSet.FromString(target.validators),
        trusted_validators=validator_pb2.ValidatorSet.FromString(trusted.validators),
    )
    header.trusted_height.revision_number = revision
    header.trusted_height.revision_height = trusted.height - 1
    return AnyMessage(HEADER_URL, encode(header))


def signed_header(block: LightBlock) -> types_pb2.SignedHeader:
    """The block's header and commit."""
    return types_pb2.SignedHeader.FromString(block.signed_header)


def read_client_state(raw: bytes) -> ClientView:
    """A stored Any(ClientState).

    Raises:
        ValueError: not a 07-tendermint client.
    """
    state = tendermint_pb2.ClientState()
    _unpack(raw, CLIENT_STATE_URL, state)
    latest, frozen = state.latest_height, state.frozen_height
    return ClientView(
        state.chain_id,
        Height(latest.revision_number, latest.revision_height),
        (frozen.revision_number, frozen.revision_height) != (0, 0),
        state.trusting_period.ToNanoseconds(),
        (state.trust_level.numerator, state.trust_level.denominator),
    )


def read_consensus_state(raw: bytes) -> ConsensusView:
    """A stored Any(ConsensusState).

    Raises:
        ValueError: not that of a 07-tendermint client.
    """
    state = tendermint_pb2.ConsensusState()
    _unpack(raw, CONSENSUS_STATE_URL, state)
    return ConsensusView(state.timestamp.ToNanoseconds(), state.root.hash, state.next_validators_hash)


def header_view(block: LightBlock) -> ConsensusView:
    """What a client would hold of `block`."""
    header = signed_header(block).header
    return ConsensusView(header.time.ToNanoseconds(), header.app_hash, header.next_validators_hash)


def is_trusted(target: LightBlock, trusted: LightBlock, level: tuple[int, int]) -> bool:
    """Whether the trusted validators who signed `target` hold more than `level` of the trusted power.

    Signatures are not checked here: the client does that. This spares a transaction that it would refuse.
    """
    if target.validators == trusted.validators:
        return True
    commit = signed_header(target).commit
    signed = {
        signature.validator_address
        for signature in commit.signatures
        if signature.block_id_flag == validator_pb2.BLOCK_ID_FLAG_COMMIT
    }
    validators = validator_pb2.ValidatorSet.FromString(trusted.validators).validators
    power = sum(validator.voting_power for validator in validators)
    agreed = sum(validator.voting_power for validator in validators if validator.address in signed)
    return agreed * level[1] > power * level[0]


def _unpack(
    raw: bytes, type_url: str, into: "tendermint_pb2.ClientState | tendermint_pb2.ConsensusState"
) -> None:
    try:
        packed = PackedAny.FromString(raw)
        if packed.type_url != type_url:
            raise ValueError(f"{packed.type_url[:64]!r}, expected {type_url!r}")
        into.ParseFromString(packed.value)
    except DecodeError as error:
        raise ValueError(str(error)) from error


def _spec(child_size: int, min_prefix: int, max_prefix: int) -> proofs_pb2.ProofSpec:
    return proofs_pb2.ProofSpec(
        leaf_spec=proofs_pb2.LeafOp(
            hash=proofs_pb2.SHA256,
            prehash_value=proofs_pb2.SHA256,
            length=proofs_pb2.VAR_PROTO,
            prefix=b"\x00",
        ),
        inner_spec=proofs_pb2.InnerSpec(
            child_order=[0, 1],
            child_size=child_size,
            min_prefix_length=min_prefix,
            max_prefix_length=max_prefix,
            hash=proofs_pb2.SHA256,
        ),
    )


IAVL_SPEC = _spec(33, 4, 12)
"""ICS-23 spec of an IAVL tree, as the Cosmos SDK's stores are."""

SIMPLE_SPEC = _spec(32, 1, 1)
"""ICS-23 spec of CometBFT's simple Merkle tree, which holds the roots of the stores."""
