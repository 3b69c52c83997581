"""ICS-20 between real chains: away, abroad, home again, back."""

from localnet.chain import LocalChain
from localnet.settings import Genesis, funded
from pyibc.core.channel.types import Order
from pyibc.core.coin import coin
from pyibc.core.errors import (
    DenomNotFound,
    InsufficientBalance,
    InvalidAddress,
    InvalidAmount,
    InvalidCoins,
    InvalidMemo,
    InvalidPacket,
    TimeoutElapsed,
    TxDecode,
)
from pyibc.core.height import Height
from pyibc.core.numbers import MAX_U256
from pyibc.relayer.links.link import relay as relay_one
from pyibc.relayer.paths.open_path import make_path
from pyibc.testing.ledger import broken_laws, channel_view
from pyibc.testing.pair import Party, ibc_plugins
from pyibc.testing.transfers import abroad, in_escrow, supply, transfer

FUNDS = 10**12


def events(outcome, kind):
    return [dict(attributes) for name, attributes in outcome.events if name == kind]


def send(net, amount=100, denom="uatom", receiver=None, **options):
    message = transfer(net.a, "alice", net.path.a, denom, amount, receiver or net.b.address("bob"), **options)
    return net.a.execute("alice", message)


def send_back(net, amount, denom):
    message = transfer(net.b, "bob", net.path.b, denom, amount, net.a.address("alice"))
    return net.b.execute("bob", message)


def test_coins_go_home_and_the_vouchers_are_gone(net):
    voucher = abroad("uatom", net.path.b).coin_denom
    send(net, 100)
    net.relay()
    assert send_back(net, 60, voucher).code == 0
    assert supply(net.b, voucher) == 40
    assert net.broken_laws() == []
    net.relay()
    assert net.a.balance("alice", "uatom") == FUNDS - 40
    assert in_escrow(net.a, net.path.a, "uatom") == 40
    assert send_back(net, 40, voucher).code == 0
    net.relay()
    assert net.a.balance("alice", "uatom") == FUNDS
    assert (supply(net.b, voucher), in_escrow(net.a, net.path.a, "uatom")) == (0, 0)
    assert net.broken_laws() == []


def test_over_two_hops_and_back_the_same_way(make_net):
    # alpha -> beta -> gamma, then all the way home; beta's vouchers wait in escrow for gamma's.
    left = make_net(chain_ids=("alpha-1", "beta-1"))
    right = make_net(chain_ids=("gamma-1", "delta-1"), clock=left.clock)
    beta, gamma = left.b, right.a
    path = make_path(beta.endpoint, gamma.endpoint, "transfer", Order.UNORDERED, "ics20-1")
    views = [
        channel_view(left.path, left.a.chain, beta.chain),
        channel_view(path, beta.chain, gamma.chain),
        channel_view(right.path, gamma.chain, right.b.chain),
    ]
    on_beta, on_gamma = abroad("uatom", left.path.b), abroad("uatom", left.path.b, path.b)
    assert on_gamma.path == f"transfer/{path.b.channel_id}/transfer/{left.path.b.channel_id}/uatom"

    def relay():
        left.relay()
        relay_one(path, beta.endpoint, gamma.endpoint)
        assert broken_laws(views) == []

    send(left, 100)
    relay()
    out = transfer(beta, "bob", path.a, on_beta.coin_denom, 70, gamma.address("alice"))
    assert beta.execute("bob", out).code == 0
    relay()
    assert gamma.balance("alice", on_gamma.coin_denom) == 70
    assert in_escrow(beta, path.a, on_beta.coin_denom) == 70
    back = transfer(gamma, "alice", path.b, on_gamma.coin_denom, 70, beta.address("bob"))
    assert gamma.execute("alice", back).code == 0
    relay()
    assert beta.balance("bob", on_beta.coin_denom) == 100
    home = transfer(beta, "bob", left.path.b, on_beta.coin_denom, 100, left.a.address("alice"))
    assert beta.execute("bob", home).code == 0
    relay()
    assert left.a.balance("alice", "uatom") == FUNDS
    assert supply(beta, on_beta.coin_denom) == supply(gamma, on_gamma.coin_denom) == 0


# -- amounts


def rich(net):
    """Alice holds 2^256-1 `umax` on a chain of its own, connected to net's chain b."""
    alice, relayer = (net.a.users[name] for name in ("alice", "relayer"))
    state = funded(
        [
            (alice.address.text, [coin("umax", MAX_U256), coin("stake", 1000)]),
            (relayer.address.text, [coin("stake", 1000)]),
        ]
    )
    chain = LocalChain(
        "rich-1", plugins=ibc_plugins(), genesis=Genesis(state, net.clock.now_ns), clock=net.clock
    )
    return Party(chain, {"alice": alice, "relayer": relayer})


def test_all_there_can_be_of_a_coin_travels_and_comes_home(net):
    party = rich(net)
    path = make_path(party.endpoint, net.b.endpoint, "transfer", Order.UNORDERED, "ics20-1")
    views = [channel_view(path, party.chain, net.b.chain), channel_view(net.path, net.a.chain, net.b.chain)]
    voucher = abroad("umax", path.b).coin_denom
    out = transfer(party, "alice", path.a, "umax", MAX_U256, net.b.address("bob"))
    assert party.execute("alice", out).code == 0
    relay_one(path, party.endpoint, net.b.endpoint)
    assert net.b.balance("bob", voucher) == MAX_U256
    assert broken_laws(views) == []
    # 2^256-1 asks for all that is there (ibc-go's unbounded amount), which here is the same.
    back = transfer(net.b, "bob", path.b, voucher, MAX_U256, party.address("alice"))
    assert net.b.execute("bob", back).code == 0
    relay_one(path, party.endpoint, net.b.endpoint)
    assert party.balance("alice", "umax") == MAX_U256
    assert supply(net.b, voucher) == 0
    assert broken_laws(views) == []


def test_the_unbounded_amount_sends_all_that_is_there(net):
    outcome = send(net, MAX_U256)
    assert outcome.code == 0
    assert net.a.balance("alice", "uatom") == 0
    assert events(outcome, "ibc_transfer")[0]["amount"] == str(FUNDS)
    net.relay()
    assert net.broken_laws() == []


# -- what a user may not send

TOO_MUCH = FUNDS + 1

BAD = [
    ("more than there is", {"amount": TOO_MUCH}, InsufficientBalance),
    ("one more than 2^256-1", {"amount": MAX_U256 + 1}, TxDecode),
    ("nothing", {"amount": 0}, InvalidCoins),
    ("less than nothing", {"amount": -1}, InvalidCoins),
    ("no denomination", {"denom": ""}, InvalidCoins),
    ("a short denomination", {"denom": "u"}, InvalidCoins),
    ("ibc/ without a hash", {"denom": "ibc/xyz"}, InvalidCoins),
    ("a voucher nobody knows", {"denom": "ibc/" + "AB" * 32}, DenomNotFound),
    ("a hash in small letters", {"denom": "ibc/" + "ab" * 32}, DenomNotFound),
    ("a hash behind capitals, a coin's own name", {"denom": "IBC/" + "AB" * 32}, InsufficientBalance),
    ("all of a voucher nobody has", {"denom": "ibc/" + "AB" * 32, "amount": MAX_U256}, InvalidAmount),
    ("no receiver", {"receiver": " "}, InvalidAddress),
    ("a receiver of 2049 bytes", {"receiver": "r" * 2049}, InvalidAddress),
    ("a memo of 32769 bytes", {"memo": "m" * 32_769}, InvalidMemo),
    ("a height that has passed", {"until": Height(1, 1)}, TimeoutElapsed),
    ("a time that has passed", {"until": 1}, TimeoutElapsed),
    ("no timeout", {"until": 0}, InvalidPacket),
]


def test_refusals(net):
    root = net.a.chain.app.store.root("ibc"), net.a.chain.app.store.root("transfer")
    for name, asked, error in BAD:
        outcome = send(net, **asked)
        assert (name, outcome.codespace, outcome.code) == (name, error.codespace, error.code)
        assert [kind for kind, _ in outcome.events if kind != "tx"] == [], name
        net.a.chain.make_block([])
        assert (net.a.chain.app.store.root("ibc"), net.a.chain.app.store.root("transfer")) == root, name
        assert net.a.balance("alice", "uatom") == FUNDS, name
