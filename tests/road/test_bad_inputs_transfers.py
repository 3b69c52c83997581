"""Bad inputs of ICS-20, as whole transactions and as packets of a hostile chain.

The numbers are those of `bad_inputs.toml`. A transaction that is refused costs its sequence number and
nothing else; a packet that is refused is answered with a number and changes no coin.
"""

import tracemalloc

import pytest

from conformance.kit.mutate_state import freeze_client
from conformance.kit.refusals import expect_refusal, expect_undone
from conformance.kit.staged_block import StagedBlock
from ibc_core.any_message import AnyMessage
from ibc_core.client_v2.types import ClientCounterparty
from ibc_core.errors import (
    ClientNotActive,
    DenomNotFound,
    InvalidAddress,
    InvalidTimeoutV2,
    SendDisabled,
    TxDecode,
    Unauthorized,
)
from ibc_core.errors.sdk import InsufficientBalance
from ibc_core.host.module_account import module_address
from ibc_core.packet import acknowledgement as acks
from ibc_core.transfer.denom import parse_denom
from ibc_module.apps.transfer import state
from ibc_module.apps.transfer.escrow import escrow_address
from ibc_module.plugin import IbcPlugin
from ibc_relayer.wallet import Wallet
from ibc_testing.clock import SECOND
from ibc_testing.transfers import abroad, transfer

FUNDS = 10**12
SUCCESS = acks.success()
DAY_S = 86_400


def fail(code):
    return b'{"error":"ABCI code: %d: error handling packet: see events for details"}' % code


def books(chain):
    ctx = chain.app.query_context()
    return list(chain.app.bank.all_balances(ctx)), list(chain.app.bank.total_supply(ctx))


def ours(net, **changes):
    """Alice's transfer, right but for what is changed."""
    fields = {"denom": "uatom", "amount": 5, "receiver": net.b.address("bob")} | changes
    return transfer(net.a, "alice", net.path.a, **fields)


def refused_whole(net, message, error):
    """In a block: the code, no event but the ante's, and only Alice's account differs afterwards."""
    app = net.a.chain.app
    roots, coins = [app.store.root(name) for name in ("ibc", "transfer")], books(net.a.chain)
    sequence = app.pending_account(net.a.users["alice"].address.raw).sequence
    outcome = net.a.execute("alice", message)
    assert (outcome.codespace, outcome.code) == (error.codespace, error.code)
    assert {kind for kind, _ in outcome.events} <= {"tx"}
    assert [app.store.root(name) for name in ("ibc", "transfer")] == roots
    assert books(net.a.chain) == coins
    # decoding comes before the ante: what cannot be read costs nothing
    assert app.pending_account(net.a.users["alice"].address.raw).sequence - sequence in {0, 1}
    return outcome.log


# -- MsgTransfer


@pytest.mark.parametrize("receiver", ["", "   "], ids=["empty", "blank"])
def test_44_receiver(net, receiver):
    assert "receiver" in refused_whole(net, ours(net, receiver=receiver), InvalidAddress)


def test_43_a_hash_in_capitals_of_nobody(net):
    """`IBC/` is no voucher's prefix for ibc-go: it is the name of a coin that nobody has."""
    refused_whole(net, ours(net, denom="IBC/" + "AB" * 32), InsufficientBalance)


def test_43_an_unknown_hash_in_small_letters(net):
    refused_whole(net, ours(net, denom="ibc/" + "ab" * 32), DenomNotFound)


def test_45_a_memo_may_hold_a_nul(net):
    """As in ibc-go: a memo is any text."""
    assert net.a.execute("alice", ours(net, memo="a\x00b")).code == 0
    net.relay()
    assert net.b.balance("bob", abroad("uatom", net.path.b).coin_denom) == 5


def test_45_a_memo_that_is_not_utf_8(net):
    good = ours(net, memo="a memo")
    spoilt = AnyMessage(good.type_url, good.value.replace(b"a memo", b"a mem\xff"))
    assert good.value != spoilt.value
    refused_whole(net, spoilt, TxDecode)


@pytest.mark.parametrize(
    "ahead_ns", [(DAY_S + 60) * SECOND, (DAY_S - 60) * SECOND * SECOND], ids=["a day and more", "nanoseconds"]
)
def test_46_timeouts_of_ibc_v2(client_paths, ahead_ns):
    """Seconds, and at most a day of them; nanoseconds are taken for seconds of a far future."""
    net, end = client_paths
    message = transfer(net.a, "alice", end, "uatom", 5, net.b.address("bob"), until=until_s(net, ahead_ns))
    expect_undone(StagedBlock(net.a.chain), message, InvalidTimeoutV2)


def until_s(net, ahead_ns):
    return (net.clock.now_ns + ahead_ns) // SECOND


@pytest.fixture
def client_paths(net):
    """The net, and chain a's client with a counterparty in the place of a channel."""
    client, end = net.path.a.client_id, net.path.a

    def register(ctx):
        keepers = keepers_of(net.a.chain)
        keepers.v2.clients.set_counterparty(
            ctx, client, ClientCounterparty((b"ibc", b""), net.path.b.client_id)
        )
        keepers.v2.packets.set_next_send(ctx, client, 1)

    commit(net.a.chain, register)
    return net, end._replace(channel_id=client)


def keepers_of(chain):
    return next(p.keepers for p in chain.app.pipeline._manager.get_plugins() if isinstance(p, IbcPlugin))


def commit(chain, action):
    """Writes something in a block of its own."""
    begin = chain.app.pipeline.begin_block

    def with_action(ctx):
        begin(ctx)
        action(ctx)

    chain.app.pipeline.begin_block = with_action
    try:
        chain.make_block([])
    finally:
        chain.app.pipeline.begin_block = begin


def test_47_sending_is_disabled(net):
    commit(net.a.chain, lambda ctx: state.set_params(ctx, state.Params(False, True)))
    refused_whole(net, ours(net), SendDisabled)


def test_47_the_sender_is_a_module(net):
    """Nobody can sign for one; a message in its name is refused all the same."""
    module = net.a.chain.app.addresses.encode(module_address("fee_collector")).text
    good = ours(net)
    text = net.a.address("alice").encode()
    spoilt = AnyMessage(good.type_url, good.value.replace(b"\x22" + bytes([len(text)]) + text, named(module)))
    expect_refusal(StagedBlock(net.a.chain), spoilt, Unauthorized)


def named(address):
    return b"\x22" + bytes([len(address)]) + address.encode()


def test_47_the_client_is_frozen(net):
    commit(net.a.chain, lambda ctx: freeze_client(ctx, net.path.a.client_id))
    assert "Frozen" in refused_whole(net, ours(net), ClientNotActive)


# -- packet data


def answer_to(net, hostile, raw):
    """What chain b answers to a packet with such data."""
    height = net.b.chain.height
    hostile.send(raw)
    hostile.relay()
    (answer,) = hostile.answers(height)
    return answer


@pytest.mark.parametrize(
    "raw",
    [b"not json", b"null", b"[]", b'{"denom"', b"\x00"],
    ids=["not JSON", "null", "array", "cut", "NUL"],
)
def test_48_packet_data(net, hostile, raw):
    before = books(net.b.chain)
    assert answer_to(net, hostile, raw).startswith(b'{"error":"ABCI code: ')
    assert books(net.b.chain) == before


@pytest.mark.parametrize("opening", [b"[", b'{"a":'], ids=["arrays", "objects"])
def test_48_depth_of_100_000(net, hostile, opening):
    raw, before = (opening * 100_000)[:260_000], books(net.b.chain)
    tracemalloc.start()
    try:
        assert answer_to(net, hostile, raw) == fail(12)
        assert tracemalloc.get_traced_memory()[1] < 64_000_000
    finally:
        tracemalloc.stop()
    assert books(net.b.chain) == before


FORGIVEN = {
    "duplicate amount": ('"amount":"1","amount":"7"', 7),
    "key Amount": ('"Amount":"7"', 7),
}


@pytest.mark.parametrize("name", FORGIVEN)
def test_48_what_ibc_go_forgives(net, hostile, name):
    """Go takes the last of two keys, whatever their case: who differs disagrees about the coins (D22b)."""
    text, amount = FORGIVEN[name]
    raw = f'{{"denom":"uevil",{text},"sender":"x","receiver":"{net.b.address("bob")}"}}'
    assert answer_to(net, hostile, raw.encode()) == SUCCESS
    assert net.b.balance("bob", abroad("uevil", hostile.path.b).coin_denom) == amount


AMOUNTS = {"+1": 1, "1_0": 10, "0x10": 16, "010": 8, "0b11": 3, "0o17": 15}


@pytest.mark.parametrize("text", AMOUNTS)
def test_49_amounts_that_go_reads(net, hostile, text):
    """Declared: as ibc-go's `SetString(text, 0)` (D10)."""
    assert hostile.attack(amount=text) == [SUCCESS]
    assert net.b.balance("bob", abroad("uevil", hostile.path.b).coin_denom) == AMOUNTS[text]


def test_50_a_receiver_of_another_chain(net, hostile):
    other = Wallet.from_seed("bob", "osmo").address.text
    before = books(net.b.chain)
    assert hostile.attack(receiver=other) == [fail(InvalidAddress.code)]
    assert books(net.b.chain) == before


def test_50_an_escrow_account_may_receive(net, hostile):
    """As in ibc-go, which blocks module accounts only: the coins are lost to their sender alone."""
    escrow = escrow_address("transfer", net.path.b.channel_id)
    text = net.b.chain.app.addresses.encode(escrow).text
    held = net.b.chain.app.bank.balance(net.b.chain.app.query_context(), escrow, "uatom")
    assert hostile.attack(receiver=text) == [SUCCESS]
    ctx = net.b.chain.app.query_context()
    assert net.b.chain.app.bank.balance(ctx, escrow, abroad("uevil", hostile.path.b).coin_denom) == 1
    assert net.b.chain.app.bank.balance(ctx, escrow, "uatom") == held


def test_50_twenty_zero_bytes_may_receive(net, hostile):
    """As in ibc-go: an address like any other, of which nobody has the key."""
    text = net.b.chain.app.addresses.encode(bytes(20)).text
    assert hostile.attack(receiver=text) == [SUCCESS]


def test_51_seventy_hops(net, hostile):
    """Every hop is kept: the voucher has one more, and goes home the way it came."""
    path = "transfer/channel-77/" * 70 + "uatom"
    assert hostile.attack(denom=path) == [SUCCESS]
    voucher = abroad(parse_denom(path), hostile.path.b)
    assert len(voucher.trace) == 71
    assert net.b.balance("bob", voucher.coin_denom) == 1
