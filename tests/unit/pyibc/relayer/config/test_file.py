"""A configuration is read completely, or refused with the place of the error."""

import shutil
from fractions import Fraction
from pathlib import Path

import pytest

from pyibc.queues.types import End
from pyibc.relayer.config import file as config_file
from pyibc.relayer.config.file import MAX_LISTED, read_config
from pyibc.relayer.config.model import PathConfig
from pyibc.relayer.config.rules import MAX_PATHS
from pyibc.relayer.daemon.connecting import gas_of
from pyibc.relayer.errors import WrongConfiguration
from pyibc.relayer.money.fees import PRICE_SOURCES

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
    assert config.chain("a-1").fees.price == Fraction(1, 40)
    assert config.paths[0].channels == ("channel-0", "channel-7")
    assert config.paths[0].label == "a-1/channel-0,channel-7/b-2"
    assert read(WHOLE) == config


def test_files_are_beside_the_configuration(read, tmp_path):
    config = read(WHOLE)
    assert config.relayer.journal == str(tmp_path / "relayer.db")
    assert config.chain("a-1").key.file == str(tmp_path / "a.key")
    assert read(WHOLE.replace("a.key", "/etc/a.key")).chain("a-1").key.file == "/etc/a.key"


def test_every_price_source_is_a_market(read):
    for name in PRICE_SOURCES:
        fees = read(WHOLE.replace("feemarket", name)).chain("a-1").fees
        assert gas_of(fees).price.source == PRICE_SOURCES[name]


def test_a_file_of_authorities_is_read_at_the_start(read, tmp_path):
    text = WHOLE.replace('prefix = "cosmos"', 'ca_file = "ca.pem"')
    with pytest.raises(
        WrongConfiguration, match=r"chain a-1, ca_file: .*ca.pem: no certificates of authorities"
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
        ("interval", "intervall", "line 4: relayer.intervall: unknown key"),
        ('price = "0.025"', 'price = "abc"', "line 11: chain a-1, fees.price: 'abc' is not a decimal number"),
        ('price = "0.025"', "price = -0.025", "'-0.025' is not a decimal number"),
        ('price = "0.025"', "price = 1e-19", "'1E-19' is not a decimal number"),
        ('price = "0.025"', "price = 1e999999999", "'1E+999999999' is not a decimal number"),
        ('price = "0.025"', "price = nan", "'NaN' is not a decimal number"),
        ('price = "0.025"', "price = true", "'True' is not a decimal number"),
        ('max_price = "2"', "multiplier = 0.9", "chain a-1, fees.multiplier: below 1"),
        ('max_price = "2"', "max_gas = 0", "chain a-1, fees.max_gas: not positive"),
        ('max_price = "2"', 'granter = "osmo1x"', "fees.granter: 'osmo1x' is not an address of the chain"),
        ('denom = "uatom"', 'denom = "?"', "chain a-1, fees.denom: '?' is not a denomination"),
        ('"http://127.0.0.1:2"', '"http://user:secret@"', "line 8: chain a-1, rpc[1]: not an http(s) URL"),
        ('"http://127.0.0.1:2"', '"http://127.0.0.1:1"', "line 8: chain a-1, rpc: a URL is there twice"),
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
        ('max_price = "2"', "budget = { sender = -1 }", "a budget is negative"),
        ('max_price = "2"', "budget = { senders = 1 }", "senders"),
        ('max_price = "2"', 'max_fee = "1"', "chain a-1, fees.max_fee: Expected"),
        ('rpc = ["http://127.0.0.1:3"]', "rpc = []", "chain b-2, rpc: 0 URLs: give one to 16"),
        ('id = "b-2"', 'id = "b-2"\nprefix = "B"', "line 15: chain b-2, prefix: 'B' is not a bech32 prefix"),
        ('"a.key"', '"a\\u0000.key"', "has a zero byte"),
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
        ("channels = [", 'except = ["channel-9"]\nchannels = [', "path 1, except: no channel or port is a"),
        ("channels = [", "max_channels = 0\nchannels = [", "line 21: path 1, max_channels: out of range"),
        ("channels = [", 'client = "07-tendermint-0"\nchannels = [', "of another protocol"),
        ("channels = [", 'protocol = "v3"\nchannels = [', "line 21: path 1, protocol: Invalid enum value"),
        ('channels = ["channel-0", "channel-7"]', 'protocol = "v2"', "needs client"),
        (
            'channels = ["channel-0", "channel-7"]',
            'protocol = "queue"\nends = [["x/y", "b-2"]]',
            "an end is CHAIN",
        ),
        ('"127.0.0.1:0"', '"here"', "line 3: relayer.listen: 'here' is not HOST:PORT"),
        ('"127.0.0.1:0"', '"127.0.0.1:99999"', "relayer.listen: '127.0.0.1:99999' is not HOST:PORT"),
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


@pytest.mark.parametrize("given", ["0.025", "2.5e-2", "25e-3", "0.0_25"])
def test_numbers_are_accepted_as_numbers_and_exact(read, given):
    assert read(WHOLE.replace('"0.025"', given)).chain("a-1").fees.price == Fraction(1, 40)


def test_a_number_that_no_float_holds_stays_as_it_is_written(read):
    text = WHOLE.replace('"0.025"', "1234567890.000000000000000001").replace(
        'max_price = "2"', "max_price = 3"
    )
    fees = read(text).chain("a-1").fees
    assert (fees.price, fees.max_price) == (1234567890 + Fraction(1, 10**18), 3)
    assert read(text).relayer.interval == 0.05


def test_all_mistakes_are_told_at_once_by_line(read):
    text = WHOLE.replace("0.025", "abc").replace("interval", "intervall").replace('id = "b-2"\n', "")
    text = text.replace('["http://127.0.0.1:3"]', '[\n  "ftp://x",\n]').replace('b = "b-2"', 'b = "c-3"')
    with pytest.raises(WrongConfiguration) as caught:
        read(text)
    assert [line.strip().partition(" not ")[0] for line in caught.value.reason.splitlines()] == [
        "",
        "line 4: relayer.intervall: unknown key: remove it, or correct its name",
        "line 11: chain a-1, fees.price: 'abc' is",
        "line 13: chain 2: Object missing required field `id`",
        "line 21: path 1, b: no chain is called 'c-3': use the id of one of [[chains]]",
    ]


def test_mistakes_beyond_those_that_are_listed_are_counted_out(read):
    many = "".join(f'\n[[paths]]\na = "x-{n}"\nb = "b-2"\nchannels = ["channel-{n}"]' for n in range(20))
    with pytest.raises(WrongConfiguration) as caught:
        read(WHOLE + many)
    assert caught.value.reason.count("no chain is called") == MAX_LISTED
    assert caught.value.reason.endswith("and more: correct these first")


def test_the_line_of_a_value_in_a_multi_line_array_is_its_first(read):
    text = WHOLE.replace('["http://127.0.0.1:3"]', "[\n  # one\n]").replace(
        "\n[[paths]]", "\n# last\n\n[[paths]]"
    )
    with pytest.raises(WrongConfiguration, match="line 15: chain b-2, rpc: 0 URLs"):
        read(text)


def test_the_search_for_a_line_is_bounded(read, monkeypatch):
    monkeypatch.setattr(config_file, "MAX_READ", 10_000)
    with pytest.raises(WrongConfiguration) as caught:
        read("x = [\n" + "1,\n" * 5_000 + "]\n" + WHOLE.replace("interval", "intervall"))
    assert "\n  relayer.intervall: unknown key" in caught.value.reason


PATH = '[[paths]]\na = "a-1"\nb = "b-2"\n'


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        (
            PATH + 'name = "x"\nchannels = ["channel-7"]',
            "channel-7 is relayed by path a-1/channel-0,channel-7/b-2",
        ),
        (
            PATH + 'channels = ["channel-5", "channel-5"]',
            "channel-5 is relayed by path a-1/channel-5,channel-5/b-2",
        ),
        (
            PATH + 'protocol = "v2"\nname = "{}"\nclient = "07-tendermint-3"',
            "path y, client: 07-tendermint-3 is relayed by path x",
        ),
        (PATH + 'protocol = "queue"\nname = "{}"', "path y, ends: a-1 b-2 is relayed by path x already"),
        (
            PATH + 'name = "{}"\nchannels = ["*"]\nexcept = ["channel-0", "channel-7"]',
            "* is relayed by path x",
        ),
        (
            PATH + 'port = "*"\nchannels = ["*"]',
            "channel-0 is relayed by path a-1/*/b-2 too: name it under `except`",
        ),
    ],
)
def test_a_path_that_is_given_twice_is_refused(read, more, reason):
    text = more.format("x") + "\n\n" + more.format("y") if "{}" in more else more
    with pytest.raises(WrongConfiguration) as caught:
        read(WHOLE + text)
    assert reason in caught.value.reason


def test_the_same_names_elsewhere_are_other_paths(read):
    more = PATH + 'port = "other"\nname = "x"\nchannels = ["channel-0"]\n\n'
    more += PATH + 'name = "y"\nchannels = ["*"]\nexcept = ["channel-0", "channel-7"]\n'
    more += '[[paths]]\na = "b-2"\nb = "a-1"\nchannels = ["channel-0"]\n'
    assert len(read(WHOLE + more).paths) == 4
