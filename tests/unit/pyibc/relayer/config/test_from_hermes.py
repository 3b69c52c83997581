"""Conversion of Hermes' configuration, with notes on settings that cannot be converted."""

from fractions import Fraction

import pytest

from pyibc.relayer.config.file import read_config
from pyibc.relayer.config.from_hermes import convert
from pyibc.relayer.daemon.connecting import wallets_of
from pyibc.relayer.errors import WrongConfiguration
from pyibc.relayer.money.wallet import KEY_TYPES, Wallet

GRANTER = Wallet.from_seed("granter", "evmos").address.text
HERMES = """
[global]
log_level = "info"
[mode.packets]
enabled = true
ics20_max_memo_size = { enabled = true, size = "32KiB" }
ics20_max_receiver_size = { enabled = true, size = 2048 }
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
address_type.derivation = "ethermint"
address_type.proto_type.pk_type = "/ethermint.crypto.v1.ethsecp256k1.PubKey"
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
    assert (evmos.key.type, evmos.key.hd_path) == ("ethsecp256k1", None)
    assert (evmos.fees.price, evmos.fees.granter) == (25000000000, GRANTER)
    assert config.relayer.listen == "127.0.0.1:3001"
    assert [(path.a, path.b, path.port, path.channels) for path in config.paths] == [
        ("cosmoshub-4", "evmos_9001-2", "transfer", ("channel-141",))
    ]

    assert (config.paths[0].filter.max_memo, config.paths[0].filter.max_receiver) == (32 * 1024, 2048)


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("/injective.crypto.v1beta1.ethsecp256k1.PubKey", "injective"),
        ("/cosmos.evm.crypto.v1.ethsecp256k1.PubKey", "cosmos-evm"),
        ("/ethermint.crypto.v1.ethsecp256k1.PubKey", "ethsecp256k1"),
    ],
)
@pytest.mark.parametrize("key", ["11" * 32, "test " * 11 + "junk"])
def test_account_types_of_ethereum_s_keys_and_both_forms_of_a_key(hermes, tmp_path, url, kind, key):
    ours = tmp_path / "relayer.toml"
    text = HERMES.replace("/ethermint.crypto.v1.ethsecp256k1.PubKey", url)
    ours.write_text(convert(hermes(text), other_end).text)
    (tmp_path / "evm.key").write_text(key)
    (tmp_path / "evm.key").chmod(0o600)
    (wallet,) = wallets_of(read_config(ours).chains[1])
    assert wallet.key_type == KEY_TYPES[kind]


def test_other_account_types_get_a_note(hermes):
    text = HERMES.replace("/ethermint.crypto", "/other.crypto")
    (note,) = (each for each in convert(hermes(text), other_end).notes if "/other.crypto" in each)
    assert note.startswith("evmos_9001-2: public keys of type /other.crypto.v1.ethsecp256k1.PubKey are not")


@pytest.mark.parametrize(
    ("size", "ours"),
    [('"32KiB"', 32_768), ('"2 KB"', 2_000), ("100", 100), ('"0.5MiB"', 524_288), ('"7b"', 7)],
)
def test_sizes_have_units(hermes, size, ours):
    text = HERMES.replace('"32KiB"', size)
    assert f"max_memo = {ours}\n" in convert(hermes(text), other_end).text


def test_limits_that_are_off_or_absent_or_no_sizes(hermes):
    off = convert(hermes(HERMES.replace("enabled = true, size", "enabled = false, size")), other_end)
    assert "[paths.filter]" not in off.text
    absent = convert(hermes(HERMES.replace("ics20_max_memo_size", "x")), other_end)
    assert ("max_memo" in absent.text, "max_receiver = 2048" in absent.text) == (False, True)
    assert any(note.startswith("ics20_max_memo_size is not there: set max_memo") for note in absent.notes)
    wrong = convert(hermes(HERMES.replace("32KiB", "large")), other_end)
    assert "ics20_max_memo_size: large is not a size: set max_memo in [paths.filter]" in wrong.notes


def test_consumers_and_filters_by_fees_get_a_note_if_they_say_something(hermes):
    consumer = convert(hermes(HERMES.replace("max_gas", "ccv_consumer_chain = true\nmax_gas")), other_end)
    assert "cosmoshub-4: set `consumer` to its consumer id on the provider" in consumer.notes
    more = "[chains.packet_filter.min_fees.'*']\nrecv = [{ amount = 30, denom = 'x' }]\n"
    notes = convert(hermes(HERMES + more), other_end).notes
    assert any("packet_filter.min_fees has no counterpart" in note for note in notes)
    empty = "[chains.packet_filter.min_fees]\n[chains.excluded_sequences]\n"
    assert convert(hermes(HERMES + empty), other_end).notes == convert(hermes(HERMES), other_end).notes


def test_what_is_not_carried_over_is_said(hermes):
    assert convert(hermes(HERMES), other_end).notes == [
        "cosmoshub-4: `pyibc relay keys import-hermes --dir .` writes 'hub.key'",
        "cosmoshub-4: not converted: trusting_period",
        "evmos_9001-2: `pyibc relay keys import-hermes --dir .` writes 'evm.key'",
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


def test_excluded_sequences_belong_to_the_path_of_their_channel(hermes, tmp_path):
    ours = "[chains.excluded_sequences]\nchannel-141 = [1, '3-5']\nchannel-7 = [2]\n"
    head, second = HERMES.split('\n[[chains]]\nid = "evmos')
    text = f'{head}\n{ours}\n[[chains]]\nid = "evmos{second}[chains.excluded_sequences]\nchannel-3 = [6]\n'
    converted = convert(hermes(text), other_end)
    (tmp_path / "relayer.toml").write_text(converted.text)
    (path,) = read_config(tmp_path / "relayer.toml").paths
    assert path.excluded == {("cosmoshub-4", "channel-141"): {1, 3, 4, 5}, ("evmos_9001-2", "channel-3"): {6}}
    assert (
        'cosmoshub-4: excluded_sequences: add "cosmoshub-4/channel-7" to exclude_sequences of its path'
        in converted.notes
    )


def test_a_key_name_of_several_chains_is_the_file_that_the_import_writes(hermes):
    text = convert(hermes(HERMES.replace('key_name = "evm"', 'key_name = "hub"')), other_end).text
    assert 'file = "cosmoshub-4-hub.key"' in text
    assert 'file = "evmos_9001-2-hub.key"' in text
