"""Misbehaviour: a fork, or time that does not increase (ibc-go `misbehaviour.go`)."""

from google.protobuf.message import DecodeError

from light_client.tendermint.codec import (
    MISBEHAVIOUR_TYPE_URL,
    client_header_from,
    client_header_to,
    times_come_first,
)
from light_client.tendermint.states import ClientState, ConsensusState
from light_client.tendermint.types import ClientHeader, Misbehaviour, SignedHeader
from light_client.tendermint.updates import check_basic, height_of, trusted_validators_of
from light_client.tendermint.verifier import check_commit_of, check_power_of, check_trusted_power
from pyibc.codec.encoding import encode
from pyibc.core.errors import (
    HeaderVerificationError,
    IbcError,
    InvalidHeader,
    InvalidHeaderHeight,
    InvalidMisbehaviour,
    InvalidValidatorSet,
    TrustingPeriodExpired,
    UnpackAny,
)
from pyibc.core.height import revision_of
from pyibc.core.identifiers import validate_client_id
from pyibc.proto.ibc.lightclients.tendermint.v1 import tendermint_pb2


def decode_misbehaviour(raw: bytes) -> Misbehaviour:
    """Return the ICS-7 `Misbehaviour` encoded in a client message.

    Raises:
        UnpackAny: the bytes are malformed.
        TxDecode: a timestamp is invalid, which Go's transaction decoder reports first.
        InvalidHeader, InvalidValidatorSet, InvalidMisbehaviour: a field is missing or invalid.
    """
    try:
        message = tendermint_pb2.Misbehaviour.FromString(raw)
    except DecodeError:
        raise UnpackAny(MISBEHAVIOUR_TYPE_URL, "malformed") from None
    headers = []
    with times_come_first(message, message.header_1, message.header_2):
        for name in ("header_1", "header_2"):
            if not message.HasField(name):
                raise InvalidHeader(f"misbehaviour {name} cannot be nil")
            headers.append(_header(name, getattr(message, name)))
    return Misbehaviour(message.client_id, *headers)


def _header(name: str, message: tendermint_pb2.Header) -> ClientHeader:
    if not message.trusted_height.revision_height:
        raise InvalidHeaderHeight(f"misbehaviour {name} has no trusted height")
    if not message.HasField("trusted_validators"):
        raise InvalidValidatorSet(f"trusted validators in {name} cannot be empty")
    try:
        return client_header_from(message)
    except IbcError as error:
        raise InvalidMisbehaviour(f"{name} failed validation: {error}") from error


def encode_misbehaviour(value: Misbehaviour) -> bytes:
    """Return the encoding of an ICS-7 `Misbehaviour`, the value of its Any."""
    return encode(
        tendermint_pb2.Misbehaviour(
            client_id=value.client_id,
            header_1=client_header_to(value.header_1),
            header_2=client_header_to(value.header_2),
        )
    )


def check_basic_misbehaviour(evidence: Misbehaviour) -> None:
    """Run the stateless checks of misbehaviour, except of signatures (`Misbehaviour.ValidateBasic`).

    No gas has been charged at this point, so signatures are verified later, by `check_commits`.

    Raises:
        InvalidMisbehaviour: the headers are malformed, of different chains or in the wrong order, or a commit
            lacks votes of more than two thirds of the power.
        InvalidIdentifier: the client id is malformed.
    """
    one, two = evidence.header_1, evidence.header_2
    if one.header.chain_id != two.header.chain_id:
        raise InvalidMisbehaviour("headers must have identical chain ids")
    validate_client_id(evidence.client_id)
    for name, client_header in (("header 1", one), ("header 2", two)):
        try:
            # guard: h32-evidence-is-not-checked-by-itself drop
            #   test_h32_an_edited_header_beside_a_real_commit_does_not_freeze
            check_basic(client_header)
        except IbcError as error:
            raise InvalidMisbehaviour(f"{name} failed validation: {error}") from error
    # guard: h32-any-order-of-heights test_h32_evidence_in_the_wrong_order_does_not_freeze
    if height_of(one) < height_of(two):
        raise InvalidMisbehaviour(
            f"height {height_of(one)} of header 1 is below {height_of(two)} of header 2"
        )
    for header, commit, validators, _, _ in (one, two):
        try:
            # guard: h61-evidence-is-verified-when-it-is-decoded {=> check_commits(evidence)}
            #   test_h61_evidence_pays_for_both_headers_before_a_signature_is_verified
            check_power_of(SignedHeader(header, commit), validators)
        except HeaderVerificationError as error:
            raise InvalidMisbehaviour(f"{_NOT_COMMITTED}: {error}") from error


_NOT_COMMITTED = "validator set did not commit to header"


def check_commits(evidence: Misbehaviour) -> None:
    """Verify the signatures of both commits, the part of `ValidateBasic` for which gas is charged first.

    Raises:
        InvalidMisbehaviour: a commit does not verify.
    """
    for header, commit, validators, _, _ in (evidence.header_1, evidence.header_2):
        try:
            check_commit_of(SignedHeader(header, commit), header.chain_id, validators)
        except HeaderVerificationError as error:
            raise InvalidMisbehaviour(f"{_NOT_COMMITTED}: {error}") from error


def verify_misbehaviour_header(
    state: ClientState, client_header: ClientHeader, trusted: ConsensusState, now_ns: int
) -> None:
    """Verify one of the two headers against its trusted consensus state (`checkMisbehaviourHeader`).

    Raises:
        InvalidValidatorSet: the trusted validators do not match the consensus state.
        TrustingPeriodExpired: the consensus state is older than the trusting period.
        InvalidMisbehaviour: too few of the trusted validators signed.
    """
    validators = trusted_validators_of(client_header, trusted)
    if now_ns - trusted.time_ns >= state.trusting_period_ns:
        raise TrustingPeriodExpired(trusted.time_ns, now_ns)
    chain_id = _chain_id_at(state.chain_id, height_of(client_header).revision_number)
    try:
        # guard: h32-evidence-needs-no-trust test_h32_evidence_of_strangers_does_not_freeze
        check_trusted_power(chain_id, client_header.commit, validators, state.trust_level)
    except IbcError as error:
        raise InvalidMisbehaviour(f"too much change from the trusted validators: {error}") from error


def _chain_id_at(chain_id: str, revision: int) -> str:
    """Return the chain id with another revision number, if it has one."""
    return f"{chain_id.rpartition('-')[0]}-{revision}" if revision_of(chain_id) else chain_id


def is_misbehaviour(evidence: Misbehaviour) -> bool:
    """Return whether two verified headers are a fork, or their times do not increase."""
    one, two = evidence.header_1, evidence.header_2
    if height_of(one) == height_of(two):
        # guard: h32-one-header-is-a-fork always test_h32_the_same_header_twice_does_not_freeze
        return one.commit.block_id.hash != two.commit.block_id.hash
    return one.header.time_ns <= two.header.time_ns
