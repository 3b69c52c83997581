"""Relayer driver of `attestor` clients: creates, updates and monitors them (`pyibc.relayer.ClientDriver`)."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from google.protobuf.message import DecodeError
from nacl.signing import SigningKey

from pyibc import AnyMessage, Height
from pyibc.errors import TxDecode
from pyibc.examples.attestor import messages as pb
from pyibc.examples.attestor.client import CLIENT_TYPE
from pyibc.host import revision_of
from pyibc.messages import MsgUpdateClient
from pyibc.relayer import (
    ChainEndpoint,
    ClientView,
    ConsensusStateWithHeight,
    Difference,
    DriverExtras,
    InitialStates,
    SubmittedHeader,
    differences_in,
)
from pyibc.wire import decode_tx, message_class, pack, type_url

_UPDATE: Any = message_class(MsgUpdateClient.TYPE_URL.removeprefix("/"))


class AttestorDriver:
    """Gets headers from the attestors; here their keys are in this process, usually they are servers."""

    client_type = CLIENT_TYPE
    extras = DriverExtras()  # none: the names and proofs are those of Cosmos SDK chains

    def __init__(self, attestors: Sequence[SigningKey], threshold: int) -> None:
        self._attestors = attestors
        self._threshold = threshold

    def attest(self, reference: ChainEndpoint, height: int, root: bytes = b"") -> Any:
        """Return a header signed by `threshold` attestors; `root`: a forged root instead of the chain's."""
        header = pb.Header(
            chain_id=reference.chain_id,
            height=height,
            time_ns=reference.block(height).time_ns,
            root=root or reference.block(height - 1).app_hash,  # of the state before the block
        )
        signed = pb.sign_bytes(header)
        header.signatures.extend(key.sign(signed).signature for key in self._attestors[: self._threshold])
        return header

    def initial_states(self, reference: ChainEndpoint) -> InitialStates:
        """Return the states of a new client that tracks `reference`, at its last block."""
        reference.wait(2)
        header = self.attest(reference, reference.tip().height)
        state = pb.ClientState(
            chain_id=reference.chain_id,
            attestors=[bytes(key.verify_key) for key in self._attestors],
            threshold=self._threshold,
            latest_height=header.height,
        )
        return InitialStates(pack(state), pack(pb.ConsensusState(time_ns=header.time_ns, root=header.root)))

    def view(self, client_state: AnyMessage) -> ClientView:
        """Decode a client state. Raises ValueError."""
        state = _read(pb.ClientState, client_state)
        latest = Height(revision_of(state.chain_id), state.latest_height)
        return ClientView(state.chain_id, latest, state.is_frozen, trusting_ns=0)

    def differences(self, client_state: AnyMessage, reference: ChainEndpoint) -> list[Difference]:
        """Return the differences from the expected attestors and threshold. Raises ValueError."""
        del reference
        state = _read(pb.ClientState, client_state)
        ours = sorted(bytes(key.verify_key).hex() for key in self._attestors)
        theirs = sorted(bytes(key).hex() for key in state.attestors)
        return differences_in(
            [
                ("attestors", ",".join(ours), ",".join(theirs)),
                ("threshold", str(self._threshold), str(state.threshold)),
            ]
        )

    def time_of(self, consensus_state: AnyMessage) -> int:
        """Return the timestamp of a consensus state. Raises ValueError."""
        return int(_read(pb.ConsensusState, consensus_state).time_ns)

    def is_own(self, consensus_state: AnyMessage, reference: ChainEndpoint, height: int) -> bool:
        """Return whether the reference chain has this root and time at `height`. Raises ValueError."""
        stored, own = _read(pb.ConsensusState, consensus_state), self.attest(reference, height)
        return (stored.time_ns, stored.root) == (own.time_ns, own.root)

    def headers(
        self, client_state: AnyMessage, reference: ChainEndpoint, height: int, max_step: int
    ) -> Iterator[AnyMessage]:
        """Yield the signed header of `height`: one is enough, whatever the distance."""
        del max_step
        if self.view(client_state).latest.revision_height < height:
            yield pack(self.attest(reference, height))

    def headers_in(self, tx: bytes, chain_id: str) -> Iterator[SubmittedHeader]:
        """Yield the headers of a chain in the updates of a transaction."""
        try:
            messages = decode_tx(tx).messages
        except TxDecode:
            return
        for message in messages:
            given = _header_in(message)
            if given is not None and given.chain_id == chain_id:
                yield SubmittedHeader(Height(revision_of(chain_id), given.height), pack(given))

    def contradicts(self, submitted: SubmittedHeader, reference: ChainEndpoint, newest: int) -> bool:
        """Return whether the reference chain has another root or time at the header's height.

        False for a header that is newer than `newest`, the newest of the reference chain.
        """
        if submitted.height.revision_height > newest:
            return False
        header, own = (
            _read(pb.Header, submitted.message),
            self.attest(reference, submitted.height.revision_height),
        )
        return (header.time_ns, header.root) != (own.time_ns, own.root)

    def evidence(
        self,
        client_id: str,
        submitted: SubmittedHeader,
        reference: ChainEndpoint,
        newest: int,
        consensus_states: Iterable[ConsensusStateWithHeight],
    ) -> AnyMessage | None:
        """Return the submitted header and the chain's own, both signed."""
        del client_id, newest, consensus_states
        own = self.attest(reference, submitted.height.revision_height)
        return pack(pb.Misbehaviour(one=_read(pb.Header, submitted.message), two=own))


def _read(cls: Any, packed: AnyMessage) -> Any:
    if packed.type_url != type_url(cls):
        raise ValueError(f"{packed.type_url[:64]!r} is not {type_url(cls)}")
    try:
        return cls.FromString(packed.value)
    except DecodeError as error:
        raise ValueError(str(error)) from error


def _header_in(message: AnyMessage) -> Any:
    """Return the header in a message, None if there is none."""
    if message.type_url != MsgUpdateClient.TYPE_URL:
        return None
    try:
        packed = _UPDATE.FromString(message.value).client_message
        return _read(pb.Header, AnyMessage(packed.type_url, packed.value))
    except (DecodeError, ValueError):
        return None
