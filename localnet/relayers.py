"""Configuration of Hermes 1.13 for local chains: config.toml and key files.

    from localnet.relayers import of_network, write_hermes
    config = write_hermes(folder, of_network(Network("default")), relayer)

Then `hermes --config FOLDER/config.toml start`. For test networks only: the keys are stored in plain text.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from localnet.network import Network
from localnet.settings import read_network, read_node
from pyibc.core.identifiers import validate_channel_id
from pyibc.relayer.money.keys import read_private_file, write_private_file
from pyibc.relayer.money.wallet import Wallet, seed_key

HERMES_CONFIG = "config.toml"
KEY_NAME = "relayer"
_KEYS = "keys"


class HermesChain(NamedTuple):
    """Connection of Hermes to a chain."""

    chain_id: str
    rpc: str  # http://host:port
    grpc: str  # http://host:port
    prefix: str = "cosmos"
    gas_price: tuple[str, str] = ("0.001", "stake")  # price per unit of gas, and its denomination


class HermesConfig(NamedTuple):
    """Options of Hermes that differ from its defaults."""

    pull: bool = False  # poll for blocks instead of subscribing by WebSocket
    clear_interval: int = 100  # blocks between packet clearing; 0 for never
    clear_on_start: bool = True
    channels: bool = False  # complete channel handshakes of other parties, such as interchain accounts'
    misbehaviour: bool = True  # monitor misbehaviour; needs the event attribute `header`
    trusted_node: bool = False  # accept headers without verification
    max_messages: int = 30  # per transaction
    max_tx_bytes: int = 180_000
    batch_delay_ms: int = 200  # how long events are collected
    trusting_period: str = "14days"
    refresh_rate: str = "1/3"  # fraction of the trusting period after which a client is refreshed
    log_level: str = "info"


def of_network(network: Network) -> list[HermesChain]:
    """Return the chains of a network under CometBFT, each with its first validator's node.

    Raises:
        NoSuchNetwork: the network does not exist.
        ValueError: a chain has no gRPC server because it does not run under CometBFT.
    """
    chains = []
    settings = network.settings()
    for chain_id in settings.chain_ids:
        node = read_node(network.folder / chain_id)
        if not node.ports:
            raise ValueError(f"{chain_id}: Hermes needs gRPC; create the network with --consensus cometbft")
        ports = node.ports[0]
        rpc, grpc = f"http://127.0.0.1:{ports.rpc}", f"http://127.0.0.1:{ports.grpc}"
        chains.append(HermesChain(chain_id, rpc, grpc, node.prefix))
    return chains


def relayer_key(network: Network) -> bytes:
    """Return the private key of the network's `relayer` wallet."""
    return seed_key(read_network(network.folder).wallets[KEY_NAME])


def write_hermes(
    folder: Path,
    chains: Sequence[HermesChain],
    key: bytes,
    hermes: HermesConfig = HermesConfig(),  # noqa: B008 - a value
) -> Path:
    """Write config.toml and key files into `folder`; return the path of config.toml.

    Args:
        folder: Folder, created if absent.
        chains: Chains to relay for.
        key: Private key of the relayer's account on every chain.
        hermes: Options of Hermes.
    """
    keys = folder / _KEYS
    for chain in chains:
        place = keys / chain.chain_id / "keyring-test"
        place.mkdir(parents=True, exist_ok=True)
        file = place / f"{KEY_NAME}.json"
        file.touch(mode=0o600)
        file.write_text(key_file(key, chain.prefix), encoding="utf-8")
    path = folder / HERMES_CONFIG
    path.write_text(config_toml(chains, keys, hermes), encoding="utf-8")
    return path


def key_file(key: bytes, prefix: str) -> str:
    """Return a key file for Hermes' keyring of type `Test`."""
    wallet = Wallet(key, prefix)
    document = {
        "private_key": key.hex(),
        "public_key": wallet.public_key.hex(),
        "address": list(wallet.address.raw),
        "address_type": "Cosmos",
        "account": wallet.address.text,
    }
    return json.dumps(document, indent=2) + "\n"


def config_toml(chains: Sequence[HermesChain], keys: Path, hermes: HermesConfig) -> str:
    """Return the text of config.toml: it relays packets and refreshes clients, and opens no channels."""
    head = f"""\
[global]
log_level = '{hermes.log_level}'

[mode.clients]
enabled = true
refresh = true
misbehaviour = {_bool(hermes.misbehaviour)}

[mode.connections]
enabled = false

[mode.channels]
enabled = {_bool(hermes.channels)}

[mode.packets]
enabled = true
clear_interval = {hermes.clear_interval}
clear_on_start = {_bool(hermes.clear_on_start)}
clear_limit = 100000
tx_confirmation = false

[rest]
enabled = false
host = '127.0.0.1'
port = 3000

[telemetry]
enabled = false
host = '127.0.0.1'
port = 3001
"""
    return "\n".join([head, *(_chain(chain, keys, hermes) for chain in chains)])


def _chain(chain: HermesChain, keys: Path, hermes: HermesConfig) -> str:
    source = "{ mode = 'pull', interval = '500ms', max_retries = 4 }"
    if not hermes.pull:
        url = chain.rpc.replace("http://", "ws://", 1) + "/websocket"
        source = f"{{ mode = 'push', url = '{url}', batch_delay = '{hermes.batch_delay_ms}ms' }}"
    price, denom = chain.gas_price
    return f"""\
[[chains]]
id = '{chain.chain_id}'
type = 'CosmosSdk'
rpc_addr = '{chain.rpc}'
grpc_addr = '{chain.grpc}'
event_source = {source}
rpc_timeout = '30s'
trusted_node = {_bool(hermes.trusted_node)}
account_prefix = '{chain.prefix}'
key_name = '{KEY_NAME}'
key_store_type = 'Test'
key_store_folder = '{keys}'
store_prefix = 'ibc'
default_gas = 40000000
max_gas = 200000000
gas_price = {{ price = {price}, denom = '{denom}' }}
gas_multiplier = 1.2
max_msg_num = {hermes.max_messages}
max_tx_size = {hermes.max_tx_bytes}
clock_drift = '15s'
max_block_time = '30s'
trusting_period = '{hermes.trusting_period}'
client_refresh_rate = '{hermes.refresh_rate}'
trust_threshold = {{ numerator = '1', denominator = '3' }}
address_type = {{ derivation = 'cosmos' }}
"""


def _bool(value: bool) -> str:
    return "true" if value else "false"


# -- configuration of `pyibc relay start` for a network: its chains, its funded relayer's key, one path

RELAYER_CONFIG, RELAYER_KEY = "relayer.toml", "relayer.key"


def write_relayer(folder: Path, chains: Sequence[tuple[str, str, str]], key: bytes, channel: str) -> Path:
    """Write relayer.toml and relayer.key (mode 0600) into `folder`; return the path of relayer.toml.

    Args:
        folder: Folder, created if absent.
        chains: Id, RPC and address prefix of each chain; the path is between the first two.
        key: Private key of the relayer's account on every chain.
        channel: Channel of the path on the first chain.

    Raises:
        OSError: a file cannot be written.
        KeyExposed, KeyRefused: an existing key file is accessible by other users.
        ValueError: an existing key file has another key, or there is only one chain.
        InvalidIdentifier: the channel id is malformed.
    """
    if len(chains) < 2:
        raise ValueError("a path needs two chains")
    validate_channel_id(channel)
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / RELAYER_KEY).exists():
        write_private_file(folder / RELAYER_KEY, key.hex() + "\n")
    elif read_private_file(folder / RELAYER_KEY).strip() != key.hex():
        raise ValueError(f"{folder / RELAYER_KEY}: the file has another key")
    # Chains of other networks on this machine may have the same ids and keys.
    parts = ['[relayer]\nlisten = "127.0.0.1:3001"\nlocks = "."']
    for chain_id, rpc, prefix in chains:
        words = f'id = "{chain_id}"\nrpc = ["{rpc}"]\nprefix = "{prefix}"'
        parts.append(f'[[chains]]\n{words}\nkey = {{ file = "{RELAYER_KEY}" }}')
    parts.append(f'[[paths]]\na = "{chains[0][0]}"\nb = "{chains[1][0]}"\nchannels = ["{channel}"]')
    path = folder / RELAYER_CONFIG
    path.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    return path
