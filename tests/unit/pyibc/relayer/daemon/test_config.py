"""A configuration is read completely, or refused with the place of the error."""

import shutil
from pathlib import Path

import pytest

from pyibc.queues.types import End
from pyibc.relayer.daemon.config import MAX_PATHS, PathConfig, read_config
from pyibc.relayer.errors import WrongConfiguration

CERTIFICATE = Path(__file__).parents[1] / "rpc/tls/certificate.pem"
ONE, OTHER = f"0x{'1a' * 20}@http://127.0.0.1:4", f"0x{'2b' * 20}@http://127.0.0.1:5"
WHOLE = """
[relayer]
listen = "127.0.0.1:0"
interval = 0.05

[[chains]]
id = "a-1"
rpc = ["http://127.0.0.1:1", "http://127.0.0.1:2"]
prefix = "cosmos"
key = { file = "a.key" }
fees = { denom = "uatom", price = "0.025", market = "feemarket", max_price = "2" }

[[chains]]
id = "b-2"
rpc = ["http://127.0.0.1:3"]
key = { env = "B_KEY", hd_path = "m/44'/60'/0'/0/0", type = "ethsecp256k1" }

[[paths]]
a = "a-1"
b = "b-2"
channels = ["channel-0", "channel-7"]
"""


@pytest.fixture
def read(tmp_path):
    def reading(text):
        file = tmp_path / "relayer.toml"
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_config(file)

    return reading


def test_a_whole_file_is_read(read):
    config = read(WHOLE)
    assert [chain.id for chain in config.chains] == ["a-1", "b-2"]
    assert config.chain("b-2").key.type == "ethsecp256k1"
    assert config.chain("a-1").fees.price == "0.025"
    assert config.paths[0].channels == ("channel-0", "channel-7")
    assert config.paths[0].label == "a-1/channel-0,channel-7/b-2"
    assert read(WHOLE) == config


def test_files_are_beside_the_configuration(read, tmp_path):
    config = read(WHOLE)
    assert config.relayer.journal == str(tmp_path / "relayer.db")
    assert config.chain("a-1").key.file == str(tmp_path / "a.key")
    assert read(WHOLE.replace("a.key", "/etc/a.key")).chain("a-1").key.file == "/etc/a.key"


def test_a_file_of_authorities_is_read_at_the_start(read, tmp_path):
    text = WHOLE.replace('prefix = "cosmos"', 'ca_file = "ca.pem"')
    with pytest.raises(
        WrongConfiguration, match=r"chain a-1: ca_file: .*ca.pem: no certificates of authorities"
    ):
        read(text)
    shutil.copy(CERTIFICATE, tmp_path / "ca.pem")
    config = read(text)
    assert config.chain("a-1").ca_file == str(tmp_path / "ca.pem")
    assert config.chain("b-2").ca_file == ""


def test_several_keys_and_a_limit_of_fees(read, tmp_path):
    several = 'keys = [{ file = "one.key" }, { env = "TWO" }]'
    text = WHOLE.replace('key = { file = "a.key" }', several).replace('max_price = "2"', "max_fee = 7_000")
    chain = read(text).chain("a-1")
    assert [(key.file, key.env) for key in chain.signers] == [
        (str(tmp_path / "one.key"), None),
        (None, "TWO"),
    ]
    assert chain.fees.max_fee == 7_000
    assert read(WHOLE).chain("a-1").fees.max_fee is None
    assert [key.env for key in read(WHOLE).chain("b-2").signers] == ["B_KEY"]


def attested(*listed, threshold=1):
    lines = f"attestors = {{ listed = {list(listed)}, threshold = {threshold} }}"
    return WHOLE.replace('id = "b-2"', f'id = "b-2"\n{lines}')


def test_attestors_are_read(read):
    quorum = read(attested(ONE, OTHER, threshold=2)).chain("b-2").quorum
    assert (quorum.chain_id, quorum.threshold) == ("b-2", 2)
    assert [each.address for each in quorum.attestors] == [b"\x1a" * 20, b"\x2b" * 20]
    assert [each.url for each in quorum.attestors] == ["http://127.0.0.1:4", "http://127.0.0.1:5"]
    assert read(WHOLE).chain("b-2").quorum is None


@pytest.mark.parametrize(
    ("listed", "threshold", "reason"),
    [
        ((ONE,), 2, "attestors: b-2: threshold 2 of 1 is out of range"),
        ((ONE,), 0, "attestors: b-2: threshold 0 of 1 is out of range"),
        ((ONE, ONE), 1, "attestors: b-2: one attestor is listed twice"),
        ((ONE[:-20],), 1, "attestors: not an attestor: 0xADDRESS@URL is expected"),
        ((ONE.replace("http", "ftp"),), 1, "attestors: "),
    ],
)
def test_attestors_that_never_sign_enough_are_refused(read, listed, threshold, reason):
    with pytest.raises(WrongConfiguration) as caught:
        read(attested(*listed, threshold=threshold))
    assert reason in caught.value.reason


def test_two_chains_have_no_attestors_in_common(read):
    line = f"attestors = {{ listed = ['{ONE}'], threshold = 1 }}"
    text = attested(ONE).replace('id = "a-1"', f'id = "a-1"\n{line}')
    with pytest.raises(WrongConfiguration, match="attestors: two quorums for one chain, or with the same"):
        read(text)


def test_ends_of_queues_are_parsed():
    path = PathConfig(a="a-1", b="b-2", protocol="queue", ends=(("a-1/connection-0/channel-3", "b-2"),))
    assert path.queue_ends == [(End("a-1", "connection-0", "channel-3"), End("b-2"))]


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        ("interval", "intervall", "intervall"),
        ('price = "0.025"', "price = 0.025", "$.chains[0].fees.price"),
        (
            'key = { file = "a.key" }',
            'key = { file = "a.key", env = "A" }',
            "needs exactly one of file, env and command",
        ),
        ('key = { file = "a.key" }', "key = {}", "needs exactly one of file, env and command"),
        ('key = { file = "a.key" }', "", "either key, or keys"),
        ('key = { file = "a.key" }', "keys = []", "either key, or keys"),
        ('key = { file = "a.key" }', "key = { command = [] }", "needs exactly one of file, env and command"),
        (
            'key = { file = "a.key" }',
            'key = { command = ["pass"], env = "A" }',
            "needs exactly one of file, env and command",
        ),
        ('key = { file = "a.key" }', 'keys = [{ env = "A" }]\nkey = { env = "B" }', "either key, or keys"),
        ('key = { file = "a.key" }', 'keys = [{ env = "A" }, { env = "A" }]', "a key is there twice"),
        (
            'key = { file = "a.key" }',
            'keys = [{ env = "A" }, {}]',
            "needs exactly one of file, env and command",
        ),
        ('max_price = "2"', "max_fee = -1", "max_fee is negative"),
        ('max_price = "2"', 'max_fee = "1"', "$.chains[0].fees.max_fee"),
        ('rpc = ["http://127.0.0.1:3"]', "rpc = []", "one to 16 URLs"),
        ('id = "b-2"', 'id = "b-2"\nprefix = "B"', "chain b-2: 'B' is not a bech32 prefix"),
        ('"a.key"', '"a\\u0000.key"', "a\\x00.key' has a zero byte"),
        (
            'key = { file = "a.key" }',
            'key = { command = ["p\\u0000"] }',
            "key: 'p\\x00' has a zero",
        ),
        ("interval = 0.05", 'journal = "j\\u0000"', "relayer.journal: "),
        ('id = "b-2"', 'id = "a-1"', "two chains are called a-1"),
        ('b = "b-2"', 'b = "c-3"', "no chain is called 'c-3'"),
        ('b = "b-2"', 'b = "a-1"', "both ends are on 'a-1'"),
        ('channels = ["channel-0", "channel-7"]', "", "needs channels"),
        ("channels = [", 'client = "07-tendermint-0"\nchannels = [', "of another protocol"),
        ("channels = [", 'protocol = "v3"\nchannels = [', "$.paths[0].protocol"),
        ('channels = ["channel-0", "channel-7"]', 'protocol = "v2"', "needs client"),
        (
            'channels = ["channel-0", "channel-7"]',
            'protocol = "queue"\nends = [["x/y", "b-2"]]',
            "an end is CHAIN",
        ),
        ('"127.0.0.1:0"', '"here"', "relayer.listen is HOST:PORT"),
        ('"127.0.0.1:0"', '"127.0.0.1:99999"', "relayer.listen is HOST:PORT"),
        ("interval = 0.05", "interval = 0", "between 0.01 and 3600"),
        ("interval = 0.05", "interval = nan", "between 0.01 and 3600"),
        ("[relayer]", "[relayer", "Expected ']'"),
    ],
)
def test_what_is_wrong_is_named(read, before, after, reason):
    assert before in WHOLE
    text = WHOLE.replace(before, after, 1)
    with pytest.raises(WrongConfiguration) as caught:
        read(text)
    assert reason in caught.value.reason


def test_what_is_no_text_is_refused(read):
    with pytest.raises(WrongConfiguration, match="invalid start byte"):
        read(WHOLE.encode() + b"# \xff")


def test_what_is_too_much_is_refused(read):
    paths = "".join(
        f'\n[[paths]]\na = "a-1"\nb = "b-2"\nname = "{n}"\nchannels = ["channel-{n}"]'
        for n in range(MAX_PATHS)
    )
    with pytest.raises(WrongConfiguration, match="at most"):
        read(WHOLE + paths)
    with pytest.raises(WrongConfiguration, match="more than 1048576 bytes"):
        read(WHOLE + "#" * (1 << 20))


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(WrongConfiguration) as caught:
        read_config(tmp_path / "none.toml")
    assert caught.value.file == str(tmp_path / "none.toml")
    assert caught.value.reason == "No such file or directory"
