"""`pyibc relay start` against nodes in this process: many paths, bad nodes, signals, what it tells."""

import json
import signal
import subprocess
import sys
import time
import urllib.request
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from conformance.kit.serving import serving
from pyibc.apps.transfer.messages import MsgTransfer
from pyibc.cli.relay import command
from pyibc.core.channel.types import Order
from pyibc.core.height import Height
from pyibc.core.wire.message import pack_msg
from pyibc.default_plugins import plugins
from pyibc.proto.ibc.core.channel.v1 import query_pb2
from pyibc.relayer.money.account import GasConfig
from pyibc.relayer.money.spending_file import SUFFIX
from pyibc.relayer.money.wallet import Wallet
from pyibc.relayer.paths.open_path import make_path
from pyibc.relayer.rpc.client import RpcConfig
from pyibc.relayer.rpc.endpoint import RpcEndpoint

KEY, USER_KEY = "11" * 32, "22" * 32
COMMITMENTS = "/ibc.core.channel.v1.Query/PacketCommitments"
CHAINS = ("one-1", "two-2", "three-3")


@pytest.fixture(scope="module")
def nodes():
    """Chains that all tests of a process use: what a test sends is answered when it ends."""
    with serving(CHAINS, plugins, [KEY, USER_KEY], 0.1) as servers:
        yield servers


@pytest.fixture(scope="module")
def users(nodes):
    """A user's endpoint on every chain; channels one-two and one-three are open."""
    config = RpcConfig(poll_s=0.05)
    with ExitStack() as stack:

        def connected(key):
            wallet = Wallet(bytes.fromhex(key), "cosmos")
            return [
                stack.enter_context(closing(RpcEndpoint.connect(node.url, wallet, GasConfig(), config)))
                for node in nodes
            ]

        makers = connected(KEY)
        for far in (1, 2):
            make_path(makers[0], makers[far], "transfer", Order.UNORDERED, "ics20-1")
        yield connected(USER_KEY)


@pytest.fixture
def configured(nodes, tmp_path):
    """Writes relayer.toml: all chains, and these paths as (a, channel on a, b)."""
    (tmp_path / "key").write_text(KEY + "\n")
    (tmp_path / "key").chmod(0o600)

    def write(*paths, urls=None):
        lines = ['[relayer]\nlisten = "127.0.0.1:0"\nlocks = "."\ninterval = 0.1']
        for name, url in zip(CHAINS, urls or [node.url for node in nodes], strict=True):
            lines.append(f'[[chains]]\nid = "{name}"\nrpc = ["{url}"]\nkey = {{ file = "key" }}')
        for a, channel, b in paths:
            lines.append(f'[[paths]]\na = "{a}"\nb = "{b}"\nchannels = ["{channel}"]')
        file = tmp_path / "relayer.toml"
        file.write_text("\n\n".join(lines) + "\n")
        return file

    return write


@pytest.fixture
def daemon(tmp_path):
    """Starts the command; it must end by itself, or is ended."""
    running = []

    def start(file):
        log = tmp_path / f"log-{len(running)}"
        with log.open("wb") as out:
            process = subprocess.Popen(
                [sys.executable, "-m", "pyibc", "relay", "start", "--config", str(file)],
                stderr=out,
                stdout=out,
            )
        running.append(process)
        process.log = lambda: [json.loads(line) for line in log.read_text().splitlines() if line[:1] == "{"]
        process.text = log.read_text
        return process

    yield start
    for process in running:
        process.kill()
        process.wait()


def send(endpoint, channel, number):
    user, revision = endpoint.signer, int(endpoint.chain_id[-1])
    far = Height({"channel-0": 2, "channel-1": 3}[channel] if revision == 1 else 1, 10**6)
    message = MsgTransfer("transfer", channel, "stake", "5", user, user, far, 0, "")
    assert endpoint.submit([pack_msg(message)] * number).code == 0


def awaited(endpoint, channel):
    """Sequences of the packets that no acknowledgement has come for."""
    request = query_pb2.QueryPacketCommitmentsRequest(port_id="transfer", channel_id=channel)
    answer = endpoint.grpc(COMMITMENTS, request.SerializeToString())
    found = query_pb2.QueryPacketCommitmentsResponse.FromString(answer).commitments
    return sorted(each.sequence for each in found)


def unanswered(endpoint, channel):
    return len(awaited(endpoint, channel))


def until(condition, process):
    for _ in range(900):
        if condition():
            return
        assert process.poll() is None, process.text()
        time.sleep(0.1)
    pytest.fail(process.text())


def told(process, page):
    until(lambda: "metrics: " in process.text(), process)
    url = next(line.split()[1] for line in process.text().splitlines() if line.startswith("metrics: "))
    try:
        with urllib.request.urlopen(url.replace("metrics", page), timeout=10) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as refused:
        return refused.code, refused.read().decode()


def test_paths_of_one_process_until_a_signal(users, configured, daemon):
    file = configured(("one-1", "channel-0", "two-2"), ("one-1", "channel-1", "three-3"))
    process = daemon(file)
    send(users[0], "channel-0", 5)
    send(users[0], "channel-1", 3)
    send(users[1], "channel-0", 2)
    ends = [(users[0], "channel-0"), (users[0], "channel-1"), (users[1], "channel-0")]
    until(lambda: sum(unanswered(*each) for each in ends) == 0, process)
    until(
        lambda: (
            'ibc_relay_acknowledged_total{path="one-1/channel-1/three-3"} 3.0' in told(process, "metrics")[1]
        ),
        process,
    )
    until(
        lambda: not any(path["pending"] for path in json.loads(told(process, "health")[1])["paths"]), process
    )
    status, health = told(process, "health")
    assert (status, json.loads(health)["well"]) == (200, True)
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == 0
    said = {"up", "opened", "relayed", "ended"}
    said.add("block results are queried in JSON")  # localnet's nodes know no other form
    assert {line["event"] for line in process.log()} <= said


def test_a_dead_chain_is_told_and_holds_up_nobody(users, configured, daemon, nodes):
    file = configured(
        ("one-1", "channel-0", "two-2"),
        ("one-1", "channel-1", "three-3"),
        urls=[nodes[0].url, nodes[1].url, "http://127.0.0.1:9"],
    )
    process = daemon(file)
    send(users[0], "channel-0", 4)
    until(lambda: unanswered(users[0], "channel-0") == 0, process)
    expected = {"one-1/channel-0/two-2": "relaying", "one-1/channel-1/three-3": "waiting"}

    def states():
        paths = json.loads(told(process, "health")[1])["paths"]
        return {path["path"]: path["state"] for path in paths}

    until(lambda: states() == expected, process)
    status, body = told(process, "health")
    assert status == 503
    found = json.loads(body)
    assert [chain["up"] for chain in found["chains"]] == [True, False, True]


def test_a_command_or_a_hangup_has_the_file_read_again_and_says_what_came_of_it(users, configured, daemon):
    file = configured(("one-1", "channel-0", "two-2"))

    def reload():
        return CliRunner().invoke(command, ["reload", "--config", str(file), "--json"])

    none = reload()
    assert (none.exit_code, "no daemon has the journal" in none.output) == (1, True)
    process = daemon(file)
    until(lambda: [line for line in process.log() if line["event"] == "opened"], process)
    configured(("one-1", "channel-0", "two-2"), ("one-1", "channel-1", "three-3"))
    done = reload()
    assert done.exit_code == 0, done.output
    assert json.loads(done.output) == {"ended": [], "started": ["one-1/channel-1/three-3"]}
    send(users[0], "channel-1", 2)
    until(lambda: unanswered(users[0], "channel-1") == 0, process)
    good = file.read_text()
    file.write_text(good.replace("[[paths]]", "[[pathss]]"))
    assert reload().exit_code == 2
    assert [line for line in process.log() if line["event"] == "not reloaded"] == []
    file.write_text(good.replace("interval = 0.1", "interval = 0.2").replace('"key" }', '"none" }', 1))
    refused = reload()
    assert (refused.exit_code, "line 9: chain one-1, key: " in refused.output) == (2, True), refused.output
    assert not [line for line in process.log() if line["event"] == "ended"]
    file.write_text(good)
    assert json.loads(reload().output) == {"ended": [], "started": []}
    file.write_text(good.replace('"key" }', '"key" }\nfees = { price = "abc" }') + "#")
    process.send_signal(signal.SIGHUP)
    until(lambda: [line for line in process.log() if line["event"] == "not reloaded"], process)
    assert not [line for line in process.log() if line["event"] == "ended"]
    configured(("one-1", "channel-0", "two-2"))
    process.send_signal(signal.SIGHUP)
    ended = (["one-1/channel-1/three-3"], [])
    until(
        lambda: ended in [(line["ended"], line["started"]) for line in process.log() if "started" in line],
        process,
    )
    process.kill()
    process.wait()
    assert "no daemon has the journal" in reload().output


def test_a_path_that_is_not_there_is_waited_for_and_made_by_nobody(users, configured, daemon):
    process = daemon(configured(("one-1", "channel-7", "two-2"), ("one-1", "channel-0", "two-2")))
    send(users[0], "channel-0", 1)
    until(lambda: unanswered(users[0], "channel-0") == 0, process)
    failed = [line for line in process.log() if line["event"] == "failed"]
    assert {line["error"] for line in failed} == {"WrongCounterparty"}
    assert "no such channel" in failed[0]["reason"]


def test_check_tries_everything_and_submits_nothing(users, configured, nodes):
    well = CliRunner().invoke(
        command, ["check", "--config", str(configured(("one-1", "channel-0", "two-2")))]
    )
    assert well.exit_code == 0, well.output
    assert well.output.splitlines() == [
        "chain one-1: ok",
        "chain two-2: ok",
        "chain three-3: ok",
        "path one-1/channel-0/two-2: ok",
    ]
    file = configured(("one-1", "channel-9", "two-2"), urls=[nodes[0].url, nodes[1].url, nodes[0].url])
    bad = CliRunner().invoke(command, ["check", "--json", "--config", str(file)])
    assert bad.exit_code == 3
    reasons = {each["name"]: each["reason"] for each in map(json.loads, bad.output.splitlines())}
    assert reasons["three-3"] == (
        f"three-3: no node answers: {nodes[0].url}: it is a node of 'one-1', not of three-3"
    )
    assert "no such channel" in reasons["one-1/channel-9/two-2"]


def test_a_pattern_over_several_clients_is_relayed_and_what_cannot_be_is_named(
    users, configured, daemon, nodes
):
    """The channel to the third chain fits the pattern and leads elsewhere; one is over clients of its own."""
    config, wallet = RpcConfig(poll_s=0.05), Wallet(bytes.fromhex(KEY), "cosmos")
    with ExitStack() as stack:
        makers = [
            stack.enter_context(closing(RpcEndpoint.connect(node.url, wallet, GasConfig(), config)))
            for node in nodes[:2]
        ]
        other = make_path(*makers, "transfer", Order.UNORDERED, "ics20-1", new_clients=True)
    file = configured(("one-1", "*", "two-2"))
    checked = CliRunner().invoke(command, ["check", "--config", str(file)])
    assert (checked.exit_code, "path one-1/*/two-2: ok" in checked.output) == (0, True), checked.output
    send(users[0], "channel-0", 2)
    cleared = CliRunner().invoke(command, ["clear", "--json", "--config", str(file)])
    rows = {row["path"]: row["delivered"] for row in map(json.loads, cleared.output.splitlines())}
    names = [f"one-1/*/two-2 ({each}, {each})" for each in ("07-tendermint-0", other.a.client_id)]
    assert sorted(rows.values()) == [0, 2], rows
    assert names[0] in rows
    process = daemon(file)
    send(users[0], "channel-0", 1)
    until(lambda: unanswered(users[0], "channel-0") == 0, process)
    paths = []

    def is_done():
        found = json.loads(told(process, "health")[1])
        paths[:] = found["paths"]
        return found["well"] and not any(path["pending"] for path in paths)

    until(is_done, process)
    assert [path["path"] for path in paths] == ["one-1/*/two-2", *rows]
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == 0, process.text()
    assert "ended without waiting" not in process.text()


def test_what_would_be_done_is_shown_and_then_done_once(users, configured):
    file = str(configured(("one-1", "channel-0", "two-2"), ("one-1", "channel-1", "three-3")))
    send(users[0], "channel-0", 2)
    send(users[1], "channel-0", 1)

    def told(*words):
        done = CliRunner().invoke(command, [*words, "--config", file, "--json"])
        assert done.exit_code == 0, done.output
        return [json.loads(line) for line in done.output.splitlines()]

    for each in users[:2]:
        each.wait(each.tip().height + 1)  # a packet is proven by the block after its own
    sent = [awaited(each, "channel-0") for each in users[:2]]
    planned = told("plan", "--path", "one-1/channel-0/two-2")
    assert sorted((row["chain"], row["message"], row["sequence"]) for row in planned) == [
        *(("one-1", "recv", sequence) for sequence in sent[1]),
        *(("two-2", "recv", sequence) for sequence in sent[0]),
    ]
    assert [len(each) for each in sent] == [2, 1]
    waiting = told("query", "pending")
    assert [(row["src_chain"], row["dst_chain"], row["packets"]) for row in waiting] == [
        ("one-1", "two-2", 2),
        ("two-2", "one-1", 1),
        ("one-1", "three-3", 0),
        ("three-3", "one-1", 0),
    ]
    assert all(unanswered(users[side], "channel-0") for side in (0, 1))
    cleared = told("clear", "--path", "one-1/channel-0/two-2")
    assert [(row["delivered"], row["acknowledged"], row["left"]) for row in cleared] == [(3, 3, 0)]
    assert told("plan") == []
    fees = CliRunner().invoke(command, ["fees", "--ledger", str(Path(file).parent / "fees.db"), "--json"])
    assert {row["chain_id"] for row in json.loads(fees.output)["costs"]} == {"one-1", "two-2"}
    assert (Path(file).parent / f"relayer.db{SUFFIX}").exists()  # the daemon's budgets are shared


def test_paths_between_two_chains_are_listed_with_what_speaks_against_them(users, configured):
    file = str(configured(("one-1", "channel-0", "two-2")))
    for name in ("path", "paths"):
        done = CliRunner().invoke(command, ["query", name, "one-1", "two-2", "--config", file, "--json"])
        assert done.exit_code == 0, done.output
    found = {row["name"]: row for row in map(json.loads, done.output.splitlines())}
    assert (found["channel-0"]["usable"], found["channel-0"]["states"]) == (True, ["OPEN", "OPEN"])
    assert "channel-1" not in found  # it leads to the third chain
    none = CliRunner().invoke(
        command, ["query", "paths", "one-1", "two-2", "--port", "ica*", "--config", file, "--json"]
    )
    assert (none.exit_code, none.output) == (0, "")
    wrong = CliRunner().invoke(command, ["query", "paths", "one-1", "nine-9", "--config", file])
    assert (wrong.exit_code, "no chain is called 'nine-9'" in wrong.output) == (2, True)
    unknown = CliRunner().invoke(command, ["plan", "--path", "nowhere", "--config", file])
    assert (unknown.exit_code, "no path is called 'nowhere'" in unknown.output) == (2, True)


def test_a_packet_that_is_too_dear_waits_is_listed_and_goes_with_another_limit(users, configured, daemon):
    text = configured(("one-1", "channel-0", "two-2")).read_text()
    file = configured(("one-1", "channel-0", "two-2"))
    fees = 'fees = {{ denom = "stake", price = "0.01", max_fee = {} }}'
    file.write_text(text.replace('key = { file = "key" }', 'key = { file = "key" }\n' + fees.format(5)))
    process = daemon(file)
    send(users[0], "channel-0", 3)
    held = 'ibc_relay_held{path="one-1/channel-0/two-2"} 3.0'
    until(lambda: held in told(process, "metrics")[1], process)
    asked = CliRunner().invoke(command, ["query", "pending", "--config", str(file), "--json"])
    row = json.loads(asked.output.splitlines()[0])
    assert [(each["message"], each["sequence"]) for each in row["held"]] == [
        ("recv", sequence) for sequence in awaited(users[0], "channel-0")
    ]
    assert {each["reason"].partition(":")[0] for each in row["held"]} == {"not sent"}
    assert (row["packets"], unanswered(users[0], "channel-0")) == (3, 3)
    fees_paid = CliRunner().invoke(command, ["fees", "--ledger", str(file.parent / "fees.db"), "--json"])
    assert json.loads(fees_paid.output)["costs"] == []  # not even a client update
    file.write_text(text.replace('key = { file = "key" }', 'key = { file = "key" }\n' + fees.format(10**6)))
    process.send_signal(signal.SIGHUP)
    until(lambda: unanswered(users[0], "channel-0") == 0, process)
    asked = CliRunner().invoke(command, ["query", "pending", "--config", str(file), "--json"])
    assert json.loads(asked.output.splitlines()[0])["held"] == []


def test_packets_that_are_left_at_the_end_are_told_by_the_exit_code(users, configured, daemon):
    text = configured(("one-1", "channel-0", "two-2")).read_text()
    file = configured(("one-1", "channel-0", "two-2"))
    file.write_text(text + '\n[paths.filter.denom]\ndeny = ["st*"]\n')
    process = daemon(file)
    send(users[0], "channel-0", 2)
    held = 'ibc_relay_held{path="one-1/channel-0/two-2"} 2.0'
    until(lambda: held in told(process, "metrics")[1], process)
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == 3
    file.write_text(text)
    assert CliRunner().invoke(command, ["clear", "--config", str(file)]).exit_code == 0
    assert unanswered(users[0], "channel-0") == 0


def test_the_other_end_of_hermes_channels_is_asked_of_its_nodes(users, nodes, tmp_path):
    file = tmp_path / "config.toml"
    file.write_text(
        "\n".join(
            f'[[chains]]\nid = "{name}"\nrpc_addr = "{node.url}"\nkey_name = "k"\naccount_prefix = "cosmos"\n'
            f'[chains.packet_filter]\npolicy = "allow"\nlist = [["transfer", "channel-0"]]'
            for name, node in zip(CHAINS[:2], nodes, strict=False)
        )
    )
    done = CliRunner().invoke(command, ["from-hermes", str(file)])
    assert done.exit_code == 0, done.output
    assert 'a = "one-1"\nb = "two-2"\nport = "transfer"\nchannels = ["channel-0"]' in done.output
    offline = CliRunner().invoke(command, ["from-hermes", "--offline", str(file)])
    assert "transfer/channel-0: the chain at its other end is not known" in offline.output


def test_wrong_configurations_are_wrong_use(tmp_path):
    for name in ("start", "check"):
        done = CliRunner().invoke(command, [name, "--config", str(tmp_path / "none.toml")])
        assert done.exit_code == 2
        assert "none.toml: there is no such file: " in done.output


def test_a_start_with_a_wrong_key_or_address_is_wrong_use(nodes, configured):
    file = configured(("one-1", "channel-0", "two-2"))
    good = file.read_text()
    taken = nodes[0].url.removeprefix("http://")
    for wrong, reason in (
        (good.replace('"key" }', '"none" }', 1), "line 9: chain one-1, key: "),
        (good.replace("127.0.0.1:0", taken), f"relayer.listen {taken}: Address already in use"),
    ):
        file.write_text(wrong)
        done = CliRunner().invoke(command, ["start", "--config", str(file)])
        assert (done.exit_code, reason in done.output) == (2, True), done.output


def test_a_second_daemon_of_a_journal_or_a_key_is_refused(users, configured, daemon):
    file = configured(("one-1", "channel-0", "two-2"))
    first = daemon(file)
    until(lambda: [line for line in first.log() if line["event"] == "opened"], first)
    text, folder = file.read_text(), file.parent / "other"
    folder.mkdir()
    same_key, same_journal = folder / "key.toml", folder / "journal.toml"
    same_key.write_text(text.replace('locks = "."', 'locks = ".."').replace('"key"', '"../key"'))
    (folder / "own").mkdir()
    same_journal.write_text(
        text.replace('locks = "."', 'locks = "own"\njournal = "../relayer.db"').replace('"key"', '"../key"')
    )
    for other, what in (
        (same_key, "of one-1 is used by process"),
        (same_journal, "relayer.db is used by process"),
    ):
        done = CliRunner().invoke(command, ["start", "--config", str(other)])
        assert (done.exit_code, f"{what} {first.pid}" in done.output) == (2, True), done.output
    first.kill()
    first.wait()
    again = daemon(same_key)
    until(lambda: [line for line in again.log() if line["event"] == "opened"], again)


def test_a_key_command_that_hangs_does_not_keep_the_daemon_from_ending(nodes, configured, daemon, tmp_path):
    file = configured(("one-1", "channel-0", "two-2"))
    hanging = f'key = {{ command = ["sh", "-c", "touch {tmp_path}/asked; sleep 600"] }}'
    file.write_text(file.read_text().replace('key = { file = "key" }', hanging, 1))
    process = daemon(file)
    until((tmp_path / "asked").exists, process)
    process.send_signal(signal.SIGTERM)
    assert process.wait(15) == 0
