"""What has cost other chains money, tried on ICS-20 here; names begin as in docs/security.md."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conformance.kit.refusals import expect_refusal
from conformance.kit.staged_block import StagedBlock
from ibc_module.plugin import IbcPlugin
from pyibc.apps.transfer import state
from pyibc.apps.transfer.coins import escrow_address
from pyibc.chain.bank.send import MSG_SEND, encode_send
from pyibc.codec.anys import AnyMessage
from pyibc.core.address import module_address
from pyibc.core.application.classic import Acknowledged, Received
from pyibc.core.channel.types import Order
from pyibc.core.coin import coin
from pyibc.core.errors import (
    DenomNotFound,
    InsufficientBalance,
    InvalidDenomForTransfer,
    InvalidIdentifier,
    InvalidType,
    LogicFault,
    OutOfGas,
    Unauthorized,
    UnknownRequest,
)
from pyibc.core.numbers import MAX_U256
from pyibc.core.packet import acknowledgement as acks
from pyibc.core.packet.types import Packet
from pyibc.relayer.paths.open_path import make_path
from pyibc.testing.ledger import broken_laws, channel_view
from pyibc.testing.transfers import FAR, abroad, in_escrow, supply, transfer
from tests.sampling import rounds

FUNDS = 10**12
SUCCESS = acks.success()


def fail(code):
    return b'{"error":"ABCI code: %d: error handling packet: see events for details"}' % code


def text_of(chain, raw):
    return chain.app.addresses.encode(raw).text


def all_events(chain):
    return [
        event
        for height in range(1, chain.height + 1)
        for outcome in chain.block(height).txs
        for event in outcome.events
    ]


def deposit(net, amount=1_000):
    """Bob's uatom of chain b go to alice on chain a: chain b has something in escrow."""
    out = transfer(net.b, "bob", net.path.b, "uatom", amount, net.a.address("alice"))
    assert net.b.execute("bob", out).code == 0
    net.relay()
    assert in_escrow(net.b, net.path.b, "uatom") == amount


def books(chain):
    ctx = chain.app.query_context()
    return list(chain.app.bank.all_balances(ctx)), list(chain.app.bank.total_supply(ctx))


# -- receivers


@pytest.mark.parametrize("branch", ["mint", "unescrow"])
@pytest.mark.parametrize("account", ["fee_collector"])
def test_h2_no_branch_of_receiving_pays_module_accounts(net, hostile, branch, account):
    receiver = text_of(net.b.chain, module_address(account))
    if branch == "unescrow":
        # On the hostile chain's own channel: it may only take out what came in through it.
        out = transfer(net.b, "bob", hostile.path.b, "uatom", 500, net.b.address("alice"))
        assert net.b.execute("bob", out).code == 0
    denom = f"transfer/{hostile.path.a.channel_id}/uatom" if branch == "unescrow" else "uevil"
    before = books(net.b.chain)
    (answer,) = hostile.attack(denom=denom, amount="5", receiver=receiver)
    assert answer == fail(2)
    assert books(net.b.chain) == before


def test_h2_an_escrow_account_gains_nothing_for_anybody(net, hostile):
    """It is no module's, so ibc-go lets coins in as well: a gift, which no channel's owner can count on."""
    deposit(net)
    out = transfer(net.b, "bob", hostile.path.b, "uatom", 500, net.b.address("alice"))
    assert net.b.execute("bob", out).code == 0
    escrow = text_of(net.b.chain, escrow_address("transfer", net.path.b.channel_id))
    home = f"transfer/{hostile.path.a.channel_id}/uatom"
    assert hostile.attack(denom=home, amount="500", receiver=escrow) == [SUCCESS]
    assert in_escrow(net.b, net.path.b, "uatom") == 1_500
    assert in_escrow(net.b, hostile.path.b, "uatom") == 0
    assert hostile.attack(denom=home, amount="1") == [fail(5)]
    voucher = abroad("uatom", net.path.a).coin_denom
    back = transfer(net.a, "alice", net.path.a, voucher, 1_000, net.b.address("bob"))
    assert net.a.execute("alice", back).code == 0
    net.relay()
    assert in_escrow(net.b, net.path.b, "uatom") == 500


@pytest.mark.parametrize("receiver", ["", "  ", "nobody", "osmo1qqqqqq", "cosmos1qqqqqq"])
def test_h2_a_receiver_that_is_no_account_gets_nothing(net, hostile, receiver):
    before = books(net.b.chain)
    (answer,) = hostile.attack(receiver=receiver)
    assert answer.startswith(b'{"error":"ABCI code: ')
    assert books(net.b.chain) == before


# -- events


def test_h4_a_failed_receive_emits_only_renamed_events(net, hostile):
    hostile.attack(denom="uevil", receiver=text_of(net.b.chain, module_address("fee_collector")))
    mine = [
        (kind, attributes)
        for kind, attributes in all_events(net.b.chain)
        if "token" in kind or "coin" in kind or kind in {"transfer", "denomination"}
    ]
    assert [kind for kind, _ in mine] == ["ibccallbackerror-fungible_token_packet"]
    assert all(key.startswith("ibccallbackerror-") or key == "msg_index" for key, _ in mine[0][1])


@settings(max_examples=rounds(10, 40), deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.one_of(
        st.binary(min_size=1, max_size=80),
        st.fixed_dictionaries(
            {
                "denom": st.text(max_size=20),
                "amount": st.sampled_from(["1", "0x10", "-1", "1e3", "", "9" * 90, "\u0661"]),
                "sender": st.text(max_size=10),
                "receiver": st.text(max_size=10),
                "memo": st.text(max_size=10),
            }
        ).map(lambda fields: json.dumps(fields).encode()),
    )
)
def test_h11_every_event_of_any_packet_is_utf8(receive, data):
    for kind, attributes in receive(data):
        kind.encode()
        for key, text in attributes:
            key.encode()
            text.encode()


@pytest.fixture
def receive(net):
    """Has ICS-20 on chain b receive any data, without committing; returns the events."""
    app, relayer = transfer_app(net.b.chain), net.b.users["relayer"].address

    def run(data):
        stage = StagedBlock(net.b.chain)
        packet = Packet(1, "transfer", "channel-0", "transfer", "channel-0", data, FAR, 0)
        assert app.on_recv_packet(stage.ctx, Received("ics20-1", packet, relayer)).data
        return stage.ctx.events

    return run


def transfer_app(chain):
    for plugin in chain.app.pipeline._manager.get_plugins():
        if isinstance(plugin, IbcPlugin):
            return plugin.keepers.ports.route("transfer")
    raise LookupError("no IBC plugin")


@pytest.mark.parametrize("data", [b"\xff\xfe", b"\x00", b'{"denom":"\xff"}', bytes(range(256))], ids=repr)
def test_h39_data_that_is_no_text_is_answered_with_an_error(net, hostile, data):
    before, height = books(net.b.chain), net.b.chain.height
    hostile.send(data)
    hostile.relay()
    (answer,) = hostile.answers(height)
    assert answer.startswith(b'{"error":"ABCI code: ')
    assert books(net.b.chain) == before


@pytest.mark.parametrize(
    ("members", "receiver"),
    [('"receiver":"nobody","receiver":"%s"', True), ('"receiver":"%s","receiver":"nobody"', False)],
)
def test_d19_the_last_of_two_fields_counts_as_on_every_other_chain(net, hostile, members, receiver):
    """In packet data; in acknowledgements duplicates are refused (H7, H8), and memos are never read."""
    height = net.b.chain.height
    hostile.send(
        ('{"denom":"uevil","amount":"3","sender":"x",' + members % net.b.address("bob") + "}").encode()
    )
    hostile.relay()
    held = net.b.balance("bob", abroad("uevil", hostile.path.b).coin_denom)
    assert (hostile.answers(height) == [SUCCESS], held) == (receiver, 3 if receiver else 0)


def test_d15_composed_and_decomposed_names_stay_two(net, hostile):
    for denom in ("\u00e9", "e\u0301"):
        assert hostile.attack(denom=denom, amount="4") == [SUCCESS]
    vouchers = {abroad(denom, hostile.path.b).coin_denom for denom in ("\u00e9", "e\u0301")}
    assert len(vouchers) == 2
    assert [net.b.balance("bob", voucher) for voucher in vouchers] == [4, 4]


# -- acknowledgements


OTHER_FORMS = [
    b'{ "result":"AQ=="}',
    b'{"result":"AQ==","result":"AQ=="}',
    b'{"Result":"AQ=="}',
    b'{"result":"AQ==","extra":1}',
    b'{"error":"\\u0061"}',
    b'\xef\xbb\xbf{"result":"AQ=="}',
    '{"result":"AQ=="}'.encode("utf-16"),
    b'{"result":"AQ=="}\n',
    b"",
    b"null",
    b"[]",
    b"opaque",
]


def test_h7_transfer_takes_only_the_one_form_of_an_acknowledgement(net):
    app, relayer = transfer_app(net.a.chain), net.a.users["relayer"].address
    data = b'{"denom":"uatom","amount":"1","sender":"%b","receiver":"x"}' % net.a.address("alice").encode()
    packet = Packet(1, "transfer", "channel-0", "transfer", "channel-0", data, FAR, 0)
    for raw in OTHER_FORMS:
        stage = StagedBlock(net.a.chain)
        with pytest.raises((InvalidType, UnknownRequest)):
            app.on_acknowledgement_packet(stage.ctx, Acknowledged("ics20-1", packet, raw, relayer))
        assert stage.writes() == {}, raw


def test_h36_a_success_refunds_nothing_and_an_error_everything(net):
    net.a.execute("alice", transfer(net.a, "alice", net.path.a, "uatom", 10, net.b.address("bob")))
    net.a.execute("alice", transfer(net.a, "alice", net.path.a, "uatom", 20, "nobody"))
    net.relay()
    assert net.a.balance("alice", "uatom") == FUNDS - 10
    assert in_escrow(net.a, net.path.a, "uatom") == 10


def test_h15_out_of_gas_inside_ics20_is_no_answer(net):
    """It leaves the application as what it is: the transaction fails, and nothing was answered."""
    app = transfer_app(net.b.chain)
    data = b'{"denom":"uevil","amount":"1","sender":"x","receiver":"%b"}' % net.b.address("bob").encode()
    packet = Packet(1, "transfer", "channel-0", "transfer", "channel-0", data, FAR, 0)
    received = Received("ics20-1", packet, net.b.users["relayer"].address)
    failed = []
    for limit in range(0, 100_000, 2_500):
        stage = StagedBlock(net.b.chain)
        stage.ctx.gas.reset(limit)
        try:
            assert app.on_recv_packet(stage.ctx, received).success, limit
        except OutOfGas:
            failed.append(limit)
    assert failed == list(range(0, len(failed) * 2_500, 2_500))
    assert 0 < len(failed) < 40


# -- other people's channels


def test_h40_a_hostile_chain_cannot_move_another_channels_escrow(net, hostile):
    deposit(net)
    before = books(net.b.chain)
    own, honest = hostile.path.a.channel_id, net.path.a.channel_id
    for denom in (
        f"transfer/{own}/uatom",
        f"transfer/{honest}/uatom",
        f"transfer/{hostile.path.b.channel_id}/uatom",
        f"transfer/{net.path.b.channel_id}/uatom",
        f"transfer/{own}/transfer/{honest}/uatom",
    ):
        hostile.attack(denom=denom, amount="1000")
    assert in_escrow(net.b, net.path.b, "uatom") == 1_000
    assert supply(net.b, "uatom") == dict(before[1])["uatom"]
    assert net.b.balance("bob", "uatom") == FUNDS - 1_000
    ours = channel_view(net.path, net.a.chain, net.b.chain)
    assert [fault for fault in broken_laws([ours]) if "escrow" in fault and "chain-b" in fault] == []


def test_h40_the_same_coin_over_two_channels_is_two_vouchers(net, hostile):
    net.a.execute("alice", transfer(net.a, "alice", net.path.a, "uatom", 5, net.b.address("bob")))
    net.relay()
    assert hostile.attack(denom="uatom", amount="5") == [SUCCESS]
    real = abroad("uatom", net.path.b).coin_denom
    fake = abroad("uatom", hostile.path.b).coin_denom
    assert real != fake
    assert (net.b.balance("bob", real), net.b.balance("bob", fake)) == (5, 5)
    # The forged voucher leaves through the real channel as a foreign coin, and takes nothing out of it.
    out = transfer(net.b, "bob", net.path.b, fake, 5, net.a.address("alice"))
    assert net.b.execute("bob", out).code == 0
    net.relay()
    assert net.a.balance("alice", "uatom") == FUNDS - 5
    assert in_escrow(net.a, net.path.a, "uatom") == 5


def test_h40_a_hostile_chain_takes_out_no_more_than_came_in(net, hostile):
    out = transfer(net.b, "bob", hostile.path.b, "uatom", 100, "anybody")
    assert net.b.execute("bob", out).code == 0
    home = f"transfer/{hostile.path.a.channel_id}/uatom"
    elsewhere = f"transfer/{hostile.path.a.channel_id}9/uatom"
    assert hostile.attack(denom=elsewhere, amount="100") == [SUCCESS]  # a voucher, whatever it is called
    assert in_escrow(net.b, hostile.path.b, "uatom") == 100
    assert hostile.attack(denom=home, amount="101") == [fail(5)]
    assert in_escrow(net.b, hostile.path.b, "uatom") == 100
    assert hostile.attack(denom=home, amount="100") == [SUCCESS]
    assert in_escrow(net.b, hostile.path.b, "uatom") == 0
    assert hostile.attack(denom=home, amount="1") == [fail(5)]


ODD_DENOMS = ["", "/", "//", "transfer/channel-0", "transfer/channel-0/", "transfer//x", "a/b/c", "\u0661"]


def test_h40_whatever_a_coin_is_called_it_is_the_hostile_channels_own(net, hostile):
    deposit(net)
    for denom in [*ODD_DENOMS, "transfer/channel-0/" * 70 + "uatom", "x/" * 500]:
        hostile.attack(denom=denom, amount="7")
        assert in_escrow(net.b, net.path.b, "uatom") == 1_000, denom
        assert supply(net.b, "uatom") == 3 * FUNDS, denom
        held = [name for _, name, _ in books(net.b.chain)[0]]
        assert all(name in {"uatom", "stake"} or name.startswith("ibc/") for name in held), denom


def test_h42_the_senders_name_gives_no_rights_here(net, hostile):
    bob = net.b.address("bob")
    before = net.b.balance("bob", "uatom")
    answers = hostile.attack(sender=bob, receiver=net.b.address("alice"), denom="uatom", amount="7")
    assert net.b.balance("bob", "uatom") == before
    assert answers == [SUCCESS]
    assert net.b.balance("alice", abroad("uatom", hostile.path.b).coin_denom) == 7  # the hostile chain's own


def test_h43_totals_in_escrow_follow_the_accounts_after_every_block(net):
    second = make_path(
        net.a.endpoint, net.b.endpoint, "transfer", Order.UNORDERED, "ics20-1", new_channel=True
    )
    for step in range(6):
        for end in (net.path.a, second.a):
            receiver = net.b.address("bob") if step % 2 else "nobody"
            net.a.execute("alice", transfer(net.a, "alice", end, "uatom", 10 + step, receiver))
            assert net.broken_laws(net.path, second) == []
        net.relay(net.path, second)
        assert net.broken_laws(net.path, second) == []


# -- amounts


@pytest.mark.parametrize("amount", [MAX_U256, MAX_U256 - 1])
def test_h46_sums_beyond_2_256_fail_the_transaction(net, hostile, amount):
    """As in ibc-go, where the bank panics: nothing is answered, and the packet may time out."""
    assert hostile.attack(amount=str(amount)) == [SUCCESS]
    before, at = books(net.b.chain), net.b.chain.height
    assert hostile.attack(amount="2") == []
    assert failures(net.b.chain, at) == {(LogicFault.codespace, LogicFault.code)}
    assert books(net.b.chain) == before


@pytest.mark.parametrize("name", ["1x", "x", "/", "a b", "x" * 129])
def test_a_name_that_no_coin_can_have_at_home_fails_the_transaction(net, hostile, name):
    """As in ibc-go, which panics: nothing is answered, and the packet may time out."""
    deposit(net)
    home = f"transfer/{hostile.path.a.channel_id}"
    before, at = books(net.b.chain), net.b.chain.height
    assert hostile.attack(denom=f"{home}/{name}", amount="1") == []
    assert failures(net.b.chain, at) == {(LogicFault.codespace, LogicFault.code)}
    assert books(net.b.chain) == before
    assert hostile.attack(denom=f"{home}/uat", amount="1") == [fail(5)]
    assert hostile.attack(denom=f"{home}0/{name}", amount="1") == [SUCCESS]  # a voucher, which has a hash


def test_h46_an_amount_beyond_2_256_is_an_error_acknowledgement(net, hostile):
    before = books(net.b.chain)
    assert hostile.attack(amount=str(MAX_U256 + 1)) == [fail(5)]
    assert books(net.b.chain) == before


def test_h46_amounts_that_are_none_are_error_acknowledgements(net, hostile):
    before = books(net.b.chain)
    for amount in ("0", "-1", "1.0", "1e3", " 1", "+", "", "\u0661", "1__0", "9" * 79):
        (answer,) = hostile.attack(amount=amount)
        assert answer.startswith(b'{"error":"ABCI code: '), amount
        assert books(net.b.chain) == before, amount


# -- packet data that Python would read


PYTHON_READS = {
    "UTF-16": '{"denom":"uevil","amount":"1","sender":"x","receiver":"%s"}',
    "UTF-8 with BOM": '\ufeff{"denom":"uevil","amount":"1","sender":"x","receiver":"%s"}',
    "NaN": '{"denom":"uevil","amount":NaN,"sender":"x","receiver":"%s"}',
    "Infinity": '{"denom":"uevil","amount":Infinity,"sender":"x","receiver":"%s"}',
    "a number": '{"denom":"uevil","amount":1,"sender":"x","receiver":"%s"}',
    "an array": '[{"denom":"uevil","amount":"1","sender":"x","receiver":"%s"}]',
    "an unknown field": '{"denom":"uevil","amount":"1","sender":"x","receiver":"%s","extra":1}',
    "something behind": '{"denom":"uevil","amount":"1","sender":"x","receiver":"%s"} x',
    "single quotes": "{'denom':'uevil','amount':'1','sender':'x','receiver':'%s'}",
    "deep nesting": "[" * 20_000 + "%s" + "]" * 20_000,
}


def test_d17_d18_d21_json_that_go_does_not_read_is_an_error_acknowledgement(net, hostile):
    before = books(net.b.chain)
    for name, form in PYTHON_READS.items():
        text, height = form % net.b.address("bob"), net.b.chain.height
        hostile.send(text.encode("utf-16" if name == "UTF-16" else "utf-8"))
        hostile.relay()
        assert hostile.answers(height) == [fail(12)], name
        assert books(net.b.chain) == before, name


# -- names


def test_h49_a_coin_named_like_a_voucher_does_not_leave(make_net):
    """Else the other chain would take it for its own coin coming home, and pay it out of escrow."""
    named = "transfer/channel-0/uatom"
    net = make_net(funds=(coin("stake", FUNDS), coin("uatom", FUNDS), coin(named, FUNDS)))
    deposit(net)
    out = transfer(net.a, "alice", net.path.a, named, 1_000, net.b.address("alice"))
    outcome = net.a.execute("alice", out)
    error = InvalidDenomForTransfer
    assert (outcome.codespace, outcome.code) == (error.codespace, error.code)
    net.relay()
    assert in_escrow(net.b, net.path.b, "uatom") == 1_000
    assert net.broken_laws() == []


@pytest.mark.parametrize(
    ("named", "error"),
    [("transfer/channel-0/uatom", InsufficientBalance), ("transfer/a-0/uatom", InvalidIdentifier)],
)
def test_a_coin_named_like_a_voucher_that_the_sender_has_not_is_refused_as_any_other(net, named, error):
    """With the codes that ibc-go has: a balance is looked at before the name's meaning abroad is."""
    before = net.a.balance("alice", "uatom")
    outcome = net.a.execute("alice", transfer(net.a, "alice", net.path.a, named, 1, net.b.address("bob")))
    assert (outcome.codespace, outcome.code) == (error.codespace, error.code)
    assert net.a.balance("alice", "uatom") == before
    assert in_escrow(net.a, net.path.a, "uatom") == 0


def test_h49_a_coin_called_ibc_that_nobody_brought_does_not_leave(make_net):
    """However a host came to it: ICS-20 knows no way that it came."""
    named = "ibc/" + "AB" * 32
    net = make_net(funds=(coin("stake", FUNDS), coin(named, FUNDS)))
    outcome = net.a.execute("alice", transfer(net.a, "alice", net.path.a, named, 1, net.b.address("bob")))
    assert (outcome.codespace, outcome.code) == (DenomNotFound.codespace, DenomNotFound.code)
    assert net.a.balance("alice", named) == FUNDS


@pytest.mark.parametrize("base", ["gamm/pool/1", "factory/cosmos1abc/sub", "erc20/0xabc", "a/b"])
def test_h49_bases_with_slashes_travel_and_come_home(make_net, base):
    net = make_net(funds=(coin("stake", 10**12), coin(base, 100)))
    net.a.execute("alice", transfer(net.a, "alice", net.path.a, base, 100, net.b.address("bob")))
    net.relay()
    voucher = abroad(base, net.path.b).coin_denom
    assert net.b.balance("bob", voucher) == 100
    net.b.execute("bob", transfer(net.b, "bob", net.path.b, voucher, 100, net.a.address("alice")))
    net.relay()
    assert net.a.balance("alice", base) == 100
    assert net.broken_laws() == []


def test_h3_an_account_made_in_advance_at_an_escrow_address_blocks_nothing(net):
    target = text_of(net.a.chain, escrow_address("transfer", "channel-0"))
    gift = AnyMessage(MSG_SEND, encode_send(net.a.address("bob"), target, (coin("stake", 1),)))
    assert net.a.execute("bob", gift).code == 0
    net.a.execute("alice", transfer(net.a, "alice", net.path.a, "uatom", 5, net.b.address("bob")))
    net.relay()
    assert net.b.balance("bob", abroad("uatom", net.path.b).coin_denom) == 5


def failures(chain, after):
    """Codes of the transactions that failed after a height."""
    return {
        (outcome.codespace, outcome.code)
        for height in range(after + 1, chain.height + 1)
        for outcome in chain.block(height).txs
        if outcome.code
    }


def test_h73_no_more_comes_out_of_escrow_than_ever_went_in(net, hostile):
    """Somebody gave coins to the escrow account by hand. ibc-go panics: the transaction fails, unanswered."""
    out = transfer(net.b, "bob", hostile.path.b, "uatom", 100, "anybody")
    escrow = text_of(net.b.chain, escrow_address("transfer", hostile.path.b.channel_id))
    gift = AnyMessage(MSG_SEND, encode_send(net.b.address("bob"), escrow, (coin("uatom", 50),)))
    assert [net.b.execute("bob", each).code for each in (out, gift)] == [0, 0]
    home = f"transfer/{hostile.path.a.channel_id}/uatom"
    before, at = books(net.b.chain), net.b.chain.height
    assert hostile.attack(denom=home, amount="101") == []
    assert failures(net.b.chain, at) == {(LogicFault.codespace, LogicFault.code)}
    assert books(net.b.chain) == before
    answers = hostile.attack(denom=home, amount="100")
    assert answers == [SUCCESS, fail(5)]  # the first packet again, for which the gift is not enough
    assert in_escrow(net.b, hostile.path.b, "uatom") == 50
    assert state.total_escrow(net.b.chain.app.query_context(), "uatom") == 0


def test_the_sender_of_coins_is_no_module(net):
    """Nobody can sign for one; a message in its name is refused all the same."""
    module = net.a.chain.app.addresses.encode(module_address("fee_collector")).text
    good = transfer(net.a, "alice", net.path.a, "uatom", 5, net.b.address("bob"))
    spoilt = good.value.replace(named(net.a.address("alice")), named(module))
    assert spoilt != good.value
    expect_refusal(StagedBlock(net.a.chain), AnyMessage(good.type_url, spoilt), Unauthorized)


def named(address):
    return b"\x22" + bytes([len(address)]) + address.encode()
