"""A solo machine (ICS-6) for tests, with a single key or a threshold key."""

from collections.abc import Sequence
from hashlib import sha256

from nacl.signing import SigningKey

from light_client.solomachine import codec
from light_client.solomachine.client import HEADER_PATH
from light_client.solomachine.codec import ClientState, ConsensusState, Header
from pyibc.codec.anys import AnyMessage, pack, pack_any
from pyibc.codec.encoding import encode
from pyibc.proto.cosmos.crypto.ed25519 import keys_pb2 as ed25519_pb2
from pyibc.proto.cosmos.crypto.multisig import keys_pb2 as multisig_pb2
from pyibc.proto.cosmos.crypto.multisig.v1beta1 import multisig_pb2 as bits_pb2
from pyibc.proto.cosmos.tx.signing.v1beta1 import signing_pb2
from pyibc.proto.ibc.core.commitment.v2 import commitment_pb2
from pyibc.proto.ibc.lightclients.solomachine.v3 import solomachine_pb2 as pb

Data = signing_pb2.SignatureDescriptor.Data


class SoloMachine:
    """Signer with one or more keys. It tracks the expected sequence but does not advance it by itself.

    Args:
        seed: Seed of its keys; the same text gives the same machine.
        keys: Number of keys; more than one form a threshold key.
        threshold: Number of keys that must sign.
    """

    def __init__(self, seed: str, keys: int = 1, threshold: int = 1) -> None:
        self._keys = [SigningKey(sha256(f"{seed}/{number}".encode()).digest()) for number in range(keys)]
        self._threshold = threshold
        self.sequence = 1
        self.diversifier = "solo"
        self.timestamp = 10

    @property
    def public_key(self) -> AnyMessage:
        """The machine's public key as Any."""
        single = [pack(ed25519_pb2.PubKey(key=bytes(key.verify_key))) for key in self._keys]
        if len(single) == 1:
            return single[0]
        members = [each for each in map(pack_any, single) if each is not None]
        return pack(multisig_pb2.LegacyAminoPubKey(threshold=self._threshold, public_keys=members))

    def states(self) -> tuple[AnyMessage, AnyMessage]:
        """Return client state and consensus state for a client of this machine."""
        consensus = ConsensusState(self.public_key, self.diversifier, self.timestamp)
        state = codec.encode_client_state(ClientState(self.sequence, False, consensus))
        return (
            AnyMessage(codec.CLIENT_STATE_TYPE_URL, state),
            AnyMessage(codec.CONSENSUS_STATE_TYPE_URL, codec.encode_consensus_state(consensus)),
        )

    def sign(
        self, path: bytes, data: bytes, timestamp: int | None = None, sequence: int | None = None
    ) -> bytes:
        """Return signature data over `data` at `path`, signed by the first `threshold` keys."""
        when = self.timestamp if timestamp is None else timestamp
        number = self.sequence if sequence is None else sequence
        message = codec.sign_bytes(number, when, self.diversifier, path, data)
        singles = [self._single(key, message) for key in self._keys[: self._threshold]]
        return encode(singles[0] if len(self._keys) == 1 else self.join(singles))

    def _single(self, key: SigningKey, message: bytes) -> Data:
        return Data(single=Data.Single(signature=key.sign(message).signature))

    def join(self, singles: Sequence[Data], bits: str = "") -> Data:
        """Combine signatures into one of a threshold key; `bits` marks the signers, by default the first."""
        marks = bits or "1" * len(singles) + "0" * (len(self._keys) - len(singles))
        size = -(-len(marks) // 8)
        elems = int(marks.ljust(size * 8, "0"), 2).to_bytes(size, "big")
        array = bits_pb2.CompactBitArray(extra_bits_stored=len(marks) % 8, elems=elems)
        return Data(multi=Data.Multi(bitarray=array, signatures=singles))

    def proof(self, path: bytes, data: bytes, timestamp: int | None = None) -> bytes:
        """Return a proof of `data` at `path` (empty: of absence) for the expected sequence."""
        when = self.timestamp if timestamp is None else timestamp
        return encode(pb.TimestampedSignatureData(signature_data=self.sign(path, data, when), timestamp=when))

    def header(self, heir: "SoloMachine") -> AnyMessage:
        """Return a header that rotates to another machine's key."""
        unsigned = Header(heir.timestamp, b"", heir.public_key, heir.diversifier)
        signature = self.sign(HEADER_PATH, codec.header_data(unsigned), heir.timestamp)
        header = pb.Header(
            timestamp=heir.timestamp,
            signature=signature,
            new_public_key=pack_any(heir.public_key),
            new_diversifier=heir.diversifier,
        )
        return AnyMessage(codec.HEADER_TYPE_URL, encode(header))

    def misbehaviour(self, *data: bytes, sequence: int | None = None) -> AnyMessage:
        """Return evidence of two signatures for one sequence."""
        path = encode(commitment_pb2.MerklePath(key_path=[b"ibc", b"key"]))
        number = self.sequence if sequence is None else sequence
        parts = [
            pb.SignatureAndData(
                signature=self.sign(path, each, sequence=number),
                path=path,
                data=each,
                timestamp=self.timestamp,
            )
            for each in data
        ]
        evidence = pb.Misbehaviour(sequence=number, signature_one=parts[0], signature_two=parts[1])
        return AnyMessage(codec.MISBEHAVIOUR_TYPE_URL, encode(evidence))
