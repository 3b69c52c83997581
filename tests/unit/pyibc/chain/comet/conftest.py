"""The adapter asked as CometBFT asks, without CometBFT."""

import json

import pytest

from abci_server.messages import requests as ask
from abci_server.messages.requests import BlockParams, CommitInfo, ConsensusParams
from pyibc.chain.comet.app import CometApp, LastBlockFile, host_app
from pyibc.chain.comet.settings import AppSettings, ChainRules

RULES = ChainRules("chain-1", 1, 22_020_096, -1)


class Asked:
    """An adapter with the questions' tedious parts filled in."""

    def __init__(self, app, genesis, rules):
        self.app, self.genesis, self.rules = app, genesis, rules

    def init(self, **changes):
        block = BlockParams(self.rules.block_bytes, self.rules.block_gas)
        given = {
            "time_ns": self.genesis.time_ns,
            "chain_id": self.rules.chain_id,
            "consensus_params": ConsensusParams(block),
            "validators": (),
            "app_state_bytes": json.dumps(self.genesis.app_state).encode(),
            "initial_height": self.rules.initial_height,
        }
        return self.app.init_chain(ask.RequestInitChain(**given | changes))

    def finalize(self, txs=(), height=None, time_ns=None):
        height = height or self.app.host.store.next_version
        time_ns = time_ns or self.genesis.time_ns + height * 10**9
        return self.app.finalize_block(
            ask.RequestFinalizeBlock(list(txs), CommitInfo(), (), b"", height, time_ns, b"\1" * 32, b"")
        )

    def block(self, txs=(), **where):
        done = self.finalize(txs, **where)
        assert self.app.commit() == 0
        return done

    def propose(self, txs, limit):
        return self.app.prepare_proposal(
            ask.RequestPrepareProposal(limit, txs, None, (), 1, self.genesis.time_ns, b"", b"")
        )

    def query(self, path, data=b"", height=0, prove=False):
        return self.app.query(ask.RequestQuery(data, path, height, prove))

    def info(self):
        return self.app.info(ask.RequestInfo("0.38.26", 11, 8, "2.0.0"))

    def check(self, tx, recheck=False):
        return self.app.check_tx(ask.RequestCheckTx(tx, recheck))


@pytest.fixture
def comet(genesis, tmp_path):
    """Makes adapters: in memory, or in a folder below `tmp_path`; IBC and ICS-20 are on board."""
    made = []

    def make(folder=None, plugins=(), rules=RULES, **settings):
        told = AppSettings("cosmos", tuple(plugins), **settings)
        path = tmp_path / folder if folder else None
        if path:
            path.mkdir(exist_ok=True)
        host = host_app(path / "state" if path else None, told, rules)
        made.append(host)
        app = CometApp(host, rules, LastBlockFile(path / "last") if path else None)
        return Asked(app, genesis, rules)

    yield make
    for each in made:
        each.store.close()
