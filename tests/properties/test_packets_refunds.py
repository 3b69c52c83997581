"""H10: whatever a sender wrote into a transfer, he gets his coins back when it fails."""

from hypothesis import given, settings
from hypothesis import strategies as st

from pyibc.core.channel.types import Order
from pyibc.testing.ledger import broken_laws, channel_view
from pyibc.testing.pair import SECOND, two_chains
from pyibc.testing.transfers import transfer
from tests.sampling import rounds

NOBODY = st.text(min_size=1, max_size=60).map(lambda text: "x" + text)


@settings(max_examples=rounds(6, 15), deadline=None)
@given(
    st.lists(
        st.tuples(st.text(max_size=200), NOBODY, st.integers(1, 10**6), st.booleans()), min_size=1, max_size=5
    )
)
def test_h10_every_failed_transfer_comes_back(transfers):
    net = two_chains()
    path = net.open("transfer", Order.UNORDERED, "ics20-1")
    before = net.a.balance("alice", "stake")
    for memo, receiver, amount, late in transfers:
        until = {"until": net.clock.now_ns + 60 * SECOND} if late else {}
        message = transfer(net.a, "alice", path.a, "stake", amount, receiver, memo=memo, **until)
        assert net.a.execute("alice", message).code == 0
    net.clock.advance(120 * SECOND)
    net.b.chain.make_block([])
    net.relay(path)
    assert net.a.balance("alice", "stake") == before
    assert broken_laws([channel_view(path, net.a.chain, net.b.chain)]) == []
    net.close()
