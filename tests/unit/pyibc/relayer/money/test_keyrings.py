"""Keys of other relayers' keyrings.

`keyring/go-1` was written by the SDK's keyring (v0.53, backend `test`) for the mnemonic of BIP-39's tests.
The extended key is that of BIP-32's first test vector.
"""

import json
import shutil
from base64 import b64encode, urlsafe_b64encode
from hashlib import pbkdf2_hmac
from pathlib import Path

import pytest
from click.testing import CliRunner
from Crypto.Cipher import AES

from pyibc.cli.relay.keys import command
from pyibc.relayer.errors import KeyRefused
from pyibc.relayer.money import keyrings
from pyibc.relayer.money.hd_keys import mnemonic_key
from pyibc.relayer.money.keyrings import MAX_BYTES, MAX_ITERATIONS, hermes_keys, rly_keys
from pyibc.relayer.money.wallet import ETHSECP256K1, INJECTIVE, SECP256K1, Wallet

WORDS = "abandon " * 11 + "about"
FIRST, SECOND = (mnemonic_key(WORDS, f"m/44'/118'/0'/0/{number}") for number in range(2))
GO = Path(__file__).with_name("keyring")
XPRV = (
    "xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqji"
    "ChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHi"
)
OF_XPRV = bytes.fromhex("e8f32e723decf4051aefac8e2c93c9c5b214313817cdb01a1494b917c8436b35")


def refuse(_file):
    raise AssertionError


# -- Hermes


def entry(key=FIRST, prefix="cosmos", key_type=SECP256K1, **changed):
    """Return a key as Hermes 1.2 and later write it (`Secp256k1KeyPair`)."""
    wallet = Wallet(key, prefix, key_type)
    return {
        "private_key": key.hex(),
        "public_key": wallet.public_key.hex(),
        "address": list(wallet.address.raw),
        "address_type": "Cosmos" if key_type is SECP256K1 else "Ethermint",
        "account": wallet.address.text,
        **changed,
    }


def hermes(folder, chain="hub-4", name="relayer", found=None):
    file = folder / chain / "keyring-test" / f"{name}.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(entry() if found is None else found, indent=2))
    return file


def test_keys_of_hermes_are_read(tmp_path):
    hermes(tmp_path)
    hermes(tmp_path, "evmos_9001-2", "evm", entry(SECOND, "evmos", ETHSECP256K1))
    old = entry(OF_XPRV, private_key=XPRV, public_key="xpub...")
    del old["address_type"]
    hermes(tmp_path, "old-1", "old", old)
    assert [
        (each.chain, each.name, each.private_key, each.prefix, each.key_type)
        for each in hermes_keys(tmp_path)
    ] == [
        ("evmos_9001-2", "evm", SECOND, "evmos", ETHSECP256K1),
        ("hub-4", "relayer", FIRST, "cosmos", SECP256K1),
        ("old-1", "old", OF_XPRV, "cosmos", SECP256K1),
    ]
    assert [each.name for each in hermes_keys(tmp_path / "hub-4")] == ["relayer"]


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"address": list(Wallet(SECOND, "cosmos").address.raw)}, "the address in it is that of another key"),
        ({"account": Wallet(SECOND, "cosmos").address.text}, "the account in it is that of another key"),
        ({"account": "cosmos1x"}, "not a key of this keyring"),
        ({"address": 10**12}, "not a key of this keyring"),
        ({"private_key": XPRV[:-1] + "j"}, "the checksum of the extended key is wrong"),
        ({"private_key": "xprv0"}, "substring not found"),
        ({"private_key": f"xprv{'z' * 124}"}, "not a key of this keyring"),
        ({"private_key": "00" * 32}, ""),
    ],
)
def test_an_address_that_is_not_the_key_s_is_refused(tmp_path, changed, reason):
    file = hermes(tmp_path, found=entry(**changed))
    with pytest.raises(KeyRefused) as refused:
        list(hermes_keys(tmp_path))
    assert refused.value.where == str(file)
    assert reason in refused.value.reason
    assert (refused.value.__context__, FIRST.hex() in str(refused.value)) == (None, False)


@pytest.mark.parametrize(
    "text", ["", "[", "[]", "{}", '{"private_key": 1}', "\ud800".encode("utf-8", "surrogatepass")]
)
def test_another_file_is_refused(tmp_path, text):
    file = hermes(tmp_path)
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(KeyRefused, match="not a key of this keyring"):
        list(hermes_keys(tmp_path))


def test_sizes_and_numbers_are_bounded(tmp_path, monkeypatch):
    with pytest.raises(KeyRefused, match=r"no keys in it: keyring-test/NAME\.json"):
        list(hermes_keys(tmp_path))
    hermes(tmp_path).write_text(" " * (MAX_BYTES + 1))
    with pytest.raises(KeyRefused, match=f"more than {MAX_BYTES} bytes"):
        list(hermes_keys(tmp_path))
    monkeypatch.setattr(keyrings, "MAX_FILES", 1)
    hermes(tmp_path, "other-1")
    with pytest.raises(KeyRefused, match="more than 1 keys"):
        list(hermes_keys(tmp_path))


# -- the SDK's keyring


def test_keys_that_the_sdk_wrote_are_read():
    skipped = []
    found = {each.name: each for each in rly_keys(GO, skipped.append)}
    assert {name: each.private_key for name, each in found.items()} == {"relayer": FIRST, "second": SECOND}
    assert found["relayer"][:2] + found["relayer"][3:] == ("go-1", "relayer", "", SECP256K1)
    assert [file.name for file in skipped] == ["watched.info"]


def field(number, raw):
    assert len(raw) < 128
    return bytes((8 * number + 2, len(raw))) + raw


def record(key=FIRST, url=SECP256K1.type_url, public=None, name=b"relayer"):
    public = Wallet(key, "cosmos").public_key if public is None else public
    held = field(1, url.replace("PubKey", "PrivKey").encode()) + field(2, field(1, key))
    shown = field(1, url.encode()) + field(2, field(1, public))
    return field(1, name) + field(2, shown) + field(3, field(1, held))


def jwe(data, passphrase=b"test", **changed):
    """Return an item of the keyring, encrypted as jose2go does."""
    part = lambda raw: urlsafe_b64encode(raw).rstrip(b"=").decode()  # noqa: E731
    head = {"alg": "PBES2-HS256+A128KW", "enc": "A256GCM", "p2c": 10, "p2s": part(b"salt-of-12-b"), **changed}
    text, content, nonce = part(json.dumps(head).encode()), bytes(range(32)), b"n" * 12
    salt = head["alg"].encode() + b"\0" + b"salt-of-12-b"
    wrap = AES.new(pbkdf2_hmac("sha256", passphrase, salt, 10, 16), AES.MODE_ECB)
    check, blocks = b"\xa6" * 8, [content[at : at + 8] for at in range(0, 32, 8)]
    for step in range(1, 25):
        both = wrap.encrypt(check + blocks[(step - 1) % 4])
        check = (int.from_bytes(both[:8], "big") ^ step).to_bytes(8, "big")
        blocks[(step - 1) % 4] = both[8:]
    cipher = AES.new(content, AES.MODE_GCM, nonce=nonce)
    cipher.update(text.encode())
    box, tag = cipher.encrypt_and_digest(json.dumps({"Key": "x", "Data": b64encode(data).decode()}).encode())
    return ".".join((text, part(check + b"".join(blocks)), part(nonce), part(box), part(tag)))


def rly(folder, text, name="relayer"):
    file = folder / "hub-4" / "keyring-test" / f"{name}.info"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def test_the_type_of_a_key_is_that_of_its_url(tmp_path):
    rly(tmp_path, jwe(record(url=INJECTIVE.type_url)))
    (found,) = rly_keys(tmp_path, refuse)
    assert (found.key_type, found.private_key, found.chain) == (INJECTIVE, FIRST, "hub-4")


def test_a_public_key_that_is_not_the_key_s_is_refused(tmp_path):
    rly(tmp_path, jwe(record(public=Wallet(SECOND, "cosmos").public_key)))
    with pytest.raises(KeyRefused, match="the public key in it is that of another key"):
        list(rly_keys(tmp_path, refuse))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (jwe(record(), b"other"), 'the passphrase is not "test"'),
        (jwe(record(), p2c=MAX_ITERATIONS + 1), "more than 1000000 iterations"),
        (jwe(record(), p2c=0), "more than 1000000 iterations"),
        (jwe(record(), alg="dir"), "not encrypted as the SDK's keyring does"),
        (jwe(record(), enc="A128GCM"), "not encrypted as the SDK's keyring does"),
        (jwe(record())[:-3] + "AAA", "MAC check failed"),
        (jwe(b"\x01\x02old amino"), "not a record of SDK 0.46 or later"),
        (jwe(record(url="/other.PubKey")), "keys of type '/other.PrivKey' are not supported"),
        (jwe(record(key=b"\1" * 31, public=b"")), ""),
        ("a.b.c", ""),
        ("..ä", ""),
        ("....", ""),
    ],
)
def test_what_is_no_key_of_the_keyring_is_refused(tmp_path, text, reason):
    file = rly(tmp_path, text)
    with pytest.raises(KeyRefused) as refused:
        list(rly_keys(tmp_path, refuse))
    assert (refused.value.where, refused.value.__context__) == (str(file), None)
    assert reason in refused.value.reason


# -- the commands


@pytest.fixture
def keys(tmp_path):
    return lambda *words: CliRunner().invoke(command, [*words, "--dir", str(tmp_path / "keys")])


def test_keys_of_hermes_become_files(tmp_path, keys):
    folder = tmp_path / "hermes"
    hermes(folder, "a-1")
    hermes(folder, "b-2", found=entry(prefix="osmo"))
    hermes(folder, "c-3", "only", entry(SECOND))
    for _ in range(2):  # what is there already is left as it is
        done = keys("import-hermes", str(folder), "--json")
        assert done.exit_code == 0, done.output
        rows = [(row["name"], row["chain"], row["address"]) for row in json.loads(done.stdout)]
        assert rows == [
            ("a-1-relayer", "a-1", Wallet(FIRST, "cosmos").address.text),
            ("b-2-relayer", "b-2", Wallet(FIRST, "osmo").address.text),
            ("only", "c-3", Wallet(SECOND, "cosmos").address.text),
        ]
        files = {file.name: file.read_text() for file in (tmp_path / "keys").iterdir()}
        shared = dict.fromkeys(("a-1-relayer.key", "b-2-relayer.key"), f"{FIRST.hex()}\n")
        assert files == {**shared, "only.key": f"{SECOND.hex()}\n"}
        assert {file.stat().st_mode & 0o777 for file in (tmp_path / "keys").iterdir()} == {0o600}
        assert FIRST.hex() not in done.output


def test_a_name_that_another_key_has_is_refused(tmp_path, keys):
    folder = tmp_path / "hermes"
    hermes(folder, "a-1", "new")
    hermes(folder, "b-2", "taken")
    assert (
        CliRunner()
        .invoke(command, ["add", "taken", "--dir", str(tmp_path / "keys")], input=SECOND.hex())
        .exit_code
        == 0
    )
    done = keys("import-hermes", str(folder))
    assert (done.exit_code, done.stdout) == (1, "")
    assert "taken.key" in done.stderr
    assert [(file.name, file.read_text()) for file in (tmp_path / "keys").iterdir()] == [
        ("taken.key", f"{SECOND.hex()}\n")
    ]


def test_nothing_is_added_if_one_address_is_another_key_s(tmp_path, keys):
    folder = tmp_path / "hermes"
    hermes(folder, "a-1", "good")
    hermes(folder, "b-2", "bad", entry(account=Wallet(SECOND, "cosmos").address.text))
    done = keys("import-hermes", str(folder))
    assert (done.exit_code, (tmp_path / "keys").exists()) == (2, False)
    assert "bad.json: the account in it is that of another key" in done.stderr


def test_keys_of_rly_become_files(tmp_path, keys):
    folder = tmp_path / "rly"
    shutil.copytree(GO, folder)
    done = keys("import-rly", str(folder), "--prefix", "osmo")
    assert done.exit_code == 0, done.output
    assert Wallet(FIRST, "osmo").address.text in done.stdout
    assert "watched.info is left out: it has no private key" in done.stderr
    assert (tmp_path / "keys" / "second.key").read_text() == f"{SECOND.hex()}\n"
    rly(folder, jwe(record(name=b"odd name")), "odd name")
    assert keys("import-rly", str(folder)).exit_code == 2
