"""A light client made of a recorded header."""

from conformance.memory import CLIENT
from light_client.tendermint import states
from light_client.tendermint.client import TendermintLightClient
from light_client.tendermint.states import DEFAULT_TRUST_LEVEL, ClientState
from light_client.tendermint.types import ClientHeader, SignedHeader, ValidatorSet
from light_client.tendermint.updates import consensus_state_of
from pyibc.core.height import Height, revision_of
from pyibc.core.host.overlay import BlockContext

_DAY_NS = 86_400 * 10**9
_NOBODY = ValidatorSet(())


def light(signed: SignedHeader, validators: ValidatorSet, base: int, trusted: ValidatorSet) -> ClientHeader:
    """Return a header message: signed header, validators, trusted height and the validators after it."""
    revision = revision_of(signed.header.chain_id)
    return ClientHeader(signed.header, signed.commit, validators, Height(revision, base), trusted)


def client_of(ctx: BlockContext, first: SignedHeader) -> TendermintLightClient:
    """Return a client that trusts `first`."""
    header = first.header
    client, height = TendermintLightClient(), Height(revision_of(header.chain_id), header.height)
    state = ClientState(header.chain_id, DEFAULT_TRUST_LEVEL, 14 * _DAY_NS, 21 * _DAY_NS, 10**10, height)
    consensus = consensus_state_of(light(first, _NOBODY, 0, _NOBODY))
    encoded = states.encode_client_state(state), states.encode_consensus_state(consensus)
    client.initialize(ctx, CLIENT, *encoded)
    return client
