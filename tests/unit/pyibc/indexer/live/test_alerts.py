"""Alert command: run once for each packet or client and state, without a shell, with a timeout."""

import json
import sys
import time
from pathlib import Path

import pytest

from pyibc.indexer.chains.progress import Tip

KEEP = "import sys; open(sys.argv[1], 'a').write(sys.stdin.read() + '\\n')"


@pytest.fixture
def told(live, tmp_path):
    """Set up alerts of the live index; return a function that reads the input of the command."""
    from pyibc.indexer.live.alerts import Alerts, AlertSettings

    file = tmp_path / "told"
    failures = []

    def new():
        settings = AlertSettings([sys.executable, "-c", KEEP, str(file)])
        return Alerts(settings, live.out, live.told.append, failures.append)

    live.follower.found = new()
    live.again = lambda: setattr(live.follower, "found", new())
    live.failures = failures
    return lambda: [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def stick(live, sequence, height=42, **more):
    live.chains.event("a-1", height, "send_packet", sequence, until=(height + 1) * 10**9, **more)


def test_a_stuck_packet_is_told_once_also_after_a_restart(live, told):
    live.look()
    assert told() == []
    stick(live, 20)
    live.put(("a-1", 42), ("a-1", 43), ("a-1", 44), ("b-1", 44))
    live.look()
    ((alert,),) = [each["alerts"] for each in told()]
    assert (alert["kind"], alert["src_chain"], alert["sequence"]) == ("stuck", "a-1", 20)
    assert (alert["send_time"], alert["expires_time"], alert["received"]) == (42.0, 43.0, None)
    live.put(("a-1", 45), ("b-1", 45))
    live.look()
    live.again()
    live.put(("a-1", 46))
    live.look()
    assert len(told()) == 1
    stick(live, 21, 47)
    live.put(("a-1", 47), ("a-1", 48), ("a-1", 49), ("b-1", 49))
    live.look()
    assert [[each["sequence"] for each in one["alerts"]] for one in told()] == [[20], [21]]
    assert live.failures == [False, False]


def test_what_is_done_is_forgotten(live, told):
    stick(live, 20)
    live.put(("a-1", 42), ("a-1", 43), ("a-1", 44), ("b-1", 44))
    live.look()
    key = json.loads((live.out / "alerted.json").read_text())
    assert len(key) == 1
    live.chains.event("a-1", 46, "timeout_packet", 20)
    live.put(("a-1", 45), ("a-1", 46))
    live.look()
    assert json.loads((live.out / "alerted.json").read_text()) == []


def test_h119_nothing_of_a_chain_s_reaches_a_shell_or_the_arguments(live, told, tmp_path):
    bad = f"$(touch {tmp_path}/pwned); `touch {tmp_path}/pwned` | touch {tmp_path}/pwned"
    stick(live, 20, src=("transfer", bad), dst=("transfer", "-rf"))
    live.put(("a-1", 42), ("a-1", 43), ("a-1", 44))
    live.look()
    ((alert,),) = [each["alerts"] for each in told()]
    assert alert["src_channel"] == bad
    assert not (tmp_path / "pwned").exists()


def test_h119_a_flood_is_one_run_of_the_command_at_a_time(live, told, monkeypatch):
    from pyibc.indexer.live import alerts as module

    monkeypatch.setattr(module, "ALERTS_PER_RUN", 5)
    for sequence in range(20, 32):
        stick(live, sequence)
    live.put(("a-1", 42), ("a-1", 43), ("a-1", 44), ("b-1", 44))
    live.look()
    assert [(len(each["alerts"]), each["waiting"]) for each in told()] == [(5, 7)]
    for height in (45, 46, 47):
        live.put(("a-1", height))
        live.look()
    assert [len(each["alerts"]) for each in told()] == [5, 5, 2]
    keys = [alert["key"] for each in told() for alert in each["alerts"]]
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


def test_a_command_that_fails_is_told_and_counted_and_the_round_stands(live):
    from pyibc.indexer.live.alerts import Alerts, AlertSettings

    settings = AlertSettings(["/no/such/program"])
    live.follower.found = Alerts(
        settings, live.out, live.told.append, lambda failed: live.board.alerted(failed=failed)
    )
    stick(live, 20)
    live.put(("a-1", 42), ("a-1", 43), ("a-1", 44), ("b-1", 44))
    assert live.look()
    assert live.told[-1] == "the alert command /no/such/program cannot be started: No such file or directory"
    assert live.numbers()["ibc_index_alert_failures_total"] == 1
    assert live.board.read().error == ""


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
def test_clients_expire_by_their_own_chain_s_clock(live, now, within, channels, keys):
    from pyibc.indexer.live.alerts import EXPIRING, STUCK, concerns

    live.look()
    outcome = live.board.read().last.outcome
    client = Client()
    client.channels = channels
    tables = outcome.answers.tables._replace(clients=[client])
    tips = {"a-1": Tip("a-1", 5, now * 10**9)}
    changed = outcome._replace(answers=outcome.answers._replace(tables=tables), tips=tips)
    found = concerns(changed, within)
    assert [each.key for each in found] == keys
    assert {each.kind for each in found} <= {STUCK, EXPIRING}
    assert all(each.fields["left_s"] == 1_000 - now for each in found)


def test_a_file_that_is_damaged_tells_again_rather_than_never(live, told):
    stick(live, 20)
    live.put(("a-1", 42), ("a-1", 43), ("a-1", 44), ("b-1", 44))
    live.look()
    (live.out / "alerted.json").write_text("{cut")
    live.again()
    live.put(("a-1", 45))
    live.look()
    assert len(told()) == 2
    assert len(json.loads((live.out / "alerted.json").read_text())) == 1
