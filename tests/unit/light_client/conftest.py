import pytest

from conformance import memory
from conformance.vectors import synthetic_headers as make
from light_client.tendermint import states
from light_client.tendermint.client import TendermintLightClient
from light_client.tendermint.states import DEFAULT_TRUST_LEVEL, ClientState
from light_client.tendermint.updates import consensus_state_of
from pyibc.core.height import Height

CHAIN = "gaia-1"
CLIENT = "07-tendermint-0"
DAY_NS = 86_400 * 10**9
SECOND_NS = 10**9


class Host:
    """A block with a client in it, and the chain that the client follows."""

    def __init__(self, ring, at=10, now=11):
        self.chain_id = CHAIN
        self.client_id = CLIENT
        self.ring = ring
        self.client = TendermintLightClient()
        self.ctx = memory.block(make.START_NS + now * SECOND_NS, height=7)
        self.state = ClientState(
            CHAIN, DEFAULT_TRUST_LEVEL, 14 * DAY_NS, 21 * DAY_NS, 10 * SECOND_NS, Height(1, at)
        )
        first = make.client_header(make.signed(CHAIN, at, ring), ring, 0)
        self.create(self.state, consensus_state_of(first))

    def create(self, state, consensus, client_id=CLIENT):
        self.client.initialize(
            self.ctx,
            client_id,
            states.encode_client_state(state),
            states.encode_consensus_state(consensus),
        )

    def at(self, second):
        self.ctx.time_ns = make.START_NS + second * SECOND_NS
        return self

    def entries(self):
        return dict(self.ctx.writes("ibc"))

    def update(self, message):
        self.client.verify_client_message(self.ctx, CLIENT, message)
        if self.client.check_for_misbehaviour(self.ctx, CLIENT, message):
            self.client.update_state_on_misbehaviour(self.ctx, CLIENT, message)
            return "frozen"
        return self.client.update_state(self.ctx, CLIENT, message)


@pytest.fixture(scope="session")
def ring():
    return make.keyring([40, 30, 20, 10])


@pytest.fixture
def host(ring):
    return Host(ring)


@pytest.fixture
def new_host():
    return Host
