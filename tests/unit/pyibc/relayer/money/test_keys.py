"""Sources of keys, refused texts, and errors without any part of a key."""

import errno
import os
import select
from contextlib import suppress

import pytest

from pyibc.codec.anys import AnyMessage
from pyibc.core.crypto import secp256k1
from pyibc.core.crypto.ethereum import keccak256
from pyibc.core.wire.tx import decode_tx, encode_auth_info, sign_bytes
from pyibc.proto.cosmos.crypto.secp256k1.keys_pb2 import PubKey
from pyibc.relayer.errors import KeyExposed, KeyRefused
from pyibc.relayer.money import keys
from pyibc.relayer.money.keys import MAX_BYTES, parse_key, read_private_file, read_wallet, write_private_file
from pyibc.relayer.money.wallet import ETHSECP256K1, INJECTIVE, KEY_TYPES, SECP256K1, Wallet

KEY = "4f3edf983ac636a65a842ce7c78d9aa706d3b113bce9c46f30d7d21715b23b1d"  # Ganache's first, known to all
SOON_S = 20.0
WORDS = "abandon " * 11 + "about"


def private(folder, text, mode=0o600):
    file = folder / "key"
    file.write_text(text)
    file.chmod(mode)
    return file


@pytest.mark.parametrize("mode", [0o604, 0o640, 0o660, 0o644, 0o620, 0o602, 0o601, 0o777])
def test_h150_a_key_that_others_can_reach_is_not_read(tmp_path, mode):
    file = private(tmp_path, KEY, mode)
    with pytest.raises(KeyExposed) as caught:
        read_wallet(file, "cosmos")
    assert caught.value.mode == f"{mode:04o}"
    assert f"chmod 600 '{file}'" in str(caught.value)
    assert KEY[:8] not in str(caught.value)
    file.chmod(0o400)
    assert read_wallet(file, "cosmos").address == Wallet(bytes.fromhex(KEY), "cosmos").address


def test_h150_the_mode_is_that_of_the_file_that_is_read(tmp_path):
    """The mode of a symbolic link does not matter, only that of its target."""
    (tmp_path / "link").symlink_to(private(tmp_path, KEY, 0o644))
    with pytest.raises(KeyExposed):
        read_wallet(tmp_path / "link", "cosmos")


def test_a_pipe_and_a_folder_are_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "pipe", 0o600)
    (tmp_path / "folder").mkdir(0o700)
    for name in ("pipe", "folder"):
        with pytest.raises(KeyRefused, match="not a file"):
            read_private_file(tmp_path / name)


@pytest.mark.parametrize("text", ["é" * 32, "a" * (MAX_BYTES + 1)])
def test_what_no_key_file_holds(tmp_path, text):
    with pytest.raises(KeyRefused, match="bytes of ASCII"):
        read_private_file(private(tmp_path, text))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (KEY[:-1], "not 64 hex digits"),
        (KEY + "0", "not 64 hex digits"),
        ("0" * 64, "not a key of secp256k1"),
        ("f" * 64, "not a key of secp256k1"),
        ("", "not 64 hex digits"),
        (KEY[:-2] + "zz", "not 64 hex digits"),
        (f"{KEY} {KEY}", "a mnemonic has 12"),
        ("abandon " * 12, "checksum"),
    ],
)
def test_h150_what_is_no_key_is_refused_without_being_repeated(tmp_path, text, said):
    file = private(tmp_path, text)
    with pytest.raises(KeyRefused, match=said) as caught:
        read_wallet(file, "cosmos")
    assert caught.value.__context__ is None
    assert str(caught.value).startswith(str(file))
    for part in (text[:8], "abandon"):
        assert not part.strip() or part not in str(caught.value).removeprefix(str(file))


def test_mnemonics_environment_and_paths(tmp_path):
    file = private(tmp_path, WORDS + "\n")
    found = read_wallet(file, "cosmos")
    assert found.address.text == "cosmos19rl4cm2hmr8afy4kldpxz3fka4jguq0auqdal4"
    environ = {"MONEY": WORDS, "OTHER": f"0x{KEY}", "EMPTY": ""}
    assert read_wallet("env:MONEY", "cosmos", environ=environ).address == found.address
    second = read_wallet("env:MONEY", "cosmos", hd_path="m/44'/118'/0'/0/1", environ=environ)
    assert second.address != found.address
    assert read_wallet("env:OTHER", "py", environ=environ).address.text.startswith("py1")
    for name in ("env:EMPTY", "env:NONE"):
        with pytest.raises(KeyRefused, match="not set"):
            read_wallet(name, "cosmos", environ=environ)
    with pytest.raises(KeyRefused, match="belongs to a mnemonic"):
        read_wallet("env:OTHER", "cosmos", hd_path="m/0", environ=environ)


def test_ethereum_s_addresses_and_signatures():
    wallet = Wallet(bytes.fromhex(KEY), "evmos", ETHSECP256K1)
    assert wallet.address.raw.hex() == "90f8bf6a479f320ead074411a4b0e7944ea8c9c1"  # Ganache's first
    raw = wallet.sign_tx(
        [AnyMessage("/x.Y", b"z")], chain_id="e_9-1", account_number=3, sequence=4, gas_limit=5
    )
    at = raw.index(b"/ethermint.crypto.v1.ethsecp256k1.PubKey")
    assert at > 0
    # Our own chains do not know the type of key: the signature is looked at with ours in its place.
    plain = Wallet(bytes.fromhex(KEY), "evmos").sign_tx(
        [AnyMessage("/x.Y", b"z")], chain_id="e_9-1", account_number=3, sequence=4, gas_limit=5
    )
    tx = decode_tx(plain)
    (info,) = tx.signer_infos
    key = AnyMessage(ETHSECP256K1.type_url, PubKey(key=wallet.public_key).SerializeToString())
    auth = encode_auth_info([info._replace(public_key=key)], tx.fee)
    document = sign_bytes(tx.body_bytes, auth, "e_9-1", 3)
    assert secp256k1.verify_digest(wallet.public_key, keccak256(document), raw[-64:])
    assert not secp256k1.verify(wallet.public_key, document, raw[-64:])


def test_account_types_have_their_names():
    assert list(KEY_TYPES) == ["secp256k1", "ethsecp256k1", "cosmos-evm", "injective"]
    urls = {each.type_url for each in KEY_TYPES.values()}
    assert len(urls) == 4
    assert INJECTIVE.type_url == "/injective.crypto.v1beta1.ethsecp256k1.PubKey"
    assert parse_key(WORDS, "x", SECP256K1) != parse_key(WORDS, "x", INJECTIVE)


def test_a_file_is_written_for_its_owner_alone_and_never_over_another(tmp_path):
    file = tmp_path / "new"
    write_private_file(file, KEY)
    assert file.stat().st_mode & 0o777 == 0o600
    with pytest.raises(FileExistsError):
        write_private_file(file, "other")
    assert read_private_file(file) == KEY


def test_h150_a_key_that_cannot_be_written_leaves_nothing(tmp_path, monkeypatch):
    """A file without its key would block the next attempt."""

    def full(_):
        assert not (tmp_path / "new").exists()
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(keys.os, "fsync", full)
        with pytest.raises(OSError, match="No space left"):
            write_private_file(tmp_path / "new", KEY)
    assert list(tmp_path.iterdir()) == []
    write_private_file(tmp_path / "new", KEY)
    with pytest.raises(FileExistsError) as caught:
        write_private_file(tmp_path / "new", "other")
    assert str(caught.value) == f"[Errno 17] File exists: '{tmp_path}/new'"
    assert [path.name for path in tmp_path.iterdir()] == ["new"]


@pytest.mark.parametrize("number", [errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS])
def test_where_there_are_no_hard_links_a_key_is_written_all_the_same(tmp_path, monkeypatch, number):
    def refuse(*_):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "link", refuse)
    file = tmp_path / "key"
    write_private_file(file, KEY)
    assert read_private_file(file) == KEY
    with pytest.raises(FileExistsError) as refused:
        write_private_file(file, "other")
    assert refused.value.filename == str(file)
    assert read_private_file(file) == KEY
    assert [each.name for each in tmp_path.iterdir()] == ["key"]


def test_a_name_that_was_taken_for_a_key_that_did_not_come_is_given_back(tmp_path, monkeypatch):
    def refuse(number):
        def refused(*_):
            raise OSError(number, os.strerror(number))

        return refused

    monkeypatch.setattr(os, "link", refuse(errno.EPERM))
    monkeypatch.setattr(keys.Path, "replace", refuse(errno.EIO))
    with pytest.raises(OSError, match="Input/output error"):
        write_private_file(tmp_path / "key", KEY)
    assert list(tmp_path.iterdir()) == []


def test_another_trouble_with_the_name_is_told_and_nothing_is_left(tmp_path, monkeypatch):
    def refuse(*_):
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(os, "link", refuse)
    with pytest.raises(OSError, match="Read-only"):
        write_private_file(tmp_path / "key", KEY)
    assert list(tmp_path.iterdir()) == []


def test_a_key_that_a_command_prints(tmp_path):
    known = Wallet(bytes.fromhex(KEY), "cosmos").address
    (tmp_path / "a key").write_text(KEY + "\n")
    assert read_wallet(f"command:cat '{tmp_path}/a key'", "cosmos").address == known
    words = Wallet(parse_key(WORDS, "words"), "cosmos").address
    assert read_wallet(f"command:echo {WORDS}", "cosmos").address == words


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("command:", "no command"),
        ("command:cat 'a", "No closing quotation"),
        (f"command:sh -c 'echo {KEY}; exit 3'", "ended with 3"),
        ("command:printf %05000d 1", "does not print up to 4096 bytes of ASCII"),
        ("command:printf \\\\377", "does not print up to 4096 bytes of ASCII"),
        (f"command:echo {KEY[:-1]}; rm", "a mnemonic has 12"),
    ],
)
def test_h193_a_command_that_prints_no_key_is_refused_without_what_it_printed(command, reason):
    with pytest.raises(KeyRefused, match=reason) as caught:
        read_wallet(command, "cosmos")
    assert caught.value.__cause__ is None or "quotation" in reason
    assert KEY not in str(caught.value).replace(command, "")
    assert KEY not in repr(caught.value.__context__)


def test_a_command_that_never_ends_is_ended(monkeypatch):
    monkeypatch.setattr(keys, "COMMAND_S", 0.05)
    with pytest.raises(KeyRefused, match=r"no answer within 0\.05 s"):
        read_wallet("command:sleep 60", "cosmos")


class Stop(BaseException):
    """What a pause raises in a thread that is asked to stop."""


def test_a_command_is_killed_with_its_children(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)

    def pause(_):
        with suppress(BlockingIOError):
            if os.read(reader, 1):
                raise Stop

    with pytest.raises(Stop):
        read_wallet(f"command:sh -c '(printf x; sleep 600) > {tmp_path}/pipe & wait'", "cosmos", pause=pause)
    assert select.select([reader], [], [], SOON_S)[0]  # it ends as soon as no process has it
    assert os.read(reader, 9) == b""
    os.close(reader)


def test_a_command_that_prints_without_end_is_ended():
    with pytest.raises(KeyRefused, match="does not print up to 4096 bytes"):
        read_wallet("command:yes", "cosmos")


def test_a_child_that_stays_does_not_keep_its_command_from_ending():
    """Agents of password stores go on in the background, with the pipe in their hands."""
    known = Wallet(bytes.fromhex(KEY), "cosmos").address
    assert read_wallet(f"command:sh -c 'sleep 3 & echo {KEY}'", "cosmos").address == known


def test_no_shell_runs_a_command(tmp_path):
    with pytest.raises(KeyRefused):
        read_wallet(f"command:echo x; touch {tmp_path}/made", "cosmos")
    assert list(tmp_path.iterdir()) == []


def test_a_command_that_is_not_there_is_named():
    with pytest.raises(FileNotFoundError, match="no-such-command"):
        read_wallet("command:no-such-command", "cosmos")
