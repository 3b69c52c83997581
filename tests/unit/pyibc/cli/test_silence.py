"""Commands that may take long say what they are doing, once nothing has been heard for a while."""

import threading
from contextlib import nullcontext
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

import pyibc.cli.demo
import pyibc.cli.doctor
import pyibc.cli.export
import pyibc.cli.index
import pyibc.cli.localnet
import pyibc.cli.one_chain
import pyibc.cli.relay.clear
import pyibc.cli.relay.from_hermes
import pyibc.indexer.job
from conformance import command as conformance
from pyibc.cli import main
from pyibc.cli import progress as module
from pyibc.cli.progress import Progress
from pyibc.relayer.metrics import Metrics

URL = "http://127.0.0.1:1"


class Enough(Exception):
    """Ends the command once it has said something."""


@pytest.fixture
def slow(monkeypatch):
    """What takes long: it goes on until progress was shown, and then ends the command."""
    monkeypatch.setattr(module, "SILENT_S", 0.0)
    monkeypatch.setattr(module, "_TICK_S", 0.001)
    shown, tick = threading.Event(), Progress.tick

    def ticked(self):
        tick(self)
        shown.set()

    monkeypatch.setattr(Progress, "tick", ticked)

    def work(*_args, **_kwargs):
        assert shown.wait(30)
        raise Enough

    return work


def _localnet(patch, slow):
    network = SimpleNamespace(
        exists=True, name="default", differing=lambda _: {}, up=slow, reset=slow, stop=slow
    )
    patch.setattr(pyibc.cli.localnet, "Network", lambda _name: network)


def _clear(patch, slow):
    link = SimpleNamespace(until_idle=slow, metrics=Metrics(), pending_counts=list)
    parts = [SimpleNamespace(name="one <-> two")]
    paths = SimpleNamespace(ledger=":memory:", journal="relayer.db")
    for name, value in {
        "read_relayer_config": lambda _: SimpleNamespace(relayer=paths),
        "connected": lambda *_: nullcontext({}),
        "chosen": lambda *_: [SimpleNamespace(label="path")],
        "link_parts": lambda *_: parts,
        "temporary_link": lambda *_: nullcontext(link),
    }.items():
        patch.setattr(pyibc.cli.relay.clear, name, value)


def _demo(patch, slow):
    patch.setattr(pyibc.cli.demo, "require_java", lambda: None)
    patch.setitem(pyibc.cli.demo.SCENARIOS, "channel", slow)


SLOW = {
    "demo --out out": (_demo, "relaying packets between the chains"),
    "localnet up": (_localnet, "starting the chains of default"),
    "localnet stop": (_localnet, "stopping the chains of default"),
    "localnet reset": (_localnet, "stopping the chains of default"),
    f"query clients --node {URL}": (
        lambda patch, slow: patch.setattr(pyibc.cli.one_chain.RpcEndpoint, "connect", slow),
        f"connecting to {URL}",
    ),
    f"relay create path --a {URL} --b {URL} --key env:KEY": (
        lambda patch, slow: patch.setattr(pyibc.cli.one_chain.RpcEndpoint, "connect", slow),
        "connecting to the chains",
    ),
    "relay clear": (_clear, "relaying one <-> two"),
    "relay from-hermes file": (
        lambda patch, slow: patch.setattr(pyibc.cli.relay.from_hermes, "convert", slow),
        "asking the nodes for the other ends of the channels",
    ),
    f"export {URL} --out out": (
        lambda patch, slow: patch.setattr(pyibc.cli.export.Backfill, "run", slow),
        "fetching blocks",
    ),
    "index file --out out --engine local": (
        lambda patch, slow: patch.setattr(pyibc.indexer.job, "index", slow),
        "starting the index",
    ),
    "conformance .": (
        lambda patch, slow: patch.setattr(conformance, "reports", lambda _: [("family", slow)]),
        "running family",
    ),
    "doctor": (
        lambda patch, slow: patch.setattr(pyibc.cli.doctor, "CHECKS", [slow]),
        "checking this machine",
    ),
}


@pytest.mark.parametrize("words", SLOW)
def test_what_takes_long_is_told_on_stderr(slow, monkeypatch, tmp_path, words):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KEY", "11" * 32)
    (tmp_path / "file").write_text("")
    replace, said = SLOW[words]
    replace(monkeypatch, slow)
    done = CliRunner().invoke(main, words.split())
    assert isinstance(done.exception, Enough), done.output
    assert f"{said}: 0 s\n" in done.stderr
    assert said not in done.stdout
