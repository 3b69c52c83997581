"""How a relayer creates, updates and watches clients of type `attestations`, and proves to them.

Attestors sign what this relayer knows to be so already, from its own node: what differs is not asked about
further. Heights have revision 0, whatever the chain's id says (`ibc_relayer.conventions`).
"""

from collections.abc import Iterable, Iterator, Sequence

from google.protobuf.message import DecodeError

from ibc_core.any_message import AnyMessage
from ibc_core.client.update import MsgUpdateClient
from ibc_core.errors import IbcError, TxDecode
from ibc_core.height import Height
from ibc_core.wire.anys import pack
from ibc_core.wire.tx import decode_tx
from ibc_proto.ibc.core.client.v1.tx_pb2 import MsgUpdateClient as PbUpdateClient
from ibc_proto.ibc.lightclients.attestations.v1 import attestations_pb2 as pb
from ibc_relayer.attestations.quorum import Quorum
from ibc_relayer.attestations.service import MAX_PATHS, Question
from ibc_relayer.conventions import Convention
from ibc_relayer.driver import (
    ClientView,
    ConsensusStateWithHeight,
    Difference,
    InitialStates,
    SubmittedHeader,
    differences_in,
)
from ibc_relayer.endpoint import ChainEndpoint, Proven
from ibc_relayer.errors import RelayerError, WrongCounterparty
from ibc_relayer.proofs import ProvesMany, prove_in_turn
from light_client.attestations.attested import (
    NS_PER_SECOND,
    PACKET_TAG,
    STATE_TAG,
    AttestedState,
    decode_state,
)
from light_client.attestations.attestor import AttestedEntry, encode_proof, packets_data, state_data
from light_client.attestations.client import CLIENT_TYPE
from light_client.attestations.states import attestors, decode_client_state, decode_consensus_state

_COMMITMENT = 32
_PROOF = "/ibc.lightclients.attestations.v1.AttestationProof"


class AttestationsDriver:
    """Gathers what attestors sign; `quorums` of the chains that are followed by their word."""

    client_type = CLIENT_TYPE
    convention = Convention((b"",), has_revisions=False)

    def __init__(self, *quorums: Quorum) -> None:
        """Asks nobody yet.

        Raises:
            ValueError: a quorum is impossible, or a chain or a set of attestors has two.
        """
        for each in quorums:
            each.check()
        self._by_chain = {each.chain_id: each for each in quorums}
        self._by_attestors = {frozenset(one.address for one in each.attestors): each for each in quorums}
        if not len(self._by_chain) == len(self._by_attestors) == len(quorums):
            raise ValueError("two quorums of one chain, or of the same attestors")

    def attest(self, reference: ChainEndpoint, height: int) -> pb.AttestationProof:
        """A client message: the time of `height`, as our node has it, signed by a quorum.

        Raises:
            EndpointUnavailable: too few signed.
            WrongCounterparty: no attestors of the chain are known.
        """
        data = state_data(height, reference.block(height).time_ns)
        question = Question(reference.chain_id, height)
        return self._of(reference).sign(question, data, STATE_TAG)

    def initial_states(self, reference: ChainEndpoint) -> InitialStates:
        """Those of a client of our quorum, which has signed the last block of `reference`."""
        reference.wait(2)
        quorum, height = self._of(reference), reference.tip().height
        attested = decode_state(self.attest(reference, height).attestation_data)
        state = pb.ClientState(
            attestor_addresses=[f"0x{each.address.hex()}" for each in quorum.attestors],
            min_required_sigs=quorum.threshold,
            latest_height=height,
        )
        return InitialStates(pack(state), pack(pb.ConsensusState(timestamp=attested.time_ns)))

    def view(self, client_state: AnyMessage) -> ClientView:
        """Decodes a client state; its attestors tell which chain it tracks. Raises IbcError."""
        state = decode_client_state(client_state.value)
        quorum = self._by_attestors.get(attestors(state))
        chain_id = quorum.chain_id if quorum is not None else ""
        return ClientView(chain_id, Height(0, state.latest_height), state.is_frozen, trusting_ns=0)

    def differences(self, client_state: AnyMessage, reference: ChainEndpoint) -> list[Difference]:
        """Whether others attest, or fewer suffice. Raises IbcError."""
        state, ours = decode_client_state(client_state.value), self._of(reference)
        theirs = ",".join(sorted(each.hex() for each in attestors(state)))
        return differences_in(
            [
                ("attestors", ",".join(sorted(each.address.hex() for each in ours.attestors)), theirs),
                ("threshold", str(ours.threshold), str(state.min_required_sigs)),
            ]
        )

    def time_of(self, consensus_state: AnyMessage) -> int:
        """The attested time, unix nanoseconds. Raises IbcError."""
        return decode_consensus_state(consensus_state.value)

    def is_own(self, consensus_state: AnyMessage, reference: ChainEndpoint, height: int) -> bool:
        """Whether the reference chain's block has that time, in whole seconds. Raises IbcError."""
        return self.time_of(consensus_state) == _attested_time(reference, height)

    def trusts(self, consensus_state: AnyMessage, reference: ChainEndpoint, height: int) -> bool:
        """Attestors do not change, and are compared in the client's state (`view`)."""
        del consensus_state, reference, height
        return True

    def headers(
        self, client_state: AnyMessage, reference: ChainEndpoint, height: int, max_step: int
    ) -> Iterator[AnyMessage]:
        """The attested state of `height`: one is enough, whatever the distance."""
        del max_step
        if self.view(client_state).latest.revision_height < height:
            yield pack(self.attest(reference, height))

    def prove_many(
        self, reference: ChainEndpoint, keys: Sequence[bytes], height: int
    ) -> list[Proven | RelayerError]:
        """What stands at keys after block `height`, attested with height `height + 1`.

        An entry that is no commitment of 32 bytes cannot be attested: it comes without proof.
        """
        if isinstance(reference, ProvesMany):
            found = reference.prove_many(keys, height)
        else:
            found = prove_in_turn(reference, keys, height)
        entries = list(_entries(keys, found))
        proofs = dict[bytes, bytes | RelayerError]()
        for start in range(0, len(entries), MAX_PATHS):
            some = entries[start : start + MAX_PATHS]
            proof = self._attested(reference, some, height + 1)
            proofs |= dict.fromkeys((each.path for each in some), proof)
        return [
            _proven(each, proofs.get(key, b""), height + 1) for key, each in zip(keys, found, strict=True)
        ]

    def headers_in(self, tx: bytes, chain_id: str) -> Iterator[SubmittedHeader]:
        """The attested states in the updates of a transaction: they do not name their chain."""
        if chain_id not in self._by_chain:
            return
        try:
            messages = decode_tx(tx).messages
        except TxDecode:
            return
        for message in messages:
            found = _update_in(message)
            if found is not None:
                proof, attested = found
                yield SubmittedHeader(Height(0, attested.height), pack(proof))

    def contradicts(self, submitted: SubmittedHeader, reference: ChainEndpoint, newest: int) -> bool:
        """Whether the reference chain has another time at that height."""
        height = submitted.height.revision_height
        if not 0 < height <= newest:
            return False
        proof = pb.AttestationProof.FromString(submitted.message.value)
        return decode_state(proof.attestation_data).time_ns != _attested_time(reference, height)

    def evidence(
        self,
        client_id: str,
        submitted: SubmittedHeader,
        reference: ChainEndpoint,
        newest: int,
        consensus_states: Iterable[ConsensusStateWithHeight],
    ) -> AnyMessage | None:
        """The true time of that height: two times of one height freeze the client."""
        del client_id, newest, consensus_states
        return pack(self.attest(reference, submitted.height.revision_height))

    def _of(self, reference: ChainEndpoint) -> Quorum:
        found = self._by_chain.get(reference.chain_id)
        if found is None:
            raise WrongCounterparty(reference.chain_id, CLIENT_TYPE, "none of its attestors is known")
        return found

    def _attested(
        self, reference: ChainEndpoint, entries: Sequence[AttestedEntry], height: int
    ) -> bytes | RelayerError:
        question = Question(reference.chain_id, height, [each.path.hex() for each in entries])
        try:
            proof = self._of(reference).sign(question, packets_data(height, entries), PACKET_TAG)
        except RelayerError as error:
            return error
        return encode_proof(proof)


def _entries(keys: Sequence[bytes], found: Sequence[Proven | RelayerError]) -> Iterator[AttestedEntry]:
    """What can be attested."""
    for key, read in zip(keys, found, strict=True):
        if isinstance(read, Proven):
            if read.value is None:
                yield AttestedEntry(key)
            elif len(read.value) == _COMMITMENT:
                yield AttestedEntry(key, read.value)


def _proven(read: Proven | RelayerError, proof: bytes | RelayerError, height: int) -> Proven | RelayerError:
    if isinstance(read, RelayerError):
        return read
    return proof if isinstance(proof, RelayerError) else Proven(read.value, proof, Height(0, height))


def _attested_time(reference: ChainEndpoint, height: int) -> int:
    return reference.block(height).time_ns // NS_PER_SECOND * NS_PER_SECOND


def _update_in(message: AnyMessage) -> tuple[pb.AttestationProof, AttestedState] | None:
    """The attested state in a message, None if there is none."""
    if message.type_url != MsgUpdateClient.TYPE_URL:
        return None
    try:
        packed = PbUpdateClient.FromString(message.value).client_message
        if packed.type_url != _PROOF:
            return None
        proof = pb.AttestationProof.FromString(packed.value)
        return proof, decode_state(proof.attestation_data)
    except (DecodeError, IbcError):
        return None
