"""Weights of what is kept of blocks: not below what they take in memory, and not far above."""

import gc
import sys

import pytest

from ibc_module.plugin import Config
from localnet import applications
from localnet.settings import funded
from pyibc.apps.interchain_accounts.messages import MsgModuleQuerySafe, QueryRequest
from pyibc.apps.transfer.messages import MsgTransfer
from pyibc.chain.abci_responses import weight_of_block
from pyibc.chain.app import HostApp
from pyibc.chain.bank.send import MSG_MULTI_SEND, MSG_SEND, encode_send
from pyibc.chain.config import HostConfig
from pyibc.codec.anys import AnyMessage
from pyibc.core.address import AddressCodec
from pyibc.core.coin import coin
from pyibc.core.height import Height
from pyibc.core.host.block import CommittedBlock, TxOutcome
from pyibc.core.wire.message import pack_msg
from pyibc.default_plugins import plugins
from pyibc.proto.cosmos.bank.v1beta1.tx_pb2 import MsgMultiSend
from pyibc.relayer.money.wallet import Wallet

START = 1_700_000_000_000_000_000
ADDRESSES = AddressCodec("cosmos")
ALICE = Wallet.from_seed("alice", "cosmos")


def deep_size(root, *without):
    """Bytes of an object and of all that it holds: no classes, functions, or what is in `without`."""
    seen, pending, total = {id(each) for each in without}, [root], 0
    while pending:
        each = pending.pop()
        if id(each) in seen or isinstance(each, type) or callable(each):
            continue
        seen.add(id(each))
        total += sys.getsizeof(each)
        pending += gc.get_referents(each)
    return total


def block_of(*events):
    outcomes = [TxOutcome(b"tx" * 100, 0, "", (event,) * 1, 2**40, 2**40, b"d" * 50) for event in events]
    return CommittedBlock("chain-1", 2**40, 2**60, b"h" * 32, tuple(outcomes), tuple(events))


@pytest.mark.parametrize("text", ["", "7", "é" * 40, "\N{GRINNING FACE}" * 3_000, "x" * 3_000])
def test_h248_a_block_weighs_what_it_takes(text):
    events = [(f"kind{n}", ((f"key{n}", text + str(n)), ("k", str(n)))) for n in range(500)]
    block = block_of(*events)
    names = [each for kind, ((first, _), _) in events for each in (kind, first)]
    size = deep_size(block, *names)  # names are constants of the program's
    assert 0.8 * size < weight_of_block(block) < 3 * size
    long_names = block_of(*[("k" * 3_000 + str(n), (("n" * 3_000 + str(n), ""),)) for n in range(500)])
    assert weight_of_block(long_names) > 0.8 * deep_size(long_names)


@pytest.fixture(scope="module")
def app():
    app = HostApp(HostConfig("chain-1"), [*applications.plugins(), *plugins(Config())])
    app.init_chain(START, funded([(ALICE.address.text, [coin("stake", 10**9)])]))
    app.finalize_block(START, [])
    app.commit()
    return app


def multi_send(outputs):
    message = MsgMultiSend()
    message.inputs.add(address=ALICE.address.text).coins.add(denom="stake", amount=str(outputs))
    for number in range(outputs):
        receiver = ADDRESSES.encode(number.to_bytes(20, "big")).text
        message.outputs.add(address=receiver).coins.add(denom="stake", amount="1")
    return AnyMessage(MSG_MULTI_SEND, message.SerializeToString())


def transfer(memo):
    words = ("transfer", "channel-7", "stake", "1", ALICE.address.text, "receiver", Height(1, 9), 0, memo)
    return pack_msg(MsgTransfer(*words))


def queries(count):
    return pack_msg(MsgModuleQuerySafe(ALICE.address.text, (QueryRequest("/abc.Query/Bcd", b""),) * count))


MESSAGES = {
    "payments": lambda: (
        [AnyMessage(MSG_SEND, encode_send(*[ALICE.address.text] * 2, (coin("stake", 1),)))] * 900
    ),
    "outputs": lambda: [multi_send(3_000)],
    "queries": lambda: [queries(6_000)],
    "memos": lambda: [transfer("m" * 30_000)] * 30,
    "wide memos": lambda: [transfer("m" * 30_000 + "\N{GRINNING FACE}")] * 30,
}


@pytest.mark.parametrize("made", MESSAGES.values(), ids=MESSAGES)
def test_h249_a_decoded_transaction_weighs_what_it_takes(app, made):
    raw = ALICE.sign_tx(made(), chain_id="chain-1", account_number=0, sequence=0, gas_limit=10**6)
    assert app.process_proposal([raw], START + 1)
    cache = app._runner._cache
    decoded = cache[raw]
    size = deep_size(decoded, *[each.route for each in decoded.messages])
    assert size < decoded.weight < 15 * size
    before = cache.weight
    assert app.process_proposal([raw], START + 1)
    assert cache.weight == before >= decoded.weight
