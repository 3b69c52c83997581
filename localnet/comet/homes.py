"""Validators' home directories (`v0`, `v1`, ...), with all files CometBFT and the application read."""

import json
import shutil
from collections.abc import Collection, Sequence
from pathlib import Path

from ibc_core.comet_json.fields import Json, write_hex
from ibc_core.wire.gotime import format_rfc3339
from light_client.tendermint.comet_json import write_public_key
from localnet.comet import keys
from localnet.comet.configtoml import Peer, config_toml
from localnet.comet.genesis import GENESIS_FILE
from localnet.comet.settings import APP_FILE, AppSettings
from localnet.consensus.keys import ValidatorKey
from localnet.durable import replace_synced
from localnet.errors import LostValidators
from localnet.genesis import DEFAULT_POWER
from localnet.host.config import HostConfig
from localnet.settings import NodeSettings, write

APP_STATE = "app"
"""Folder of the application's state in a validator's home."""
_CONFIG = Path("config") / "config.toml"
_SIGNER = Path("config") / "priv_validator_key.json"
_NODE_KEY = Path("config") / "node_key.json"
_SIGNED = Path("data") / "priv_validator_state.json"
_FILES = (_CONFIG, _SIGNER, _NODE_KEY, _SIGNED, GENESIS_FILE, Path(APP_FILE))
_DAY_NS = 86_400 * 10**9


def validator_homes(home: Path, settings: NodeSettings) -> list[Path]:
    """The home directory of each validator."""
    return [home / f"v{index}" for index in range(settings.validators)]


def write_homes(home: Path, settings: NodeSettings, only: Collection[Path] | None = None) -> None:
    """Writes all validators' homes, or those in `only`, keeping what their processes wrote.

    Raises OSError.
    """
    signers = keys.signing_keys(settings.seed, settings.chain_id, settings.validators)
    nodes = keys.node_keys(settings.seed, settings.chain_id, settings.validators)
    genesis = genesis_json(settings, signers)
    for index, each in enumerate(validator_homes(home, settings)):
        if only is not None and each not in only:
            continue
        (each / "config").mkdir(parents=True, exist_ok=True)
        (each / "data").mkdir(exist_ok=True)
        _dump(each / GENESIS_FILE, genesis)
        _dump(each / _SIGNER, keys.signer_json(signers[index]), secret=True)
        _dump(each / _NODE_KEY, {"priv_key": keys.private_json(nodes[index])}, secret=True)
        # The last signed state: overwriting it would allow the validator to double-sign.
        if not (each / _SIGNED).exists():
            _dump(each / _SIGNED, {"height": "0", "round": 0, "step": 0})
        write_ports(each, settings, index, nodes)


def restore_lost_homes(home: Path, settings: NodeSettings) -> None:
    """Recreates lost homes if the remaining validators still have a quorum, from which blocks are synced.

    Raises:
        LostValidators: no more than two thirds of the validators remain.
        OSError: a home cannot be written.
    """
    lost = [
        each for each in validator_homes(home, settings) if not all((each / of).exists() for of in _FILES)
    ]
    if 3 * len(lost) >= settings.validators:
        raise LostValidators(settings.chain_id, ", ".join(each.name for each in lost))
    for each in lost:
        if not (each / _SIGNED).exists() and each.exists():
            shutil.rmtree(each)  # its state is useless without its blocks
    if lost:
        write_homes(home, settings, lost)


def write_ports(home: Path, settings: NodeSettings, index: int, nodes: Sequence[ValidatorKey]) -> None:
    """Writes the files that hold a validator's ports and those of its peers."""
    ports = settings.ports[index]
    peers = [Peer(keys.node_id(node), settings.ports[at].p2p) for at, node in enumerate(nodes) if at != index]
    text = config_toml(home.name, ports, peers, settings.block_time_ms, settings.abci)
    (home / _CONFIG).write_text(text, encoding="utf-8")
    told = AppSettings(
        settings.prefix,
        settings.plugins,
        settings.queues,
        settings.export and index == 0,  # every validator would export the same blocks
        ports.grpc,
        ports.rpc,
        settings.legacy_events,
        settings.keep_versions,
        keep_blocks=settings.keep_blocks,
        map_bytes=settings.map_bytes,
        abci=settings.abci,
    )
    write(home / APP_FILE, told)


def genesis_json(settings: NodeSettings, signers: Sequence[ValidatorKey]) -> Json:
    """The content of genesis.json: validators of equal power, and the application state."""
    rules = HostConfig(settings.chain_id)
    return {
        "genesis_time": format_rfc3339(settings.genesis_time_ns),
        "chain_id": settings.chain_id,
        "initial_height": "1",
        "consensus_params": {
            "block": {"max_bytes": str(rules.block_bytes), "max_gas": str(rules.block_gas)},
            "evidence": {
                "max_age_num_blocks": str(settings.retention.evidence_blocks),
                "max_age_duration": str(2 * _DAY_NS),
                "max_bytes": "1048576",
            },
            "validator": {"pub_key_types": ["ed25519"]},
            "version": {"app": "0"},
            "abci": {"vote_extensions_enable_height": "0"},
        },
        "validators": [_member(key, f"v{index}") for index, key in enumerate(signers)],
        "app_hash": "",
        "app_state": settings.app_state,
    }


def _member(key: ValidatorKey, name: str) -> Json:
    return {
        "address": write_hex(key.address),
        "pub_key": write_public_key(key.validator(DEFAULT_POWER)),
        "power": str(DEFAULT_POWER),
        "name": name,
    }


def _dump(path: Path, document: Json, *, secret: bool = False) -> None:
    """Writes a file atomically, so that an existing file is always complete, also after a power cut."""
    replace_synced(path, (json.dumps(document, indent=2) + "\n").encode(), 0o600 if secret else 0o644)
