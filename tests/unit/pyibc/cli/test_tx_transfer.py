"""`pyibc tx transfer`: the transaction is told, the receiver checked before, and the transfer followed."""

import json
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from pyibc.cli import keys, one_chain
from pyibc.cli.tx import command, transfer
from pyibc.core.channel.types import Order
from pyibc.core.host.block import tx_hash
from pyibc.relayer.money.keys import write_private_file
from pyibc.relayer.money.wallet import Wallet, seed_key
from pyibc.relayer.rpc.endpoint import RpcEndpoint
from tests.unit.pyibc.cli.query.conftest import A, B, net  # noqa: F401 - a fixture


@pytest.fixture
def chains(net, monkeypatch):  # noqa: F811
    """Two chains that make a block whenever a transaction is waited for, and a channel between them."""
    monkeypatch.setenv("ALICE", net.a.users["alice"]._key._key.secret.hex())
    net.path = net.open("transfer", Order.UNORDERED, "ics20-1")
    parties = {A: net.a, B: net.b}

    def connect(url, wallet, gas, config):
        waits = config._replace(sleep=lambda _: parties[url].chain.make_block())
        return RpcEndpoint(net.nodes[url], wallet, gas=gas, config=waits)

    monkeypatch.setattr(one_chain.RpcEndpoint, "connect", connect)
    monkeypatch.setattr(transfer, "time", SimpleNamespace(sleep=lambda _: net.relay(net.path)))
    return net


def send(chains, receiver, *more, channel=None):
    channel = channel or chains.path.a.channel_id
    words = ["transfer", channel, receiver, "5stake", "--node", A, "--key", "env:ALICE", "--to", B, *more]
    return CliRunner().invoke(command, words)


def test_the_transaction_of_a_transfer_is_told(chains):
    done = send(chains, chains.b.address("bob"), "--json")
    assert (done.exit_code, done.stderr) == (0, "")
    row = json.loads(done.stdout)
    block = chains.a.chain.block(row["height"])
    [outcome] = block.txs
    assert row == {
        "chain_id": "chain-a-1",
        "sequence": 1,
        "memo": "",
        "tx": tx_hash(outcome.tx).hex().upper(),
        "height": block.height,
        "gas_used": outcome.gas_used,
        "gas_wanted": outcome.gas_wanted,
    }
    text = send(chains, chains.b.address("bob")).stdout.splitlines()
    assert text[0] == "sequence 2"
    assert text[1].startswith("transaction ")
    assert f" in block {chains.a.chain.height} of chain-a-1, gas " in text[1]


@pytest.mark.parametrize(
    ("receiver", "fact"),
    [
        ("bob", "'bob' is not an address"),
        (
            Wallet(seed_key("x"), "osmo").address.text,
            "prefix 'osmo', and addresses of the other",
        ),
    ],
)
def test_a_receiver_that_the_other_chain_cannot_accept_is_warned_about(chains, receiver, fact):
    done = send(chains, receiver)
    assert done.exit_code == 0
    assert done.stderr.startswith("warning: ")
    assert fact in done.stderr


def test_an_address_of_another_kind_of_chain_is_none_to_warn_about(chains):
    assert send(chains, "0x" + "ab" * 20).stderr == ""


def test_a_transfer_that_arrives_is_followed_to_its_end(chains):
    bob = chains.b.address("bob")
    done = send(chains, bob, "--wait")
    assert done.exit_code == 0
    assert done.stdout.splitlines()[-1].startswith(f"Yes: {bob} received 5 stake on chain-b-1 at height ")
    assert done.stderr.startswith("waiting: Not yet: chain-b-1 has not received the packet")


def test_a_transfer_that_comes_back_is_told_as_a_failure(chains):
    done = send(chains, "bob", "--wait")
    assert done.exit_code == 1
    assert done.stdout.splitlines()[-1].startswith("No: chain-b-1 refused the packet: ")


def test_a_transfer_that_nobody_relays_is_left(chains, monkeypatch):
    monkeypatch.setattr(transfer, "PATIENCE_POLLS", 2)

    def later(_):
        chains.clock.advance(300 * 10**9)
        chains.b.chain.make_block()

    monkeypatch.setattr(transfer, "time", SimpleNamespace(sleep=later))
    done = send(chains, chains.b.address("bob"), "--wait")
    assert done.exit_code == transfer.LEFT
    assert done.stdout.splitlines()[-1].startswith("No: the packet timed out before chain-b-1 received it")


def test_a_channel_that_is_not_there_is_told_before_anything_is_sent(chains):
    before = chains.a.chain.height
    done = send(chains, "bob", channel="channel-9")
    assert (done.exit_code, chains.a.chain.height) == (4, before)
    assert done.stderr == (
        "error: chain-a-1 has no channel channel-9 of transfers. Check CHANNEL, and the chain\n"
    )


def test_coins_are_sent_on_one_chain_and_the_transaction_is_told(chains):
    bob = chains.a.address("bob")
    signer = ("--node", A, "--key", "env:ALICE", "--json")
    done = CliRunner().invoke(command, ["bank", "send", bob, "7stake", *signer])
    assert done.exit_code == 0, done.output
    row = json.loads(done.stdout)
    assert (row["receiver"], row["height"]) == (bob, chains.a.chain.height)
    assert chains.a.balance("bob", "stake") == 10**12 + 7
    wrong = CliRunner().invoke(command, ["bank", "send", "bobo", "7stake", *signer])
    assert (wrong.exit_code, "'bobo' is not an address" in wrong.stderr) == (2, True)


def test_messages_of_json_are_sent_in_one_transaction(chains):
    alice, bob = chains.a.address("alice"), chains.a.address("bob")
    pay = {
        "@type": "/cosmos.bank.v1beta1.MsgSend",
        "from_address": alice,
        "to_address": bob,
        "amount": [{"denom": "stake", "amount": "3"}],
    }
    signer = ("--node", A, "--key", "env:ALICE", "--json")
    done = CliRunner().invoke(command, ["raw", "-", *signer], input=json.dumps([pay, pay]))
    assert done.exit_code == 0, done.output
    row = json.loads(done.stdout)
    assert (row["messages"], row["packets"]) == (2, [])
    assert chains.a.balance("bob", "stake") == 10**12 + 6
    refused = CliRunner().invoke(command, ["raw", "-", *signer], input="[]")
    assert (refused.exit_code, "has no messages" in refused.stderr) == (2, True)


def test_the_name_of_a_key_is_a_receiver(chains, monkeypatch, tmp_path):
    monkeypatch.setattr(keys, "FOLDER", tmp_path)
    write_private_file(tmp_path / "carol.key", "22" * 32)
    carol = Wallet(bytes.fromhex("22" * 32), "cosmos").address.text
    done = send(chains, "carol", "--wait")
    assert (done.exit_code, f"Yes: {carol} received" in done.stdout) == (0, True)
