"""Key files that `pyibc keys export` wrote, with the passphrase from a source of its own."""

import sys

import pytest
from click.testing import CliRunner
from nacl import pwhash

from pyibc.cli import main
from pyibc.cli.relay.keys import command
from pyibc.relayer.config.file import read_config
from pyibc.relayer.config.source import ConfigSource
from pyibc.relayer.daemon.connecting import wallet_of, wallets_of
from pyibc.relayer.errors import KeyExposed, KeyRefused, WrongConfiguration
from pyibc.relayer.money import hd_keys
from pyibc.relayer.money.hd_keys import encrypt_key
from pyibc.relayer.money.wallet import ETHSECP256K1, Wallet

KEY = bytes(range(1, 33))


@pytest.fixture(autouse=True)
def cheap(monkeypatch):
    for name, value in (("OPS", pwhash.argon2id.OPSLIMIT_MIN), ("MEMORY", pwhash.argon2id.MEMLIMIT_MIN)):
        monkeypatch.setattr(hd_keys, name, value)


@pytest.fixture
def write(configuration, tmp_path, monkeypatch):
    """Return a function that writes a configuration whose first chain has a key; `a.key` is encrypted."""
    for name, text in (("a.key", encrypt_key(KEY, "open sesame")), ("p.txt", "open sesame\n")):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o600)
    monkeypatch.setenv("P", "open sesame")
    monkeypatch.setenv("WRONG", "open")
    monkeypatch.setenv("B_KEY", "22" * 32)

    return lambda key: configuration(f"key = {{ {key} }}")


@pytest.mark.parametrize(
    "source",
    [
        '{ env = "P" }',
        '{ file = "p.txt" }',
        f"{{ command = ['{sys.executable}', '-c', 'print(\"open sesame\")'] }}",
    ],
)
def test_a_passphrase_is_read_from_its_source(write, source):
    config = read_config(write(f'file = "a.key", passphrase = {source}, type = "ethsecp256k1"'))
    (wallet,) = wallets_of(config.chains[0])
    assert wallet.address.text == Wallet(KEY, "cosmos", ETHSECP256K1).address.text


def test_a_passphrase_that_is_wrong_is_wrong_use_in_one_sentence(write):
    file = write('file = "a.key", passphrase = { env = "WRONG" }')
    with pytest.raises(KeyRefused, match="the passphrase is wrong, or the file is damaged"):
        wallet_of(read_config(file).chains[0].signers[0], "cosmos")
    done = CliRunner().invoke(main, ["relay", "start", "--config", str(file)])
    assert (done.exit_code, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.endswith(
        f"line 7: chain a-1, key: {file.parent / 'a.key'}: the passphrase is wrong, or the file is damaged"
    )


@pytest.mark.parametrize(
    ("key", "reason"),
    [
        ('file = "a.key"', "an encrypted key: set its `passphrase`, or add it with `pyibc keys import`"),
        (
            'file = "a.key", passphrase = { env = "UNSET_P" }',
            "env:UNSET_P: the environment variable is not set",
        ),
        ('file = "a.key", passphrase = { file = "no.txt" }', "no.txt: No such file"),
        ('file = "p.txt", passphrase = { env = "P" }', "not an encrypted key"),
        (
            'file = "a.key", passphrase = {}',
            "key.passphrase: a passphrase needs exactly one of file, env and",
        ),
        ('file = "a.key", passphrase = { env = "P", file = "p" }', "a passphrase needs exactly one of"),
        ('env = "B_KEY", passphrase = { env = "P" }', "belongs to a file of `pyibc keys export`"),
        ('file = "a.key", hd_path = "m/1", passphrase = { env = "P" }', "which has no hd_path: remove it"),
        ('file = "a.key", passphrase = "open sesame"', "key.passphrase: Expected `object | null`, got `str`"),
    ],
)
def test_a_wrong_source_is_refused_with_its_place(write, key, reason):
    with pytest.raises(WrongConfiguration) as refused:
        ConfigSource(write(key)).read()
    assert reason in refused.value.reason
    assert "open sesame" not in str(refused.value)


def test_a_file_that_others_can_read_is_refused_although_it_is_encrypted(write, tmp_path):
    config = read_config(write('file = "a.key", passphrase = { env = "P" }'))
    (tmp_path / "a.key").chmod(0o644)
    with pytest.raises(KeyExposed):
        wallets_of(config.chains[0])


def test_keys_show_reads_it_as_the_configuration_says(write, tmp_path):
    file = write('file = "a.key", passphrase = { env = "P" }')
    done = CliRunner().invoke(command, ["show", "a", "--dir", str(tmp_path), "--config", str(file)])
    assert done.exit_code == 0, done.output
    assert Wallet(KEY, "cosmos").address.text in done.stdout
