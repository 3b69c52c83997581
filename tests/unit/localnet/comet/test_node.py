"""The supervisor, with a program that only waits in CometBFT's place."""

import json
import os
import resource
import signal
import subprocess
import sys
from itertools import pairwise
from threading import Event, Thread

import pytest

from conformance.kit.abci_client import Client
from localnet.comet import single_node
from localnet.comet.application import _take_descriptors
from localnet.comet.homes import validator_homes
from localnet.comet.node import main, supervise
from localnet.comet.validator import (
    APP,
    COMET,
    HaltDetector,
    ValidatorProcesses,
    exit_reason,
    log_since,
    reset_interrupted_sync,
)
from localnet.errors import ValidatorFailed
from localnet.network import Network, NetworkPlan
from localnet.process.startup import HomeLock
from localnet.settings import read_node
from tests.waiting import runs, until


@pytest.fixture
def chain(tmp_path):
    network = Network("n1", tmp_path)
    network.create(NetworkPlan(chains=1, validators=2, consensus="cometbft"))
    return network.folder / "n1-a-1"


def waiting_program(folder):
    path = folder / "cometbft"
    path.write_text("#!/bin/sh\nexec sleep 600\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def program(tmp_path):
    return waiting_program(tmp_path)


@pytest.fixture
def home(chain):
    return validator_homes(chain, read_node(chain))[0]


@pytest.fixture
def no_ports(home):
    """The application takes no port, which somebody else could have taken when it comes back."""
    path = home / "app.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "grpc_port": 0}))


@pytest.fixture
def validator(home, program):
    validator = ValidatorProcesses(home, program)
    yield validator
    validator.stop()


def pid(home, name):
    try:
        text = (home / f"{name}.pid").read_text()
    except FileNotFoundError:  # or it goes just now
        return None
    return int(text) if text else None  # empty while it is being written


def looked(validator, true):
    def step():
        validator.restart_exited()
        return true()

    until(step)


def test_what_is_killed_comes_back_and_both_leave_nothing_when_stopped(validator, home, program):
    """An application takes CometBFT along, which over gRPC waits for it for ever, at SIGTERM too."""
    validator.start()
    app, comet = pid(home, APP), pid(home, COMET)
    program.write_text("#!/bin/sh\ntrap '' TERM\nwhile :; do sleep 0.05; done\n")
    os.kill(comet, signal.SIGKILL)
    looked(validator, lambda: pid(home, COMET) not in {None, comet})
    assert pid(home, APP) == app

    comet = pid(home, COMET)
    program.write_text("#!/bin/sh\nexec sleep 600\n")
    os.kill(app, signal.SIGKILL)
    looked(validator, lambda: pid(home, COMET) not in {None, comet})
    assert pid(home, APP) not in {None, app}
    assert not runs(comet)

    ids = pid(home, APP), pid(home, COMET)
    assert all(map(runs, ids))
    validator.stop()
    assert not any(map(runs, ids))
    assert (pid(home, APP), pid(home, COMET)) == (None, None)
    assert "stopped at height 0" in (home / "app.log").read_text()


def test_what_keeps_ending_is_started_ever_later(home, program, monkeypatch):
    program.write_text("#!/bin/sh\nexit 3\n")
    now = [1000.0]
    monkeypatch.setattr("localnet.comet.validator.time.monotonic", lambda: now[0])
    validator = ValidatorProcesses(home, program)
    starts = []
    monkeypatch.setattr(validator, "start", lambda start=validator.start: (starts.append(now[0]), start()))
    validator.start()
    for _ in range(60):
        if COMET in validator._processes:
            validator._processes[COMET].wait()
        validator.restart_exited()
        now[0] += 0.25
    validator.stop()
    gaps = [late - early for early, late in pairwise(starts)]
    assert [round(gap, 2) for gap in gaps[:4]] == [0.25, 1.25, 5.25, 5.25]


def test_one_that_does_not_come_back_is_tried_again_and_the_others_go_on(home, no_ports, program, caplog):
    validator = ValidatorProcesses(home, program)
    validator.start()
    told = (home / "app.json").read_text()
    (home / "app.json").write_text("{")
    try:
        os.kill(pid(home, APP), signal.SIGKILL)
        looked(validator, lambda: "truncated" in caplog.text)
        assert pid(home, APP) is None
        (home / "app.json").write_text(told)
        looked(validator, lambda: pid(home, APP) and pid(home, COMET))
    finally:
        validator.stop()


def killed_while_it_starts(home):
    until(lambda: pid(home, APP))
    os.kill(pid(home, APP), signal.SIGKILL)


def test_a_kill_while_an_application_starts_is_a_kill_like_any_other(validator, home, no_ports):
    stopping = Event()
    validator.launch()
    killed_while_it_starts(home)
    keeper = Thread(target=supervise, args=([validator], stopping))
    keeper.start()
    try:
        until(lambda: pid(home, APP) and pid(home, COMET))
        os.kill(pid(home, APP), signal.SIGKILL)
        until(lambda: pid(home, APP) is None)
        killed_while_it_starts(home)
        until(lambda: pid(home, APP) and pid(home, COMET), 30)
        assert keeper.is_alive()
    finally:
        stopping.set()
        keeper.join()


def test_a_cut_short_state_sync_begins_anew_and_keeps_what_was_signed(validator, home, program):
    panic = "state (60) and store (0) height mismatch, stores were left in an inconsistent state"
    program.write_text(
        f"#!/bin/sh\ntest -d data/blockstore.db || exec sleep 600\necho 'panic: {panic}'\nexit 2\n"
    )
    for folder in ("blockstore.db", "state.db", "cs.wal"):
        (home / "data" / folder).mkdir()
    validator.start()
    looked(validator, lambda: not (home / "data" / "state.db").exists())
    looked(validator, lambda: pid(home, COMET))
    assert [path.name for path in (home / "data").iterdir()] == ["priv_validator_state.json"]


@pytest.mark.parametrize(
    "panic",
    [
        "panic: state (60) and store (59) height mismatch, stores were left in an inconsistent state",
        'I[...] peer said module=p2p text="panic: state (6) and store (0) height mismatch"',
        "panic: leveldb: corrupted",
    ],
)
def test_any_other_panic_removes_nothing(home, panic):
    (home / "data" / "state.db").mkdir()
    assert not reset_interrupted_sync(home, panic)
    assert (home / "data" / "state.db").exists()


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("I[..] starting\npanic: state\n\ngoroutine 1 [running]:\n\t/node.go:3", "panic: state"),
        (
            "I[..]\nERROR: failed to start node: address already in use\nUsage:\n  -h",
            "ERROR: failed to start node: address already in use",
        ),
        ("one\ntwo", "two"),
        ("", ""),
    ],
)
def test_the_line_that_tells_why(said, why):
    assert exit_reason(said) == why


def test_a_cometbft_that_lives_on_after_its_consensus_failed_is_started_again(
    validator, home, program, caplog
):
    failure = 'E[..] CONSENSUS FAILURE!!! module=consensus err="no space left on device" stack="goroutine'
    program.write_text(f"#!/bin/sh\ntest -e again || echo '{failure}'\ntouch again\nexec sleep 600\n")
    validator.start()
    first = pid(home, COMET)
    looked(validator, lambda: pid(home, COMET) not in {None, first})
    assert not runs(first)
    assert "no space left on device" in caplog.text
    validator.restart_exited()
    assert caplog.text.count("consensus has failed") == 1


def test_a_halt_is_seen_once_however_it_is_cut(tmp_path):
    log, line = tmp_path / "log", b"E[..] CONSENSUS FAILURE!!! err=x\n"
    for at in range(len(line)):
        log.write_bytes(line)
        watch = HaltDetector(log, len(line))  # what an earlier process said
        assert not watch.halted()
        with log.open("ab") as file:
            file.write(b"I[..]\n" + line[:at])
            file.flush()
            early = watch.halted()
            file.write(line[at:])
        assert [early, watch.halted()] in ([True, False], [False, True], [True, True])
        assert not watch.halted()


def test_only_what_a_process_said_since_its_start_counts(tmp_path):
    log = tmp_path / "log"
    log.write_bytes(b"panic: old\n\xff new\n")
    assert log_since(log, 11) == "\ufffd new"
    assert log_since(log, 99) == "panic: old\n\ufffd new"  # somebody emptied it meanwhile
    log.write_bytes(b"x" * 100_000)
    assert len(log_since(log, 0)) == 1 << 16


def test_an_application_that_cannot_start_says_why(validator, home):
    (home / "app.json").write_text("{")
    with pytest.raises(ValidatorFailed, match="exited with code 2") as caught:
        validator.start()
    assert "truncated" in caught.value.log
    assert pid(home, COMET) is None


STARTER = """
import subprocess, sys, time
command = [sys.executable, "-m", "localnet.comet.application", sys.argv[1], "--until-eof"]
child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
print(child.pid, child.stdout.readline().decode(), flush=True)
time.sleep(100)
"""


def test_the_application_ends_with_who_started_it(home):
    parent = subprocess.Popen([sys.executable, "-c", STARTER, str(home)], stdout=subprocess.PIPE)
    child, word = parent.stdout.readline().split()
    assert word == b"listening"
    assert runs(int(child))
    parent.kill()
    parent.wait()
    parent.stdout.close()
    until(lambda: not runs(int(child)))


@pytest.fixture(scope="module")
def deep_home(tmp_path_factory):
    """The home of a running validator, whose path is longer than that of a socket may be."""
    folder = tmp_path_factory.mktemp("deep")
    network = Network("n1", folder / ("d" * 120))
    network.create(NetworkPlan(chains=1, validators=1, consensus="cometbft"))
    home = network.folder / "n1-a-1" / "v0"
    validator = ValidatorProcesses(home, waiting_program(folder))
    try:
        validator.start()
        yield home
    finally:
        validator.stop()


def test_a_deep_home_still_has_a_socket(deep_home, monkeypatch):
    assert len(str(deep_home / "app.sock")) > 108
    monkeypatch.chdir(deep_home)
    Client("unix://app.sock").close()


def test_one_home_has_one_application_and_one_supervisor(deep_home):
    done = subprocess.run(
        [sys.executable, "-m", "localnet.comet.application", str(deep_home)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "a node is already running at" in done.stderr
    chain = deep_home.parent
    owned = HomeLock(chain)
    assert main([str(chain)]) == 2
    owned.release()
    assert main([]) == 2
    assert main([str(chain / "nowhere")]) == 2


def test_a_single_validator_has_a_supervisor_of_its_own(home, no_ports, program, tmp_path, caplog):
    assert single_node.main([]) == 2
    assert single_node.main([str(tmp_path / "nowhere")]) == 2
    assert "app.json" in caplog.text
    program.write_text("#!/bin/sh\ntest $1 != version || exec echo 0.38.26\nexec sleep 600\n")
    command = [sys.executable, "-m", "localnet.comet.single_node", str(home)]
    environment = {**os.environ, "COMETBFT": str(program)}
    with subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL) as process:
        until(lambda: pid(home, APP) and pid(home, COMET))
        ids = pid(home, APP), pid(home, COMET)
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0
    assert not any(map(runs, ids))


def test_an_application_takes_the_descriptors_that_it_may(monkeypatch):
    told = []
    monkeypatch.setattr(resource, "setrlimit", lambda _, limits: told.append(limits))
    infinite = resource.RLIM_INFINITY
    for had in [
        (256, infinite),
        (1024, 4096),
        (1024, 10**6),
        (10**6, 10**6),
        (65_536, infinite),
        (infinite, infinite),
    ]:
        monkeypatch.setattr(resource, "getrlimit", lambda _, had=had: had)
        _take_descriptors()
    assert told == [(65_536, infinite), (4096, 4096), (65_536, 10**6)]
