"""A wrong file is refused as a whole, with its keys; the running configuration stays."""

import os
from contextlib import ExitStack, closing

import pytest

from pyibc.relayer.config import source as config_source
from pyibc.relayer.config.source import ConfigSource
from pyibc.relayer.daemon import status_file
from pyibc.relayer.errors import WrongConfiguration
from pyibc.relayer.money.wallet import Wallet

KEY, OTHER = "11" * 32, "22" * 32
TEXT = """
[[chains]]
id = "a-1"
rpc = ["http://127.0.0.1:1"]
key = { file = "a.key" }

[[chains]]
id = "b-2"
rpc = ["http://127.0.0.1:2"]
keys = [{ env = "B_KEY" }, { command = ["sh", "-c", "echo x >> asked; cat b.key"] }]

[[paths]]
a = "a-1"
b = "b-2"
channels = ["channel-0"]
"""


@pytest.fixture(autouse=True)
def folder_of_locks(tmp_path_factory, monkeypatch):
    folder = tmp_path_factory.mktemp("locks")
    monkeypatch.setattr(config_source, "_folder_of_user", lambda: folder)
    monkeypatch.setattr(status_file, "TRY_S", 0.001)


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("B_KEY", KEY)
    for name, key in (("a.key", KEY), ("b.key", OTHER)):
        (tmp_path / name).write_text(key)
        (tmp_path / name).chmod(0o600)
    file = tmp_path / "relayer.toml"
    file.write_text(TEXT)
    return file


@pytest.fixture
def opened(file):
    """Open sources of the file, which release their keys at the end."""
    with ExitStack() as stack:
        yield lambda: stack.enter_context(closing(ConfigSource(file)))


def refused(source):
    with pytest.raises(WrongConfiguration) as caught:
        source.read()
    return caught.value.reason


def address(key):
    return Wallet(bytes.fromhex(key), "cosmos").address


def test_keys_are_read_once_with_the_file(opened, file, tmp_path):
    source = opened()
    config = source.read()
    assert [each.address for each in source.wallets(config.chain("b-2"))] == [address(KEY), address(OTHER)]
    file.write_text(TEXT + '[[paths]]\na = "a-1"\nb = "b-2"\nchannels = ["channel-1"]\n')
    assert len(source.read().paths) == 2
    assert (tmp_path / "asked").read_text() == "x\n"


def test_all_keys_that_cannot_be_used_are_told_with_their_lines(opened, file, tmp_path, monkeypatch):
    (tmp_path / "a.key").chmod(0o644)
    (tmp_path / "b.key").write_text("none")
    monkeypatch.delenv("B_KEY")
    reason = refused(opened()).splitlines()
    assert len(reason) == 4
    assert "line 5: chain a-1, key: " in reason[1]
    assert "chmod 600" in reason[1]
    assert "line 10: chain b-2, keys[0]: env:B_KEY: the environment variable is not set" in reason[2]
    assert "line 10: chain b-2, keys[1]: command:" in reason[3]
    assert "not 64 hex digits, nor a mnemonic" in reason[3]


def test_a_key_that_is_not_there_or_twice_is_told(opened, file, tmp_path):
    (tmp_path / "a.key").unlink()
    (tmp_path / "b.key").write_text(KEY)
    missing, twice = refused(opened()).splitlines()[1:]
    assert f"chain a-1, key: {tmp_path}/a.key: No such file or directory: name a key" in missing
    assert "chain b-2, keys[1]: command:" in twice
    assert twice.endswith("the same as another")


def test_a_wrong_file_leaves_what_runs_and_is_read_anew(opened, file, tmp_path):
    source = opened()
    before = source.read()
    file.write_text(TEXT.replace('id = "a-1"', 'id = "a-1"\nprefix = "osmo"').replace("B_KEY", "NO_SUCH_KEY"))
    assert "NO_SUCH_KEY" in refused(source)
    assert source.wallets(before.chain("a-1"))[0].address == address(KEY)
    (tmp_path / "a.key").write_text(OTHER)
    file.write_text(TEXT.replace('id = "a-1"', 'id = "a-1"\nprefix = "osmo"'))
    after = source.read().chain("a-1")
    assert source.wallets(after)[0].address == Wallet(bytes.fromhex(OTHER), "osmo").address


@pytest.mark.parametrize(
    "option", ['journal = "other.db"', 'ledger = "o.db"', 'listen = ":1"', "watch = false"]
)
def test_what_needs_a_restart_is_refused_while_running(opened, file, option):
    source = opened()
    source.read()
    file.write_text(f"[relayer]\n{option}\n" + TEXT)
    assert f"line 2: relayer.{option.split()[0]}: was " in refused(source)


def test_a_folder_that_is_not_there_is_told_before_the_start(opened, file):
    file.write_text('[relayer]\njournal = "none/relayer.db"\n' + TEXT)
    assert "line 2: relayer.journal: " in refused(opened())


def test_a_key_of_another_daemon_is_refused_until_that_one_ends(opened, file):
    first, second = opened(), opened()
    first.read()
    reason = refused(second)
    assert f"line 5: chain a-1, key: {address(KEY).text} of a-1 is used by process {os.getpid()}" in reason
    assert reason.count("is used by process") == 3
    first.close()
    second.read()


def test_a_refused_file_keeps_the_locks_of_what_runs_and_no_others(opened, file):
    """The next file uses other keys, and another chain is wrong: the first one's keys stay its own."""
    first, second = opened(), opened()
    first.read()
    file.write_text(TEXT.replace("a.key", "b.key").replace("B_KEY", "NO_SUCH_KEY"))
    assert "NO_SUCH_KEY" in refused(first)
    assert "a-1 is used" not in refused(second)
    file.write_text(TEXT)
    assert "a-1 is used" in refused(second)
