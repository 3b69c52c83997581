"""Signatures over legacy amino JSON: the documents are those of the Cosmos SDK, byte for byte."""

from base64 import b64decode
from hashlib import sha256

import pytest

from localnet import applications
from pyibc.apps.transfer.messages import MsgTransfer
from pyibc.chain.app import HostApp
from pyibc.chain.bank.send import MSG_MULTI_SEND, MSG_SEND, encode_send
from pyibc.chain.config import HostConfig
from pyibc.chain.tx.amino_json import TYPES, AminoDoc
from pyibc.codec.anys import AnyMessage
from pyibc.core.coin import coin
from pyibc.core.crypto import secp256k1
from pyibc.core.errors import UnauthorizedTx
from pyibc.core.height import Height
from pyibc.core.host.context import Config
from pyibc.core.wire.message import pack_msg
from pyibc.core.wire.tx import (
    LEGACY_AMINO_JSON,
    Fee,
    SignerInfo,
    decode_tx,
    encode_auth_info,
    encode_body,
    encode_tx,
)
from pyibc.default_plugins import plugins
from pyibc.proto.cosmos.bank.v1beta1.tx_pb2 import MsgMultiSend
from pyibc.proto.cosmos.crypto.secp256k1.keys_pb2 import PubKey
from pyibc.proto.cosmos.tx.v1beta1 import tx_pb2
from pyibc.proto.pool import descriptor_of

FEE = Fee((coin("stake", 200),), 200_000)
UNKNOWN = b"\xc2\x7f\x00"  # field 2040, of those that a TxBody may have and nobody has to know


def unsigned(*messages, memo="", fee=FEE, body=b""):
    auth = encode_auth_info([SignerInfo(None, LEGACY_AMINO_JSON, 0)], fee)
    return decode_tx(encode_tx(body or encode_body(messages, memo), auth, [b""]))


def document(*messages, **parts):
    return AminoDoc(unsigned(*messages, **parts), "chain-1").sign_bytes(7, 9).decode()


def value_of(message):
    """The value of the one message in a document."""
    text = document(message)
    name = TYPES[message.type_url].name
    start, end = f'"msgs":[{{"type":"{name}","value":', '}],"sequence":"9"}'
    assert text.endswith(end)
    return text[text.index(start) + len(start) : -len(end)]


# -- documents


def test_a_signature_of_a_testnet_is_valid():
    """Transaction 3A920659... in block 142933 of gaia-13003, as Trust Wallet's tests have it."""
    sender = "cosmos1hsk6jryyqjfhp5dhc55tc9jtckygx0eph6dd02"
    receiver = "cosmos1zt50azupanqlfam5afhv3hexwyutnukeh4c573"
    message = AnyMessage(MSG_SEND, encode_send(sender, receiver, (coin("muon", 1),)))
    tx = unsigned(message, fee=Fee((coin("muon", 200),), 200_000))
    data = AminoDoc(tx, "gaia-13003").sign_bytes(1037, 8)
    key = b64decode("AlcobsPzfTNVe7uqAAsndErJAjqplnyudaGB0f+R+p3F")
    signature = bytes.fromhex(
        "fc3ef899d206c88077fec42f21ba0b4df4bd3fd115fdf606ae01d9136fef363f"
        "57e9e33a7b9ec6ddab658cd07e3c0067470de94e4e75b979a1085a29f0efd926"
    )
    assert secp256k1.verify_digest(key, sha256(data).digest(), signature)


def test_all_of_a_document():
    message = AnyMessage(MSG_SEND, encode_send("a", "b", (coin("atom", 1), coin("stake", 2**70))))
    fee = Fee((coin("atom", 3), coin("stake", 4)), 5, payer="p", granter="g")
    assert document(message, memo='<b> & "ü" \u2028 \x01\n', fee=fee) == (
        '{"account_number":"7","chain_id":"chain-1",'
        '"fee":{"amount":[{"amount":"3","denom":"atom"},{"amount":"4","denom":"stake"}],"gas":"5",'
        '"granter":"g","payer":"p"},'
        r'"memo":"\u003cb\u003e \u0026 \"ü\" \u2028 \u0001\n",'
        '"msgs":[{"type":"cosmos-sdk/MsgSend","value":{"amount":[{"amount":"1","denom":"atom"},'
        '{"amount":"1180591620717411303424","denom":"stake"}],"from_address":"a","to_address":"b"}}],'
        '"sequence":"9"}'
    )


def test_what_is_empty_is_written_where_the_sdk_does():
    nothing = Fee((coin("", 0),), 0)
    doc = AminoDoc(unsigned(AnyMessage(MSG_SEND, b"\x1a\x00"), fee=nothing), "").sign_bytes(0, 0)
    assert doc == (
        b'{"account_number":"0","chain_id":"","fee":{"amount":[{"amount":"0"}],"gas":"0"},"memo":"",'
        b'"msgs":[{"type":"cosmos-sdk/MsgSend","value":{"amount":[{"amount":"0"}]}}],"sequence":"0"}'
    )


@pytest.mark.parametrize(
    ("more", "shown"),
    [
        ({}, ""),
        ({"timeout_height": 12}, ',"timeout_height":"12"'),
        ({"timeout_timestamp": {"seconds": 5}}, ',"timeout_timestamp":"1970-01-01T00:00:05Z"'),
        ({"timeout_timestamp": {"nanos": 120_000_000}}, ',"timeout_timestamp":"1970-01-01T00:00:00.12Z"'),
        (
            {"timeout_height": 2**64 - 1, "timeout_timestamp": {}},
            ',"timeout_height":"18446744073709551615","timeout_timestamp":"1970-01-01T00:00:00Z"',
        ),
    ],
)
def test_timeouts_are_shown_where_there_are_some(more, shown):
    body = tx_pb2.TxBody(**more)
    body.messages.add(type_url=MSG_SEND)
    assert document(body=body.SerializeToString()).endswith(f'"sequence":"9"{shown}}}')


ENDS = '"receiver":"b","sender":"a","source_channel":"testchannel","source_port":"testportid"'
TOKEN = '"token":{"amount":"100","denom":"atom"}'
TRANSFERS = {
    "of ibc-go's tests": (
        (Height(0, 10), 0, "", ""),
        f'{{{ENDS},"timeout_height":{{"revision_height":"10"}},{TOKEN}}}',
    ),
    "with everything": (
        (Height(4, 10), 2**63, '{"forward":{}}', "application/json"),
        (
            f'{{"encoding":"application/json","memo":"{{\\"forward\\":{{}}}}",{ENDS},'
            f'"timeout_height":{{"revision_height":"10","revision_number":"4"}},'
            f'"timeout_timestamp":"9223372036854775808",{TOKEN}}}'
        ),
    ),
    "without a height": (
        (Height(0, 0), 1, "", ""),
        f'{{{ENDS},"timeout_height":{{}},"timeout_timestamp":"1",{TOKEN}}}',
    ),
}


@pytest.mark.parametrize(("rest", "value"), TRANSFERS.values(), ids=TRANSFERS)
def test_a_transfer(rest, value):
    message = MsgTransfer("testportid", "testchannel", "atom", "100", "a", "b", *rest)
    assert value_of(pack_msg(message)) == value


def test_a_payment_to_several():
    message = MsgMultiSend()
    message.inputs.add(address="a").coins.add(denom="stake", amount="3")
    for address, amount in (("b", "1"), ("c", "2")):
        message.outputs.add(address=address).coins.add(denom="stake", amount=amount)
    message.outputs.add()
    assert value_of(AnyMessage(MSG_MULTI_SEND, message.SerializeToString())) == (
        '{"inputs":[{"address":"a","coins":[{"amount":"3","denom":"stake"}]}],'
        '"outputs":[{"address":"b","coins":[{"amount":"1","denom":"stake"}]},'
        '{"address":"c","coins":[{"amount":"2","denom":"stake"}]},{"coins":[]}]}'
    )


def kinds(descriptor):
    for field in descriptor.fields:
        yield from kinds(field.message_type) if field.message_type else [field.type]


@pytest.mark.parametrize("kind", [each.kind for each in TYPES.values()])
def test_every_field_of_a_message_is_of_a_kind_that_is_written(kind):
    descriptor = descriptor_of(kind)
    assert {*kinds(descriptor)} <= {descriptor.fields[0].TYPE_STRING, descriptor.fields[0].TYPE_UINT64}


def with_unknown(message):
    return AnyMessage(message.type_url, message.value + UNKNOWN)


@pytest.mark.parametrize("where", ["body", "message", "height"])
def test_what_the_document_cannot_show_is_refused(where):
    good = AnyMessage(MSG_SEND, encode_send("a", "b", (coin("stake", 1),)))
    transfer = tx_transfer(timeout_height=None)
    tx = {
        "body": lambda: unsigned(body=encode_body([good]) + UNKNOWN),
        "message": lambda: unsigned(with_unknown(good)),
        "height": lambda: unsigned(transfer),
    }[where]()
    with pytest.raises(UnauthorizedTx, match="SIGN_MODE_LEGACY_AMINO_JSON"):
        AminoDoc(tx, "chain-1")


def tx_transfer(**without):
    packed = pack_msg(MsgTransfer("p", "c", "atom", "1", "a", "b", Height(0, 0), 1, ""))
    message = TYPES[packed.type_url].kind.FromString(packed.value)
    for name in without:
        message.ClearField(name)
    return AnyMessage(packed.type_url, message.SerializeToString())


# -- on a chain


@pytest.fixture
def app(genesis):
    app = HostApp(HostConfig("chain-1"), [*applications.plugins(), *plugins(Config())])
    app.init_chain(genesis.time_ns, genesis.app_state)
    app.finalize_block(genesis.time_ns, [])
    app.commit()
    return app


@pytest.fixture
def signed(alice):
    """Alice's transaction, signed over a document that is written here by hand."""

    def make(message, value, *, memo="", number=0, sequence=0, mode=LEGACY_AMINO_JSON):
        name = {MSG_SEND: "cosmos-sdk/MsgSend"}.get(message.type_url, "cosmos-sdk/MsgTransfer")
        shown = memo.replace("<", r"\u003c")
        doc = (
            f'{{"account_number":"{number}","chain_id":"chain-1","fee":{{"amount":[],"gas":"1000000"}},'
            f'"memo":"{shown}","msgs":[{{"type":"{name}","value":{value}}}],"sequence":"{sequence}"}}'
        )
        key = AnyMessage(secp256k1.TYPE_URL, PubKey(key=alice.public_key).SerializeToString())
        auth = encode_auth_info([SignerInfo(key, mode, sequence)], Fee((), 1_000_000))
        return encode_tx(encode_body([message], memo), auth, [alice._key.sign(doc.encode())])

    return make


def deliver(app, raw):
    outcome = app.finalize_block(1_700_000_001_000_000_000, [raw]).outcomes[0]
    app.commit()
    return outcome


@pytest.fixture
def payment(alice, bob):
    """A payment of Alice to Bob, and its value in amino JSON."""
    ends = alice.address.text, bob.address.text
    value = '{{"amount":[{{"amount":"5","denom":"stake"}}],"from_address":"{}","to_address":"{}"}}'
    return AnyMessage(MSG_SEND, encode_send(*ends, (coin("stake", 5),))), value.format(*ends)


def test_a_payment_is_accepted(app, signed, payment, bob):
    raw = signed(*payment, memo="1 < 2")
    assert app.check_tx(raw).code == 0
    assert deliver(app, raw).code == 0
    assert app.bank.balance(app.query_context(), bob.address.raw, "stake") == 5
    assert deliver(app, signed(*payment, sequence=1)).code == 0


def test_a_transfer_comes_as_far_as_its_channel(app, signed, alice):
    words = ("transfer", "channel-0", "stake", "1", alice.address.text, "x", Height(0, 0), 2**62, "")
    value = (
        f'{{"receiver":"x","sender":"{alice.address.text}","source_channel":"channel-0",'
        f'"source_port":"transfer","timeout_height":{{}},"timeout_timestamp":"{2**62}",'
        '"token":{"amount":"1","denom":"stake"}}'
    )
    outcome = deliver(app, signed(pack_msg(MsgTransfer(*words)), value))
    assert (outcome.codespace, outcome.code) == ("clientv2", 35), outcome.log


@pytest.mark.parametrize(
    "other",
    [{"number": 1}, {"memo": "&"}, {"mode": 1}, {"mode": 2}],
    ids=["number", "memo", "direct", "textual"],
)
def test_another_document_is_refused_and_changes_nothing(app, signed, payment, other):
    before = app.store.info()
    raw = signed(*payment, **other)
    for outcome in (app.check_tx(raw), deliver(app, raw)):
        assert (outcome.codespace, outcome.code) == (UnauthorizedTx.codespace, UnauthorizedTx.code)
    assert app.store.info().app_hash == before.app_hash


def test_a_message_without_amino_json_is_refused_by_its_name(app, signed):
    message = AnyMessage("/ibc.core.client.v1.MsgUpdateClient", b"")
    outcome = app.check_tx(signed(message, "{}"))
    assert (outcome.codespace, outcome.code) == (UnauthorizedTx.codespace, UnauthorizedTx.code)
    assert "'/ibc.core.client.v1.MsgUpdateClient' cannot be signed in SIGN_MODE_LEGACY_AMINO" in outcome.log
