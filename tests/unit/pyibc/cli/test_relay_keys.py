"""`pyibc relay keys`: files for their owner alone, and no part of a key in any output."""

import json

import pytest
from click.testing import CliRunner

from pyibc.cli.relay.keys import command
from pyibc.relayer.money.hd_keys import COUNTS
from pyibc.relayer.money.keys import read_wallet

KEY = "4f3edf983ac636a65a842ce7c78d9aa706d3b113bce9c46f30d7d21715b23b1d"
WORDS = "abandon " * 11 + "about"
COSMOS = "cosmos19rl4cm2hmr8afy4kldpxz3fka4jguq0auqdal4"


@pytest.fixture
def keys(tmp_path):
    """Run the command with a folder of its own."""

    def invoke(*arguments, **more):
        return CliRunner().invoke(command, [*arguments, "--dir", str(tmp_path / "keys")], **more)

    return invoke


def test_h150_a_key_is_kept_for_its_owner_alone_and_never_shown(keys, tmp_path):
    added = keys("add", "hub", "--json", input=WORDS)
    assert added.exit_code == 0, added.output
    assert json.loads(added.stdout)[0]["address"] == COSMOS
    file = tmp_path / "keys" / "hub.key"
    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert read_wallet(file, "cosmos").address.text == COSMOS
    assert "abandon" not in file.read_text()  # the one key, not all of them
    shown = keys("show", "hub"), keys("list"), keys("show", "hub", "--prefix", "osmo")
    for result in (added, *shown):
        assert result.exit_code == 0
        assert "abandon" not in result.output
        assert file.read_text().strip() not in result.output
    assert COSMOS in shown[0].output
    assert "osmo1" in shown[2].output


def test_other_types_and_paths(keys):
    assert keys("add", "evm", "--type", "ethsecp256k1", "--prefix", "evmos", input=KEY).exit_code == 0
    assert keys("add", "second", "--hd-path", "m/44'/118'/0'/0/1", input=WORDS).exit_code == 0
    found = json.loads(keys("list", "--json").stdout)
    assert [row["name"] for row in found] == ["evm", "second"]
    assert COSMOS not in {row["address"] for row in found}


@pytest.mark.parametrize("text", ["", KEY[:-1], "abandon " * 12, "0" * 64])
def test_h150_what_is_no_key_is_not_kept_nor_repeated(keys, tmp_path, text):
    result = keys("add", "hub", input=text)
    assert result.exit_code == 2
    assert "the input: " in result.output
    assert not text or text[:8] not in result.output
    assert not (tmp_path / "keys").exists()


def test_a_name_that_is_taken_and_names_that_lead_away(keys, tmp_path):
    assert keys("add", "hub", input=KEY).exit_code == 0
    before = (tmp_path / "keys" / "hub.key").read_text()
    again = keys("add", "hub", input=WORDS)
    assert (again.exit_code, (tmp_path / "keys" / "hub.key").read_text()) == (1, before)
    for name in ("../hub", "a/b", ".hidden", "", "x" * 65):
        assert keys("add", name, input=KEY).exit_code == 2
    assert [each.name for each in tmp_path.rglob("*.key")] == ["hub.key"]


def test_h150_a_file_that_others_can_read_is_not(keys, tmp_path):
    keys("add", "hub", input=KEY)
    (tmp_path / "keys" / "hub.key").chmod(0o640)
    for result in (keys("show", "hub"), keys("list")):
        assert (result.exit_code, "chmod 600" in result.output) == (2, True)


def test_a_new_one_prints_its_words_once(keys):
    result = keys("add", "hub", "--new")
    words = result.stderr.splitlines()[-1]
    assert len(words.split()) in COUNTS
    assert words not in result.stdout
    assert keys("add", "same", input=words).exit_code == 0
    found = json.loads(keys("list", "--json").stdout)
    assert found[0]["address"] == found[1]["address"]


def test_deleting_asks(keys, tmp_path):
    keys("add", "hub", input=KEY)
    assert keys("delete", "hub", input="n\n").exit_code == 1
    assert (tmp_path / "keys" / "hub.key").exists()
    assert keys("delete", "hub", "--yes").exit_code == 0
    assert not (tmp_path / "keys" / "hub.key").exists()
    assert keys("delete", "hub", "--yes").exit_code == 1
    assert keys("show", "hub").exit_code == 1


def test_what_was_deleted_is_told_in_json_alone(keys):
    keys("add", "hub", input=KEY)
    deleted = keys("delete", "hub", "--json", input="y\n")
    assert (deleted.exit_code, json.loads(deleted.stdout)) == (0, [{"name": "hub", "deleted": True}])
    again = keys("delete", "hub", "--json", "--yes")
    assert (again.exit_code, again.stdout) == (1, "")


@pytest.mark.parametrize("prefix", ["", "Cosmos", "caf\u00e9", "\udcff", "a" * 84, "a b"])
def test_a_prefix_that_no_address_has_is_wrong_use_and_keeps_nothing(keys, tmp_path, prefix):
    result = keys("add", "hub", "--prefix", prefix, input=KEY)
    assert result.exit_code == 2
    assert "is not a bech32 prefix" in result.output
    assert not (tmp_path / "keys").exists()


CHAINS = """
paths = []

[[chains]]
id = "osmosis-1"
rpc = ["http://n:1"]
prefix = "osmo"
key = {{ file = "{file}" }}

[[chains]]
id = "evm-9"
rpc = ["http://n:1"]
prefix = "evmos"
keys = [{{ file = "keys/evm.key", type = "ethsecp256k1" }}, {{ file = "keys/both.key" }}]

[[chains]]
id = "inj-1"
rpc = ["http://n:1"]
prefix = "inj"
key = {{ env = "KEY", type = "injective" }}
"""


@pytest.fixture
def config(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "relayer.toml").write_text(CHAINS.format(file="keys/../keys/both.key"))


def rows(result):
    assert result.exit_code == 0, result.output
    return [(row["name"], row["chain"], row["address"][:6], row["type"]) for row in json.loads(result.stdout)]


def test_addresses_have_the_prefix_of_each_chain_that_uses_the_key(keys, config):
    both = [
        ("both", "osmosis-1", "osmo19", "secp256k1"),
        ("both", "evm-9", "evmos1", "secp256k1"),
    ]
    assert rows(keys("add", "both", "--json", input=WORDS)) == both
    assert rows(keys("add", "evm", "--json", input=KEY)) == [("evm", "evm-9", "evmos1", "ethsecp256k1")]
    assert rows(keys("add", "other", "--json", input=KEY))[0][1:3] == (None, "cosmos")
    assert rows(keys("show", "both", "--json")) == both
    assert [row[:2] for row in rows(keys("list", "--json"))] == [
        *(("both", "osmosis-1"), ("both", "evm-9"), ("evm", "evm-9"), ("other", None)),
    ]
    lines = keys("show", "both").stdout.splitlines()
    assert [line.split()[-1] for line in lines] == ["osmosis-1", "evm-9"]


def test_a_chain_a_configuration_and_a_prefix_can_be_named(keys, config, tmp_path):
    keys("add", "both", input=WORDS)
    assert rows(keys("show", "both", "--json", "--prefix", "juno")) == [("both", None, "juno19", "secp256k1")]
    assert rows(keys("show", "both", "--json", "--chain", "osmosis-1"))[0][1] == "osmosis-1"
    (row,) = json.loads(keys("show", "both", "--json", "--chain", "inj-1").stdout)
    assert (row["address"][:4], row["type"]) == ("inj1", "injective")
    other = tmp_path / "other.toml"
    other.write_text(CHAINS.format(file="keys/new.key"))
    assert rows(keys("add", "new", "--json", "--config", str(other), input=WORDS))[0][2] == "osmo19"


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--chain", "juno-1"], "has no chain 'juno-1'; it has: osmosis-1, evm-9, inj-1"),
        (["--chain", "evm-9"], "evm-9 has keys of several types: choose one with --type"),
        (["--prefix", "juno", "--chain", "osmosis-1"], "--prefix cannot be combined with --chain"),
        (["--config", "none.toml"], "none.toml: there is no such file: "),
    ],
)
def test_a_chain_that_is_not_known_is_wrong_use_and_keeps_nothing(keys, config, tmp_path, arguments, reason):
    result = keys("add", "third", *arguments, input=KEY)
    assert (result.exit_code, reason in result.output) == (2, True), result.output
    assert not (tmp_path / "keys").exists()


def test_a_configuration_that_is_wrong_is_told_unless_a_prefix_is_given(keys, config, tmp_path):
    (tmp_path / "relayer.toml").write_text("chains = 3")
    assert keys("add", "hub", input=KEY).exit_code == 2
    assert keys("add", "hub", "--prefix", "osmo", input=KEY).exit_code == 0
