"""`pyibc tx queue-send`, `pyibc query queue` and `pyibc query channel` against nodes in this process."""

import json

import pytest
from click.testing import CliRunner

from conformance.kit.serving import Served, serving
from pyibc.chain.parts import plugins_with_queues
from pyibc.cli.query import command as query
from pyibc.cli.relay import command as relay
from pyibc.cli.tx import command as tx
from pyibc.core.paths import channel_path
from pyibc.queues.coins import CoinTransfer, QueueDenom, encode_transfer
from pyibc.relayer.money.wallet import Wallet

KEY = "11" * 32
ME = Wallet(bytes.fromhex(KEY), "cosmos").address.text
ENDS = "one-1/connection-0/channel-0", "two-2/connection-3/channel-4"
PACKETS = "ibc:two-2/connection-3/channel-4/connection-0/channel-0:outgoing"
RECEIPTS = "ibc:one-1/connection-0/channel-0/connection-3/channel-4:incoming"


NOBODY = Served(None, "http://127.0.0.1:9")  # not asked
RUNNER = CliRunner(env={"SOMEBODY": KEY})


@pytest.fixture(scope="module")
def nodes():
    """Two chains whose ends of queues are registered, between chains and of a channel."""
    with serving(("one-1", "two-2"), plugins_with_queues, [KEY], 0.1) as servers:
        between = ["--a", servers[0].url, "--b", servers[1].url, "--key", "env:SOMEBODY"]
        ends = ["--protocol", "queue", "--ends", "one-1", "two-2", "--ends", *ENDS]
        said(RUNNER.invoke(relay, ["create", "path", *between, *ends, "--json"]))
        yield servers


def said(result):
    assert result.exit_code == 0, result.output
    return json.loads(result.output)


def asked(node, *words):
    return RUNNER.invoke(query, [*words, "--node", node.url])


def sent(node, *words):
    return RUNNER.invoke(tx, ["queue-send", *words, "--node", node.url, "--key", "env:SOMEBODY", "--json"])


def test_packets_are_sent_and_seen_by_command(nodes, tmp_path):
    one, two = nodes
    file = tmp_path / "data"
    file.write_bytes(encode_transfer(CoinTransfer(QueueDenom("grain"), 7, ME, ME)))
    first = said(sent(one, ENDS[1], "coins", str(file), "--max-height", "2-1000"))
    sent_as = {"chain_id": "one-1", "sequence": 0, "source": ENDS[0]}
    assert sent_as.items() <= first.items()
    assert first.keys() - sent_as.keys() == {"tx", "height", "gas_used", "gas_wanted"}
    assert said(sent(one, ENDS[1], "coins", str(file), "--timeout", "90s"))["sequence"] == 1
    assert said(asked(one, "queue", "bounds", PACKETS)) == {"head": "0", "tail": "2"}
    [packet, timed] = said(asked(one, "queue", "elements", PACKETS))
    assert packet == {
        "index": "0",
        "type": "coins",
        "source": ENDS[0],
        "destination": ENDS[1],
        "data": file.read_bytes().hex(),
        "max_height": "2-1000",
        "max_time_ns": "0",
    }
    assert int(timed["max_time_ns"]) > 10**18
    assert said(asked(one, "queue", "element", PACKETS, "1")) == timed
    between = [
        "--a",
        one.url,
        "--b",
        two.url,
        "--key",
        "env:SOMEBODY",
        "--protocol",
        "queue",
        "--ends",
        *ENDS,
    ]
    assert said(RUNNER.invoke(relay, [*between, "--json"]))["delivered"] == 2
    # Receipts that were handled are deleted when the relayer has something else to send: not asked for here.
    assert said(asked(two, "queue", "bounds", RECEIPTS))["tail"] == "2"


def test_a_packet_that_nobody_handles_is_refused(nodes):
    refused = sent(nodes[0], "two-2", "nothing", "--data", "x")
    assert refused.exit_code == 1
    assert "no application handles packets of type 'nothing'" in refused.output


def test_ends_are_listed_with_their_queues(nodes):
    one, _ = nodes
    [channel, chain] = sorted(
        said(asked(one, "queue", "registrations")), key=lambda each: each["remote"], reverse=True
    )
    assert said(asked(one, "queue", "registration", ENDS[1])) == channel
    assert (channel["local"], channel["remote"], channel["packets"]) == (*ENDS, PACKETS)
    assert chain["packets"] == "ibc:two-2:send"
    assert chain["receipts"] == "ibc:two-2:receipt"
    absent = asked(one, "queue", "registration", "three-3")
    assert (absent.exit_code, "three-3" in absent.output) == (1, True)


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("two-2/x", "coins", "--data", "x"), "is not an end"),
        (("two-2", "coins"), "FILE or --data"),
        (
            ("two-2", "coins", "--data", "x", "--no-timeout", "--timeout", "5s"),
            "--no-timeout cannot be combined",
        ),
        (("two-2", "coins", "--data", "x", "--max-height", "7"), "not REVISION-HEIGHT"),
        (("two-2", "coins", "--data", "x", "--timeout", "soon"), "not a time"),
    ],
)
def test_what_is_no_packet_is_wrong_use(words, text):
    result = sent(NOBODY, *words)
    assert result.exit_code == 2, result.output
    assert text in result.output


def test_a_name_that_is_none_is_wrong_use():
    for words in (("bounds", "send"), ("element", "ibc:x", "0"), ("elements", "")):
        result = asked(NOBODY, "queue", *words)
        assert result.exit_code == 2, result.output
        assert "not a queue name" in result.output


def test_a_channel_is_shown_with_its_proof(nodes):
    one, two = nodes
    between = ["--a", one.url, "--b", two.url, "--key", "env:SOMEBODY", "--json"]
    made = said(RUNNER.invoke(relay, ["create", "path", *between]))
    name = made["a"]["channel_id"]
    plain = said(asked(one, "channel", "transfer", name))
    assert (plain["state"], plain["ordering"], plain["version"]) == ("OPEN", "ORDER_UNORDERED", "ics20-1")
    assert plain["counterparty"] == {"port_id": "transfer", "channel_id": made["b"]["channel_id"]}
    proven = said(asked(one, "channel", "transfer", name, "--prove"))
    assert {key: proven[key] for key in plain} == plain
    height = int(proven["proof_height"].partition("-")[2])
    wanted = one.chain.prove(channel_path("transfer", name), height - 1)
    assert proven["proof"] == wanted.proof.hex()
    absent = said(asked(one, "channel", "transfer", "channel-99", "--prove"))
    assert absent.keys() == {"proof", "proof_height"}
    missing = asked(one, "channel", "transfer", "channel-99")
    assert (missing.exit_code, "channel-99" in missing.output) == (1, True)
