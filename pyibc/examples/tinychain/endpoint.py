"""In-process endpoint of this chain for the stock relayer (`pyibc.relayer.chain.endpoint.ChainEndpoint`)."""

from collections.abc import Sequence

from nacl.signing import SigningKey

from pyibc import AddressCodec, AnyMessage, CommittedBlock, Height, TxOutcome
from pyibc.examples.tinychain.chain import TinyChain
from pyibc.examples.tinychain.envelope import address_of, sign
from pyibc.host import STORE_NAME, revision_of
from pyibc.light_clients import encode_signed_header, encode_validator_set
from pyibc.relayer import EndpointExtras, EndpointRefused, LightBlock, Proven, Tip
from pyibc.store import IavlError
from pyibc.wire import encode_merkle_proof


class TinyEndpoint:
    """Endpoint of one chain, with a key that signs for a user or a relayer. Makes a block when needed."""

    def __init__(self, chain: TinyChain, seed: bytes, addresses: AddressCodec) -> None:
        """Set the chain and the 32-byte seed of the key."""
        self.chain = chain
        self._key = SigningKey(seed)
        self.address = addresses.encode(address_of(bytes(self._key.verify_key)))

    extras = EndpointExtras()  # none: a chain in the same process answers at once

    @property
    def chain_id(self) -> str:
        """Id of the chain."""
        return self.chain.chain_id

    @property
    def signer(self) -> str:
        """Address of the key."""
        return self.address.text

    def tip(self) -> Tip:
        """Return the last committed block."""
        return Tip(self.chain.last.height, self.chain.last.time_ns)

    def block(self, height: int) -> CommittedBlock:
        """Return a committed block; raise EndpointRefused if there is none."""
        return self.chain.blocks[self._place(height)]

    def light_block(self, height: int) -> LightBlock:
        """Return header, commit and validators; raise EndpointRefused if there is no such block."""
        signed = self.chain.consensus.headers[self._place(height)]
        validators = encode_validator_set(self.chain.consensus.validators)
        return LightBlock(height, signed.header.time_ns, encode_signed_header(signed), validators)

    def get(self, key: bytes, store: str = STORE_NAME) -> bytes | None:
        """Return an entry of a store after the last block."""
        return self.chain.store.store(store).get(key)

    def prove(self, key: bytes, height: int, store: str = STORE_NAME) -> Proven:
        """Return an entry of a store after block `height` with its proof; raise EndpointRefused if pruned."""
        try:
            value, proofs = self.chain.store.prove(store, key, height)
        except IavlError as error:
            raise EndpointRefused(self.chain_id, f"proof at {height}", str(error)) from error
        return Proven(value, encode_merkle_proof(proofs), Height(revision_of(self.chain_id), height + 1))

    def grpc(self, path: str, request: bytes) -> bytes:
        """Answer a query at the last block; raise IbcError."""
        return self.chain.query(path, request)

    def submit(self, messages: Sequence[AnyMessage]) -> TxOutcome:
        """Sign one transaction and make the block that includes it; raise IbcError if CheckTx refuses it."""
        raw = sign(self._key, self.chain_id, self.chain.next_nonce(self.address.raw), messages)
        self.chain.check_tx(raw)
        return next(outcome for outcome in self.chain.make_block().txs if outcome.tx == raw)

    def wait(self, height: int) -> None:
        """Make blocks up to `height`."""
        while self.chain.last.height < height:
            self.chain.make_block()

    def _place(self, height: int) -> int:
        if not 0 < height <= self.chain.last.height:
            raise EndpointRefused(self.chain_id, f"block {height}", f"the last is {self.chain.last.height}")
        return height - 1
