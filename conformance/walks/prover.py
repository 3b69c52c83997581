"""Provers for a chain's clients: the other chain, or the chain itself over localhost."""

from typing import NamedTuple

from conformance.walks import view
from conformance.walks.chain import WalkChain
from light_client.registry import SENTINEL_PROOF
from light_client.tendermint.codec import pack_client_header
from pyibc.codec.anys import AnyMessage
from pyibc.core.client.messages import MsgUpdateClient
from pyibc.core.height import Height


class Prover(NamedTuple):
    """Proofs of one chain's state, for one client at one height.

    `before` must be delivered first: it updates the client to that height.
    """

    far: WalkChain
    height: Height
    before: tuple[MsgUpdateClient, ...]
    sentinel: bool

    def proof(self, key: bytes) -> bytes:
        """Return the proof of the entry at `key`, or of its absence."""
        return SENTINEL_PROOF if self.sentinel else self.far.proof(key, self.height.revision_height)


def localhost(chain: WalkChain) -> Prover:
    """Return a prover of a chain for itself."""
    return Prover(chain, chain.height, (), sentinel=True)


def update(far: WalkChain, chain: WalkChain, client_id: str, signer: str) -> MsgUpdateClient:
    """Return a MsgUpdateClient with the last header of `far`, from the client's latest height."""
    trusted = view.client_state(chain, client_id).latest_height
    return MsgUpdateClient(client_id, header(far, far.height.revision_height, trusted), signer)


def header(far: WalkChain, height: int, trusted: Height) -> AnyMessage:
    """Return the client message with a header of `far`."""
    return pack_client_header(far.header(height, trusted))


def stale(far: WalkChain, chain: WalkChain, client_id: str) -> Prover:
    """Return a prover at the client's latest height."""
    return Prover(far, view.client_state(chain, client_id).latest_height, (), sentinel=False)


def fresh(far: WalkChain, chain: WalkChain, client_id: str, signer: str) -> Prover:
    """Return a prover at the last height of `far`, which needs a client update."""
    return Prover(far, far.height, (update(far, chain, client_id, signer),), sentinel=False)
