"""Errors of commands in one sentence, with their causes under --verbose."""

import errno
import logging
import os
import signal
import socket
import threading

import click
import pytest
from click.testing import CliRunner

from localnet.attestor import AttestorServer
from localnet.errors import NodeFailed
from pyibc.cli import demo
from pyibc.cli.demo import command as demo_command
from pyibc.cli.reporting import reporting, sentence_of
from pyibc.cli.spark import keeping_interrupts
from pyibc.indexer.errors import EngineFailed
from pyibc.indexer.spark.java import find_java
from pyibc.relayer.errors import EndpointRefused, EndpointUnavailable, TransactionFailed
from pyibc.relayer.rpc.client import RpcConfig
from pyibc.relayer.rpc.pool import RpcPool

RAW = "c-1: /q/Simulate: 6 rpc error: code = Unknown desc = no channel-9 with gas used: '7': unknown request"


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (
            TransactionFailed("c-1", "a transfer", "simulation/1", f"not sent, simulation failed: {RAW}"),
            "c-1 refused a transfer: no channel-9",
        ),
        (TransactionFailed("c-1", "a transfer", "sdk/5", ""), "c-1 refused a transfer: sdk/5"),
        (
            EndpointRefused("c-1", "/q", "6 rpc error: code = NotFound desc = no account"),
            "c-1 refused the query: no account",
        ),
        (NodeFailed("c-1", "exited with code 1", "one\nport taken\n"), "c-1: exited with code 1: port taken"),
        (
            NodeFailed("c-1", "exited with code 2", "2026-11-28 15:58:38,404 ERROR node.json: plugins: none"),
            "c-1: exited with code 2: node.json: plugins: none",
        ),
        (OSError(errno.ENOSPC, "No space left on device", "/x"), "/x: the disk is full"),
        (
            OSError(errno.EACCES, os.strerror(errno.EACCES), "/x"),
            "/x: permission denied: change its permissions (chmod), or choose another place",
        ),
        (OSError(errno.EACCES, "of a program", "/x"), "/x: of a program"),
        (KeyError("no wallet bob"), "no wallet bob"),
        (RuntimeError(), "RuntimeError"),
    ],
)
def test_an_error_is_one_sentence(error, sentence):
    assert sentence_of(error) == sentence


@click.command()
@reporting((OSError, TransactionFailed), wrong_use=ValueError)
def failing():
    """Fail."""
    raise TransactionFailed("c-1", "it", "sdk/5", RAW) from ValueError("below")


def test_the_causes_are_shown_with_verbose_alone():
    plain, verbose = (CliRunner().invoke(failing, words) for words in ([], ["--verbose"]))
    assert (plain.exit_code, verbose.exit_code) == (1, 1)
    assert plain.stderr == "error: c-1 refused it: no channel-9\n"
    assert verbose.stderr.splitlines() == [
        "error: c-1 refused it: no channel-9",
        f"cause: TransactionFailed: c-1 refused it: sdk/5 {RAW}",
        "cause: ValueError: below",
    ]


def test_a_port_that_is_taken_is_named():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(OSError, match="in use") as caught:
            AttestorServer(lambda *_: b"", port)
    assert sentence_of(caught.value).startswith(f"127.0.0.1:{port}: the address is in use: ")


def unused_port():
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]


def test_a_node_that_is_not_there_is_named_once_without_the_number_of_an_error():
    url = f"http://127.0.0.1:{unused_port()}"
    with pytest.raises(EndpointUnavailable) as caught:
        RpcPool.over([url], chain_id="", config=RpcConfig(attempts=1)).call("status")
    assert str(caught.value) == f"{url}: the node does not answer: connection refused"


# -- Spark


@pytest.fixture
def no_java(monkeypatch, tmp_path):
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))


def test_the_demo_looks_for_java_before_it_runs_the_chains(no_java, monkeypatch, tmp_path):
    monkeypatch.setattr(demo, "SCENARIOS", {"channel": lambda *_: pytest.fail("the chains ran")})
    out = tmp_path / "out"
    done = CliRunner().invoke(demo_command, ["--out", str(out)])
    assert done.exit_code == 1
    assert done.stderr.startswith("Error: Spark cannot start, ")
    assert "install a Java 17+ runtime" in done.stderr
    assert not out.exists()


def test_an_index_without_java_says_so(no_java, monkeypatch):
    session = pytest.importorskip("pyibc.indexer.spark.session")
    monkeypatch.setattr(session.SparkContext, "_gateway", None)
    with pytest.raises(EngineFailed) as caught:
        session.open_session()
    assert "is no Java that runs: install a Java 17+" in str(caught.value)


@pytest.mark.parametrize(("said", "version", "is_fit"), [("21.0.4", 21, True), ("1.8.0_422", 8, False)])
def test_the_version_of_java_is_read(monkeypatch, tmp_path, said, version, is_fit):
    program = tmp_path / "bin" / "java"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\necho 'openjdk version \"{said}\"' >&2\n")
    program.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    java = find_java()
    assert (java.version, not java.problem) == (version, is_fit)


def test_spark_is_started_where_it_cannot_take_the_handler_of_interrupts():
    def start(number):
        if number < 0:
            raise EngineFailed("Spark", "no")
        return threading.current_thread() is threading.main_thread()

    before = signal.getsignal(signal.SIGINT)
    assert keeping_interrupts(start)(1) is False
    assert signal.getsignal(signal.SIGINT) is before
    with pytest.raises(EngineFailed):
        keeping_interrupts(start)(-1)


def test_an_interrupted_call_to_spark_is_not_logged(caplog):
    keeping_interrupts(lambda: None)()
    make = logging.getLogger().makeRecord
    interrupt = (KeyboardInterrupt, KeyboardInterrupt(), None)
    for file, trouble in (("java_gateway.py", interrupt), ("java_gateway.py", None), ("other.py", interrupt)):
        record = make("root", logging.ERROR, file, 1, file, (), trouble)
        logging.getLogger().handle(record)
    assert [(each.message, bool(each.exc_info)) for each in caplog.records] == [
        ("java_gateway.py", False),
        ("other.py", True),
    ]
