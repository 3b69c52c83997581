"""ICS-20 between two clients: coins leave, arrive, come home, come back."""

from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conformance.memory import MemoryStore
from conformance.memory_bank import MemoryBank
from pyibc.apps.transfer import packet_data, state
from pyibc.apps.transfer.app_v2 import TransferAppV2
from pyibc.apps.transfer.coins import CoinMover, TransferKeeper, escrow_address
from pyibc.apps.transfer.denom import parse_denom
from pyibc.core.address import AddressCodec, module_address
from pyibc.core.application.v2 import AcknowledgedV2, ReceivedV2, SendingV2, TimedOutV2
from pyibc.core.coin import coin
from pyibc.core.errors import (
    InsufficientBalance,
    InvalidDenomForTransfer,
    InvalidRequest,
    InvalidType,
    LogicFault,
    OutOfGas,
    ReceiveFailed,
    Unauthorized,
    UnknownRequest,
)
from pyibc.core.host.overlay import BlockContext
from pyibc.core.packet.acknowledgement import failure_text
from pyibc.core.packet_v2.types import ABI, JSON, PROTOBUF, SENTINEL, Payload
from tests.sampling import rounds

ON_A, ON_B = "07-tendermint-1", "07-tendermint-2"
CODEC = AddressCodec("cosmos")
ALICE, BOB = (CODEC.encode(bytes([n]) * 20) for n in (1, 2))
ESCROW = CODEC.encode(escrow_address("transfer", ON_A))


@pytest.fixture
def chain():
    return new_chain()


def new_chain():
    bank = MemoryBank()
    coins = CoinMover(bank, CODEC, CODEC.encode(module_address("transfer")))
    ctx = BlockContext("chain-1", 1, 1, {"ibc": MemoryStore(), "transfer": MemoryStore()})
    state.set_params(ctx, state.Params())
    bank.mint(ctx, ALICE, coin("uatom", 100))
    app = TransferAppV2(coins, TransferKeeper(coins, bank, CODEC), CODEC)
    return SimpleNamespace(app=app, ctx=ctx, bank=bank)


def payload(denom="uatom", amount=10, sender=ALICE.text, receiver=BOB.text, encoding=ABI, **changes):
    data = packet_data.make(parse_denom(denom), amount, sender, receiver, "")
    fields = {"port_id_on_a": "transfer", "port_id_on_b": "transfer", "version": "ics20-1"} | changes
    return Payload(**fields, encoding=encoding, value=packet_data.encode_payload(data, encoding))


def held(chain, address, denom="uatom"):
    return chain.bank.balance(chain.ctx, address.raw, denom)


def send(chain, sent, signer=ALICE, on_a=ON_A):
    chain.app.on_send_packet(chain.ctx, SendingV2(on_a, ON_B, 1, sent, signer))


def recv(chain, sent, on_a=ON_A):
    return chain.app.on_recv_packet(chain.ctx, ReceivedV2(on_a, ON_B, 1, sent, ALICE))


def acknowledge(chain, sent, answer):
    chain.app.on_acknowledgement_packet(chain.ctx, AcknowledgedV2(ON_A, ON_B, 1, sent, answer, BOB))


def test_h73_no_more_comes_out_than_went_in_though_the_account_has_it(chain):
    chain.bank.mint(chain.ctx, CODEC.encode(escrow_address("transfer", ON_B)), coin("uatom", 10))
    state.set_total_escrow(chain.ctx, "uatom", 9)
    before = chain.ctx.writes("transfer")
    with pytest.raises(LogicFault, match="1uatom more"):
        recv(chain, payload(f"transfer/{ON_A}/uatom"))
    assert chain.ctx.writes("transfer") == before


@pytest.mark.parametrize("encoding", [JSON, PROTOBUF, ABI])
@pytest.mark.parametrize("name", ["1x", "/", '"'])
def test_a_name_that_no_coin_can_have_at_home_is_no_answer(chain, name, encoding):
    """ibc-go panics: the transaction fails, and the packet may time out."""
    before = chain.ctx.writes("transfer")
    with pytest.raises(LogicFault, match="no coin can be named"):
        recv(chain, payload(f"transfer/{ON_A}/{name}", encoding=encoding))
    assert chain.ctx.writes("transfer") == before
    assert held(chain, BOB, name) == 0
    assert recv(chain, payload(f"transfer/{ON_B}/{name}", encoding=encoding)).success  # a voucher


def test_h73_no_more_is_refunded_than_went_in(chain):
    send(chain, payload())
    chain.bank.mint(chain.ctx, ESCROW, coin("uatom", 10))
    state.set_total_escrow(chain.ctx, "uatom", 9)
    before = chain.ctx.writes("transfer")
    with pytest.raises(LogicFault, match="1uatom more"):
        chain.app.on_timeout_packet(chain.ctx, TimedOutV2(ON_A, ON_B, 1, payload(), ALICE))
    with pytest.raises(LogicFault, match="1uatom more"):
        acknowledge(chain, payload(), SENTINEL)
    assert chain.ctx.writes("transfer") == before


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (b"nonsense", UnknownRequest),
        (b'{"result": "AQ=="}', InvalidType),
        (b'{"error":"ABCI code: 1: error handling packet: see events for details"}', InvalidRequest),
        (b"{}", InvalidRequest),
        (SENTINEL[:-1], UnknownRequest),
    ],
)
def test_h9_answers_that_are_none_refund_nothing(chain, answer, error):
    send(chain, payload())
    with pytest.raises(error):
        acknowledge(chain, payload(), answer)
    assert (held(chain, ALICE), held(chain, ESCROW)) == (90, 10)


# -- what has cost others money; names begin as in docs/security.md

HOSTILE, OTHER = "07-tendermint-8", "07-tendermint-9"


def received(chain, sent, on_a, on_b):
    return chain.app.on_recv_packet(chain.ctx, ReceivedV2(on_a, on_b, 1, sent, ALICE))


def test_h40_the_same_coin_through_two_clients_is_two_vouchers(chain):
    for client in (HOSTILE, OTHER):
        assert received(chain, payload("uevil", 5), ON_A, client).success
    names = [parse_denom(f"transfer/{client}/uevil").coin_denom for client in (HOSTILE, OTHER)]
    assert names[0] != names[1]
    assert [held(chain, BOB, name) for name in names] == [5, 5]


@pytest.mark.parametrize(
    "denom", [f"transfer/{ON_A}/uatom", f"transfer/{HOSTILE}/uatom", "transfer/07-tendermint-5/uatom"]
)
def test_h40_a_client_takes_out_no_more_than_came_in_through_it(chain, denom):
    """What left through one client cannot come home through another, whatever it is called."""
    send(chain, payload(amount=30))
    before = (held(chain, BOB), held(chain, ESCROW))
    for on_a in (ON_A, HOSTILE, "07-tendermint-5"):
        received(chain, payload(denom, 30), on_a, HOSTILE)
    assert (held(chain, BOB), held(chain, ESCROW)) == before


def test_h40_a_coin_that_went_elsewhere_does_not_come_home_here(chain):
    """What chain A has sent on through another of its clients is a voucher here."""
    send(chain, payload(amount=30))
    assert received(chain, payload("transfer/07-tendermint-6/uatom", 30), "07-tendermint-5", ON_A).success
    assert held(chain, ESCROW) == 30
    assert held(chain, BOB, parse_denom(f"transfer/{ON_A}/transfer/07-tendermint-6/uatom").coin_denom) == 30


def test_h2_module_accounts_receive_nothing_minted_or_out_of_escrow(chain):
    chain.bank.is_blocked = BOB.raw.__eq__
    send(chain, payload(amount=30))
    for denom, client in (("uevil", HOSTILE), (f"transfer/{ON_B}/uatom", ON_A)):
        assert not received(chain, payload(denom, 5), ON_B, client).success
    assert (held(chain, BOB), held(chain, ESCROW)) == (0, 30)


def test_h42_the_senders_name_gives_no_rights_on_the_receiving_chain(chain):
    answer = received(chain, payload("uatom", 7, sender=ALICE.text, receiver=BOB.text), ON_A, HOSTILE)
    assert (held(chain, ALICE), answer.success) == (100, True)
    assert held(chain, BOB, parse_denom(f"transfer/{HOSTILE}/uatom").coin_denom) == 7


def test_h48_the_sender_of_a_payload_signs(chain):
    with pytest.raises(Unauthorized):
        send(chain, payload(sender=ALICE.text), signer=BOB)
    assert held(chain, ALICE) == 100


@pytest.mark.parametrize("limit", range(0, 12_000, 500))
def test_h15_out_of_gas_is_no_answer(chain, limit):
    """It fails the transaction: another relayer brings the packet with more gas."""
    chain.ctx.gas.reset(limit)
    try:
        answer = recv(chain, payload())
    except OutOfGas:
        return
    assert answer.success
    assert limit > 5_000


def test_h49_a_base_with_a_slash_does_not_leave(chain):
    """Chain B would take it for a voucher, perhaps of a coin of its own."""
    for denom, error in (
        ("transfer/07-tendermint-2/uatom", InsufficientBalance),
        ("a/b", InvalidDenomForTransfer),
    ):
        chain.bank.mint(chain.ctx, ALICE, coin(denom, 5))
        with pytest.raises(error):
            send(chain, payload(denom, 5))
        assert held(chain, ALICE, denom) == 5


@settings(max_examples=rounds(15, 60), deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.sampled_from([JSON, PROTOBUF, ABI, "x"]),
    st.binary(max_size=80),
    st.text(max_size=20),
)
def test_h11_every_event_of_any_payload_is_utf8(encoding, raw, receiver):
    chain = new_chain()
    made = [
        Payload("transfer", "transfer", "ics20-1", encoding, raw or b"x"),
        payload(receiver=receiver + "x"),
    ]
    for each in made:
        recv(chain, each)
    for kind, attributes in chain.ctx.take_events():
        assert all(text.encode() is not None for pair in attributes for text in (kind, *pair))


def test_events_show_the_sentinel_as_a_failure_to_receive(chain):
    send(chain, payload())
    chain.ctx.take_events()
    acknowledge(chain, payload(), SENTINEL)
    shown = [dict(pairs) for _, pairs in chain.ctx.take_events()]
    assert [each["error"] for each in shown if "error" in each] == [failure_text(ReceiveFailed())]
