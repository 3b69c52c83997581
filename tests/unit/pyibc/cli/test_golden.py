"""Every help text and every error message of the command line, as in the golden files.

`UPDATE_GOLDEN=1 .venv/bin/python -m pytest tests/unit/pyibc/cli/test_golden.py` renews them.
"""

import difflib
import os
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from localnet.comet import homes, install
from pyibc.cli import keys, main
from tests.unit.pyibc.cli.golden_text import WIDTH, help_text, message_text

GOLDEN = Path(__file__).parent / "golden"
RENEW = f"UPDATE_GOLDEN=1 .venv/bin/python -m pytest {Path(__file__).relative_to(Path(__file__).parents[4])}"
NOBODY = "http://127.0.0.1:1"
KEY = "11" * 32
REFUSED = (
    "nothing",
    "--nothing",
    "demo --transfers 0",
    "demo --out taken/file",
    "init",
    "init MyChain",
    "init iavl",
    "init taken",
    "init --example pnig",
    "localnet nothing",
    "localnet up --name Bad/Name",
    "localnet up --block-time 5x",
    "localnet up --chains 99",
    "localnet up --abci grpc",
    "localnet up --consensus cometbft --name comet",
    "localnet status",
    "localnet logs --chain other",
    "localnet keys --export alice",
    "localnet fund bob 5stake --node http://127.0.0.1:1",
    "localnet hermes",
    "cometbft install",
    "cometbft install --timeout 0",
    "tx transfer channel-0 bob",
    "tx transfer channel-0 bob 5stake",
    "tx transfer channel-0 bob five",
    "tx transfer channel-0 '' 5stake",
    f"tx transfer channel-0 bob 5stake --node {NOBODY}",
    f"tx transfer channel-0 bob 5stake --node {NOBODY} --key env:KEY",
    f"tx transfer channel-0 bob 5stake --node {NOBODY} --key env:NO_KEY",
    f"tx transfer channel-0 bob 5stake --node {NOBODY} --key open.key",
    "tx transfer channel-0 bob 5stake --key env:KEY",
    "tx transfer channel-0 bob 5stake --timeout soon",
    "tx transfer channel-0 bob 5stake --forward channel-1:x --memo m",
    "tx raw absent.json",
    "tx raw taken",
    "tx raw taken/file",
    f"tx transfer channel-0 bob 5stake --node {NOBODY} --key absent.key",
    f"tx transfer channel-0 bob 5stake --node {NOBODY} --key taken",
    "tx queue-send beta-1 text",
    "keys show carol",
    "keys add ../carol --new",
    "keys add carol --new --dir taken/file/keys",
    "keys import carol absent.key",
    "keys delete carol --dir taken",
    "relay",
    "relay nothing",
    "relay --naive --wait-blocks 5",
    f"relay --a {NOBODY}",
    f"relay --a {NOBODY} --b {NOBODY} --key env:KEY",
    f"relay --a {NOBODY} --b {NOBODY} --key env:KEY --gas-price cheap",
    "relay create path --new-clients --client 07-tendermint-0",
    "relay start",
    "relay start --config wrong.toml",
    "relay start --config taken",
    "relay start --config taken/file/x",
    "relay start --config binary",
    "relay check --config absent.toml",
    "relay status",
    "relay status --listen x",
    "relay status --listen 127.0.0.1:1",
    "relay status --live --json --listen 127.0.0.1:1",
    "relay fees --ledger absent.db",
    "relay fees --ledger wrong.toml",
    f"relay --a {NOBODY} --b {NOBODY} --key absent.key",
    f"relay --a {NOBODY} --b {NOBODY} --key env:KEY --ledger taken",
    "relay from-hermes absent.toml",
    "relay from-hermes taken",
    "relay from-hermes wrong.toml",
    "query tx 12",
    f"query tx {'00' * 32} --node {NOBODY}",
    "query account bob",
    "query packet channel-0 0",
    "query client 07-tendermint-0 --chain other",
    f"watch --a {NOBODY} --b {NOBODY} --key env:KEY",
    f"watch --a {NOBODY} --b {NOBODY}",
    f"export {NOBODY} --out out",
    f"export {NOBODY} --out out --from 5 --to 2",
    f"export {NOBODY} --out out --follow --to 5",
    f"export {NOBODY} --out http://x/out",
    f"export {NOBODY} --out taken/file",
    f"export {NOBODY} --out taken/file/out",
    f"export {NOBODY} --out out --master sc://host",
    "export not-a-url --out out",
    "index absent --out out",
    "index wrong.toml --out taken/file",
    "index wrong.toml --out out --follow --json",
    "index wrong.toml --out out --json",
    "index wrong.toml --out out --engine local --master local",
    "index wrong.toml --out out --engine local --catalog ibc",
    "index wrong.toml --out out --follow --catalog ibc",
    "index wrong.toml --out out --listen 127.0.0.1:2",
    "index wrong.toml --out out --follow --listen nowhere",
    "index wrong.toml --out out --fail-on nothing",
    "doctor nothing",
)
"""Commands that fail on a machine without networks, nodes, CometBFT and Go; `machine` has the files."""


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A folder with some files, on such a machine."""
    monkeypatch.chdir(tmp_path)
    for name, value in {"HOME": "home", "PYIBC_LOCALNET": "networks", "PATH": "bin"}.items():
        monkeypatch.setenv(name, str(tmp_path / value))
    monkeypatch.setenv("KEY", KEY)
    for name in ("COMETBFT", "IBC_LIVE_BIN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("pyibc.relayer.rpc.client.MAX_BACKOFF_S", 0.0)  # between attempts to reach a node
    monkeypatch.setattr(homes, "_CACHES", ())
    monkeypatch.setattr(install, "_GO", tmp_path / "no-go")
    monkeypatch.setattr(keys, "FOLDER", tmp_path / "home" / "keys")
    monkeypatch.setitem(keys.command.context_settings, "default_map", {"show": {"folder": str(keys.FOLDER)}})
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "file").touch()
    (tmp_path / "wrong.toml").write_text("[relayer]\nnothing = 1\n")
    (tmp_path / "binary").write_bytes(b"\xff\x00")
    (tmp_path / "open.key").write_text(KEY)
    (tmp_path / "open.key").chmod(0o644)
    return tmp_path


def same(name, text):
    """The text is that of the golden file; with UPDATE_GOLDEN it becomes so."""
    file = GOLDEN / name
    if os.environ.get("UPDATE_GOLDEN"):
        file.write_text(text)
        return
    golden = file.read_text()
    difference = "\n".join(
        difflib.unified_diff(golden.splitlines(), text.splitlines(), name, "now", lineterm="")
    )
    assert text == golden, f"\n{difference}\n\nif that is right: {RENEW}"


def test_every_help_is_the_golden_one():
    same("help.txt", help_text())


def test_every_error_is_the_golden_one(machine):
    told = [f"$ pyibc {words}\n{refusal(words, machine)}" for words in REFUSED]
    same("errors.txt", "\n".join([*told, message_text()]))


def refusal(words, folder):
    """The exit code and stderr of a command that fails; nothing is on stdout."""
    done = CliRunner().invoke(main, shlex.split(words), prog_name="pyibc", terminal_width=WIDTH)
    assert done.exit_code, words
    assert isinstance(done.exception, SystemExit), words
    assert done.stdout == "", words
    return f"{done.stderr.replace(str(folder), '<folder>')}exit code {done.exit_code}\n"
