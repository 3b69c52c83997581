"""`pyibc query tx`: what became of a transaction."""

from base64 import b64encode

import pytest

from localnet.endpoint import LocalEndpoint
from pyibc.core.channel.types import Order
from pyibc.core.coin import coin
from pyibc.core.host.block import tx_hash
from pyibc.relayer.errors import EndpointRefused
from pyibc.testing.transfers import transfer
from tests.unit.pyibc.cli.query.conftest import A, run, shown


@pytest.fixture
def path(net):
    return net.open("transfer", Order.UNORDERED, "ics20-1")


def sent(net, path, amount=5, memo=""):
    """Return the hash of a transfer from alice to bob."""
    message = transfer(net.a, "alice", path.a, "stake", amount, net.b.address("bob"), memo=memo)
    outcome = LocalEndpoint(net.a.chain, net.a.users["alice"], fee=[coin("stake", 3)]).submit([message])
    return tx_hash(outcome.tx).hex()


def test_a_transfer_is_shown_with_its_fee_message_and_packet(net, path):
    alice, bob = net.a.address("alice"), net.b.address("bob")
    digest = sent(net, path)
    row = shown("tx", digest, "--node", A)
    (message,) = row.pop("messages")
    assert message["@type"] == "/ibc.applications.transfer.v1.MsgTransfer"
    assert (message["receiver"], message["token"]) == (bob, {"denom": "stake", "amount": "5"})
    assert 0 < row.pop("gas_used") <= row.pop("gas_wanted")
    assert row == {
        "chain_id": "chain-a-1",
        "hash": digest.upper(),
        "height": net.a.chain.height,
        "code": 0,
        "codespace": "",
        "error": "",
        "fee": [{"denom": "stake", "amount": "3"}],
        "fee_payer": alice,
        "signers": [alice],
        "memo": "",
        "packets": [
            {
                "type": "send_packet",
                "source": f"transfer/{path.a.channel_id}",
                "destination": f"transfer/{path.b.channel_id}",
                "sequence": 1,
            }
        ],
    }
    text = run("tx", f"0x{digest.upper()}", "--node", A)
    assert text.exit_code == 0
    assert f"fee:      3stake, paid by {alice}" in text.stdout
    assert f"packet:   send_packet 1, transfer/{path.a.channel_id} -> transfer/" in text.stdout


def test_a_failed_transaction_is_shown_with_its_error(net, path):
    digest = sent(net, path, 10**13)
    row = shown("tx", digest, "--node", A)
    assert (row["codespace"], row["code"], row["packets"]) == ("sdk", 5, [])
    assert "insufficient funds" in row["error"]
    text = run("tx", digest, "--node", A).stdout
    assert "result:   failed with sdk/5: " in text
    assert "insufficient funds" in text


def test_control_characters_of_a_memo_are_escaped(net, path):
    done = run("tx", sent(net, path, memo="\x1b[2J\nresult: forged"), "--node", A)
    assert done.exit_code == 0
    assert "\x1b" not in done.stdout
    assert "memo=\\x1b[2J\\nresult: forged" in done.stdout


def test_a_transaction_that_is_not_there_has_an_exit_code_of_its_own(net):
    done = run("tx", "ab" * 32, "--node", A)
    assert (done.exit_code, done.stdout) == (4, "")
    assert done.stderr.startswith(f"error: chain-a-1 has no transaction {'AB' * 32}. Check the hash")


def test_a_node_without_an_index_is_not_a_missing_transaction(net):
    for reason in ("-32603 Internal error: transaction indexing is disabled", "-32601 Method not found: tx"):
        refusal = EndpointRefused("node", "tx", reason)
        net.nodes[A].spoil = lambda method, answer, refusal=refusal: refusal if method == "tx" else answer
        done = run("tx", "ab" * 32, "--node", A)
        assert (done.exit_code, done.stderr) == (1, f"error: {refusal}\n")


def test_a_transaction_with_another_hash_is_malformed(net, path):
    one, other = sent(net, path), sent(net, path, 6)
    theirs = net.nodes[A].call("tx", hash=_base64(other))
    net.nodes[A].spoil = lambda method, answer: theirs if method == "tx" else answer
    done = run("tx", one, "--node", A)
    assert (done.exit_code, done.stdout) == (1, "")
    assert "malformed answer" in done.stderr


def test_a_message_of_an_unknown_type_is_shown_in_hexadecimal(net):
    raw = bytes.fromhex("0a0e0a0c0a062f785f2e4d7912020801")  # TxBody with one Any: /x_.My, 0801
    result = {"code": 0, "gas_wanted": "1", "gas_used": "1", "events": []}
    answer = {"height": "7", "tx": _base64(raw.hex()), "tx_result": result}
    net.nodes[A].spoil = lambda method, found: answer if method == "tx" else found
    row = shown("tx", tx_hash(raw).hex(), "--node", A)
    assert row["messages"] == [{"@type": "/x_.My", "value": "0801"}]
    assert "signers:  unknown" in run("tx", tx_hash(raw).hex(), "--node", A).stdout


@pytest.mark.parametrize("text", ["", "ab", "g" * 64, "ab" * 33])
def test_what_is_no_hash_is_wrong_use(net, text):
    done = run("tx", text, "--node", A)
    assert (done.exit_code, done.stdout) == (2, "")
    assert "64 hexadecimal digits" in done.stderr


def _base64(digits):
    return b64encode(bytes.fromhex(digits)).decode()
