"""How a relayer makes, tends and guards `attestor` clients (`ibc_relayer.driver.ClientDriver`)."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from google.protobuf.message import DecodeError
from nacl.signing import SigningKey

from examples.attestor import messages as pb
from examples.attestor.client import CLIENT_TYPE
from pyibc import AnyMessage, Height
from pyibc.errors import TxDecode
from pyibc.host import revision_of
from pyibc.messages import MsgUpdateClient
from pyibc.relayer import ChainEndpoint, ClientView, FirstStates, Given, Held
from pyibc.wire import decode_tx, message_class, pack, type_url

_UPDATE: Any = message_class(MsgUpdateClient.TYPE_URL.removeprefix("/"))


class AttestorDriver:
    """Asks the attestors for headers: here keys in this process, as a rule servers."""

    client_type = CLIENT_TYPE

    def __init__(self, attestors: Sequence[SigningKey], threshold: int) -> None:
        self._attestors = attestors
        self._threshold = threshold

    def attest(self, target: ChainEndpoint, height: int, root: bytes = b"") -> Any:
        """A header that as many attestors have signed as must; `root`: a lie in place of the chain's own."""
        header = pb.Header(
            chain_id=target.chain_id,
            height=height,
            time_ns=target.block(height).time_ns,
            root=root or target.block(height - 1).app_hash,  # of the state that the block began with
        )
        signed = pb.sign_bytes(header)
        header.signatures.extend(key.sign(signed).signature for key in self._attestors[: self._threshold])
        return header

    def first_states(self, target: ChainEndpoint) -> FirstStates:
        """States of a new client of `target`, at its last block."""
        target.wait(2)
        header = self.attest(target, target.tip().height)
        state = pb.ClientState(
            chain_id=target.chain_id,
            attestors=[bytes(key.verify_key) for key in self._attestors],
            threshold=self._threshold,
            latest_height=header.height,
        )
        return FirstStates(pack(state), pack(pb.ConsensusState(time_ns=header.time_ns, root=header.root)))

    def view(self, client_state: AnyMessage) -> ClientView:
        """What a client's state says. Raises ValueError."""
        state = _read(pb.ClientState, client_state)
        latest = Height(revision_of(state.chain_id), state.latest_height)
        return ClientView(state.chain_id, latest, state.is_frozen, trusting_ns=0)

    def time_of(self, consensus_state: AnyMessage) -> int:
        """The target's time in a consensus state. Raises ValueError."""
        return int(_read(pb.ConsensusState, consensus_state).time_ns)

    def is_own(self, consensus_state: AnyMessage, target: ChainEndpoint, height: int) -> bool:
        """Whether the target has that root and time at `height`. Raises ValueError."""
        held, own = _read(pb.ConsensusState, consensus_state), self.attest(target, height)
        return (held.time_ns, held.root) == (own.time_ns, own.root)

    def headers(
        self, client_state: AnyMessage, target: ChainEndpoint, height: int, widest: int
    ) -> Iterator[AnyMessage]:
        """The header of `height`, signed: no other leads there, however far it is."""
        del widest
        if self.view(client_state).latest.revision_height < height:
            yield pack(self.attest(target, height))

    def headers_in(self, tx: bytes, chain_id: str) -> Iterator[Given]:
        """The headers of a chain in the updates of a transaction."""
        try:
            messages = decode_tx(tx).messages
        except TxDecode:
            return
        for message in messages:
            given = _header_in(message)
            if given is not None and given.chain_id == chain_id:
                yield Given(Height(revision_of(chain_id), given.height), pack(given))

    def contradicts(self, given: Given, target: ChainEndpoint, newest: int) -> bool:
        """Whether the target has another root or time at that height."""
        if given.height.revision_height > newest:
            return False
        header, own = _read(pb.Header, given.message), self.attest(target, given.height.revision_height)
        return (header.time_ns, header.root) != (own.time_ns, own.root)

    def evidence(
        self, client_id: str, given: Given, target: ChainEndpoint, newest: int, held: Iterable[Held]
    ) -> AnyMessage | None:
        """The lie and the truth, both signed."""
        del client_id, newest, held
        own = self.attest(target, given.height.revision_height)
        return pack(pb.Misbehaviour(one=_read(pb.Header, given.message), two=own))


def _read(cls: Any, packed: AnyMessage) -> Any:
    if packed.type_url != type_url(cls):
        raise ValueError(f"{packed.type_url[:64]!r} is no {type_url(cls)}")
    try:
        return cls.FromString(packed.value)
    except DecodeError as error:
        raise ValueError(str(error)) from error


def _header_in(message: AnyMessage) -> Any:
    """The header that a message brings, None where it brings none."""
    if message.type_url != MsgUpdateClient.TYPE_URL:
        return None
    try:
        packed = _UPDATE.FromString(message.value).client_message
        return _read(pb.Header, AnyMessage(packed.type_url, packed.value))
    except (DecodeError, ValueError):
        return None
