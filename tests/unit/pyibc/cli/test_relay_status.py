"""Status of a running daemon, as tables and as JSON."""

import json
import time
from http import HTTPStatus
from io import StringIO

import pytest
from click.testing import CliRunner
from rich.console import Console

from pyibc.cli.relay import command
from pyibc.cli.relay.status import ask, view
from pyibc.http.server import Response, Server
from pyibc.relayer.chain.values import Tip
from pyibc.relayer.daemon.chain_watch import ChainStatus
from pyibc.relayer.daemon.exposition import DaemonSnapshot, health
from pyibc.relayer.daemon.troubles import troubles_of
from pyibc.relayer.daemon.worker import WorkerState, WorkerStatus
from pyibc.relayer.metrics import ClientExpiry, Metrics
from pyibc.relayer.packets.backlog import PendingCount
from pyibc.relayer.rpc.pool_node import NodeState, NodeStatus

NOW_S, DAY_S = 1_700_000_000, 86_400


def expiry(client: str, left_s: float, trusting_s: int = 14 * DAY_S) -> ClientExpiry:
    return ClientExpiry("a-1", client, "b-2", int(NOW_S + left_s) * 10**9, trusting_s * 10**9)


WELL = WorkerStatus(
    "a-1/channel-0/b-2",
    WorkerState.RELAYING,
    "",
    0,
    Metrics(
        delivered=11,
        acknowledged=12,
        timed_out=13,
        held={"recv 1": "dear"},
        expiries=(expiry("07-tendermint-4", 9.5 * DAY_S), expiry("c", 13 * DAY_S)),
    ),
    (PendingCount("a-1", "b-2", "transfer/channel-0", 14, 3),),
)
BAD = WorkerStatus(
    "a-1/channel-1/c-3", WorkerState.WAITING, "c-3: [red]is\x1b[2J down", 4, Metrics(given_up={"x": "y"}), ()
)
A = ChainStatus(
    "a-1",
    True,
    "",
    Tip(77, 1),
    "uatom",
    (("cosmos1x", 1_234), ("cosmos1y", 5)),
    nodes=(
        NodeStatus("http://x", NodeState.IN_USE, 1_700_000_000.0, "", 77, 0.0),
        NodeStatus("http://y", NodeState.DROPPED, 1_700_000_000.0, "it \x1blies", 0, 1_700_000_060.0),
        NodeStatus("http://z", NodeState.LAST, 1_700_000_000.0, "is behind", 70, 1_700_000_060.0),
    ),
)
C = ChainStatus("c-3", False, "no node answers")


@pytest.fixture
def daemon():
    """Serve a daemon's status; return its address."""
    running = []

    def serve(links, chains):
        well, body = health(DaemonSnapshot(links, chains, [*troubles_of(links, chains)]))
        status = HTTPStatus.OK if well else HTTPStatus.SERVICE_UNAVAILABLE
        routes = {"/health": lambda _: Response(status, "application/json", body)}
        server = Server(routes, "127.0.0.1", 0, "default-src 'none'")
        server.start()
        running.append(server)
        return server.url.removeprefix("http://")

    yield serve
    for server in running:
        server.stop()


def shown(found):
    console = Console(width=100, record=True, file=StringIO())
    console.print(view(found, NOW_S))
    return console.export_text()


def test_paths_and_chains_are_shown_with_what_is_wrong(daemon):
    where = daemon([WELL, BAD], [A, C])
    lines = shown(ask(where)).splitlines()
    well = next(line for line in lines if "channel-0" in line)
    assert well.split() == ["a-1/channel-0/b-2", "relaying", "14", "1", "0", "11", "12", "13", "9d", "12h"]
    bad = [line for line in lines if "channel-1" in line]
    assert bad[0].split()[1:5] == ["waiting", "0", "0", "1"]
    assert bad[1].startswith("path a-1/channel-1/c-3, since 1970-01-01 00:00:00 UTC: c-3: [red]is")
    assert "\x1b" not in "".join(lines)
    assert [line.count("uatom") for line in lines if "cosmos1" in line] == [1, 1]
    assert "1234 uatom" in next(line for line in lines if "cosmos1x" in line)
    assert [line.split()[1:4] for line in lines if line.split()[:1] == ["a-1"] and "http" in line] == [
        ["http://x", "in", "use"],
        ["http://y", "dropped", time.strftime("%H:%M:%S", time.localtime(1_700_000_000))],
        ["http://z", "asked", "last"],
    ]
    assert [line.strip() for line in lines if "lies" in line or "behind" in line] == [
        r"node a-1 http://y, since 2023-11-14 22:13:20 UTC: it \x1blies",
        "http://z: is behind",
    ]
    told = [line.strip().partition(", since 1970-01-01 00:00:00 UTC: ") for line in lines]
    assert ("chain c-3", "no node answers") in [(what, reason) for what, _, reason in told]
    done = CliRunner().invoke(command, ["status", "--listen", where])
    assert (done.exit_code, "channel-0" in done.output) == (3, True)


def test_channels_that_are_left_out_are_shown_with_their_reasons(daemon):
    left = {"left_out": 3, "left_out_reasons": {"transfer/channel-7": "other terms\x1b"}}
    lines = [line.strip() for line in shown(ask(daemon([WELL._replace(**left)], [A]))).splitlines()]
    assert any(line.startswith(f"{WELL.name}: transfer/channel-7 is left out: other terms") for line in lines)
    assert f"{WELL.name}: 3 channels are left out in all" in lines


@pytest.mark.parametrize(
    ("left_s", "cell", "sentence"),
    [
        (5 * DAY_S, "5d 0h", ""),
        (3 * DAY_S, "3d 0h", "a-1/channel-0/b-2: c on a-1 expires in 3d 0h: its updates fail"),
        (3_700, "1h 1m", "a-1/channel-0/b-2: c on a-1 expires in 1h 1m: its updates fail"),
        (59, "0m", "a-1/channel-0/b-2: c on a-1 expires in 0m: its updates fail"),
        (-1, "expired", "a-1/channel-0/b-2: c on a-1 is expired"),
    ],
)
def test_the_time_until_a_client_expires_is_shown(left_s, cell, sentence):
    link = WELL._replace(metrics=Metrics(expiries=(expiry("c", left_s), expiry("d", 14 * DAY_S))))
    found = json.loads(health(DaemonSnapshot([link], [A]))[1])
    lines = [line.strip() for line in shown(found).splitlines()]
    assert next(line for line in lines if "relaying" in line).endswith(f" {cell}")
    assert [line for line in lines if " on a-1" in line] == [sentence] * bool(sentence)
    del found["paths"][0]["clients"]  # a daemon of an earlier version
    assert cell not in shown(found)


def test_as_json_and_the_exit_code_of_a_daemon_that_is_well(daemon, tmp_path):
    where = daemon([WELL], [A])
    done = CliRunner().invoke(command, ["status", "--json", "--listen", where])
    assert done.exit_code == 0
    found = json.loads(done.output)
    assert (found["well"], found["paths"][0]["held"], found["chains"][0]["height"]) == (True, 1, 77)
    file = tmp_path / "relayer.toml"
    file.write_text(f'chains = []\npaths = []\n[relayer]\nlisten = "{where}"\n')
    assert CliRunner().invoke(command, ["status", "--config", str(file)]).exit_code == 0


def test_without_a_daemon_that_is_said(daemon, tmp_path):
    file = tmp_path / "relayer.toml"
    file.write_text('chains = []\npaths = []\n[relayer]\nlisten = "127.0.0.1:0"\n')
    unknown = CliRunner().invoke(command, ["status", "--config", str(file)])
    assert (unknown.exit_code, "the daemon's address is not known" in unknown.output) == (2, True)
    both = CliRunner().invoke(command, ["status", "--live", "--json", "--listen", "127.0.0.1:1"])
    assert (both.exit_code, "cannot be combined with --json" in both.output) == (2, True)
    nobody = CliRunner().invoke(command, ["status", "--listen", "127.0.0.1:1"])
    assert nobody.exit_code == 1


@pytest.mark.parametrize(
    "body",
    [
        b"[1]",
        b"{",
        b"\xff",
        b"[" * 100_000,
        b'{"well": true, "paths": [{}], "chains": []}',
        b'{"well": true, "paths": [], "chains": [{"chain": "a-1", "up": true}]}',
        b'{"well": "yes", "paths": [], "chains": []}',
    ],
    ids=range(7),
)
def test_who_answers_there_may_be_no_daemon(body):
    routes = {"/health": lambda _: Response(HTTPStatus.OK, "text/plain", body)}
    server = Server(routes, "127.0.0.1", 0, "")
    server.start()
    with pytest.raises(OSError, match="not a daemon of this relayer"):
        ask(server.url.removeprefix("http://"))
    server.stop()


def test_live_shows_it_again_and_again_until_interrupted(daemon, monkeypatch):
    where, pauses = daemon([WELL], [A]), []

    def pause(seconds):
        pauses.append(seconds)
        if len(pauses) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr("pyibc.cli.relay.status.time.sleep", pause)
    done = CliRunner().invoke(command, ["status", "--live", "--interval", "0.5", "--listen", where])
    assert (done.exit_code, pauses) == (0, [0.5] * 3)
    assert "channel-0" in done.output


def test_error_acknowledgements_are_shown_beside_the_others(daemon):
    refused = WELL._replace(name="a/b", metrics=Metrics(acknowledged=5, failed=5))
    [row] = [line for line in shown(ask(daemon([refused], [A]))).splitlines() if "a/b" in line]
    assert "5 (5 failed)" in row
