"""Two chains relay packets while many ask: the same blocks come of it, and every answer is whole."""

import threading

import pytest

from pyibc.core.channel.types import Order
from pyibc.proto.cosmos.bank.v1beta1 import query_pb2 as bank
from pyibc.proto.cosmos.base.query.v1beta1.pagination_pb2 import PageRequest
from pyibc.proto.cosmos.tx.v1beta1 import service_pb2 as tx
from pyibc.proto.ibc.core.channel.v1 import query_pb2 as channels
from pyibc.testing.pair import two_chains
from pyibc.testing.transfers import transfer

SUPPLY = 3 * 10**12
PACKETS = 12


def to_bob(chains, path):
    return transfer(chains.a, "alice", path.a, "stake", 7, chains.b.address("bob"))


def run(begin, end):
    """Sends, relays and acknowledges; the app hashes of both chains."""
    chains = two_chains()
    path = chains.open("transfer", Order.UNORDERED, "ics20-1")
    begin(chains, path)
    try:
        for _ in range(PACKETS):
            chains.a.execute("alice", to_bob(chains, path))
        chains.relay(path)
        made = [party.chain for party in (chains.a, chains.b)]
        return [[chain.block(h).app_hash for h in range(1, chain.height + 1)] for chain in made]
    finally:
        end()
        chains.close()


class Askers:
    """Threads that ask chain A all the time."""

    def __init__(self, serve, connect):
        self._serve, self._connect = serve, connect
        self._stop, self._threads = threading.Event(), []
        self.problems, self.counts = [], {}

    def begin(self, chains, path):
        self.chains, self.path = chains, path
        self.client = self._connect(self._serve(chains.a.chain))
        for ask in (self.supply, self.commitments, self.simulate):
            self._threads.append(threading.Thread(target=self._repeat, args=(ask,)))
            self._threads[-1].start()

    def end(self):
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _repeat(self, ask):
        while not self._stop.is_set():
            try:
                ask()
            except Exception as error:
                self.problems.append(error)
                return
            self.counts[ask.__name__] = self.counts.get(ask.__name__, 0) + 1

    def supply(self):
        """Balances of one state add up, whatever moves meanwhile."""
        asked = bank.QueryDenomOwnersRequest(denom="stake")
        answer = self.client("/cosmos.bank.v1beta1.Query/DenomOwners", asked, bank.QueryDenomOwnersResponse)
        assert sum(int(each.balance.amount) for each in answer.denom_owners) == SUPPLY

    def commitments(self):
        page = PageRequest(limit=2**32 - 1)
        end = self.path.a
        asked = channels.QueryPacketCommitmentsRequest(
            port_id=end.port_id, channel_id=end.channel_id, pagination=page
        )
        path, kind = "/ibc.core.channel.v1.Query/PacketCommitments", channels.QueryPacketCommitmentsResponse
        sequences = [each.sequence for each in self.client(path, asked, kind).commitments]
        assert len(sequences) == len(set(sequences)) <= PACKETS

    def simulate(self):
        wallet, app = self.chains.a.users["alice"], self.chains.a.chain.app
        account = app.pending_account(wallet.address.raw)
        raw = wallet.sign_tx(
            [to_bob(self.chains, self.path)],
            chain_id=app.config.chain_id,
            account_number=account.number,
            sequence=account.sequence,
            gas_limit=10**7,
        )
        try:
            path = "/cosmos.tx.v1beta1.Service/Simulate"
            answer = self.client(path, tx.SimulateRequest(tx_bytes=raw), tx.SimulateResponse)
        except Exception as error:
            if "account sequence mismatch" not in str(error):  # a block came in between
                raise
        else:
            assert answer.gas_info.gas_used > 10_000


@pytest.fixture
def askers(serve, connect):
    return Askers(serve, connect)


def test_asking_changes_nothing_and_sees_whole_states(askers):
    quiet = run(lambda *_: None, lambda: None)
    assert run(askers.begin, askers.end) == quiet
    assert askers.problems == []
    assert set(askers.counts) == {"supply", "commitments", "simulate"}
