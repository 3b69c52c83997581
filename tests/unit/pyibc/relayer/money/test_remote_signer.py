"""Remote signers: what they sign is verified, and their faults are their account's."""

import json
import threading
from base64 import b64decode, b64encode
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from socketserver import StreamRequestHandler, ThreadingUnixStreamServer

import pytest

from pyibc.codec.anys import AnyMessage
from pyibc.core.crypto import secp256k1
from pyibc.core.wire.tx import sign_bytes
from pyibc.examples.signer import Signer
from pyibc.proto.cosmos.tx.v1beta1.tx_pb2 import SignDoc
from pyibc.relayer.config.file import read_config
from pyibc.relayer.config.model import KeyConfig
from pyibc.relayer.config.source import ConfigSource
from pyibc.relayer.daemon.connecting import wallet_of
from pyibc.relayer.errors import AccountCannotSign, KeyRefused, WrongConfiguration
from pyibc.relayer.money import remote_signer
from pyibc.relayer.money.budgets import Budget
from pyibc.relayer.money.remote_signer import MAX_ANSWER, RemoteWallet
from pyibc.relayer.money.wallet import ETHSECP256K1, SECP256K1, Wallet
from tests.unit.pyibc.relayer.money.test_accounts import GAS, ONE, FakeNode, accounts, recv

KEY = b"\x07" * 32
OURS = secp256k1.PrivateKey(KEY)
PUBLIC = b64encode(OURS.public_key).decode()


@contextmanager
def served(path, answer):
    """Serve the answers of a function of the request at a Unix socket."""

    class Request(StreamRequestHandler):
        def handle(self):
            self.wfile.write(answer(json.loads(self.rfile.readline())))

    server = ThreadingUnixStreamServer(str(path), Request)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield f"unix:{path}"
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture
def example(tmp_path):
    """Serve a key by the example."""
    path = tmp_path / "signer.sock"
    file = tmp_path / "hub.key"
    file.write_text(KEY.hex())
    file.chmod(0o600)
    server = Signer(str(path), {"hub": str(file)})
    assert path.stat().st_mode & 0o077 == 0
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield f"unix:{path}"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("key_type", [SECP256K1, ETHSECP256K1])
def test_a_transaction_is_signed_by_the_example(example, key_type):
    wallet = wallet_of(KeyConfig(signer=example, name="hub", type=key_type.name), "cosmos")
    assert wallet.address == Wallet(KEY, "cosmos", key_type).address
    parts = {"chain_id": "c-1", "account_number": 4, "sequence": 9, "gas_limit": 5}
    message = AnyMessage("/ibc.core.channel.v1.MsgRecvPacket", b"")
    assert wallet.sign_tx([message], **parts) == Wallet(KEY, "cosmos", key_type).sign_tx([message], **parts)
    with pytest.raises(AccountCannotSign, match=r"refused: /cosmos\.bank\.v1beta1\.MsgSend is not"):
        wallet.sign_tx([AnyMessage("/cosmos.bank.v1beta1.MsgSend", b"")], **parts)
    for other in (b"", b"\x1a\x03c-1"):  # nothing, and a chain id alone
        with pytest.raises(AccountCannotSign, match="refused: a transaction without messages is not signed"):
            wallet.sign(other, "c-1")


def test_an_account_with_a_signer_relays_and_asks_nothing_for_a_simulation(example):
    node, wallet = FakeNode(100_000), RemoteWallet(example, "hub", "cosmos")
    node.sequences[wallet.address.text] = 3
    assert accounts(wallets=(wallet,)).broadcast([recv(1, signer=wallet)], node.node).refusal is None
    (sent,) = node.sent
    document = sign_bytes(sent.body_bytes, sent.auth_info_bytes, "c-1", 4)
    assert secp256k1.verify(OURS.public_key, document, sent.signatures[0])
    assert node.drafts[0].signatures == (bytes(64),)


def line(**fields):
    return json.dumps(fields).encode() + b"\n"


def lying(**fields):
    """Answer honestly for the public key, and otherwise as told."""
    return lambda asked: line(**(fields if "sign_bytes" in asked else {"public_key": PUBLIC}))


def late(_asked):
    threading.Event().wait(1)
    return b""


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (lying(error="the operator \x1b[2Jsaid no"), r"refused: the operator \\x1b\[2Jsaid no"),
        (lambda asked: b"x" * (MAX_ANSWER + 1), "more than 4096 bytes|closed"),
        (lambda asked: b"", "no answer: the connection was closed"),
        (lambda asked: b"[]\n", "the answer is malformed"),
        (lambda asked: b"\xff\n", "the answer is malformed"),
        (late, "no answer: timed out"),
    ],
)
def test_slow_long_and_wrong_answers_are_the_account_s_trouble(tmp_path, monkeypatch, answer, reason):
    monkeypatch.setattr(remote_signer, "TIMEOUT_S", 0.3)
    with served(tmp_path / "good", lying()) as good:
        wallet = RemoteWallet(good, "hub", "cosmos")
    with served(tmp_path / "bad", answer) as bad:
        wallet._signer = bad
        with pytest.raises(
            AccountCannotSign, match=f"account {wallet.address.text}: signer {bad}: .*{reason}"
        ):
            wallet.sign_tx([], chain_id="c-1", account_number=1, sequence=1, gas_limit=1)


def test_h306_without_a_newline_an_answer_is_bounded(tmp_path):
    sent = []

    def endless(asked):
        sent.append(asked)
        return b" " * (64 * MAX_ANSWER)

    with served(tmp_path / "s", endless) as where, pytest.raises(KeyRefused, match="more than 4096 bytes"):
        RemoteWallet(where, "hub", "cosmos")
    assert sent == [{"key": "hub", "type": "secp256k1"}]


@pytest.mark.parametrize(
    "signature",
    [
        "",
        "!",
        b64encode(bytes(64)).decode(),
        b64encode(OURS.sign(b"something else")).decode(),
        b64encode(secp256k1.PrivateKey(b"\x08" * 32).sign(b"")).decode(),
    ],
)
def test_h306_a_signature_of_something_else_is_not_used(tmp_path, signature):
    node = FakeNode(100_000)
    with served(tmp_path / "s", lying(signature=signature)) as where:
        wallet = RemoteWallet(where, "hub", "cosmos")
        node.sequences[wallet.address.text] = 3
        ours = accounts(GAS._replace(budget=Budget(chain=10_000)), wallets=(wallet,))
        with pytest.raises(AccountCannotSign, match="is not of this transaction by this key"):
            ours.broadcast([recv(1, signer=wallet)], node.node)
    assert (node.sent, ours.spent_today) == ([], {"stake": 0})  # nothing is spent by what is not sent


def test_h306_another_account_relays_while_a_signer_fails(tmp_path):
    node = FakeNode(100_000)
    with served(tmp_path / "s", lying(error="no")) as where:
        wallet = RemoteWallet(where, "hub", "cosmos")
    node.sequences[wallet.address.text] = 3
    ours = accounts(wallets=(wallet, ONE))
    for sequence in range(3):
        assert ours.broadcast([recv(sequence, signer=wallet)], node.node).refusal is None
    assert [tx.signer_infos[0].sequence for tx in node.sent] == [9, 10, 11]


def test_a_signer_is_asked_over_http():
    asked = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            body = line(**({"public_key": PUBLIC} if len(asked) == 1 else {"error": "no"}))
            self.send_response(200 if len(asked) == 1 else 403)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    where = f"http://127.0.0.1:{server.server_port}"
    try:
        wallet = RemoteWallet(f"{where}/sign?token=secret", "hub", "cosmos", ETHSECP256K1)
        with pytest.raises(AccountCannotSign, match=f"signer {where}: refused: no"):
            wallet.sign_tx([], chain_id="c-1", account_number=1, sequence=1, gas_limit=1)
    finally:
        server.shutdown()
        server.server_close()
    assert asked[0] == {"key": "hub", "type": "ethsecp256k1"}
    document = asked[1].pop("sign_bytes")
    assert asked[1] == {"key": "hub", "type": "ethsecp256k1", "chain_id": "c-1"}
    assert SignDoc.FromString(b64decode(document)).chain_id == "c-1"


@pytest.mark.parametrize(
    ("key", "reason"),
    [
        ('signer = "unix:signer.sock", name = "hub"', "key.signer: a socket is named by its whole path"),
        ('signer = "ftp://secret@x", name = "hub"', r"key.signer: not an http\(s\) URL"),
        ('signer = "unix:/s"', "key.name: a signer needs the name of its key"),
        (f'signer = "unix:/s", name = "{"x" * 257}"', "key.name: a signer needs the name of its key"),
        ('signer = "unix:/s", name = "hub", file = "a.key"', "has a signer, which has the key"),
        ('signer = "unix:/s", name = "hub", hd_path = "m/1"', "has a signer, which has the key"),
        ('name = "hub"', "a key needs exactly one of file, env and command, or a signer"),
    ],
)
def test_a_wrong_signer_is_refused_with_its_place(configuration, key, reason):
    file = configuration(f"key = {{ {key} }}")
    with pytest.raises(WrongConfiguration, match=reason) as refused:
        read_config(file)
    assert "secret" not in str(refused.value)


def test_a_signer_that_is_not_there_is_a_mistake_in_the_configuration(configuration, monkeypatch):
    monkeypatch.setenv("B_KEY", "22" * 32)
    file = configuration('key = { signer = "http://user:secret@127.0.0.1:1/x", name = "hub" }')
    with pytest.raises(WrongConfiguration, match=r"http://127\.0\.0\.1:1 hub: no answer: ") as refused:
        ConfigSource(file).read()
    assert "secret" not in str(refused.value)
