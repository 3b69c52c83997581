"""Alert command: run once for each packet or client and state, without a shell, with a timeout."""

import errno
import json
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from pyibc.indexer.chains.progress import Tip
from pyibc.indexer.files import StateFolder
from tests.unit.pyibc.indexer.live.conftest import make_live

KEEP = "import sys; open(sys.argv[1], 'a').write(sys.stdin.read() + '\\n')"


@pytest.fixture
def alerts(tmp_path):
    """Set up alerts with a command; `told` reads the input of its runs, `failures` has how they ended."""
    from pyibc.indexer.live.alerts import Alerts, AlertSettings

    file = tmp_path / "told"
    failures = []

    def new():
        return Alerts(
            AlertSettings([sys.executable, "-c", KEEP, str(file)]), tmp_path, lambda _: None, failures.append
        )

    return SimpleNamespace(
        new=new,
        told=lambda: [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else [],
        recorded=lambda: json.loads((tmp_path / "alerted.json").read_text()),
        failures=failures,
    )


ODD = "$(touch {0}/pwned); `touch {0}/pwned` | touch {0}/pwned"


@pytest.fixture(scope="module")
def stuck(tmp_path_factory):
    """Outcome of a run of the index with twelve stuck packets, on a channel with an odd name."""
    folder = tmp_path_factory.mktemp("stuck")
    live = make_live(folder)
    odd = {"src": ("transfer", ODD.format(folder)), "dst": ("transfer", "-rf")}
    for sequence in range(20, 32):
        live.chains.event("a-1", 42, "send_packet", sequence, until=43 * 10**9, **odd)
    live.put(("a-1", 42), ("a-1", 43), ("a-1", 44), ("b-1", 44))
    live.look()
    return live.board.read().last.outcome, folder


def with_stuck(outcome, count):
    """Keep the first `count` stuck packets of an outcome."""
    answers = outcome.answers
    return outcome._replace(answers=answers._replace(stuck=answers.stuck[:count]))


def test_an_alert_is_told_once_also_after_a_restart_and_again_if_it_recurs(alerts, stuck):
    none, one, two = (with_stuck(stuck[0], count) for count in range(3))
    found = alerts.new()
    found(none)
    assert alerts.told() == []
    found(one)
    ((alert,),) = [each["alerts"] for each in alerts.told()]
    assert (alert["kind"], alert["src_chain"], alert["sequence"]) == ("stuck", "a-1", 20)
    assert (alert["send_time"], alert["expires_time"], alert["received"]) == (42.0, 43.0, None)
    assert alerts.recorded() == [alert["key"]]
    found(one)
    found = alerts.new()
    found(one)
    found(two)
    assert [[each["sequence"] for each in run["alerts"]] for run in alerts.told()] == [[20], [21]]
    found(none)
    assert alerts.recorded() == []
    found(one)
    assert [len(run["alerts"]) for run in alerts.told()] == [1, 1, 1]
    assert alerts.failures == [False] * 3


@pytest.mark.parametrize("restarts", [False, True])
def test_an_alert_whose_command_failed_is_told_again(alerts, stuck, tmp_path, restarts):
    command = [sys.executable, "-c", "import sys; raise SystemExit(3)"]
    outcome = with_stuck(stuck[0], 2)
    found = alerts.new()
    works, found._settings = found._settings, found._settings._replace(command=command)
    found(outcome)
    assert (alerts.failures, alerts.told(), (tmp_path / "alerted.json").exists()) == ([True], [], False)
    if restarts:
        found = alerts.new()
    found._settings = works
    found(outcome)
    found(outcome)
    assert [[each["sequence"] for each in run["alerts"]] for run in alerts.told()] == [[20, 21]]
    assert alerts.failures == [True, False]


def test_an_alert_is_not_repeated_because_it_cannot_be_recorded(alerts, stuck, monkeypatch):
    def is_full(folder, name, content):
        raise OSError(errno.ENOSPC, "No space left on device")

    found = alerts.new()
    monkeypatch.setattr(StateFolder, "write", is_full)
    with pytest.raises(OSError, match="No space left"):
        found(with_stuck(stuck[0], 1))
    found(with_stuck(stuck[0], 1))
    assert len(alerts.told()) == 1


def test_h119_nothing_of_a_chain_s_reaches_a_shell_or_the_arguments(alerts, stuck):
    outcome, folder = stuck
    alerts.new()(with_stuck(outcome, 1))
    ((alert,),) = [each["alerts"] for each in alerts.told()]
    assert (alert["src_channel"], alert["dst_channel"]) == (ODD.format(folder), "-rf")
    assert not (folder / "pwned").exists()


def test_h119_a_flood_is_one_run_of_the_command_at_a_time(alerts, stuck, monkeypatch):
    from pyibc.indexer.live import alerts as module

    monkeypatch.setattr(module, "ALERTS_PER_RUN", 5)
    found = alerts.new()
    found(stuck[0])
    assert [(len(each["alerts"]), each["waiting"]) for each in alerts.told()] == [(5, 7)]
    for _ in range(3):
        found(stuck[0])
    assert [len(each["alerts"]) for each in alerts.told()] == [5, 5, 2]
    keys = [alert["key"] for each in alerts.told() for alert in each["alerts"]]
    assert len(set(keys)) == 12


def test_h119_a_command_that_does_not_end_is_ended_with_all_it_started(tmp_path):
    from pyibc.indexer.live.alerts import run_command

    child = f"import time, os; open({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid())); time.sleep(600)"
    code = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}])"
    began = time.monotonic()
    answer = run_command([sys.executable, "-c", code], b"x" * 10**6, 2.0)
    assert answer == "did not end within 2 s"
    assert time.monotonic() - began < 60
    if (tmp_path / "pid").exists():
        assert not _runs(int((tmp_path / "pid").read_text()))


def _runs(pid):
    end = time.monotonic() + 10
    while time.monotonic() < end:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except FileNotFoundError:
            return False
        if state == "Z":
            return False
        time.sleep(0.05)
    return True


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        (["/no/such/program"], "cannot be started: No such file or directory"),
        ([sys.executable, "-c", "raise SystemExit(7)"], "exited with code 7"),
        ([sys.executable, "-c", "import sys; sys.stdin.close()"], ""),
    ],
)
def test_how_a_command_ends(command, answer):
    from pyibc.indexer.live.alerts import run_command

    assert run_command(command, b"y" * 10**6, 30.0) == answer


def test_a_command_that_fails_is_told_and_counted_and_the_round_stands(looked):
    from pyibc.indexer.live.alerts import Alerts, AlertSettings

    settings = AlertSettings(["/no/such/program"])
    looked.follower.found = Alerts(
        settings, looked.out, looked.told.append, lambda failed: looked.board.alerted(failed=failed)
    )
    looked.chains.event("a-1", 42, "send_packet", 20, until=43 * 10**9)
    looked.put(("a-1", 42), ("a-1", 43), ("a-1", 44), ("b-1", 44))
    assert looked.look()
    assert (
        looked.told[-1] == "the alert command /no/such/program cannot be started: No such file or directory"
    )
    assert looked.numbers()["ibc_index_alert_failures_total"] == 1
    assert looked.board.read().error == ""


class Client:
    chain, client, claimed_chain, channels, packets = "a-1", "07-tendermint-0", "b-1", 1, 0
    expires = 1_000 * 10**6
    misbehaved = False


@pytest.mark.parametrize(
    ("now", "within", "channels", "keys"),
    [
        (900, 99.0, 1, []),
        (900, 100.0, 1, ["expiring a-1 07-tendermint-0"]),
        (1_000, 0.0, 1, ["expired a-1 07-tendermint-0"]),
        (1_000, 0.0, 0, []),  # not in use
    ],
)
def test_clients_expire_by_their_own_chain_s_clock(stuck, now, within, channels, keys):
    from pyibc.indexer.live.alerts import EXPIRING, concerns

    outcome = with_stuck(stuck[0], 0)
    client = Client()
    client.channels = channels
    tables = outcome.answers.tables._replace(clients=[client])
    tips = {"a-1": Tip("a-1", 5, now * 10**9)}
    changed = outcome._replace(answers=outcome.answers._replace(tables=tables), tips=tips)
    found = concerns(changed, within)
    assert [each.key for each in found] == keys
    assert {each.kind for each in found} <= {EXPIRING}
    assert all(each.fields["left_s"] == 1_000 - now for each in found)


@pytest.mark.parametrize("content", ["{cut", '{"a": 1}', "[7]"])
def test_a_file_that_is_damaged_tells_again_rather_than_never(alerts, stuck, tmp_path, content):
    outcome = with_stuck(stuck[0], 1)
    alerts.new()(outcome)
    (tmp_path / "alerted.json").write_text(content)
    alerts.new()(outcome)
    assert len(alerts.told()) == 2
    assert len(alerts.recorded()) == 1
