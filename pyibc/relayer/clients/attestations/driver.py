"""Driver of clients of type `attestations`: creation, updates, proofs, and misbehaviour detection.

The relayer reads times and store entries from its own node, and asks attestors to sign exactly these. Heights
have revision number 0, whatever the chain id (`pyibc.relayer.clients.driver`).
"""

from collections.abc import Iterable, Iterator, Sequence

from google.protobuf.message import DecodeError

from light_client.attestations import states
from light_client.attestations.client import CLIENT_TYPE
from light_client.attestations.states import PACKET_TAG, AttestedEntry, decode_client_state, decode_state
from pyibc.codec.anys import AnyMessage, pack
from pyibc.core.client.messages import MsgUpdateClient
from pyibc.core.client.types import TENDERMINT
from pyibc.core.errors import IbcError, TxDecode
from pyibc.core.height import Height
from pyibc.core.wire.tx import decode_tx
from pyibc.proto.ibc.core.client.v1.tx_pb2 import MsgUpdateClient as PbUpdateClient
from pyibc.proto.ibc.lightclients.attestations.v1 import attestations_pb2 as pb
from pyibc.relayer.chain.endpoint import ChainEndpoint
from pyibc.relayer.chain.values import Proven
from pyibc.relayer.clients import driver
from pyibc.relayer.clients.attestations.service import MAX_PATHS, AttestationRequest, Quorum
from pyibc.relayer.clients.tendermint import DRIVERS, TENDERMINT_DRIVER
from pyibc.relayer.errors import RelayerError, WrongCounterparty
from pyibc.relayer.packets.proofs import prover_of
from pyibc.relayer.rpc.calls import outcome_of

_COMMITMENT = 32
_PROOF = "/ibc.lightclients.attestations.v1.AttestationProof"


class AttestationsDriver:
    """Driver of `attestations` clients; `quorums` are the attestors of the reference chains."""

    client_type = CLIENT_TYPE

    def __init__(self, *quorums: Quorum) -> None:
        """Create a driver.

        Raises:
            ValueError: a quorum is invalid, or two quorums have the same chain or the same attestors.
        """
        for each in quorums:
            each.check()
        self._by_chain = {each.chain_id: each for each in quorums}
        self._by_attestors = {frozenset(one.address for one in each.attestors): each for each in quorums}
        if not len(self._by_chain) == len(self._by_attestors) == len(quorums):
            raise ValueError("two quorums for one chain, or with the same attestors")

    @property
    def extras(self) -> driver.DriverExtras:
        """Heights without revisions, and attestations in place of Merkle proofs."""
        convention = driver.Convention((b"",), has_revisions=False)
        return driver.DriverExtras(convention=convention, prove_many=self.prove_many, trusts=self.trusts)

    def attest(self, reference: ChainEndpoint, height: int) -> pb.AttestationProof:
        """Collect an AttestationProof of the time of block `height`, as the relayer's node reports it.

        Raises:
            EndpointUnavailable: fewer attestors than the threshold signed.
            WrongCounterparty: the chain has no configured attestors.
        """
        data = states.state_data(height, reference.block(height).time_ns)
        request = AttestationRequest(reference.chain_id, height)
        return self._of(reference).sign(request, data, states.STATE_TAG)

    def initial_states(self, reference: ChainEndpoint) -> driver.InitialStates:
        """Return the states of a new client with the configured attestors, at the last block."""
        reference.wait(2)
        quorum, height = self._of(reference), reference.tip().height
        attested = decode_state(self.attest(reference, height).attestation_data)
        state = pb.ClientState(
            attestor_addresses=[f"0x{each.address.hex()}" for each in quorum.attestors],
            min_required_sigs=quorum.threshold,
            latest_height=height,
        )
        return driver.InitialStates(pack(state), pack(pb.ConsensusState(timestamp=attested.time_ns)))

    def view(self, client_state: AnyMessage) -> driver.ClientView:
        """Decode a client state; the chain id follows from its attestors. Raises IbcError."""
        state = decode_client_state(client_state.value)
        quorum = self._by_attestors.get(states.attestors(state))
        chain_id = quorum.chain_id if quorum is not None else ""
        return driver.ClientView(chain_id, Height(0, state.latest_height), state.is_frozen, trusting_ns=0)

    def differences(self, client_state: AnyMessage, reference: ChainEndpoint) -> list[driver.Difference]:
        """Return the differences in attestors and threshold. Raises IbcError."""
        state, ours = decode_client_state(client_state.value), self._of(reference)
        theirs = ",".join(sorted(each.hex() for each in states.attestors(state)))
        return driver.differences_in(
            [
                ("attestors", ",".join(sorted(each.address.hex() for each in ours.attestors)), theirs),
                ("threshold", str(ours.threshold), str(state.min_required_sigs)),
            ]
        )

    def time_of(self, consensus_state: AnyMessage) -> int:
        """Return the attested time, Unix nanoseconds. Raises IbcError."""
        return states.decode_consensus_state(consensus_state.value)

    def is_own(self, consensus_state: AnyMessage, reference: ChainEndpoint, height: int) -> bool:
        """Return whether the block has the attested time, in whole seconds. Raises IbcError."""
        return self.time_of(consensus_state) == _attested_time(reference, height)

    def trusts(self, consensus_state: AnyMessage, reference: ChainEndpoint, height: int) -> bool:
        """Return True: the attestors are fixed, and were checked in the client state (`view`)."""
        del consensus_state, reference, height
        return True

    def headers(
        self, client_state: AnyMessage, reference: ChainEndpoint, height: int, max_step: int
    ) -> Iterator[AnyMessage]:
        """Yield the attested state of `height`; one suffices for any distance."""
        del max_step
        if self.view(client_state).latest.revision_height < height:
            yield pack(self.attest(reference, height))

    def prove_many(
        self, reference: ChainEndpoint, keys: Sequence[bytes], height: int
    ) -> list[Proven | RelayerError]:
        """Return the entries at keys after block `height`, with attestations of height `height + 1`.

        Only absence and values of 32 bytes (commitments) can be attested; other entries have an empty proof.
        """
        found = prover_of(reference)(keys, height)
        entries = list(_entries(keys, found))
        proofs = dict[bytes, bytes | RelayerError]()
        for start in range(0, len(entries), MAX_PATHS):
            some = entries[start : start + MAX_PATHS]
            proof = self._attested(reference, some, height + 1)
            proofs |= dict.fromkeys((each.path for each in some), proof)
        return [
            _proven(each, proofs.get(key, b""), height + 1) for key, each in zip(keys, found, strict=True)
        ]

    def headers_in(self, tx: bytes, chain_id: str) -> Iterator[driver.SubmittedHeader]:
        """Yield the attested states in the updates of a transaction; they do not contain a chain id."""
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
                yield driver.SubmittedHeader(Height(0, attested.height), pack(proof))

    def contradicts(self, submitted: driver.SubmittedHeader, reference: ChainEndpoint, newest: int) -> bool:
        """Return whether the reference chain's block has another time."""
        height = submitted.height.revision_height
        if not 0 < height <= newest:
            return False
        proof = pb.AttestationProof.FromString(submitted.message.value)
        return decode_state(proof.attestation_data).time_ns != _attested_time(reference, height)

    def evidence(
        self,
        client_id: str,
        submitted: driver.SubmittedHeader,
        reference: ChainEndpoint,
        newest: int,
        consensus_states: Iterable[driver.ConsensusStateWithHeight],
    ) -> AnyMessage | None:
        """Collect an attestation of the correct time: two times for one height freeze the client."""
        del client_id, newest, consensus_states
        return pack(self.attest(reference, submitted.height.revision_height))

    def _of(self, reference: ChainEndpoint) -> Quorum:
        found = self._by_chain.get(reference.chain_id)
        if found is None:
            raise WrongCounterparty(
                reference.chain_id, CLIENT_TYPE, "no attestors are configured for this chain"
            )
        return found

    def _attested(
        self, reference: ChainEndpoint, entries: Sequence[AttestedEntry], height: int
    ) -> bytes | RelayerError:
        request = AttestationRequest(reference.chain_id, height, [each.path.hex() for each in entries])
        data = states.packets_data(height, entries)
        return outcome_of(lambda: states.encode_proof(self._of(reference).sign(request, data, PACKET_TAG)))


def _entries(keys: Sequence[bytes], found: Sequence[Proven | RelayerError]) -> Iterator[AttestedEntry]:
    """Yield the entries that can be attested: absence, and values of 32 bytes."""
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
    return reference.block(height).time_ns // states.NS_PER_SECOND * states.NS_PER_SECOND


def _update_in(message: AnyMessage) -> tuple[pb.AttestationProof, states.AttestedState] | None:
    """Decode the attestation in a MsgUpdateClient; None for any other message."""
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


# -- client types between two chains that may have attestors


def drivers_between(of_a: Quorum | None, of_b: Quorum | None) -> driver.Drivers:
    """Return the drivers for two chains: `attestations` for a chain with attestors, else 07-tendermint.

    Raises:
        ValueError: a threshold is out of range, or both chains have the same attestors.
    """
    known = [each for each in (of_a, of_b) if each is not None]
    if not known:
        return DRIVERS
    attested = AttestationsDriver(*known)
    on_a, on_b = (TENDERMINT if each is None else attested.client_type for each in (of_b, of_a))
    return driver.Drivers(TENDERMINT_DRIVER, attested, new=(on_a, on_b))
