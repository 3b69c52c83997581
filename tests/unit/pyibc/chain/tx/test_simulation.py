"""Simulate as wallets ask it: CosmJS, cosmpy, Hermes, and a wallet without a public key."""

import threading
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from localnet.settings import Genesis, funded
from pyibc.chain.app import HostApp
from pyibc.chain.bank.send import MSG_SEND, encode_send
from pyibc.chain.config import HostConfig
from pyibc.chain.queries.tx_service import ESTIMATE_GAS, MAX_INFLATED_BYTES, SIMULATE, SimulationFailed
from pyibc.codec.anys import AnyMessage
from pyibc.core.coin import coin
from pyibc.core.crypto import secp256k1
from pyibc.core.errors import InvalidSdkRequest
from pyibc.core.wire.tx import Fee, SignerInfo, encode_auth_info, encode_body, encode_tx
from pyibc.proto.cosmos.crypto.secp256k1.keys_pb2 import PubKey
from pyibc.proto.cosmos.tx.v1beta1 import service_pb2, tx_pb2
from pyibc.proto.pyibc.node.v1.query_pb2 import QueryEstimateGasRequest, QueryEstimateGasResponse
from pyibc.relayer.money.wallet import Wallet
from tests.sampling import rounds

START = 1_700_000_000_000_000_000
ALICE, BOB = (Wallet.from_seed(name, "cosmos") for name in ("alice", "bob"))
UNSPECIFIED = 0


def fresh(*, paid=False, **config):
    """A chain of Alice's; `paid`: somebody has paid a fee before."""
    app = HostApp(HostConfig("chain-1", **config))
    app.init_chain(START, funded([(ALICE.address.text, [coin("stake", 10**9)])]))
    app.finalize_block(START, [])
    app.commit()
    if paid:
        commit(app, signed(fee=(coin("stake", 7),)))
    return app


def commit(app, *txs):
    final = app.finalize_block(START + app.store.version * 10**9, txs)
    app.commit()
    return final.outcomes


def payment(amount=5, receiver=BOB):
    coins = (coin("stake", amount),)
    return AnyMessage(MSG_SEND, encode_send(ALICE.address.text, receiver.address.text, coins))


def signed(messages=None, fee=(), gas_limit=1_000_000, sequence=0, memo=""):
    return ALICE.sign_tx(
        messages or [payment()],
        chain_id="chain-1",
        account_number=0,
        sequence=sequence,
        fee=fee,
        gas_limit=gas_limit,
        memo=memo,
    )


def key_of(wallet):
    return AnyMessage(secp256k1.TYPE_URL, PubKey(key=wallet.public_key).SerializeToString())


def cosmjs(messages, sequence=0):
    """No fee, no gas limit, no sign mode, an empty signature."""
    auth = encode_auth_info([SignerInfo(key_of(ALICE), UNSPECIFIED, sequence)], Fee((), 0))
    return encode_tx(encode_body(messages), auth, [b""])


def keyless(messages, sequence=0):
    """No public key either, and no signature at all."""
    return encode_tx(
        encode_body(messages), encode_auth_info([SignerInfo(None, UNSPECIFIED, sequence)], Fee((), 0)), []
    )


def nobody(messages, sequence=0):
    """Nothing of who signs."""
    return encode_tx(encode_body(messages), encode_auth_info([], Fee((), 0)), [])


def cosmpy(messages, sequence=0):
    """Signed, with a gas limit of 0."""
    return signed(messages, gas_limit=0, sequence=sequence)


def ask(app, raw):
    request = service_pb2.SimulateRequest(tx_bytes=raw).SerializeToString()
    return service_pb2.SimulateResponse.FromString(app.grpc(SIMULATE, request))


@pytest.mark.parametrize("paid", [False, True])
@pytest.mark.parametrize("ask_as", [cosmjs, keyless, nobody, cosmpy])
def test_the_gas_holds_for_the_signed_transaction(ask_as, paid):
    app = fresh(paid=paid)
    messages, sequence = [payment(), payment(10**6)], 1 if paid else 0
    told = ask(app, ask_as(messages, sequence=sequence)).gas_info.gas_used
    fee = (coin("stake", 123_456),)
    (outcome,) = commit(app, signed(messages, fee=fee, gas_limit=told + told // 10, sequence=sequence))
    assert outcome.code == 0
    assert outcome.gas_used <= told
    assert told < outcome.gas_used * 1.05


@settings(deadline=None, max_examples=rounds(10, 40))
@given(
    amounts=st.lists(st.integers(1, 10**6), min_size=1, max_size=8),
    fee=st.integers(1, 10**8),
    memo=st.text("abc", max_size=60),
)
def test_what_is_told_is_never_too_little(amounts, fee, memo):
    app = fresh()
    messages = [payment(amount) for amount in amounts]
    auth = encode_auth_info([SignerInfo(key_of(ALICE), UNSPECIFIED, 0)], Fee((), 0))
    told = ask(app, encode_tx(encode_body(messages, memo), auth, [b""])).gas_info.gas_used
    (outcome,) = commit(app, signed(messages, (coin("stake", fee),), told + 1_000, memo=memo))
    assert outcome.code == 0
    assert outcome.gas_used <= told + 50  # a gas limit or fee of more bytes


def test_the_older_field_of_the_request_is_read():
    app, raw = fresh(), cosmpy([payment()])
    request = service_pb2.SimulateRequest(tx=tx_pb2.Tx.FromString(raw)).SerializeToString()
    said = service_pb2.SimulateResponse.FromString(app.grpc(SIMULATE, request))
    assert said == ask(app, raw)
    assert [each.type_url for each in said.result.msg_responses] == ["/cosmos.bank.v1beta1.MsgSendResponse"]
    with pytest.raises(InvalidSdkRequest, match="empty txBytes"):
        app.grpc(SIMULATE, b"")


def test_who_sends_all_but_the_fee_is_told_the_gas():
    assert ask(fresh(), cosmjs([payment(10**9 - 1)])).gas_info.gas_used > 0


def test_a_payer_without_the_fee_coin_is_told_too():
    app = HostApp(HostConfig("chain-1"))
    app.init_chain(START, funded([(ALICE.address.text, [coin("atom", 10)])]))
    app.finalize_block(START, [])
    app.commit()
    atoms = AnyMessage(MSG_SEND, encode_send(ALICE.address.text, BOB.address.text, (coin("atom", 5),)))
    assert ask(app, cosmjs([atoms])).gas_info.gas_used > 0


def test_a_simulation_sees_what_waits_in_the_mempool():
    app = fresh()
    for sequence in range(3):
        assert ask(app, cosmjs([payment()], sequence)).gas_info.gas_used
        assert app.check_tx(signed(sequence=sequence)).code == 0
    with pytest.raises(SimulationFailed, match="account sequence mismatch, expected 3, got 1") as error:
        ask(app, cosmjs([payment()], 1))
    assert str(error.value).endswith(f"with gas used: '{error.value.gas_used}'")
    commit(app, *[signed(sequence=sequence) for sequence in range(3)])
    assert ask(app, cosmjs([payment()], 3)).gas_info.gas_used


def test_a_simulation_leaves_no_trace():
    app, twin = fresh(), fresh()
    for ask_as in (cosmjs, keyless, nobody, cosmpy):
        ask(app, ask_as([payment()]))
    app.check_tx(signed())
    ask(app, cosmjs([payment()], 1))
    twin.check_tx(signed())
    assert app.check_tx(signed(sequence=1)) == twin.check_tx(signed(sequence=1))
    assert app.finalize_block(START + 1, [signed()]) == twin.finalize_block(START + 1, [signed()])


@pytest.mark.parametrize("make", [cosmjs, keyless, nobody, cosmpy])
def test_what_no_block_could_hold_is_not_simulated_to_its_end(make):
    """Nobody pays for a simulation, and its gas limit is its sender's word."""
    raw = make([payment(amount) for amount in range(1, 10)])
    used = ask(fresh(), raw).gas_info.gas_used
    assert ask(fresh(block_gas=used), raw).gas_info.gas_used == used
    with pytest.raises(SimulationFailed, match="out of gas") as error:
        ask(fresh(block_gas=used * 2 // 3), raw)
    assert error.value.gas_used < used


def test_h245_a_simulation_is_finite_where_blocks_are_not():
    """Nobody pays for a simulation, whatever a block may use."""
    raw = cosmjs([payment(amount) for amount in range(1, 10)])
    app = fresh(block_gas=-1)
    assert 0 < app.config.gas_of_simulation <= 100_000_000
    used = ask(app, raw).gas_info.gas_used
    assert ask(fresh(block_gas=-1, simulation_gas=used), raw).gas_info.gas_used == used
    with pytest.raises(SimulationFailed, match="out of gas") as error:
        ask(fresh(block_gas=-1, simulation_gas=used * 2 // 3), raw)
    assert error.value.gas_used < used


@pytest.mark.parametrize("make", [cosmjs, keyless, nobody, cosmpy])
def test_what_only_simulates_does_not_pass_the_door(make):
    app = fresh()
    assert app.check_tx(make([payment()])).code != 0
    (outcome,) = commit(app, make([payment()]))
    assert outcome.code != 0
    assert app.accounts.get(app.query_context(), ALICE.address.raw).sequence == 0


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (cosmjs([payment(10**12)]), "needs"),
        (cosmjs([AnyMessage("/a.b.MsgC", b"")]), "unable to resolve type URL"),
        (cosmjs([]), "at least one message"),
        (b"junk", "cannot decode transaction"),
    ],
)
def test_what_would_fail_says_why(raw, text):
    with pytest.raises(SimulationFailed, match=text):
        ask(fresh(), raw)


def test_a_stranger_is_told_that_there_is_no_account():
    stranger = AnyMessage(MSG_SEND, encode_send(BOB.address.text, ALICE.address.text, (coin("stake", 1),)))
    with pytest.raises(SimulationFailed, match=r"account .* not found"):
        ask(fresh(), nobody([stranger]))


def test_simulations_run_beside_blocks_and_the_door():
    app = fresh()
    stop, problems = threading.Event(), []

    def simulate():
        while not stop.is_set():
            try:
                ask(app, nobody([payment()]))
            except Exception as error:  # told to the test
                problems.append(error)
                return

    threads = [threading.Thread(target=simulate) for _ in range(3)]
    for thread in threads:
        thread.start()
    for sequence in range(60):
        raw = signed(sequence=sequence)
        assert app.check_tx(raw).code == 0
        assert commit(app, raw)[0].code == 0
    stop.set()
    for thread in threads:
        thread.join()
    assert problems == []


def test_a_genesis_of_other_height_is_simulated_on():
    genesis = Genesis(funded([(ALICE.address.text, [coin("stake", 10**9)])]), START)
    app = HostApp(HostConfig("chain-1"), initial_height=500)
    app.init_chain(START, genesis.app_state)
    assert ask(app, cosmjs([payment()])).gas_info.gas_used
    app.check_tx(signed())
    app.finalize_block(START, [signed()])
    app.commit()
    assert ask(app, cosmjs([payment()], 1)).gas_info.gas_used


def estimate(app, **fields):
    request = QueryEstimateGasRequest(**fields).SerializeToString()
    return QueryEstimateGasResponse.FromString(app.grpc(ESTIMATE_GAS, request)).gas_used


@pytest.mark.parametrize("make", [cosmjs, keyless, nobody, cosmpy])
def test_gas_alone_is_that_of_a_simulation(make):
    app = fresh(paid=True, legacy_events=True)
    raw, digest = make([payment(), payment(7)], 1), app.store.app_hash
    gas = ask(app, raw).gas_info.gas_used
    assert estimate(app, tx=raw) == estimate(app, deflated_tx=zlib.compress(raw, 1)) == gas > 40_000
    assert (app.store.app_hash, app.pending_account(ALICE.address.raw).sequence) == (digest, 1)


def test_gas_alone_is_refused_as_a_simulation_is():
    app = fresh()
    raw = signed([payment(10**10)])
    with pytest.raises(SimulationFailed) as simulated:
        ask(app, raw)
    with pytest.raises(SimulationFailed) as estimated:
        estimate(app, tx=raw)
    assert str(estimated.value) == str(simulated.value)
    said = app.query(ESTIMATE_GAS, QueryEstimateGasRequest(tx=raw).SerializeToString())
    assert (said.codespace, said.code) == ("sdk", 6)
    assert "insufficient funds" in said.log
    assert "with gas used: '" in said.log


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({}, "empty txBytes is not allowed"),
        ({"deflated_tx": zlib.compress(b"")}, "empty txBytes is not allowed"),
        ({"deflated_tx": b"no zlib"}, "not in zlib's format"),
        ({"deflated_tx": zlib.compress(b"tx")[:-1]}, "truncated"),
        ({"deflated_tx": zlib.compress(b"tx") + b"more"}, "truncated"),
    ],
)
def test_a_deflated_transaction_that_is_none_is_refused(fields, why):
    with pytest.raises(InvalidSdkRequest, match=why):
        estimate(fresh(), **fields)


def test_h237_no_more_is_inflated_than_a_transaction_may_have(monkeypatch):
    """A kilobyte says a megabyte."""
    app, seen = fresh(), []
    monkeypatch.setattr(app, "simulate", lambda raw, **_: seen.append(len(raw)))
    with pytest.raises(InvalidSdkRequest, match="more than 2097152 bytes"):
        estimate(app, deflated_tx=zlib.compress(bytes(MAX_INFLATED_BYTES + 1)))
    with pytest.raises(InvalidSdkRequest, match="more than 2097152 bytes"):
        estimate(app, deflated_tx=zlib.compress(bytes(25 * MAX_INFLATED_BYTES)))
    assert seen == []
    with pytest.raises(AttributeError):  # of what is given in the outcome's place
        estimate(app, deflated_tx=zlib.compress(bytes(MAX_INFLATED_BYTES - 1)))
    assert seen == [MAX_INFLATED_BYTES - 1]
