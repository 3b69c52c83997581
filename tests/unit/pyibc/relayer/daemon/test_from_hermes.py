"""Conversion of Hermes' configuration, with notes on settings that cannot be converted."""

from fractions import Fraction

import pytest

from pyibc.relayer.daemon.config_file import read_config
from pyibc.relayer.daemon.from_hermes import convert
from pyibc.relayer.errors import WrongConfiguration
from pyibc.relayer.money.wallet import Wallet

GRANTER = Wallet.from_seed("granter", "evmos").address.text
HERMES = """
[global]
log_level = "info"
[mode.packets]
enabled = true
[telemetry]
enabled = true
host = "127.0.0.1"
port = 3001

[[chains]]
id = "cosmoshub-4"
type = "CosmosSdk"
rpc_addr = "http://127.0.0.1:26657"
grpc_addr = "http://127.0.0.1:9090"
rpc_timeout = "10s"
account_prefix = "cosmos"
key_name = "hub"
store_prefix = "ibc"
gas_price = { price = 0.0025, denom = "uatom" }
gas_multiplier = 1.1
max_gas = 4000000
memo_prefix = 'a "good" relayer\\'
trusting_period = "14days"
[chains.packet_filter]
policy = "allow"
list = [["transfer", "channel-141"], ["transfer", "channel-999"], ["ica*", "*"]]

[[chains]]
id = "evmos_9001-2"
rpc_addr = "http://127.0.0.1:36657"
account_prefix = "evmos"
key_name = "evm"
address_type = { derivation = "ethermint", proto_type = { pk_type = "/ethermint.crypto.v1.ethsecp256k1" } }
gas_price = { price = 25000000000, denom = "aevmos" }
fee_granter = "{GRANTER}"
[chains.packet_filter]
policy = "allow"
list = [["transfer", "channel-3"]]
""".replace("{GRANTER}", GRANTER)
ENDS = {
    ("cosmoshub-4", "transfer", "channel-141"): "evmos_9001-2",
    ("evmos_9001-2", "transfer", "channel-3"): "cosmoshub-4",
    ("cosmoshub-4", "transfer", "channel-999"): "elsewhere-1",
}


def other_end(*which):
    return ENDS.get(which)


@pytest.fixture
def hermes(tmp_path):
    def write(text):
        file = tmp_path / "hermes.toml"
        file.write_text(text)
        return file

    return write


def test_what_we_write_is_a_configuration(hermes, tmp_path):
    converted = convert(hermes(HERMES), other_end)
    ours = tmp_path / "relayer.toml"
    ours.write_text(converted.text)
    config = read_config(ours)
    hub, evmos = config.chains
    assert (hub.id, hub.rpc, hub.prefix, hub.key.file) == (
        "cosmoshub-4",
        ("http://127.0.0.1:26657",),
        "cosmos",
        str(tmp_path / "hub.key"),
    )
    assert (hub.fees.denom, hub.fees.price, hub.fees.multiplier) == (
        "uatom",
        Fraction(1, 400),
        Fraction(11, 10),
    )
    assert (hub.fees.max_gas, hub.fees.memo) == (4_000_000, 'a "good" relayer\\')
    assert (evmos.key.type, evmos.key.hd_path) == ("ethsecp256k1", "m/44'/60'/0'/0/0")
    assert (evmos.fees.price, evmos.fees.granter) == (25000000000, GRANTER)
    assert config.relayer.listen == "127.0.0.1:3001"
    assert [(path.a, path.b, path.port, path.channels) for path in config.paths] == [
        ("cosmoshub-4", "evmos_9001-2", "transfer", ("channel-141",))
    ]


def test_what_is_not_carried_over_is_said(hermes):
    assert convert(hermes(HERMES), other_end).notes == [
        "cosmoshub-4: Hermes' keyring is not read: put the key 'hub' into its file (mode 0600)",
        "cosmoshub-4: not converted: trusting_period",
        "evmos_9001-2: Hermes' keyring is not read: put the key 'evm' into its file (mode 0600)",
        "cosmoshub-4: transfer/channel-999: the chain at its other end is elsewhere-1",
        "cosmoshub-4: the pattern ica*/* is not a path",
    ]


def test_chains_without_a_filter_get_a_note(hermes):
    bare = '[[chains]]\nid = "a-1"\nrpc_addr = "http://h:1"\nkey_name = "k"\n'
    converted = convert(hermes(bare), other_end)
    assert "[[paths]]" not in converted.text
    assert converted.notes[-1].startswith("a-1: no filter names its channels")


@pytest.mark.parametrize("text", ["", "[chains]", "chains = 3", "chains = [1]", '[[chains]]\nid = "a"', "[["])
def test_what_is_not_of_hermes_is_refused(hermes, text):
    with pytest.raises(WrongConfiguration):
        convert(hermes(text), other_end)
