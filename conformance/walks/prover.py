"""Who proves to a client of a chain what the other side holds: a chain, the chain itself, or a machine."""

from typing import NamedTuple

from conformance.walks import view
from conformance.walks.chain import WalkChain
from ibc_core.any_message import AnyMessage
from ibc_core.client.update import MsgUpdateClient
from ibc_core.height import Height
from light_client.localhost import SENTINEL_PROOF
from light_client.tendermint.codec import pack_client_header


class Prover(NamedTuple):
    """Proofs of one chain's state, for one client at one height.

    `before` has to be delivered first: it makes the height known.
    """

    far: WalkChain
    height: Height
    before: tuple[MsgUpdateClient, ...]
    sentinel: bool

    def proof(self, key: bytes) -> bytes:
        """Of the entry at `key`, or of its absence."""
        return SENTINEL_PROOF if self.sentinel else self.far.proof(key, self.height.revision_height)


def localhost(chain: WalkChain) -> Prover:
    """A chain to itself."""
    return Prover(chain, chain.height, (), sentinel=True)


def update(far: WalkChain, chain: WalkChain, client_id: str, signer: str) -> MsgUpdateClient:
    """The last header of `far` for a client that trusts its latest one."""
    trusted = view.client_state(chain, client_id).latest_height
    return MsgUpdateClient(client_id, header(far, far.height.revision_height, trusted), signer)


def header(far: WalkChain, height: int, trusted: Height) -> AnyMessage:
    """A client message with a header of `far`."""
    return pack_client_header(far.header(height, trusted))


def stale(far: WalkChain, chain: WalkChain, client_id: str) -> Prover:
    """What the client knows already."""
    return Prover(far, view.client_state(chain, client_id).latest_height, (), sentinel=False)


def fresh(far: WalkChain, chain: WalkChain, client_id: str, signer: str) -> Prover:
    """The last header of `far`, which the client does not know yet."""
    return Prover(far, far.height, (update(far, chain, client_id, signer),), sentinel=False)
