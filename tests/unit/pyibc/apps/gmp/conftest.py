"""Two chains that call each other."""

import pytest

from pyibc.apps.gmp.messages import MsgSendCall
from pyibc.apps.gmp.packet_data import AccountIdentifier
from pyibc.apps.gmp.plugin import GmpPlugin
from pyibc.codec.anys import pack
from pyibc.core.packet_v2.types import NS_PER_S
from pyibc.core.wire.message import pack_msg
from pyibc.proto.cosmos.bank.v1beta1.tx_pb2 import MsgSend
from pyibc.proto.cosmos.base.v1beta1.coin_pb2 import Coin
from pyibc.testing.pair import ibc_plugins, two_chains


def _added(made):
    made.append(GmpPlugin())
    return made[-1:]


class Net:
    """Alice on chain a calls; her account is on chain b."""

    def __init__(self):
        made = self.plugins = []
        self.chains = two_chains(plugins=lambda: [*ibc_plugins(), *_added(made)])
        self.a, self.b = self.chains.a, self.chains.b
        self.path = self.chains.open_clients()
        self.alice, self.bob = self.a.address("alice"), self.b.address("bob")
        self.identifier = AccountIdentifier(self.path.b.client_id, self.alice, b"")
        self.account = self.b.chain.app.addresses.encode(self.identifier.address)

    def of_salt(self, salt):
        return self.b.chain.app.addresses.encode(self.identifier._replace(salt=salt).address)

    def fund(self, account, amount=1000):
        outcome = self.b.execute("bob", bank_send(self.bob, account.text, amount))
        assert outcome.code == 0

    def call(self, payload, salt=b"", encoding="", memo="", receiver="", seconds=600):
        until = self.a.chain.tip().time_ns // NS_PER_S + seconds
        msg = MsgSendCall(self.path.a.client_id, self.alice, receiver, salt, payload, until, memo, encoding)
        return self.a.execute("alice", pack_msg(msg))

    def send(self, amount, *, account=None, to=None):
        """The messages of a call that pays bob."""
        return bank_send((account or self.account).text, to or self.bob, amount)

    def relay(self):
        self.chains.relay(self.path)

    def balance(self, account, party=None):
        app = (party or self.b).chain.app
        return app.bank.balance(app.query_context(), account.raw, "stake")

    def store(self, party=None):
        app = (party or self.b).chain.app
        return dict(app.query_context().reader("gmp").iterate(b"\0", None))

    def answered(self):
        """What the event says of the last call that chain b received."""
        chain, found = self.b.chain, {}
        for height in range(2, chain.tip().height + 1):
            for tx in chain.block(height).txs:
                for kind, pairs in tx.events:
                    if kind.endswith("ics27_gmp_recv_packet"):
                        found = {key.removeprefix("ibccallbackerror-"): said for key, said in pairs}
        return found


def bank_send(sender, receiver, amount, denom="stake"):
    """Coins as an Any."""
    return pack(
        MsgSend(from_address=sender, to_address=receiver, amount=[Coin(denom=denom, amount=str(amount))])
    )


@pytest.fixture
def net():
    made = Net()
    yield made
    made.chains.close()
