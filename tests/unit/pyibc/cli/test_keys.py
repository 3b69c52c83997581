"""`pyibc keys`: encrypted files of keys, and names as receivers."""

import json

import pytest
from click.testing import CliRunner

from pyibc.cli import keys as store
from pyibc.cli.keys import command, stored_address
from pyibc.relayer.errors import KeyExposed, KeyRefused
from pyibc.relayer.money import hd_keys
from pyibc.relayer.money.hd_keys import MEMORY, OPS, decrypt_key, encrypt_key
from pyibc.relayer.money.wallet import Wallet

KEY = bytes.fromhex("11" * 32)
WORDS = "abandon " * 11 + "about"


@pytest.fixture(autouse=True)
def cheap(monkeypatch):
    monkeypatch.setattr(hd_keys, "OPS", 1)
    monkeypatch.setattr(hd_keys, "MEMORY", 8192)


@pytest.fixture
def folder(monkeypatch, tmp_path):
    monkeypatch.setattr(store, "FOLDER", tmp_path / "keys")
    return tmp_path / "keys"


def run(folder, *words, given=""):
    return CliRunner().invoke(command, [*words, "--dir", str(folder)], input=given)


def test_a_key_goes_from_a_mnemonic_through_an_encrypted_file_to_another_name(folder, tmp_path):
    file = tmp_path / "bob.json"
    added = run(folder, "add", "bob", "--json", given=WORDS)
    assert added.exit_code == 0, added.output
    assert run(folder, "export", "bob", str(file), given="secret\n").exit_code == 0
    assert file.stat().st_mode & 0o777 == 0o600
    key = (folder / "bob.key").read_text().strip()
    assert key not in file.read_text()
    wrong = run(folder, "import", "bob2", str(file), given="secrets\n")
    assert (wrong.exit_code, "passphrase is wrong" in wrong.stderr, key in wrong.output) == (2, True, False)
    assert not (folder / "bob2.key").exists()
    again = run(folder, "import", "bob2", str(file), "--json", given="secret\n")
    assert json.loads(again.stdout)[0]["address"] == json.loads(added.stdout)[0]["address"]
    taken = run(folder, "import", "bob2", str(file), given="secret\n")
    assert taken.exit_code == 1


def test_a_name_is_an_address_on_any_chain(folder):
    run(folder, "add", "bob", given=KEY.hex())
    assert stored_address("bob", "osmo") == Wallet(KEY, "osmo").address.text
    assert stored_address("carol", "osmo") == ""
    assert stored_address("../bob", "osmo") == ""
    (folder / "bob.key").chmod(0o644)
    with pytest.raises(KeyExposed):
        stored_address("bob", "osmo")


def test_an_empty_passphrase_encrypts_nothing():
    with pytest.raises(KeyRefused, match="empty"):
        encrypt_key(KEY, "")


@pytest.mark.parametrize(
    "change",
    [{"memory": MEMORY + 1024}, {"ops": OPS + 1}, {"ops": True}, {"salt": "00"}, {"kdf": "x"}, {"box": 5}],
)
def test_a_file_that_asks_for_more_memory_than_ours_is_refused(change):
    content = json.loads(encrypt_key(KEY, "p")) | change
    with pytest.raises(KeyRefused, match="another kind or cost"):
        decrypt_key(json.dumps(content), "f", "p")


@pytest.mark.parametrize("text", ["", "[]", "{}", "5", "[" * 4000])
def test_what_is_no_encrypted_key_is_refused(text):
    with pytest.raises(KeyRefused, match="not an encrypted key"):
        decrypt_key(text, "f", "p")


def test_what_is_encrypted_must_be_a_key():
    with pytest.raises(KeyRefused, match="no key of secp256k1"):
        decrypt_key(encrypt_key(bytes(32), "p"), "f", "p")
    assert decrypt_key(encrypt_key(KEY, "p"), "f", "p") == KEY
