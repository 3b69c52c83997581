"""Homes of CometBFT's validators: the executable, keys and config.toml.

Omitted settings have CometBFT 0.38's defaults.
"""

import json
import os
import re
import shutil
import subprocess
from base64 import b64encode
from collections.abc import Collection, Sequence
from pathlib import Path

from light_client.tendermint.comet_json import write_public_key
from localnet.consensus.sign_state import ValidatorKey, validator_keys
from localnet.errors import LostValidators, NoCometBft, WrongCometBft
from localnet.settings import DEFAULT_POWER, NodeSettings, Ports, write
from pyibc.chain.comet.settings import APP_FILE, GENESIS_FILE, Abci, AppSettings, Retention, replace_synced
from pyibc.chain.config import HostConfig
from pyibc.codec.comet_json import Json, write_hex
from pyibc.codec.gotime import format_rfc3339
from pyibc.installation import ROOT

# of `make` in a clone
_CACHES = (Path(ROOT, ".cache/bin"), Path(ROOT, ".cache/live/bin"))


def own_folder() -> Path:
    """Return the folder into which `pyibc cometbft install` builds."""
    return Path(os.path.expanduser("~/.pyibc/bin")).absolute()  # noqa: PTH111 - there may be no home directory


def find_executable(name: str, variable: str = "") -> Path | None:
    """Return the path of an executable, None if there is none.

    It is that in the environment `variable`, else the first one in IBC_LIVE_BIN, the clone's `.cache`,
    `~/.pyibc/bin` or PATH.
    """
    told, folder = os.environ.get(variable), os.environ.get("IBC_LIVE_BIN")
    folders = [*([Path(folder)] if folder else []), *_CACHES, own_folder()]
    for path in (told, *(each / name for each in folders), shutil.which(name)):
        if path and Path(path).is_file() and os.access(path, os.X_OK):
            return Path(path).resolve()
    return None


# -- location of the cometbft binary, and check of its version

_VARIABLE = "COMETBFT"
_OURS = re.compile(r"v?0\.38\.[0-9]+\S*")
_PATIENCE_S = 30


def cometbft() -> Path:
    """Return the path of the cometbft binary: the one in `COMETBFT`, else that of `find_executable`.

    Raises:
        NoCometBft: CometBFT is not installed.
        WrongCometBft: the file is not CometBFT, or not version 0.38.
    """
    path, told = find_executable("cometbft", _VARIABLE), os.environ.get(_VARIABLE)
    if path is None or (told and path != Path(told).resolve()):
        raise NoCometBft(told or "")
    version = version_of(path)
    if not _OURS.fullmatch(version):
        raise WrongCometBft(str(path), version[:80])
    return path


def version_of(path: Path) -> str:
    """Return the version that the binary reports; raise WrongCometBft."""
    try:
        done = subprocess.run(  # noqa: S603 - the program that is to run, no shell
            [str(path), "version"], capture_output=True, timeout=_PATIENCE_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise WrongCometBft(str(path), str(error)) from error
    return done.stdout.decode(errors="replace").strip()


SOCKET = "unix://app.sock"
"""Socket of the application, relative to the validator's home: an absolute path could exceed the 108 bytes of
a unix socket address."""
_PROXY_APP = {"socket": SOCKET, "grpc": f"passthrough:{SOCKET}"}
"""Address of the socket for CometBFT: its gRPC library does not accept a relative path after `unix://`."""


def config_toml(
    moniker: str, ports: Ports, peers: Sequence[str], block_time_ms: int, abci: Abci = "socket"
) -> str:
    """Return the text of config.toml.

    Args:
        moniker: Name of the node.
        ports: Ports that it listens on.
        peers: Persistent peers, `id@host:port`.
        block_time_ms: `timeout_commit`, milliseconds.
        abci: Protocol between CometBFT and its application.
    """
    gossip_ms = max(10, min(100, block_time_ms // 10))
    return f"""\
proxy_app = "{_PROXY_APP[abci]}"
abci = "{abci}"
moniker = "{moniker}"
log_level = "main:info,state:info,statesync:info,*:error"

[rpc]
laddr = "tcp://127.0.0.1:{ports.rpc}"

[p2p]
laddr = "tcp://127.0.0.1:{ports.p2p}"
persistent_peers = "{",".join(peers)}"
addr_book_strict = false
allow_duplicate_ip = true
pex = false

[consensus]
timeout_commit = "{block_time_ms}ms"
peer_gossip_sleep_duration = "{gossip_ms}ms"

[tx_index]
indexer = "kv"
"""


# -- keys in the format of CometBFT's files, derived from a seed: for tests only, never for real funds


def private_json(key: ValidatorKey) -> Json:
    """Return a private key in Amino JSON: seed and public key."""
    raw = b64encode(key.seed + key.public_key).decode("ascii")
    return {"type": "tendermint/PrivKeyEd25519", "value": raw}


def signer_json(key: ValidatorKey) -> Json:
    """Return the content of priv_validator_key.json."""
    return {
        "address": write_hex(key.address),
        "pub_key": write_public_key(key.validator(1)),
        "priv_key": private_json(key),
    }


# -- validators' home directories (`v0`, `v1`, ...), with all files that CometBFT and the application read

_CONFIG = Path("config") / "config.toml"
_SIGNER = Path("config") / "priv_validator_key.json"
_NODE_KEY = Path("config") / "node_key.json"
_SIGNED = Path("data") / "priv_validator_state.json"
_FILES = (_CONFIG, _SIGNER, _NODE_KEY, _SIGNED, GENESIS_FILE, Path(APP_FILE))
_DAY_NS = 86_400 * 10**9


def validator_homes(home: Path, settings: NodeSettings) -> list[Path]:
    """Return the home directory of each validator."""
    return [home / f"v{index}" for index in range(settings.validators)]


def write_homes(home: Path, settings: NodeSettings, only: Collection[Path] | None = None) -> None:
    """Write all validators' homes, or those in `only`, preserving files that their processes wrote.

    Raises OSError.
    """
    seed = f"{settings.seed}/{settings.chain_id}"
    signers = validator_keys(seed, settings.validators)  # as under the built-in consensus
    nodes = validator_keys(f"{seed}/p2p", settings.validators)
    genesis = genesis_json(settings, signers)
    for index, each in enumerate(validator_homes(home, settings)):
        if only is not None and each not in only:
            continue
        (each / "config").mkdir(parents=True, exist_ok=True)
        (each / "data").mkdir(exist_ok=True)
        _dump(each / GENESIS_FILE, genesis)
        _dump(each / _SIGNER, signer_json(signers[index]), secret=True)
        _dump(each / _NODE_KEY, {"priv_key": private_json(nodes[index])}, secret=True)
        # The last signed state: overwriting it could make the validator double-sign.
        if not (each / _SIGNED).exists():
            _dump(each / _SIGNED, {"height": "0", "round": 0, "step": 0})
        write_ports(each, settings, index, nodes)


def restore_lost_homes(home: Path, settings: NodeSettings) -> None:
    """Recreate lost homes if the remaining validators still have a quorum, from which blocks are synced.

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
    """Write the files with a validator's ports and those of its peers."""
    ports = settings.ports[index]
    peers = [
        f"{node.address.hex()}@127.0.0.1:{settings.ports[at].p2p}"
        for at, node in enumerate(nodes)
        if at != index
    ]
    text = config_toml(home.name, ports, peers, settings.block_time_ms, settings.abci)
    (home / _CONFIG).write_text(text, encoding="utf-8")
    shared = set(AppSettings.__struct_fields__) & set(settings.__struct_fields__)
    told = {name: getattr(settings, name) for name in shared}
    told["export"] = settings.export and index == 0  # every validator would export the same blocks
    told |= {"grpc_port": ports.grpc, "rpc_port": ports.rpc}
    write(home / APP_FILE, AppSettings(**told))


def genesis_json(settings: NodeSettings, signers: Sequence[ValidatorKey]) -> Json:
    """Return the content of genesis.json: validators of equal power, and the application state."""
    return {
        "genesis_time": format_rfc3339(settings.genesis_time_ns),
        "chain_id": settings.chain_id,
        "initial_height": "1",
        "consensus_params": params_json(HostConfig(settings.chain_id), settings.retention),
        "validators": [_member(key, f"v{index}") for index, key in enumerate(signers)],
        "app_hash": "",
        "app_state": settings.app_state,
    }


def params_json(rules: HostConfig, retention: Retention) -> Json:
    """Return the consensus parameters."""
    return {
        "block": {"max_bytes": str(rules.block_bytes), "max_gas": str(rules.block_gas)},
        "evidence": {
            "max_age_num_blocks": str(retention.evidence_blocks),
            "max_age_duration": str(2 * _DAY_NS),
            "max_bytes": "1048576",
        },
        "validator": {"pub_key_types": ["ed25519"]},
        "version": {"app": "0"},
        "abci": {"vote_extensions_enable_height": "0"},
    }


def _member(key: ValidatorKey, name: str) -> Json:
    return {
        "address": write_hex(key.address),
        "pub_key": write_public_key(key.validator(DEFAULT_POWER)),
        "power": str(DEFAULT_POWER),
        "name": name,
    }


def _dump(path: Path, document: Json, *, secret: bool = False) -> None:
    """Write a file atomically, so that an existing file is always complete, also after a power cut."""
    replace_synced(path, (json.dumps(document, indent=2) + "\n").encode(), 0o600 if secret else 0o644)
