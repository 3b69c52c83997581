"""`pyibc query bank`: balances and supply, with the traces of vouchers."""

from base64 import b64encode
from types import SimpleNamespace

import pytest

from pyibc.cli import keys, one_chain
from pyibc.cli.query import accounts
from pyibc.core.channel.types import Order
from pyibc.proto.cosmos.bank.v1beta1 import query_pb2 as bank_pb
from pyibc.proto.ibc.applications.transfer.v1 import query_pb2 as pb
from pyibc.proto.varint import encode_varint
from pyibc.relayer.errors import EndpointRefused
from pyibc.relayer.money.keys import write_private_file
from pyibc.testing.transfers import abroad, transfer
from tests.unit.pyibc.cli.query.conftest import B, run, shown

DENOM, TRACE = (f"/ibc.applications.transfer.v1.Query/{name}" for name in ("Denom", "DenomTrace"))


@pytest.fixture
def coin(net):
    """The name on chain b of five stake that bob received."""
    path = net.open("transfer", Order.UNORDERED, "ics20-1")
    message = transfer(net.a, "alice", path.a, "stake", 5, net.b.address("bob"))
    assert net.a.execute("alice", message).code == 0
    net.relay(path)
    return abroad("stake", path.b)


def answers(net, **by_path):
    """Let node b answer these gRPC queries with these bytes or errors."""
    call = net.nodes[B].call

    def spoilt(method, **params):
        found = by_path.get(params.get("path", "").rpartition("/")[2])
        if method != "abci_query" or found is None:
            return call(method, **params)
        if isinstance(found, Exception):
            raise found
        return {"response": {"code": 0, "value": b64encode(found).decode(), "height": "1"}}

    net.nodes[B].call = spoilt


REFUSED = EndpointRefused("chain-b-1", DENOM, "sdk/6 unknown query path")


def test_a_voucher_is_shown_with_its_trace(net, coin):
    bob = net.b.address("bob")
    voucher = {"amount": "5", "denom": coin.coin_denom, "trace": coin.path}
    stake = {"amount": "1000000000000", "denom": "stake"}
    assert shown("bank", "balance", bob, coin.coin_denom, "--node", B) == voucher
    assert shown("bank", "balances", bob, "--node", B) == [voucher, stake]
    assert shown("bank", "total", coin.coin_denom, "--node", B) == voucher
    assert voucher in shown("bank", "total", "--node", B)
    text = run("bank", "balances", bob, "--node", B)
    expected = f"5 {coin.coin_denom} ({coin.path})\n1000000000000 stake\n"
    assert (text.exit_code, text.stdout) == (0, expected)


def test_a_chain_before_ibc_go_v10_is_asked_for_a_denom_trace(net, coin):
    path, base = coin.path.rsplit("/", 1)
    trace = b"".join(
        bytes([tag]) + encode_varint(len(text)) + text.encode() for tag, text in ((0x0A, path), (0x12, base))
    )
    answers(net, Denom=REFUSED, DenomTrace=b"\x0a" + encode_varint(len(trace)) + trace)
    row = shown("bank", "balance", net.b.address("bob"), coin.coin_denom, "--node", B)
    assert row["trace"] == coin.path


def test_a_voucher_whose_trace_the_chain_does_not_tell_is_shown_without(net, coin):
    answers(net, Denom=REFUSED, DenomTrace=REFUSED)
    row = shown("bank", "balance", net.b.address("bob"), coin.coin_denom, "--node", B)
    assert row == {"amount": "5", "denom": coin.coin_denom}


def test_a_trace_with_another_hash_is_malformed(net, coin):
    answers(net, Denom=pb.QueryDenomResponse(denom={"base": "uatom"}).SerializeToString())
    done = run("bank", "balances", net.b.address("bob"), "--node", B)
    assert (done.exit_code, done.stdout) == (1, "")
    assert "malformed answer: 'uatom' has another hash" in done.stderr


def test_traces_are_asked_for_a_limited_number_of_vouchers(net, coin, monkeypatch):
    monkeypatch.setattr(accounts, "MAX_TRACES", 1)
    held = [{"denom": coin.coin_denom, "amount": "5"}] * 2
    answers(net, AllBalances=bank_pb.QueryAllBalancesResponse(balances=held).SerializeToString())
    rows = shown("bank", "balances", net.b.address("bob"), "--node", B)
    assert ["trace" in row for row in rows] == [True, False]


def test_an_account_without_coins_is_told_in_words(net):
    nobody = net.b.users["bob"].from_seed("nobody", "cosmos").address.text
    assert run("bank", "balances", nobody, "--node", B).stdout == f"{nobody} has no coins on chain-b-1\n"
    assert run("bank", "balance", nobody, "stake", "--node", B).stdout == "0 stake\n"
    answers(net, Balance=b"")
    assert run("bank", "balance", nobody, "stake", "--node", B).stdout == "0 stake\n"


def test_what_is_no_address_is_wrong_use(net):
    done = run("bank", "balances", "bob", "--node", B)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith("error: 'bob' is not an address: ")


def test_a_wallet_of_a_localnet_is_named_before_a_key_of_the_same_name(net, monkeypatch, tmp_path):
    monkeypatch.setattr(keys, "FOLDER", tmp_path)
    for name in ("bob", "dave"):
        write_private_file(tmp_path / f"{name}.key", "22" * 32)
    settings = SimpleNamespace(wallets={"bob": "seed"})
    network = SimpleNamespace(wallet=lambda name: net.b.users[name], settings=lambda: settings)
    nodes = [SimpleNamespace(chain_id="chain-b-1", rpc=B, pid=1)]
    for module in (accounts, one_chain):
        monkeypatch.setattr(module, "running", lambda _name: (network, nodes))
    assert run("bank", "balance", "bob", "stake").stdout == "1000000000000 stake\n"
    assert run("bank", "balance", "dave", "stake").stdout == "0 stake\n"
    done = run("bank", "balances", "carol")
    assert done.exit_code == 2
    text = "error: 'carol' is neither an address nor a wallet of network 'default'; it has bob\n"
    assert done.stderr == text


def test_a_chain_of_a_localnet_that_is_stopped_is_told_with_the_command_that_starts_it(net, monkeypatch):
    network = SimpleNamespace(name="net", wallet=lambda name: net.b.users[name])
    nodes = [SimpleNamespace(chain_id="chain-b-1", rpc=B, pid=None)]
    for module in (accounts, one_chain):
        monkeypatch.setattr(module, "running", lambda _name: (network, nodes))
    done = run("bank", "total", "--network", "net")
    assert done.exit_code == 1
    assert (
        done.stderr
        == "error: chain-b-1: the chain is stopped: start it with `pyibc localnet up --name net`\n"
    )
